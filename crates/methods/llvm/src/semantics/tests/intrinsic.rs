//! Integer intrinsics of the table against formulas in plain arithmetic.

use super::*;
use crate::semantics::{Intrinsic, Reduction};

/// The value and, for overflows, the second result.
fn expected(intrinsic: Intrinsic, a: Bits, b: Bits, c: Bits) -> Option<(Expected, bool)> {
    let width = a.width;
    let (x, y, s, t) = (a.value, b.value, a.signed(), b.signed());
    let flag = y & 1 == 1;
    let value = |value: u128| Expected::Value(Bits::new(value, width).value);
    let or_poison = |poison: bool, it: u128| if poison { Expected::Poison } else { value(it) };
    let signed = |exact: Option<i128>, negative: bool| {
        let limit = if negative { 1 << (width - 1) } else { !(1_u128 << (width - 1)) };
        value(if fits_signed(exact, width) { exact.unwrap() as u128 } else { limit })
    };
    let unsigned = |exact: Option<u128>, limit: u128| {
        value(if fits_unsigned(exact, width) { exact.unwrap() } else { limit })
    };
    let funnel = |left: bool| {
        let amount = (c.value % u128::from(width)) as u32;
        let mut bits: Vec<bool> = (0..width).map(|bit| y >> bit & 1 == 1).collect();
        bits.extend((0..width).map(|bit| x >> bit & 1 == 1));
        let low = if left { width - amount } else { amount };
        let low = if left && amount == 0 { width } else { low };
        let taken = &bits[low as usize..(low + width) as usize];
        taken.iter().rev().fold(0, |sum, bit| sum << 1 | u128::from(*bit))
    };
    let exact_sum = (s.checked_add(t), x.checked_add(y));
    let exact_difference = (s.checked_sub(t), x.checked_sub(y));
    let exact_product = (s.checked_mul(t), x.checked_mul(y));
    let simple = match intrinsic {
        Intrinsic::Abs => or_poison(flag && x == 1 << (width - 1), s.wrapping_abs() as u128),
        Intrinsic::SMax => value(s.max(t) as u128),
        Intrinsic::SMin => value(s.min(t) as u128),
        Intrinsic::UMax => value(x.max(y)),
        Intrinsic::UMin => value(x.min(y)),
        Intrinsic::SCmp => value((s.cmp(&t) as i128) as u128),
        Intrinsic::UCmp => value((x.cmp(&y) as i128) as u128),
        Intrinsic::CtPop => value(u128::from(x.count_ones())),
        Intrinsic::CtLz => or_poison(flag && x == 0, u128::from(x.leading_zeros() - (128 - width))),
        Intrinsic::CtTz => or_poison(flag && x == 0, u128::from(x.trailing_zeros().min(width))),
        Intrinsic::BSwap if width.is_multiple_of(16) => value(x.swap_bytes() >> (128 - width)),
        Intrinsic::BSwap => return None,
        Intrinsic::BitReverse => value(x.reverse_bits() >> (128 - width)),
        Intrinsic::FShl => value(funnel(true)),
        Intrinsic::FShr => value(funnel(false)),
        Intrinsic::SAddSat => signed(exact_sum.0, s < 0),
        Intrinsic::UAddSat => unsigned(exact_sum.1, u128::MAX),
        Intrinsic::SSubSat => signed(exact_difference.0, s < 0),
        Intrinsic::USubSat => unsigned(exact_difference.1, 0),
        Intrinsic::SShlSat | Intrinsic::UShlSat if y >= u128::from(width) => Expected::Poison,
        Intrinsic::SShlSat => {
            let kept = s << y >> y == s;
            signed(kept.then(|| s << y), s < 0)
        }
        Intrinsic::UShlSat => {
            let kept = x << y >> y == x;
            unsigned(kept.then(|| x << y), u128::MAX)
        }
        Intrinsic::SAddOverflow => {
            return Some((value(x.wrapping_add(y)), !fits_signed(exact_sum.0, width)));
        }
        Intrinsic::UAddOverflow => {
            return Some((value(x.wrapping_add(y)), !fits_unsigned(exact_sum.1, width)));
        }
        Intrinsic::SSubOverflow => {
            return Some((value(x.wrapping_sub(y)), !fits_signed(exact_difference.0, width)));
        }
        Intrinsic::USubOverflow => {
            return Some((value(x.wrapping_sub(y)), !fits_unsigned(exact_difference.1, width)));
        }
        Intrinsic::SMulOverflow => {
            return Some((value(x.wrapping_mul(y)), !fits_signed(exact_product.0, width)));
        }
        Intrinsic::UMulOverflow => {
            return Some((value(x.wrapping_mul(y)), !fits_unsigned(exact_product.1, width)));
        }
    };
    Some((simple, false))
}

#[test]
fn intrinsics_agree_with_plain_formulas() {
    let mut entropy = Entropy::keyed(8);
    for intrinsic in Intrinsic::ALL {
        pairs(|a, b| {
            // The results of three-way comparisons have at least two bits.
            if a.width == 1 && matches!(intrinsic, Intrinsic::SCmp | Intrinsic::UCmp) {
                return;
            }
            let c = number(&mut entropy, a.width);
            let second = if intrinsic.is_flag(1) { Bits::new(b.value, 1) } else { b };
            let arguments = &[a, second, c][..intrinsic.operands()];
            let answer = intrinsic.apply(&mut concrete(), arguments, a.width);
            let seen = answer.map(|it| (seen(it.effect), it.overflow.unwrap_or(false)));
            assert_eq!(seen, expected(*intrinsic, a, b, c), "{intrinsic:?} {a:?} {b:?} {c:?}");
        });
    }
}

#[test]
fn intrinsics_are_found_by_name() {
    for intrinsic in Intrinsic::ALL {
        for suffix in ["i8", "v4i32"] {
            let name = format!("{}.{suffix}", intrinsic.name());
            assert_eq!(Intrinsic::of(&name), Some(*intrinsic), "{name}");
        }
    }
    // LLVM reads names without the suffix, and adds it.
    assert_eq!(Intrinsic::of("llvm.smax"), Some(Intrinsic::SMax));
    assert_eq!(Intrinsic::of("llvm.smaximal.i8"), None);
    assert_eq!(Intrinsic::of("smax"), None);
    assert!(Reduction::of("llvm.vector.reduce.umax.v4i32").is_some());
    assert_eq!(Reduction::of("llvm.vector.reduce.fadd.v4f32"), None);
}
