//! Explores all reachable states of the automaton of a goal. Fails if a state violates the goal or
//! there are too many states. The set of states is the certificate; checking it is left to
//! `kernel/slices.rs`.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

use crate::kernel::{Automaton, Certificate, Goal, State, encode};
use forge::{Entropy, Ticket};

/// Limit on explored states.
const STATES: usize = 1 << 14;
/// Limit on the average number of transitions per state.
const STEPS: usize = 16;
/// Random simulations before the exploration, of 64 lanes each.
const RUNS: u16 = 12;

pub fn prove(goal: &Goal) -> Option<Certificate> {
    match explore(goal, STATES) {
        Exploration::Proven(certificate) => Some(certificate),
        Exploration::Fails | Exploration::TooLarge => None,
    }
}

/// The result of an exploration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Exploration {
    Proven(Certificate),
    /// The goal is false, or depends on something that the automaton does not model.
    Fails,
    TooLarge,
}

pub fn explore(goal: &Goal, limit: usize) -> Exploration {
    let Ok(automaton) = Automaton::new(goal) else { return Exploration::TooLarge };
    if fails_in_simulation(&automaton) {
        return Exploration::Fails;
    }
    // Depth-first: the newest state is closest to the end, where the goal may fail.
    let mut open = automaton.initial();
    let mut seen: HashSet<State, BuildHasherDefault<Mixer>> = open.iter().copied().collect();
    let mut scratch = Vec::new();
    let mut steps = 0;
    while let Some(state) = open.pop() {
        if !automaton.is_safe(state, &mut scratch) {
            return Exploration::Fails;
        } else if seen.len() > limit || steps > STEPS * limit {
            return Exploration::TooLarge;
        }
        automaton.successors(state, &mut scratch, &mut |next| {
            steps += 1;
            if seen.insert(next) {
                open.push(next);
            }
        });
    }
    let mut states: Vec<State> = seen.into_iter().collect();
    states.sort_unstable();
    let states = states.into_iter().map(|state| encode(state, automaton.bytes())).collect();
    Exploration::Proven(Certificate::Slices(states))
}

/// Whether a random simulation ends with all guesses right and the goal false.
fn fails_in_simulation(automaton: &Automaton) -> bool {
    let mut entropy = Entropy::of(&Ticket::new("slices", 0, 0));
    let (least, most) = automaton.lengths();
    (0..RUNS).any(|run| {
        let length = most.unwrap_or(least.max(1) + run % 4);
        automaton.run(length, &mut |_| entropy.word()).0 != 0
    })
}

/// A multiplicative hash for states, many times faster than the default hasher.
#[derive(Debug, Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    fn write_u16(&mut self, number: u16) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        let product = u128::from(self.0 ^ number) * u128::from(0x9e37_79b9_7f4a_7c15_u64);
        self.0 = (product >> 64) as u64 ^ product as u64;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
