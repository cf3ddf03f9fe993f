//! The values of the attribute "type": every value type has a number, and a domain is a set of such numbers.

use crate::model::{FIXED_POINTS, Type};

/// How many value types there are.
pub const TYPES: usize = 106;

const UINTS: usize = 0;
const INTS: usize = 32;
const FIXED_BYTES: usize = 64;
const BOOLEAN: usize = 96;
const ADDRESSES: usize = 97;
const ENUMS: usize = 98;
const WRAPPERS: usize = 100;
const FIXED: usize = 102;

pub const UNSIGNED: u128 = (1 << 32) - 1;
pub const SIGNED: u128 = UNSIGNED << INTS;
pub const INTEGERS: u128 = UNSIGNED | SIGNED;
pub const BYTES_TYPES: u128 = UNSIGNED << FIXED_BYTES;
/// Types with `<`, bit operations and shifts.
pub const ORDERED: u128 = INTEGERS | BYTES_TYPES;

/// Fixed-point numbers.
pub const FRACTIONS: u128 = 0b1111 << FIXED;

/// The lengths of arrays: 0 stands for dynamic.
pub const ARRAY_LENGTHS: u128 = 0b11_1111;

/// The type with this number.
pub fn type_value(number: u8) -> Type {
    let number = usize::from(number);
    let bits = |from: usize| (number - from + 1) as u16 * 8;
    match number {
        UINTS..INTS => Type::Uint(bits(UINTS)),
        INTS..FIXED_BYTES => Type::Int(bits(INTS)),
        FIXED_BYTES..BOOLEAN => Type::FixedBytes((number - FIXED_BYTES + 1) as u8),
        BOOLEAN => Type::Bool,
        ADDRESSES => Type::Address,
        ENUMS..WRAPPERS => Type::Enum((number - ENUMS) as u8),
        WRAPPERS..FIXED => Type::Wrapper((number - WRAPPERS) as u8),
        _ => Type::Fixed((number - FIXED).min(FIXED_POINTS.len() - 1) as u8),
    }
}

/// The set that holds only this type.
pub fn type_bit(ty: Type) -> u128 {
    let number = match ty {
        Type::Uint(bits) => UINTS + usize::from(bits) / 8 - 1,
        Type::Int(bits) => INTS + usize::from(bits) / 8 - 1,
        Type::FixedBytes(bytes) => FIXED_BYTES + usize::from(bytes) - 1,
        Type::Bool => BOOLEAN,
        Type::Address => ADDRESSES,
        Type::Enum(which) => ENUMS + usize::from(which),
        Type::Wrapper(which) => WRAPPERS + usize::from(which),
        Type::Fixed(which) => FIXED + usize::from(which),
        _ => return 0,
    };
    1 << number
}

/// The values of a domain, smallest first.
pub fn values(domain: u128) -> impl Iterator<Item = u8> {
    let mut rest = domain;
    std::iter::from_fn(move || {
        let value = rest.trailing_zeros() as u8;
        rest &= rest.wrapping_sub(1);
        (value < 128).then_some(value)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_type_has_its_own_number() {
        for number in 0..TYPES as u8 {
            assert_eq!(type_bit(type_value(number)), 1 << number);
        }
        assert_eq!(values(0b1010).collect::<Vec<u8>>(), [1, 3]);
    }
}
