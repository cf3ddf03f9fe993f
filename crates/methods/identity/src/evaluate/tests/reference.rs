//! A reference implementation of every operator on integers, without regard to speed.

use num_bigint::BigInt;

use crate::evaluate::Outcome;
use crate::kernel::{Op, Overflow, OversizedShift, Semantics, ZeroDivision};

/// The operator under a semantics, on words of the widths `from`, with a result of width `to`.
pub(super) fn reference(
    op: Op,
    semantics: &Semantics,
    from: &[u16],
    to: u16,
    words: &[BigInt],
) -> Outcome {
    let signed: Vec<BigInt> =
        words.iter().zip(from).map(|(word, &width)| as_signed(word, width)).collect();
    let numbers = if semantics.signed { &signed } else { words };
    let value = |n: BigInt| Outcome::Value(modulo(&n, &two_to(to)));
    let flag = |holds: bool| Outcome::Value(BigInt::from(u8::from(holds)));
    let fitted = |exact: BigInt| fit(exact, semantics.signed, to, semantics.overflow);
    let bits = |word: &BigInt, width: u16| -> Vec<bool> {
        (0..u64::from(width)).map(|index| word.bit(index)).collect()
    };
    let number =
        |bits: &[bool]| bits.iter().rev().fold(BigInt::ZERO, |n, &bit| n * 2 + u8::from(bit));
    let counted = |count: usize| value(BigInt::from(count));
    match op {
        Op::Neg => fitted(-&numbers[0]),
        Op::Add => fitted(&numbers[0] + &numbers[1]),
        Op::Sub => fitted(&numbers[0] - &numbers[1]),
        Op::Mul => fitted(&numbers[0] * &numbers[1]),
        Op::Exp => power(semantics, to, &numbers[0], &words[1]),
        Op::Not => value(-&words[0] - 1),
        Op::And => value(words[0].clone() & &words[1]),
        Op::Or => value(words[0].clone() | &words[1]),
        Op::Xor => value(words[0].clone() ^ &words[1]),
        Op::Shl | Op::Lshr | Op::Ashr => shift(op, semantics, to, words, &signed, &numbers[0]),
        Op::Udiv | Op::Urem => divide(op, semantics, to, &words[0], &words[1]),
        Op::Sdiv | Op::Srem | Op::Fdiv | Op::Fmod => {
            divide(op, semantics, to, &signed[0], &signed[1])
        }
        Op::Ite => value(words[if words[0] == BigInt::ZERO { 2 } else { 1 }].clone()),
        Op::Zext => value(words[0].clone()),
        Op::Sext => value(signed[0].clone()),
        Op::Extract(low) => value(&words[0] >> low.as_fixed().unwrap()),
        Op::Concat => value(&words[0] * two_to(from[1]) + &words[1]),
        Op::Clz => counted(bits(&words[0], to).iter().rev().take_while(|bit| !**bit).count()),
        Op::Ctz => counted(bits(&words[0], to).iter().take_while(|bit| !**bit).count()),
        Op::Popcount => counted(bits(&words[0], to).iter().filter(|bit| **bit).count()),
        Op::Bswap => {
            let bits = bits(&words[0], to);
            let swapped: Vec<bool> = bits.chunks(8).rev().flatten().copied().collect();
            value(number(&swapped))
        }
        Op::Rotl | Op::Rotr => {
            let mut bits = bits(&words[0], to);
            let amount = u32::try_from(&words[1] % to).unwrap() as usize;
            if op == Op::Rotl {
                bits.rotate_right(amount);
            } else {
                bits.rotate_left(amount);
            }
            value(number(&bits))
        }
        Op::Eq | Op::Same => flag(words[0] == words[1]),
        Op::Ne => flag(words[0] != words[1]),
        Op::Ult | Op::Below => flag(words[0] < words[1]),
        Op::Ule => flag(words[0] <= words[1]),
        Op::Ugt => flag(words[0] > words[1]),
        Op::Uge => flag(words[0] >= words[1]),
        Op::Slt | Op::SignedBelow => flag(signed[0] < signed[1]),
        Op::Sle => flag(signed[0] <= signed[1]),
        Op::Sgt => flag(signed[0] > signed[1]),
        Op::Sge => flag(signed[0] >= signed[1]),
        Op::Umin => value(words[0].clone().min(words[1].clone())),
        Op::Umax => value(words[0].clone().max(words[1].clone())),
        Op::Smin => value(signed[0].clone().min(signed[1].clone())),
        Op::Smax => value(signed[0].clone().max(signed[1].clone())),
        Op::Byte => {
            let bits = bits(&words[1], to);
            let bytes: Vec<&[bool]> = bits.chunks(8).rev().collect();
            let index = usize::try_from(&words[0]).ok();
            let byte = index.and_then(|index| bytes.get(index).copied());
            value(byte.map_or(BigInt::ZERO, number))
        }
        Op::Addmod => rest(semantics, to, &words[0] + &words[1], &words[2]),
        Op::Mulmod => rest(semantics, to, &words[0] * &words[1], &words[2]),
        Op::IsPower | Op::Power => {
            flag((0..u32::from(from[0])).any(|n| words[0] == BigInt::from(1) << n))
        }
        Op::MulOverflows => flag(&words[0] * &words[1] >= two_to(from[0])),
        Op::SignedMulOverflows => {
            let product = &signed[0] * &signed[1];
            flag(product >= two_to(from[0] - 1) || product < -two_to(from[0] - 1))
        }
        Op::Variable(_) | Op::Literal(_) | Op::Bits(_) => panic!("a leaf has no operands"),
    }
}

