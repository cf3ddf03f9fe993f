//! Float arithmetic, computed with the host's `f32` and `f64`. A NaN has no bits here, because its payload and sign are
//! unspecified.

use super::intrinsic::Intrinsic;
use super::program::Operator;
use super::scalar::{extend, truncate};
use super::types::{Float, Int};

/// The bits of a float. `None` for a NaN.
pub(crate) type Bits = Option<u128>;

fn single(bits: Bits) -> f32 {
    bits.map_or(f32::NAN, |bits| f32::from_bits(bits as u32))
}

/// Any float as an `f64`, which represents all of them exactly.
fn double(float: Float, bits: Bits) -> f64 {
    match float {
        Float::F32 => single(bits).into(),
        Float::F64 => bits.map_or(f64::NAN, |bits| f64::from_bits(bits as u64)),
    }
}

fn from_single(value: f32) -> Bits {
    (!value.is_nan()).then_some(value.to_bits().into())
}

fn from_double(value: f64) -> Bits {
    (!value.is_nan()).then_some(value.to_bits().into())
}

pub(crate) fn is_nan(float: Float, bits: u128) -> bool {
    double(float, Some(bits)).is_nan()
}

/// `+`, `-`, `*`, `/` and `%`. `None` for other operators.
pub(crate) fn arithmetic(
    operator: Operator,
    float: Float,
    left: Bits,
    right: Bits,
) -> Option<Bits> {
    macro_rules! with {
        ($a:expr, $b:expr, $back:expr) => {{
            let (a, b) = ($a, $b);
            Some($back(match operator {
                Operator::Add => a + b,
                Operator::Sub => a - b,
                Operator::Mul => a * b,
                Operator::Div => a / b,
                Operator::Rem => a % b,
                _ => return None,
            }))
        }};
    }
    match float {
        Float::F32 => with!(single(left), single(right), from_single),
        Float::F64 => with!(double(float, left), double(float, right), from_double),
    }
}

pub(crate) fn compare(operator: Operator, float: Float, left: Bits, right: Bits) -> bool {
    let (a, b) = (double(float, left), double(float, right));
    match operator {
        Operator::Eq => a == b,
        Operator::Ne => a != b,
        Operator::Lt => a < b,
        Operator::Le => a <= b,
        Operator::Gt => a > b,
        _ => a >= b,
    }
}

pub(crate) fn negate(float: Float, bits: Bits) -> Bits {
    match float {
        Float::F32 => from_single(-single(bits)),
        Float::F64 => from_double(-double(float, bits)),
    }
}

/// An intrinsic of one float.
pub(crate) fn unary(intrinsic: Intrinsic, float: Float, bits: Bits) -> Option<Bits> {
    macro_rules! with {
        ($a:expr, $back:expr) => {{
            let a = $a;
            Some($back(match intrinsic {
                Intrinsic::SquareRoot => a.sqrt(),
                Intrinsic::Floor => a.floor(),
                Intrinsic::Ceil => a.ceil(),
                Intrinsic::Truncate => a.trunc(),
                Intrinsic::RoundTiesEven => a.round_ties_even(),
                Intrinsic::Absolute => a.abs(),
                _ => return None,
            }))
        }};
    }
    match float {
        Float::F32 => with!(single(bits), from_single),
        Float::F64 => with!(double(float, bits), from_double),
    }
}

/// `None` if `sign` is a NaN: its sign is unspecified.
pub(crate) fn copy_sign(float: Float, bits: Bits, sign: Bits) -> Option<Bits> {
    if double(float, sign).is_nan() {
        return None;
    }
    Some(match float {
        Float::F32 => from_single(single(bits).copysign(single(sign))),
        Float::F64 => from_double(double(float, bits).copysign(double(float, sign))),
    })
}

pub(crate) fn multiply_add(float: Float, a: Bits, b: Bits, c: Bits) -> Bits {
    match float {
        Float::F32 => from_single(single(a).mul_add(single(b), single(c))),
        Float::F64 => from_double(double(float, a).mul_add(double(float, b), double(float, c))),
    }
}

pub(crate) fn convert(from: Float, to: Float, bits: Bits) -> Bits {
    match to {
        Float::F32 if from == Float::F32 => from_single(single(bits)),
        Float::F32 => from_single(double(from, bits) as f32),
        Float::F64 => from_double(double(from, bits)),
    }
}

pub(crate) fn from_int(int: Int, to: Float, bits: u128) -> Bits {
    let number = extend(bits, int);
    match (int.signed, to) {
        (true, Float::F32) => from_single(number as f32),
        (true, Float::F64) => from_double(number as f64),
        (false, Float::F32) => from_single(bits as f32),
        (false, Float::F64) => from_double(bits as f64),
    }
}

/// Truncates a float to an integer. `None` if it is out of range or a NaN.
pub(crate) fn to_int(from: Float, int: Int, bits: Bits) -> Option<u128> {
    let whole = double(from, bits).trunc();
    let power = |exponent: u32| 2f64.powi(exponent.cast_signed());
    let fits = if int.signed {
        whole >= -power(int.bits() - 1) && whole < power(int.bits() - 1)
    } else {
        whole >= 0.0 && whole < power(int.bits())
    };
    let number = if int.signed { (whole as i128).cast_unsigned() } else { whole as u128 };
    fits.then_some(truncate(number, int.bits()))
}

/// Truncates a float to an integer as `as` does: saturating, and 0 for a NaN.
pub(crate) fn to_int_saturating(from: Float, int: Int, bits: Bits) -> u128 {
    let value = double(from, bits);
    let greatest = truncate(u128::MAX, int.bits() - u32::from(int.signed));
    match to_int(from, int, bits) {
        Some(number) => number,
        None if value.is_nan() => 0,
        None if value > 0.0 => greatest,
        None if int.signed => greatest + 1,
        None => 0,
    }
}
