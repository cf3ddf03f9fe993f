//! Integer arithmetic on bits, as MIR defines it: addition, subtraction and multiplication wrap, shift amounts are
//! taken modulo the width, and division is undefined by zero and on overflow.

use super::intrinsic::Intrinsic;
use super::program::Operator;
use super::types::{Int, Kind};

/// The low `width` bits.
pub(crate) fn truncate(bits: u128, width: u32) -> u128 {
    if width >= 128 { bits } else { bits & ((1 << width) - 1) }
}

/// Sign-extends or zero-extends bits. A `u128` that does not fit keeps its bits.
pub(crate) fn extend(bits: u128, int: Int) -> i128 {
    let unused = 128 - int.bits();
    if int.signed { (bits << unused).cast_signed() >> unused } else { bits.cast_signed() }
}

/// The result, and whether it wrapped. `None` if it is undefined.
pub(crate) fn arithmetic(
    operator: Operator,
    int: Int,
    left: u128,
    right: u128,
) -> Option<(u128, bool)> {
    let bits = int.bits();
    let (a, b) = (extend(left, int), extend(right, int));
    let wrapped = |exact: u128, signed: Option<i128>, unsigned: Option<u128>| {
        let result = truncate(exact, bits);
        let fits = if int.signed {
            signed.is_some_and(|value| extend(result, int) == value)
        } else {
            unsigned.is_some_and(|value| result == value)
        };
        Some((result, !fits))
    };
    match operator {
        Operator::Add => {
            wrapped(left.wrapping_add(right), a.checked_add(b), left.checked_add(right))
        }
        Operator::Sub => {
            wrapped(left.wrapping_sub(right), a.checked_sub(b), left.checked_sub(right))
        }
        Operator::Mul => {
            wrapped(left.wrapping_mul(right), a.checked_mul(b), left.checked_mul(right))
        }
        Operator::Div | Operator::Rem => {
            let rest = operator == Operator::Rem;
            let result = if right == 0 {
                return None;
            } else if int.signed {
                if b == -1 && left == least(int) {
                    return None;
                }
                (if rest { a % b } else { a / b }).cast_unsigned()
            } else if rest {
                left % right
            } else {
                left / right
            };
            Some((truncate(result, bits), false))
        }
        Operator::BitAnd => Some((left & right, false)),
        Operator::BitOr => Some((left | right, false)),
        Operator::BitXor => Some((left ^ right, false)),
        _ => None,
    }
}

/// The bits of the minimum.
fn least(int: Int) -> u128 {
    if int.signed { 1 << (int.bits() - 1) } else { 0 }
}

/// The bits of the maximum.
fn greatest(int: Int) -> u128 {
    truncate(if int.signed { least(int) - 1 } else { u128::MAX }, int.bits())
}

/// A shift. The amount can have any integer type and is taken modulo the width.
pub(crate) fn shift(operator: Operator, int: Int, value: u128, amount: u128) -> u128 {
    let amount = (amount & u128::from(int.bits() - 1)) as u32;
    let result = match operator {
        Operator::Shl => value << amount,
        _ if int.signed => (extend(value, int) >> amount).cast_unsigned(),
        _ => value >> amount,
    };
    truncate(result, int.bits())
}

pub(crate) fn compare(operator: Operator, kind: &Kind, left: u128, right: u128) -> bool {
    let ordering = match kind {
        Kind::Int(int) if int.signed => extend(left, *int).cmp(&extend(right, *int)),
        _ => left.cmp(&right),
    };
    holds(operator, ordering)
}

/// Whether a comparison holds for operands with an ordering.
pub(crate) fn holds(operator: Operator, ordering: std::cmp::Ordering) -> bool {
    match operator {
        Operator::Eq => ordering.is_eq(),
        Operator::Ne => ordering.is_ne(),
        Operator::Lt => ordering.is_lt(),
        Operator::Le => ordering.is_le(),
        Operator::Gt => ordering.is_gt(),
        _ => ordering.is_ge(),
    }
}

