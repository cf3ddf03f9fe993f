//! Integer arithmetic and casts, compared with Rust's own operators.

use proptest::prelude::*;

use crate::intrinsic::Intrinsic;
use crate::program::Operator;
use crate::types::{Float, Int, Kind, Width};
use crate::{float, scalar};

/// Edge cases and random numbers.
pub(super) fn edges() -> impl Strategy<Value = u128> {
    let low = prop_oneof![Just(0u128), Just(1), Just(2), Just(u128::MAX), Just(u128::MAX - 1)];
    let power = (0..128u32, -1i128..=1)
        .prop_map(|(exponent, by)| (1u128 << exponent).wrapping_add(by.cast_unsigned()));
    prop_oneof![low, power, any::<u128>(), any::<u8>().prop_map(u128::from)]
}

macro_rules! against {
    ($name:ident, $type:ty, $unsigned:ty, $signed:expr, $width:ident) => {
        proptest! {
            #[test]
            fn $name(left in edges(), right in edges(), amount in any::<u32>()) {
                let int = Int { signed: $signed, width: Width::$width };
                let (a, b) = (left as $type, right as $type);
                let bits = |value: $type| value as $unsigned as u128;
                let (x, y) = (bits(a), bits(b));
                let of = |operator| scalar::arithmetic(operator, int, x, y);
                let pair = |(value, wrapped): ($type, bool)| Some((bits(value), wrapped));
                prop_assert_eq!(of(Operator::Add), pair(a.overflowing_add(b)));
                prop_assert_eq!(of(Operator::Sub), pair(a.overflowing_sub(b)));
                prop_assert_eq!(of(Operator::Mul), pair(a.overflowing_mul(b)));
                prop_assert_eq!(of(Operator::BitXor), pair((a ^ b, false)));
                prop_assert_eq!(of(Operator::BitAnd), pair((a & b, false)));
                prop_assert_eq!(of(Operator::BitOr), pair((a | b, false)));
                let exact = |value: $type| (bits(value), false);
                prop_assert_eq!(of(Operator::Div), a.checked_div(b).map(exact));
                prop_assert_eq!(of(Operator::Rem), a.checked_rem(b).map(exact));
                let shift = |operator| scalar::shift(operator, int, x, amount.into());
                prop_assert_eq!(shift(Operator::Shl), bits(a.wrapping_shl(amount)));
                prop_assert_eq!(shift(Operator::Shr), bits(a.wrapping_shr(amount)));
                let compare = |operator, y| scalar::compare(operator, &Kind::Int(int), x, y);
                prop_assert_eq!(compare(Operator::Eq, y), a == b);
                prop_assert_eq!(compare(Operator::Ne, y), a != b);
                prop_assert_eq!(compare(Operator::Lt, y), a < b);
                prop_assert_eq!(compare(Operator::Le, y), a <= b);
                prop_assert_eq!(compare(Operator::Gt, y), a > b);
                prop_assert_eq!(compare(Operator::Ge, y), a >= b);
                prop_assert!(compare(Operator::Eq, x) && compare(Operator::Le, x));
                prop_assert!(!compare(Operator::Ne, x) && !compare(Operator::Lt, x));
                let two = |which| scalar::binary(which, int, x, y);
                prop_assert_eq!(two(Intrinsic::SaturatingAdd), Some(bits(a.saturating_add(b))));
                prop_assert_eq!(two(Intrinsic::SaturatingSub), Some(bits(a.saturating_sub(b))));
                prop_assert_eq!(two(Intrinsic::UncheckedMul), a.checked_mul(b).map(bits));
                prop_assert_eq!(two(Intrinsic::UncheckedAdd), a.checked_add(b).map(bits));
                prop_assert_eq!(two(Intrinsic::UncheckedSub), a.checked_sub(b).map(bits));
                prop_assert_eq!(two(Intrinsic::UncheckedDiv), a.checked_div(b).map(bits));
                prop_assert_eq!(two(Intrinsic::UncheckedRem), a.checked_rem(b).map(bits));
                let exact = a.checked_div(b).filter(|_| a.checked_rem(b) == Some(0));
                prop_assert_eq!(two(Intrinsic::ExactDiv), exact.map(bits));
                let disjoint = (a & b == 0).then_some(a | b);
                prop_assert_eq!(two(Intrinsic::DisjointBitOr), disjoint.map(bits));
                let disjoint = scalar::binary(Intrinsic::DisjointBitOr, int, x, bits(b & !a));
                prop_assert_eq!(disjoint, Some(bits(a | b)));
                for amount in [amount, amount % 130] {
                    let by = |which| scalar::binary(which, int, x, amount.into());
                    let (left, right) = (a.checked_shl(amount), a.checked_shr(amount));
                    prop_assert_eq!(by(Intrinsic::UncheckedShl), left.map(bits));
                    prop_assert_eq!(by(Intrinsic::UncheckedShr), right.map(bits));
                }
                let rotate = |which| scalar::binary(which, int, x, amount.into());
                prop_assert_eq!(rotate(Intrinsic::RotateLeft), Some(bits(a.rotate_left(amount))));
                prop_assert_eq!(rotate(Intrinsic::RotateRight), Some(bits(a.rotate_right(amount))));
                let one = |which| scalar::unary(which, int, x);
                prop_assert_eq!(one(Intrinsic::ByteSwap), Some(bits(a.swap_bytes())));
                prop_assert_eq!(one(Intrinsic::BitReverse), Some(bits(a.reverse_bits())));
                prop_assert_eq!(one(Intrinsic::CountOnes), Some(a.count_ones().into()));
                prop_assert_eq!(one(Intrinsic::LeadingZeros), Some(a.leading_zeros().into()));
                prop_assert_eq!(one(Intrinsic::TrailingZeros), Some(a.trailing_zeros().into()));

                let single = f32::from_bits(right as u32);
                let double = f64::from_bits(right as u64);
                let known = |float, bits: u128| (!float::is_nan(float, bits)).then_some(bits);
                let (s, d) = (
                    known(Float::F32, single.to_bits().into()),
                    known(Float::F64, double.to_bits().into()),
                );
                let to = float::to_int_saturating;
                prop_assert_eq!(to(Float::F32, int, s), bits(single as $type));
                prop_assert_eq!(to(Float::F64, int, d), bits(double as $type));
                let from = |to| float::from_int(int, to, x);
                prop_assert_eq!(from(Float::F32), Some((a as f32).to_bits().into()));
                prop_assert_eq!(from(Float::F64), Some((a as f64).to_bits().into()));
            }
        }
    };
}

