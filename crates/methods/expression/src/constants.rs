//! Constants for programs and for their inputs: any, wide ones, and those that are special to one operator.

use num_bigint::{BigInt, Sign};

use forge::Entropy;
use identity::apply;
use identity::kernel::Op;
use identity::valuations::FIELDS;

use Own::{Bits, Bytes, Half, High, Lane, Lanes, Least, Most, Number, Power};

/// The values that every program is called with: 0, 1, −1, the least and the greatest signed number.
pub(super) fn extremes(width: u16) -> [BigInt; 5] {
    let half = BigInt::from(1) << (width - 1);
    [BigInt::ZERO, BigInt::from(1), &half * 2 - 1, half.clone(), half - 1]
}

/// A value of a width: one that rules and compilers treat specially, the prime of a field or a neighbour of it, or any.
pub(super) fn draw(entropy: &mut Entropy, width: u16) -> BigInt {
    let modulus = BigInt::from(1) << width;
    match entropy.below(10) {
        0 if width >= 64 => {
            let field = entropy.pick(&FIELDS).copied().unwrap_or_default();
            (integer(&field) + entropy.below(3) + &modulus - 1_u32) % modulus
        }
        1 | 2 => {
            let limbs: [u64; 9] = std::array::from_fn(|_| entropy.word());
            integer(&limbs) % modulus
        }
        // The number of significant bits is drawn, so that all magnitudes occur.
        3 | 4 => {
            let bits = entropy.between(1, u64::from(width));
            let limbs: [u64; 9] = std::array::from_fn(|_| entropy.word());
            integer(&limbs) % (BigInt::from(1) << bits)
        }
        _ => apply::number(entropy, width),
    }
}

/// A number with more than half of the bits of a width: dividing by it takes more than one step of a long division by half
/// words.
pub(super) fn long(entropy: &mut Entropy, width: u16) -> BigInt {
    let (half, modulus) = (u64::from(width / 2), BigInt::from(1) << width);
    let value = match entropy.below(6) {
        0 if width >= 256 => integer(&entropy.pick(&FIELDS).copied().unwrap_or_default()),
        0 | 1 => (BigInt::from(1) << entropy.between(half, u64::from(width) - 1)) + 1,
        2 => BigInt::from(1) << entropy.between(half, u64::from(width) - 1),
        3 => &modulus - entropy.between(1, 3),
        4 => &modulus / 2 - entropy.below(2),
        _ => {
            let limbs: [u64; 9] = std::array::from_fn(|_| entropy.word());
            let bits = entropy.between(half + 1, u64::from(width));
            (integer(&limbs) % (BigInt::from(1) << bits)) | (BigInt::from(1) << (bits - 1))
        }
    };
    value % modulus
}

fn integer(limbs: &[u64]) -> BigInt {
    let digits: Vec<u32> =
        limbs.iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect();
    BigInt::from_slice(Sign::Plus, &digits)
}

/// Constants that are special to an operator, as one of its operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Own {
    /// A number, with its sign.
    Number(i8),
    /// The least and the greatest signed number.
    Least,
    Most,
    /// The number of bits or bytes of the word, plus this.
    Bits(i8),
    Bytes(i8),
    /// 2^k plus this, and the complement of 2^k − 1.
    Power(i8),
    High,
    /// Every second byte is set, or one byte is.
    Lanes,
    Lane,
    /// The first number with more than half of the bits.
    Half,
}

/// By operators and operand: identity elements, absorbing elements, and constants for which optimisers replace the operator
/// by another one.
const OWN: &[(&[Op], usize, &[Own])] = &[
    (SUMS, 0, &[Number(0), Number(1), Number(-1), Least, Most]),
    (SUMS, 1, &[Number(0), Number(1), Number(-1), Least, Most]),
    (&[Op::Mul], 0, &[Number(0), Number(1), Number(-1), Least, Power(0), Power(1), Power(-1)]),
    (&[Op::Mul], 1, &[Number(0), Number(1), Number(-1), Least, Power(0), Power(1), Power(-1)]),
    (MASKS, 0, &[Number(0), Number(-1), Power(0), Power(-1), High, Lanes, Lane, Least, Most]),
    (MASKS, 1, &[Number(0), Number(-1), Power(0), Power(-1), High, Lanes, Lane, Least, Most]),
    (SHIFTS, 0, &[Number(0), Number(1), Number(-1), Least, Most]),
    (SHIFTS, 1, &[Number(0), Number(1), Bits(-1), Bits(0), Bits(1), Bytes(0), Bytes(-1)]),
    (DIVISIONS, 0, &[Number(0), Number(1), Number(-1), Least, Most]),
    (DIVISIONS, 1, &[Number(1), Number(-1), Least, Most, Power(0), Power(-1), Bits(0), Bytes(0)]),
    (COMPARISONS, 0, &[Number(0), Number(1), Number(-1), Least, Most]),
    (COMPARISONS, 1, &[Number(0), Number(1), Number(-1), Least, Most]),
    (EXTREMES, 0, &[Number(0), Number(-1), Least, Most]),
    (EXTREMES, 1, &[Number(0), Number(-1), Least, Most]),
    (&[Op::Byte], 0, &[Number(0), Bytes(-1), Bytes(0)]),
    (&[Op::Byte], 1, &[Number(-1), Power(0), Least]),
    (&[Op::Exp], 0, &[Number(0), Number(1), Number(2), Number(-1)]),
    (&[Op::Exp], 1, &[Number(0), Number(1), Number(2), Bits(-1), Bits(0)]),
    (MODULAR, 0, &[Number(0), Number(1), Number(-1), Least]),
    (MODULAR, 1, &[Number(0), Number(1), Number(-1), Least]),
    (MODULAR, 2, &[Number(1), Number(-1), Least, Half]),
];

