//! What happens during a hunt, as data. The campaign emits events and knows nothing of terminals or
//! formats; the display, the JSON lines, JUnit and SARIF only listen. An event about a finding is
//! emitted after the finding is on disk.

use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::finding::{Finding, Flaky};
use crate::triage::reduce::Step;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    Started(Started),
    /// About twice a second.
    Progress(Tally),
    /// What a worker does now.
    Working {
        worker: usize,
        work: Work,
    },
    /// A new finding.
    Found {
        finding: Finding,
    },
    /// Another case shows a finding that is there already.
    Again {
        id: String,
        origin: String,
        sightings: u64,
    },
    /// A failure that could not be repeated every time.
    Flaky {
        flaky: Flaky,
    },
    /// A reduction got a step further.
    Reducing {
        id: String,
        #[serde(flatten)]
        step: Step,
    },
    /// A finding was reduced, bisected or otherwise learnt more of.
    Advanced {
        finding: Finding,
    },
    /// Bisection showed that two findings are one.
    Merged {
        id: String,
        into: String,
    },
    /// Something that the user should know and that the hunt survives.
    Warning {
        message: String,
    },
    Finished(Summary),
}

/// What a worker does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "work", rename_all = "snake_case")]
pub enum Work {
    /// It shows cases to compilers, beginning with this one.
    Hunting { method: String, number: u64 },
    /// It finds out what a failure is.
    Diagnosing { origin: String },
    /// It makes a finding smaller, from so many bytes.
    Reducing { id: String, from: usize },
    /// It looks for what is to blame.
    Locating { id: String },
    /// It tries a finding in other forms.
    Restating { id: String },
    /// It has nothing to do.
    Idle,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Started {
    /// What is hunted with what.
    pub lines: Vec<StartedLine>,
    pub seed: u64,
    pub shard: String,
    pub jobs: usize,
    pub out: PathBuf,
    #[serde(with = "seconds::optional")]
    pub time: Option<Duration>,
    /// How long following up may go on after that.
    #[serde(with = "seconds")]
    pub grace: Duration,
    /// How many cases of each line there are to be.
    pub cases: Option<u64>,
}

/// One method and the targets that it is pointed at.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StartedLine {
    pub method: String,
    pub targets: Vec<String>,
    /// How many cases earlier runs of this campaign have done.
    pub done_before: u64,
    /// How many there will have been at the end, where that is known.
    pub goal: Option<u64>,
}

/// The count of things so far. `findings`, `known` and `unfinished` are of the folder, the rest is of
/// this run. A case that is shown to two targets is one case and two verdicts: `kept`, `skipped` and
/// `broken` count verdicts.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
    #[serde(with = "seconds")]
    pub elapsed: Duration,
    pub cases: u64,
    pub kept: u64,
    pub skipped: u64,
    /// Before anything was confirmed or merged.
    pub broken: u64,
    /// Of the broken ones, those that only count up a finding.
    pub duplicates: u64,
    /// Of the broken ones, those that did not come back every time.
    pub flaky: u64,
    /// Findings that are known bugs.
    pub known: u64,
    pub findings: u64,
    /// Findings that wait for their reduction.
    pub unfinished: u64,
    /// Compiler runs, and the time that the workers spent waiting for them, added up.
    pub runs: u64,
    #[serde(with = "seconds")]
    pub in_compilers: Duration,
    /// The time that the workers have been at work, added up.
    #[serde(with = "seconds")]
    pub in_workers: Duration,
    /// Until the time is up or the cases are done, as far as that can be said.
    #[serde(with = "seconds::optional")]
    pub left: Option<Duration>,
    /// Until everything ends, following up included.
    #[serde(default, with = "seconds::optional")]
    pub at_most: Option<Duration>,
    /// Since this run found something new.
    #[serde(default, with = "seconds::optional")]
    pub since_found: Option<Duration>,
}

impl Tally {
    /// How much of the workers' time goes to the compilers, between 0 and 1.
    pub fn compiler_share(&self) -> f64 {
        let workers = self.in_workers.as_secs_f64();
        if workers > 0.0 { (self.in_compilers.as_secs_f64() / workers).min(1.0) } else { 0.0 }
    }

    /// How many verdicts of this run say something about the compiler, between 0 and 1.
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

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    pub tally: Tally,
    pub ended: Ended,
    /// Why cases were skipped, the most frequent first.
    pub skipped: Vec<(String, u64)>,
    /// Every finding of the folder that is not merged into another.
    pub findings: Vec<Finding>,
    pub flaky: Vec<Flaky>,
}

/// Why a hunt ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// All cases that were asked for are done.
    Cases,
    Time,
    /// The space of the method is used up.
    Space,
    Interrupted,
    /// It has not ended: it is under way, or was killed.
    Underway,
    /// It could not go on, and why.
    Failed(String),
}

/// Durations are numbers of seconds for whoever reads the events.
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

/// Hears every event, in order, from any thread.
pub trait Listener: Send + Sync {
    fn hear(&self, event: &Event);

    /// Why it cannot go on, if it cannot: the hunt then ends, and says so.
    fn failure(&self) -> Option<String> {
        None
    }
}
