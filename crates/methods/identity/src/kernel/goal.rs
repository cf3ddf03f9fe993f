//! Goals: the statement that an equation holds under a semantics, as one flag in core terms that
//! must be set for all values of the variables. The lowering to core terms is left to `meaning.rs`.

use super::meaning::{Inexpressible, Meaning, Outcome};
use super::semantics::{Semantics, WORDS};
use super::term::{TermId, Terms};

/// `left = right`, under conditions. A condition is a surface term in the total semantics, and
/// holds unless it is 0.
#[derive(Clone, Debug, Default)]
pub struct Equation {
    pub terms: Terms,
    pub sides: [TermId; 2],
    pub conditions: Vec<TermId>,
}

/// How the two sides must be related.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Relation {
    /// Both sides trap alike, are undefined alike, and otherwise have the same value.
    Exact,
    /// Wherever the left side has a value, the right side has the same value.
    Forward,
    /// Wherever the right side has a value, the left side has the same value.
    Backward,
}

/// The widths `w` that a goal or proof covers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Scope {
    At(u16),
    /// This width and all greater ones at which every width in the terms is an integer.
    From(u16),
}

impl Scope {
    pub fn least(self) -> u16 {
        match self {
            Self::At(width) | Self::From(width) => width,
        }
    }
}

/// The flag `holds` must be set for all values of the variables, at all widths of the scope.
#[derive(Clone, Debug)]
pub struct Goal {
    pub terms: Terms,
    pub holds: TermId,
    pub scope: Scope,
}

impl Goal {
    /// The goal that the equation stands in the relation, under the semantics, at the widths of the
    /// scope. `Scope::At` yields terms of fixed width.
    pub fn new(
        equation: &Equation,
        semantics: &Semantics,
        relation: Relation,
        scope: Scope,
    ) -> Result<Self, Inexpressible> {
        let mut terms = Terms::new();
        let mut given = terms.truth();
        let mut meaning = Meaning::new(&equation.terms, &mut terms, &WORDS, scope.least());
        for &condition in &equation.conditions {
            let word = meaning.of(condition)?.value;
            let holds = meaning.nonzero(word);
            given = meaning.to.both(given, holds);
        }
        let mut meaning = Meaning::new(&equation.terms, &mut terms, semantics, scope.least());
        meaning.given(given);
        let [left, right] = equation.sides;
        let (left, right) = (meaning.of(left)?, meaning.of(right)?);
        let holds = match relation {
            Relation::Exact => exact(&mut terms, left, right),
            Relation::Forward => refines(&mut terms, left, right),
            Relation::Backward => refines(&mut terms, right, left),
        };
        let holds = implies(&mut terms, given, holds);
        let goal = Self { terms, holds, scope };
        match scope {
            Scope::From(_) => Ok(goal),
            Scope::At(width) => goal.at(width),
        }
    }

    /// The goal at one width of its scope.
    pub fn at(&self, width: u16) -> Result<Self, Inexpressible> {
        let mut terms = Terms::new();
        let holds = terms.at_width(&self.terms, self.holds, width).ok_or(Inexpressible("width"))?;
        Ok(Self { terms, holds, scope: Scope::At(width) })
    }
}

fn exact(terms: &mut Terms, left: Outcome, right: Outcome) -> TermId {
    let mut alike = terms.truth();
    for (a, b) in left.traps.into_iter().zip(right.traps).chain([(left.undefined, right.undefined)])
    {
        let differ = terms.exclusive(a, b);
        let same = terms.negation(differ);
        alike = terms.both(alike, same);
    }
    let valued = defined(terms, left);
    let equal = same(terms, left.value, right.value);
    let equal = implies(terms, valued, equal);
    terms.both(alike, equal)
}

fn refines(terms: &mut Terms, from: Outcome, to: Outcome) -> TermId {
    let (before, after) = (defined(terms, from), defined(terms, to));
    let equal = same(terms, from.value, to.value);
    let good = terms.both(after, equal);
    implies(terms, before, good)
}

fn defined(terms: &mut Terms, outcome: Outcome) -> TermId {
    let stopped =
        terms.any(&[outcome.traps[0], outcome.traps[1], outcome.traps[2], outcome.undefined]);
    terms.negation(stopped)
}

fn same(terms: &mut Terms, a: TermId, b: TermId) -> TermId {
    if a == b { terms.truth() } else { terms.apply(super::op::Op::Same, &[a, b]) }
}

fn implies(terms: &mut Terms, given: TermId, then: TermId) -> TermId {
    let not = terms.negation(given);
    terms.either(not, then)
}