const SUMS: &[Op] = &[Op::Add, Op::Sub];
const MASKS: &[Op] = &[Op::And, Op::Or, Op::Xor];
const SHIFTS: &[Op] = &[Op::Shl, Op::Lshr, Op::Ashr, Op::Rotl, Op::Rotr];
const DIVISIONS: &[Op] = &[Op::Udiv, Op::Urem, Op::Sdiv, Op::Srem, Op::Fdiv, Op::Fmod];
const COMPARISONS: &[Op] =
    &[Op::Eq, Op::Ne, Op::Ult, Op::Ule, Op::Ugt, Op::Uge, Op::Slt, Op::Sle, Op::Sgt, Op::Sge];
const EXTREMES: &[Op] = &[Op::Umin, Op::Umax, Op::Smin, Op::Smax];
const MODULAR: &[Op] = &[Op::Addmod, Op::Mulmod];

/// A constant that is special to an operator as its n-th operand; nothing if there is none.
pub(super) fn own(entropy: &mut Entropy, op: Op, n: usize, width: u16) -> Option<BigInt> {
    let (_, _, all) = OWN.iter().find(|(ops, at, _)| ops.contains(&op) && *at == n)?;
    let own = *entropy.pick(all)?;
    Some(own.draw(entropy, width))
}

impl Own {
    /// The value; the exponent of a power and the position of a byte are drawn.
    fn draw(self, entropy: &mut Entropy, width: u16) -> BigInt {
        let one = || BigInt::from(1);
        let modulus = one() << width;
        let least = one() << (width - 1);
        let bytes = u64::from(width / 8).max(1);
        let byte = BigInt::from(255);
        let value = match self {
            Number(value) => BigInt::from(value),
            Least => least,
            Most => least - 1,
            Bits(more) => BigInt::from(width) + more,
            Bytes(more) => BigInt::from(bytes) + more,
            Power(more) => (one() << entropy.below(u64::from(width))) + more,
            High => &modulus - (one() << entropy.below(u64::from(width))),
            Lane => byte << (8 * entropy.below(bytes)),
            Lanes => (0..bytes.div_ceil(2)).map(|lane| &byte << (16 * lane)).sum(),
            Half => one() << (width / 2),
        };
        ((value % &modulus) + &modulus) % modulus
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::width;
    use crate::{Expression, languages};
    use forge::Ticket;
    use std::collections::BTreeSet;

    /// Each operator occurs with half of its special constants as each operand, and each group of operators with all.
    #[test]
    fn operators_are_drawn_with_their_special_constants() {
        let mut seen: BTreeSet<(Op, usize, usize)> = BTreeSet::new();
        for language in ["solidity", "yul", "rust", "zig", "wasm", "tolk"] {
            let dialect = languages::of(language).unwrap();
            let method = Expression::new(dialect);
            for index in 0..1_200 {
                let Some(pair) = method.grow(&Ticket::new(dialect.name, 9, index)) else {
                    continue;
                };
                for term in pair.terms.in_order(&pair.base.sites()) {
                    let node = pair.terms.node(term);
                    for (n, &arg) in node.args().iter().enumerate() {
                        let Some(value) = pair.terms.literal_value(arg) else { continue };
                        let own =
                            OWN.iter().find(|(ops, at, _)| ops.contains(&node.op) && *at == n);
                        let Some((_, _, all)) = own else { continue };
                        for (which, own) in all.iter().enumerate() {
                            if own.is(value, width(&pair.terms, arg)) {
                                seen.insert((node.op, n, which));
                            }
                        }
                    }
                }
            }
        }
        let mut missing = vec![];
        for (ops, n, all) in OWN {
            let count = |op: Op| (0..all.len()).filter(|&it| seen.contains(&(op, *n, it))).count();
            missing.extend(
                ops.iter().filter(|&&op| count(op) * 2 < all.len()).map(|op| format!("{op:?} {n}")),
            );
            for (which, own) in all.iter().enumerate() {
                if !ops.iter().any(|&op| seen.contains(&(op, *n, which))) {
                    missing.push(format!("{own:?} of {ops:?}, operand {n}"));
                }
            }
        }
        assert!(missing.is_empty(), "never drawn: {missing:?}");
    }

    impl Own {
        /// Whether a value is one of these.
        fn is(self, value: &BigInt, width: u16) -> bool {
            let mut entropy = Entropy::of(&Ticket::new("own", 1, 1));
            (0..64).any(|_| self.draw(&mut entropy, width) == *value)
        }
    }
}
