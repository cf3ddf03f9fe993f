//! The source of cases that are generated from tickets. Tickets are handed out in blocks, in order, after those
//! that an earlier run left undone. Progress is stored at the end of a block.

use std::ops::Range;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use forge::{Case, Method};

use super::source::{Report, Source, SourceProgress};
use super::{Campaign, Line, Shard};
use crate::store::{Store, StoreError};

/// A block has at least this many tickets, so that storing its progress is cheap.
const BLOCK: usize = 16;

/// The tickets of one line.
pub(super) struct Tickets<'a> {
    store: &'a dyn Store,
    method: Arc<dyn Method>,
    seed: u64,
    id: i64,
    blocks: Blocks,
    shard: Shard,
    /// Whether the last ticket is the last one of the method's space.
    exhausts_space: bool,
    done_before: u64,
    state: Mutex<State>,
}

/// How tickets are divided into blocks.
struct Blocks {
    length: u64,
    /// One past the last ticket.
    end: Option<u64>,
}

#[derive(Default)]
struct State {
    /// Undone ranges of earlier runs. The next one is last.
    gaps: Vec<Range<u64>>,
    /// The next block that was never handed out.
    next_block: u64,
    in_flight: Vec<Range<u64>>,
}

impl<'a> Tickets<'a> {
    pub(super) fn new(
        campaign: &Campaign<'a>,
        line: &Line,
        batch: usize,
    ) -> Result<Self, StoreError> {
        let id = campaign.store.line(&campaign.line_key(line))?;
        let done = campaign.store.done(id)?;
        let space = line.method.space();
        let asked = campaign.options.cases;
        let end = match (asked, space) {
            (Some(asked), Some(space)) => Some(asked.min(space)),
            (asked, space) => asked.or(space),
        };
        let blocks = Blocks { length: (batch * BLOCK.div_ceil(batch)) as u64, end };
        let shard = campaign.options.shard;
        Ok(Self {
            store: campaign.store,
            method: Arc::clone(&line.method),
            seed: campaign.options.seed,
            id,
            shard,
            exhausts_space: space.is_some() && end == space,
            done_before: done.iter().map(|range| range.end - range.start).sum(),
            state: Mutex::new(blocks.resume(&done, shard)),
            blocks,
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing can panic while the state is inconsistent.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many tickets of this shard will be done at the end.
    fn goal(&self) -> Option<u64> {
        let (end, length) = (self.blocks.end?, self.blocks.length);
        let whole = end / length;
        let last = match self.shard.first_from(whole) == Some(whole) {
            true => end % length,
            false => 0,
        };
        Some(self.shard.count(whole) * length + last)
    }
}

impl Source for Tickets<'_> {
    fn next(&self) -> Option<Range<u64>> {
        let mut state = self.state();
        let range = self.blocks.next(&mut state, self.shard)?;
        state.in_flight.push(range.clone());
        Some(range)
    }

    fn cases(&self, numbers: Range<u64>) -> Vec<Case> {
        let tickets = numbers.map(|index| self.method.ticket(self.seed, index));
        tickets.filter_map(|ticket| self.method.make(&ticket)).collect()
    }

    fn learn(&self, work: &Range<u64>, report: Report) -> Result<(), StoreError> {
        let range = work.start..report.done;
        if !range.is_empty() {
            self.store.finish(self.id, &range, &report.skipped)?;
        }
        let mut state = self.state();
        state.in_flight.retain(|other| other != work);
        if report.done < work.end {
            state.gaps.push(report.done..work.end);
        }
        Ok(())
    }

    fn settled(&self, number: u64) -> bool {
        let state = self.state();
        state.in_flight.iter().chain(&state.gaps).all(|range| range.start > number)
    }

    fn progress(&self) -> SourceProgress {
        let state = self.state();
        let exhausted = state.gaps.is_empty() && self.blocks.peek(&state, self.shard).is_none();
        SourceProgress {
            done_before: self.done_before,
            goal: self.goal(),
            exhausted,
            space_exhausted: exhausted && self.exhausts_space,
            in_flight: !state.in_flight.is_empty(),
        }
    }
}

impl Blocks {
    /// Where to continue after the tickets that are done.
    fn resume(&self, done: &[Range<u64>], shard: Shard) -> State {
        let reached = done.last().map_or(0, |range| range.end);
        let next_block = reached.div_ceil(self.length);
        let mut gaps = vec![];
        let mut done = done.iter().peekable();
        for block in shard.blocks(next_block) {
            let mut start = block * self.length;
            let end = self.cut(start.saturating_add(self.length));
            while start < end {
                while done.next_if(|range| range.end <= start).is_some() {}
                let next = done.peek().map_or(end, |range| range.start.clamp(start, end));
                if start < next {
                    gaps.push(start..next);
                }
                start = done.peek().map_or(end, |range| range.end);
            }
        }
        gaps.reverse();
        State { gaps, next_block, in_flight: vec![] }
    }

    fn next(&self, state: &mut State, shard: Shard) -> Option<Range<u64>> {
        if let Some(gap) = state.gaps.pop() {
            return Some(gap);
        }
        let block = self.peek(state, shard)?;
        state.next_block = block + 1;
        let start = block * self.length;
        Some(start..self.cut(start.saturating_add(self.length)))
    }

    /// The next block of this shard that was never handed out.
    fn peek(&self, state: &State, shard: Shard) -> Option<u64> {
        let block = shard.first_from(state.next_block)?;
        let start = block.checked_mul(self.length)?;
        (self.end.is_none_or(|end| start < end)).then_some(block)
    }

    fn cut(&self, end: u64) -> u64 {
        self.end.map_or(end, |last| end.min(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// All tickets that are handed out if `done` is done already.
    fn rest(done: &[Range<u64>], end: u64, shard: &str) -> Vec<u64> {
        let (blocks, shard) = (Blocks { length: 16, end: Some(end) }, shard.parse().unwrap());
        let mut state = blocks.resume(done, shard);
        let ranges = std::iter::from_fn(|| blocks.next(&mut state, shard));
        ranges.flatten().collect()
    }

    /// The last block of a shard, and the number of cases that a hunt of all of them would reach.
    #[test]
    fn the_bounds_of_a_hunt_can_have_any_size() {
        let blocks = Blocks { length: 100, end: Some(u64::MAX) };
        let shard: Shard = "3/4294967295".parse().unwrap();
        let mut state = blocks.resume(&[], shard);
        assert_eq!(blocks.next(&mut state, shard), Some(200..300));
        let mut state = State { next_block: u64::MAX / 100, ..State::default() };
        let last = u64::MAX / 100 * 100;
        assert_eq!(blocks.next(&mut state, Shard::whole()), Some(last..u64::MAX));
        assert_eq!(blocks.next(&mut state, Shard::whole()), None);
    }

    proptest! {
        #[test]
        fn every_ticket_is_handed_out_exactly_once(
            end in 0u64..300,
            bounds in prop::collection::btree_set(0u64..300, 0..12),
        ) {
            let bounds: Vec<u64> = bounds.into_iter().collect();
            let done: Vec<Range<u64>> = bounds.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect();
            let is_done = |ticket: &u64| done.iter().any(|range| range.contains(ticket));
            let expected: Vec<u64> = (0..end).filter(|ticket| !is_done(ticket)).collect();
            let mut given = rest(&done, end, "1/1");
            given.sort_unstable();
            prop_assert_eq!(given, expected);
        }

        #[test]
        fn the_shards_together_hand_out_every_ticket(end in 0u64..300, of in 1u64..5) {
            let mut given: Vec<u64> =
                (1..=of).flat_map(|number| rest(&[], end, &format!("{number}/{of}"))).collect();
            given.sort_unstable();
            prop_assert_eq!(given, (0..end).collect::<Vec<u64>>());
        }
    }
}
