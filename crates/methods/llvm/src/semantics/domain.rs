//! Bits and words of some domain: numbers, or wires of a circuit.

/// Operations on words have operands of equal width, at most 128 bits, unless they say otherwise.
pub trait Domain {
    type Bit: Clone;
    type Word: Clone;

    fn bit(&mut self, value: bool) -> Self::Bit;
    fn not(&mut self, a: &Self::Bit) -> Self::Bit;
    fn and(&mut self, a: &Self::Bit, b: &Self::Bit) -> Self::Bit;

    fn or(&mut self, a: &Self::Bit, b: &Self::Bit) -> Self::Bit {
        let (a, b) = (self.not(a), self.not(b));
        let neither = self.and(&a, &b);
        self.not(&neither)
    }

    fn xor(&mut self, a: &Self::Bit, b: &Self::Bit) -> Self::Bit {
        let (not_a, not_b) = (self.not(a), self.not(b));
        let (left, right) = (self.and(a, &not_b), self.and(&not_a, b));
        self.or(&left, &right)
    }

    fn word(&mut self, value: u128, width: u32) -> Self::Word;
    fn width(&self, a: &Self::Word) -> u32;
    /// The word of one bit, and the lowest bit of a word.
    fn word_of(&mut self, a: &Self::Bit) -> Self::Word;
    fn bit_at(&mut self, a: &Self::Word, bit: u32) -> Self::Bit;

    fn select(&mut self, condition: &Self::Bit, yes: &Self::Word, no: &Self::Word) -> Self::Word;
    fn word_not(&mut self, a: &Self::Word) -> Self::Word;
    fn word_and(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    fn word_or(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    fn word_xor(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    fn add(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    fn sub(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    fn mul(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Word;
    /// Whether the exact product of the unsigned (signed) numbers does not fit.
    fn unsigned_product_overflows(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Bit;
    fn signed_product_overflows(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Bit;
    /// Unsigned quotient and remainder. Anything where the divisor is 0: the caller says what holds then.
    fn divide(&mut self, a: &Self::Word, b: &Self::Word) -> (Self::Word, Self::Word);
    /// Shifts by an unsigned amount. All bits are shifted out where it is the width or more.
    fn shl(&mut self, a: &Self::Word, amount: &Self::Word) -> Self::Word;
    fn lshr(&mut self, a: &Self::Word, amount: &Self::Word) -> Self::Word;
    /// Likewise, with copies of the sign bit shifted in.
    fn ashr(&mut self, a: &Self::Word, amount: &Self::Word) -> Self::Word;

    fn eq(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Bit;
    fn ult(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Bit;
    fn slt(&mut self, a: &Self::Word, b: &Self::Word) -> Self::Bit;

    fn zext(&mut self, a: &Self::Word, width: u32) -> Self::Word;
    fn sext(&mut self, a: &Self::Word, width: u32) -> Self::Word;
    fn trunc(&mut self, a: &Self::Word, width: u32) -> Self::Word;
}

/// What an operation on operands that are not poison does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect<Word, Bit> {
    /// Meaningless where it is poison or undefined.
    pub value: Word,
    /// When the result is poison.
    pub poison: Bit,
    /// When the behaviour is undefined.
    pub undefined: Bit,
}
