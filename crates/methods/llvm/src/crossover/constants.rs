//! Constants of a type, drawn from those on which optimisations depend.

use std::sync::Arc;

use forge::Entropy;

use crate::ir::{Constant, FloatKind, Module, Type};

/// A constant of a type; none for types without one that could be written.
pub fn any_constant(module: &Module, ty: &Type, entropy: &mut Entropy) -> Option<Constant> {
    Some(match ty {
        Type::Int(width @ 1..=128) => Constant::int(integer(*width, entropy), *width),
        Type::Int(_) => Constant::Zero,
        Type::Float(kind) => float(*kind, entropy)?,
        Type::Pointer { .. } => Constant::Null,
        Type::Vector { scalable: true, .. } => Constant::Zero,
        Type::Vector { lanes, of, .. } => {
            if entropy.chance(1, 2) {
                let one = any_constant(module, of, entropy)?;
                Constant::Vector(std::iter::repeat_n(one, *lanes as usize).collect())
            } else {
                let lane = |_| {
                    let lane = any_constant(module, of, entropy);
                    if entropy.chance(1, 8) { Some(Constant::Poison) } else { lane }
                };
                Constant::Vector((0..*lanes).map(lane).collect::<Option<Arc<[_]>>>()?)
            }
        }
        Type::Array { .. } | Type::Struct { .. } => Constant::Zero,
        Type::Named(name) => {
            module.definition(name)?;
            Constant::Zero
        }
        Type::Void
        | Type::Function { .. }
        | Type::Label
        | Type::Token
        | Type::Metadata
        | Type::Other(_) => return None,
    })
}

/// 0, ±1, the ends of both ranges, powers of two, masks, the width; or anything.
fn integer(width: u32, entropy: &mut Entropy) -> u128 {
    let sign = 1_u128 << (width - 1);
    let bit = entropy.below(u64::from(width)) as u32;
    match entropy.below(14) {
        0 => 0,
        1 => 1,
        2 => u128::MAX,
        3 => sign,
        4 => sign.wrapping_sub(1),
        5 => 1 << bit,
        6 => (1_u128 << bit).wrapping_sub(1),
        7 => !(1_u128 << bit),
        8 => u128::from(width),
        9 => u128::from(width) - 1,
        10 => 2,
        11 => (entropy.below(16) as u128).wrapping_sub(8),
        12 => u128::from(entropy.word()) & 0xff,
        _ => u128::from(entropy.word()) << 64 | u128::from(entropy.word()),
    }
}

/// Zeros, ones, infinities, NaN, the smallest and largest numbers.
fn float(kind: FloatKind, entropy: &mut Entropy) -> Option<Constant> {
    let (exponent, fraction) = match kind {
        FloatKind::Half => (5, 10),
        FloatKind::BFloat => (8, 7),
        FloatKind::Float => (8, 23),
        FloatKind::Double => (11, 52),
        FloatKind::Fp128 => (15, 112),
        FloatKind::X86Fp80 | FloatKind::PpcFp128 => return Some(Constant::Zero),
    };
    let ones = |bits: u32| (1_u128 << bits) - 1;
    let bias = ones(exponent - 1);
    let magnitude = match entropy.below(9) {
        0 | 1 => 0,
        2 => bias << fraction,
        3 => (bias + 1) << fraction,
        4 => (bias - 1) << fraction,
        5 => ones(exponent) << fraction,
        6 => ones(exponent) << fraction | 1 << (fraction - 1),
        7 => 1,
        _ => ((ones(exponent) - 1) << fraction) | ones(fraction),
    };
    let sign = u128::from(entropy.chance(1, 3)) << (exponent + fraction);
    Some(Constant::Float(magnitude | sign))
}
