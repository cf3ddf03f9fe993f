//! Unsigned integers of a fixed number of limbs, on the stack, for the evaluator. Arithmetic is
//! modulo 2^(64 N); narrower widths and signs are left to the caller.

use std::cmp::Ordering;
use std::ops::{BitAnd, BitOr, BitXor, Not};

use num_bigint::{BigInt, Sign};

/// Limbs in little-endian order.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Word<const N: usize>(pub [u64; N]);

impl<const N: usize> Word<N> {
    pub const ZERO: Self = Self([0; N]);
    pub const BITS: u32 = 64 * N as u32;

    #[inline]
    pub fn small(value: u64) -> Self {
        let mut limbs = [0; N];
        limbs[0] = value;
        Self(limbs)
    }

    #[inline]
    pub fn flag(value: bool) -> Self {
        Self::small(u64::from(value))
    }

    /// The number with exactly the lowest `bits` bits set.
    #[inline]
    pub fn mask(bits: u32) -> Self {
        Self(std::array::from_fn(|limb| {
            let here = bits.saturating_sub(64 * limb as u32);
            if here >= 64 { u64::MAX } else { (1 << here) - 1 }
        }))
    }

    /// 2^exponent, or 0 on overflow.
    #[inline]
    pub fn power(exponent: u32) -> Self {
        Self::small(1).shifted_left(exponent)
    }

    /// The integer modulo 2^(64 N).
    pub fn from_integer(integer: &BigInt) -> Self {
        let mut limbs = [0; N];
        for (limb, digit) in limbs.iter_mut().zip(integer.iter_u64_digits()) {
            *limb = digit;
        }
        let magnitude = Self(limbs);
        if integer.sign() == Sign::Minus { magnitude.wrapping_neg() } else { magnitude }
    }

    pub fn to_integer(self) -> BigInt {
        let digits: Vec<u32> =
            self.0.iter().flat_map(|&limb| [limb as u32, (limb >> 32) as u32]).collect();
        BigInt::from_slice(Sign::Plus, &digits)
    }

    #[inline]
    pub fn is_zero(self) -> bool {
        self.0.iter().fold(0, |any, limb| any | limb) == 0
    }

    #[inline]
    pub fn bit(self, index: u32) -> bool {
        self.0.get(index as usize / 64).is_some_and(|limb| limb >> (index % 64) & 1 == 1)
    }

    /// The value as a bit count, saturating at `u32::MAX`.
    #[inline]
    pub fn count(self) -> u32 {
        let high = self.0[1..].iter().fold(0, |any, limb| any | limb);
        if high == 0 { u32::try_from(self.0[0]).unwrap_or(u32::MAX) } else { u32::MAX }
    }

    #[inline]
    pub fn overflowing_add(self, other: Self) -> (Self, bool) {
        let (mut sum, mut carry) = ([0; N], false);
        for (limb, (a, b)) in sum.iter_mut().zip(self.0.into_iter().zip(other.0)) {
            (*limb, carry) = a.carrying_add(b, carry);
        }
        (Self(sum), carry)
    }

    #[inline]
    pub fn wrapping_add(self, other: Self) -> Self {
        self.overflowing_add(other).0
    }

    #[inline]
    pub fn wrapping_sub(self, other: Self) -> Self {
        let (mut difference, mut borrow) = ([0; N], false);
        for (limb, (a, b)) in difference.iter_mut().zip(self.0.into_iter().zip(other.0)) {
            (*limb, borrow) = a.borrowing_sub(b, borrow);
        }
        Self(difference)
    }

    #[inline]
    pub fn wrapping_neg(self) -> Self {
        Self::ZERO.wrapping_sub(self)
    }

    #[inline]
    pub fn wrapping_mul(self, other: Self) -> Self {
        let mut product = [0_u64; N];
        for i in 0..N {
            let mut carry = 0;
            for j in 0..N - i {
                (product[i + j], carry) =
                    self.0[i].carrying_mul_add(other.0[j], product[i + j], carry);
            }
        }
        Self(product)
    }

