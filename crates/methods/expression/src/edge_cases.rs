//! The edge cases of an operator (overflow, a shift by the width, a divisor of zero), found by evaluation. Inputs are chosen by
//! which edge cases of a program they are the first to reach.

use std::collections::BTreeMap;

use super::no_wrap::NoWrap;
use super::run::divisor;
use identity::evaluate::{Sheet, Stop, Tape};
use identity::kernel::Op;
use identity::word::Word;

/// For each operator of a body the edge cases that were reached, one bit each.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct EdgeCases(Vec<u32>);

impl EdgeCases {
    /// How many of these are not in the others.
    pub(super) fn beyond(&self, others: &EdgeCases) -> u32 {
        let pairs = self.0.iter().enumerate();
        pairs.map(|(at, mask)| (mask & !others.0.get(at).unwrap_or(&0)).count_ones()).sum()
    }

    pub(super) fn join(&mut self, others: &EdgeCases) {
        if self.0.len() < others.0.len() {
            self.0.resize(others.0.len(), 0);
        }
        self.0.iter_mut().zip(&others.0).for_each(|(own, other)| *own |= other);
    }
}

/// The numbers of the operators of each site among all of a body.
#[derive(Clone, Default, Debug)]
pub(super) struct Places {
    first: BTreeMap<usize, usize>,
    count: usize,
}

impl Places {
    /// The number of the first operator of a site that has this many.
    pub(super) fn of(&mut self, site: usize, operators: usize) -> usize {
        let count = &mut self.count;
        *self.first.entry(site).or_insert_with(|| {
            *count += operators;
            *count - operators
        })
    }
}

#[derive(Clone, Copy, Debug)]
enum Edge {
    /// The result is zero, has its highest bit set, has all bits set, is anything else.
    Zero,
    High,
    Ones,
    Plain,
    /// The result of a sum, difference, product, power, negation, quotient or truncation overflows, as an unsigned and as
    /// a signed number. Of `addmod` and `mulmod`: the sum or product inside.
    Unsigned,
    Signed,
    /// A shift to the left overflows, as an unsigned and as a signed number.
    UnsignedShl,
    SignedShl,
    /// The shift amount is zero, one less than the width, the width, greater.
    ShiftByZero,
    ShiftByLast,
    ShiftByWidth,
    ShiftBeyond,
    /// The divisor or modulus is zero, one, greater than the dividend, longer than half of all bits, and the least number
    /// that is.
    ByZero,
    ByOne,
    ByGreater,
    ByLong,
    ByHalf,
    /// One operand of a modular sum or product is −1 modulo the modulus; both are.
    BelowModulus,
    BothBelowModulus,
    /// The quotient has a half of all ones: the digit at which long division guesses wrong.
    FullDigit,
    /// The operands are equal, or differ by one.
    Equal,
    Adjacent,
    /// The branch that an `Ite` takes.
    Then,
    Else,
    Traps,
    Undefined,
    /// A division with a remainder, or a shift to the right that loses bits.
    Inexact,
}

/// What the operator with this number does in none of these edge cases.
pub(super) fn no_wrap(edge_cases: &EdgeCases, place: usize) -> NoWrap {
    let mask = edge_cases.0.get(place).copied().unwrap_or(u32::MAX);
    let never = |all: &[Edge]| all.iter().all(|&edge| mask & (1 << edge as u32) == 0);
    NoWrap {
        unsigned: never(&[Edge::Unsigned, Edge::UnsignedShl]),
        signed: never(&[Edge::Signed, Edge::SignedShl]),
        exact: never(&[Edge::Inexact]),
    }
}