against!(u8_arithmetic_agrees_with_rust, u8, u8, false, W8);
against!(u16_arithmetic_agrees_with_rust, u16, u16, false, W16);
against!(u32_arithmetic_agrees_with_rust, u32, u32, false, W32);
against!(u64_arithmetic_agrees_with_rust, u64, u64, false, W64);
against!(u128_arithmetic_agrees_with_rust, u128, u128, false, W128);
against!(i8_arithmetic_agrees_with_rust, i8, u8, true, W8);
against!(i16_arithmetic_agrees_with_rust, i16, u16, true, W16);
against!(i32_arithmetic_agrees_with_rust, i32, u32, true, W32);
against!(i64_arithmetic_agrees_with_rust, i64, u64, true, W64);
against!(i128_arithmetic_agrees_with_rust, i128, u128, true, W128);
against!(usize_arithmetic_agrees_with_rust, usize, usize, false, Size);
against!(isize_arithmetic_agrees_with_rust, isize, usize, true, Size);

proptest! {
    #[test]
    fn float_to_float_casts_agree_with_rust(left in edges(), right in edges()) {
        let a = f32::from_bits(left as u32);
        let known = |value: f32| (!value.is_nan()).then_some(u128::from(value.to_bits()));
        let d = f64::from_bits(right as u64);
        let wide = (!d.is_nan()).then_some(u128::from(d.to_bits()));
        prop_assert_eq!(float::convert(Float::F64, Float::F32, wide), known(d as f32));
        let exact = known(a).map(|_| u128::from(f64::from(a).to_bits()));
        prop_assert_eq!(float::convert(Float::F32, Float::F64, known(a)), exact);
    }
}