/// Whether a scalar type has a value with these bits.
pub(crate) fn is_valid(kind: &Kind, bits: u128) -> bool {
    match kind {
        Kind::Bool => bits <= 1,
        Kind::Char => u32::try_from(bits).is_ok_and(|bits| char::from_u32(bits).is_some()),
        Kind::Int(int) => truncate(bits, int.bits()) == bits,
        Kind::Float(float) => truncate(bits, float.bits()) == bits,
        _ => false,
    }
}

/// An intrinsic of one integer. `None` if it is undefined.
pub(crate) fn unary(intrinsic: Intrinsic, int: Int, value: u128) -> Option<u128> {
    let unused = 128 - int.bits();
    let leading = value.leading_zeros() - unused;
    let trailing = value.trailing_zeros().min(int.bits());
    Some(match intrinsic {
        Intrinsic::ByteSwap => value.swap_bytes() >> unused,
        Intrinsic::BitReverse => value.reverse_bits() >> unused,
        Intrinsic::CountOnes => value.count_ones().into(),
        Intrinsic::LeadingZeros => leading.into(),
        Intrinsic::TrailingZeros => trailing.into(),
        Intrinsic::LeadingZerosNonzero if value != 0 => leading.into(),
        Intrinsic::TrailingZerosNonzero if value != 0 => trailing.into(),
        _ => return None,
    })
}

/// An intrinsic of two integers. They have the same type, except the amount of a shift or rotation. `None` if it is
/// undefined.
pub(crate) fn binary(intrinsic: Intrinsic, int: Int, left: u128, right: u128) -> Option<u128> {
    let exact = |operator: Operator| {
        arithmetic(operator, int, left, right)
            .and_then(|(bits, wrapped)| (!wrapped).then_some(bits))
    };
    let wrapping =
        |operator: Operator| arithmetic(operator, int, left, right).map(|(bits, _)| bits);
    let negative = |bits: u128| int.signed && extend(bits, int) < 0;
    let bits = int.bits();
    let rotate = |by: u128| {
        let by = (by % u128::from(bits)) as u32;
        if by == 0 { left } else { truncate(left << by | left >> (bits - by), bits) }
    };
    let turn = right % u128::from(bits);
    match intrinsic {
        Intrinsic::RotateLeft => Some(rotate(turn)),
        Intrinsic::RotateRight => Some(rotate(u128::from(bits) - turn)),
        Intrinsic::WrappingAdd => wrapping(Operator::Add),
        Intrinsic::WrappingSub => wrapping(Operator::Sub),
        Intrinsic::WrappingMul => wrapping(Operator::Mul),
        Intrinsic::SaturatingAdd => {
            exact(Operator::Add).or(Some(if negative(left) { least(int) } else { greatest(int) }))
        }
        Intrinsic::SaturatingSub => exact(Operator::Sub)
            .or(Some(if !int.signed || negative(left) { least(int) } else { greatest(int) })),
        Intrinsic::UncheckedAdd => exact(Operator::Add),
        Intrinsic::UncheckedSub => exact(Operator::Sub),
        Intrinsic::UncheckedMul => exact(Operator::Mul),
        Intrinsic::UncheckedDiv => exact(Operator::Div),
        Intrinsic::UncheckedRem => exact(Operator::Rem),
        Intrinsic::ExactDiv => {
            exact(Operator::Rem).filter(|rest| *rest == 0).and(exact(Operator::Div))
        }
        Intrinsic::DisjointBitOr => (left & right == 0).then_some(left | right),
        Intrinsic::UncheckedShl if right < bits.into() => {
            Some(shift(Operator::Shl, int, left, right))
        }
        Intrinsic::UncheckedShr if right < bits.into() => {
            Some(shift(Operator::Shr, int, left, right))
        }
        _ => None,
    }
}
