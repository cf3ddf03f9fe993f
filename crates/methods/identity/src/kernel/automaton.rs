//! A nondeterministic automaton that reads all words of a goal in parallel, least significant bit
//! first, and decides at the end whether the goal's flag is set.
//!
//! The state holds the carries of sums and products, the comparisons so far, and the last bits.
//! Values that are needed before they are determined are *guessed*: a flag used inside a word is
//! guessed before the first bit, the bits of a right shift and of a quotient as they are needed. A
//! wrong guess is detected, in a step or at the end. A right one always exists, so that the goal
//! holds if the flag is set in every run without a wrong guess. Words and flags that the automaton
//! cannot model are unconstrained inputs, shared between terms of equal normal form (`ring.rs`).
//! This over-approximates: it can only make the goal harder to prove. Finding invariants is left to
//! `prove/slices.rs`, and checking them to `slices.rs`.

mod arithmetic;
mod flags;
mod shifts;
mod words;

use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;

use super::extent::Extent;
use super::gates::{Gate, Gates, Wire};
use super::goal::{Goal, Scope};
use super::polynomial::Polynomial;
use super::rejection::Rejection;
use super::ring::Ring;
use super::term::{TermId, Terms};

/// Limit on the bits of a state, which is stored as a `u128`.
const STATE: usize = 128;
/// Limit on the input bits per step.
const INPUTS: usize = 12;
/// Limit on the bits of constant factors, divisors and shift amounts; more would give too many
/// states.
const CARRY: u64 = 16;
/// Limit on the bits that remain after a shift by almost the width.
const SHORT: u16 = 4;
/// Limit on the summands of a normal form that stands in for an unmodelled word.
const SUMMANDS: usize = 6;
/// Limit on the bits of a literal.
const LITERAL: u16 = 4096;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct State {
    /// The number of bits read, up to the position from which nothing depends on it.
    pub(crate) position: u16,
    pub(crate) bits: u128,
}

#[derive(Debug)]
pub(crate) struct Automaton {
    inputs: usize,
    /// The initial value of each state bit; `None` is either.
    first: Vec<Option<bool>>,
    step: Gates,
    next: Vec<Wire>,
    /// Whether no guess has been found wrong in the step.
    legal: Wire,
    /// For each literal, its bit at each position.
    digits: Vec<Vec<bool>>,
    end: Gates,
    /// Whether a guess was wrong or the goal's flag is set.
    accepts: Wire,
    watched: Vec<Wire>,
    scope: Scope,
    /// From this position on, no digit depends on the position.
    stable_from: u16,
}

impl Automaton {
    pub(crate) fn new(goal: &Goal) -> Result<Self, Rejection> {
        let automaton = Self::watching(goal, &[])?;
        if automaton.first.len() > STATE || automaton.inputs > INPUTS {
            return Err("the automaton of the goal exceeds its state or input limit".into());
        }
        if automaton.first.iter().filter(|first| first.is_none()).count() > INPUTS {
            return Err("the automaton of the goal has too many guesses".into());
        }
        Ok(automaton)
    }

    /// Like [`Automaton::new`] without size limits, for single runs; the runs also report the given
    /// flags.
    pub(crate) fn watching(goal: &Goal, flags: &[TermId]) -> Result<Self, Rejection> {
        let (width, bits) = modelled_width(goal);
        let mut builder = Builder {
            terms: &goal.terms,
            ring: Ring::new(&goal.terms, goal.scope.least()),
            width,
            bits,
            fixed: width.as_fixed().is_some(),
            inputs: 0,
            first: Vec::new(),
            step: Gates::default(),
            next: Vec::new(),
            legal: Vec::new(),
            literals: Vec::new(),
            end: Gates::default(),
            end_conditions: Vec::new(),
            words: HashMap::new(),
            flags: HashMap::new(),
            unknown: HashMap::new(),
            unknown_flags: HashMap::new(),
            guesses: HashMap::new(),
            made: HashMap::new(),
            countdowns: HashMap::new(),
        };
        let holds = builder.flag(goal.holds);
        let watched = flags.iter().map(|&flag| builder.flag(flag)).collect();
        builder.finish(holds, watched)
    }

