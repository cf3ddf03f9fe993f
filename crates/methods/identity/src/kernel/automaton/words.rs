//! The bits of words: the step function of each operator, and the words that are unconstrained.

use std::rc::Rc;

use num_bigint::BigInt;

use super::super::extent::Extent;
use super::super::gates::Wire;
use super::super::op::Op;
use super::super::polynomial::Polynomial;
use super::super::term::TermId;
use super::{Builder, CARRY, SUMMANDS};

impl Builder<'_> {
    /// The bit of a word at the current position.
    pub(super) fn word(&mut self, term: TermId) -> Wire {
        if let Some(&known) = self.words.get(&term) {
            return known;
        }
        let normal = self.ring.of(term);
        let wire = match normal.as_constant() {
            Some(value) => self.digit(value),
            None => self.modelled(term).unwrap_or_else(|| self.unconstrained_word(&normal)),
        };
        self.words.insert(term, wire);
        self.unknown.entry(normal).or_insert(wire);
        wire
    }

    /// A word of which only the normal form is known. Sums and conjunctions are modelled over
    /// unconstrained words.
    pub(super) fn unconstrained_word(&mut self, normal: &Rc<Polynomial>) -> Wire {
        if let Some(&known) = self.unknown.get(normal) {
            return known;
        }
        let wire = if let Some(words) = self.ring.conjuncts(normal) {
            let all = self.step.constant(true);
            words.iter().fold(all, |all, word| {
                let word = self.unconstrained_word(word);
                self.step.and(all, word)
            })
        } else {
            self.combination(normal).unwrap_or_else(|| self.input())
        };
        self.unknown.insert(normal.clone(), wire);
        wire
    }

    pub(super) fn combination(&mut self, normal: &Polynomial) -> Option<Wire> {
        if let Some(value) = normal.as_constant() {
            return Some(self.digit(value));
        }
        let summands: Vec<(BigInt, Polynomial)> =
            normal.summands().map(|(number, word)| (self.signed(number.clone()), word)).collect();
        let alone = summands.len() == 1 && summands[0].0 == BigInt::from(1);
        let large = |(number, word): &(BigInt, Polynomial)| {
            word.as_constant().is_none() && !self.fits_carry(number)
        };
        if alone || summands.len() > SUMMANDS || summands.iter().any(large) {
            return None;
        }
        let mut sum = self.step.constant(false);
        for (number, word) in summands {
            let summand = match word.as_constant() {
                Some(_) => self.digit(number),
                None => {
                    let word = self.unconstrained_word(&Rc::new(word));
                    self.multiple(word, number)
                }
            };
            sum = self.sum(sum, summand);
        }
        Some(sum)
    }

    pub(super) fn modelled(&mut self, term: TermId) -> Option<Wire> {
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
                let other = self.fits_carry(&number).then(|| self.word(other))?;
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
                // Dividend minus normal form is the quotient times the divisor.
                None => {
                    let (dividend, normal) = (self.ring.of(a), self.ring.of(term));
                    let multiple = Rc::new(self.ring.minus(&dividend, &normal, self.width));
                    let (a, multiple) = (self.word(a), self.unconstrained_word(&multiple));
                    self.difference(a, multiple).0
                }
            },
            _ => return None,
        })
    }

    /// The value of a constant word, signed where the width is fixed.
    pub(super) fn constant(&mut self, term: TermId) -> Option<BigInt> {
        let value = self.ring.of(term).as_constant()?;
        Some(self.signed(value))
    }

    pub(super) fn signed(&self, value: BigInt) -> BigInt {
        if self.fixed && value.bits() >= u64::from(self.bits) {
            return value - (BigInt::from(1) << self.bits);
        }
        value
    }

    pub(super) fn fits_carry(&self, number: &BigInt) -> bool {
        number.bits() <= CARRY
    }
}
