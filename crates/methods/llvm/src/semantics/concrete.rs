//! The domain of numbers: what the interpreter computes with.

use super::Domain;

/// A number of `width` bits, zero-extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Bits {
    pub value: u128,
    pub width: u32,
}

impl Bits {
    /// The lowest bits of the value.
    #[inline]
    pub fn new(value: u128, width: u32) -> Self {
        debug_assert!((1..=128).contains(&width));
        Self { value: value & (u128::MAX >> (128 - width)), width }
    }

    #[inline]
    pub fn signed(self) -> i128 {
        let unused = 128 - self.width;
        ((self.value << unused) as i128) >> unused
    }
}

/// The domain of numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Concrete;

impl Domain for Concrete {
    type Bit = bool;
    type Word = Bits;

    fn bit(&mut self, value: bool) -> bool {
        value
    }

    fn not(&mut self, a: &bool) -> bool {
        !a
    }

    fn and(&mut self, a: &bool, b: &bool) -> bool {
        *a && *b
    }

    fn or(&mut self, a: &bool, b: &bool) -> bool {
        *a || *b
    }

    fn xor(&mut self, a: &bool, b: &bool) -> bool {
        a != b
    }

    fn word(&mut self, value: u128, width: u32) -> Bits {
        Bits::new(value, width)
    }

    fn width(&self, a: &Bits) -> u32 {
        a.width
    }

    fn word_of(&mut self, a: &bool) -> Bits {
        Bits::new(u128::from(*a), 1)
    }

    fn bit_at(&mut self, a: &Bits, bit: u32) -> bool {
        a.value >> bit & 1 == 1
    }

    fn select(&mut self, condition: &bool, yes: &Bits, no: &Bits) -> Bits {
        if *condition { *yes } else { *no }
    }

    fn word_not(&mut self, a: &Bits) -> Bits {
        Bits::new(!a.value, a.width)
    }

    fn word_and(&mut self, a: &Bits, b: &Bits) -> Bits {
        Bits::new(a.value & b.value, a.width)
    }

    fn word_or(&mut self, a: &Bits, b: &Bits) -> Bits {
        Bits::new(a.value | b.value, a.width)
    }

    fn word_xor(&mut self, a: &Bits, b: &Bits) -> Bits {
        Bits::new(a.value ^ b.value, a.width)
    }

    fn add(&mut self, a: &Bits, b: &Bits) -> Bits {
        Bits::new(a.value.wrapping_add(b.value), a.width)
    }

    fn sub(&mut self, a: &Bits, b: &Bits) -> Bits {
        Bits::new(a.value.wrapping_sub(b.value), a.width)
    }

    fn mul(&mut self, a: &Bits, b: &Bits) -> Bits {
        Bits::new(a.value.wrapping_mul(b.value), a.width)
    }

    fn unsigned_product_overflows(&mut self, a: &Bits, b: &Bits) -> bool {
        match a.value.checked_mul(b.value) {
            Some(product) => Bits::new(product, a.width).value != product,
            None => true,
        }
    }

    fn signed_product_overflows(&mut self, a: &Bits, b: &Bits) -> bool {
        match a.signed().checked_mul(b.signed()) {
            Some(product) => Bits::new(product as u128, a.width).signed() != product,
            None => true,
        }
    }

    fn divide(&mut self, a: &Bits, b: &Bits) -> (Bits, Bits) {
        let quotient = a.value.checked_div(b.value).unwrap_or(0);
        let remainder = a.value.checked_rem(b.value).unwrap_or(0);
        (Bits::new(quotient, a.width), Bits::new(remainder, a.width))
    }

    fn shl(&mut self, a: &Bits, amount: &Bits) -> Bits {
        if amount.value >= u128::from(a.width) {
            return Bits::new(0, a.width);
        }
        Bits::new(a.value << amount.value, a.width)
    }

    fn lshr(&mut self, a: &Bits, amount: &Bits) -> Bits {
        if amount.value >= u128::from(a.width) {
            return Bits::new(0, a.width);
        }
        Bits::new(a.value >> amount.value, a.width)
    }

    fn ashr(&mut self, a: &Bits, amount: &Bits) -> Bits {
        let amount = amount.value.min(u128::from(a.width) - 1);
        Bits::new((a.signed() >> amount) as u128, a.width)
    }

    fn eq(&mut self, a: &Bits, b: &Bits) -> bool {
        a.value == b.value
    }

    fn ult(&mut self, a: &Bits, b: &Bits) -> bool {
        a.value < b.value
    }

    fn slt(&mut self, a: &Bits, b: &Bits) -> bool {
        a.signed() < b.signed()
    }

    fn zext(&mut self, a: &Bits, width: u32) -> Bits {
        Bits::new(a.value, width)
    }

    fn sext(&mut self, a: &Bits, width: u32) -> Bits {
        Bits::new(a.signed() as u128, width)
    }

    fn trunc(&mut self, a: &Bits, width: u32) -> Bits {
        Bits::new(a.value, width)
    }
}
