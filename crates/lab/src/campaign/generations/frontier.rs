//! How many entries of a pool reach each block of the compiler. Counts stop at [`COMMON`]: how common a common block is
//! does not matter, and lists of rare blocks stay short.

use std::collections::{BTreeMap, HashMap};

/// A block that so many entries reach is common.
pub(super) const COMMON: u8 = 16;

/// The lower halves of numbers below this are positions in a table, which is much faster.
const DENSE: usize = 1 << 25;

#[derive(Clone, Debug, Default)]
pub(super) struct Frontier {
    /// By the upper half of the number of a block, which tells compilers apart.
    dense: BTreeMap<u32, Vec<u8>>,
    sparse: HashMap<u64, u8>,
    covered: u64,
}

/// The table and the position of a block.
fn place(block: u64) -> Option<(u32, usize)> {
    let at = (block & 0xffff_ffff) as usize;
    (at < DENSE).then_some(((block >> 32) as u32, at))
}

impl Frontier {
    /// How many entries reach a block.
    pub(super) fn count(&self, block: u64) -> u8 {
        match place(block) {
            Some((table, at)) => {
                self.dense.get(&table).and_then(|it| it.get(at)).copied().unwrap_or(0)
            }
            None => self.sparse.get(&block).copied().unwrap_or(0),
        }
    }

    /// Another entry reaches a block. Returns how many do.
    pub(super) fn add(&mut self, block: u64) -> u8 {
        let count = match place(block) {
            Some((table, at)) => {
                let table = self.dense.entry(table).or_default();
                if at >= table.len() {
                    table.resize((at + 1).next_power_of_two(), 0);
                }
                &mut table[at]
            }
            None => self.sparse.entry(block).or_default(),
        };
        self.covered += u64::from(*count == 0);
        *count = (*count + 1).min(COMMON);
        *count
    }

    /// How many blocks any entry reaches.
    pub(super) fn covered(&self) -> u64 {
        self.covered
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_counted_until_they_are_common() {
        let mut frontier = Frontier::default();
        for block in [3, 7 << 32 | 3, u64::MAX] {
            assert_eq!(frontier.count(block), 0);
            (0..40).for_each(|_| {
                frontier.add(block);
            });
            assert_eq!(frontier.count(block), COMMON);
        }
        assert_eq!((frontier.covered(), frontier.count(4)), (3, 0));
    }
}
