//! Grades: how far a rule is from a consequence of the hand-written rules. If a bounded search
//! connects the two sides by such rules, the grade is the number of steps. Otherwise it is greater,
//! and grows with the size of the remaining difference, up to [`FAR`]. Hunts can prefer rules of a
//! high grade.

use std::collections::HashMap;

use super::matching::{Key, key, keys, matches, size};
use crate::kernel::{Extent, Op, TermId, Terms};
use crate::library::Entry;
use crate::rule::Rule;

/// The greatest grade.
pub const FAR: u8 = 9;

/// Rewrite steps from either side.
const STEPS: u8 = 2;
/// The remaining difference in nodes, for each grade beyond the steps.
const DIFFERENCES: [usize; 4] = [2, 3, 4, 6];
/// Limit on terms reached per side, and on their growth over the rule's size.
const TERMS: usize = 300;
const GROWTH: usize = 3;

/// The hand-written rules, prepared for rewriting.
#[derive(Debug, Default)]
pub struct Grader {
    terms: Terms,
    /// Pairs of a pattern and its replacement, by key.
    rewrites: HashMap<Key, Vec<(TermId, TermId)>>,
}

impl Grader {
    /// Uses the hand-written, unconditional rules on plain words.
    pub fn new(entries: &[Entry]) -> Self {
        let mut grader = Self::default();
        for entry in entries.iter().filter(|entry| !entry.is_synthesised()) {
            grader.enter(&entry.rule);
        }
        grader
    }

    fn enter(&mut self, rule: &Rule) {
        let plain = |width| width == Extent::WORD;
        let words =
            rule.variables.iter().all(|variable| plain(variable.width) && !variable.constant);
        if !words || !rule.equation.conditions.is_empty() {
            return;
        }
        let [left, right] = rule.equation.sides.map(|side| {
            let side = self.terms.import(rule.terms(), side, &mut |_, _| None);
            ordered(&mut self.terms, side)
        });
        let occurs = [rule.occurrences(rule.left()), rule.occurrences(rule.right())];
        for (from, to, before, after) in [(left, right, 0, 1), (right, left, 1, 0)] {
            let invents = occurs[before].iter().zip(&occurs[after]).any(|(b, a)| *b == 0 && *a > 0);
            if !invents && self.terms.op(from).arity() > 0 {
                self.rewrites.entry(key(&self.terms, from)).or_default().push((from, to));
            }
        }
    }

    pub fn grade(&self, rule: &Rule) -> u8 {
        let mut terms = Terms::new();
        let sides = rule.equation.sides.map(|side| {
            let side = terms.import(rule.terms(), side, &mut |_, _| None);
            ordered(&mut terms, side)
        });
        let most = sides.iter().map(|&side| size(&terms, side)).max().unwrap_or(0) + GROWTH;
        let reached = sides.map(|side| self.reachable(&mut terms, side, most));
        let both =
            reached[0].iter().filter_map(|(term, steps)| Some(steps + reached[1].get(term)?));
        both.min().unwrap_or_else(|| {
            let [left, right] = sides;
            let ways = reached[0].keys().map(|&term| (term, right));
            let ways = ways.chain(reached[1].keys().map(|&term| (term, left)));
            let remaining = ways.map(|(a, b)| difference(&terms, a, b)).min().unwrap_or(usize::MAX);
            let beyond = DIFFERENCES.iter().take_while(|&&most| remaining > most).count();
            (2 * STEPS + 1 + beyond as u8).min(FAR)
        })
    }

    /// The terms reachable from a term, and the number of steps to each.
    fn reachable(&self, terms: &mut Terms, term: TermId, most: usize) -> HashMap<TermId, u8> {
        let mut reached = HashMap::from([(term, 0)]);
        let mut frontier = vec![term];
        for steps in 1..=STEPS {
            let mut next = Vec::new();
            for term in frontier {
                for other in self.step(terms, term) {
                    let new = !reached.contains_key(&other) && size(terms, other) <= most;
                    if new && reached.len() < TERMS {
                        reached.insert(other, steps);
                        next.push(other);
                    }
                }
            }
            frontier = next;
        }
        reached
    }

    /// All results of one rewrite at any subterm.
    fn step(&self, terms: &mut Terms, term: TermId) -> Vec<TermId> {
        let mut found = Vec::new();
        let mut bound = Vec::new();
        for key in keys(terms, term) {
            for &(from, to) in self.rewrites.get(&key).into_iter().flatten() {
                bound.clear();
                if matches(&self.terms, from, terms, term, &mut bound) {
                    let made = terms.import(&self.terms, to, &mut |_, node| match node.op {
                        Op::Variable(index) => {
                            bound.iter().find(|(i, _)| *i == index).map(|(_, term)| *term)
                        }
                        _ => None,
                    });
                    found.push(ordered(terms, made));
                }
            }
        }
        let node = terms.node(term);
        for place in 0..node.args().len() {
            for other in self.step(terms, node.args[place]) {
                let mut args = node.args().to_vec();
                args[place] = other;
                let made = terms.apply_at(node.op, &args, node.width);
                found.push(ordered(terms, made));
            }
        }
        found
    }
}

/// The number of nodes in which two terms differ, compared from their roots.
fn difference(terms: &Terms, a: TermId, b: TermId) -> usize {
    if a == b {
        return 0;
    }
    let (x, y) = (terms.node(a), terms.node(b));
    if x.op != y.op || x.op.arity() == 0 {
        return size(terms, a).max(size(terms, b));
    }
    x.args().iter().zip(y.args()).map(|(&a, &b)| difference(terms, a, b)).sum()
}

/// Sorts the operands of commutative operators by term id, so that terms equal up to commutativity
/// become the same term.
fn ordered(terms: &mut Terms, term: TermId) -> TermId {
    let node = terms.node(term);
    if node.op.arity() == 0 {
        return term;
    }
    let mut args: Vec<TermId> = node.args().to_vec();
    for arg in &mut args {
        *arg = ordered(terms, *arg);
    }
    if node.op.commutes() && args[0] > args[1] {
        args.swap(0, 1);
    }
    terms.apply_at(node.op, &args, node.width)
}
