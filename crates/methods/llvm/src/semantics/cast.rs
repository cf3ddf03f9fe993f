//! Casts between integers. Other casts are for the interpreter and the prover to model or to refuse.

use super::{Domain, Effect, Words};
use crate::ir::{CastOp, Flags};

/// One lane of `trunc`, `zext` or `sext` to a width; none for other casts.
pub fn cast<D: Domain>(
    domain: &mut D,
    op: CastOp,
    flags: Flags,
    a: &D::Word,
    width: u32,
) -> Option<Effect<D::Word, D::Bit>> {
    match op {
        CastOp::Trunc => {
            let from = domain.width(a);
            let short = domain.trunc(a, width);
            let mut effect = domain.plain(short.clone());
            if flags.has(Flags::NUW) {
                let back = domain.zext(&short, from);
                effect.poison = domain.differ(&back, a);
            }
            if flags.has(Flags::NSW) {
                let back = domain.sext(&short, from);
                let lost = domain.differ(&back, a);
                effect.poison = domain.or(&effect.poison, &lost);
            }
            Some(effect)
        }
        CastOp::ZExt => {
            let wide = domain.zext(a, width);
            let mut effect = domain.plain(wide);
            if flags.has(Flags::NNEG) {
                effect.poison = domain.sign(a);
            }
            Some(effect)
        }
        CastOp::SExt => {
            let wide = domain.sext(a, width);
            Some(domain.plain(wide))
        }
        CastOp::FpTrunc
        | CastOp::FpExt
        | CastOp::FpToUi
        | CastOp::FpToSi
        | CastOp::UiToFp
        | CastOp::SiToFp
        | CastOp::PtrToInt
        | CastOp::PtrToAddr
        | CastOp::IntToPtr
        | CastOp::BitCast
        | CastOp::AddrSpaceCast => None,
    }
}
