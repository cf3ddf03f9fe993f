//! The operators whose result depends on the semantics, on one row. Overflow is decided on the
//! exact result, by its length or sign.

use super::column::Stop;
use crate::kernel::{Op, Overflow, OversizedShift, Semantics, ZeroDivision};
use crate::word::Word;

/// Arithmetic on words of one width under a semantics.
#[derive(Clone, Copy, Debug)]
pub(super) struct Arithmetic<'a, const N: usize> {
    pub(super) semantics: &'a Semantics,
    pub(super) width: u32,
    pub(super) mask: Word<N>,
    /// The sign bit, which is also the least signed number.
    pub(super) least: Word<N>,
}

impl<'a, const N: usize> Arithmetic<'a, N> {
    pub(super) fn new(semantics: &'a Semantics, width: u32) -> Self {
        Self { semantics, width, mask: Word::mask(width), least: Word::power(width - 1) }
    }

    #[inline]
    pub(super) fn negative(&self, x: Word<N>) -> bool {
        !(x & self.least).is_zero()
    }

    #[inline]
    pub(super) fn minus(&self, x: Word<N>) -> Word<N> {
        x.wrapping_neg() & self.mask
    }

    #[inline]
    pub(super) fn magnitude(&self, x: Word<N>) -> Word<N> {
        if self.negative(x) { self.minus(x) } else { x }
    }

    /// The bound that a result of this sign exceeds.
    fn bound(&self, negative: bool) -> Word<N> {
        match (self.semantics.signed, negative) {
            (true, true) => self.least,
            (true, false) => self.mask ^ self.least,
            (false, true) => Word::ZERO,
            (false, false) => self.mask,
        }
    }

    fn beyond(&self, rule: Overflow, wrapped: Word<N>, bound: Word<N>) -> Result<Word<N>, Stop> {
        match rule {
            Overflow::Wraps => Ok(wrapped),
            Overflow::Saturates => Ok(bound),
            Overflow::Traps(trap) => Err(Stop::Trap(trap)),
            Overflow::Undefined => Err(Stop::Undefined),
        }
    }

    /// The wrapped result, or the effect of an overflow; `negative` is the sign of the exact
    /// result.
    #[inline]
    fn fitted(&self, wrapped: Word<N>, overflows: bool, negative: bool) -> Result<Word<N>, Stop> {
        if overflows {
            self.beyond(self.semantics.overflow, wrapped, self.bound(negative))
        } else {
            Ok(wrapped)
        }
    }

    #[inline]
    pub(super) fn sum(&self, a: Word<N>, b: Word<N>) -> Result<Word<N>, Stop> {
        let (exact, carry) = a.overflowing_add(b);
        let sum = exact & self.mask;
        if self.semantics.signed {
            let negative = self.negative(a);
            let overflows = negative == self.negative(b) && negative != self.negative(sum);
            self.fitted(sum, overflows, negative)
        } else {
            self.fitted(sum, carry || exact != sum, false)
        }
    }

    #[inline]
    pub(super) fn difference(&self, a: Word<N>, b: Word<N>) -> Result<Word<N>, Stop> {
        let difference = a.wrapping_sub(b) & self.mask;
        if self.semantics.signed {
            let negative = self.negative(a);
            let overflows = negative != self.negative(b) && negative != self.negative(difference);
            self.fitted(difference, overflows, negative)
        } else {
            self.fitted(difference, a < b, true)
        }
    }

    pub(super) fn product_overflows(&self, a: Word<N>, b: Word<N>) -> bool {
        let (low, high) = a.widening_mul(b);
        !high.is_zero() || low > self.mask
    }

    pub(super) fn signed_product_overflows(&self, a: Word<N>, b: Word<N>) -> bool {
        let (low, high) = self.magnitude(a).widening_mul(self.magnitude(b));
        let negative = self.negative(a) != self.negative(b);
        let bound = if negative { self.least } else { self.least ^ self.mask };
        !high.is_zero() || low > bound
    }

    #[inline]
    pub(super) fn product(&self, a: Word<N>, b: Word<N>) -> Result<Word<N>, Stop> {
        let product = a.wrapping_mul(b) & self.mask;
        if self.semantics.signed {
            let negative = self.negative(a) != self.negative(b);
            self.fitted(product, self.signed_product_overflows(a, b), negative)
        } else {
            self.fitted(product, self.product_overflows(a, b), false)
        }
    }

    /// The product of `exponent` factors, each multiplication checked in turn. The exponent is
    /// unsigned.
    pub(super) fn power(&self, base: Word<N>, exponent: Word<N>) -> Result<Word<N>, Stop> {
        if exponent.is_zero() {
            return Ok(Word::small(1) & self.mask);
        }
        // Powers of 0, 1 and −1 repeat within three factors. All others are out of range once there
        // are more factors than bits, and from then on only the parity of the exponent matters.
        let odd = exponent.bit(0);
        let enough = self.width.max(2) + 1;
        let times = match exponent.count() {
            few if few <= enough => few,
            _ if (enough % 2 == 1) == odd => enough,
            _ => enough + 1,
        };
        let mut product = base;
        for _ in 1..times {
            product = self.product(product, base)?;
        }
        Ok(product)
    }

