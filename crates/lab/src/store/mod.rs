//! Keeps what happened. A hunt asks a [`Store`] for work that is left ([`Leases`]), gives it what was found
//! ([`Findings`]) and how it went ([`Runs`]). SQLite in the output folder is the only implementation;
//! folders and reports are rendered from it by a listener (`crate::folder`).

mod error;
pub mod sqlite;

use std::ops::Range;
use std::time::{SystemTime, UNIX_EPOCH};

use forge::Origin;

use crate::event::{Ended, Tally};
use crate::finding::{Exhibit, Finding, Flaky};
use crate::target::PassId;
use crate::triage::reduce::Step;

pub use error::StoreError;
pub use sqlite::SqliteStore;

/// Everything that a hunt keeps.
pub trait Store: Leases + Findings + Runs + Send + Sync {}

impl<T: Leases + Findings + Runs + Send + Sync> Store for T {}

/// Which work is done.
pub trait Leases {
    /// The number of a line, new or not.
    fn line(&self, key: &LineKey) -> Result<i64, StoreError>;

    /// Every line, with how many of its cases are done.
    fn lines(&self) -> Result<Vec<(LineKey, u64)>, StoreError>;

    /// The cases of a line that are done, as ranges in order that neither touch nor overlap.
    fn done(&self, line: i64) -> Result<Vec<Range<u64>>, StoreError>;

    /// Marks cases as done, with the reasons for which some were skipped.
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

/// Findings, their signatures, sightings and reductions. Each of these is one transaction.
pub trait Findings {
    /// The finding that a signature leads to.
    fn finding_of(&self, key: &str) -> Result<Option<Brief>, StoreError>;

    /// A finding by its identifier, or by a beginning of it that no other has.
    fn finding(&self, id: &str) -> Result<Finding, StoreError>;

    /// Every finding that is not merged into another, the oldest first.
    fn findings(&self) -> Result<Vec<Finding>, StoreError>;

    /// The passes that findings about a compiler blame by themselves, the one that is seen most first.
    fn blamed(&self, family: &str) -> Result<Vec<PassId>, StoreError>;

    /// The cases that showed a finding, in order.
    fn sightings(&self, id: &str) -> Result<Vec<(Origin, String)>, StoreError>;

    /// Finds the finding of a signature, or creates it. The representative is the first case that shows
    /// it, as long as no work went into another. It is on the disk when this returns.
    fn record(&self, finding: &Finding) -> Result<Recorded, StoreError>;

    /// What became of a finding: its reduction, its culprit.
    fn update(&self, finding: &Finding) -> Result<(), StoreError>;

    /// Another case that shows a finding.
    fn add_sighting(&self, id: &str, origin: &Origin, target: &str) -> Result<Sighted, StoreError>;

    /// Writes a finding that was located again, and merges it with those that turn out to be the same
    /// bug. `stays` says which of two stays.
    fn conclude(
        &self,
        finding: &Finding,
        stays: &dyn Fn(&Finding, &Finding) -> bool,
    ) -> Result<Concluded, StoreError>;

    /// A step of a reduction, with the case that it led to.
    fn add_step(&self, id: &str, step: &Step, exhibit: &Exhibit) -> Result<(), StoreError>;

    /// Where the reduction of a finding got to.
    fn last_step(&self, id: &str) -> Result<Option<(Step, Exhibit)>, StoreError>;

    /// Begins the reduction of a finding again.
    fn forget_steps(&self, id: &str) -> Result<(), StoreError>;

    fn add_flaky(&self, flaky: &Flaky) -> Result<(), StoreError>;

    fn flaky(&self) -> Result<Vec<Flaky>, StoreError>;
}

/// How the runs went.
pub trait Runs {
    fn begin_run(&self, command: &str) -> Result<i64, StoreError>;

    /// Notes how a run is getting on.
    fn sample(&self, run: i64, tally: &Tally) -> Result<(), StoreError>;

    fn samples(&self) -> Result<Vec<Sample>, StoreError>;

    /// Notes how a run ended.
    fn end_run(&self, run: i64, tally: &Tally, ended: &Ended) -> Result<(), StoreError>;

    /// The last record of every run, the oldest first.
    fn runs(&self) -> Result<Vec<RunRecord>, StoreError>;
}

/// What makes two hunts the same campaign, one of which goes on where the other stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineKey {
    /// The method with its revision: after an upgrade that changes what it makes, nothing is done yet.
    pub method: String,
    pub seed: u64,
    pub shard: String,
    /// Sorted, so that their order on the command line does not count.
    pub targets: Vec<String>,
}

/// How many cases a run had done after how many seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub run: i64,
    /// When the run was started, in seconds since 1970.
    pub started: u64,
    pub elapsed: f64,
    pub cases: u64,
}

/// What is known of one start of `hunt`.
#[derive(Clone, Debug, PartialEq)]
pub struct RunRecord {
    pub command: String,
    pub tally: Tally,
    pub ended: Ended,
}

/// What a hunt has to know of a finding that it comes upon again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    pub id: String,
    /// The origin of its representative.
    pub origin: Origin,
    /// Whether an earlier case may take the place of that one.
    pub replaceable: bool,
}

impl Brief {
    /// Whether another case is to become the representative: an earlier one of the same source, as long
    /// as the finding is not reduced.
    pub fn is_better_represented_by(&self, other: &Origin) -> bool {
        self.replaceable && self.origin.is_beside(other) && other.number() < self.origin.number()
    }
}

/// A sighting that was written down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sighted {
    /// Whether this case had not shown the finding before.
    pub new: bool,
    /// How many cases have, in all.
    pub sightings: u64,
}

/// What became of a failure that was recorded.
#[derive(Clone, Debug, PartialEq)]
pub enum Recorded {
    New,
    /// It represents a finding that was there, under the identifier of that.
    Represents {
        id: String,
        sighted: Sighted,
    },
    /// It is another sighting.
    Again {
        id: String,
        sighted: Sighted,
    },
}

/// What became of a finding that was located again.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Concluded {
    /// Which findings became a part of which, in order.
    pub merged: Vec<(String, String)>,
    /// The finding as it is now; none if it is a part of another.
    pub finding: Option<Box<Finding>>,
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs()
}