/// Adds the edge cases that a row of a sheet reaches. `first` is the number of the tape's first operator.
pub(super) fn gather<const N: usize>(
    first: usize,
    tape: &Tape,
    sheet: &Sheet<N>,
    row: usize,
    into: &mut EdgeCases,
) {
    let end = first + tape.instructions().len();
    if into.0.len() < end {
        into.0.resize(end, 0);
    }
    for (slot, instruction) in tape.instructions().iter().enumerate() {
        let mask = &mut into.0[first + slot];
        let mut add = |edge: Edge| *mask |= 1 << edge as u32;
        let column = sheet.column(slot as u32);
        match column.stop(row) {
            Some(Stop::Trap(_)) => add(Edge::Traps),
            Some(Stop::Undefined) => add(Edge::Undefined),
            None => {}
        }
        if matches!(instruction.op, Op::Literal(_)) {
            continue;
        }
        let bits = u32::from(instruction.width);
        let value = column.values[row];
        if column.stop(row).is_none() {
            add(match () {
                () if value.is_zero() => Edge::Zero,
                () if value == Word::mask(bits) => Edge::Ones,
                () if value.bit(bits - 1) => Edge::High,
                () => Edge::Plain,
            });
        }
        let operand = |n: usize| sheet.column(instruction.args[n]).values[row];
        let from = u32::from(instruction.from[0]);
        match instruction.op {
            Op::Add | Op::Sub | Op::Mul => {
                let (a, b) = (operand(0), operand(1));
                if overflows(instruction.op, a, b, bits) {
                    add(Edge::Unsigned);
                }
                if signed_overflows(instruction.op, a, b, bits) {
                    add(Edge::Signed);
                }
            }
            Op::Neg => {
                let a = operand(0);
                if !a.is_zero() {
                    add(Edge::Unsigned);
                }
                if a == Word::power(bits - 1) {
                    add(Edge::Signed);
                }
            }
            Op::Exp => {
                let (a, b) = (operand(0), operand(1));
                if exceeds(a, b, bits) {
                    add(Edge::Unsigned);
                }
                if exceeds(size(a, bits), b, bits - 1) {
                    add(Edge::Signed);
                }
            }
            Op::Extract(low) => {
                // The bits above the extracted ones, and whether they only repeat the sign.
                let kept = u32::from(low.as_fixed().unwrap_or(0)) + bits;
                let above = operand(0).shifted_right(kept.min(from));
                if !above.is_zero() {
                    add(Edge::Unsigned);
                }
                let sign = if value.bit(bits - 1) {
                    Word::mask(from.saturating_sub(kept))
                } else {
                    Word::small(0)
                };
                if above != sign {
                    add(Edge::Signed);
                }
            }
            Op::Shl | Op::Lshr | Op::Ashr | Op::Rotl | Op::Rotr => {
                let amount = operand(1);
                let within = !amount.is_zero() && amount < Word::small(u64::from(bits));
                if matches!(instruction.op, Op::Lshr | Op::Ashr) && !amount.is_zero() {
                    let (a, count) = (operand(0), amount.count().min(bits));
                    if a.shifted_right(count).shifted_left(count) != a {
                        add(Edge::Inexact);
                    }
                }
                if instruction.op == Op::Shl && within {
                    let (a, amount) = (operand(0), amount.to_integer());
                    let amount = u32::try_from(&amount).unwrap_or(0);
                    if a.length() + amount > bits {
                        add(Edge::UnsignedShl);
                    }
                    if size(a, bits).length() + amount >= bits {
                        add(Edge::SignedShl);
                    }
                }
                add(match () {
                    () if amount.is_zero() => Edge::ShiftByZero,
                    () if amount == Word::small(u64::from(bits - 1)) => Edge::ShiftByLast,
                    () if amount == Word::small(u64::from(bits)) => Edge::ShiftByWidth,
                    () if amount > Word::small(u64::from(bits)) => Edge::ShiftBeyond,
                    () => Edge::Plain,
                });
            }
            Op::Ite => add(if operand(0).is_zero() { Edge::Else } else { Edge::Then }),
            op if op.is_comparison() => {
                let (a, b) = (operand(0), operand(1));
                if a == b {
                    add(Edge::Equal);
                } else if (a.wrapping_sub(b) & Word::mask(from)) == Word::small(1)
                    || (b.wrapping_sub(a) & Word::mask(from)) == Word::small(1)
                {
                    add(Edge::Adjacent);
                }
            }
            op => {
                if let Some(n) = divisor(op) {
                    divided(operand(0), operand(n), bits, &mut add);
                    let within = match op {
                        Op::Addmod => Some(Op::Add),
                        Op::Mulmod => Some(Op::Mul),
                        _ => None,
                    };
                    if within.is_some_and(|op| overflows(op, operand(0), operand(1), bits)) {
                        add(Edge::Unsigned);
                    }
                    if within.is_some() && !operand(n).is_zero() {
                        let under = |at: usize| {
                            let (_, rest) = operand(at).divided_by(operand(n));
                            rest.wrapping_add(Word::small(1)) == operand(n)
                        };
                        match (under(0), under(1)) {
                            (true, true) => add(Edge::BothBelowModulus),
                            (true, false) | (false, true) => add(Edge::BelowModulus),
                            (false, false) => {}
                        }
                    }
                    if has_full_digit(op, operand(0), operand(1), operand(n), bits) {
                        add(Edge::FullDigit);
                    }
                    let (dividend, by) = match op {
                        Op::Sdiv | Op::Fdiv => (size(operand(0), bits), size(operand(1), bits)),
                        _ => (operand(0), operand(n)),
                    };
                    if by.is_zero() || !dividend.divided_by(by).1.is_zero() {
                        add(Edge::Inexact);
                    }
                    let signed = matches!(op, Op::Sdiv | Op::Srem | Op::Fdiv | Op::Fmod);
                    let least = Word::power(bits - 1);
                    if signed && operand(0) == least && operand(1) == Word::mask(bits) {
                        add(Edge::Signed);
                    }
                }
            }
        }
    }
}

