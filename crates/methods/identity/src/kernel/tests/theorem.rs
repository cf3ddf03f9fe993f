//! Theorems come only from accepted certificates, and rewrite goals only at the widths that they cover.

use super::super::certificate::Certificate;
use super::super::check::{check, check_with};
use super::super::goal::{Equation, Goal, Relation, Scope};
use super::super::semantics::WORDS;
use super::super::term::TermId;
use super::super::theorem::{Rewriting, Theorem};
use crate::parse;
use crate::prove::{compose, slices};

fn equation(text: &str) -> Equation {
    let (rules, errors) = parse::rules(&format!("category ring\nrule sample\n    {text}\n"));
    assert_eq!(errors, []);
    rules[0].equation.clone()
}

fn goal(text: &str, scope: Scope) -> Goal {
    Goal::new(&equation(text), &WORDS, Relation::Exact, scope).unwrap()
}

/// Proven by slices, for all widths from `least` on.
fn theorem(text: &str, least: u16) -> Option<Theorem> {
    let proof = slices::prove(&goal(text, Scope::From(least)))?;
    Some(Theorem::new(&equation(text), least, &proof).unwrap())
}

const HALF: &str = "x & 1 = x - ((x >>u 1) << 1)";
const PRODUCT: &str = "x * y = (((x >>u 1) * y) << 1) + (x & 1) * y";

/// A certificate that rewrites `x & 1` by a theorem, for `x` the first variable of the goal.
fn composed(goal: &Goal, theorem: u16, backwards: bool) -> Certificate {
    let x = goal.terms.in_order(&[goal.holds])[0];
    let steps = vec![Rewriting { theorem, backwards, operands: vec![x] }];
    Certificate::Composed { steps, rest: Box::new(Certificate::Ring) }
}

#[test]
fn theorems_rewrite_goals_at_all_widths_and_at_one() {
    let theorems = [theorem(HALF, 1).unwrap()];
    for scope in [Scope::From(2), Scope::At(8), Scope::At(256)] {
        let goal = goal(PRODUCT, scope);
        let certificate = composed(&goal, 0, false);
        assert_eq!(check_with(&goal, &certificate, &theorems), Ok(()), "{scope:?}");
        assert!(check(&goal, &certificate).is_err(), "without the theorem");
        assert!(
            check_with(&goal, &composed(&goal, 1, false), &theorems).is_err(),
            "another theorem"
        );
        assert!(check_with(&goal, &composed(&goal, 0, true), &theorems).is_err(), "backwards");
        assert!(check(&goal, &Certificate::Ring).is_err(), "the theorem is needed");
    }
}

#[test]
fn theorem_requires_an_accepted_certificate() {
    for certificate in [Certificate::Ring, Certificate::Linear, Certificate::Slices(Vec::new())] {
        assert!(Theorem::new(&equation("x & 1 = x"), 1, &certificate).is_err());
    }
    // Provable from width 2 on, and false at width 1.
    let text = "(x | 2) != 0 = 1";
    let proof = slices::prove(&goal(text, Scope::From(2))).unwrap();
    assert!(Theorem::new(&equation(text), 2, &proof).is_ok());
    assert!(Theorem::new(&equation(text), 1, &proof).is_err());
}

#[test]
fn conditional_and_partial_width_equations_are_not_theorems() {
    let conditional = equation("x + C = C + x\n    where C != 0");
    assert!(Theorem::new(&conditional, 1, &Certificate::Ring).is_err());
    let odd_widths_have_no_half = equation("zext(x, w) + y = y + zext(x, w)\n    vars x: w/2");
    assert!(Theorem::new(&odd_widths_have_no_half, 1, &Certificate::Ring).is_err());
}

#[test]
fn theorem_requires_its_widths_and_operands() {
    let theorems = [theorem("x & 1 = x - ((x >>u 1) << 1)", 4).unwrap()];
    for (scope, holds) in [
        (Scope::From(4), true),
        (Scope::From(2), false),
        (Scope::At(4), true),
        (Scope::At(3), false),
    ] {
        let goal = goal(PRODUCT, scope);
        let accepted = check_with(&goal, &composed(&goal, 0, false), &theorems).is_ok();
        assert_eq!(accepted, holds, "{scope:?}");
    }
    let goal = goal(PRODUCT, Scope::From(4));
    let x = goal.terms.in_order(&[goal.holds])[0];
    for operands in [vec![], vec![x, x], vec![TermId(100_000)], vec![goal.holds]] {
        let steps = vec![Rewriting { theorem: 0, backwards: false, operands }];
        let certificate = Certificate::Composed { steps, rest: Box::new(Certificate::Ring) };
        assert!(check_with(&goal, &certificate, &theorems).is_err());
    }
}

#[test]
fn library_rules_compose_and_near_misses_are_not_proven() {
    assert_eq!(compose::theorems().len(), 5, "every rule of the basis is a theorem");
    for text in [PRODUCT, "x * y = (x << 1) * (y >>u 1) + (-(y & 1) & x)"] {
        let goal = goal(text, Scope::From(2));
        let certificate = compose::prove(&goal).unwrap();
        assert_eq!(check_with(&goal, &certificate, compose::theorems()), Ok(()), "{text}");
    }
    for text in [
        "x * y = (((x >>u 1) * y) << 1) + (x & 1) * x",
        "x * y = (((x >>u 1) * y) << 1) + (y & 1) * x",
        "x * y = (x << 1) * (y >>u 1) + ((y & 1) & x)",
    ] {
        assert_eq!(compose::prove(&goal(text, Scope::From(2))), None, "{text}");
    }
}