    /// The exact product: its low and high halves.
    #[inline]
    pub fn widening_mul(self, other: Self) -> (Self, Self) {
        let mut product = [[0_u64; N]; 2];
        let limbs = product.as_flattened_mut();
        for i in 0..N {
            let mut carry = 0;
            for j in 0..N {
                (limbs[i + j], carry) = self.0[i].carrying_mul_add(other.0[j], limbs[i + j], carry);
            }
            limbs[i + N] = carry;
        }
        (Self(product[0]), Self(product[1]))
    }

    #[inline]
    pub fn shifted_left(self, amount: u32) -> Self {
        let (limbs, bits) = (amount as usize / 64, amount % 64);
        Self(std::array::from_fn(|i| {
            let low = if i >= limbs { self.0[i - limbs] << bits } else { 0 };
            let carried =
                if bits > 0 && i > limbs { self.0[i - limbs - 1] >> (64 - bits) } else { 0 };
            low | carried
        }))
    }

    #[inline]
    pub fn shifted_right(self, amount: u32) -> Self {
        let (limbs, bits) = (amount as usize / 64, amount % 64);
        let limb = |i: usize| self.0.get(i).copied().unwrap_or(0);
        Self(std::array::from_fn(|i| {
            let carried = if bits > 0 { limb(i + limbs + 1) << (64 - bits) } else { 0 };
            limb(i + limbs) >> bits | carried
        }))
    }

    /// The number of bits without leading zeros.
    #[inline]
    pub fn length(self) -> u32 {
        let top = (0..N).rev().find(|&limb| self.0[limb] != 0);
        top.map_or(0, |limb| 64 * (limb as u32 + 1) - self.0[limb].leading_zeros())
    }

    /// `BITS` if the word is 0.
    #[inline]
    pub fn trailing_zeros(self) -> u32 {
        let low = (0..N).find(|&limb| self.0[limb] != 0);
        low.map_or(Self::BITS, |limb| 64 * limb as u32 + self.0[limb].trailing_zeros())
    }

    #[inline]
    pub fn ones(self) -> u32 {
        self.0.iter().map(|limb| limb.count_ones()).sum()
    }

    /// The bytes in reverse order.
    #[inline]
    pub fn swapped_bytes(self) -> Self {
        Self(std::array::from_fn(|i| self.0[N - 1 - i].swap_bytes()))
    }

    /// Quotient and remainder. Division by 0 gives all ones and the dividend.
    #[inline]
    pub fn divided_by(self, divisor: Self) -> (Self, Self) {
        if divisor.is_zero() {
            return (Self([u64::MAX; N]), self);
        }
        let high = (self | divisor).0[1..].iter().fold(0, |any, limb| any | limb);
        if high == 0 {
            let (a, b) = (self.0[0], divisor.0[0]);
            return (Self::small(a / b), Self::small(a % b));
        }
        let mut numerator = [self.0, [0; N]];
        let (mut divisor, mut quotient) = (divisor.0, [0; N]);
        divide(numerator.as_flattened_mut(), &mut divisor, &mut quotient);
        (Self(quotient), Self(numerator[0]))
    }

    /// The remainder of `high * 2^(64 N) + low`. For divisor 0 it is the low half.
    pub fn remainder_of(low: Self, high: Self, divisor: Self) -> Self {
        if high.is_zero() || divisor.is_zero() {
            return low.divided_by(divisor).1;
        }
        let mut numerator = [low.0, high.0, [0; N]];
        let (mut divisor, mut quotient) = (divisor.0, [[0; N]; 2]);
        divide(numerator.as_flattened_mut(), &mut divisor, quotient.as_flattened_mut());
        Self(numerator[0])
    }
}

