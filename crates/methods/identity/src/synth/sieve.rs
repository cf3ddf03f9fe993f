//! Filters redundant candidates: terms that an accepted rule rewrites to a term that is no larger.

use std::collections::HashMap;

use super::matching::{Key, key, keys, matches, size};
use crate::kernel::{TermId, Terms};
use crate::rule::Rule;

/// The patterns of accepted rules in one arena, by key.
#[derive(Clone, Debug, Default)]
pub(super) struct Sieve {
    terms: Terms,
    patterns: HashMap<Key, Vec<TermId>>,
}

impl Sieve {
    /// Adds a rule in the directions that do not enlarge terms: left to right, or both if the sides
    /// have equal size.
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
    pub(super) fn is_redundant(&self, terms: &Terms, term: TermId) -> bool {
        let keys = keys(terms, term);
        let mut bound = Vec::new();
        keys.iter().filter_map(|key| self.patterns.get(key)).flatten().any(|&pattern| {
            bound.clear();
            matches(&self.terms, pattern, terms, term, &mut bound)
        })
    }
}
