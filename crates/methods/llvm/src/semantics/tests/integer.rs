//! Integer operators, comparisons and casts of the table against formulas in plain arithmetic.

use super::*;
use crate::ir::{BinaryOp, CastOp, Flags, Predicate};
use crate::semantics::{binary, cast, compare};

const COMBINATIONS: [Flags; 4] = [Flags::NONE, Flags::NUW, Flags::NSW, Flags::EXACT];

fn expected(op: BinaryOp, flags: Flags, a: Bits, b: Bits) -> Expected {
    let width = a.width;
    let (x, y, s, t) = (a.value, b.value, a.signed(), b.signed());
    let wraps = |unsigned: Option<u128>, signed: Option<i128>| {
        flags.has(Flags::NUW) && !fits_unsigned(unsigned, width)
            || flags.has(Flags::NSW) && !fits_signed(signed, width)
    };
    let exact = flags.has(Flags::EXACT);
    let value = |value: u128| Expected::Value(Bits::new(value, width).value);
    let or_poison = |poison: bool, it: u128| if poison { Expected::Poison } else { value(it) };
    let far = y >= u128::from(width);
    match op {
        BinaryOp::Add => or_poison(wraps(x.checked_add(y), s.checked_add(t)), x.wrapping_add(y)),
        BinaryOp::Sub => or_poison(wraps(x.checked_sub(y), s.checked_sub(t)), x.wrapping_sub(y)),
        BinaryOp::Mul => or_poison(wraps(x.checked_mul(y), s.checked_mul(t)), x.wrapping_mul(y)),
        BinaryOp::UDiv | BinaryOp::URem if y == 0 => Expected::Undefined,
        BinaryOp::SDiv | BinaryOp::SRem if t == 0 => Expected::Undefined,
        BinaryOp::SDiv | BinaryOp::SRem if !fits_signed(s.checked_div(t), width) => {
            Expected::Undefined
        }
        BinaryOp::UDiv => or_poison(exact && x % y != 0, x / y),
        BinaryOp::URem => value(x % y),
        BinaryOp::SDiv => or_poison(exact && s % t != 0, (s / t) as u128),
        BinaryOp::SRem => value((s % t) as u128),
        BinaryOp::Shl | BinaryOp::LShr | BinaryOp::AShr if far => Expected::Poison,
        BinaryOp::Shl => {
            let kept = Bits::new(x << y, width);
            let lost = flags.has(Flags::NUW) && kept.value >> y != x
                || flags.has(Flags::NSW) && kept.signed() >> y != s;
            or_poison(lost, kept.value)
        }
        BinaryOp::LShr => or_poison(exact && x >> y << y != x, x >> y),
        BinaryOp::AShr => or_poison(exact && x >> y << y != x, (s >> y) as u128),
        BinaryOp::And => value(x & y),
        BinaryOp::Or => or_poison(flags.has(Flags::DISJOINT) && x & y != 0, x | y),
        BinaryOp::Xor => value(x ^ y),
    }
}

#[test]
fn operators_agree_with_plain_formulas() {
    let mut combinations = COMBINATIONS.to_vec();
    combinations.extend([Flags::NUW | Flags::NSW, Flags::DISJOINT]);
    for op in BinaryOp::ALL {
        for flags in &combinations {
            pairs(|a, b| {
                let effect = binary(&mut concrete(), *op, *flags, &a, &b);
                let wanted = expected(*op, *flags, a, b);
                assert_eq!(seen(effect), wanted, "{op:?} {flags:?} {a:?} {b:?}");
            });
        }
    }
}

#[test]
fn comparisons_agree_with_plain_formulas() {
    for predicate in Predicate::ALL {
        pairs(|a, b| {
            let (x, y, s, t) = (a.value, b.value, a.signed(), b.signed());
            let holds = match predicate {
                Predicate::Eq => x == y,
                Predicate::Ne => x != y,
                Predicate::Ugt => x > y,
                Predicate::Uge => x >= y,
                Predicate::Ult => x < y,
                Predicate::Ule => x <= y,
                Predicate::Sgt => s > t,
                Predicate::Sge => s >= t,
                Predicate::Slt => s < t,
                Predicate::Sle => s <= t,
            };
            let plain = compare(&mut concrete(), *predicate, Flags::NONE, &a, &b);
            assert_eq!(seen(plain), Expected::Value(u128::from(holds)));
            let same = compare(&mut concrete(), *predicate, Flags::SAMESIGN, &a, &b);
            let differ = (s < 0) != (t < 0);
            assert_eq!(seen(same) == Expected::Poison, differ, "{predicate:?} {a:?} {b:?}");
        });
    }
}

#[test]
fn casts_agree_with_plain_formulas() {
    pairs(|a, _| {
        let wide = (a.width + 9).min(128);
        if wide > a.width {
            let zext = |flags| cast(&mut concrete(), CastOp::ZExt, flags, &a, wide).unwrap();
            assert_eq!(seen(zext(Flags::NONE)), Expected::Value(a.value));
            assert_eq!(seen(zext(Flags::NNEG)) == Expected::Poison, a.signed() < 0);
            let sext = cast(&mut concrete(), CastOp::SExt, Flags::NONE, &a, wide).unwrap();
            assert_eq!(sext.value.signed(), a.signed());
        }
        let short = a.width / 2;
        if short > 0 {
            let trunc = |flags| cast(&mut concrete(), CastOp::Trunc, flags, &a, short).unwrap();
            let kept = Bits::new(a.value, short);
            assert_eq!(seen(trunc(Flags::NONE)), Expected::Value(kept.value));
            assert_eq!(seen(trunc(Flags::NUW)) == Expected::Poison, kept.value != a.value);
            assert_eq!(seen(trunc(Flags::NSW)) == Expected::Poison, kept.signed() != a.signed());
        }
    });
    let a = Bits::new(1, 8);
    assert_eq!(cast(&mut concrete(), CastOp::PtrToInt, Flags::NONE, &a, 64), None);
}
