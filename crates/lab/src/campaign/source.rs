//! Where the work of a line comes from: tickets that are drawn in order (`tickets.rs`), or a corpus whose
//! cases are derived from each other by what they reach in the compiler.

use std::ops::Range;

use forge::{Case, Feedback};

use crate::store::StoreError;

/// Hands out cases by number, and learns what came of them. Workers use it from many threads.
pub trait Source: Send + Sync {
    /// The numbers of the next cases for a worker; none if there are none (for now, or for ever).
    fn next(&self) -> Option<Range<u64>>;

    /// The cases of some of these numbers. A number may have none.
    fn cases(&self, numbers: Range<u64>) -> Vec<Case>;

    /// What came of the work that was handed out: it is done up to, not including, a number. What is
    /// not done will be handed out again.
    fn learn(&self, work: &Range<u64>, report: Report) -> Result<(), StoreError>;

    /// Whether no case before this number can still show the same bug. Then a finding has its final
    /// representative, whatever the number of workers.
    fn settled(&self, number: u64) -> bool;

    /// How far it is.
    fn progress(&self) -> SourceProgress;
}

/// What came of some work.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// All cases before this number are done.
    pub done: u64,
    /// Why cases were skipped, and how often.
    pub skipped: Vec<(String, u64)>,
    /// The cases of which the target measured what they reached.
    pub feedback: Vec<(Case, Feedback)>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SourceProgress {
    /// How many cases earlier runs did.
    pub done_before: u64,
    /// How many there will have been in the end, where that is known.
    pub goal: Option<u64>,
    /// Whether nothing is left to hand out.
    pub exhausted: bool,
    /// Whether that is because the method has no more cases.
    pub space_exhausted: bool,
    /// Whether some work is handed out and not done.
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
}
