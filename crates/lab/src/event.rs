//! The events of a hunt, as data. The campaign emits events and knows nothing about terminals or formats;
//! display, JSON lines, JUnit and SARIF are listeners. An event about a finding is emitted after the
//! finding is on disk.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Flaky, Step};
use crate::growth::Growth;

/// Something that happened in a hunt.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    Started(Started),
    /// About twice a second.
    Progress(Tally),
    /// A worker starts something else.
    Working {
        worker: usize,
        work: Work,
    },
    /// A new finding.
    Found {
        finding: Finding,
    },
    /// Another case reproduces a stored finding.
    Again {
        id: String,
        origin: String,
        sightings: u64,
    },
    /// A failure that does not reproduce reliably.
    Flaky {
        flaky: Flaky,
    },
    /// A step of a reduction succeeded.
    Reducing {
        id: String,
        #[serde(flatten)]
        step: Step,
    },
    /// A finding was reduced, bisected or otherwise updated.
    Advanced {
        finding: Finding,
    },
    /// Two findings turned out to be the same bug.
    Merged {
        id: String,
        into: String,
    },
    /// A problem that does not end the hunt.
    Warning {
        message: String,
    },
    Finished(Summary),
}

/// What a worker is doing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "work", rename_all = "snake_case")]
pub enum Work {
    /// Compiles and runs cases, starting with this one.
    Hunting { method: String, number: u64 },
    /// Deduplicates and confirms a failure.
    Diagnosing { origin: String },
    /// Reduces a finding, which has this many bytes.
    Reducing { id: String, from: usize },
    /// Bisects a finding.
    Locating { id: String },
    /// Tries to reproduce a finding in another form.
    Restating { id: String },
    /// Waits for work.
    Idle,
}

/// The parameters of a hunt that has started.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// The methods and their targets.
    pub lines: Vec<StartedLine>,
    pub seed: u64,
    pub shard: String,
    pub jobs: usize,
    pub out: PathBuf,
    #[serde(with = "seconds::optional")]
    pub time: Option<Duration>,
    /// How long the follow-up of findings may continue after that.
    #[serde(with = "seconds")]
    pub grace: Duration,
    /// The number of cases per line to reach.
    pub cases: Option<u64>,
}

/// One method and the targets that its cases are compiled with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartedLine {
    pub method: String,
    pub targets: Vec<String>,
    /// How many cases earlier runs of this campaign have done.
    pub done_before: u64,
    /// How many cases will be done at the end, if known.
    pub goal: Option<u64>,
}

/// Counts so far. `findings`, `known` and `unfinished` cover the whole output folder, the others this run.
/// A case that is compiled by two targets is one case with two verdicts: `kept`, `skipped` and `broken`
/// count verdicts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    #[serde(with = "seconds")]
    pub elapsed: Duration,
    pub cases: u64,
    pub kept: u64,
    pub skipped: u64,
    /// All failures, before confirmation and deduplication.
    pub broken: u64,
    /// Failures that belong to a stored finding.
    pub duplicates: u64,
    /// Failures that did not reproduce reliably.
    pub flaky: u64,
    /// Findings that are known bugs.
    pub known: u64,
    pub findings: u64,
    /// Findings that are not complete.
    pub unfinished: u64,
    /// Compiler runs.
    pub runs: u64,
    /// The time that workers waited for compiler runs, summed over workers.
    #[serde(with = "seconds")]
    pub in_compilers: Duration,
    /// The time that workers existed, summed over workers.
    #[serde(with = "seconds")]
    pub in_workers: Duration,
    /// Estimated time until the budget is used up or the cases are done.
    #[serde(with = "seconds::optional")]
    pub left: Option<Duration>,
    /// Time until the hard end, including the grace period.
    #[serde(default, with = "seconds::optional")]
    pub at_most: Option<Duration>,
    /// Time since this run last found something new.
    #[serde(default, with = "seconds::optional")]
    pub since_found: Option<Duration>,
    /// What the pools came to, over all runs, if the hunt has a corpus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub growth: Option<Growth>,
}

impl Tally {
    /// The share of the workers' time that compilers take, between 0 and 1.
    pub fn compiler_share(&self) -> f64 {
        let workers = self.in_workers.as_secs_f64();
        if workers > 0.0 { (self.in_compilers.as_secs_f64() / workers).min(1.0) } else { 0.0 }
    }

    /// The share of this run's verdicts that are not skipped, between 0 and 1.
    pub fn observed_share(&self) -> f64 {
        let observed = (self.kept + self.broken) as f64;
        let all = observed + self.skipped as f64;
        if all > 0.0 { observed / all } else { 1.0 }
    }

    pub fn cases_per_second(&self) -> f64 {
        let elapsed = self.elapsed.as_secs_f64();
        if elapsed > 0.0 { self.cases as f64 / elapsed } else { 0.0 }
    }
}

/// The results of a hunt that has ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub tally: Tally,
    pub ended: Ended,
    /// Why cases were skipped, the most frequent first.
    pub skipped: Vec<(String, u64)>,
    /// Every finding of the folder, except those merged into another.
    pub findings: Vec<Finding>,
    pub flaky: Vec<Flaky>,
}

/// Why a hunt ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// All requested cases are done.
    Cases,
    Time,
    /// The methods have no more cases.
    Space,
    Interrupted,
    /// It has not ended: it is running, or was killed.
    Underway,
    /// It could not continue, with the reason.
    Failed(String),
}

/// Serialises durations as numbers of seconds.
mod seconds {
    use std::time::Duration;

    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(time: &Duration, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_f64(time.as_secs_f64())
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(reader: D) -> Result<Duration, D::Error> {
        Duration::try_from_secs_f64(f64::deserialize(reader)?).map_err(serde::de::Error::custom)
    }

    pub(super) mod optional {
        use std::time::Duration;

        use serde::{Deserialize as _, Deserializer, Serializer};

        pub(in super::super) fn serialize<S: Serializer>(
            time: &Option<Duration>,
            out: S,
        ) -> Result<S::Ok, S::Error> {
            match time {
                Some(time) => out.serialize_some(&time.as_secs_f64()),
                None => out.serialize_none(),
            }
        }

        pub(in super::super) fn deserialize<'de, D: Deserializer<'de>>(
            reader: D,
        ) -> Result<Option<Duration>, D::Error> {
            let seconds = Option::<f64>::deserialize(reader)?;
            let time = seconds.map(Duration::try_from_secs_f64).transpose();
            time.map_err(serde::de::Error::custom)
        }
    }
}

/// Receives every event, in order, from any thread.
pub trait Listener: Send + Sync {
    fn hear(&self, event: &Event);

    /// A failure of the listener, which ends the hunt and is reported.
    fn failure(&self) -> Option<String> {
        None
    }
}