/// Knuth's algorithm D. The numerator has a spare zero limb at its top, and becomes the remainder.
/// The divisor is not 0, and is overwritten. The quotient is 0 initially.
fn divide(numerator: &mut [u64], divisor: &mut [u64], quotient: &mut [u64]) {
    let significant =
        |limbs: &[u64]| limbs.iter().rposition(|&limb| limb != 0).map_or(0, |i| i + 1);
    let (m, n) = (significant(numerator), significant(divisor));
    if m < n {
        return;
    }
    if n == 1 {
        let by = u128::from(divisor[0]);
        let mut rest = 0;
        for i in (0..m).rev() {
            let here = rest << 64 | u128::from(numerator[i]);
            (quotient[i], numerator[i], rest) = ((here / by) as u64, 0, here % by);
        }
        numerator[0] = rest as u64;
        return;
    }
    // With the top bit of the divisor set, each quotient digit is overestimated by at most two.
    let up = divisor[n - 1].leading_zeros();
    shift_up(&mut divisor[..n], up);
    shift_up(&mut numerator[..=m], up);
    let (top, second) = (u128::from(divisor[n - 1]), u128::from(divisor[n - 2]));
    for j in (0..=m - n).rev() {
        let here = u128::from(numerator[j + n]) << 64 | u128::from(numerator[j + n - 1]);
        let (mut digit, mut rest) = (here / top, here % top);
        while digit >> 64 != 0 || digit * second > (rest << 64 | u128::from(numerator[j + n - 2])) {
            digit -= 1;
            rest += top;
            if rest >> 64 != 0 {
                break;
            }
        }
        let mut digit = digit as u64;
        let (mut carry, mut borrow) = (0, false);
        for i in 0..n {
            let product;
            (product, carry) = digit.carrying_mul(divisor[i], carry);
            (numerator[i + j], borrow) = numerator[i + j].borrowing_sub(product, borrow);
        }
        (numerator[j + n], borrow) = numerator[j + n].borrowing_sub(carry, borrow);
        if borrow {
            digit -= 1;
            let mut carry = false;
            for i in 0..n {
                (numerator[i + j], carry) = numerator[i + j].carrying_add(divisor[i], carry);
            }
            numerator[j + n] = numerator[j + n].wrapping_add(u64::from(carry));
        }
        quotient[j] = digit;
    }
    if up > 0 {
        for i in 0..m {
            numerator[i] = numerator[i] >> up | numerator[i + 1] << (64 - up);
        }
        numerator[m] >>= up;
    }
}

fn shift_up(limbs: &mut [u64], up: u32) {
    if up > 0 {
        for i in (1..limbs.len()).rev() {
            limbs[i] = limbs[i] << up | limbs[i - 1] >> (64 - up);
        }
        limbs[0] <<= up;
    }
}

impl<const N: usize> Ord for Word<N> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

impl<const N: usize> PartialOrd for Word<N> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }

    /// The borrow of a difference, which is faster than a search for the highest differing limb.
    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.0.iter().zip(other.0).fold(false, |borrow, (a, b)| a.borrowing_sub(b, borrow).1)
    }

    #[inline]
    fn le(&self, other: &Self) -> bool {
        !other.lt(self)
    }

    #[inline]
    fn gt(&self, other: &Self) -> bool {
        other.lt(self)
    }

    #[inline]
    fn ge(&self, other: &Self) -> bool {
        !self.lt(other)
    }
}

macro_rules! bitwise {
    ($($name:ident $method:ident)*) => {$(
        impl<const N: usize> $name for Word<N> {
            type Output = Self;

            #[inline]
            fn $method(self, other: Self) -> Self {
                Self(std::array::from_fn(|i| self.0[i].$method(other.0[i])))
            }
        }
    )*};
}

bitwise!(BitAnd bitand BitOr bitor BitXor bitxor);

impl<const N: usize> Not for Word<N> {
    type Output = Self;

