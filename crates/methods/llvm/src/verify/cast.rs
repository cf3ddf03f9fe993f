//! Casts.

use super::instruction::same_lanes;
use super::{Problem, Verifier};
use crate::ir::{CastOp, FloatKind, Type};

impl Verifier<'_> {
    pub(super) fn cast(&self, op: CastOp, from: &Type, to: &Type) -> Result<(), Problem> {
        let widths = (from.int_width(), to.int_width());
        let floats = (float_bits(from), float_bits(to));
        let (a, b) = (from.lane(), to.lane());
        let fits = match op {
            CastOp::Trunc => matches!(widths, (Some(from), Some(to)) if from > to),
            CastOp::ZExt | CastOp::SExt => matches!(widths, (Some(from), Some(to)) if from < to),
            CastOp::FpTrunc => matches!(floats, (Some(from), Some(to)) if from > to),
            CastOp::FpExt => matches!(floats, (Some(from), Some(to)) if from < to),
            CastOp::FpToUi | CastOp::FpToSi => a.is_float() && b.is_int(),
            CastOp::UiToFp | CastOp::SiToFp => a.is_int() && b.is_float(),
            CastOp::PtrToInt | CastOp::PtrToAddr => a.is_pointer() && b.is_int(),
            CastOp::IntToPtr => a.is_int() && b.is_pointer(),
            CastOp::AddrSpaceCast => match (a, b) {
                (Type::Pointer { space: a, .. }, Type::Pointer { space: b, .. }) => a != b,
                _ => false,
            },
            CastOp::BitCast => return self.bit_cast(from, to),
        };
        if fits && same_lanes(from, to) {
            Ok(())
        } else {
            Err(Problem::Cast(from.clone(), to.clone()))
        }
    }

    fn bit_cast(&self, from: &Type, to: &Type) -> Result<(), Problem> {
        let fits = match (from.lane(), to.lane()) {
            (Type::Pointer { space: a, .. }, Type::Pointer { space: b, .. }) => {
                a == b && (same_lanes(from, to) || is_one_lane(from, to))
            }
            (Type::Pointer { .. }, _) | (_, Type::Pointer { .. }) => false,
            (Type::Other(_), _) | (_, Type::Other(_)) => true,
            _ => match (bits(from), bits(to)) {
                (Some(a), Some(b)) => a == b,
                _ => from == to && from.is_first_class() && !from.is_aggregate(),
            },
        };
        if fits { Ok(()) } else { Err(Problem::Cast(from.clone(), to.clone())) }
    }
}

/// A scalar and a vector of one lane.
fn is_one_lane(a: &Type, b: &Type) -> bool {
    let is_scalable = |ty: &Type| matches!(ty, Type::Vector { scalable: true, .. });
    !is_scalable(a) && !is_scalable(b) && a.lanes() == b.lanes()
}

/// The size of a number or a vector of numbers, and whether it is multiplied at run time.
fn bits(ty: &Type) -> Option<(u64, bool)> {
    let lane = match ty.lane() {
        Type::Int(width) => *width,
        Type::Float(kind) => kind.bits(),
        _ => return None,
    };
    match ty {
        Type::Vector { lanes, scalable, .. } => {
            Some((u64::from(*lanes) * u64::from(lane), *scalable))
        }
        _ => Some((lane.into(), false)),
    }
}

fn float_bits(ty: &Type) -> Option<u32> {
    match ty.lane() {
        Type::Float(FloatKind::PpcFp128 | FloatKind::Fp128) => Some(128),
        Type::Float(kind) => Some(kind.bits()),
        _ => None,
    }
}
