//! Flags: their value in the last state, and their guesses before the first step.

use std::rc::Rc;

use num_bigint::BigInt;

use super::super::extent::Extent;
use super::super::gates::{Gate, Wire};
use super::super::op::Op;
use super::super::polynomial::Polynomial;
use super::super::term::TermId;
use super::Builder;

impl Builder<'_> {
    /// A flag before the first step: guessed, and compared with its value at the end.
    pub(super) fn guess(&mut self, term: TermId) -> Wire {
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
        // An unconstrained flag is its own guess.
        if let Some(&known) = self.guesses.get(&normal) {
            return known;
        }
        let (bit, guess) = self.state(None);
        let guessed = self.at_end(bit);
        let right = self.end.same(guessed, turns_out);
        self.end_conditions.push(right);
        self.guesses.insert(normal, guess);
        guess
    }

    /// A flag as a function of the last state.
    pub(super) fn flag(&mut self, term: TermId) -> Wire {
        if let Some(&known) = self.flags.get(&term) {
            return known;
        }
        let normal = self.ring.of(term);
        let wire = match normal.as_constant() {
            Some(value) => self.end.constant(value != BigInt::ZERO),
            None => self.decided(term).unwrap_or_else(|| self.unconstrained_flag(&normal)),
        };
        self.flags.insert(term, wire);
        wire
    }

    pub(super) fn unconstrained_flag(&mut self, normal: &Rc<Polynomial>) -> Wire {
        if let Some(&known) = self.unknown_flags.get(normal) {
            return known;
        }
        let (bit, guess) = self.state(None);
        let wire = self.at_end(bit);
        self.unknown_flags.insert(normal.clone(), wire);
        self.guesses.insert(normal.clone(), guess);
        wire
    }

    pub(super) fn decided(&mut self, term: TermId) -> Option<Wire> {
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
            // An unsigned comparison, unless the signs differ.
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
                let other = self.fits_carry(&number).then(|| self.word(other))?;
                let beyond = self.product(other, &number).1;
                self.any_of(&beyond)
            }
            Op::SignedMulOverflows => {
                let (number, other) = match (self.constant(a), self.constant(b)) {
                    (_, Some(number)) => (number, a),
                    (Some(number), _) => (number, b),
                    _ => return None,
                };
                let fits = self.fits_carry(&number) && number.bits() < u64::from(self.bits);
                let other = fits.then(|| self.word(other))?;
                self.signed_overflow(other, &number)
            }
            _ => return None,
        })
    }

    pub(super) fn any_of(&mut self, bits: &[u16]) -> Wire {
        let none = self.end.constant(false);
        bits.iter().fold(none, |any, &bit| {
            let bit = self.at_end(bit);
            self.end.or(any, bit)
        })
    }

    /// Let s be the sign of the word a, t = |n|·a modulo 2^w, and C the part of the product beyond
    /// the word. The signed product by |n| is (C − s·|n|)·2^w + t. It fits if C − s·|n| is 0 and t
    /// is not negative, or −1 and t is negative. For a negative n the product is negated, so that
    /// −2^(w−1) does not fit but 2^(w−1) does; t is the same for both.
    pub(super) fn signed_overflow(&mut self, a: Wire, number: &BigInt) -> Wire {
        let negative = *number < BigInt::ZERO;
        let size = BigInt::from(number.magnitude().clone());
        if size == BigInt::ZERO {
            return self.end.constant(false);
        }
        let (product, beyond) = self.product(a, &size);
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
        // C is less than |n|. So with the sign set only −1 is possible, not 0.
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

    /// The state bit that records whether a bit below the last one was set.
    pub(super) fn nonzero_below_top(&mut self, a: Wire) -> u16 {
        let zero = self.step.constant(false);
        let differ = self.differ(a, zero);
        let before = self.step.wire(Gate::State(differ));
        self.latch(before)
    }
}
