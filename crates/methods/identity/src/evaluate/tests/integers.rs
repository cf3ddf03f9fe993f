//! Compares every operator under every semantics with the reference: exhaustively at small widths,
//! on edge cases at large ones.

use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;

use super::reference::reference;
use super::{CASTS, FLAGS, SURFACE, all_rows, on_variables, outcomes};
use crate::evaluate::{IllFormed, Outcome, Tape, with_limbs};
use crate::kernel::{Extent, Op, SEMANTICS, Semantics, Terms, Trap, WORDS};
use crate::valuations::Valuations;
use crate::word::Word;

/// All operators with the widths of their operands and results.
fn shapes() -> Vec<(Op, Vec<Extent>, Extent)> {
    let plain = SURFACE.iter().map(|&op| (op, vec![Extent::WORD; op.arity()], Extent::WORD));
    let flags = FLAGS.iter().map(|&op| (op, vec![Extent::WORD; op.arity()], Extent::BIT));
    let casts = CASTS.iter().map(|&(op, from, to)| (op, from.to_vec(), to));
    plain.chain(flags).chain(casts).collect()
}

/// Compares one operator on rows of values. `None` if it is ill-formed at the width.
fn compare(
    (op, from, to): &(Op, Vec<Extent>, Extent),
    semantics: &Semantics,
    width: u16,
    rows: impl FnOnce(&[u16]) -> Rc<[Vec<BigInt>]>,
) -> Option<usize> {
    let (terms, root) = on_variables(*op, from, *to);
    let tape = Tape::new(&terms, &[root], width, semantics).ok()?;
    let widths: Vec<u16> = from.iter().map(|extent| extent.at(width).unwrap()).collect();
    let fixed = match op {
        Op::Extract(low) => Op::Extract(Extent::fixed(low.at(width).unwrap())),
        other => *other,
    };
    let rows = rows(&widths);
    let actual = outcomes(&tape, &rows);
    for (row, actual) in rows.iter().zip(actual) {
        let expected = reference(fixed, semantics, &widths, to.at(width).unwrap(), row);
        assert_eq!(actual, [expected], "{op:?} {} at {width}: {row:?}", semantics.name);
    }
    Some(rows.len())
}

#[test]
fn operators_match_the_reference_on_all_small_words() {
    let mut compared = 0;
    for shape in shapes() {
        for semantics in SEMANTICS {
            for width in 1..=4 {
                compared += compare(&shape, semantics, width, |widths| all_rows(widths).into())
                    .unwrap_or(0);
            }
        }
    }
    assert!(compared > 400_000, "{compared}");
}

#[test]
fn operators_match_the_reference_on_corner_values_of_wide_words() {
    fn drawn<const N: usize>(widths: &[u16]) -> Rc<[Vec<BigInt>]> {
        let mut valuations = Valuations::<N>::new(widths);
        let mut row = vec![Word::ZERO; widths.len()];
        let mut draw = |_| {
            valuations.draw(&mut row);
            row.iter().map(|word| word.to_integer()).collect()
        };
        // A few of the edge cases, and then a sample of every kind.
        (0..600)
            .map(&mut draw)
            .filter({
                let mut index = 0;
                move |_| {
                    index += 1;
                    index % 40 == 0 || index > 584
                }
            })
            .collect()
    }
    let widths = [8, 16, 24, 31, 63, 64, 65, 127, 128, 200, 255, 256, 257, 320, 511, 512];
    let mut known: HashMap<Vec<u16>, Rc<[Vec<BigInt>]>> = HashMap::new();
    let mut skipped = 0;
    for shape in shapes() {
        for semantics in SEMANTICS {
            for width in widths {
                let rows = |widths: &[u16]| {
                    let limbs = usize::from(widths.iter().copied().max().unwrap()).div_ceil(64);
                    let fresh = || with_limbs!(limbs, drawn::<_>(widths));
                    known.entry(widths.to_vec()).or_insert_with(fresh).clone()
                };
                skipped += usize::from(compare(&shape, semantics, width, rows).is_none());
            }
        }
    }
    // `Bswap` and `Byte` at 31, 63, 65, 127, 255, 257 and 511, and the casts with w/2 at odd
    // widths.
    assert_eq!(skipped, SEMANTICS.len() * (2 * 7 + 4 * 7));
}

#[test]
fn leftmost_stop_of_the_taken_branch_is_observed() {
    let semantics = Semantics::named("solidity-unsigned").unwrap();
    let mut terms = Terms::new();
    let [a, b] = [0, 1].map(|index| terms.variable(index, Extent::WORD));
    let quotient = terms.apply(Op::Udiv, &[a, b]);
    let sum = terms.apply(Op::Add, &[a, a]);
    let both = terms.apply(Op::And, &[quotient, sum]);
    let reversed = terms.apply(Op::And, &[sum, quotient]);
    let guarded = terms.apply(Op::Ite, &[b, quotient, a]);
    let condition = terms.apply(Op::Ite, &[sum, quotient, a]);
    let roots = [both, reversed, guarded, condition];
    let tape = Tape::new(&terms, &roots, 8, semantics).unwrap();
    let number = |n: u8| Outcome::Value(BigInt::from(n));
    let (overflow, division) = (Outcome::Trap(Trap::Overflow), Outcome::Trap(Trap::Division));
    let run = |a: u8, b: u8| tape.run(&[BigInt::from(a), BigInt::from(b)]);
    assert_eq!(run(200, 0), [division.clone(), overflow.clone(), number(200), overflow.clone()]);
    assert_eq!(run(200, 10), [overflow.clone(), overflow.clone(), number(20), overflow]);
    assert_eq!(run(9, 3), [number(2), number(2), number(3), number(3)]);
    assert_eq!(run(0, 0), [division.clone(), division, number(0), number(0)]);
}

#[test]
fn ill_formed_widths_are_rejected_with_the_reason() {
    let mut terms = Terms::new();
    let word = terms.variable(0, Extent::WORD);
    let byte = terms.variable(1, Extent::fixed(8));
    let half = terms.apply_at(Op::Extract(Extent::fixed(0)), &[word], super::HALF);
    let swapped = terms.apply(Op::Bswap, &[word]);
    let sum = terms.apply(Op::Add, &[word, byte]);
    let widened = terms.apply_at(Op::Zext, &[byte], Extent::WORD);
    let again = terms.variable(1, Extent::WORD);
    let rejection = |root, width| Tape::new(&terms, &[root], width, &WORDS).err();
    assert_eq!(rejection(half, 8), None);
    assert!(matches!(rejection(half, 9), Some(IllFormed::Width { width: 9, .. })));
    assert!(matches!(rejection(word, 0), Some(IllFormed::Width { .. })));
    assert!(matches!(rejection(word, 1025), Some(IllFormed::Width { .. })));
    assert!(matches!(rejection(swapped, 12), Some(IllFormed::Operands { op: Op::Bswap, .. })));
    assert_eq!(rejection(sum, 8), None);
    assert!(matches!(rejection(sum, 9), Some(IllFormed::Operands { op: Op::Add, .. })));
    assert!(matches!(rejection(widened, 7), Some(IllFormed::Operands { op: Op::Zext, .. })));
    let both = Tape::new(&terms, &[byte, again], 16, &WORDS);
    assert!(matches!(both, Err(IllFormed::Variable(1))));
}
