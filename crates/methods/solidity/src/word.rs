//! Arithmetic on 256-bit words that hold values of a type in their canonical form: integers are sign-extended or
//! zero-extended, `bytesN` is aligned to the left.

use ruint::aliases::U256;

use crate::model::{Binary, Type};

/// Why an operation has no value: the code of a panic.
pub(crate) const OVERFLOW: u8 = 0x11;
pub(crate) const DIVISION: u8 = 0x12;

/// Truncates a word to a type.
pub(crate) fn wrap(word: U256, ty: Type) -> U256 {
    match ty {
        Type::Uint(256) | Type::Int(256) => word,
        Type::Uint(bits) => word & mask(bits),
        Type::Int(bits) => {
            let low = word & mask(bits);
            if low.bit(usize::from(bits) - 1) { low | !mask(bits) } else { low }
        }
        Type::FixedBytes(32) => word,
        Type::FixedBytes(bytes) => word & !(U256::MAX >> (usize::from(bytes) * 8)),
        Type::Address | Type::Contract(_) => word & mask(160),
        _ => word,
    }
}

fn mask(bits: u16) -> U256 {
    if bits >= 256 { U256::MAX } else { (U256::ONE << usize::from(bits)) - U256::ONE }
}

pub(crate) fn is_negative(word: U256) -> bool {
    word.bit(255)
}

fn negate(word: U256) -> U256 {
    U256::ZERO.wrapping_sub(word)
}

fn magnitude(word: U256) -> U256 {
    if is_negative(word) { negate(word) } else { word }
}

pub(crate) fn signed_less(left: U256, right: U256) -> bool {
    match (is_negative(left), is_negative(right)) {
        (true, false) => true,
        (false, true) => false,
        _ => left < right,
    }
}

fn fits(word: U256, ty: Type) -> bool {
    wrap(word, ty) == word
}

/// An arithmetic or bit operation of a type. The operands are canonical words.
pub(crate) fn binary(
    op: Binary,
    left: U256,
    right: U256,
    ty: Type,
    checked: bool,
) -> Result<U256, u8> {
    let signed = matches!(ty, Type::Int(_));
    let (exact, value) = match op {
        Binary::Add => {
            let (sum, carry) = left.overflowing_add(right);
            let exact = match signed {
                false => !carry,
                true => {
                    is_negative(left) != is_negative(right) || is_negative(sum) == is_negative(left)
                }
            };
            (exact, sum)
        }
        Binary::Sub => {
            let (difference, borrow) = left.overflowing_sub(right);
            let exact = match signed {
                false => !borrow,
                true => {
                    is_negative(left) == is_negative(right)
                        || is_negative(difference) == is_negative(left)
                }
            };
            (exact, difference)
        }
        Binary::Mul => multiply(left, right, signed),
        Binary::Div | Binary::Mod if right.is_zero() => return Err(DIVISION),
        Binary::Div if signed => {
            let quotient = magnitude(left) / magnitude(right);
            let negative = is_negative(left) != is_negative(right);
            let value = if negative { negate(quotient) } else { quotient };
            (negative || !is_negative(value), value)
        }
        Binary::Mod if signed => {
            let rest = magnitude(left) % magnitude(right);
            (true, if is_negative(left) { negate(rest) } else { rest })
        }
        Binary::Div => (true, left / right),
        Binary::Mod => (true, left % right),
        Binary::Exp => power(left, right, ty),
        Binary::And => (true, left & right),
        Binary::Or => (true, left | right),
        Binary::Xor => (true, left ^ right),
        Binary::Shl | Binary::Shr => return Ok(shift(op, left, right, ty)),
        _ => return Ok(compare(op, left, right, signed)),
    };
    if checked && (!exact || !fits(value, ty)) {
        return Err(OVERFLOW);
    }
    Ok(wrap(value, ty))
}

fn multiply(left: U256, right: U256, signed: bool) -> (bool, U256) {
    if !signed {
        let (product, overflow) = left.overflowing_mul(right);
        return (!overflow, product);
    }
    let (product, overflow) = magnitude(left).overflowing_mul(magnitude(right));
    let negative = is_negative(left) != is_negative(right) && !product.is_zero();
    let value = if negative { negate(product) } else { product };
    (!overflow && is_negative(value) == negative, value)
}

