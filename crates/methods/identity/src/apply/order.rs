//! The order in which a side of a rule evaluates its variables, and the variables in which it is
//! strict. These decide whether an operand that may stop can be moved; `mod.rs` gives the argument.

use super::material::own_stops;
use crate::kernel::{Op, Semantics, TermId, Terms};

/// Variables by index, as bit sets.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Order {
    pub(super) present: u32,
    /// Evaluated on all paths, unless an earlier stop.
    pub(super) strict: u32,
    /// The variables evaluated before any operator of the side can stop and before any branch, in
    /// order of first use.
    prefix: Vec<u8>,
}

impl Order {
    pub(super) fn of(terms: &Terms, side: TermId, semantics: &Semantics) -> Self {
        let mut prefix = Vec::new();
        extend_prefix(terms, side, semantics, &mut prefix);
        Self { present: present(terms, side), strict: strict(terms, side), prefix }
    }

    /// Whether both sides start by evaluating these variables in the same order.
    pub(super) fn starts_like(&self, other: &Self, variables: u32) -> bool {
        let among = |v: &&u8| variables & (1 << **v) != 0;
        let mut mine = self.prefix.iter().filter(among);
        let mut theirs = other.prefix.iter().filter(among);
        (0..variables.count_ones()).all(|_| {
            let next = mine.next();
            next.is_some() && next == theirs.next()
        })
    }
}

pub(super) fn present(terms: &Terms, term: TermId) -> u32 {
    match terms.op(term) {
        Op::Variable(index) => 1 << index,
        _ => terms.args(term).iter().fold(0, |all, &arg| all | present(terms, arg)),
    }
}

fn strict(terms: &Terms, term: TermId) -> u32 {
    match (terms.op(term), terms.args(term)) {
        (Op::Variable(index), _) => 1 << index,
        (Op::Ite, &[condition, yes, no]) => {
            strict(terms, condition) | (strict(terms, yes) & strict(terms, no))
        }
        (_, args) => args.iter().fold(0, |all, &arg| all | strict(terms, arg)),
    }
}

/// Extends the prefix by a term. Returns whether the prefix continues after it.
fn extend_prefix(terms: &Terms, term: TermId, semantics: &Semantics, prefix: &mut Vec<u8>) -> bool {
    let node = terms.node(term);
    match node.op {
        Op::Variable(index) => {
            if !prefix.contains(&(index as u8)) {
                prefix.push(index as u8);
            }
            true
        }
        // The prefix could continue after branches that neither use a variable nor stop; no rule
        // has such branches.
        Op::Ite => {
            extend_prefix(terms, node.args[0], semantics, prefix);
            false
        }
        _ => {
            node.args().iter().all(|&arg| extend_prefix(terms, arg, semantics, prefix))
                && own_stops(terms, node, semantics).is_empty()
        }
    }
}
