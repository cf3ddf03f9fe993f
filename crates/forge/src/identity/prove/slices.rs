//! Finds all states that the machine of a goal can reach, unless it reaches one in which the goal fails
//! or there are too many of them. The states are the certificate.

use std::collections::HashSet;

use crate::identity::kernel::{Certificate, Goal, Machine, encode};

/// States that are looked at before the goal is left to others.
const STATES: usize = 1 << 15;

pub fn prove(goal: &Goal) -> Option<Certificate> {
    let machine = Machine::new(goal).ok()?;
    let mut queue = machine.initial();
    let mut seen: HashSet<_> = queue.iter().copied().collect();
    let mut scratch = Vec::new();
    let mut done = 0;
    while let Some(&state) = queue.get(done) {
        done += 1;
        if queue.len() > STATES || !machine.may_end(state, &mut scratch) {
            return None;
        }
        machine.successors(state, &mut scratch, &mut |next| {
            if seen.insert(next) {
                queue.push(next);
            }
        });
    }
    queue.sort_unstable();
    let bytes = machine.bytes();
    Some(Certificate::Slices(queue.into_iter().map(|state| encode(state, bytes)).collect()))
}
