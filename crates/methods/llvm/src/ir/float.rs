//! The bits of floating-point numbers: conversions from and to `double`, in which LLVM writes most of them.

use super::FloatKind;

impl FloatKind {
    /// Width of the exponent and of the fraction, of the formats that have an implicit leading bit.
    fn interchange(self) -> Option<(u32, u32)> {
        match self {
            Self::Half => Some((5, 10)),
            Self::BFloat => Some((8, 7)),
            Self::Float => Some((8, 23)),
            Self::Double => Some((11, 52)),
            Self::Fp128 => Some((15, 112)),
            Self::X86Fp80 | Self::PpcFp128 => None,
        }
    }

    /// The number of this format that is nearest to a `double`. A NaN keeps its sign, whether it signals,
    /// and the upper bits of its payload.
    pub fn from_double(self, bits: u64) -> u128 {
        let sign = u128::from(bits >> 63);
        let exponent = (bits >> 52 & 0x7ff) as i32;
        let fraction = bits & ((1 << 52) - 1);
        match self {
            Self::Half | Self::BFloat | Self::Float => {
                let (exponent_bits, fraction_bits) = if self == Self::Half {
                    (5, 10)
                } else {
                    (8, if self == Self::Float { 23 } else { 7 })
                };
                let magnitude = narrow(exponent, fraction, exponent_bits, fraction_bits);
                sign << (exponent_bits + fraction_bits) | u128::from(magnitude)
            }
            Self::Double => u128::from(bits),
            Self::Fp128 | Self::X86Fp80 => {
                let (exponent, fraction) = widened(exponent, fraction);
                match self {
                    Self::Fp128 => sign << 127 | exponent << 112 | u128::from(fraction) << 60,
                    _ => {
                        let leading = u128::from(exponent != 0) << 63;
                        sign << 79 | exponent << 64 | leading | u128::from(fraction) << 11
                    }
                }
            }
            // Two doubles, the first in the lower half; their sum is the value.
            Self::PpcFp128 => u128::from(bits),
        }
    }

    /// The `double` of the same value, for the formats that are not wider. A NaN keeps its payload.
    pub fn to_double(self, bits: u128) -> Option<u64> {
        let (exponent_bits, fraction_bits) = match self {
            Self::Half | Self::BFloat | Self::Float | Self::Double => self.interchange()?,
            Self::X86Fp80 | Self::Fp128 | Self::PpcFp128 => return None,
        };
        let bits = bits as u64;
        let sign = bits >> (exponent_bits + fraction_bits) & 1;
        let exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1);
        let fraction = bits & ((1 << fraction_bits) - 1);
        let shift = 52 - fraction_bits;
        let bias = (1 << (exponent_bits - 1)) - 1;
        let magnitude = if exponent == (1 << exponent_bits) - 1 {
            0x7ff << 52 | fraction << shift
        } else if self == Self::Double {
            return Some(bits);
        } else if exponent != 0 {
            (exponent + 1023 - bias) << 52 | fraction << shift
        } else if fraction == 0 {
            0
        } else {
            // A subnormal number is normal as a double.
            let zeros = fraction.leading_zeros() - (63 - fraction_bits);
            let exponent = 1023 - bias + 1 - u64::from(zeros);
            let fraction = (fraction << zeros) & ((1 << fraction_bits) - 1);
            exponent << 52 | fraction << shift
        };
        Some(sign << 63 | magnitude)
    }

    /// The bits of infinity.
    pub fn infinity(self) -> u128 {
        match (self, self.interchange()) {
            (Self::X86Fp80, _) => 0x7fff << 64 | 1 << 63,
            (Self::PpcFp128, _) => 0x7ff << 52,
            (_, Some((exponent, fraction))) => ((1 << exponent) - 1) << fraction,
            (_, None) => 0,
        }
    }

    /// The bit that makes a NaN quiet.
    pub fn quiet(self) -> u128 {
        match (self, self.interchange()) {
            (Self::X86Fp80, _) => 1 << 62,
            (Self::PpcFp128, _) => 1 << 51,
            (_, Some((_, fraction))) => 1 << (fraction - 1),
            (_, None) => 0,
        }
    }

    /// The bit of the sign.
    pub fn sign(self) -> u128 {
        match self {
            Self::PpcFp128 => 1 << 63,
            _ => 1 << (self.bits() - 1),
        }
    }
}

