//! What a hunt with feedback came to, as data: the size of its pool, the blocks of the compiler that it reached, and what
//! each kind of case and each operator contributed.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What some cases came to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Yield {
    pub cases: u64,
    /// How many the compiler accepted.
    pub accepted: u64,
    /// How many blocks of the compiler they reached first.
    pub fresh: u64,
    /// Failures.
    pub failures: u64,
    /// Signatures that they showed first.
    pub signatures: u64,
    /// The bytes of their programs, those of programs that compile four times: a measure of work that is the same on any
    /// machine.
    pub work: u64,
}

impl Yield {
    pub fn add(&mut self, other: &Self) {
        self.cases += other.cases;
        self.accepted += other.accepted;
        self.fresh += other.fresh;
        self.failures += other.failures;
        self.signatures += other.signatures;
        self.work += other.work;
    }

    /// The share of its cases that the compiler accepted, between 0 and 1.
    pub fn accepted_share(&self) -> f64 {
        self.accepted as f64 / self.cases.max(1) as f64
    }
}

/// The state of the pools of a hunt.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Growth {
    /// How many cases may have children.
    pub pool: u64,
    /// How many blocks of the compilers were reached; 0 if nothing is measured.
    pub covered: u64,
    /// How many signatures were seen, those of the seeds included.
    pub signatures: u64,
    /// How many of a hundred mutants are guided now.
    pub share: u64,
    /// By the kind of case: `seed`, `blind` or `guided`.
    pub arms: BTreeMap<String, Yield>,
    pub operators: BTreeMap<String, Yield>,
}

impl Growth {
    /// Adds the pool of another line.
    pub fn add(&mut self, other: &Self) {
        self.pool += other.pool;
        self.covered += other.covered;
        self.signatures += other.signatures;
        self.share = self.share.max(other.share);
        for (mine, others) in
            [(&mut self.arms, &other.arms), (&mut self.operators, &other.operators)]
        {
            for (name, more) in others {
                mine.entry(name.clone()).or_default().add(more);
            }
        }
    }

    /// What all cases together came to.
    pub fn all(&self) -> Yield {
        let mut sum = Yield::default();
        self.arms.values().for_each(|it| sum.add(it));
        sum
    }
}
