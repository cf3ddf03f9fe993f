//! A finding: a broken promise that was confirmed, with all that a reader or a maintainer needs.

use std::fmt;

use forge::{Case, Method, Observation, Origin, Shape};
use serde::{Deserialize, Serialize};

use crate::culprit::Culprit;
use crate::signature::Signature;
use crate::verdict::Breach;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Eight hexadecimal digits, taken from the signature that it was first seen with.
    pub id: String,
    pub signature: Signature,
    pub progress: Progress,
    /// The compiler with its version, such as `mycc@1.2`.
    pub target: String,
    /// What the compiler says of its version, in full.
    #[serde(default)]
    pub version: String,
    /// Seconds since 1970.
    pub first_seen: u64,
    /// How many cases have shown it.
    pub sightings: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<KnownAs>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub culprits: Vec<Culprit>,
    /// What else the same bug is known by: what the compiler's own verifier says of the program.
    #[serde(default, alias = "faces", skip_serializing_if = "Vec::is_empty")]
    pub verifier_aliases: Vec<Signature>,
    /// As it was generated.
    pub original: Exhibit,
    /// As small as it got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced: Option<Exhibit>,
    /// The same in other forms that show it, too, such as plain Rust.
    #[serde(default, alias = "retold", skip_serializing_if = "Vec::is_empty")]
    pub restated: Vec<Exhibit>,
}

/// How far a finding has come. Each step is on disk before the next begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// It was seen again as often as asked for, and waits to be reduced.
    Confirmed,
    /// Its reduction was cut short. What was reached is kept, and the next hunt goes on from there.
    Unfinished(CutShort),
    /// Reduced and bisected: nothing is left to do.
    Complete,
}

/// Why a reduction was cut short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CutShort {
    /// The time for one reduction was up.
    ReduceTime,
    /// The hunt ended: its time and grace were up.
    HuntTime,
    Interrupted,
}

impl fmt::Display for CutShort {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::ReduceTime => "the time for one reduction was up",
            Self::HuntTime => "the time of the hunt was up",
            Self::Interrupted => "the hunt was interrupted",
        })
    }
}

/// A case and what the target did with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exhibit {
    pub case: Case,
    pub breach: Breach,
    pub observations: Vec<Observation>,
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
}

/// A failure that came and went: kept, with how often it came, and never called a finding.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Flaky {
    #[serde(alias = "ticket")]
    pub origin: Origin,
    pub target: String,
    pub kind: String,
    pub message: String,
    /// In how many of the tries that were to confirm it, the one that found it left out, it was seen.
    pub seen: u32,
    pub tries: u32,
}

impl Finding {
    /// The smallest exhibit there is.
    pub fn best(&self) -> &Exhibit {
        self.reduced.as_ref().unwrap_or(&self.original)
    }

    pub fn origin(&self) -> &Origin {
        &self.original.case.origin
    }

    /// Whether an earlier case may become the representative: as long as no work went into this one.
    pub fn is_replaceable(&self) -> bool {
        self.progress == Progress::Confirmed && self.known.is_none()
    }

    /// Whether there is something left to reduce, locate or restate.
    pub fn is_pending(&self) -> bool {
        match self.progress {
            Progress::Confirmed | Progress::Unfinished(_) => true,
            Progress::Complete => false,
        }
    }

    /// The culprit that says most: a pass rather than a version, a version rather than an option.
    pub fn main_culprit(&self) -> Option<&Culprit> {
        let rank = |culprit: &&Culprit| match culprit {
            Culprit::Pass(_) => 0,
            Culprit::Versions(_) => 1,
            Culprit::Option(_) => 2,
        };
        self.culprits.iter().min_by_key(rank)
    }

    /// One line that says what it is, as the title of a report.
    pub fn title(&self) -> String {
        self.signature.to_string()
    }

    /// The folder in which everything about it is, below the output folder.
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
