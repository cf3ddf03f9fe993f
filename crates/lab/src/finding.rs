//! A finding: a confirmed broken promise, with everything that a bug report needs.

use std::fmt;

use forge::{Case, Method, Observation, Origin, Shape};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::culprit::Culprit;
use crate::signature::Signature;
use crate::verdict::Breach;

/// A confirmed broken promise.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The first eight hexadecimal digits of its first signature's key.
    #[serde(deserialize_with = "digits")]
    pub id: String,
    pub signature: Signature,
    pub progress: Progress,
    /// The compiler with its version, such as `mycc@1.2`.
    pub target: String,
    /// The complete version text that the compiler prints.
    #[serde(default)]
    pub version: String,
    /// Seconds since 1970.
    pub first_seen: u64,
    /// How many cases have reproduced it.
    pub sightings: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<KnownAs>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub culprits: Vec<Culprit>,
    /// Further signatures of the same bug: the messages with which the compiler's own IR verifier rejects it.
    #[serde(default, alias = "faces", skip_serializing_if = "Vec::is_empty")]
    pub verifier_aliases: Vec<Signature>,
    /// The case as generated.
    pub original: Exhibit,
    /// The smallest case so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced: Option<Exhibit>,
    /// The reduced case in other forms that also reproduce the bug, such as plain Rust.
    #[serde(default, alias = "retold", skip_serializing_if = "Vec::is_empty")]
    pub restated: Vec<Exhibit>,
    /// What `alive-tv` says of the smallest case, if a user named one. It changes nothing else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub third_opinion: Option<Opinion>,
}

/// The id becomes the name of a folder, and a database may come from anywhere.
fn digits<'de, D: Deserializer<'de>>(reader: D) -> Result<String, D::Error> {
    let id = String::deserialize(reader)?;
    let is_id = id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then_some(id).ok_or_else(|| D::Error::custom("an id has eight hexadecimal digits"))
}

/// The progress of a finding. Each step is on disk before the next begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// It was reproduced three times, and waits for reduction.
    Confirmed,
    /// Its reduction was interrupted. The next hunt continues it.
    Unfinished(CutShort),
    /// Reduced and bisected: nothing is left to do.
    Complete,
}

/// Why a reduction was interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutShort {
    /// The time limit for one reduction was reached.
    ReduceTime,
    /// The hunt ended: its time budget and grace period were over.
    HuntTime,
    Interrupted,
}

impl fmt::Display for CutShort {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::ReduceTime => "the time limit for one reduction was reached",
            Self::HuntTime => "the time limit of the hunt was reached",
            Self::Interrupted => "the hunt was interrupted",
        })
    }
}

/// What `alive-tv` says of a pair of functions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Opinion {
    Correct,
    /// With its reason.
    Incorrect(String),
    NotProven(String),
    /// It has no model of something, or could not be asked.
    Error(String),
}

impl fmt::Display for Opinion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, why) = match self {
            Self::Correct => ("correct", ""),
            Self::Incorrect(why) => ("incorrect", why.as_str()),
            Self::NotProven(why) => ("not proven", why.as_str()),
            Self::Error(why) => ("an error", why.as_str()),
        };
        match why {
            "" => out.write_str(what),
            why => write!(out, "{what}: {why}"),
        }
    }
}

/// A failing case and what was observed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "StoredExhibit")]
pub struct Exhibit {
    pub case: Case,
    pub breach: Breach,
    pub observations: Vec<Observation>,
}

/// An exhibit as it is stored, which need not have been written by us.
#[derive(Deserialize)]
struct StoredExhibit {
    case: Case,
    breach: Breach,
    observations: Vec<Observation>,
}

impl TryFrom<StoredExhibit> for Exhibit {
    type Error = String;

    fn try_from(stored: StoredExhibit) -> Result<Self, String> {
        let StoredExhibit { case, breach, observations } = stored;
        let is_there = |program: usize, input: Option<usize>| {
            program < case.programs.len() && input.is_none_or(|input| input < case.inputs.len())
        };
        if !is_there(breach.program, breach.input) {
            return Err("it is about a program or an input that the case does not have".to_owned());
        }
        if !observations.iter().all(|it| is_there(it.program, it.input)) {
            return Err("something was observed that the case does not have".to_owned());
        }
        Ok(Self { case, breach, observations })
    }
}

impl Exhibit {
    /// What the program that fails looks like.
    pub fn shape(&self, method: &dyn Method) -> Shape {
        let failing = self.case.programs.get(self.breach.program).cloned();
        method.shape(&Case { programs: failing.into_iter().collect(), ..self.case.clone() })
    }
}

/// The entry of `known-bugs/*.toml` that a finding matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownAs {
    pub name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Whether a program of the corpus shows it as it is, rather than an entry.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub by_corpus: bool,
}

/// A failure that did not reproduce reliably. It is recorded, but is not a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flaky {
    #[serde(alias = "ticket")]
    pub origin: Origin,
    pub target: String,
    pub kind: String,
    pub message: String,
    /// How many of the `tries` to confirm it reproduced it. The run that found it is not counted.
    pub seen: u32,
    pub tries: u32,
}

/// A step of a reduction: a smaller case that fails in the same way.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub step: u64,
    /// Candidates tried so far.
    pub tries: u64,
    pub bytes: usize,
    pub seconds: f64,
    /// The position of the case in the list of candidates. A continued reduction starts there, so it ends at the same
    /// case as an uninterrupted one.
    #[serde(default)]
    pub cursor: usize,
}

impl Step {
    /// The step of a continued reduction, with the totals of both parts.
    #[must_use]
    pub fn plus(&self, step: &Self) -> Self {
        Self {
            step: self.step + step.step,
            tries: self.tries + step.tries,
            bytes: step.bytes,
            seconds: self.seconds + step.seconds,
            cursor: step.cursor,
        }
    }
}

impl Finding {
    /// The smallest exhibit.
    pub fn best(&self) -> &Exhibit {
        self.reduced.as_ref().unwrap_or(&self.original)
    }

    pub fn origin(&self) -> &Origin {
        &self.original.case.origin
    }

    /// Whether an earlier case may become the representative: only until triage has started to work on it.
    pub fn is_replaceable(&self) -> bool {
        self.progress == Progress::Confirmed && self.known.is_none()
    }

    /// Whether it still has to be reduced, located or restated.
    pub fn is_pending(&self) -> bool {
        match self.progress {
            Progress::Confirmed | Progress::Unfinished(_) => true,
            Progress::Complete => false,
        }
    }

    /// The most precise culprit: a pass before a version, a version before an option.
    pub fn main_culprit(&self) -> Option<&Culprit> {
        let rank = |culprit: &&Culprit| match culprit {
            Culprit::Pass(_) => 0,
            Culprit::Versions(_) => 1,
            Culprit::Option(_) => 2,
        };
        self.culprits.iter().min_by_key(rank)
    }

    /// The title of its report, one line.
    pub fn title(&self) -> String {
        self.signature.to_string()
    }

    /// Its folder, relative to the output folder.
    pub fn folder(&self) -> String {
        format!("findings/{}", self.id)
    }
}

impl fmt::Display for Progress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Confirmed => "confirmed",
            Self::Unfinished(_) => "unfinished",
            Self::Complete => "complete",
        })
    }
}
