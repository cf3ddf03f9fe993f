//! False equations are refuted, true ones survive, and known failure counts are reproduced.

use super::*;
use crate::kernel::{Extent, TermId, Terms};

const ALL: &[u16] = &[1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 257];

/// Builds terms of rules.
struct Builder {
    terms: Terms,
}

impl Builder {
    fn variable(&mut self, index: u16) -> TermId {
        self.terms.variable(index, Extent::WORD)
    }

    fn literal(&mut self, n: i64) -> TermId {
        self.terms.literal(n, Extent::WORD)
    }

    fn on(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.terms.apply(op, args)
    }
}

fn equation(write: impl FnOnce(&mut Builder) -> (TermId, TermId, Vec<TermId>)) -> Equation {
    let mut builder = Builder { terms: Terms::new() };
    let (left, right, conditions) = write(&mut builder);
    Equation { terms: builder.terms, sides: [left, right], conditions }
}

fn subtraction_by_negation() -> Equation {
    equation(|n| {
        let (a, b) = (n.variable(0), n.variable(1));
        let (left, minus) = (n.on(Op::Sub, &[a, b]), n.on(Op::Neg, &[b]));
        (left, n.on(Op::Add, &[a, minus]), vec![])
    })
}

fn sum_by_carries() -> Equation {
    equation(|n| {
        let (a, b, two) = (n.variable(0), n.variable(1), n.literal(2));
        let (left, xor, and) =
            (n.on(Op::Add, &[a, b]), n.on(Op::Xor, &[a, b]), n.on(Op::And, &[a, b]));
        let carries = n.on(Op::Mul, &[two, and]);
        (left, n.on(Op::Add, &[xor, carries]), vec![])
    })
}

fn sum_by_or() -> Equation {
    equation(|n| {
        let (a, b) = (n.variable(0), n.variable(1));
        let (left, or, and) =
            (n.on(Op::Add, &[a, b]), n.on(Op::Or, &[a, b]), n.on(Op::And, &[a, b]));
        (left, n.on(Op::Add, &[or, and]), vec![])
    })
}

fn sum_undone() -> Equation {
    equation(|n| {
        let (a, b) = (n.variable(0), n.variable(1));
        let sum = n.on(Op::Add, &[a, b]);
        (n.on(Op::Sub, &[sum, b]), a, vec![])
    })
}

fn doubling() -> Equation {
    equation(|n| {
        let (a, two) = (n.variable(0), n.literal(2));
        (n.on(Op::Mul, &[a, two]), n.on(Op::Add, &[a, a]), vec![])
    })
}

fn named(name: &str) -> &'static Semantics {
    Semantics::named(name).unwrap()
}

/// The number of pairs of 8-bit values at which only the right side stops.
fn one_sided_stops(equation: &Equation, semantics: &Semantics) -> usize {
    let tape = Tape::new(&equation.terms, &equation.sides, 8, semantics).unwrap();
    let mut sheet = Sheet::<1>::new(&tape, 1 << 16);
    sheet.set(&tape, 0, (0..1 << 16).map(|n| Word::small(n & 255)));
    sheet.set(&tape, 1, (0..1 << 16).map(|n| Word::small(n >> 8)));
    sheet.run(&tape);
    let [left, right] = [0, 1].map(|side| sheet.root(&tape, side));
    (0..1 << 16).filter(|&row| left.stop(row).is_none() && right.stop(row).is_some()).count()
}

#[test]
fn one_sided_traps_are_counted() {
    let (unsigned, signed) = (named("solidity-unsigned"), named("solidity-signed"));
    assert_eq!(one_sided_stops(&subtraction_by_negation(), unsigned), 32_640);
    assert_eq!(one_sided_stops(&sum_by_carries(), signed), 12_224);
    assert_eq!(one_sided_stops(&sum_by_carries(), unsigned), 0);
}

#[test]
fn one_sided_trap_refutes_the_direction_that_introduces_it() {
    let found = |equation: &Equation, name: &str, relation| {
        refute(equation, named(name), relation, ALL).counterexample.is_some()
    };
    let equation = subtraction_by_negation();
    assert!(found(&equation, "solidity-unsigned", Relation::Forward));
    assert!(!found(&equation, "words", Relation::Exact));
    let equation = sum_by_carries();
    assert!(found(&equation, "solidity-signed", Relation::Forward));
    assert!(found(&equation, "solidity-signed", Relation::Exact));
    // At one bit the literal 2 is 0.
    let from_two = refute(&equation, named("solidity-unsigned"), Relation::Exact, &ALL[1..]);
    assert_eq!(from_two.counterexample, None);
    let equation = sum_undone();
    for name in ["solidity-unsigned", "solidity-signed"] {
        assert!(!found(&equation, name, Relation::Forward));
        assert!(found(&equation, name, Relation::Backward));
        assert!(found(&equation, name, Relation::Exact));
    }
    // At two bits, signed arithmetic reads it as −2.
    let exact = [("solidity-unsigned", doubling(), 1), ("solidity-signed", doubling(), 2)]
        .into_iter()
        .chain(["solidity-unsigned", "solidity-signed"].map(|name| (name, sum_by_or(), 0)));
    for (name, equation, first) in exact {
        let search = refute(&equation, named(name), Relation::Exact, &ALL[first..]);
        assert_eq!((search.counterexample, &search.widths[..]), (None, &ALL[first..]));
        assert!(search.valuations > 5 * 1000, "{}", search.valuations);
    }
}

