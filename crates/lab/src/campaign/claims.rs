//! Which tickets come next. Tickets are handed out in blocks, in order, the ones that an earlier run
//! left undone first; what is done is written down at the end of a block.

use std::ops::Range;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::tally::Counters;
use super::{Campaign, Shard};
use crate::event::Ended;
use crate::store::{Store, StoreError};

/// A block has at least this many tickets, so that writing it down costs little.
const BLOCK: usize = 16;

pub(super) struct Claims {
    lines: Vec<LineClaims>,
    shard: Shard,
    deadline: Option<(Instant, Duration)>,
    state: Mutex<State>,
}

struct LineClaims {
    id: i64,
    batch: usize,
    block: u64,
    /// One past the last ticket that there is to be.
    end: Option<u64>,
    /// Whether the end is that of the method's space.
    exhausts_space: bool,
    done_before: u64,
}

#[derive(Default)]
struct State {
    lines: Vec<LineState>,
    /// The line whose turn it is.
    turn: usize,
}

#[derive(Default)]
struct LineState {
    /// Undone parts of earlier runs, the next one last.
    gaps: Vec<Range<u64>>,
    /// The next block that nobody has had.
    next_block: u64,
    in_flight: Vec<Range<u64>>,
}

/// Some tickets of a line, for one worker.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    pub(super) line: usize,
    pub(super) range: Range<u64>,
}

impl Claims {
    pub(super) fn new(campaign: &Campaign<'_>) -> Result<Self, StoreError> {
        let mut lines = vec![];
        let mut states = vec![];
        for line in &campaign.lines {
            let batch =
                line.targets.iter().map(|target| target.batch_size()).max().unwrap_or(1).max(1);
            let id = campaign.store.line(&campaign.line_key(line))?;
            let done = campaign.store.done(id)?;
            let space = line.method.space();
            let asked = campaign.options.cases;
            let end = match (asked, space) {
                (Some(asked), Some(space)) => Some(asked.min(space)),
                (asked, space) => asked.or(space),
            };
            let line_claims = LineClaims {
                id,
                batch,
                block: (batch * BLOCK.div_ceil(batch)) as u64,
                end,
                exhausts_space: space.is_some() && end == space,
                done_before: done.iter().map(|range| range.end - range.start).sum(),
            };
            states.push(line_claims.resume(&done, campaign.options.shard));
            lines.push(line_claims);
        }
        Ok(Self {
            lines,
            shard: campaign.options.shard,
            deadline: campaign.options.time.map(|time| (Instant::now() + time, time)),
            state: Mutex::new(State { lines: states, turn: 0 }),
        })
    }

    /// The next tickets, of each line in turn; none when the time is up or all are given out.
    pub(super) fn next(&self) -> Option<Claim> {
        if self.is_late() {
            return None;
        }
        let mut state = self.state();
        for _ in 0..self.lines.len() {
            let line = state.turn % self.lines.len();
            state.turn = line + 1;
            if let Some(range) = self.lines[line].next(&mut state.lines[line], self.shard) {
                state.lines[line].in_flight.push(range.clone());
                return Some(Claim { line, range });
            }
        }
        None
    }

    /// Writes down that a claim is done up to, not including, `done`.
    pub(super) fn finish(
        &self,
        store: &Store,
        claim: &Claim,
        done: u64,
        skipped: &[(String, u64)],
    ) -> Result<(), StoreError> {
        let range = claim.range.start..done;
        if !range.is_empty() {
            store.finish(self.lines[claim.line].id, &range, skipped)?;
        }
        let mut state = self.state();
        let line = &mut state.lines[claim.line];
        line.in_flight.retain(|other| *other != claim.range);
        if done < claim.range.end {
            line.gaps.push(done..claim.range.end);
        }
        Ok(())
    }

    /// Whether no ticket before this one can still show the same bug: then the finding has its final
    /// representative, whatever the number of workers.
    pub(super) fn is_settled(&self, line: usize, index: u64) -> bool {
        let state = self.state();
        let Some(line) = state.lines.get(line) else { return true };
        line.in_flight.iter().chain(&line.gaps).all(|range| range.start > index)
    }

