//! Reproves what a ledger records. The ledger gives the semantics, widths and route; the
//! certificate is found anew and checked. This saves most of the search cost: failed proofs and
//! refutations.

use std::collections::HashMap;

use super::establish::{Effort, Key, by_route, key};
use crate::kernel::{Goal, SEMANTICS};
use crate::rule::Rule;
use crate::standing::{Proven, Route, Standing};

/// The entries that could not be reproven: the index in [`SEMANTICS`], and the recorded result.
pub fn confirm(rule: &Rule, standings: &[Standing], effort: &Effort) -> Vec<(usize, Proven)> {
    // Semantics that lower a rule to the same goal share its proof.
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
    // A search with fewer flag splits may succeed where one with more failed.
    by_route(goal, route, effort).is_some()
        || route == Route::Lemmas && by_route(goal, route, &effort.reduced()).is_some()
}
