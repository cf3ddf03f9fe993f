//! The table against plain formulas over 128-bit integers: exhaustively at 4 bits, at random at others.

mod integer;
mod intrinsic;
mod lanes;

use super::{Bits, Concrete, Effect};
use forge::Entropy;

/// What a reference formula says: a number, poison or undefined behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expected {
    Value(u128),
    Poison,
    Undefined,
}

fn seen(effect: Effect<Bits, bool>) -> Expected {
    match effect {
        Effect { undefined: true, .. } => Expected::Undefined,
        Effect { poison: true, .. } => Expected::Poison,
        Effect { value, .. } => Expected::Value(value.value),
    }
}

/// All pairs of 4 bits, and pairs of other widths that have every edge and random numbers.
fn pairs(mut check: impl FnMut(Bits, Bits)) {
    for a in 0..16 {
        for b in 0..16 {
            check(Bits::new(a, 4), Bits::new(b, 4));
        }
    }
    let mut entropy = Entropy::keyed(7);
    for width in [1, 8, 33, 64, 128] {
        for _ in 0..300 {
            let (a, b) = (number(&mut entropy, width), number(&mut entropy, width));
            check(a, b);
        }
    }
}

fn number(entropy: &mut Entropy, width: u32) -> Bits {
    let random = u128::from(entropy.word()) << 64 | u128::from(entropy.word());
    let value = match entropy.below(8) {
        0 => 0,
        1 => 1,
        2 => u128::MAX,
        3 => 1 << (width - 1),
        4 => !(1 << (width - 1)),
        5 => random % u128::from(2 * width),
        6 => random >> entropy.below(128),
        _ => random,
    };
    Bits::new(value, width)
}

/// Whether the exact signed (unsigned) result fits.
fn fits_signed(exact: Option<i128>, width: u32) -> bool {
    exact.is_some_and(|exact| Bits::new(exact as u128, width).signed() == exact)
}

fn fits_unsigned(exact: Option<u128>, width: u32) -> bool {
    exact.is_some_and(|exact| Bits::new(exact, width).value == exact)
}

fn concrete() -> Concrete {
    Concrete
}
