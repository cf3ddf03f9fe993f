//! The one source of randomness. It is a ChaCha stream keyed by a ticket, so that it is stable across
//! machines and across versions of the crates involved; the ways to draw from it are written out here
//! for the same reason, instead of taken from a library whose algorithms may change.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng, SeedableRng};

use crate::Ticket;

#[derive(Clone, Debug)]
pub struct Entropy {
    stream: ChaCha8Rng,
}

impl Entropy {
    /// The stream that belongs to a number, for cases that are derived from others.
    pub fn keyed(key: u64) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("mistrust 2026 entropy of a derivation");
        hasher.update(&key.to_le_bytes());
        Self { stream: ChaCha8Rng::from_seed(*hasher.finalize().as_bytes()) }
    }

    /// The stream that belongs to a ticket. The revision is no part of the key: what a revision changes
    /// is what is made of the stream.
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

    /// True in `numerator` of `denominator` draws.
    pub fn chance(&mut self, numerator: u64, denominator: u64) -> bool {
        self.below(denominator) < numerator
    }

    /// One of the items, or `None` of none.
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
    fn neighbouring_tickets_share_nothing() {
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
