//! A finding: a broken promise that was confirmed, with all that a reader or a maintainer needs.

use std::fmt;

use forge::{Case, Observation, Ticket};
use serde::{Deserialize, Serialize};

use crate::triage::culprit::{PASS, VERSION};
use crate::triage::signature::Signature;
use crate::verdict::Breach;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// Eight hexadecimal digits, taken from the signature that it was first seen with.
    pub id: String,
    pub signature: Signature,
    pub progress: Progress,
    /// The compiler with its version, such as `mycc@1.2`.
    pub target: String,
    /// What the compiler says of its version.
    #[serde(default)]
    pub version: String,
    /// Seconds since 1970.
    pub first_seen: u64,
    /// How many tickets have shown it.
    pub sightings: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<KnownAs>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub culprits: Vec<Culprit>,
    /// What else the same bug is known by: what the compiler's own check says of the program.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faces: Vec<Signature>,
    /// As it was generated.
    pub original: Exhibit,
    /// As small as it got.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reduced: Option<Exhibit>,
    /// The same, told in other ways that show it, too.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub retold: Vec<Exhibit>,
}

/// How far a finding has come. Each step is on disk before the next begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Progress {
    /// It was seen again as often as asked for, and waits to be reduced.
    Confirmed,
    /// Reduced and bisected: nothing is left to do.
    Complete,
}

/// A case and what the target did with it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Exhibit {
    pub case: Case,
    pub breach: Breach,
    pub observations: Vec<Observation>,
}

/// Where, on an ordered list, good turns into bad.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Culprit {
    /// What the list is of: `pass`, `version`, or the name of an option.
    pub axis: String,
    /// The last good point, if any is good.
    pub good: Option<String>,
    /// The first bad point.
    pub bad: String,
    /// Points before the first bad one without which it is good, too, where that one alone does no harm:
    /// they may have done what it only brings to light.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub with: Vec<String>,
    /// The later point that brings to light what the first bad one did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_by: Option<String>,
    /// What lies beyond the point where it was found, where that was looked at: newer versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<After>,
}

/// How far a failure reaches beyond the point where it was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct After {
    /// The last bad point.
    pub bad: String,
    /// The first that is good again, if any is.
    pub good: Option<String>,
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
    pub ticket: Ticket,
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

    pub fn ticket(&self) -> &Ticket {
        &self.original.case.ticket
    }

    /// Whether an earlier ticket may become the representative: as long as no work went into this one.
    pub fn is_replaceable(&self) -> bool {
        self.progress == Progress::Confirmed && self.known.is_none()
    }

    /// The culprit that says most: a pass rather than a version, a version rather than an option.
    pub fn main_culprit(&self) -> Option<&Culprit> {
        let named = |axis: &str| self.culprits.iter().find(|culprit| culprit.axis == axis);
        named(PASS).or_else(|| named(VERSION)).or(self.culprits.first())
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
            Self::Complete => "complete",
        })
    }
}

impl Culprit {
    /// A plain turn from good to bad.
    pub fn new(axis: &str, good: Option<String>, bad: String) -> Self {
        Self { axis: axis.to_owned(), good, bad, with: vec![], shown_by: None, after: None }
    }

    /// What makes two failures the same: the point to blame, and those that may be to blame instead.
    pub fn name(&self) -> String {
        let all: Vec<&str> = self.with.iter().chain([&self.bad]).map(String::as_str).collect();
        all.join(" + ")
    }

    /// What there is to say beyond the turn itself.
    pub fn remarks(&self) -> Vec<String> {
        let shown = self.shown_by.as_ref().map(|by| format!("brought to light by {by}"));
        let with = (!self.with.is_empty())
            .then(|| format!("neither alone nor without any of: {}", self.with.join(", ")));
        let after = self.after.as_ref().map(|after| match &after.good {
            Some(good) => format!("last bad {}, good again in {good}", after.bad),
            None => format!("still bad in {}", after.bad),
        });
        shown.into_iter().chain(with).chain(after).collect()
    }
}

impl fmt::Display for Culprit {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.good {
            Some(good) => write!(out, "{}: {} (good until {good}", self.axis, self.bad)?,
            None => write!(out, "{}: {} (nothing earlier is good", self.axis, self.bad)?,
        }
        self.remarks().iter().try_for_each(|remark| write!(out, "; {remark}"))?;
        out.write_str(")")
    }
}
