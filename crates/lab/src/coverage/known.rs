//! The blocks that a hunt knows. They are not reported again, which keeps reports small. A report of a repeatable measure
//! depends on the program and on what is known, not on which worker ran what before, except for a few blocks (see
//! [`Measure`](super::Measure)). So a source should learn only between generations.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The number of a block, with the tag of its compiler: features of different compilers are different.
pub fn feature(tag: u32, block: u32) -> u64 {
    u64::from(tag) << 32 | u64::from(block)
}

fn parts(feature: u64) -> (u32, u32) {
    ((feature >> 32) as u32, feature as u32)
}

/// Switches the measurement of coverage on, and has what is known of it. All workers of a hunt share one.
///
/// A new one knows nothing: with it, a program is reported with all blocks that it reaches.
#[derive(Debug, Default)]
pub struct Coverage {
    compilers: Mutex<BTreeMap<u32, Blocks>>,
}

/// The known blocks of one compiler.
#[derive(Debug, Default)]
struct Blocks {
    all: BTreeSet<u32>,
    /// In the order in which they became known, for hosts that keep a copy.
    in_order: Vec<u32>,
}

impl Coverage {
    pub fn new() -> Self {
        Self::default()
    }

    /// These features are known from now on. They are no longer reported.
    pub fn learn(&self, features: &[u64]) {
        let mut compilers = self.compilers();
        for (tag, block) in features.iter().copied().map(parts) {
            let blocks = compilers.entry(tag).or_default();
            if blocks.all.insert(block) {
                blocks.in_order.push(block);
            }
        }
    }

    /// The known blocks of a compiler, without the first `from` that became known.
    pub(crate) fn since(&self, tag: u32, from: usize) -> Vec<u32> {
        let compilers = self.compilers();
        let blocks = compilers.get(&tag).map_or(&[][..], |it| &it.in_order);
        blocks.get(from..).unwrap_or_default().to_vec()
    }

    /// The features of those blocks that are not known.
    pub(crate) fn unknown(&self, tag: u32, blocks: &[u32]) -> Vec<u64> {
        let compilers = self.compilers();
        let known = compilers.get(&tag).map(|it| &it.all);
        let is_unknown = |block: &&u32| known.is_none_or(|known| !known.contains(*block));
        blocks.iter().filter(is_unknown).map(|block| feature(tag, *block)).collect()
    }

    fn compilers(&self) -> MutexGuard<'_, BTreeMap<u32, Blocks>> {
        self.compilers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_blocks_are_not_reported_and_compilers_are_apart() {
        let coverage = Coverage::new();
        assert_eq!(coverage.unknown(1, &[3, 4]), [feature(1, 3), feature(1, 4)]);
        coverage.learn(&[feature(1, 4), feature(2, 3), feature(1, 4), feature(1, 9)]);
        assert_eq!(coverage.unknown(1, &[3, 4]), [feature(1, 3)]);
        assert_eq!(coverage.unknown(2, &[3, 4]), [feature(2, 4)]);
        assert_eq!(coverage.since(1, 0), [4, 9]);
        assert_eq!((coverage.since(1, 1), coverage.since(1, 2)), (vec![9], vec![]));
        assert_eq!(coverage.since(7, 0), [0_u32; 0]);
    }
}
