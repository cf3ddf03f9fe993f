//! The edge cases of an operator (overflow, a shift by the width, a divisor of zero), as an evaluation shows
//! them. Inputs are chosen by which edge cases of a program they are the first to reach.

use std::collections::BTreeMap;

use super::no_wrap::NoWrap;
use super::run::divisor;
use identity::evaluate::{Sheet, Stop, Tape};
use identity::kernel::Op;
use identity::word::Word;

/// For each operator of a body the situations in which an input found it, one bit each.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct EdgeCases(Vec<u32>);

impl EdgeCases {
    /// How many of these are not among the others.
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

/// Where the operators of each site stand among all of a body.
#[derive(Clone, Default, Debug)]
pub(super) struct Places {
    first: BTreeMap<usize, usize>,
    count: usize,
}

impl Places {
    /// The place of the first operator of a site, which has so many.
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
    /// The result of a sum, a difference, a product, a power, a negation, a quotient or a truncation does not
    /// fit, as unsigned and as signed numbers. Of a sum or product that is divided at once: before that.
    Carries,
    Overflows,
    /// A shift to the left that loses bits, as unsigned and as signed numbers.
    Loses,
    Turns,
    /// A shift by nothing, by one less than the width, by the width, by more.
    Unmoved,
    Last,
    Whole,
    Beyond,
    /// A divisor or modulus that is zero, one, greater than what it divides, longer than half of all bits, and
    /// the first of these.
    ByZero,
    ByOne,
    ByGreater,
    ByLong,
    ByHalf,
    /// One of what is added or multiplied is just below the modulus, or a multiple of it; both are.
    Under,
    Under2,
    /// The quotient has a half that is all ones: the digit at which long division guesses wrong.
    Digit,
    /// The operands are equal, or next to each other.
    Equal,
    Next,
    /// Which way an `Ite` goes.
    Then,
    Else,
    Traps,
    Undefined,
    /// A division that leaves something, or a shift to the right that loses bits.
    Inexact,
}

/// What the operator at a place never does, as far as these edge cases tell.
pub(super) fn no_wrap(edge_cases: &EdgeCases, place: usize) -> NoWrap {
    let mask = edge_cases.0.get(place).copied().unwrap_or(u32::MAX);
    let never = |all: &[Edge]| all.iter().all(|&edge| mask & (1 << edge as u32) == 0);
    NoWrap {
        unsigned: never(&[Edge::Carries, Edge::Loses]),
        signed: never(&[Edge::Overflows, Edge::Turns]),
        exact: never(&[Edge::Inexact]),
    }
}

/// Adds the edge cases that a row of a sheet reaches. The first operator of the tape has the place `first`.
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
                    add(Edge::Carries);
                }
                if signed_overflows(instruction.op, a, b, bits) {
                    add(Edge::Overflows);
                }
            }
            Op::Neg => {
                let a = operand(0);
                if !a.is_zero() {
                    add(Edge::Carries);
                }
                if a == Word::power(bits - 1) {
                    add(Edge::Overflows);
                }
            }
            Op::Exp => {
                let (a, b) = (operand(0), operand(1));
                if exceeds(a, b, bits) {
                    add(Edge::Carries);
                }
                if exceeds(size(a, bits), b, bits - 1) {
                    add(Edge::Overflows);
                }
            }
            Op::Extract(low) => {
                // What is above the part that is kept, and whether it only repeats the sign.
                let kept = u32::from(low.as_fixed().unwrap_or(0)) + bits;
                let above = operand(0).shifted_right(kept.min(from));
                if !above.is_zero() {
                    add(Edge::Carries);
                }
                let sign = if value.bit(bits - 1) {
                    Word::mask(from.saturating_sub(kept))
                } else {
                    Word::small(0)
                };
                if above != sign {
                    add(Edge::Overflows);
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
                        add(Edge::Loses);
                    }
                    if size(a, bits).length() + amount >= bits {
                        add(Edge::Turns);
                    }
                }
                add(match () {
                    () if amount.is_zero() => Edge::Unmoved,
                    () if amount == Word::small(u64::from(bits - 1)) => Edge::Last,
                    () if amount == Word::small(u64::from(bits)) => Edge::Whole,
                    () if amount > Word::small(u64::from(bits)) => Edge::Beyond,
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
                    add(Edge::Next);
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
                        add(Edge::Carries);
                    }
                    if within.is_some() && !operand(n).is_zero() {
                        let under = |at: usize| {
                            let (_, rest) = operand(at).divided_by(operand(n));
                            rest.wrapping_add(Word::small(1)) == operand(n)
                        };
                        match (under(0), under(1)) {
                            (true, true) => add(Edge::Under2),
                            (true, false) | (false, true) => add(Edge::Under),
                            (false, false) => {}
                        }
                    }
                    if has_full_digit(op, operand(0), operand(1), operand(n), bits) {
                        add(Edge::Digit);
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
                        add(Edge::Overflows);
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

/// Whether a quotient has one of two digits, each of half the bits, all of whose bits are set. A product is divided
/// after its factors were, as it has to be to fit.
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
            // Only factors that are large beside a long modulus have a quotient that is as long.
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
    // What comes of it is not asked: where it stops there is nothing.
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

/// How far a signed number is from zero.
fn size<const N: usize>(word: Word<N>, bits: u32) -> Word<N> {
    if word.bit(bits - 1) { word.wrapping_neg() & Word::mask(bits) } else { word }
}

/// Whether a power has more bits than these. Once it is clear, nothing more is multiplied.
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

    /// What is seen of one operator on words of 16 bits, as far as it is about it not fitting.
    fn seen(semantics: &str, op: Op, args: &[u64]) -> Vec<&'static str> {
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
            (Edge::Carries, "carries"),
            (Edge::Overflows, "overflows"),
            (Edge::Loses, "loses"),
            (Edge::Turns, "turns"),
            (Edge::ByLong, "by long"),
            (Edge::ByHalf, "by half"),
            (Edge::Under, "under"),
            (Edge::Under2, "both under"),
            (Edge::Digit, "digit"),
        ];
        let there = |edge: Edge| mask & (1 << edge as u32) != 0;
        names.into_iter().filter(|(edge, _)| there(*edge)).map(|(_, name)| name).collect()
    }

    #[test]
    fn overflow_is_seen() {
        for (op, args, wanted) in [
            (Op::Neg, &[0][..], &[][..]),
            (Op::Neg, &[5], &["carries"]),
            (Op::Neg, &[0x8000], &["carries", "overflows"]),
            (Op::Exp, &[2, 14], &[]),
            (Op::Exp, &[2, 15], &["overflows"]),
            (Op::Exp, &[2, 16], &["carries", "overflows"]),
            (Op::Exp, &[1, 0xffff], &[]),
            (Op::Shl, &[1, 14], &[]),
            (Op::Shl, &[1, 15], &["turns"]),
            (Op::Shl, &[3, 15], &["loses", "turns"]),
            (Op::Sdiv, &[0x8000, 0xffff], &["overflows", "by long"]),
            (Op::Sdiv, &[0x8001, 0xffff], &["by long"]),
            (Op::Addmod, &[0xffff, 1, 7], &["carries"]),
            (Op::Addmod, &[0xfffe, 1, 0x100], &["by long", "by half"]),
            (Op::Mulmod, &[0x100, 0x100, 7], &["carries"]),
            (Op::Mulmod, &[0xff, 0x100, 0x101], &["by long", "under"]),
            (Op::Mulmod, &[0x1000, 0x1000, 0x1001], &["carries", "by long", "both under", "digit"]),
            (Op::Mulmod, &[0x1000, 0x1000, 0x2001], &["carries", "by long", "digit"]),
            (Op::Mulmod, &[0x0fff, 0x1000, 0x1001], &["carries", "by long", "under"]),
            (Op::Mulmod, &[0xfffe, 0xfffe, 0xffff], &["carries", "by long", "both under", "digit"]),
            (Op::Udiv, &[0xff13, 1, 1], &["digit"]),
            (Op::Udiv, &[0xfe13, 1, 1], &[]),
            (Op::Extract(Extent::fixed(0)), &[0x7f], &[]),
            (Op::Extract(Extent::fixed(0)), &[0x80], &["overflows"]),
            (Op::Extract(Extent::fixed(0)), &[0xff80], &["carries"]),
            (Op::Extract(Extent::fixed(0)), &[0x180], &["carries", "overflows"]),
        ] {
            assert_eq!(seen("words", op, args), wanted, "{op:?} of {args:x?}");
        }
    }

    /// Also where there is no result that tells of it.
    #[test]
    fn overflow_is_seen_where_it_traps() {
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
                let overflows = seen(semantics, op, &args).contains(&"overflows");
                assert_eq!(overflows, !fits, "{semantics}: {op:?} of {args:x?}");
            }
        }
    }
}
