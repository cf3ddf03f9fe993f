//! What is stored of a generation. Applying the records of a line in order gives its pool, so that a hunt that was
//! killed continues with the same pool.

use std::collections::{BTreeMap, BTreeSet};

use forge::Case;
use serde::{Deserialize, Serialize};

use crate::growth::Yield;

/// Why a case was tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Arm {
    /// A program of the corpus as it is.
    Seed,
    /// A ticket, whatever others reached.
    Blind,
    /// Derived from an entry of the pool.
    Guided,
}

impl Arm {
    pub fn name(self) -> &'static str {
        match self {
            Self::Seed => "seed",
            Self::Blind => "blind",
            Self::Guided => "guided",
        }
    }
}

/// A generation: what its cases came to, and the entries that it adds to the pool.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    pub arms: BTreeMap<Arm, Yield>,
    /// By the name of the operator.
    pub operators: BTreeMap<String, Yield>,
    /// How often each signature was seen.
    pub signatures: BTreeMap<String, u64>,
    /// Children and repeated failures, by the number of the parent.
    pub children: BTreeMap<u64, Children>,
    /// How often each operator was part of a failure whose signature had been seen often.
    pub repeats: BTreeMap<String, u64>,
    /// Programs of the corpus that failed as they are.
    pub barred: BTreeSet<u64>,
    /// Whether the target measured anything.
    pub measured: bool,
    #[serde(skip)]
    pub entries: Vec<Entry>,
}

/// What was derived from an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Children {
    pub count: u64,
    /// Failures whose signatures had been seen often.
    pub repeats: u64,
}

/// A case that may have children.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub case: Case,
    pub accepted: bool,
    /// Those that few earlier entries reach.
    pub rare: Vec<u64>,
}
