//! Serial arithmetic: sums, differences, products and quotients by constants, and comparisons, one
//! bit per step.

use num_bigint::BigInt;

use super::super::gates::Wire;
use super::super::term::TermId;
use super::{Builder, Part};

impl Builder<'_> {
    pub(super) fn sum(&mut self, a: Wire, b: Wire) -> Wire {
        self.make(Part::Add(a.min(b), a.max(b)), |this| {
            let (bit, carry) = this.state(Some(false));
            let step = &mut this.step;
            let differ = step.xor(a, b);
            this.next[bit as usize] = step.choose(differ, carry, a);
            (step.xor(differ, carry), vec![bit])
        })
        .0
    }

    /// The bit of a difference, and the state bit of its borrow.
    pub(super) fn difference(&mut self, a: Wire, b: Wire) -> (Wire, u16) {
        let (wire, bits) = self.make(Part::Sub(a, b), |this| {
            let (bit, borrow) = this.state(Some(false));
            let step = &mut this.step;
            let differ = step.xor(a, b);
            this.next[bit as usize] = step.choose(differ, b, borrow);
            (step.xor(differ, borrow), vec![bit])
        });
        (wire, bits[0])
    }

    pub(super) fn multiple(&mut self, a: Wire, number: BigInt) -> Wire {
        if number >= BigInt::ZERO {
            return self.product(a, &number).0;
        }
        let (zero, product) = (self.step.constant(false), self.product(a, &-number).0);
        self.difference(zero, product).0
    }

    /// The bit of a word times a constant, and the state bits of its carry. At the end, the carry
    /// is the part of the product beyond the word. It is always less than the constant.
    pub(super) fn product(&mut self, a: Wire, number: &BigInt) -> (Wire, Vec<u16>) {
        self.make(Part::Mul(a, number.clone()), |this| {
            if *number == BigInt::ZERO {
                return (this.step.constant(false), Vec::new());
            }
            let length = (number - 1u8).bits();
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

    /// The state bit that holds the last bit read of a word.
    pub(super) fn last_bit(&mut self, a: Wire) -> u16 {
        self.make(Part::Last(a), |this| (a, vec![this.latch(a)])).1[0]
    }

    pub(super) fn divisor(&mut self, a: TermId, b: TermId) -> Option<(Wire, BigInt)> {
        let divisor = self.ring.number(b)?;
        let fits = divisor > BigInt::ZERO && self.fits_carry(&divisor);
        fits.then(|| (self.word(a), divisor))
    }

    /// The bits of quotient and remainder by a constant. The quotient is guessed. The guess is
    /// right if its product with the divisor fits and is at most the dividend, and the remainder is
    /// less than the divisor.
    pub(super) fn quotient(&mut self, a: Wire, divisor: BigInt) -> (Wire, Wire) {
        if let Some(power) = divisor.trailing_zeros().filter(|&n| n + 1 == divisor.bits()) {
            let mask = self.digit(divisor - 1u8);
            return (self.shifted_down(a, power, false), self.step.and(a, mask));
        }
        let known = self.made.get(&Part::Quotient(a, divisor.clone())).map(|(wire, _)| *wire);
        let quotient = known.unwrap_or_else(|| self.input());
        let (product, beyond) = self.product(quotient, &divisor);
        let (rest, borrow) = self.difference(a, product);
        self.make(Part::Quotient(a, divisor.clone()), |this| {
            let limit = this.digit(divisor.clone());
            let less = this.below(rest, limit);
            let less = this.at_end(less);
            this.end_conditions.push(less);
            for bit in beyond.into_iter().chain([borrow]) {
                let bit = this.at_end(bit);
                let right = this.end.not(bit);
                this.end_conditions.push(right);
            }
            let high = this.digit(BigInt::from(-1) << divisor.bits());
            let wrong = this.step.and(rest, high);
            let legal = this.step.not(wrong);
            this.legal.push(legal);
            (quotient, Vec::new())
        });
        (quotient, rest)
    }

    /// The state bit that records whether two words have differed so far.
    pub(super) fn differ(&mut self, a: Wire, b: Wire) -> u16 {
        self.make(Part::Differ(a.min(b), a.max(b)), |this| {
            let (bit, before) = this.state(Some(false));
            let differ = this.step.xor(a, b);
            let now = this.step.or(before, differ);
            this.next[bit as usize] = now;
            (now, vec![bit])
        })
        .1[0]
    }

    /// The state bit that records whether a word is less than another so far.
    pub(super) fn below(&mut self, a: Wire, b: Wire) -> u16 {
        self.make(Part::Below(a, b), |this| {
            let (bit, before) = this.state(Some(false));
            let differ = this.step.xor(a, b);
            let now = this.step.choose(differ, b, before);
            this.next[bit as usize] = now;
            (now, vec![bit])
        })
        .1[0]
    }
}
