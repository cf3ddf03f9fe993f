//! Short words for what the table of semantics says often, derived from the operations of a [`Domain`].

use super::{Domain, Effect};

/// Derived operations of a domain.
pub trait Words: Domain {
    fn zero(&mut self, like: &Self::Word) -> Self::Word {
        let width = self.width(like);
        self.word(0, width)
    }

    fn is_zero(&mut self, a: &Self::Word) -> Self::Bit {
        let zero = self.zero(a);
        self.eq(a, &zero)
    }

    fn is_not_zero(&mut self, a: &Self::Word) -> Self::Bit {
        let is_zero = self.is_zero(a);
        self.not(&is_zero)
    }

    fn differ(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Bit {
        let equal = self.eq(a, b);
        self.not(&equal)
    }

    /// The sign bit.
    fn sign(&mut self, a: &Self::Word) -> Self::Bit {
        let top = self.width(a) - 1;
        self.bit_at(a, top)
    }

    fn negate(&mut self, a: &Self::Word) -> Self::Word {
        let zero = self.zero(a);
        self.sub(&zero, a)
    }

    /// The absolute value as an unsigned number: that of the least signed number is itself.
    fn magnitude(&mut self, a: &Self::Word) -> Self::Word {
        let (sign, negated) = (self.sign(a), self.negate(a));
        self.select(&sign, &negated, a)
    }

    fn ones(&mut self, like: &Self::Word) -> Self::Word {
        let width = self.width(like);
        self.word(u128::MAX >> (128 - width), width)
    }

    /// The least signed number.
    fn signed_least(&mut self, like: &Self::Word) -> Self::Word {
        let width = self.width(like);
        self.word(1 << (width - 1), width)
    }

    /// The greatest signed number.
    fn signed_greatest(&mut self, like: &Self::Word) -> Self::Word {
        let least = self.signed_least(like);
        self.word_not(&least)
    }

    /// Whether a shift by it shifts out every bit.
    fn is_too_far(&mut self, amount: &Self::Word) -> Self::Bit {
        let width = self.width(amount);
        let bound = self.word(u128::from(width), width);
        let near = self.ult(amount, &bound);
        self.not(&near)
    }

    fn unsigned_sum_overflows(&mut self, a: &Self::Word, sum: &Self::Word) -> Self::Bit {
        self.ult(sum, a)
    }

    fn signed_sum_overflows(
        &mut self,
        a: &Self::Word,
        b: &Self::Word,
        sum: &Self::Word,
    ) -> Self::Bit {
        let (left, right) = (self.word_xor(a, sum), self.word_xor(b, sum));
        let both = self.word_and(&left, &right);
        self.sign(&both)
    }

    fn signed_difference_overflows(
        &mut self,
        a: &Self::Word,
        b: &Self::Word,
        difference: &Self::Word,
    ) -> Self::Bit {
        let (left, right) = (self.word_xor(a, b), self.word_xor(a, difference));
        let both = self.word_and(&left, &right);
        self.sign(&both)
    }

    /// Widened with zeros or shortened, or as it is.
    fn resized(&mut self, a: &Self::Word, width: u32) -> Self::Word {
        match self.width(a).cmp(&width) {
            std::cmp::Ordering::Less => self.zext(a, width),
            std::cmp::Ordering::Equal => a.clone(),
            std::cmp::Ordering::Greater => self.trunc(a, width),
        }
    }

    /// A result that is neither poison nor undefined.
    fn plain(&mut self, value: Self::Word) -> Effect<Self::Word, Self::Bit> {
        let (poison, undefined) = (self.bit(false), self.bit(false));
        Effect { value, poison, undefined }
    }
}

impl<D: Domain> Words for D {}
