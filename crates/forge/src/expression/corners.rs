//! The corners of an operator: the situations in which compilers are wrong more often than elsewhere, as
//! an evaluation shows them. Inputs are chosen by which corners of a program they are the first to reach.

use std::collections::BTreeMap;

use super::run::divisor;
use crate::identity::evaluate::{Sheet, Stop, Tape};
use crate::identity::kernel::Op;
use crate::identity::word::Word;

/// For each operator of a body the situations in which an input found it, one bit each.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Corners(Vec<u32>);

impl Corners {
    /// How many of these are not among the others.
    pub(super) fn beyond(&self, others: &Corners) -> u32 {
        let pairs = self.0.iter().enumerate();
        pairs.map(|(at, mask)| (mask & !others.0.get(at).unwrap_or(&0)).count_ones()).sum()
    }

    pub(super) fn join(&mut self, others: &Corners) {
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
enum What {
    /// The result is zero, has its highest bit set, has all bits set, is anything else.
    Zero,
    High,
    Ones,
    Plain,
    /// The sum, difference or product does not fit, as unsigned and as signed numbers.
    Carries,
    Overflows,
    /// A shift by nothing, by one less than the width, by the width, by more.
    Unmoved,
    Last,
    Whole,
    Beyond,
    /// A divisor or modulus that is zero, one, greater than what it divides, at least half of all bits long.
    ByZero,
    ByOne,
    ByGreater,
    ByLong,
    /// The operands are equal, or next to each other.
    Equal,
    Next,
    /// Which way an `Ite` goes.
    Then,
    Else,
    Traps,
    Undefined,
}

/// Adds the corners that a row of a sheet reaches. The first operator of the tape has the place `first`.
pub(super) fn gather<const N: usize>(
    first: usize,
    tape: &Tape,
    sheet: &Sheet<N>,
    row: usize,
    into: &mut Corners,
) {
    let end = first + tape.instructions().len();
    if into.0.len() < end {
        into.0.resize(end, 0);
    }
    for (slot, instruction) in tape.instructions().iter().enumerate() {
        let mask = &mut into.0[first + slot];
        let mut add = |what: What| *mask |= 1 << what as u32;
        let column = sheet.column(slot as u32);
        match column.stop(row) {
            Some(Stop::Trap(_)) => add(What::Traps),
            Some(Stop::Undefined) => add(What::Undefined),
            None => {}
        }
        if matches!(instruction.op, Op::Literal(_)) {
            continue;
        }
        let bits = u32::from(instruction.width);
        let value = column.values[row];
        if column.stop(row).is_none() {
            add(match () {
                () if value.is_zero() => What::Zero,
                () if value == Word::mask(bits) => What::Ones,
                () if value.bit(bits - 1) => What::High,
                () => What::Plain,
            });
        }
        let operand = |n: usize| sheet.column(instruction.args[n]).values[row];
        let from = u32::from(instruction.from[0]);
        match instruction.op {
            Op::Add | Op::Sub | Op::Mul => {
                let (a, b) = (operand(0), operand(1));
                if overflows(instruction.op, a, b, bits) {
                    add(What::Carries);
                }
                if signed_overflows(instruction.op, a, b, value, bits) {
                    add(What::Overflows);
                }
            }
            Op::Shl | Op::Lshr | Op::Ashr | Op::Rotl | Op::Rotr => {
                let amount = operand(1);
                add(match () {
                    () if amount.is_zero() => What::Unmoved,
                    () if amount == Word::small(u64::from(bits - 1)) => What::Last,
                    () if amount == Word::small(u64::from(bits)) => What::Whole,
                    () if amount > Word::small(u64::from(bits)) => What::Beyond,
                    () => What::Plain,
                });
            }
            Op::Ite => add(if operand(0).is_zero() { What::Else } else { What::Then }),
            op if op.is_comparison() => {
                let (a, b) = (operand(0), operand(1));
                if a == b {
                    add(What::Equal);
                } else if (a.wrapping_sub(b) & Word::mask(from)) == Word::small(1)
                    || (b.wrapping_sub(a) & Word::mask(from)) == Word::small(1)
                {
                    add(What::Next);
                }
            }
            op => {
                if let Some(n) = divisor(op) {
                    divided(operand(0), operand(n), bits, &mut add);
                }
            }
        }
    }
}

fn divided<const N: usize>(a: Word<N>, b: Word<N>, bits: u32, add: &mut impl FnMut(What)) {
    if b.is_zero() {
        add(What::ByZero);
    } else if b == Word::small(1) {
        add(What::ByOne);
    } else if b > a {
        add(What::ByGreater);
    }
    if b.length() > bits / 2 {
        add(What::ByLong);
    }
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

fn signed_overflows<const N: usize>(
    op: Op,
    a: Word<N>,
    b: Word<N>,
    wrapped: Word<N>,
    bits: u32,
) -> bool {
    let sign = |word: Word<N>| word.bit(bits - 1);
    match op {
        Op::Add => sign(a) == sign(b) && sign(wrapped) != sign(a),
        Op::Sub => sign(a) != sign(b) && sign(wrapped) != sign(a),
        _ => {
            let size = |word: Word<N>| {
                let negated = word.wrapping_neg() & Word::mask(bits);
                if sign(word) { negated } else { word }
            };
            let (low, high) = size(a).widening_mul(size(b));
            !high.is_zero() || low.length() > bits - 1
        }
    }
}