/// Exponent and fraction of a `double` in a format with 15 bits of exponent, the fraction still 52 bits.
fn widened(exponent: i32, fraction: u64) -> (u128, u64) {
    match exponent {
        0 if fraction == 0 => (0, 0),
        0 => {
            let zeros = fraction.leading_zeros() - 11;
            let exponent = 16383 - 1022 - zeros;
            (u128::from(exponent), fraction << zeros & ((1 << 52) - 1))
        }
        0x7ff => (0x7fff, fraction),
        _ => ((exponent + 16383 - 1023) as u128, fraction),
    }
}

/// Rounds a magnitude to a narrower format, half to even.
fn narrow(exponent: i32, fraction: u64, exponent_bits: u32, fraction_bits: u32) -> u64 {
    let shift = 52 - fraction_bits;
    let infinity = ((1_u64 << exponent_bits) - 1) << fraction_bits;
    if exponent == 0x7ff {
        let payload = fraction >> shift;
        // A NaN whose payload is lost remains a NaN.
        return infinity | if fraction != 0 && payload == 0 { 1 } else { payload };
    }
    let bias = (1 << (exponent_bits - 1)) - 1;
    let significand = if exponent == 0 { fraction } else { 1 << 52 | fraction };
    let target = exponent.max(1) - 1023 + bias;
    // Below 1, it is subnormal in the target.
    let shift = if target < 1 { shift as i32 + 1 - target } else { shift as i32 };
    if shift > 54 {
        return 0;
    }
    let kept = significand >> shift;
    let rest = significand & ((1 << shift) - 1);
    let half = 1_u64 << (shift - 1);
    let rounded = kept + u64::from(rest > half || (rest == half && kept & 1 == 1));
    // The leading bit of `rounded` counts one into the exponent.
    let exponent = (target.max(1) - 1) as u64;
    (rounded + (exponent << fraction_bits)).min(infinity)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_survive_the_way_through_double() {
        let mut state = 1_u64;
        for _ in 0..100_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let single = (state >> 32) as u32;
            let double = FloatKind::Float.to_double(single.into()).unwrap();
            assert_eq!(FloatKind::Float.from_double(double), single.into());
            if !f32::from_bits(single).is_nan() {
                assert_eq!(f64::from_bits(double), f64::from(f32::from_bits(single)));
            }
            let half = u128::from(state >> 48);
            for kind in [FloatKind::Half, FloatKind::BFloat] {
                let double = kind.to_double(half).unwrap();
                assert_eq!(kind.from_double(double), half);
            }
            if !f64::from_bits(state).is_nan() {
                let narrowed = FloatKind::Float.from_double(state);
                assert_eq!(narrowed, u128::from((f64::from_bits(state) as f32).to_bits()));
            }
        }
    }

    #[test]
    fn subnormal_and_large_numbers_round_to_half() {
        for (value, half) in [(1.0, 0x3c00), (65504.0, 0x7bff), (65520.0, 0x7c00), (5.9e-8, 1)] {
            assert_eq!(FloatKind::Half.from_double(f64::to_bits(value)), half);
        }
        assert_eq!(FloatKind::Half.from_double(f64::to_bits(1e-30)), 0);
        assert_eq!(FloatKind::X86Fp80.from_double(f64::to_bits(1.0)), 0x3fff_8000 << 48);
        assert_eq!(FloatKind::Fp128.from_double(f64::to_bits(-2.0)), 0xc000 << 112);
    }
}
