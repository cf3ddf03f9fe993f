//! Where the constants of a program are: literals in the expression, which the front end folds; constants of the module, which
//! the optimiser has to look up; or arguments that always have this value, so that nothing is folded.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use super::program::{Body, width};
use super::run::{closed, divisor};
use forge::Entropy;
use identity::evaluate::Outcome;
use identity::kernel::{Op, OversizedShift, Semantics, TermId, Terms};

/// Where a constant is, if not in the expression.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    Module,
    Argument,
}

/// By width and value; a constant that is missing is a literal.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Places(pub BTreeMap<(u16, BigInt), Place>);

impl Places {
    pub fn get(&self, width: u16, value: &BigInt) -> Option<Place> {
        self.0.get(&(width, value.clone())).copied()
    }

    /// Those of a place, in order.
    pub fn all(&self, place: Place) -> impl Iterator<Item = (u16, &BigInt)> {
        let of_place = self.0.iter().filter(move |(_, at)| **at == place);
        of_place.map(|((width, value), _)| (*width, value))
    }

    /// The position of a constant among those of its place.
    pub fn position(&self, place: Place, width: u16, value: &BigInt) -> Option<usize> {
        self.all(place).position(|it| it == (width, value))
    }

    /// Draws a place for each constant of some bodies. Three of five stay literals.
    pub(super) fn draw(
        terms: &Terms,
        bodies: &[&Body],
        semantics: &Semantics,
        entropy: &mut Entropy,
    ) -> Self {
        let mut places = Self::default();
        // Programs whose constants are all in one place are drawn, too.
        let mode = entropy.below(5);
        for (width, value) in literals(terms, bodies) {
            let draw = match mode {
                0 => 0,
                1 => 4,
                _ => entropy.below(5),
            };
            let place = match draw {
                0..=2 => continue,
                3 => Place::Module,
                _ => Place::Argument,
            };
            places.0.insert((width, value), place);
        }
        places.forced(terms, bodies, semantics);
        places
    }

    /// Makes those constants arguments for which compilers rightly report errors: shift amounts that are too large where
    /// that is undefined, and all in a constant expression that traps, is undefined, or is a divisor of zero.
    pub(super) fn forced(&mut self, terms: &Terms, bodies: &[&Body], semantics: &Semantics) {
        let roots: Vec<TermId> = bodies.iter().flat_map(|body| body.sites()).collect();
        let hide = |places: &mut Self, term: TermId| {
            if let Some(value) = terms.literal_value(term) {
                places.0.insert((width(terms, term), value.clone()), Place::Argument);
            }
        };
        let order = terms.in_order(&roots);
        let any_shift =
            matches!(semantics.oversized_shift, OversizedShift::Fills | OversizedShift::Masks);
        for &term in &order {
            let node = terms.node(term);
            let (operand, is_wrong): (TermId, &dyn Fn(&BigInt) -> bool) = match node.op {
                Op::Shl | Op::Lshr | Op::Ashr if !any_shift => {
                    (node.args[1], &|amount| *amount >= BigInt::from(width(terms, term)))
                }
                _ => continue,
            };
            if terms.literal_value(operand).is_some_and(is_wrong) {
                hide(self, operand);
            }
        }
        let closed = closed(terms, &order, semantics);
        let stopping = closed.iter().filter(|(_, outcome)| !matches!(outcome, Outcome::Value(_)));
        let zeros = order.iter().filter_map(|&term| {
            let divisor = terms.args(term)[divisor(terms.op(term))?];
            let is_zero =
                matches!(closed.get(&divisor)?, Outcome::Value(it) if *it == BigInt::ZERO);
            is_zero.then_some(divisor)
        });
        for wrong in stopping.map(|(&term, _)| term).chain(zeros) {
            for term in terms.in_order(&[wrong]) {
                hide(self, term);
            }
        }
    }

    /// Removes the constants that no body has any more.
    pub(super) fn prune(&mut self, terms: &Terms, bodies: &[&Body]) {
        let there = literals(terms, bodies);
        self.0.retain(|(width, value), _| there.contains(&(*width, value.clone())));
    }
}

/// The constants of some bodies, each once, in order.
pub(super) fn literals(terms: &Terms, bodies: &[&Body]) -> Vec<(u16, BigInt)> {
    let roots: Vec<TermId> = bodies.iter().flat_map(|body| body.sites()).collect();
    let order = terms.in_order(&roots);
    let mut all: Vec<(u16, BigInt)> = order
        .iter()
        .filter_map(|&term| Some((width(terms, term), terms.literal_value(term)?.clone())))
        .collect();
    all.sort();
    all.dedup();
    all
}
