//! The sources of all lines, used round-robin until the time is up.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use super::Campaign;
use super::generations::Generations;
use super::source::Source;
use super::tally::Counters;
use super::tickets::Tickets;
use crate::event::Ended;
use crate::growth::Growth;
use crate::store::StoreError;

pub(super) struct Sources<'a> {
    all: Vec<LineSource<'a>>,
    turn: AtomicUsize,
    deadline: Option<Instant>,
}

struct LineSource<'a> {
    source: Box<dyn Source + 'a>,
    /// How many cases are generated at a time.
    batch: usize,
}

/// A range of cases of one line, assigned to one worker.
#[derive(Clone, Debug)]
pub(super) struct Assignment {
    pub(super) line: usize,
    pub(super) range: Range<u64>,
}

impl<'a> Sources<'a> {
    pub(super) fn new(campaign: &Campaign<'a>) -> Result<Self, StoreError> {
        let mut all = vec![];
        for line in &campaign.lines {
            let interface = line.method.interface();
            let batches = line.targets.iter().map(|target| target.spec().batch(interface).cases);
            let batch = batches.max().unwrap_or(1).max(1);
            let source: Box<dyn Source + 'a> = match &line.source {
                Some(source) => Box::new(std::sync::Arc::clone(source)),
                None if line.grows => Box::new(Generations::new(campaign, line, batch)?),
                None => Box::new(Tickets::new(campaign, line, batch)?),
            };
            all.push(LineSource { source, batch });
        }
        let deadline = campaign.options.time.map(|time| Instant::now() + time);
        Ok(Self { all, turn: AtomicUsize::new(0), deadline })
    }

    /// The next work, round-robin over the lines; `None` if the time is up or there is no work.
    pub(super) fn next(&self) -> Option<Assignment> {
        if self.is_late() {
            return None;
        }
        let first = self.turn.fetch_add(1, Ordering::Relaxed);
        (first..first + self.all.len()).find_map(|turn| {
            let line = turn % self.all.len();
            let range = self.all[line].source.next()?;
            Some(Assignment { line, range })
        })
    }

    pub(super) fn of(&self, line: usize) -> &dyn Source {
        self.all[line].source.as_ref()
    }

    /// What the pools of all lines came to together.
    pub(super) fn growth(&self) -> Option<Growth> {
        let mut all = self.all.iter().filter_map(|line| line.source.growth());
        let first = all.next()?;
        Some(all.fold(first, |mut sum, more| {
            sum.add(&more);
            sum
        }))
    }

    pub(super) fn batch(&self, line: usize) -> usize {
        self.all[line].batch
    }

    pub(super) fn none_in_flight(&self) -> bool {
        self.all.iter().all(|line| !line.source.progress().in_flight)
    }

    /// Whether there will be no more work.
    pub(super) fn are_over(&self) -> bool {
        self.is_late() || self.all.iter().all(|line| line.source.progress().exhausted)
    }

    pub(super) fn is_late(&self) -> bool {
        self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// The estimated time until the end: by the deadline or by the rate so far, whichever is less.
    pub(super) fn left(&self, counters: &Counters) -> Option<Duration> {
        let by_clock =
            self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let all = self.all.iter().map(|line| line.source.progress());
        let (before, goal) = all.fold((0, Some(0)), |(before, goal): (u64, Option<u64>), line| {
            (before + line.done_before, goal.zip(line.goal).map(|(goal, more)| goal + more))
        });
        let by_cases = goal.and_then(|goal| counters.time_for(goal.saturating_sub(before)));
        match (by_clock, by_cases) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        }
    }

    /// Why the hunt ended, if it was not interrupted.
    pub(super) fn ended(&self) -> Ended {
        let all: Vec<_> = self.all.iter().map(|line| line.source.progress()).collect();
        match all.iter().all(|line| line.exhausted) {
            true if all.iter().all(|line| line.space_exhausted) => Ended::Space,
            true => Ended::Cases,
            false => Ended::Time,
        }
    }
}
