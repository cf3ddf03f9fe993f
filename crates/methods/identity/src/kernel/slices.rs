//! Checks an inductive invariant of the automaton that reads all words of a goal bit by bit: a set
//! of states that contains the initial states, is closed under transitions, and contains no state
//! in which the words may end and the goal fails. The transitions are defined in `automaton.rs`.

use std::collections::HashSet;

use super::automaton::{Automaton, State};
use super::goal::Goal;
use super::rejection::Rejection;

pub(crate) fn check(goal: &Goal, states: &[Vec<u8>]) -> Result<(), Rejection> {
    let automaton = Automaton::new(goal)?;
    let states: Option<HashSet<State>> =
        states.iter().map(|bytes| decode(bytes, automaton.bytes())).collect();
    let states = states.ok_or_else(|| Rejection::from("a state has the wrong length"))?;
    if !automaton.initial().iter().all(|state| states.contains(state)) {
        return Err("an initial state is missing".into());
    }
    let mut scratch = Vec::new();
    for &state in &states {
        if !automaton.has_position(state) {
            return Err("a state is beyond the last position".into());
        }
        if !automaton.is_safe(state, &mut scratch) {
            return Err("the goal fails in one of the states".into());
        }
        let mut closed = true;
        automaton.successors(state, &mut scratch, &mut |next| closed &= states.contains(&next));
        if !closed {
            return Err("a successor of one of the states is missing".into());
        }
    }
    Ok(())
}

/// The position, then the bits, both little-endian.
pub(crate) fn encode(state: State, bytes: usize) -> Vec<u8> {
    let mut code = state.position.to_le_bytes().to_vec();
    code.extend(&state.bits.to_le_bytes()[..bytes]);
    code
}

fn decode(code: &[u8], bytes: usize) -> Option<State> {
    let (position, rest) = code.split_first_chunk()?;
    if rest.len() != bytes {
        return None;
    }
    let mut bits = [0; 16];
    bits[..bytes].copy_from_slice(rest);
    Some(State { position: u16::from_le_bytes(*position), bits: u128::from_le_bytes(bits) })
}
