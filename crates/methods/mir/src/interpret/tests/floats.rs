//! Float arithmetic and casts, compared with Rust's own.

use proptest::prelude::*;

use super::super::compute;
use super::super::value::Value;
use super::arithmetic::edges;
use crate::intrinsic::Intrinsic;
use crate::program::Operator;
use crate::types::{Float, Int, TypeId, Types, Width};
use crate::{float, scalar};

/// Edge cases: integers and halves, infinities, NaN, subnormals, rounding; and random floats.
fn doubles() -> impl Strategy<Value = f64> {
    let edge_cases = prop::sample::select(vec![
        0.0,
        -0.0,
        0.5,
        -0.5,
        1.5,
        2.5,
        -2.5,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::NAN,
        f64::MIN_POSITIVE,
        f64::MAX,
        f64::from_bits(1),
        f64::from(f32::MAX),
        4_503_599_627_370_495.5,
        9_007_199_254_740_993.0,
    ]);
    let near = (-1_000_000..1_000_000_i32).prop_map(|number| f64::from(number) / 4.0);
    let any = edges().prop_map(|bits| f64::from_bits(bits as u64));
    prop_oneof![edge_cases, near, any]
}

macro_rules! against {
    ($name:ident, $float:ident, $type:ty) => {
        proptest! {
            #[test]
            fn $name(left in doubles(), right in doubles(), third in doubles()) {
                let (a, b, c) = (left as $type, right as $type, third as $type);
                let known =
                    |value: $type| (!value.is_nan()).then_some(u128::from(value.to_bits()));
                let (x, y, z) = (known(a), known(b), known(c));
                let of = |operator| float::arithmetic(operator, Float::$float, x, y);
                prop_assert_eq!(of(Operator::Add), Some(known(a + b)));
                prop_assert_eq!(of(Operator::Sub), Some(known(a - b)));
                prop_assert_eq!(of(Operator::Mul), Some(known(a * b)));
                prop_assert_eq!(of(Operator::Div), Some(known(a / b)));
                prop_assert_eq!(of(Operator::Rem), Some(known(a % b)));
                prop_assert_eq!(float::negate(Float::$float, x), known(-a));
                let compare = |operator| float::compare(operator, Float::$float, x, y);
                prop_assert_eq!(compare(Operator::Eq), a == b);
                prop_assert_eq!(compare(Operator::Ne), a != b);
                prop_assert_eq!(compare(Operator::Lt), a < b);
                prop_assert_eq!(compare(Operator::Le), a <= b);
                prop_assert_eq!(compare(Operator::Gt), a > b);
                prop_assert_eq!(compare(Operator::Ge), a >= b);
                let one = |which| float::unary(which, Float::$float, x);
                prop_assert_eq!(one(Intrinsic::SquareRoot), Some(known(a.sqrt())));
                prop_assert_eq!(one(Intrinsic::Floor), Some(known(a.floor())));
                prop_assert_eq!(one(Intrinsic::Ceil), Some(known(a.ceil())));
                prop_assert_eq!(one(Intrinsic::Truncate), Some(known(a.trunc())));
                prop_assert_eq!(one(Intrinsic::RoundTiesEven), Some(known(a.round_ties_even())));
                prop_assert_eq!(one(Intrinsic::Absolute), Some(known(a.abs())));
                let signed = (!b.is_nan()).then(|| known(a.copysign(b)));
                prop_assert_eq!(float::copy_sign(Float::$float, x, y), signed);
                let fused = float::multiply_add(Float::$float, x, y, z);
                prop_assert_eq!(fused, known(a.mul_add(b, c)));
            }
        }
    };
}

against!(f32_arithmetic_agrees_with_rust, F32, f32);
against!(f64_arithmetic_agrees_with_rust, F64, f64);

/// The interpreter's result of a cast.
fn cast(from: TypeId, to: TypeId, bits: u128) -> Result<u128, super::super::Undefined> {
    let types = Types::new();
    compute::cast(&types, Value::Bits(bits), from, to)?.bits()
}

fn int(signed: bool, width: Width) -> TypeId {
    Types::new().int(Int { signed, width })
}

/// Casts from a type to all integers and floats.
macro_rules! casts {
    ($($name:ident, $from:ty, $unsigned:ty, $of:expr;)*) => {
        proptest! {
            $(
                #[test]
                fn $name(bits in edges()) {
                    let value = bits as $from;
                    let of = |to| cast($of, to, value as $unsigned as u128);
                    prop_assert_eq!(of(int(false, Width::W8)), Ok(value as u8 as u128));
                    prop_assert_eq!(of(int(true, Width::W8)), Ok(value as i8 as u8 as u128));
                    prop_assert_eq!(of(int(false, Width::W16)), Ok(value as u16 as u128));
                    prop_assert_eq!(of(int(true, Width::W16)), Ok(value as i16 as u16 as u128));
                    prop_assert_eq!(of(int(false, Width::W32)), Ok(value as u32 as u128));
                    prop_assert_eq!(of(int(true, Width::W32)), Ok(value as i32 as u32 as u128));
                    prop_assert_eq!(of(int(false, Width::W64)), Ok(value as u64 as u128));
                    prop_assert_eq!(of(int(true, Width::W64)), Ok(value as i64 as u64 as u128));
                    prop_assert_eq!(of(int(false, Width::W128)), Ok(value as u128));
                    prop_assert_eq!(of(int(true, Width::W128)), Ok(value as i128 as u128));
                    prop_assert_eq!(of(Types::USIZE), Ok(value as usize as u128));
                    prop_assert_eq!(of(Types::ISIZE), Ok(value as isize as usize as u128));
                    prop_assert_eq!(of(Types::F32), Ok((value as f32).to_bits().into()));
                    prop_assert_eq!(of(Types::F64), Ok((value as f64).to_bits().into()));
                }
            )*
        }
    };
}

casts! {
    casts_of_u8_agree_with_rust, u8, u8, Types::U8;
    casts_of_i8_agree_with_rust, i8, u8, int(true, Width::W8);
    casts_of_u16_agree_with_rust, u16, u16, int(false, Width::W16);
    casts_of_i16_agree_with_rust, i16, u16, int(true, Width::W16);
    casts_of_u32_agree_with_rust, u32, u32, Types::U32;
    casts_of_i32_agree_with_rust, i32, u32, Types::I32;
    casts_of_u64_agree_with_rust, u64, u64, Types::U64;
    casts_of_i64_agree_with_rust, i64, u64, int(true, Width::W64);
    casts_of_u128_agree_with_rust, u128, u128, int(false, Width::W128);
    casts_of_i128_agree_with_rust, i128, u128, int(true, Width::W128);
    casts_of_usize_agree_with_rust, usize, usize, Types::USIZE;
    casts_of_isize_agree_with_rust, isize, usize, Types::ISIZE;
}

proptest! {
    #[test]
    fn casts_of_bool_and_char_agree_with_rust(flag in any::<bool>(), symbol in any::<char>()) {
        for of in Types::new().all().filter(|of| Types::new().as_int(*of).is_some()) {
            let width = Types::new().as_int(of).map_or(0, Int::bits);
            prop_assert_eq!(cast(Types::BOOL, of, flag.into()), Ok(u128::from(flag)));
            let code = scalar::truncate(u128::from(symbol as u32), width);
            prop_assert_eq!(cast(Types::CHAR, of, u128::from(symbol as u32)), Ok(code));
        }
        let byte = symbol as u32 as u8;
        prop_assert_eq!(cast(Types::U8, Types::CHAR, byte.into()), Ok(u128::from(byte as char as u32)));
    }
}
