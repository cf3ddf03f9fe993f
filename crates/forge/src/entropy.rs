//! The only source of randomness: a ChaCha8 stream keyed by a ticket, the same on every machine. The
//! sampling algorithms are written out here, because those of a library may change between versions.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::Ticket;

/// A deterministic stream of random numbers.
#[derive(Clone, Debug)]
pub struct Entropy {
    stream: ChaCha8Rng,
}

impl Entropy {
    /// The stream for a key, for cases that are derived from other cases.
    pub fn keyed(key: u64) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("mistrust 2026 entropy of a derivation");
        hasher.update(&key.to_le_bytes());
        Self { stream: ChaCha8Rng::from_seed(*hasher.finalize().as_bytes()) }
    }

    /// The stream for a ticket. The revision is not part of the key: a new revision uses the same stream
    /// differently.
    pub fn of(ticket: &Ticket) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("mistrust 2026 entropy of a ticket");
        hasher.update(ticket.method.as_bytes());
        hasher.update(&ticket.seed.to_le_bytes());
        hasher.update(&ticket.index.to_le_bytes());
        Self { stream: ChaCha8Rng::from_seed(*hasher.finalize().as_bytes()) }
    }

    pub fn word(&mut self) -> u64 {
        self.stream.next_u64()
    }

    /// A number in `0..bound`, uniform up to a bias of `bound / 2^64`. A bound of 0 gives 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.word()) * u128::from(bound)) >> 64) as u64
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high.saturating_sub(low).saturating_add(1))
    }

    /// True with probability `numerator / denominator`.
    pub fn chance(&mut self, numerator: u64, denominator: u64) -> bool {
        self.below(denominator) < numerator
    }

    /// One of the items; `None` if there are none.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        items.get(self.below(items.len() as u64) as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stream_of_a_ticket_never_changes() {
        let mut entropy = Entropy::of(&Ticket::new("drill", 1, 2));
        let words: Vec<u64> = (0..3).map(|_| entropy.word()).collect();
        assert_eq!(words, GOLDEN);
    }

    const GOLDEN: [u64; 3] = [7563419169929122781, 8249851323297425925, 7887068977281382931];

    #[test]
    fn neighbouring_tickets_have_independent_streams() {
        let first = |index| Entropy::of(&Ticket::new("drill", 1, index)).word();
        let mut words: Vec<u64> = (0..1000).map(first).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), 1000);
    }

    #[test]
    fn draws_stay_in_their_bounds_and_reach_both_ends() {
        let mut entropy = Entropy::of(&Ticket::new("smoke", 3, 4));
        let draws: Vec<u64> = (0..1000).map(|_| entropy.between(5, 8)).collect();
        assert_eq!((draws.iter().min(), draws.iter().max()), (Some(&5), Some(&8)));
        assert_eq!(entropy.below(0), 0);
        assert_eq!(entropy.pick::<u8>(&[]), None);
    }
}
