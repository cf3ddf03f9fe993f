//! Persistence. A [`Store`] records which cases are done ([`Leases`]), the findings ([`Findings`]) and the
//! statistics of runs ([`Runs`]), and the pools of corpora ([`Pools`]). SQLite in the output folder is the only implementation. Rendering folders
//! and reports is left to a listener (`crate::folder`).

mod error;
pub mod sqlite;

use std::ops::Range;
use std::time::{SystemTime, UNIX_EPOCH};

use forge::Origin;

use crate::campaign::generations::Record;
use crate::event::{Ended, Tally};
use crate::finding::{Exhibit, Finding, Flaky, Step};
use crate::growth::Growth;
use crate::target::PassId;

pub use error::StoreError;
pub use sqlite::SqliteStore;

/// All persistent state of a hunt.
pub trait Store: Leases + Findings + Runs + Pools + Send + Sync {}

impl<T: Leases + Findings + Runs + Pools + Send + Sync> Store for T {}

/// Records which cases are done.
pub trait Leases {
    /// The id of a line, which is created if necessary.
    fn line(&self, key: &LineKey) -> Result<i64, StoreError>;

    /// All lines, with the number of cases done.
    fn lines(&self) -> Result<Vec<(LineKey, u64)>, StoreError>;

    /// The cases of a line that are done, as sorted, disjoint, non-adjacent ranges.
    fn done(&self, line: i64) -> Result<Vec<Range<u64>>, StoreError>;

    /// Marks cases as done, with the reasons why some were skipped.
    fn finish(
        &self,
        line: i64,
        range: &Range<u64>,
        skipped: &[(String, u64)],
    ) -> Result<(), StoreError>;

    /// Why cases were skipped, the most frequent reason first.
    fn skipped(&self) -> Result<Vec<(String, u64)>, StoreError>;

    /// How many cases are done, over all runs and lines.
    fn cases(&self) -> Result<u64, StoreError>;
}

/// Findings, their signatures, sightings and reductions. Each function is one transaction.
pub trait Findings {
    /// The finding with this signature key.
    fn finding_of(&self, key: &str) -> Result<Option<Brief>, StoreError>;

    /// A finding by its id or a unique prefix of it.
    fn finding(&self, id: &str) -> Result<Finding, StoreError>;

    /// Every finding that is not merged into another, the oldest first.
    fn findings(&self) -> Result<Vec<Finding>, StoreError>;

    /// The passes that are the sole culprit of a finding of this compiler family, the most frequent first.
    fn blamed(&self, family: &str) -> Result<Vec<PassId>, StoreError>;

    /// The cases that reproduced a finding, in order.
    fn sightings(&self, id: &str) -> Result<Vec<(Origin, String)>, StoreError>;

    /// Creates a finding, or adds a sighting to the stored finding with the same signature. The representative
    /// is the earliest case, until triage has started to work on another. It is on disk when this returns.
    fn record(&self, finding: &Finding) -> Result<Recorded, StoreError>;

    /// Overwrites a finding, for example with its reduction or culprit.
    fn update(&self, finding: &Finding) -> Result<(), StoreError>;

    /// Records another case that reproduces a finding.
    fn add_sighting(&self, id: &str, origin: &Origin, target: &str) -> Result<Sighted, StoreError>;

    /// Writes a finding that was located again, and merges it with findings that turn out to be the same bug.
    /// `stays` decides whether the first of two remains.
    fn conclude(
        &self,
        finding: &Finding,
        stays: &dyn Fn(&Finding, &Finding) -> bool,
    ) -> Result<Concluded, StoreError>;

    /// Stores a step of a reduction, with the resulting case.
    fn add_step(&self, id: &str, step: &Step, exhibit: &Exhibit) -> Result<(), StoreError>;

    /// The last stored step of a reduction.
    fn last_step(&self, id: &str) -> Result<Option<(Step, Exhibit)>, StoreError>;

    /// Deletes the steps, so that the reduction starts again.
    fn forget_steps(&self, id: &str) -> Result<(), StoreError>;

    fn add_flaky(&self, flaky: &Flaky) -> Result<(), StoreError>;

    fn flaky(&self) -> Result<Vec<Flaky>, StoreError>;
}

/// The generations of lines that grow.
pub trait Pools {
    /// The records of the closed generations of a line, in order.
    fn generations(&self, line: i64) -> Result<Vec<(u64, Record)>, StoreError>;

    /// Marks the cases of a generation as done, and stores its record, in one transaction.
    fn close(
        &self,
        line: i64,
        generation: u64,
        range: &Range<u64>,
        skipped: &[(String, u64)],
        record: &Record,
    ) -> Result<(), StoreError>;
}

/// Statistics of runs.
pub trait Runs {
    fn begin_run(&self, command: &str) -> Result<i64, StoreError>;

    /// Stores the progress of a run.
    fn sample(&self, run: i64, tally: &Tally) -> Result<(), StoreError>;

    fn samples(&self) -> Result<Vec<Sample>, StoreError>;

    /// Stores how a run ended.
    fn end_run(&self, run: i64, tally: &Tally, ended: &Ended) -> Result<(), StoreError>;

    /// The last record of every run, the oldest first.
    fn runs(&self) -> Result<Vec<RunRecord>, StoreError>;
}

/// The identity of a line. A hunt with the same key continues where the last one stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineKey {
    /// The method with its revision: no case of a new revision is done.
    pub method: String,
    pub seed: u64,
    pub shard: String,
    /// Sorted, so that their order on the command line does not matter.
    pub targets: Vec<String>,
}

/// The number of cases that a run had done after some seconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    pub run: i64,
    /// When the run was started, in seconds since 1970.
    pub started: u64,
    pub elapsed: f64,
    pub cases: u64,
    pub growth: Option<Growth>,
}

/// The record of one `mistrust hunt`.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    pub command: String,
    pub tally: Tally,
    pub ended: Ended,
}

/// The part of a finding that is needed to recognise duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    pub id: String,
    /// The origin of its representative.
    pub origin: Origin,
    /// Whether an earlier case may become the representative.
    pub replaceable: bool,
}

impl Brief {
    /// Whether another case should become the representative: an earlier one of the same source, as long as
    /// the finding is not reduced.
    pub fn is_better_represented_by(&self, other: &Origin) -> bool {
        self.replaceable && self.origin.is_beside(other) && other.number() < self.origin.number()
    }
}

/// The result of recording a sighting.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighted {
    /// Whether this case was not recorded before.
    pub new: bool,
    /// The total number of cases.
    pub sightings: u64,
}

/// The result of recording a failure.
#[derive(Clone, Debug, PartialEq)]
pub enum Recorded {
    New,
    /// It is the new representative of a stored finding, which keeps its id.
    Represents {
        id: String,
        sighted: Sighted,
    },
    /// It is another sighting of a stored finding.
    Again {
        id: String,
        sighted: Sighted,
    },
}

/// The result of [`Findings::conclude`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Concluded {
    /// Pairs of a merged finding and the finding that it was merged into, in order.
    pub merged: Vec<(String, String)>,
    /// The finding as stored now; `None` if it was merged into another.
    pub finding: Option<Box<Finding>>,
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
