//! Goals for tests, parsed from the text of a rule.

use crate::kernel::{Goal, Relation, Scope, Semantics};
use crate::parse;

/// The goal of an equation in the total semantics. Conditions and other clauses are on further
/// lines.
pub(crate) fn goal(equation: &str, width: u16) -> Goal {
    goal_in(equation, width, "words")
}

pub(crate) fn goal_in(equation: &str, width: u16, semantics: &str) -> Goal {
    let text = format!("category ring\nrule sample\n    {equation}\n");
    let (rules, errors) = parse::rules(&text);
    assert_eq!(errors, []);
    let semantics = Semantics::named(semantics).unwrap();
    Goal::new(&rules[0].equation, semantics, Relation::Exact, Scope::At(width)).unwrap()
}