    #[inline]
    fn not(self) -> Self {
        Self(self.0.map(|limb| !limb))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use forge::{Entropy, Ticket};

    /// Limbs that are random, 0, all ones or close to it, which stress carries and digit estimates.
    fn word<const N: usize>(entropy: &mut Entropy) -> Word<N> {
        let full = entropy.between(0, N as u64) as usize;
        Word(std::array::from_fn(|i| match entropy.below(6) {
            _ if i >= full => 0,
            0 => 0,
            1 => u64::MAX,
            2 => 1 << 63,
            3 => u64::MAX - entropy.below(2),
            _ => entropy.word(),
        }))
    }

    fn assert_matches<const N: usize>() {
        let mut entropy = Entropy::of(&Ticket::new("word", N as u64, 0));
        let modulus = BigInt::from(1) << (64 * N);
        let wrapped = |n: BigInt| ((n % &modulus) + &modulus) % &modulus;
        for _ in 0..3000 {
            let (a, b, c): (Word<N>, Word<N>, Word<N>) =
                (word(&mut entropy), word(&mut entropy), word(&mut entropy));
            let (x, y, z) = (a.to_integer(), b.to_integer(), c.to_integer());
            assert_eq!(Word::from_integer(&x), a);
            assert_eq!(Word::<N>::from_integer(&-&x).to_integer(), wrapped(-&x));
            assert_eq!(a.wrapping_add(b).to_integer(), wrapped(&x + &y));
            assert_eq!(a.overflowing_add(b).1, &x + &y >= modulus);
            assert_eq!(a.wrapping_sub(b).to_integer(), wrapped(&x - &y));
            assert_eq!(a.wrapping_mul(b).to_integer(), wrapped(&x * &y));
            let (low, high) = a.widening_mul(b);
            assert_eq!(high.to_integer() * &modulus + low.to_integer(), &x * &y);
            assert_eq!((a < b, a <= b, a > b, a >= b), (x < y, x <= y, x > y, x >= y));
            assert_eq!(a.cmp(&b), x.cmp(&y));
            let n = entropy.below(64 * N as u64 + 70) as u32;
            assert_eq!(a.shifted_left(n).to_integer(), wrapped(&x << n));
            assert_eq!(a.shifted_right(n).to_integer(), &x >> n);
            assert_eq!(a.bit(n), &x >> n & BigInt::from(1) == BigInt::from(1));
            assert_eq!(u64::from(a.length()), x.bits());
            assert_eq!(a & b, Word::from_integer(&(x.clone() & &y)));
            if y != BigInt::ZERO {
                let (q, r) = a.divided_by(b);
                assert_eq!((q.to_integer(), r.to_integer()), (&x / &y, &x % &y));
                let wide = &x * &modulus + &z;
                assert_eq!(Word::remainder_of(c, a, b).to_integer(), wide % &y);
            }
        }
    }

    #[test]
    fn words_match_integer_arithmetic() {
        assert_matches::<1>();
        assert_matches::<2>();
        assert_matches::<4>();
        assert_matches::<5>();
        assert_matches::<9>();
    }

    /// Overestimated digits and the add-back step are rare on random numbers.
    #[test]
    fn rare_branches_of_long_division_are_correct() {
        let limbs = [0, 1, 2, 1 << 63, (1 << 63) - 1, (1 << 63) + 1, u64::MAX - 1, u64::MAX];
        let words: Vec<Word<3>> =
            (0..512).map(|i| Word([limbs[i % 8], limbs[i / 8 % 8], limbs[i / 64]])).collect();
        for &a in &words {
            for &b in words.iter().filter(|b| !b.is_zero()) {
                let (q, r) = a.divided_by(b);
                let (low, high) = q.widening_mul(b);
                assert!(high.is_zero() && r < b, "{a:?} {b:?}");
                assert_eq!(low.overflowing_add(r), (a, false), "{a:?} {b:?}");
            }
        }
    }
}
