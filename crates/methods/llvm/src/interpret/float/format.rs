//! Binary interchange formats of IEEE 754: their parts, and conversions with rounding to nearest even.

use crate::interpret::stop::Stop;
use crate::ir::{Flags, FloatKind};

#[derive(Clone, Copy, Debug)]
pub(super) struct Format {
    exponent_bits: u32,
    mantissa_bits: u32,
}

const DOUBLE: Format = Format { exponent_bits: 11, mantissa_bits: 52 };

impl Format {
    pub(crate) fn of(kind: FloatKind) -> Result<Self, Stop> {
        let (exponent_bits, mantissa_bits) = match kind {
            FloatKind::Half => (5, 10),
            FloatKind::BFloat => (8, 7),
            FloatKind::Float => (8, 23),
            FloatKind::Double => (11, 52),
            FloatKind::Fp128 => (15, 112),
            FloatKind::X86Fp80 | FloatKind::PpcFp128 => {
                return Stop::unsupported("x86_fp80 and ppc_fp128");
            }
        };
        Ok(Self { exponent_bits, mantissa_bits })
    }

    pub(crate) fn sign(&self) -> u128 {
        1 << (self.exponent_bits + self.mantissa_bits)
    }

    fn mantissa(&self, bits: u128) -> u128 {
        bits & ((1 << self.mantissa_bits) - 1)
    }

    fn exponent(&self, bits: u128) -> i32 {
        (bits >> self.mantissa_bits) as i32 & self.greatest_exponent()
    }

    /// All ones: infinities and NaNs.
    fn greatest_exponent(&self) -> i32 {
        (1 << self.exponent_bits) - 1
    }

    fn bias(&self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    fn infinity(&self) -> u128 {
        (self.greatest_exponent() as u128) << self.mantissa_bits
    }

    /// The bit that distinguishes quiet NaNs.
    pub(crate) fn quiet(&self) -> u128 {
        1 << (self.mantissa_bits - 1)
    }

    pub(crate) fn quiet_nan(&self) -> u128 {
        self.infinity() | self.quiet()
    }

    pub(crate) fn is_nan(&self, bits: u128) -> bool {
        bits & !self.sign() > self.infinity()
    }

    pub(crate) fn is_quiet(&self, bits: u128) -> bool {
        bits & self.quiet() != 0
    }

    pub(crate) fn is_infinite(&self, bits: u128) -> bool {
        bits & !self.sign() == self.infinity()
    }

    pub(crate) fn is_zero(&self, bits: u128) -> bool {
        bits & !self.sign() == 0
    }

    pub(crate) fn is_subnormal(&self, bits: u128) -> bool {
        self.exponent(bits) == 0 && !self.is_zero(bits)
    }

    /// Whether a flag makes it poison.
    pub(crate) fn is_forbidden(&self, bits: u128, flags: Flags) -> bool {
        flags.has(Flags::NNAN) && self.is_nan(bits)
            || flags.has(Flags::NINF) && self.is_infinite(bits)
    }

    /// Ordered as the numbers are, with -0 below 0.
    pub(crate) fn order(&self, bits: u128) -> i128 {
        let magnitude = (bits & !self.sign()) as i128;
        if bits & self.sign() != 0 { -magnitude - 1 } else { magnitude }
    }

    /// The number is the first times two to the second.
    fn unpack(&self, bits: u128) -> (u128, i32) {
        let (mantissa, exponent) = (self.mantissa(bits), self.exponent(bits));
        let least = 1 - self.bias() - self.mantissa_bits as i32;
        match exponent {
            0 => (mantissa, least),
            _ => (mantissa | 1 << self.mantissa_bits, least + exponent - 1),
        }
    }

    /// `significand * 2^exponent`, rounded.
    pub(crate) fn pack(&self, negative: bool, significand: u128, exponent: i32) -> u128 {
        let sign = if negative { self.sign() } else { 0 };
        if significand == 0 {
            return sign;
        }
        // How far the lowest bit of the result is above the lowest bit of the significand.
        let least = 1 - self.bias() - self.mantissa_bits as i32;
        let top = 127 - significand.leading_zeros() as i32;
        let shift = (top - self.mantissa_bits as i32).max(least - exponent);
        let rounded = match shift {
            ..=0 => significand << -shift,
            1..=127 => {
                let kept = significand >> shift;
                let (rest, half) = (significand & ((1 << shift) - 1), 1_u128 << (shift - 1));
                kept + u128::from(rest > half || rest == half && kept & 1 == 1)
            }
            128 => u128::from(significand > 1 << 127),
            _ => 0,
        };
        // A carry out of the mantissa runs into the exponent, as it should.
        let field = exponent + shift - least;
        let normal = rounded >> self.mantissa_bits != 0;
        let bits = if normal {
            if field >= self.greatest_exponent() {
                return sign | self.infinity();
            }
            ((field as u128) << self.mantissa_bits) + rounded
        } else {
            rounded
        };
        sign | bits.min(self.infinity())
    }

    /// The magnitude rounded towards zero, if it is below 2^128.
    pub(crate) fn magnitude(&self, bits: u128) -> Option<u128> {
        if self.is_infinite(bits) {
            return None;
        }
        let (significand, exponent) = self.unpack(bits);
        match exponent {
            ..=-128 => Some(0),
            -127..=0 => Some(significand >> -exponent),
            _ if significand == 0 => Some(0),
            _ if significand.leading_zeros() as i32 >= exponent => Some(significand << exponent),
            _ => None,
        }
    }

    /// The same number in another format.
    pub(crate) fn number_in(&self, other: &Self, bits: u128) -> u128 {
        let negative = bits & self.sign() != 0;
        if self.is_infinite(bits) {
            return other.infinity() | if negative { other.sign() } else { 0 };
        }
        let (significand, exponent) = self.unpack(bits);
        other.pack(negative, significand, exponent)
    }

    /// The NaN in another format: the high bits of its payload stay. A signaling NaN whose payload is lost
    /// becomes quiet.
    pub(crate) fn nan_in(&self, other: &Self, bits: u128) -> u128 {
        let payload = self.mantissa(bits);
        let moved = if other.mantissa_bits >= self.mantissa_bits {
            payload << (other.mantissa_bits - self.mantissa_bits)
        } else {
            payload >> (self.mantissa_bits - other.mantissa_bits)
        };
        other.infinity() | if moved == 0 { other.quiet() } else { moved }
    }

    /// Times a power of two.
    pub(crate) fn scaled(&self, bits: u128, by: i32) -> u128 {
        if self.is_infinite(bits) {
            return bits;
        }
        let (significand, exponent) = self.unpack(bits);
        self.pack(bits & self.sign() != 0, significand, exponent + by)
    }

    pub(crate) fn to_double(self, bits: u128) -> u64 {
        self.number_in(&DOUBLE, bits) as u64
    }

    pub(crate) fn rounded_double(self, number: f64) -> u128 {
        DOUBLE.number_in(&self, u128::from(number.to_bits()))
    }
}
