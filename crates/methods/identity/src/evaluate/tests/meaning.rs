//! Compares the kernel's lowering with the evaluator: a surface term and its core terms have the
//! same outcome. Lowerings for all widths are compared at several widths.

use std::collections::HashMap;

use super::{CASTS, SURFACE, on_variables};
use crate::evaluate::{Column, Sheet, Stop, Tape};
use crate::kernel::{Extent, Meaning, Op, SEMANTICS, Semantics, TermId, Terms, Trap, WORDS};
use crate::valuations::Valuations;
use crate::word::Word;
use forge::{Entropy, Ticket};

const WIDTHS: std::ops::RangeInclusive<u16> = 1..=4;

/// Lowers a term for all widths from `least` on and compares it on all words of small widths.
/// Returns the number of widths compared.
fn compare(terms: &Terms, root: TermId, semantics: &Semantics, least: u16) -> usize {
    let widths = WIDTHS.filter(|&width| width >= least);
    // Terms this narrow fit in one limb.
    compare_on::<1>(terms, root, semantics, least, widths, |widths| {
        let rows = 1_u64 << widths.iter().sum::<u16>();
        let column = |index: usize| {
            let low: u16 = widths[..index].iter().sum();
            (0..rows).map(|row| Word::small(row >> low)).collect()
        };
        (0..widths.len()).map(column).collect()
    })
}

/// Like `compare`, at the given widths, with a column of values per variable.
fn compare_on<const N: usize>(
    terms: &Terms,
    root: TermId,
    semantics: &Semantics,
    least: u16,
    at: impl IntoIterator<Item = u16>,
    values: impl Fn(&[u16]) -> Vec<Vec<Word<N>>>,
) -> usize {
    let mut lowered = Terms::new();
    let Ok(meaning) = Meaning::new(terms, &mut lowered, semantics, least).of(root) else {
        return 0;
    };
    let core =
        [meaning.value, meaning.traps[0], meaning.traps[1], meaning.traps[2], meaning.undefined];
    let mut compared = 0;
    for width in at {
        let Ok(surface) = Tape::new(terms, &[root], width, semantics) else { continue };
        let mut fixed = Terms::new();
        let roots: Option<Vec<TermId>> =
            core.iter().map(|&term| fixed.at_width(&lowered, term, width)).collect();
        let roots = roots.unwrap_or_else(|| panic!("{} at {width}", text(terms, root)));
        let tape = Tape::new(&fixed, &roots, width, &WORDS).unwrap();
        let widths: Vec<u16> = surface.variables().values().map(|&(_, width)| width).collect();
        let values = values(&widths);
        let rows = values.first().map_or(1, Vec::len);
        let (mut left, mut right) = (Sheet::<N>::new(&surface, rows), Sheet::<N>::new(&tape, rows));
        for (&variable, values) in surface.variables().keys().zip(&values) {
            left.set(&surface, variable, values.iter().copied());
            right.set(&tape, variable, values.iter().copied());
        }
        left.run(&surface);
        right.run(&tape);
        let left = left.root(&surface, 0);
        let core: Vec<&Column<N>> = (0..roots.len()).map(|root| right.root(&tape, root)).collect();
        for row in 0..rows {
            let (expected, told) = ((left.stop(row), left.values[row]), decoded(&core, row));
            if told != Some(expected) {
                let (term, name) = (text(terms, root), semantics.name);
                let values: Vec<Word<N>> = values.iter().map(|column| column[row]).collect();
                panic!(
                    "{term} under {name} from {least} at {width}, {values:x?}: \
                     {expected:x?} is lowered to {told:x?}"
                );
            }
        }
        compared += 1;
    }
    compared
}

/// The stop or value that the value and flags encode. `None` if two flags are set.
fn decoded<const N: usize>(core: &[&Column<N>], row: usize) -> Option<(Option<Stop>, Word<N>)> {
    let stops = Trap::ALL.map(Stop::Trap).into_iter().chain([Stop::Undefined]);
    let mut told = stops.zip(&core[1..]).filter(|(_, flag)| !flag.values[row].is_zero());
    match (told.next(), told.next()) {
        (None, _) => Some((None, core[0].values[row])),
        (Some((stop, _)), None) => Some((Some(stop), Word::ZERO)),
        _ => None,
    }
}

fn text(terms: &Terms, root: TermId) -> String {
    let args: Vec<String> = terms.args(root).iter().map(|&arg| text(terms, arg)).collect();
    match terms.literal_value(root) {
        Some(value) => value.to_string(),
        None => format!("{:?}:{}({})", terms.op(root), terms.width(root), args.join(", ")),
    }
}