    /// Simulates 64 runs of `steps` steps on bits from `any`. Returns the runs with right guesses
    /// in which the goal fails, and the runs in which each watched flag is set.
    pub(crate) fn run(
        &self,
        steps: u16,
        any: &mut impl FnMut(Option<usize>) -> u64,
    ) -> (u64, Vec<u64>) {
        let mut values = Vec::new();
        let mut legal = u64::MAX;
        let mut state: Vec<u64> =
            self.first.iter().map(|first| first.map_or_else(|| any(None), broadcast)).collect();
        for position in 0..steps {
            let inputs: Vec<u64> = (0..self.inputs).map(|input| any(Some(input))).collect();
            let position = position.min(self.stable_from) as usize;
            self.step.evaluate(&mut values, |gate| match gate {
                Gate::Input(input) => inputs[input as usize],
                Gate::State(bit) => state[bit as usize],
                Gate::Digit(literal) => broadcast(self.digits[literal as usize][position]),
                _ => 0,
            });
            legal &= self.legal.value(&values);
            state = self.next.iter().map(|next| next.value(&values)).collect();
        }
        self.end.evaluate(&mut values, |gate| match gate {
            Gate::State(bit) => state[bit as usize],
            _ => 0,
        });
        let flags = self.watched.iter().map(|flag| flag.value(&values)).collect();
        (legal & !self.accepts.value(&values), flags)
    }

    /// The least number of bits of the words, and the greatest if it is bounded.
    pub(crate) fn lengths(&self) -> (u16, Option<u16>) {
        match self.scope {
            Scope::At(bits) => (bits, Some(bits)),
            Scope::From(bits) => (bits, None),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.first.len().div_ceil(8)
    }

    /// Whether the position of the state is in range.
    pub(crate) fn has_position(&self, state: State) -> bool {
        state.position <= self.stable_from
    }

    /// The initial states.
    pub(crate) fn initial(&self) -> Vec<State> {
        let mut states = vec![0u128];
        for (bit, first) in self.first.iter().enumerate() {
            match first {
                Some(false) => {}
                Some(true) => states.iter_mut().for_each(|state| *state |= 1 << bit),
                None => {
                    let set: Vec<u128> = states.iter().map(|state| state | 1 << bit).collect();
                    states.extend(set);
                }
            }
        }
        states.into_iter().map(|bits| State { position: 0, bits }).collect()
    }

    /// Whether the goal holds, or a guess was wrong, if the words end in this state. True where
    /// they cannot end.
    pub(crate) fn is_safe(&self, state: State, scratch: &mut Vec<u64>) -> bool {
        let ends = match self.scope {
            Scope::At(_) => state.position == self.stable_from,
            Scope::From(_) => state.position >= self.scope.least().min(self.stable_from),
        };
        if !ends {
            return true;
        }
        self.end.evaluate(scratch, |gate| match gate {
            Gate::State(bit) => broadcast(state.bits >> bit & 1 == 1),
            _ => 0,
        });
        self.accepts.value(scratch) & 1 == 1
    }

    /// Calls `each` with every successor state, at least once.
    pub(crate) fn successors(
        &self,
        state: State,
        scratch: &mut Vec<u64>,
        each: &mut impl FnMut(State),
    ) {
        let at_end = state.position == self.stable_from;
        if at_end && matches!(self.scope, Scope::At(_)) {
            return;
        }
        let position = if at_end { state.position } else { state.position + 1 };
        let lanes = if self.inputs >= 6 { u64::MAX } else { (1 << (1 << self.inputs)) - 1 };
        for chunk in 0..1usize << self.inputs.saturating_sub(6) {
            self.step.evaluate(scratch, |gate| match gate {
                Gate::Input(input) if input < 6 => COLUMNS[input as usize],
                Gate::Input(input) => broadcast(chunk >> (input - 6) & 1 == 1),
                Gate::State(bit) => broadcast(state.bits >> bit & 1 == 1),
                Gate::Digit(literal) => {
                    broadcast(self.digits[literal as usize][state.position as usize])
                }
                _ => 0,
            });
            let legal = self.legal.value(scratch) & lanes;
            self.split(legal, 0, State { position, bits: 0 }, scratch, each);
        }
    }

    /// Enumerates the distinct states among the lanes.
    fn split(
        &self,
        lanes: u64,
        bit: usize,
        state: State,
        values: &[u64],
        each: &mut impl FnMut(State),
    ) {
        if lanes == 0 {
            return;
        }
        let Some(next) = self.next.get(bit) else { return each(state) };
        let set = next.value(values);
        self.split(lanes & !set, bit + 1, state, values, each);
        let with = State { bits: state.bits | 1 << bit, ..state };
        self.split(lanes & set, bit + 1, with, values, each);
    }
}

/// The lanes whose index has bit `i` set, for column `i`.
const COLUMNS: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

fn broadcast(bit: bool) -> u64 {
    if bit { u64::MAX } else { 0 }
}

/// The most common width of the words that the goal's flags compare or test, and its least number
/// of bits. Words of other widths are not modelled.
fn modelled_width(goal: &Goal) -> (Extent, u16) {
    let mut counts: Vec<(Extent, usize)> = Vec::new();
    for term in goal.terms.in_order(&[goal.holds]) {
        let node = goal.terms.node(term);
        if !node.op.is_flag() || goal.terms.width(node.args[0]) == Extent::BIT {
            continue;
        }
        let width = goal.terms.width(node.args[0]);
        match counts.iter_mut().find(|(other, _)| *other == width) {
            Some((_, count)) => *count += 1,
            None => counts.push((width, 1)),
        }
    }
    let usual = counts.iter().rev().max_by_key(|(_, count)| *count);
    let width = usual.map_or(Extent::WORD, |&(width, _)| width);
    let least = goal.scope.least();
    (width, width.at(least).unwrap_or(0))
}

/// The key of a component, so that it is built once per operands.
#[derive(PartialEq, Eq, Hash, Debug)]
enum Part {
    Add(Wire, Wire),
    Sub(Wire, Wire),
    Mul(Wire, BigInt),
    Differ(Wire, Wire),
    Below(Wire, Wire),
    Last(Wire),
    Early(Wire, u64),
    Top(Wire, u16, bool),
    Shift(Wire, u64, bool),
    Quotient(Wire, BigInt),
}

struct Builder<'a> {
    terms: &'a Terms,
    ring: Ring<'a>,
    /// The width of the modelled words, and the least number of bits that it can be.
    width: Extent,
    bits: u16,
    fixed: bool,
    inputs: usize,
    first: Vec<Option<bool>>,
    step: Gates,
    next: Vec<Wire>,
    legal: Vec<Wire>,
    literals: Vec<BigInt>,
    end: Gates,
    /// Over the last state: the conditions under which all guesses were right.
    end_conditions: Vec<Wire>,
    words: HashMap<TermId, Wire>,
    flags: HashMap<TermId, Wire>,
    unknown: HashMap<Rc<Polynomial>, Wire>,
    unknown_flags: HashMap<Rc<Polynomial>, Wire>,
    guesses: HashMap<Rc<Polynomial>, Wire>,
    /// The output wire of a component in a step, and its state bits.
    made: HashMap<Part, (Wire, Vec<u16>)>,
    countdowns: HashMap<u16, Vec<Wire>>,
}