    pub(super) fn none_in_flight(&self) -> bool {
        self.state().lines.iter().all(|line| line.in_flight.is_empty())
    }

    /// Whether there will be no more claims.
    pub(super) fn are_over(&self) -> bool {
        self.is_late() || {
            let state = self.state();
            let over = |(line, state): (&LineClaims, &LineState)| {
                state.gaps.is_empty() && line.peek(state, self.shard).is_none()
            };
            self.lines.iter().zip(&state.lines).all(over)
        }
    }

    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|(deadline, _)| Instant::now() >= deadline)
    }

    pub(super) fn batch_size(&self, line: usize) -> usize {
        self.lines[line].batch
    }

    pub(super) fn done_before(&self, line: usize) -> u64 {
        self.lines[line].done_before
    }

    /// How many cases of a line there will have been in the end.
    pub(super) fn goal(&self, line: usize) -> Option<u64> {
        let line = &self.lines[line];
        let end = line.end?;
        let blocks = (0..end.div_ceil(line.block)).filter(|&block| self.shard.has(block));
        Some(blocks.map(|block| ((block + 1) * line.block).min(end) - block * line.block).sum())
    }

    /// The time until the end, by the clock or by the speed so far, whichever is less.
    pub(super) fn left(&self, counters: &Counters) -> Option<Duration> {
        let by_clock =
            self.deadline.map(|(deadline, _)| deadline.saturating_duration_since(Instant::now()));
        let goal: Option<u64> = (0..self.lines.len()).map(|line| self.goal(line)).sum();
        let before: u64 = self.lines.iter().map(|line| line.done_before).sum();
        let by_cases = goal.and_then(|goal| counters.time_for(goal.saturating_sub(before)));
        match (by_clock, by_cases) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    /// Why it ended, where nobody asked to stop.
    pub(super) fn ended(&self) -> Ended {
        let all_given = {
            let state = self.state();
            let given = |(line, state): (&LineClaims, &LineState)| {
                state.gaps.is_empty() && line.peek(state, self.shard).is_none()
            };
            self.lines.iter().zip(&state.lines).all(given)
        };
        match all_given {
            true if self.lines.iter().all(|line| line.exhausts_space) => Ended::Space,
            true => Ended::Cases,
            false => Ended::Time,
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // No step between two consistent states can panic.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LineClaims {
    /// Where to go on after the tickets that are done.
    fn resume(&self, done: &[Range<u64>], shard: Shard) -> LineState {
        let reached = done.last().map_or(0, |range| range.end);
        let next_block = reached.div_ceil(self.block);
        let mut gaps = vec![];
        let mut done = done.iter().peekable();
        for block in (0..next_block).filter(|&block| shard.has(block)) {
            let mut start = block * self.block;
            let end = self.cut(start + self.block);
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
        LineState { gaps, next_block, in_flight: vec![] }
    }

    fn next(&self, state: &mut LineState, shard: Shard) -> Option<Range<u64>> {
        if let Some(gap) = state.gaps.pop() {
            return Some(gap);
        }
        let block = self.peek(state, shard)?;
        state.next_block = block + 1;
        Some(block * self.block..self.cut((block + 1) * self.block))
    }

    /// The next block of this shard that nobody has had.
    fn peek(&self, state: &LineState, shard: Shard) -> Option<u64> {
        let block = (state.next_block..).find(|&block| shard.has(block))?;
        (self.end.is_none_or(|end| block * self.block < end)).then_some(block)
    }

    fn cut(&self, end: u64) -> u64 {
        self.end.map_or(end, |last| end.min(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn line(end: Option<u64>) -> LineClaims {
        LineClaims { id: 1, batch: 1, block: 16, end, exhausts_space: false, done_before: 0 }
    }

    /// Every ticket that is handed out after `done` was.
    fn rest(done: &[Range<u64>], end: u64, shard: &str) -> Vec<u64> {
        let (line, shard) = (line(Some(end)), shard.parse().unwrap());
        let mut state = line.resume(done, shard);
        let claims = std::iter::from_fn(|| line.next(&mut state, shard));
        claims.flatten().collect()
    }

    proptest! {
        #[test]
        fn every_ticket_is_handed_out_just_once(
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