/// The operator on variables, and with each literal in each operand position.
fn with_literals(op: Op, from: &[Extent], to: Extent, mut each: impl FnMut(&Terms, TermId)) {
    let places = std::iter::once(None).chain((0..from.len()).map(Some));
    for place in places {
        let literals: &[i32] = if place.is_some() { &[-9, -2, -1, 0, 1, 2, 3, 5] } else { &[0] };
        for &literal in literals {
            let mut terms = Terms::new();
            let args: Vec<TermId> = (0..from.len())
                .map(|index| match place {
                    Some(here) if here == index => terms.literal(literal, from[index]),
                    _ => terms.variable(index as u16, from[index]),
                })
                .collect();
            let root = terms.apply_at(op, &args, to);
            each(&terms, root);
        }
    }
}

#[test]
fn lowering_agrees_with_the_evaluator() {
    let mut compared = 0;
    let mut operator = |op: Op, from: &[Extent], to: Extent, semantics: &Semantics| {
        with_literals(op, from, to, |terms, root| {
            // A fixed width is its own least width.
            let fixed = terms.width(root).as_fixed().is_some();
            for least in if fixed { 4..=4 } else { WIDTHS } {
                compared += compare(terms, root, semantics, least);
            }
        });
    };
    for semantics in SEMANTICS {
        for &op in SURFACE {
            operator(op, &vec![Extent::WORD; op.arity()], Extent::WORD, semantics);
        }
        for &(op, from, to) in CASTS {
            operator(op, from, to, semantics);
        }
        for bits in WIDTHS {
            let width = Extent::fixed(bits);
            for &op in SURFACE {
                operator(op, &vec![width; op.arity()], width, semantics);
            }
        }
    }
    assert!(compared > 100_000, "{compared}");
}

#[test]
fn lowering_agrees_with_the_evaluator_at_large_widths() {
    const ROWS: usize = 48;
    // Rows after the cross product of edge cases, which sample every kind of value.
    let draw = |widths: &[u16]| {
        let mut source = Valuations::<9>::new(widths);
        let mut columns = vec![vec![Word::ZERO; ROWS]; widths.len()];
        let mut row = vec![Word::ZERO; widths.len()];
        for index in 0..400 + ROWS {
            source.draw(&mut row);
            for (column, &value) in columns.iter_mut().zip(&row) {
                column[index % ROWS] = value;
            }
        }
        columns
    };
    let mut known: HashMap<Vec<u16>, Vec<Vec<Word<9>>>> = HashMap::new();
    for width in [8, 16, 64, 256, 257] {
        for count in 1..=3 {
            known.insert(vec![width; count], draw(&vec![width; count]));
            if width > 8 {
                known.insert(vec![width - 8; count], draw(&vec![width - 8; count]));
            }
        }
    }
    let narrower = Extent { plus: -8, ..Extent::WORD };
    let mut compared = 0;
    for semantics in SEMANTICS {
        for &op in SURFACE {
            for (width, least) in [(Extent::WORD, 1), (Extent::WORD, 8), (narrower, 8)] {
                let (terms, root) = on_variables(op, &vec![width; op.arity()], width);
                let values = |widths: &[u16]| known[widths].clone();
                let widths = [8, 16, 64, 256, 257];
                compared += compare_on(&terms, root, semantics, least, widths, values);
            }
        }
    }
    assert!(compared > 9_000, "{compared}");
}

/// A random term over two variables.
fn term(entropy: &mut Entropy, terms: &mut Terms, depth: u32) -> TermId {
    if depth == 0 || entropy.chance(1, 6) {
        return match entropy.below(4) {
            0 => {
                let value = entropy.between(0, 12) as i64 - 6;
                terms.literal(value, Extent::WORD)
            }
            1 => terms.apply_at(Op::Bits(Extent::WORD), &[], Extent::WORD),
            _ => terms.variable(entropy.below(2) as u16, Extent::WORD),
        };
    }
    let op = *entropy.pick(SURFACE).unwrap();
    let args: Vec<TermId> = (0..op.arity()).map(|_| term(entropy, terms, depth - 1)).collect();
    terms.apply(op, &args)
}

#[test]
fn lowering_preserves_the_stop_order_of_nested_terms() {
    let mut compared = 0;
    for index in 0..4000 {
        let mut entropy = Entropy::of(&Ticket::new("nested", 1, index));
        let mut terms = Terms::new();
        let root = term(&mut entropy, &mut terms, 3);
        let semantics = &SEMANTICS[index as usize % SEMANTICS.len()];
        compared += compare(&terms, root, semantics, 1 + (index % 4) as u16);
    }
    assert!(compared > 5000, "{compared}");
}
