//! Variable-length encoding of integers, seven bits per byte (LEB128). Refutations and sealed
//! certificates use it; what the integers mean is left to them.

use super::rejection::Rejection;

pub(crate) fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Decodes what `put_number` encoded. Truncated input and integers over 63 bits are rejected.
#[derive(Debug)]
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    pub(crate) fn number(&mut self) -> Result<u64, Rejection> {
        let mut number = 0;
        for shift in (0..63).step_by(7) {
            let [byte] = *self.take(1)? else { break };
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        Err(Rejection("integer exceeds 63 bits".into()))
    }

    /// The number of items that follow. Each item takes at least one byte, so that a count beyond
    /// the remaining input is rejected before anything is allocated.
    pub(crate) fn count(&mut self) -> Result<usize, Rejection> {
        let count = self.number()?;
        match usize::try_from(count) {
            Ok(count) if count <= self.bytes.len() => Ok(count),
            _ => Err(Rejection("unexpected end of input".into())),
        }
    }

    /// The bytes that have not been read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.bytes
    }

    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], Rejection> {
        let Some((taken, rest)) = self.bytes.split_at_checked(count) else {
            return Err(Rejection("unexpected end of input".into()));
        };
        self.bytes = rest;
        Ok(taken)
    }
}
