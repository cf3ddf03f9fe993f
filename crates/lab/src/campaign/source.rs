//! Where the cases of a line come from: tickets in order (`tickets.rs`), or a corpus whose cases are derived
//! from each other, guided by coverage of the compiler (`generations/`).

use std::ops::Range;

use forge::{Case, Feedback};

use crate::growth::Growth;
use crate::store::StoreError;

/// Hands out cases by number, and receives the results. Workers use it from many threads.
pub trait Source: Send + Sync {
    /// The numbers of the next cases for a worker; `None` if there are none, now or permanently.
    fn next(&self) -> Option<Range<u64>>;

    /// The cases with these numbers. A number may have no case.
    fn cases(&self, numbers: Range<u64>) -> Vec<Case>;

    /// Receives the results of work that was handed out. It is done up to, not including, `report.done`; the
    /// rest will be handed out again.
    fn learn(&self, work: &Range<u64>, report: Report) -> Result<(), StoreError>;

    /// Whether no case before this number is still undone. Then a finding with this number has its final
    /// representative, for any number of workers.
    fn settled(&self, number: u64) -> bool;

    fn progress(&self) -> SourceProgress;

    /// What its pool has come to, if it has one.
    fn growth(&self) -> Option<Growth> {
        None
    }
}

/// The results of some work.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// All cases before this number are done.
    pub done: u64,
    /// The reasons why cases were skipped, with counts.
    pub skipped: Vec<(String, u64)>,
    /// The cases for which the target measured coverage.
    pub feedback: Vec<(Case, Feedback)>,
    /// What became of each case, if the source has a pool.
    pub judged: Vec<(Case, Fate)>,
}

/// What became of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fate {
    /// The compiler accepted it under at least one setting.
    Accepted,
    Rejected,
    Skipped,
    /// It broke its promise, with the key of the signature that it shows at first.
    Failed(String),
}

/// How far a source has got.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceProgress {
    /// How many cases earlier runs have done.
    pub done_before: u64,
    /// How many cases will be done at the end, if known.
    pub goal: Option<u64>,
    /// Whether there is nothing left to hand out.
    pub exhausted: bool,
    /// Whether the reason is that the method has no more cases.
    pub space_exhausted: bool,
    /// Whether some work is handed out and not yet done.
    pub in_flight: bool,
}

impl<T: Source + ?Sized> Source for std::sync::Arc<T> {
    fn next(&self) -> Option<Range<u64>> {
        (**self).next()
    }

    fn cases(&self, numbers: Range<u64>) -> Vec<Case> {
        (**self).cases(numbers)
    }

    fn learn(&self, work: &Range<u64>, report: Report) -> Result<(), StoreError> {
        (**self).learn(work, report)
    }

    fn settled(&self, number: u64) -> bool {
        (**self).settled(number)
    }

    fn progress(&self) -> SourceProgress {
        (**self).progress()
    }

    fn growth(&self) -> Option<Growth> {
        (**self).growth()
    }
}