    /// All divisions of a by b.
    pub(super) fn division(&self, op: Op, a: Word<N>, b: Word<N>) -> Result<Word<N>, Stop> {
        let quotient = matches!(op, Op::Udiv | Op::Sdiv | Op::Fdiv);
        if b.is_zero() {
            let total = match op {
                Op::Udiv => self.mask,
                // The quotient of the magnitudes is all ones; the sign is restored, and `Fdiv`
                // rounds down.
                Op::Sdiv if self.negative(a) => Word::small(1) & self.mask,
                Op::Fdiv if self.negative(a) => Word::ZERO,
                Op::Sdiv | Op::Fdiv => self.mask,
                _ => a,
            };
            return self.by_zero(total);
        }
        let (mut q, mut r);
        match op {
            Op::Udiv | Op::Urem => (q, r) = a.divided_by(b),
            _ => {
                let divisor = self.magnitude(b);
                (q, r) = self.magnitude(a).divided_by(divisor);
                let differ = self.negative(a) != self.negative(b);
                let mut negative = self.negative(a);
                if matches!(op, Op::Fdiv | Op::Fmod) {
                    if differ && !r.is_zero() {
                        (q, r) = (q.wrapping_add(Word::small(1)), divisor.wrapping_sub(r));
                    }
                    negative = self.negative(b);
                }
                q = if differ { self.minus(q) } else { q };
                r = if negative { self.minus(r) } else { r };
                if a == self.least && b == self.mask {
                    let rule = if quotient {
                        self.semantics.quotient_overflow
                    } else {
                        self.semantics.remainder_overflow
                    };
                    let wrapped = if quotient { q } else { r };
                    return self.beyond(rule, wrapped, self.least ^ self.mask);
                }
            }
        }
        Ok(if quotient { q } else { r })
    }

    fn by_zero(&self, total: Word<N>) -> Result<Word<N>, Stop> {
        match self.semantics.zero_division {
            ZeroDivision::Zero => Ok(Word::ZERO),
            ZeroDivision::SmtLib => Ok(total),
            ZeroDivision::Traps(trap) => Err(Stop::Trap(trap)),
            ZeroDivision::Undefined => Err(Stop::Undefined),
        }
    }

    /// `Addmod` and `Mulmod`.
    pub(super) fn modular(&self, op: Op, [a, b, modulus]: [Word<N>; 3]) -> Result<Word<N>, Stop> {
        let (low, high) = if op == Op::Addmod {
            let (sum, carry) = a.overflowing_add(b);
            (sum, Word::flag(carry))
        } else {
            a.widening_mul(b)
        };
        if modulus.is_zero() {
            return self.by_zero(low & self.mask);
        }
        Ok(Word::remainder_of(low, high, modulus))
    }

    /// All shifts of x.
    #[inline]
    pub(super) fn shift(&self, op: Op, x: Word<N>, amount: Word<N>) -> Result<Word<N>, Stop> {
        let mut count = amount.count();
        if count >= self.width {
            match self.semantics.oversized_shift {
                OversizedShift::Fills => {}
                OversizedShift::Masks => count = self.modulo_width(amount),
                OversizedShift::Traps(trap) => return Err(Stop::Trap(trap)),
                OversizedShift::FillsBelow(limit, trap) if count >= u32::from(limit) => {
                    return Err(Stop::Trap(trap));
                }
                OversizedShift::FillsBelow(..) => {}
                OversizedShift::Undefined => return Err(Stop::Undefined),
            }
        }
        let shifted = self.shifted(op, x, count);
        let rule = self.semantics.shift_overflow;
        if op != Op::Shl || rule == Overflow::Wraps || x.is_zero() {
            return Ok(shifted);
        }
        // The significant bits, and the bits available for them, without the sign.
        let (length, room) = match (self.semantics.signed, self.negative(x)) {
            (true, true) => ((x ^ self.mask).length(), self.width - 1),
            (true, false) => (x.length(), self.width - 1),
            (false, _) => (x.length(), self.width),
        };
        if length.saturating_add(count) <= room {
            return Ok(shifted);
        }
        let negative = self.semantics.signed && self.negative(x);
        self.beyond(rule, shifted, self.bound(negative))
    }

    /// The total function: an amount of the width or more leaves 0, or copies of the sign.
    #[inline]
    pub(super) fn shifted(&self, op: Op, x: Word<N>, count: u32) -> Word<N> {
        match op {
            Op::Shl if count >= self.width => Word::ZERO,
            Op::Shl => x.shifted_left(count) & self.mask,
            Op::Ashr if self.negative(x) => (x ^ self.mask).shifted_right(count) ^ self.mask,
            _ => x.shifted_right(count),
        }
    }

    #[inline]
    pub(super) fn modulo_width(&self, amount: Word<N>) -> u32 {
        amount.divided_by(Word::small(u64::from(self.width))).1.count()
    }
}