fn two_to(width: u16) -> BigInt {
    BigInt::from(1) << width
}

fn modulo(n: &BigInt, modulus: &BigInt) -> BigInt {
    ((n % modulus) + modulus) % modulus
}

fn as_signed(word: &BigInt, width: u16) -> BigInt {
    if *word >= two_to(width - 1) { word - two_to(width) } else { word.clone() }
}

/// The exact result as a word, or the effect of the overflow rule if it is out of range.
fn fit(exact: BigInt, signed: bool, width: u16, rule: Overflow) -> Outcome {
    let (least, greatest) = if signed {
        (-two_to(width - 1), two_to(width - 1) - 1)
    } else {
        (BigInt::ZERO, two_to(width) - 1)
    };
    let fits = exact >= least && exact <= greatest;
    let result = match rule {
        _ if fits => exact,
        Overflow::Wraps => exact,
        Overflow::Saturates => exact.clamp(least, greatest),
        Overflow::Traps(trap) => return Outcome::Trap(trap),
        Overflow::Undefined => return Outcome::Undefined,
    };
    Outcome::Value(modulo(&result, &two_to(width)))
}

fn power(semantics: &Semantics, width: u16, base: &BigInt, exponent: &BigInt) -> Outcome {
    let modulus = two_to(width);
    if semantics.overflow == Overflow::Wraps || *exponent == BigInt::ZERO {
        return Outcome::Value(modulo(base, &modulus).modpow(exponent, &modulus));
    }
    let many = two_to(width.min(11));
    let mut times = exponent.clone();
    if times > many {
        times = &many + exponent % 2;
    }
    let mut product = base.clone();
    while times > BigInt::from(1) {
        match fit(product * base, semantics.signed, width, semantics.overflow) {
            Outcome::Value(word) if semantics.signed => product = as_signed(&word, width),
            Outcome::Value(word) => product = word,
            stop => return stop,
        }
        times -= 1;
    }
    Outcome::Value(modulo(&product, &modulus))
}

fn by_zero(semantics: &Semantics, width: u16, total: &BigInt) -> Outcome {
    match semantics.zero_division {
        ZeroDivision::Zero => Outcome::Value(BigInt::ZERO),
        ZeroDivision::SmtLib => Outcome::Value(modulo(total, &two_to(width))),
        ZeroDivision::Traps(trap) => Outcome::Trap(trap),
        ZeroDivision::Undefined => Outcome::Undefined,
    }
}

fn rest(semantics: &Semantics, width: u16, of: BigInt, modulus: &BigInt) -> Outcome {
    if *modulus == BigInt::ZERO {
        return by_zero(semantics, width, &of);
    }
    Outcome::Value(of % modulus)
}

fn divide(op: Op, semantics: &Semantics, width: u16, a: &BigInt, b: &BigInt) -> Outcome {
    if *b == BigInt::ZERO {
        let total = match op {
            // `Sdiv` follows SMT-LIB. SMT-LIB has no floor division; `Fdiv` follows from the
            // lowering.
            Op::Sdiv if *a < BigInt::ZERO => BigInt::from(1),
            Op::Fdiv if *a < BigInt::ZERO => BigInt::ZERO,
            Op::Udiv | Op::Sdiv | Op::Fdiv => BigInt::from(-1),
            _ => a.clone(),
        };
        return by_zero(semantics, width, &total);
    }
    let inexact = a % b != BigInt::ZERO;
    let opposite = (*a < BigInt::ZERO) != (*b < BigInt::ZERO);
    let quotient = match op {
        Op::Fdiv | Op::Fmod if inexact && opposite => a / b - 1,
        _ => a / b,
    };
    let remainder = a - &quotient * b;
    match op {
        Op::Udiv => Outcome::Value(quotient),
        Op::Urem => Outcome::Value(remainder),
        Op::Sdiv | Op::Fdiv => fit(quotient, true, width, semantics.quotient_overflow),
        _ if quotient == two_to(width - 1) => match semantics.remainder_overflow {
            Overflow::Traps(trap) => Outcome::Trap(trap),
            Overflow::Undefined => Outcome::Undefined,
            _ => Outcome::Value(remainder),
        },
        _ => Outcome::Value(modulo(&remainder, &two_to(width))),
    }
}

fn shift(
    op: Op,
    semantics: &Semantics,
    width: u16,
    words: &[BigInt],
    signed: &[BigInt],
    number: &BigInt,
) -> Outcome {
    let mut amount = words[1].clone();
    if amount >= BigInt::from(width) {
        match semantics.oversized_shift {
            OversizedShift::Fills => {}
            OversizedShift::Masks => amount %= width,
            OversizedShift::Traps(trap) => return Outcome::Trap(trap),
            OversizedShift::FillsBelow(limit, trap) => {
                if amount >= BigInt::from(limit) {
                    return Outcome::Trap(trap);
                }
            }
            OversizedShift::Undefined => return Outcome::Undefined,
        }
    }
    // Larger amounts give the same result as twice the width.
    let amount = u32::try_from(amount).unwrap_or(u32::MAX).min(2 * u32::from(width));
    match op {
        Op::Shl => fit(number << amount, semantics.signed, width, semantics.shift_overflow),
        Op::Lshr => Outcome::Value(&words[0] >> amount),
        _ => Outcome::Value(modulo(&(&signed[0] >> amount), &two_to(width))),
    }
}