#[test]
fn counterexample_prints_values_and_outcomes() {
    let search =
        refute(&subtraction_by_negation(), named("solidity-unsigned"), Relation::Exact, &[8]);
    let names = ["a".to_owned(), "b".to_owned()];
    assert_eq!(
        search.counterexample.unwrap().told(&names).to_string(),
        "at 8 bits, a = 0x1, b = 0x1: the left side is 0x0, the right side a trap (overflow)"
    );
}

/// Each of these fails only at large widths, at few values.
#[test]
fn rare_failures_at_large_widths_are_found() {
    let zero = |n: &mut Builder, root| (root, n.literal(0), vec![]);
    let rare = [
        // a = MIN, and b = −1.
        equation(|n| {
            let (a, b, ones) = (n.variable(0), n.variable(1), n.literal(-1));
            let (minus, nothing) = (n.on(Op::Neg, &[a]), n.literal(0));
            let (same, set) = (n.on(Op::Eq, &[a, minus]), n.on(Op::Ne, &[a, nothing]));
            let least = n.on(Op::And, &[same, set]);
            let last = n.on(Op::Eq, &[b, ones]);
            let root = n.on(Op::And, &[least, last]);
            zero(n, root)
        }),
        // b is the complement of a.
        equation(|n| {
            let (a, b) = (n.variable(0), n.variable(1));
            let not = n.on(Op::Not, &[b]);
            let root = n.on(Op::Eq, &[a, not]);
            zero(n, root)
        }),
        // b = w − a, a shift amount.
        equation(|n| {
            let (a, b) = (n.variable(0), n.variable(1));
            let width = n.terms.apply_at(Op::Bits(Extent::WORD), &[], Extent::WORD);
            let sum = n.on(Op::Add, &[a, b]);
            let (same, less) = (n.on(Op::Eq, &[sum, width]), n.on(Op::Ult, &[a, width]));
            let root = n.on(Op::And, &[same, less]);
            zero(n, root)
        }),
        // All three are powers of two, and two are the same.
        equation(|n| {
            let (a, b, c) = (n.variable(0), n.variable(1), n.variable(2));
            let same = n.on(Op::Eq, &[a, b]);
            let (a, c) = (n.on(Op::IsPower, &[a]), n.on(Op::IsPower, &[c]));
            let powers = n.on(Op::And, &[a, c]);
            let root = n.on(Op::And, &[powers, same]);
            zero(n, root)
        }),
    ];
    for (index, equation) in rare.iter().enumerate() {
        for width in [32, 64, 128, 256, 257] {
            let search = refute(equation, &WORDS, Relation::Exact, &[width]);
            assert!(search.counterexample.is_some(), "{index} at {width}");
        }
    }
}

#[test]
fn enough_valuations_satisfy_the_conditions() {
    let conditioned = [
        // x % C is x & (C − 1) for a power of two C.
        equation(|n| {
            let (x, c, one) = (n.variable(0), n.variable(1), n.literal(1));
            let (rest, mask) = (n.on(Op::Urem, &[x, c]), n.on(Op::Sub, &[c, one]));
            (rest, n.on(Op::And, &[x, mask]), vec![n.on(Op::IsPower, &[c])])
        }),
        // (x << C) >> C keeps the low bits, where C is less than the width.
        equation(|n| {
            let (x, c, ones) = (n.variable(0), n.variable(1), n.literal(-1));
            let width = n.terms.apply_at(Op::Bits(Extent::WORD), &[], Extent::WORD);
            let up = n.on(Op::Shl, &[x, c]);
            let (down, mask) = (n.on(Op::Lshr, &[up, c]), n.on(Op::Lshr, &[ones, c]));
            (down, n.on(Op::And, &[x, mask]), vec![n.on(Op::Ult, &[c, width])])
        }),
        // x * D with C * 7 = D, a condition that is solved for D.
        equation(|n| {
            let (x, c, d, seven) = (n.variable(0), n.variable(1), n.variable(2), n.literal(7));
            let multiple = n.on(Op::Mul, &[c, seven]);
            let (left, inner) = (n.on(Op::Mul, &[x, d]), n.on(Op::Mul, &[x, c]));
            (left, n.on(Op::Mul, &[inner, seven]), vec![n.on(Op::Eq, &[multiple, d])])
        }),
    ];
    for (index, equation) in conditioned.iter().enumerate() {
        for width in [8, 16, 32, 64, 128, 256, 257] {
            let search = refute(equation, &WORDS, Relation::Exact, &[width]);
            assert_eq!(search.counterexample, None, "{index}");
            assert!(search.valuations >= 1000, "{index} at {width}: {}", search.valuations);
            let free = Equation { conditions: vec![], ..equation.clone() };
            let search = refute(&free, &WORDS, Relation::Exact, &[width]);
            // The second one also holds for oversized amounts.
            assert_eq!(search.counterexample.is_some(), index != 1, "{index} at {width}");
        }
    }
}

#[test]
fn ill_formed_widths_are_skipped() {
    let halves = equation(|n| {
        let a = n.variable(0);
        let half = Extent { times: 1, over: 2, plus: 0 };
        let low = n.terms.apply_at(Op::Extract(Extent::fixed(0)), &[a], half);
        let high = n.terms.apply_at(Op::Extract(half), &[a], half);
        (n.on(Op::Concat, &[high, low]), a, vec![])
    });
    let search = refute(&halves, &WORDS, Relation::Exact, ALL);
    assert_eq!(search.counterexample, None);
    assert_eq!(search.widths, [2, 4, 8, 16, 32, 64, 128, 256]);
    let sensible: Vec<u16> =
        ALL.iter().copied().filter(|&width| is_well_formed(&doubling(), width)).collect();
    assert_eq!(sensible, ALL[1..]);
}
