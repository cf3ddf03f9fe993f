//! Holds back what is not new: a term that an accepted rule rewrites to something no larger. What is
//! left over is not an instance of what is known.

use std::collections::HashMap;

use crate::identity::kernel::{Op, TermId, Terms};
use crate::identity::rule::Rule;

/// The left sides of accepted rules, all in one arena, by their root and by the operators below it.
#[derive(Clone, Debug, Default)]
pub(super) struct Sieve {
    terms: Terms,
    patterns: HashMap<Key, Vec<TermId>>,
}

/// The operator of the root, and those of its first two operands; `None` stands for any term.
type Key = (Op, Option<Op>, Option<Op>);

impl Sieve {
    /// Enters a rule that makes terms no larger: its left side, or both if they are alike.
    pub(super) fn accept(&mut self, rule: &Rule) {
        let sizes = rule.equation.sides.map(|side| size(rule.terms(), side));
        for (index, &side) in rule.equation.sides.iter().enumerate() {
            let covers = {
                let (here, there) =
                    (rule.occurrences(side), rule.occurrences(rule.equation.sides[1 - index]));
                here.iter().zip(&there).all(|(h, t)| *h > 0 || *t == 0)
            };
            if sizes[index] >= sizes[1 - index] && covers && rule.terms().op(side).arity() > 0 {
                let pattern = self.terms.import(rule.terms(), side, &mut |_, _| None);
                let key = key(&self.terms, pattern);
                self.patterns.entry(key).or_default().push(pattern);
            }
        }
    }

    /// Whether an accepted rule rewrites the term at its root.
    pub(super) fn holds_back(&self, terms: &Terms, term: TermId) -> bool {
        let node = terms.node(term);
        let below = |index: usize| node.args().get(index).map(|&arg| kind(terms, arg));
        let (first, second) = (below(0), below(1));
        let mut keys = Vec::with_capacity(8);
        for (a, b) in [(first, second), (second, first)] {
            for a in [a, None] {
                for b in [b, None] {
                    keys.push((node.op, a.flatten(), b.flatten()));
                }
            }
            if !node.op.commutes() {
                break;
            }
        }
        keys.sort_unstable();
        keys.dedup();
        let mut bound = Vec::new();
        keys.iter().filter_map(|key| self.patterns.get(key)).flatten().any(|&pattern| {
            bound.clear();
            self.matches(pattern, terms, term, &mut bound)
        })
    }

    /// Whether a term is an instance of a pattern, up to the order of operands that may be exchanged.
    fn matches(
        &self,
        pattern: TermId,
        terms: &Terms,
        term: TermId,
        bound: &mut Vec<(u16, TermId)>,
    ) -> bool {
        let node = self.terms.node(pattern);
        if let Op::Variable(index) = node.op {
            if let Some((_, known)) = bound.iter().find(|(i, _)| *i == index) {
                return *known == term;
            }
            bound.push((index, term));
            return true;
        }
        let other = terms.node(term);
        if let (Op::Literal(a), Op::Literal(b)) = (node.op, other.op) {
            return self.terms.integer(a) == terms.integer(b);
        }
        if node.op != other.op {
            return false;
        }
        let mark = bound.len();
        let pairs = node.args().iter().zip(other.args());
        if pairs.clone().all(|(&p, &t)| self.matches(p, terms, t, bound)) {
            return true;
        }
        bound.truncate(mark);
        if !node.op.commutes() {
            return false;
        }
        let swapped = self.matches(node.args[0], terms, other.args[1], bound)
            && self.matches(node.args[1], terms, other.args[0], bound)
            && node.args().len() == 2;
        if !swapped {
            bound.truncate(mark);
        }
        swapped
    }
}

fn key(terms: &Terms, pattern: TermId) -> Key {
    let node = terms.node(pattern);
    let below = |index: usize| node.args().get(index).and_then(|&arg| kind(terms, arg));
    (node.op, below(0), below(1))
}

/// The operator of a term, or `None` for a variable, which stands for any term in a pattern. Literals
/// differ by value, which an index into an arena does not tell.
fn kind(terms: &Terms, term: TermId) -> Option<Op> {
    match terms.op(term) {
        Op::Variable(_) => None,
        Op::Literal(_) => Some(Op::Literal(0)),
        op => Some(op),
    }
}

/// The number of nodes, counted as the text of the term is.
pub(super) fn size(terms: &Terms, term: TermId) -> usize {
    1 + terms.args(term).iter().map(|&arg| size(terms, arg)).sum::<usize>()
}
