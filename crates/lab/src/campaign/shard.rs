//! A part of a campaign: `2/5` is the second of five. Blocks of tickets are assigned round-robin, so shards
//! need no communication, are disjoint, and together cover all tickets.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// One of several parts of a campaign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// Starts at 1.
    number: u64,
    of: u64,
}

/// A text that is not a shard.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{0}` is not a shard: write K/N with K from 1 to N, for example 2/5")]
pub struct ShardError(String);

impl Shard {
    pub fn whole() -> Self {
        Self { number: 1, of: 1 }
    }

    pub(super) fn has(self, block: u64) -> bool {
        block % self.of == self.number - 1
    }

    /// The first block of this part from this one on.
    pub(super) fn following(self, block: u64) -> u64 {
        let missing = (self.number - 1 + self.of - block % self.of) % self.of;
        block + missing
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let (number, of) = text.split_once('/')?;
            let (number, of): (u64, u64) = (number.parse().ok()?, of.parse().ok()?);
            (1..=of).contains(&number).then_some(Self { number, of })
        };
        parse().ok_or_else(|| ShardError(text.to_owned()))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}/{}", self.number, self.of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shards_are_disjoint_and_cover_all_blocks() {
        let shards: Vec<Shard> = (1..=3).map(|k| format!("{k}/3").parse().unwrap()).collect();
        for block in 0..20 {
            assert_eq!(shards.iter().filter(|shard| shard.has(block)).count(), 1);
            assert!(Shard::whole().has(block));
        }
    }

    #[test]
    fn an_invalid_shard_is_rejected_and_quoted() {
        for text in ["", "3", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2"] {
            assert!(text.parse::<Shard>().is_err_and(|error| error.to_string().contains(text)));
        }
    }
}
