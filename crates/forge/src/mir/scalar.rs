//! Arithmetic on the bits of scalars, as MIR defines it: sums, differences and products wrap, shift amounts
//! count modulo the width, and division has two ways to be undefined.

use super::program::Operator;
use super::types::{Int, Type};

/// The bits of a value of a type, in the low end.
pub(super) fn truncate(bits: u128, width: u32) -> u128 {
    if width == 128 { bits } else { bits & ((1 << width) - 1) }
}

/// The number that bits stand for, as far as an `i128` can hold it: unsigned 128-bit ones stay bits.
pub(super) fn extend(bits: u128, int: Int) -> i128 {
    let unused = 128 - int.bits();
    if int.signed { (bits << unused).cast_signed() >> unused } else { bits.cast_signed() }
}

/// How wide a scalar is.
pub(super) fn width(of: &Type) -> Option<u32> {
    match of {
        Type::Bool => Some(8),
        Type::Char => Some(32),
        Type::Int(int) => Some(int.bits()),
        _ => None,
    }
}

/// The result, and whether it wrapped; none where it is undefined.
pub(super) fn arithmetic(
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
            if right == 0 {
                return None;
            }
            let result = if int.signed {
                let least = truncate(1 << (bits - 1), bits);
                if left == least && b == -1 {
                    return None;
                }
                let value = if operator == Operator::Div { a / b } else { a % b };
                value.cast_unsigned()
            } else if operator == Operator::Div {
                left / right
            } else {
                left % right
            };
            Some((truncate(result, bits), false))
        }
        Operator::BitAnd => Some((left & right, false)),
        Operator::BitOr => Some((left | right, false)),
        Operator::BitXor => Some((left ^ right, false)),
        _ => None,
    }
}

/// A shift by an amount of any type: only its low bits count.
pub(super) fn shift(operator: Operator, int: Int, value: u128, amount: u128) -> u128 {
    let amount = (amount & u128::from(int.bits() - 1)) as u32;
    let result = match operator {
        Operator::Shl => value << amount,
        _ if int.signed => (extend(value, int) >> amount).cast_unsigned(),
        _ => value >> amount,
    };
    truncate(result, int.bits())
}

pub(super) fn compare(operator: Operator, of: &Type, left: u128, right: u128) -> bool {
    let ordering = match of {
        Type::Int(int) if int.signed => extend(left, *int).cmp(&extend(right, *int)),
        _ => left.cmp(&right),
    };
    match operator {
        Operator::Eq => ordering.is_eq(),
        Operator::Ne => ordering.is_ne(),
        Operator::Lt => ordering.is_lt(),
        Operator::Le => ordering.is_le(),
        Operator::Gt => ordering.is_gt(),
        _ => ordering.is_ge(),
    }
}

/// Whether a type has a value with these bits.
pub(super) fn is_valid(of: &Type, bits: u128) -> bool {
    match of {
        Type::Bool => bits <= 1,
        Type::Char => u32::try_from(bits).is_ok_and(|bits| char::from_u32(bits).is_some()),
        _ => true,
    }
}