/// Left to the power of right; whether it is exact is decided for the type.
fn power(base: U256, exponent: U256, ty: Type) -> (bool, U256) {
    let signed = matches!(ty, Type::Int(_));
    let mut exact = true;
    let mut value = U256::ONE;
    // Beyond this exponent only 0, 1 and -1 stay in range, and their powers repeat with period two.
    let limit = U256::from(512);
    let small = exponent < limit;
    let unit = base <= U256::ONE || (signed && base == U256::MAX);
    if !small && unit {
        let odd = exponent.bit(0);
        let value = match base {
            it if it.is_zero() => U256::ZERO,
            it if it == U256::ONE => U256::ONE,
            _ if odd => U256::MAX,
            _ => U256::ONE,
        };
        return (true, value);
    }
    if !small {
        return (false, base.pow(exponent));
    }
    for _ in 0..exponent.as_limbs()[0] {
        let (fine, next) = multiply(value, base, signed);
        exact &= fine && fits(next, ty);
        value = next;
    }
    (exact, value)
}

/// Shifts never overflow: they truncate.
fn shift(op: Binary, left: U256, right: U256, ty: Type) -> U256 {
    let amount = if right > U256::from(256) { 256 } else { right.as_limbs()[0] as usize };
    let shifted = match op {
        Binary::Shl if amount >= 256 => U256::ZERO,
        Binary::Shl => left << amount,
        _ if matches!(ty, Type::Int(_)) && is_negative(left) => match amount {
            256.. => U256::MAX,
            _ => !(!left >> amount),
        },
        _ if amount >= 256 => U256::ZERO,
        _ => left >> amount,
    };
    wrap(shifted, ty)
}

fn compare(op: Binary, left: U256, right: U256, signed: bool) -> U256 {
    let less = |left, right| if signed { signed_less(left, right) } else { left < right };
    let holds = match op {
        Binary::Equal => left == right,
        Binary::NotEqual => left != right,
        Binary::Less => less(left, right),
        Binary::LessEqual => !less(right, left),
        Binary::Greater => less(right, left),
        Binary::GreaterEqual => !less(left, right),
        _ => false,
    };
    U256::from(u8::from(holds))
}

/// An explicit conversion between integers, `bytesN`, addresses and contracts.
pub(crate) fn convert(word: U256, from: Type, to: Type) -> U256 {
    match (from, to) {
        (Type::FixedBytes(_), Type::FixedBytes(_)) => wrap(word, to),
        (Type::FixedBytes(bytes), _) => wrap(word >> (256 - usize::from(bytes) * 8), to),
        (_, Type::FixedBytes(bytes)) => word << (256 - usize::from(bytes) * 8),
        _ => wrap(word, to),
    }
}

/// Whether a word is canonical for a type, as a strict decoder demands.
pub(crate) fn is_clean(word: U256, ty: Type, enums: &[u8]) -> bool {
    match ty {
        Type::Bool => word <= U256::ONE,
        Type::Enum(which) => {
            let members = enums.get(usize::from(which)).copied().unwrap_or(1);
            word < U256::from(members)
        }
        _ => fits(word, ty),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn int(value: i64) -> U256 {
        if value < 0 { negate(U256::from(value.unsigned_abs())) } else { U256::from(value as u64) }
    }

    #[test]
    fn checked_arithmetic_of_eight_bits_agrees_with_wide_arithmetic() {
        use Binary::{Add, Div, Mod, Mul, Sub};
        for left in -128i64..128 {
            for right in -128i64..128 {
                for op in [Add, Sub, Mul, Div, Mod] {
                    let exact = match op {
                        Add => left + right,
                        Sub => left - right,
                        Mul => left * right,
                        _ if right == 0 => {
                            assert_eq!(
                                binary(op, int(left), U256::ZERO, Type::Int(8), true),
                                Err(DIVISION)
                            );
                            continue;
                        }
                        Div => left / right,
                        _ => left % right,
                    };
                    let expected =
                        if (-128..128).contains(&exact) { Ok(int(exact)) } else { Err(OVERFLOW) };
                    assert_eq!(binary(op, int(left), int(right), Type::Int(8), true), expected);
                    let wrapped = Ok(int(i64::from(exact as i8)));
                    assert_eq!(binary(op, int(left), int(right), Type::Int(8), false), wrapped);
                }
            }
        }
    }

    #[test]
    fn the_edges_of_the_widest_type_overflow() {
        let least = U256::ONE << 255;
        let ty = Type::Int(256);
        assert_eq!(binary(Binary::Div, least, U256::MAX, ty, true), Err(OVERFLOW));
        assert_eq!(binary(Binary::Div, least, U256::MAX, ty, false), Ok(least));
        assert_eq!(binary(Binary::Mul, least, U256::MAX, ty, true), Err(OVERFLOW));
        assert_eq!(binary(Binary::Sub, U256::ZERO, least, ty, true), Err(OVERFLOW));
        assert_eq!(binary(Binary::Exp, int(-2), int(255), ty, true), Ok(least));
        assert_eq!(binary(Binary::Exp, int(2), int(255), ty, true), Err(OVERFLOW));
        assert_eq!(binary(Binary::Shr, least, int(300), ty, true), Ok(U256::MAX));
    }
}
