//! Shifts by a small constant, and by the width minus a small constant.

use num_bigint::BigInt;

use super::super::gates::{Gate, Wire};
use super::super::op::Op;
use super::super::term::TermId;
use super::{Builder, CARRY, Part, SHORT};

impl Builder<'_> {
    /// One wire for each of the last `from` positions, set at that position only.
    pub(super) fn countdown(&mut self, from: u16) -> Vec<Wire> {
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
                self.end_conditions.push(ended);
            }
        }
        wires.pop();
        self.countdowns.insert(from, wires.clone());
        wires
    }

    pub(super) fn shift(&mut self, op: Op, x: TermId, amount: TermId) -> Option<Wire> {
        let number = self.ring.number(amount).and_then(|n| u64::try_from(n).ok());
        let short = match number {
            Some(n) if self.fixed => Some(BigInt::from(self.bits) - n),
            Some(_) => None,
            None if self.terms.width(amount) != self.width => None,
            None => self.ring.width_minus(self.width, amount),
        };
        let short = short.and_then(|n| u16::try_from(n).ok()).filter(|&n| n > 0 && n <= SHORT);
        if let Some(kept) = short.filter(|&n| n <= self.bits && number.is_none_or(|m| m > n.into()))
        {
            let x = self.word(x);
            return Some(match op {
                Op::Shl => self.low_bits_at_top(x, kept),
                _ => self.top_bits_at_bottom(x, kept, op == Op::Ashr),
            });
        }
        let amount = number.filter(|&n| n <= CARRY)?;
        if op == Op::Shl {
            let x = self.word(x);
            return Some(self.product(x, &(BigInt::from(1) << amount)).0);
        }
        if op == Op::Ashr && amount > u64::from(self.bits) {
            return None;
        }
        let x = self.word(x);
        Some(self.shifted_down(x, amount, op == Op::Ashr))
    }

    /// A word shifted left so far that only its lowest `kept` bits remain.
    pub(super) fn low_bits_at_top(&mut self, a: Wire, kept: u16) -> Wire {
        let places = self.countdown(kept);
        let mut any = self.step.constant(false);
        for (place, now) in places.into_iter().enumerate() {
            let bit = self.held_bit(a, place as u64);
            let bit = self.step.and(bit, now);
            any = self.step.or(any, bit);
        }
        any
    }

    /// The bit of a word at `place`, available from that position on.
    pub(super) fn held_bit(&mut self, a: Wire, place: u64) -> Wire {
        self.make(Part::Early(a, place), |this| {
            let here = this.digit(BigInt::from(1) << place);
            let (bit, before) = this.state(Some(false));
            let value = this.step.choose(here, a, before);
            this.next[bit as usize] = value;
            (value, vec![bit])
        })
        .0
    }

    /// A word shifted right so far that only its highest `kept` bits remain. These are guessed.
    pub(super) fn top_bits_at_bottom(&mut self, a: Wire, kept: u16, signed: bool) -> Wire {
        self.make(Part::Top(a, kept, signed), |this| {
            let mut any = this.step.constant(false);
            let mut seen = a;
            for place in (0..kept).rev() {
                let (bit, guess) = this.state(None);
                let last = this.last_bit(seen);
                seen = this.step.wire(Gate::State(last));
                let (last, guessed) = (this.at_end(last), this.at_end(bit));
                let right = this.end.same(last, guessed);
                this.end_conditions.push(right);
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

    /// A word shifted right. Its bits are guessed `amount` positions before they are read. Guesses
    /// that are never read must be 0, or the sign.
    pub(super) fn shifted_down(&mut self, a: Wire, amount: u64, signed: bool) -> Wire {
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
                this.end_conditions.push(right);
            }
            (guess, queue)
        })
        .0
    }
}
