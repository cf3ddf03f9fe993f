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

    /// The first block of this shard that is not before `block`; none if its number would be too large.
    pub(super) fn first_from(self, block: u64) -> Option<u64> {
        let to_go = (self.number - 1 + self.of - block % self.of) % self.of;
        block.checked_add(to_go)
    }

    /// The blocks of this shard that are before `end`.
    pub(super) fn blocks(self, end: u64) -> impl Iterator<Item = u64> {
        let first = self.first_from(0);
        let next = move |block: &u64| block.checked_add(self.of);
        std::iter::successors(first, next).take_while(move |block| *block < end)
    }

    /// How many blocks of this shard are before `end`.
    pub(super) fn count(self, end: u64) -> u64 {
        end.saturating_sub(self.number - 1).div_ceil(self.of)
    }

    /// The first block of this part from this one on. No hunt gets to the last ones.
    pub(super) fn following(self, block: u64) -> u64 {
        self.first_from(block).unwrap_or(block)
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parse = || {
            let (number, of) = text.split_once('/')?;
            let (number, of): (u64, u64) = (number.parse().ok()?, of.parse().ok()?);
            let is_one = of <= u64::from(u32::MAX) && (1..=of).contains(&number);
            is_one.then_some(Self { number, of })
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
        let mut all: Vec<u64> = shards.iter().flat_map(|shard| shard.blocks(20)).collect();
        all.sort_unstable();
        assert_eq!(all, (0..20).collect::<Vec<u64>>());
        assert_eq!(Shard::whole().blocks(20).count(), 20);
    }

    #[test]
    fn blocks_are_counted_and_found_without_a_walk_over_all_of_them() {
        for of in 1..5 {
            for number in 1..=of {
                let shard = Shard { number, of };
                for end in 0..20 {
                    assert_eq!(shard.count(end), shard.blocks(end).count() as u64, "{shard} {end}");
                    let first = shard.first_from(end);
                    assert_eq!(
                        first,
                        shard.blocks(40).find(|block| *block >= end),
                        "{shard} {end}"
                    );
                }
            }
        }
        let last: Shard = "4294967295/4294967295".parse().unwrap();
        assert_eq!(last.first_from(0), Some(4_294_967_294));
        assert_eq!(last.first_from(u64::MAX), None);
        assert_eq!(last.count(u64::MAX / 2), 2_147_483_648);
    }

    #[test]
    fn an_invalid_shard_is_rejected_and_quoted() {
        for text in ["", "3", "0/2", "3/2", "1/0", "a/b", "1/2/3", "-1/2", "1/4294967296"] {
            assert!(text.parse::<Shard>().is_err_and(|error| error.to_string().contains(text)));
        }
    }
}
