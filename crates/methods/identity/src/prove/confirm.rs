//! Proves again what a ledger says was proven. It says under which semantics, at which widths and by which
//! route; the certificate is derived from nothing and checked. What the search for that cost, which is most
//! of it, is saved: all that was not true, and all that was out of reach.

use std::collections::HashMap;

use super::establish::{Effort, Key, by_route, key};
use crate::kernel::{Goal, SEMANTICS};
use crate::rule::Rule;
use crate::standing::{Proven, Route, Standing};

/// What could not be proven again: the place of the semantics in [`SEMANTICS`], and what was said of it.
pub fn confirm(rule: &Rule, standings: &[Standing], effort: &Effort) -> Vec<(usize, Proven)> {
    // Semantics that mean the same by a rule share its goals.
    let mut known: HashMap<(Key, Route), bool> = HashMap::new();
    let mut missing = Vec::new();
    for (index, (semantics, standing)) in SEMANTICS.iter().zip(standings).enumerate() {
        let Standing::Proven { relation, where_to } = standing else { continue };
        for &proven in where_to {
            let goal = Goal::new(&rule.equation, semantics, *relation, proven.scope);
            let holds = goal.is_ok_and(|goal| {
                let again = || is_proven(&goal, proven.route, effort);
                *known.entry((key(&goal), proven.route)).or_insert_with(again)
            });
            if !holds {
                missing.push((index, proven));
            }
        }
    }
    missing
}

fn is_proven(goal: &Goal, route: Route, effort: &Effort) -> bool {
    // Fewer flags that are split may succeed where more of them did not.
    by_route(goal, route, effort).is_some()
        || route == Route::Lemmas && by_route(goal, route, &effort.lighter()).is_some()
}
