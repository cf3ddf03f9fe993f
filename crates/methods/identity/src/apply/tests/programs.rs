//! Random programs, and their outcomes on many inputs.

use num_bigint::BigInt;

use crate::apply::Material;
use crate::evaluate::{Column, Sheet, Tape};
use crate::kernel::{Extent, Op, Semantics, TermId, Terms};
use crate::word::Word;
use forge::Entropy;

/// Enough for all widths of the tests.
pub(super) const LIMBS: usize = 5;

pub(super) type Rows = Column<LIMBS>;

const OPERATORS: &[Op] = &[
    Op::Neg,
    Op::Not,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Shl,
    Op::Lshr,
    Op::Ashr,
    Op::Udiv,
    Op::Urem,
    Op::Sdiv,
    Op::Srem,
    Op::Ite,
    Op::Ite,
    Op::Ite,
    Op::Eq,
    Op::Ult,
    Op::Umin,
    Op::Smax,
    Op::Addmod,
];

/// A random term over two variables. Operators that rules mention and operators that stop are
/// frequent enough.
pub(super) fn program(
    entropy: &mut Entropy,
    material: &mut Material,
    depth: u32,
    width: u16,
) -> TermId {
    if depth == 0 || entropy.chance(1, 8) {
        return match entropy.below(4) {
            0 => material.literal(number(entropy, width), width),
            _ => material.variable(entropy.below(2) as u16, width),
        };
    }
    let op = *entropy.pick(OPERATORS).unwrap();
    let args: Vec<TermId> =
        (0..op.arity()).map(|_| program(entropy, material, depth - 1, width)).collect();
    material.apply_at(op, &args, Extent::fixed(width))
}

/// Small, or near a bound.
pub(super) fn number(entropy: &mut Entropy, width: u16) -> BigInt {
    let low = BigInt::from(entropy.below(5));
    match entropy.below(4) {
        0 => (BigInt::from(1) << width) - 1 - low,
        1 => (BigInt::from(1) << (width - 1)) - low,
        2 => BigInt::from(1) << entropy.below(u64::from(width)),
        _ => low,
    }
}

/// All values of all variables where feasible; else edge cases and random words.
pub(super) fn valuations(
    entropy: &mut Entropy,
    width: u16,
    variables: usize,
) -> Vec<Vec<Word<LIMBS>>> {
    let bits = usize::from(width) * variables;
    let all = bits <= 8 || width == 4;
    let rows = if all { 1 << bits } else { 400 };
    let value = |entropy: &mut Entropy, row: usize, variable: usize| {
        if all {
            return Word::small((row >> (variable * usize::from(width))) as u64);
        }
        match entropy.below(3) {
            0 => Word(std::array::from_fn(|_| entropy.word())),
            _ => Word::from_integer(&number(entropy, width)),
        }
    };
    (0..variables).map(|v| (0..rows).map(|row| value(entropy, row, v)).collect()).collect()
}

/// The outcomes of each term.
pub(super) fn outcomes(
    terms: &Terms,
    roots: &[TermId],
    width: u16,
    semantics: &Semantics,
    valuations: &[Vec<Word<LIMBS>>],
) -> Vec<Rows> {
    let tape = Tape::new(terms, roots, width, semantics).unwrap();
    let mut sheet = Sheet::<LIMBS>::new(&tape, valuations.first().map_or(1, Vec::len));
    for (index, values) in valuations.iter().enumerate() {
        sheet.set(&tape, index as u16, values.iter().copied());
    }
    sheet.run(&tape);
    (0..roots.len()).map(|root| sheet.root(&tape, root).clone()).collect()
}

/// Whether `to` has the same value wherever `from` has one.
pub(super) fn refines(from: &Rows, to: &Rows) -> bool {
    (0..from.values.len()).all(|row| {
        from.stop(row).is_some() || (to.stop(row).is_none() && from.values[row] == to.values[row])
    })
}

pub(super) fn alike(one: &Rows, other: &Rows) -> bool {
    one.values.len() == other.values.len()
        && (0..one.values.len()).all(|row| {
            one.stop(row) == other.stop(row)
                && (one.stop(row).is_some() || one.values[row] == other.values[row])
        })
}
