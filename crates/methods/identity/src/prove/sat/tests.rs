//! True goals are proven with accepted certificates, and false goals yield a counterexample.

use num_bigint::BigInt;

use super::{Answer, prove};
use crate::kernel::{Blaster, Certificate, Circuit, Op, Terms, Wire, check, refutation_text};
use crate::prove::sample::goal;

const TRUE: &[&str] = &[
    "a - b = a + ~b + 1",
    "x * 7 = (x << 3) - x",
    "a + b = (a ^ b) + 2 * (a & b)",
    "a ^ b = (a | b) - (a & b)",
    "-(a + 1) = ~a",
    "umin(a, b) + umax(a, b) = a + b",
];

#[test]
fn refutations_of_identities_at_256_bits_are_accepted() {
    for equation in TRUE {
        let goal = goal(equation, 256);
        let Answer::Proven(certificate) = prove(&goal, 200_000, 1_000_000) else {
            panic!("{equation}")
        };
        check(&goal, &certificate).unwrap();
        assert_eq!(Answer::Proven(certificate), prove(&goal, 200_000, 1_000_000), "deterministic");
    }
}

#[test]
fn structural_hashing_proves_rearrangements() {
    for equation in [
        "~(a & b) = ~a | ~b",
        "a + b = b + a",
        "a * b = b * a",
        "~(a + b) = ~a - b",
        "a <s 0 = (a >>u (w - 1)) & 1",
        "x * 8 = x << 3",
        "x /u 16 = x >>u 4",
        "x %u 16 = x & 15",
        "a == b = b == a",
        "a ^ b ^ a = b",
    ] {
        assert_eq!(
            prove(&goal(equation, 256), 0, 1_000_000),
            Answer::Proven(Certificate::Circuit),
            "{equation}"
        );
        check(&goal(equation, 256), &Certificate::Circuit).unwrap();
    }
}

#[test]
fn near_misses_yield_a_counterexample() {
    for equation in [
        "a - b = a + ~b",
        "x * 7 = (x << 3) + x",
        "a + b = (a ^ b) + 3 * (a & b)",
        "~(a & b) = ~a & ~b",
        "x /s 16 = x >>s 4",
        "a <s b = a <u b",
        "x = x & ~(1 << 17)",
    ] {
        let goal = goal(equation, 256);
        assert!(check(&goal, &Certificate::Circuit).is_err(), "{equation}");
        let Answer::Refuted(values) = prove(&goal, 10_000, 1_000_000) else { panic!("{equation}") };
        let mut terms = Terms::new();
        let holds = terms.import(&goal.terms, goal.holds, &mut |terms, node| match node.op {
            Op::Variable(index) => {
                Some(terms.literal(values.get(&index).cloned().unwrap_or(BigInt::ZERO), node.width))
            }
            _ => None,
        });
        let wire = Blaster::default().flag(&terms, holds).unwrap();
        assert_eq!(wire, Wire::FALSE, "{equation} at {values:?}");
    }
}

#[test]
fn dimacs_and_lrat_exports_match_the_clauses() {
    let goal = goal("a + b = (a ^ b) + 2 * (a & b)", 8);
    let Answer::Proven(Certificate::Refutation(bytes)) = prove(&goal, 10_000, 1_000_000) else {
        panic!()
    };
    let clauses = Circuit::of(&goal).unwrap().clauses();
    let (dimacs, text) = (clauses.dimacs(), refutation_text(&clauses, &bytes).unwrap());
    let header = format!("p cnf {} {}", clauses.variables(), clauses.len());
    assert_eq!(dimacs.lines().next(), Some(header.as_str()));
    assert_eq!(dimacs.lines().count(), clauses.len() + 1);
    assert!(text.starts_with(&format!("{} ", clauses.len() + 1)));
    let last: Vec<&str> = text.lines().last().unwrap().split(' ').collect();
    assert_eq!((last[1], last.last()), ("0", Some(&"0")), "the empty clause, and its hints");
}
