//! A machine that reads all words of a goal at once, bit by bit from the least significant end, and
//! knows at the end whether the goal's flag is set.
//!
//! Its state has the carries of sums and products, what comparisons came to so far, and the last bits.
//! What is not known in time is *guessed*: a flag that is used inside a word is guessed before the first
//! bit, the bits of a right shift and of a quotient as they are needed. A wrong guess either stops the
//! machine or is seen at the end; a right one always exists, so that the goal holds if the flag is set
//! whenever all guesses were right. Words and flags that the machine cannot follow are any words and
//! flags, the same where `ring.rs` knows that they are: that only makes the claim stronger.

use std::collections::HashMap;
use std::rc::Rc;

use num_bigint::BigInt;

use super::claim::{Goal, Scope};
use super::extent::Extent;
use super::gates::{Gate, Gates, Wire};
use super::op::Op;
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
/// Summands of a normal form that is not followed otherwise.
const SUMMANDS: usize = 6;
/// Bits of literals.
const LITERAL: u16 = 4096;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(in crate::identity) struct State {
    /// How many bits were read, or that it were enough for nothing to change any more.
    pub(in crate::identity) position: u16,
    pub(in crate::identity) bits: u128,
}

#[derive(Debug)]
pub(in crate::identity) struct Machine {
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
    good: Wire,
    watched: Vec<Wire>,
    scope: Scope,
    /// From this position on, nothing depends on the position.
    settled: u16,
}

impl Machine {
    pub(in crate::identity) fn new(goal: &Goal) -> Result<Self, Rejection> {
        let machine = Self::watching(goal, &[])?;
        if machine.first.len() > STATE || machine.inputs > INPUTS {
            return Err("the machine of the goal has too large a state".into());
        }
        if machine.first.iter().filter(|first| first.is_none()).count() > INPUTS {
            return Err("the machine of the goal has too many guesses".into());
        }
        Ok(machine)
    }