fn divided<const N: usize>(a: Word<N>, b: Word<N>, bits: u32, add: &mut impl FnMut(Edge)) {
    if b.is_zero() {
        add(Edge::ByZero);
    } else if b == Word::small(1) {
        add(Edge::ByOne);
    } else if b > a {
        add(Edge::ByGreater);
    }
    if b.length() > bits / 2 {
        add(Edge::ByLong);
    }
    if b == Word::power(bits / 2) {
        add(Edge::ByHalf);
    }
}

/// Whether one of the two half-word digits of a quotient is all ones. The factors of a product are reduced first, as they have
/// to be for the quotient to fit.
fn has_full_digit<const N: usize>(
    op: Op,
    a: Word<N>,
    b: Word<N>,
    divisor: Word<N>,
    bits: u32,
) -> bool {
    let half = bits / 2;
    if divisor.is_zero() || half < 8 {
        return false;
    }
    let quotient = match op {
        Op::Mulmod => {
            // Only large factors and a long modulus give a quotient of this length.
            let [a, b] = [a, b].map(|it| it.divided_by(divisor).1);
            if divisor.length() <= half || a.length() + b.length() < divisor.length() + half {
                return false;
            }
            let [a, b, divisor] = [a, b, divisor].map(Word::to_integer);
            Word::from_integer(&(a * b / divisor))
        }
        Op::Udiv | Op::Urem => a.divided_by(divisor).0,
        _ => return false,
    };
    let digit = Word::mask(half);
    quotient & digit == digit || quotient.shifted_right(half) & digit == digit
}

fn overflows<const N: usize>(op: Op, a: Word<N>, b: Word<N>, bits: u32) -> bool {
    match op {
        Op::Sub => a < b,
        Op::Add => {
            let (sum, carry) = a.overflowing_add(b);
            carry || sum.length() > bits
        }
        _ => {
            let (low, high) = a.widening_mul(b);
            !high.is_zero() || low.length() > bits
        }
    }
}

fn signed_overflows<const N: usize>(op: Op, a: Word<N>, b: Word<N>, bits: u32) -> bool {
    // The operands decide: an operator that traps has no result.
    let sign = |word: Word<N>| word.bit(bits - 1);
    match op {
        Op::Add => sign(a) == sign(b) && sign(a.wrapping_add(b)) != sign(a),
        Op::Sub => sign(a) != sign(b) && sign(a.wrapping_sub(b)) != sign(a),
        _ => {
            let (low, high) = size(a, bits).widening_mul(size(b, bits));
            !high.is_zero() || low.length() > bits - 1
        }
    }
}

/// The absolute value of a signed number.
fn size<const N: usize>(word: Word<N>, bits: u32) -> Word<N> {
    if word.bit(bits - 1) { word.wrapping_neg() & Word::mask(bits) } else { word }
}