impl Builder<'_> {
    fn finish(mut self, holds: Wire, watched: Vec<Wire>) -> Result<Automaton, Rejection> {
        let mut accepts = holds;
        for condition in std::mem::take(&mut self.end_conditions) {
            let wrong = self.end.not(condition);
            accepts = self.end.or(accepts, wrong);
        }
        let mut legal = self.step.constant(true);
        for wire in std::mem::take(&mut self.legal) {
            legal = self.step.and(legal, wire);
        }
        let longest = self.literals.iter().map(|literal| literal.bits() + 1).max().unwrap_or(0);
        let longest = u16::try_from(longest).unwrap_or(u16::MAX);
        if longest > LITERAL {
            return Err("a literal of the goal is too large".into());
        }
        let (stable_from, scope) = if self.fixed {
            (self.bits, Scope::At(self.bits))
        } else {
            (self.bits.max(longest), Scope::From(self.bits))
        };
        let digits = self.literals.iter();
        let digits = digits
            .map(|literal| (0..=u64::from(stable_from)).map(|bit| literal.bit(bit)).collect())
            .collect();
        Ok(Automaton {
            inputs: self.inputs,
            first: self.first,
            step: self.step,
            next: self.next,
            legal,
            digits,
            end: self.end,
            accepts,
            watched,
            scope,
            stable_from,
        })
    }

    fn input(&mut self) -> Wire {
        self.inputs += 1;
        self.step.wire(Gate::Input((self.inputs - 1) as u16))
    }

    /// A new state bit; the caller sets its next value.
    fn state(&mut self, first: Option<bool>) -> (u16, Wire) {
        let bit = self.first.len() as u16;
        self.first.push(first);
        let wire = self.step.wire(Gate::State(bit));
        self.next.push(wire);
        (bit, wire)
    }

    /// A state bit that holds the previous value of a wire.
    fn latch(&mut self, wire: Wire) -> u16 {
        let (bit, _) = self.state(Some(false));
        self.next[bit as usize] = wire;
        bit
    }

    fn at_end(&mut self, bit: u16) -> Wire {
        self.end.wire(Gate::State(bit))
    }

    fn digit(&mut self, literal: BigInt) -> Wire {
        if literal == BigInt::ZERO || literal == BigInt::from(-1) {
            return self.step.constant(literal != BigInt::ZERO);
        }
        let known = self.literals.iter().position(|other| *other == literal);
        let index = known.unwrap_or_else(|| {
            self.literals.push(literal);
            self.literals.len() - 1
        });
        self.step.wire(Gate::Digit(index as u16))
    }

    fn make(
        &mut self,
        part: Part,
        maker: impl FnOnce(&mut Self) -> (Wire, Vec<u16>),
    ) -> (Wire, Vec<u16>) {
        if let Some(made) = self.made.get(&part) {
            return made.clone();
        }
        let made = maker(self);
        self.made.insert(part, made.clone());
        made
    }
}
