//! A automaton that reads all words of a goal at once, bit by bit from the least significant end, and
//! has_position at the end whether the goal's flag is set.
//!
//! Its state has the carries of sums and products, what comparisons came to so far, and the last bits.
//! What is not known in time is *guessed*: a flag that is used inside a word is guessed before the first
//! bit, the bits of a right shift and of a quotient as they are needed. A wrong guess either stops the
//! automaton or is seen at the end; a right one always exists, so that the goal holds if the flag is set
//! whenever all guesses were right. Words and flags that the automaton cannot follow are any words and
//! flags, the same where `ring.rs` has_position that they are: that only makes the claim stronger.

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

/// Bits of a state. It is stored as one number.
const STATE: usize = 128;
/// Bits that are read in a step.
const INPUTS: usize = 12;
/// Bits of factors, divisors and shift amounts; more would be more states than anyone looks at.
const CARRY: u64 = 16;
/// Bits that are kept by shifts by almost the width.
const SHORT: u16 = 4;
/// Summands of a normal form that is not modelled otherwise.
const SUMMANDS: usize = 6;
/// Bits of literals.
const LITERAL: u16 = 4096;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct State {
    /// How many bits were read, or that it were enough for nothing to change any more.
    pub(crate) position: u16,
    pub(crate) bits: u128,
}

#[derive(Debug)]
pub(crate) struct Automaton {
    inputs: usize,
    /// What each bit of the state is at first; `None` is both.
    first: Vec<Option<bool>>,
    step: Gates,
    next: Vec<Wire>,
    /// Whether no guess is known to be wrong.
    legal: Wire,
    /// For each literal, its bit at each position.
    digits: Vec<Vec<bool>>,
    end: Gates,
    /// Whether a guess was wrong or the goal's flag is set.
    accepts: Wire,
    watched: Vec<Wire>,
    scope: Scope,
    /// From this position on, nothing depends on the position.
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

    /// The same of any size, for single runs, which show the value of some flags.
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

    /// 64 runs of so many steps on bits that `any` gives: in which of them all guesses were right and
    /// the goal fails, and in which each of the flags is set.
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

    /// The least number of bits that the words can have, and the greatest if there is one.
    pub(crate) fn lengths(&self) -> (u16, Option<u16>) {
        match self.scope {
            Scope::At(bits) => (bits, Some(bits)),
            Scope::From(bits) => (bits, None),
        }
    }

    pub(crate) fn bytes(&self) -> usize {
        self.first.len().div_ceil(8)
    }

    /// Whether there is such a position.
    pub(crate) fn has_position(&self, state: State) -> bool {
        state.position <= self.stable_from
    }

    /// The states before anything was read.
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

    /// Whether the goal holds if the words end here.
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

    /// Every state that can follow, each at least once.
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

    /// The distinct states among the lanes.
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

/// Column `i` has a lane set where bit `i` of the lane's number is.
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

/// The width that most words have whose flags are in the goal, and how many bits it has at least. Words
/// of other widths are not modelled.
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

/// What was made for some operands, so that it need not be made twice.
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
    /// Of the words that are modelled, and the least number of bits that it can be.
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
    /// Over the last state: what has to be so if all guesses were right.
    end_conditions: Vec<Wire>,
    words: HashMap<TermId, Wire>,
    flags: HashMap<TermId, Wire>,
    unknown: HashMap<Rc<Polynomial>, Wire>,
    unknown_flags: HashMap<Rc<Polynomial>, Wire>,
    guesses: HashMap<Rc<Polynomial>, Wire>,
    /// The wire in a step, and the bits of the state.
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

    /// A bit of the state; what follows on it is to be said later.
    fn state(&mut self, first: Option<bool>) -> (u16, Wire) {
        let bit = self.first.len() as u16;
        self.first.push(first);
        let wire = self.step.wire(Gate::State(bit));
        self.next.push(wire);
        (bit, wire)
    }

    /// A bit that is the last value of a wire.
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