/// Whether a power has more than this many bits. Stops multiplying once it has.
fn exceeds<const N: usize>(base: Word<N>, exponent: Word<N>, bits: u32) -> bool {
    let (mut power, mut left) = (Word::small(1), exponent);
    // A base of two or more doubles the power each time.
    while base > Word::small(1) && !left.is_zero() {
        let (low, high) = power.widening_mul(base);
        if !high.is_zero() || low.length() > bits {
            return true;
        }
        (power, left) = (low, left.wrapping_sub(Word::small(1)));
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use identity::kernel::{Extent, Semantics, Terms};

    /// The edge cases of one operator on words of 16 bits that are about overflow and division.
    fn detected(semantics: &str, op: Op, args: &[u64]) -> Vec<&'static str> {
        let mut terms = Terms::new();
        let width = Extent::fixed(16);
        let variables: Vec<_> = (0..args.len()).map(|n| terms.variable(n as u16, width)).collect();
        let to = if matches!(op, Op::Extract(_)) { Extent::fixed(8) } else { width };
        let term = terms.apply_at(op, &variables, to);
        let semantics = Semantics::named(semantics).unwrap();
        let tape = Tape::new(&terms, &[term], 1, semantics).unwrap();
        let mut sheet = Sheet::<1>::new(&tape, 1);
        for (n, &arg) in args.iter().enumerate() {
            sheet.set(&tape, n as u16, std::iter::once(Word::small(arg)));
        }
        sheet.run(&tape);
        let mut edge_cases = EdgeCases::default();
        gather(0, &tape, &sheet, 0, &mut edge_cases);
        let mask = edge_cases.0.last().copied().unwrap_or(0);
        let names = [
            (Edge::Unsigned, "unsigned"),
            (Edge::Signed, "signed"),
            (Edge::UnsignedShl, "unsigned shl"),
            (Edge::SignedShl, "signed shl"),
            (Edge::ByLong, "by long"),
            (Edge::ByHalf, "by half"),
            (Edge::BelowModulus, "below"),
            (Edge::BothBelowModulus, "both below"),
            (Edge::FullDigit, "full digit"),
        ];
        let there = |edge: Edge| mask & (1 << edge as u32) != 0;
        names.into_iter().filter(|(edge, _)| there(*edge)).map(|(_, name)| name).collect()
    }

    #[test]
    fn overflow_and_division_edge_cases_are_detected() {
        for (op, args, wanted) in [
            (Op::Neg, &[0][..], &[][..]),
            (Op::Neg, &[5], &["unsigned"]),
            (Op::Neg, &[0x8000], &["unsigned", "signed"]),
            (Op::Exp, &[2, 14], &[]),
            (Op::Exp, &[2, 15], &["signed"]),
            (Op::Exp, &[2, 16], &["unsigned", "signed"]),
            (Op::Exp, &[1, 0xffff], &[]),
            (Op::Shl, &[1, 14], &[]),
            (Op::Shl, &[1, 15], &["signed shl"]),
            (Op::Shl, &[3, 15], &["unsigned shl", "signed shl"]),
            (Op::Sdiv, &[0x8000, 0xffff], &["signed", "by long"]),
            (Op::Sdiv, &[0x8001, 0xffff], &["by long"]),
            (Op::Addmod, &[0xffff, 1, 7], &["unsigned"]),
            (Op::Addmod, &[0xfffe, 1, 0x100], &["by long", "by half"]),
            (Op::Mulmod, &[0x100, 0x100, 7], &["unsigned"]),
            (Op::Mulmod, &[0xff, 0x100, 0x101], &["by long", "below"]),
            (
                Op::Mulmod,
                &[0x1000, 0x1000, 0x1001],
                &["unsigned", "by long", "both below", "full digit"],
            ),
            (Op::Mulmod, &[0x1000, 0x1000, 0x2001], &["unsigned", "by long", "full digit"]),
            (Op::Mulmod, &[0x0fff, 0x1000, 0x1001], &["unsigned", "by long", "below"]),
            (
                Op::Mulmod,
                &[0xfffe, 0xfffe, 0xffff],
                &["unsigned", "by long", "both below", "full digit"],
            ),
            (Op::Udiv, &[0xff13, 1, 1], &["full digit"]),
            (Op::Udiv, &[0xfe13, 1, 1], &[]),
            (Op::Extract(Extent::fixed(0)), &[0x7f], &[]),
            (Op::Extract(Extent::fixed(0)), &[0x80], &["signed"]),
            (Op::Extract(Extent::fixed(0)), &[0xff80], &["unsigned"]),
            (Op::Extract(Extent::fixed(0)), &[0x180], &["unsigned", "signed"]),
        ] {
            assert_eq!(detected("words", op, args), wanted, "{op:?} of {args:x?}");
        }
    }

    /// Also under semantics in which the operator has no result then.
    #[test]
    fn signed_overflow_is_detected_where_it_traps_or_saturates() {
        for semantics in ["words", "solidity-signed", "saturating-signed"] {
            for (op, args, fits) in [
                (Op::Add, [0x7fff, 1], false),
                (Op::Add, [0x8000, 0x8000], false),
                (Op::Add, [0x7fff, 0xffff], true),
                (Op::Sub, [0x8000, 1], false),
                (Op::Sub, [0, 0x8000], false),
                (Op::Sub, [0x8000, 0xffff], true),
                (Op::Mul, [0x100, 0x80], false),
                (Op::Mul, [0xff, 0x80], true),
            ] {
                let overflows = detected(semantics, op, &args).contains(&"signed");
                assert_eq!(overflows, !fits, "{semantics}: {op:?} of {args:x?}");
            }
        }
    }
}
