//! Numbers as bytes, seven bits at a time: the encoding of refutations and of sealed certificates.

use super::rejection::Rejection;

pub(crate) fn put_number(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads what `put_number` wrote, and rejects everything else.
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

    /// A number of things that are still to come, of which each takes a byte at least.
    pub(crate) fn count(&mut self) -> Result<usize, Rejection> {
        let count = self.number()?;
        match usize::try_from(count) {
            Ok(count) if count <= self.bytes.len() => Ok(count),
            _ => Err(Rejection("unexpected end of input".into())),
        }
    }

    /// Everything that has not been read.
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
