//! The kernel's lowering against the evaluator: a term, and the core terms that the kernel says it
//! means, come to the same. What is lowered for all widths at once is compared at each of them.

use super::{CASTS, SURFACE};
use crate::identity::evaluate::{Column, Sheet, Stop, Tape};
use crate::identity::kernel::{
    Extent, Meaning, Op, SEMANTICS, Semantics, TermId, Terms, Trap, WORDS,
};
use crate::identity::word::Word;
use crate::{Entropy, Ticket};

const WIDTHS: std::ops::RangeInclusive<u16> = 1..=4;

/// Lowers a term for all widths from `least` on and compares it at the small ones of them. Gives the
/// number of widths at which it could be.
fn compare(terms: &Terms, root: TermId, semantics: &Semantics, least: u16) -> usize {
    let mut lowered = Terms::new();
    let Ok(meaning) = Meaning::new(terms, &mut lowered, semantics, least).of(root) else {
        return 0;
    };
    let core =
        [meaning.value, meaning.traps[0], meaning.traps[1], meaning.traps[2], meaning.undefined];
    let mut compared = 0;
    for width in WIDTHS.filter(|&width| width >= least) {
        let Ok(surface) = Tape::new(terms, &[root], width, semantics) else { continue };
        let mut fixed = Terms::new();
        let roots: Option<Vec<TermId>> =
            core.iter().map(|&term| fixed.at_width(&lowered, term, width)).collect();
        let roots = roots.unwrap_or_else(|| panic!("{} at {width}", shown(terms, root)));
        let tape = Tape::new(&fixed, &roots, width, &WORDS).unwrap();
        let widths: Vec<u16> = surface.variables().values().map(|&(_, width)| width).collect();
        let rows = 1_usize << widths.iter().sum::<u16>();
        // Whatever is as narrow as this fits one limb.
        let (mut left, mut right) = (Sheet::<1>::new(&surface, rows), Sheet::<1>::new(&tape, rows));
        let mut low = 0;
        for (&variable, &(_, width)) in surface.variables() {
            let values = (0..rows as u64).map(|row| Word::small(row >> low));
            left.set(&surface, variable, values.clone());
            right.set(&tape, variable, values);
            low += width;
        }
        left.run(&surface);
        right.run(&tape);
        let left = left.root(&surface, 0);
        let core: Vec<&Column<1>> = (0..roots.len()).map(|root| right.root(&tape, root)).collect();
        for row in 0..rows {
            let expected = (left.stop(row), left.values[row]);
            if told(&core, row) != Some(expected) {
                let (term, name) = (shown(terms, root), semantics.name);
                let told = told(&core, row);
                panic!(
                    "{term} under {name} from {least} at {width}, row {row} of {rows}: \
                     {expected:?} is lowered to {told:?}"
                );
            }
        }
        compared += 1;
    }
    compared
}

/// The stop or value that a value and flags stand for. `None` if two flags are set.
fn told(core: &[&Column<1>], row: usize) -> Option<(Option<Stop>, Word<1>)> {
    let stops = Trap::ALL.map(Stop::Trap).into_iter().chain([Stop::Undefined]);
    let mut told = stops.zip(&core[1..]).filter(|(_, flag)| !flag.values[row].is_zero());
    match (told.next(), told.next()) {
        (None, _) => Some((None, core[0].values[row])),
        (Some((stop, _)), None) => Some((Some(stop), Word::ZERO)),
        _ => None,
    }
}

fn shown(terms: &Terms, root: TermId) -> String {
    let args: Vec<String> = terms.args(root).iter().map(|&arg| shown(terms, arg)).collect();
    match terms.literal_value(root) {
        Some(value) => value.to_string(),
        None => format!("{:?}:{}({})", terms.op(root), terms.width(root), args.join(", ")),
    }
}

/// With variables, and with each literal in the place of each operand.
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
fn the_kernel_means_what_the_evaluator_computes() {
    let mut compared = 0;
    let mut operator = |op: Op, from: &[Extent], to: Extent, semantics: &Semantics| {
        with_literals(op, from, to, |terms, root| {
            // Fixed widths are the least ones by themselves.
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
fn nested_terms_stop_in_the_same_order() {
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
