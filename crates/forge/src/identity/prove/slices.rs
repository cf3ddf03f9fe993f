//! Finds all states that the machine of a goal can reach, unless it reaches one in which the goal fails
//! or there are too many of them. The states are the certificate.

use std::collections::HashSet;

use crate::identity::kernel::{Certificate, Goal, Machine, encode};

/// States that are looked at before the goal is left to others.
const STATES: usize = 1 << 14;
/// Steps per state that may be, on average.
const STEPS: usize = 16;

pub fn prove(goal: &Goal) -> Option<Certificate> {
    match explore(goal, STATES) {
        Exploration::Proven(certificate) => Some(certificate),
        Exploration::Fails | Exploration::TooLarge => None,
    }
}

/// What came of looking at all states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exploration {
    Proven(Certificate),
    /// The goal is false, or holds only because of something that the machine does not follow.
    Fails,
    TooLarge,
}

pub fn explore(goal: &Goal, limit: usize) -> Exploration {
    let Ok(machine) = Machine::new(goal) else { return Exploration::TooLarge };
    let mut queue = machine.initial();
    let mut seen: HashSet<_> = queue.iter().copied().collect();
    let mut scratch = Vec::new();
    let (mut done, mut steps) = (0, 0);
    while let Some(&state) = queue.get(done) {
        done += 1;
        if !machine.may_end(state, &mut scratch) {
            return Exploration::Fails;
        } else if queue.len() > limit || steps > STEPS * limit {
            return Exploration::TooLarge;
        }
        machine.successors(state, &mut scratch, &mut |next| {
            steps += 1;
            if seen.insert(next) {
                queue.push(next);
            }
        });
    }
    queue.sort_unstable();
    let states = queue.into_iter().map(|state| encode(state, machine.bytes())).collect();
    Exploration::Proven(Certificate::Slices(states))
}
