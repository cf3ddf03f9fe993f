//! Composition of proven rules. Some library rules are proven as theorems and rewrite the goal as
//! long as one applies; the ring normal form or slices close the result.

use std::sync::LazyLock;

use super::slices;
use crate::kernel::{
    Certificate, Goal, Op, Relation, Rewriting, Scope, TermId, Theorem, WORDS, check, rewritten,
};
use crate::library::SOURCES;
use crate::parse;
use crate::rule::Rule;
use crate::synth::matches;

/// The rules to compose, and whether to apply them from right to left. Each replaces bit
/// extractions, so that a polynomial remains.
const BASIS: &[(&str, bool)] = &[
    ("ring-lowest-bit-as-factor", true),
    ("pmba-bit-selects-by-difference", true),
    ("ring-lowest-bit-by-half", false),
    ("ring-half-twice", false),
    ("ring-half-plus-rest", false),
];

/// Limit on rewrite steps.
const STEPS: usize = 24;

struct Basis {
    theorems: Vec<Theorem>,
    backwards: Vec<bool>,
}

static COMPOSED: LazyLock<Basis> = LazyLock::new(|| {
    let wanted = |rule: &Rule| BASIS.iter().any(|(name, _)| *name == rule.name);
    let written = SOURCES.iter().filter(|source| source.name != "synthesised");
    let rules: Vec<Rule> =
        written.flat_map(|source| parse::rules(source.text).0).filter(wanted).collect();
    let found = BASIS.iter().filter_map(|&(name, backwards)| {
        let rule = rules.iter().find(|rule| rule.name == name)?;
        Some((theorem(rule)?, backwards))
    });
    let (theorems, backwards) = found.unzip();
    Basis { theorems, backwards }
});

/// The theorems that certificates of this prover refer to by index.
pub fn theorems() -> &'static [Theorem] {
    &COMPOSED.theorems
}

/// Proves a rule without using theorems.
fn theorem(rule: &Rule) -> Option<Theorem> {
    let least = rule.widths.least;
    let scope = Scope::From(least);
    let goal = Goal::new(&rule.equation, &WORDS, Relation::Exact, scope).ok()?;
    let ring = Some(Certificate::Ring).filter(|ring| check(&goal, ring).is_ok());
    let found = ring.or_else(|| slices::prove(&goal)).or_else(|| super::lemma::prove(&goal, 0))?;
    Theorem::new(&rule.equation, least, &found).ok()
}

/// The certificate has not been checked yet.
pub fn prove(goal: &Goal) -> Option<Certificate> {
    let theorems = theorems();
    let mut steps: Vec<Rewriting> = Vec::new();
    let mut now = goal.clone();
    while steps.len() < STEPS {
        let Some((step, next)) = step(&now, theorems) else { break };
        steps.push(step);
        now = next;
        // An early success gives a shorter certificate.
        if check(&now, &Certificate::Ring).is_ok() {
            return Some(Certificate::Composed { steps, rest: Box::new(Certificate::Ring) });
        }
    }
    if steps.is_empty() {
        return None;
    }
    let rest = slices::prove(&now)?;
    Some(Certificate::Composed { steps, rest: Box::new(rest) })
}

/// The first rewrite by a theorem that changes the goal, and the resulting goal.
fn step(goal: &Goal, theorems: &[Theorem]) -> Option<(Rewriting, Goal)> {
    for (index, (theorem, &backwards)) in theorems.iter().zip(&COMPOSED.backwards).enumerate() {
        let (patterns, sides) = theorem.sides();
        let pattern = sides[usize::from(backwards)];
        for term in goal.terms.in_order(&[goal.holds]) {
            let mut bound: Vec<(u16, TermId)> = Vec::new();
            let matched = !matches!(goal.terms.op(term), Op::Variable(_))
                && matches(patterns, pattern, &goal.terms, term, &mut bound);
            if !matched {
                continue;
            }
            bound.sort_unstable();
            let operands = bound.iter().map(|&(_, operand)| operand).collect();
            let step = Rewriting { theorem: index as u16, backwards, operands };
            match rewritten(goal, std::slice::from_ref(&step), theorems) {
                Ok(next) if next.holds != goal.holds => return Some((step, next)),
                _ => {}
            }
        }
    }
    None
}
