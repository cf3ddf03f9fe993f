//! The signature of a program: the kinds of its parameters and its result. It is the first line of every source, and all that
//! a caller needs.

use std::fmt;
use std::str::FromStr;

use num_bigint::BigInt;

/// A kind of word: `u8`, `i256`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Kind {
    pub signed: bool,
    pub width: u16,
}

/// The kinds of the parameters and of the result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Signature {
    pub parameters: Vec<Kind>,
    pub result: Kind,
}

/// A program in a source with one or more programs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entry {
    pub name: String,
    pub signature: Signature,
}

impl Kind {
    /// The value of a word as a number of this kind.
    pub fn number(self, word: &BigInt) -> BigInt {
        let modulus = BigInt::from(1) << self.width;
        let mut number = word % &modulus;
        if number < BigInt::ZERO {
            number += &modulus;
        }
        if self.signed && number.bit(u64::from(self.width) - 1) { number - modulus } else { number }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}{}", if self.signed { 'i' } else { 'u' }, self.width)
    }
}

/// `(u8, u256) -> u256`.
impl fmt::Display for Signature {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("(")?;
        for (index, kind) in self.parameters.iter().enumerate() {
            write!(out, "{}{kind}", if index > 0 { ", " } else { "" })?;
        }
        write!(out, ") -> {}", self.result)
    }
}

/// A source without a signature in its first line.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("not a signature: expected for example `(u8, u256) -> u256`")]
pub struct NoSignature;

impl FromStr for Kind {
    type Err = NoSignature;

    fn from_str(text: &str) -> Result<Self, NoSignature> {
        let signed = match text.as_bytes().first() {
            Some(b'u') => false,
            Some(b'i') => true,
            _ => return Err(NoSignature),
        };
        let width = text[1..].parse().map_err(|_| NoSignature)?;
        if width == 0 { Err(NoSignature) } else { Ok(Self { signed, width }) }
    }
}

impl FromStr for Signature {
    type Err = NoSignature;

    fn from_str(text: &str) -> Result<Self, NoSignature> {
        let (parameters, result) = text.trim().split_once(" -> ").ok_or(NoSignature)?;
        let inside = parameters.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        let inside = inside.ok_or(NoSignature)?;
        let words = inside.split(", ").filter(|word| !word.is_empty());
        Ok(Self {
            parameters: words.map(str::parse).collect::<Result<_, _>>()?,
            result: result.parse()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_read_back() {
        for text in ["() -> u8", "(u8) -> i257", "(i256, u1, u64) -> u256"] {
            assert_eq!(text.parse::<Signature>().map(|it| it.to_string()), Ok(text.to_owned()));
        }
        for text in ["", "u8 -> u8", "(u8 -> u8", "(x8) -> u8", "(u0) -> u8", "(u8) -> "] {
            assert_eq!(text.parse::<Signature>(), Err(NoSignature), "{text}");
        }
    }

    #[test]
    fn words_are_numbers_of_their_kind() {
        let kind: Kind = "i8".parse().unwrap();
        assert_eq!(kind.number(&BigInt::from(255)), BigInt::from(-1));
        assert_eq!(kind.number(&BigInt::from(127)), BigInt::from(127));
        let kind: Kind = "u8".parse().unwrap();
        assert_eq!(kind.number(&BigInt::from(255)), BigInt::from(255));
        assert_eq!(kind.number(&BigInt::from(-1)), BigInt::from(255));
    }
}
