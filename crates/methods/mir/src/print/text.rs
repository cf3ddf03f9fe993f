//! A text buffer that formats numbers without the overhead of `fmt`.

use std::fmt::Write as _;

use super::super::types::{Float, Int};

pub(super) struct Text {
    pub(super) out: String,
}

impl Text {
    pub(super) fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    pub(super) fn number(&mut self, number: usize) {
        if number < 10 {
            self.out.push(char::from(b'0' + number as u8));
        } else {
            self.unsigned(number as u128);
        }
    }

    pub(super) fn unsigned(&mut self, number: u128) {
        let Ok(mut rest) = u64::try_from(number) else {
            // More than 64 bits are rare.
            let _ = write!(self.out, "{number}");
            return;
        };
        let mut digits = [0; 20];
        let mut start = digits.len();
        loop {
            start -= 1;
            digits[start] = b'0' + (rest % 10) as u8;
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        self.ascii(&digits[start..]);
    }

    pub(super) fn signed(&mut self, number: i128) {
        if number < 0 {
            self.out.push('-');
        }
        self.unsigned(number.unsigned_abs());
    }

    /// With `0x`.
    pub(super) fn hex(&mut self, number: u128) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        self.push("0x");
        let mut digits = [0; 32];
        let mut start = digits.len();
        let mut rest = number;
        loop {
            start -= 1;
            digits[start] = DIGITS[(rest & 15) as usize];
            rest >>= 4;
            if rest == 0 {
                break;
            }
        }
        self.ascii(&digits[start..]);
    }

    fn ascii(&mut self, digits: &[u8]) {
        self.push(std::str::from_utf8(digits).unwrap_or_default());
    }

    /// An integer, without its type.
    pub(super) fn int(&mut self, int: Int, bits: u128) {
        let unused = 128 - int.bits();
        if int.signed {
            self.signed(((bits << unused) as i128) >> unused);
        } else {
            self.unsigned((bits << unused) >> unused);
        }
    }

    pub(super) fn char(&mut self, bits: u128) {
        let code = bits as u32;
        match char::from_u32(code) {
            Some(plain) if plain.is_ascii_alphanumeric() => {
                let _ = write!(self.out, "'{plain}'");
            }
            _ => {
                let _ = write!(self.out, "'\\u{{{code:x}}}'");
            }
        }
    }

    pub(super) fn float(&mut self, float: Float, bits: u128) {
        let name = float.name();
        let (number, finite) = match float {
            Float::F32 => {
                let number = f32::from_bits(bits as u32);
                (f64::from(number), number.is_finite())
            }
            Float::F64 => {
                let number = f64::from_bits(bits as u64);
                (number, number.is_finite())
            }
        };
        let _ = match float {
            Float::F32 if finite => write!(self.out, "{:?}_{name}", f32::from_bits(bits as u32)),
            Float::F64 if finite => write!(self.out, "{number:?}_{name}"),
            _ if number.is_nan() => write!(self.out, "{name}::NAN"),
            _ if number < 0.0 => write!(self.out, "{name}::NEG_INFINITY"),
            _ => write!(self.out, "{name}::INFINITY"),
        };
    }
}