    /// The same of any size, for single runs, which show the value of some flags.
    pub(in crate::identity) fn watching(goal: &Goal, flags: &[TermId]) -> Result<Self, Rejection> {
        let (width, bits) = stream(goal);
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
            right: Vec::new(),
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
    pub(in crate::identity) fn run(
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
            let position = position.min(self.settled) as usize;
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
        (legal & !self.good.value(&values), flags)
    }

    /// The least number of bits that the words can have, and the greatest if there is one.
    pub(in crate::identity) fn lengths(&self) -> (u16, Option<u16>) {
        match self.scope {
            Scope::At(bits) => (bits, Some(bits)),
            Scope::From(bits) => (bits, None),
        }
    }

    pub(in crate::identity) fn bytes(&self) -> usize {
        self.first.len().div_ceil(8)
    }

    /// Whether there is such a position.
    pub(in crate::identity) fn knows(&self, state: State) -> bool {
        state.position <= self.settled
    }

    /// The states before anything was read.
    pub(in crate::identity) fn initial(&self) -> Vec<State> {
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
    pub(in crate::identity) fn may_end(&self, state: State, scratch: &mut Vec<u64>) -> bool {
        let ends = match self.scope {
            Scope::At(_) => state.position == self.settled,
            Scope::From(_) => state.position >= self.scope.least().min(self.settled),
        };
        if !ends {
            return true;
        }
        self.end.evaluate(scratch, |gate| match gate {
            Gate::State(bit) => broadcast(state.bits >> bit & 1 == 1),
            _ => 0,
        });
        self.good.value(scratch) & 1 == 1
    }

    /// Every state that can follow, each at least once.
    pub(in crate::identity) fn successors(
        &self,
        state: State,
        scratch: &mut Vec<u64>,
        each: &mut impl FnMut(State),
    ) {
        let at_end = state.position == self.settled;
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
/// of other widths are not followed.
fn stream(goal: &Goal) -> (Extent, u16) {
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
    /// Of the words that are followed, and the least number of bits that it can be.
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
    right: Vec<Wire>,
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
    fn finish(mut self, holds: Wire, watched: Vec<Wire>) -> Result<Machine, Rejection> {
        let mut good = holds;
        for right in std::mem::take(&mut self.right) {
            let wrong = self.end.not(right);
            good = self.end.or(good, wrong);
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
        let (settled, scope) = if self.fixed {
            (self.bits, Scope::At(self.bits))
        } else {
            (self.bits.max(longest), Scope::From(self.bits))
        };
        let digits = self.literals.iter();
        let digits = digits
            .map(|literal| (0..=u64::from(settled)).map(|bit| literal.bit(bit)).collect())
            .collect();
        Ok(Machine {
            inputs: self.inputs,
            first: self.first,
            step: self.step,
            next: self.next,
            legal,
            digits,
            end: self.end,
            good,
            watched,
            scope,
            settled,
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

    /// The bit of a word that is at the position which is read.
    fn word(&mut self, term: TermId) -> Wire {
        if let Some(&known) = self.words.get(&term) {
            return known;
        }
        let normal = self.ring.of(term);
        let wire = match normal.as_constant() {
            Some(value) => self.digit(value),
            None => self.followed(term).unwrap_or_else(|| self.any_word(&normal)),
        };
        self.words.insert(term, wire);
        self.unknown.entry(normal).or_insert(wire);
        wire
    }

    /// A word of which only its normal form is known. Sums and conjunctions are those of any words.
    fn any_word(&mut self, normal: &Rc<Polynomial>) -> Wire {
        if let Some(&known) = self.unknown.get(normal) {
            return known;
        }
        let wire = if let Some(words) = self.ring.conjuncts(normal) {
            let all = self.step.constant(true);
            words.iter().fold(all, |all, word| {
                let word = self.any_word(word);
                self.step.and(all, word)
            })
        } else {
            self.combination(normal).unwrap_or_else(|| self.input())
        };
        self.unknown.insert(normal.clone(), wire);
        wire
    }

    fn combination(&mut self, normal: &Polynomial) -> Option<Wire> {
        if let Some(value) = normal.as_constant() {
            return Some(self.digit(value));
        }
        let summands: Vec<(BigInt, Polynomial)> =
            normal.summands().map(|(number, word)| (self.signed(number.clone()), word)).collect();
        let alone = summands.len() == 1 && summands[0].0 == BigInt::from(1);
        let large = |(number, word): &(BigInt, Polynomial)| {
            word.as_constant().is_none() && !self.carried(number)
        };
        if alone || summands.len() > SUMMANDS || summands.iter().any(large) {
            return None;
        }
        let mut sum = self.step.constant(false);
        for (number, word) in summands {
            let summand = match word.as_constant() {
                Some(_) => self.digit(number),
                None => {
                    let word = self.any_word(&Rc::new(word));
                    self.multiple(word, number)
                }
            };
            sum = self.sum(sum, summand);
        }
        Some(sum)
    }

    fn followed(&mut self, term: TermId) -> Option<Wire> {
        let node = self.terms.node(term);
        let [a, b, c] = node.args;
        let narrow = node.args().first().is_some_and(|&arg| self.terms.width(arg) == Extent::BIT);
        let same_width =
            node.args().first().is_some_and(|&arg| self.terms.width(arg) == node.width);
        Some(match node.op {
            Op::Not => {
                let a = self.word(a);
                self.step.not(a)
            }
            Op::And | Op::Or | Op::Xor => {
                let (a, b) = (self.word(a), self.word(b));
                match node.op {
                    Op::And => self.step.and(a, b),
                    Op::Or => self.step.or(a, b),
                    _ => self.step.xor(a, b),
                }
            }
            Op::Neg => {
                let (zero, a) = (self.step.constant(false), self.word(a));
                self.difference(zero, a).0
            }
            Op::Add => {
                let (a, b) = (self.word(a), self.word(b));
                self.sum(a, b)
            }
            Op::Sub => {
                let (a, b) = (self.word(a), self.word(b));
                self.difference(a, b).0
            }
            Op::Mul => {
                let (number, other) = match (self.constant(a), self.constant(b)) {
                    (_, Some(number)) => (number, a),
                    (Some(number), _) => (number, b),
                    _ => return None,
                };
                let other = self.carried(&number).then(|| self.word(other))?;
                self.multiple(other, number)
            }
            Op::Ite => {
                let guess = self.guess(a);
                let (yes, no) = (self.word(b), self.word(c));
                self.step.choose(guess, yes, no)
            }
            Op::Zext if narrow => {
                let (guess, first) = (self.guess(a), self.digit(BigInt::from(1)));
                self.step.and(guess, first)
            }
            Op::Sext if narrow => self.guess(a),
            Op::Zext | Op::Sext if same_width => self.word(a),
            Op::Shl | Op::Lshr | Op::Ashr => return self.shift(node.op, a, b),
            Op::Udiv => {
                let (dividend, divisor) = self.divisor(a, b)?;
                self.quotient(dividend, divisor).0
            }
            Op::Urem => match self.divisor(a, b) {
                Some((dividend, divisor)) => self.quotient(dividend, divisor).1,
                // What the normal form takes away from the dividend is the quotient's multiple.
                None => {
                    let (dividend, normal) = (self.ring.of(a), self.ring.of(term));
                    let multiple = Rc::new(self.ring.minus(&dividend, &normal, self.width));
                    let (a, multiple) = (self.word(a), self.any_word(&multiple));
                    self.difference(a, multiple).0
                }
            },
            _ => return None,
        })
    }

    /// The constant that a word is; where its sign is known, with that.
    fn constant(&mut self, term: TermId) -> Option<BigInt> {
        let value = self.ring.of(term).as_constant()?;
        Some(self.signed(value))
    }

    fn signed(&self, value: BigInt) -> BigInt {
        if self.fixed && value.bits() >= u64::from(self.bits) {
            return value - (BigInt::from(1) << self.bits);
        }
        value
    }

    fn carried(&self, number: &BigInt) -> bool {
        number.bits() <= CARRY
    }

    fn sum(&mut self, a: Wire, b: Wire) -> Wire {
        self.make(Part::Add(a.min(b), a.max(b)), |this| {
            let (bit, carry) = this.state(Some(false));
            let step = &mut this.step;
            let differ = step.xor(a, b);
            this.next[bit as usize] = step.choose(differ, carry, a);
            (step.xor(differ, carry), vec![bit])
        })
        .0
    }

    /// The bit of a difference, and the state that is its borrow.
    fn difference(&mut self, a: Wire, b: Wire) -> (Wire, u16) {
        let (wire, bits) = self.make(Part::Sub(a, b), |this| {
            let (bit, borrow) = this.state(Some(false));
            let step = &mut this.step;
            let differ = step.xor(a, b);
            this.next[bit as usize] = step.choose(differ, b, borrow);
            (step.xor(differ, borrow), vec![bit])
        });
        (wire, bits[0])
    }

    fn multiple(&mut self, a: Wire, number: BigInt) -> Wire {
        if number >= BigInt::ZERO {
            return self.product(a, number).0;
        }
        let (zero, product) = (self.step.constant(false), self.product(a, -number).0);
        self.difference(zero, product).0
    }

    /// The bit of a word times a number, and the state that is what has to be carried on: at the end,
    /// what of the product is beyond the word. It is always less than the number.
    fn product(&mut self, a: Wire, number: BigInt) -> (Wire, Vec<u16>) {
        self.make(Part::Mul(a, number.clone()), |this| {
            if number == BigInt::ZERO {
                return (this.step.constant(false), Vec::new());
            }
            let length = (&number - 1u8).bits();
            let carried: Vec<(u16, Wire)> = (0..length).map(|_| this.state(Some(false))).collect();
            let step = &mut this.step;
            let mut carry = step.constant(false);
            let mut sum = Vec::new();
            for place in 0..=length {
                let zero = step.constant(false);
                let x = carried.get(place as usize).map_or(zero, |&(_, wire)| wire);
                let y = if number.bit(place) { a } else { zero };
                let differ = step.xor(x, y);
                sum.push(step.xor(differ, carry));
                carry = step.choose(differ, carry, x);
            }
            for (&(bit, _), &wire) in carried.iter().zip(&sum[1..]) {
                this.next[bit as usize] = wire;
            }
            (sum[0], carried.into_iter().map(|(bit, _)| bit).collect())
        })
    }

    /// The state that is the last bit of a word so far.
    fn last_bit(&mut self, a: Wire) -> u16 {
        self.make(Part::Last(a), |this| (a, vec![this.latch(a)])).1[0]
    }

    /// What is set so many positions before the end, and then one position later each.
    fn countdown(&mut self, from: u16) -> Vec<Wire> {
        if self.fixed {
            let start = self.bits - from;
            return (start..self.bits).map(|place| self.digit(BigInt::from(1) << place)).collect();
        }
        if let Some(known) = self.countdowns.get(&from) {
            return known.clone();
        }
        let start = self.input();
        let mut wires = vec![start];
        for _ in 0..from {
            let bit = self.latch(wires[wires.len() - 1]);
            let wire = self.step.wire(Gate::State(bit));
            let again = self.step.and(start, wire);
            let once = self.step.not(again);
            self.legal.push(once);
            wires.push(wire);
            if wires.len() > usize::from(from) {
                let going = self.step.not(wire);
                self.legal.push(going);
                let ended = self.at_end(bit);
                self.right.push(ended);
            }
        }
        wires.pop();
        self.countdowns.insert(from, wires.clone());
        wires
    }

    fn shift(&mut self, op: Op, x: TermId, amount: TermId) -> Option<Wire> {
        let number = self.ring.number(amount).and_then(|n| u64::try_from(n).ok());
        let short = match number {
            Some(n) if self.fixed => Some(BigInt::from(self.bits) - n),
            Some(_) => None,
            None if self.terms.width(amount) != self.width => None,
            None => self.ring.short_of(self.width, amount),
        };
        let short = short.and_then(|n| u16::try_from(n).ok()).filter(|&n| n > 0 && n <= SHORT);
        if let Some(kept) = short.filter(|&n| n <= self.bits && number.is_none_or(|m| m > n.into()))
        {
            let x = self.word(x);
            return Some(match op {
                Op::Shl => self.lowest_on_top(x, kept),
                _ => self.top_lowest(x, kept, op == Op::Ashr),
            });
        }
        let amount = number.filter(|&n| n <= CARRY)?;
        if op == Op::Shl {
            let x = self.word(x);
            return Some(self.product(x, BigInt::from(1) << amount).0);
        }
        if op == Op::Ashr && amount > u64::from(self.bits) {
            return None;
        }
        let x = self.word(x);
        Some(self.shifted_down(x, amount, op == Op::Ashr))
    }

    /// A word shifted up so far that only so many of its bits are kept.
    fn lowest_on_top(&mut self, a: Wire, kept: u16) -> Wire {
        let places = self.countdown(kept);
        let mut any = self.step.constant(false);
        for (place, now) in places.into_iter().enumerate() {
            let bit = self.early_bit(a, place as u64);
            let bit = self.step.and(bit, now);
            any = self.step.or(any, bit);
        }
        any
    }

    /// A bit of a word, from its position on.
    fn early_bit(&mut self, a: Wire, place: u64) -> Wire {
        self.make(Part::Early(a, place), |this| {
            let here = this.digit(BigInt::from(1) << place);
            let (bit, before) = this.state(Some(false));
            let value = this.step.choose(here, a, before);
            this.next[bit as usize] = value;
            (value, vec![bit])
        })
        .0
    }

    /// A word shifted down so far that only so many of its bits are kept, which are guessed.
    fn top_lowest(&mut self, a: Wire, kept: u16, signed: bool) -> Wire {
        self.make(Part::Top(a, kept, signed), |this| {
            let mut any = this.step.constant(false);
            let mut seen = a;
            for place in (0..kept).rev() {
                let (bit, guess) = this.state(None);
                let last = this.last_bit(seen);
                seen = this.step.wire(Gate::State(last));
                let (last, guessed) = (this.at_end(last), this.at_end(bit));
                let right = this.end.same(last, guessed);
                this.right.push(right);
                let sign = signed && place + 1 == kept;
                let places = BigInt::from(if sign { -1 } else { 1 }) << place;
                let here = this.digit(places);
                let bit = this.step.and(guess, here);
                any = this.step.or(any, bit);
            }
            (any, Vec::new())
        })
        .0
    }

    /// A word shifted down: its bits are guessed `amount` positions before they are seen, and those that
    /// are not seen any more have to be 0, or the sign.
    fn shifted_down(&mut self, a: Wire, amount: u64, signed: bool) -> Wire {
        if amount == 0 {
            return a;
        }
        let fill = signed.then(|| self.last_bit(a));
        self.make(Part::Shift(a, amount, signed), |this| {
            let guess = this.input();
            let queue: Vec<u16> = (0..amount).map(|_| this.state(Some(false)).0).collect();
            let mut newer = guess;
            for &bit in &queue {
                this.next[bit as usize] = newer;
                newer = this.step.wire(Gate::State(bit));
            }
            let seen = this.digit(BigInt::from(-1) << amount);
            let differ = this.step.xor(newer, a);
            let wrong = this.step.and(seen, differ);
            let legal = this.step.not(wrong);
            this.legal.push(legal);
            let fill = fill.map(|bit| this.at_end(bit));
            for &bit in &queue {
                let left = this.at_end(bit);
                let right = match fill {
                    Some(sign) => this.end.same(left, sign),
                    None => this.end.not(left),
                };
                this.right.push(right);
            }
            (guess, queue)
        })
        .0
    }

    fn divisor(&mut self, a: TermId, b: TermId) -> Option<(Wire, BigInt)> {
        let divisor = self.ring.number(b)?;
        let fits = divisor > BigInt::ZERO && self.carried(&divisor);
        fits.then(|| (self.word(a), divisor))
    }

    /// The bits of quotient and remainder by a number: the quotient is guessed, and right if the product
    /// of both fits, is not more than the dividend, and leaves less than the divisor.
    fn quotient(&mut self, a: Wire, divisor: BigInt) -> (Wire, Wire) {
        if let Some(power) = divisor.trailing_zeros().filter(|&n| n + 1 == divisor.bits()) {
            let mask = self.digit(divisor - 1u8);
            return (self.shifted_down(a, power, false), self.step.and(a, mask));
        }
        let known = self.made.get(&Part::Quotient(a, divisor.clone())).map(|(wire, _)| *wire);
        let quotient = known.unwrap_or_else(|| self.input());
        let (product, beyond) = self.product(quotient, divisor.clone());
        let (rest, borrow) = self.difference(a, product);
        self.make(Part::Quotient(a, divisor.clone()), |this| {
            let limit = this.digit(divisor.clone());
            let less = this.below(rest, limit);
            let less = this.at_end(less);
            this.right.push(less);
            for bit in beyond.into_iter().chain([borrow]) {
                let bit = this.at_end(bit);
                let right = this.end.not(bit);
                this.right.push(right);
            }
            let high = this.digit(BigInt::from(-1) << divisor.bits());
            let wrong = this.step.and(rest, high);
            let legal = this.step.not(wrong);
            this.legal.push(legal);
            (quotient, Vec::new())
        });
        (quotient, rest)
    }

    /// The state that two words differ somewhere.
    fn differ(&mut self, a: Wire, b: Wire) -> u16 {
        self.make(Part::Differ(a.min(b), a.max(b)), |this| {
            let (bit, before) = this.state(Some(false));
            let differ = this.step.xor(a, b);
            let now = this.step.or(before, differ);
            this.next[bit as usize] = now;
            (now, vec![bit])
        })
        .1[0]
    }

    /// The state that a word is less than another so far.
    fn below(&mut self, a: Wire, b: Wire) -> u16 {
        self.make(Part::Below(a, b), |this| {
            let (bit, before) = this.state(Some(false));
            let differ = this.step.xor(a, b);
            let now = this.step.choose(differ, b, before);
            this.next[bit as usize] = now;
            (now, vec![bit])
        })
        .1[0]
    }

    /// A flag, before anything was read: guessed, and compared with what it turns out to be.
    fn guess(&mut self, term: TermId) -> Wire {
        let normal = self.ring.of(term);
        if let Some(value) = normal.as_constant() {
            return self.step.constant(value != BigInt::ZERO);
        }
        if self.terms.op(term) == Op::Not {
            let guess = self.guess(self.terms.args(term)[0]);
            return self.step.not(guess);
        }
        if let Some(&known) = self.guesses.get(&normal) {
            return known;
        }
        let turns_out = self.flag(term);
        // A flag that can be anything is its own guess.
        if let Some(&known) = self.guesses.get(&normal) {
            return known;
        }
        let (bit, guess) = self.state(None);
        let guessed = self.at_end(bit);
        let right = self.end.same(guessed, turns_out);
        self.right.push(right);
        self.guesses.insert(normal, guess);
        guess
    }

    /// A flag, as a function of the last state.
    fn flag(&mut self, term: TermId) -> Wire {
        if let Some(&known) = self.flags.get(&term) {
            return known;
        }
        let normal = self.ring.of(term);
        let wire = match normal.as_constant() {
            Some(value) => self.end.constant(value != BigInt::ZERO),
            None => self.decided(term).unwrap_or_else(|| self.any_flag(&normal)),
        };
        self.flags.insert(term, wire);
        wire
    }

    fn any_flag(&mut self, normal: &Rc<Polynomial>) -> Wire {
        if let Some(&known) = self.unknown_flags.get(normal) {
            return known;
        }
        let (bit, guess) = self.state(None);
        let wire = self.at_end(bit);
        self.unknown_flags.insert(normal.clone(), wire);
        self.guesses.insert(normal.clone(), guess);
        wire
    }

    fn decided(&mut self, term: TermId) -> Option<Wire> {
        let node = self.terms.node(term);
        let [a, b, _] = node.args;
        let of_flags = node.args().iter().all(|&arg| self.terms.width(arg) == Extent::BIT);
        let of_words = node.args().iter().all(|&arg| self.terms.width(arg) == self.width);
        if of_flags {
            let args: Vec<Wire> = match node.op {
                Op::Not | Op::And | Op::Or | Op::Xor | Op::Ite | Op::Same => {
                    node.args().iter().map(|&arg| self.flag(arg)).collect()
                }
                _ => return None,
            };
            let end = &mut self.end;
            return Some(match (node.op, &args[..]) {
                (Op::Not, &[a]) => end.not(a),
                (Op::And, &[a, b]) => end.and(a, b),
                (Op::Or, &[a, b]) => end.or(a, b),
                (Op::Xor, &[a, b]) => end.xor(a, b),
                (Op::Same, &[a, b]) => end.same(a, b),
                (Op::Ite, &[a, b, c]) => end.choose(a, b, c),
                _ => return None,
            });
        }
        if !of_words {
            return None;
        }
        Some(match node.op {
            Op::Same => {
                let (a, b) = (self.word(a), self.word(b));
                let differ = self.differ(a, b);
                let differ = self.at_end(differ);
                self.end.not(differ)
            }
            Op::Below => {
                let (a, b) = (self.word(a), self.word(b));
                let below = self.below(a, b);
                self.at_end(below)
            }
            // As unsigned numbers, unless the signs differ.
            Op::SignedBelow => {
                let (a, b) = (self.word(a), self.word(b));
                let below = self.below(a, b);
                let (x, y) = (self.last_bit(a), self.last_bit(b));
                let (below, x, y) = (self.at_end(below), self.at_end(x), self.at_end(y));
                let differ = self.end.xor(x, y);
                self.end.choose(differ, x, below)
            }
            Op::Power => {
                let a = self.word(a);
                let (once, one) = self.state(Some(false));
                let (twice, two) = self.state(Some(false));
                let again = self.step.and(one, a);
                self.next[once as usize] = self.step.or(one, a);
                self.next[twice as usize] = self.step.or(two, again);
                let (once, twice) = (self.at_end(once), self.at_end(twice));
                let not_twice = self.end.not(twice);
                self.end.and(once, not_twice)
            }
            Op::MulOverflows => {
                let (number, other) = match (self.ring.number(a), self.ring.number(b)) {
                    (_, Some(number)) => (number, a),
                    (Some(number), _) => (number, b),
                    _ => return None,
                };
                let other = self.carried(&number).then(|| self.word(other))?;
                let beyond = self.product(other, number).1;
                self.any_of(&beyond)
            }
            Op::SignedMulOverflows => {
                let (number, other) = match (self.constant(a), self.constant(b)) {
                    (_, Some(number)) => (number, a),
                    (Some(number), _) => (number, b),
                    _ => return None,
                };
                let fits = self.carried(&number) && number.bits() < u64::from(self.bits);
                let other = fits.then(|| self.word(other))?;
                self.signed_overflow(other, &number)
            }
            _ => return None,
        })
    }

    fn any_of(&mut self, bits: &[u16]) -> Wire {
        let none = self.end.constant(false);
        bits.iter().fold(none, |any, &bit| {
            let bit = self.at_end(bit);
            self.end.or(any, bit)
        })
    }

    /// With s the sign of the word a, t the product of |n| and a modulo 2^w, and C what is beyond: the
    /// signed product by |n| is (C − s·|n|)·2^w + t. It fits if it is t with its sign, which it is if
    /// C − s·|n| is 0 and t is not negative, or −1 and t is. For a negative n the product is minus that,
    /// so that −2^(w−1) does not fit, but 2^(w−1) does: t is the same in both.
    fn signed_overflow(&mut self, a: Wire, number: &BigInt) -> Wire {
        let negative = *number < BigInt::ZERO;
        let size = BigInt::from(number.magnitude().clone());
        if size == BigInt::ZERO {
            return self.end.constant(false);
        }
        let (product, beyond) = self.product(a, size.clone());
        let (sign, top) = (self.last_bit(a), self.last_bit(product));
        let (sign, top) = (self.at_end(sign), self.at_end(top));
        let equals = |this: &mut Self, value: &BigInt| {
            let mut all = this.end.constant(true);
            for (place, &bit) in beyond.iter().enumerate() {
                let bit = this.at_end(bit);
                let right = if value.bit(place as u64) { bit } else { this.end.not(bit) };
                all = this.end.and(all, right);
            }
            all
        };
        // C is less than |n|, so that with the sign set only −1 is possible, not 0.
        let (none, most) = (equals(self, &BigInt::ZERO), equals(self, &(size - 1u8)));
        let not_top = self.end.not(top);
        let (plus, minus) = (self.end.and(none, not_top), self.end.and(most, top));
        let fits = self.end.choose(sign, minus, plus);
        if !negative {
            return self.end.not(fits);
        }
        let lower = self.nonzero_below_top(product);
        let lower = self.at_end(lower);
        let not_lower = self.end.not(lower);
        let edge = self.end.and(top, not_lower);
        let not_sign = self.end.not(sign);
        let allowed = self.end.and(not_sign, none);
        let fits = self.end.choose(edge, allowed, fits);
        self.end.not(fits)
    }

    /// The state that a word had a bit set before its last one.
    fn nonzero_below_top(&mut self, a: Wire) -> u16 {
        let zero = self.step.constant(false);
        let differ = self.differ(a, zero);
        let before = self.step.wire(Gate::State(differ));
        self.latch(before)
    }
}
