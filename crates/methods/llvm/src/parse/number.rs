//! Literals of integers and floating-point numbers.

use crate::ir::{Constant, FloatKind};

/// An integer of a width. Above 128 bits it remains text.
pub(super) fn integer(text: &str, width: u32) -> Option<Constant> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    if width > 128 {
        return Some(Constant::Text(text.into()));
    }
    let value: u128 = digits.parse().ok()?;
    Some(Constant::int(if negative { value.wrapping_neg() } else { value }, width))
}

/// A floating-point number, in any of the forms that some version prints.
pub(super) fn float(text: &str, kind: FloatKind) -> Option<Constant> {
    let bits = match text.strip_prefix("0x") {
        Some(digits) if !digits.contains(['p', 'P', '.']) => bit_pattern(digits, kind)?,
        Some(_) => return Some(Constant::Text(text.into())),
        None => match text.strip_prefix("f0x") {
            Some(digits) => u128::from_str_radix(digits, 16).ok()?,
            None => match text.strip_prefix(['+', '-']) {
                Some(special) if special.starts_with(|first: char| first.is_ascii_alphabetic()) => {
                    let sign = if text.starts_with('-') { kind.sign() } else { 0 };
                    self::special(special, kind)? | sign
                }
                _ => return decimal(text, kind),
            },
        },
    };
    let fits = kind.bits() == 128 || bits >> kind.bits() == 0;
    fits.then_some(Constant::Float(bits))
}

/// The digits behind `0x`, which are those of a double unless a letter says otherwise.
fn bit_pattern(digits: &str, kind: FloatKind) -> Option<u128> {
    let (letter, digits) = match digits.as_bytes().first()? {
        letter @ (b'H' | b'R' | b'K' | b'L' | b'M') => (Some(*letter), &digits[1..]),
        _ => (None, digits),
    };
    let bits = u128::from_str_radix(digits, 16).ok()?;
    match (letter, kind) {
        (Some(b'H'), FloatKind::Half)
        | (Some(b'R'), FloatKind::BFloat)
        | (Some(b'K'), FloatKind::X86Fp80) => Some(bits),
        // The lower half is written first.
        (Some(b'L'), FloatKind::Fp128) | (Some(b'M'), FloatKind::PpcFp128) => {
            Some(bits.rotate_left(64))
        }
        (None, _) => Some(kind.from_double(u64::try_from(bits).ok()?)),
        _ => None,
    }
}

/// Infinities and NaNs, as LLVM 23 and later write them.
fn special(text: &str, kind: FloatKind) -> Option<u128> {
    let (name, payload) = match text.split_once('(') {
        Some((name, payload)) => {
            let digits = payload.strip_suffix(')')?.strip_prefix("0x")?;
            (name, u128::from_str_radix(digits, 16).ok()?)
        }
        None => (text, 0),
    };
    (payload < kind.quiet()).then_some(())?;
    match name {
        "inf" => Some(kind.infinity()),
        "qnan" | "nan" => Some(kind.infinity() | kind.quiet() | payload),
        "snan" if payload != 0 => Some(kind.infinity() | payload),
        _ => None,
    }
}

/// Decimal numbers. Those of formats wider than `double` remain text unless a double holds them exactly.
fn decimal(text: &str, kind: FloatKind) -> Option<Constant> {
    let is_decimal = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e');
    if !text.contains(['.', 'e']) || !text.bytes().all(is_decimal) {
        return None;
    }
    let value: f64 = text.parse().ok()?;
    if !value.is_finite() {
        return Some(Constant::Text(text.into()));
    }
    match kind {
        FloatKind::X86Fp80 | FloatKind::Fp128 | FloatKind::PpcFp128
            if value.fract() != 0.0 || value.abs() > 9e15 =>
        {
            Some(Constant::Text(text.into()))
        }
        _ => Some(Constant::Float(kind.from_double(value.to_bits()))),
    }
}
