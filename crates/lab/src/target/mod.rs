//! Targets: one compiler at one version. `spec.rs` is what a target is, the trait [`Target`] what it
//! does, `pass.rs` how its passes are controlled, `schedule.rs` which settings a batch is shown under.
//!
//! One file or folder per compiler; those that users describe themselves are `described.rs` (the
//! description) with `command.rs` (called anew for each program) and `hosted.rs` (a persistent process).

pub mod batch;
pub mod binaryen;
pub mod built_in;
pub mod clang;
pub mod command;
mod contract;
pub mod described;
pub mod failure;
pub mod func;
pub mod gcc;
pub mod hosted;
pub mod joint;
mod name;
pub mod native;
pub mod pass;
mod passes;
pub mod resolc;
pub mod rustc;
pub mod schedule;
mod scripted;
pub mod solc;
pub mod spec;
mod template;
pub mod tolk;
mod ton;
pub mod vyper;
pub mod zig;

use std::fmt;

use forge::{Case, Feedback, Input, Observation, Outcome, Program, Reason};

use crate::exec::{Limits, Runner};
use crate::setting::Setting;
use crate::version::version_order;

pub use name::TargetName;
pub use pass::{Axis, OptionPoint, PassControl, PassId, PassPoint};
pub use schedule::{Rotation, Schedule};
pub use spec::{Batch, Reads, Spec};

pub trait Target: Send + Sync {
    /// What it is.
    fn spec(&self) -> &Spec;

    /// Shows cases to the compiler under one setting.
    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt;

    /// How to compile a program and run it on an input by hand.
    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand;

    /// What the compiler says of itself; or why it cannot be used. With a program, whether it reads
    /// programs like that one at all.
    fn probe(&self, program: Option<&Program>, bench: &Bench) -> Result<String, Unusable>;

    /// The case as the compiler is shown it: without constructs that its version lacks and that have no
    /// effect.
    fn shown(&self, case: &Case, bench: &Bench) -> Case {
        let _ = bench;
        case.clone()
    }

    /// Control over its passes, where there is any.
    fn passes(&self) -> Option<&dyn PassControl> {
        None
    }

    fn name(&self) -> &TargetName {
        &self.spec().name
    }
}

/// What came of showing some cases to a compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// What was seen of each case.
    Each(Vec<Seen>),
    /// One outcome for all of them, and which case is to blame cannot be seen.
    Together(Outcome),
    /// All of them together are more than the compiler takes, as it is documented. Fewer may not be.
    TooMuch(Reason),
}

/// What was seen of one case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub observations: Vec<Observation>,
    /// What the case reached in the compiler, where the target measures that.
    pub feedback: Option<Feedback>,
}

impl From<Vec<Observation>> for Seen {
    fn from(observations: Vec<Observation>) -> Self {
        Self { observations, feedback: None }
    }
}

/// Commands that work in a folder that holds the program's file, and leave their files there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ByHand {
    /// One command compiles, another runs what came of it, if that can be run.
    Steps { compile: Vec<String>, run: Option<Vec<String>> },
    /// One command does everything and prints what it saw as JSON.
    Answer(Vec<String>),
}

/// Why a target cannot be used on this machine, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unusable(pub String);

/// Where observations are made: the runner, and what a run may use.
#[derive(Clone, Debug)]
pub struct Bench {
    pub runner: Runner,
    /// For the compiler.
    pub compile: Limits,
    /// For what it emits.
    pub run: Limits,
}

impl fmt::Debug for dyn Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Target({})", self.name())
    }
}

/// Refuses a version that comes before the first one that reads what is written for it.
fn is_read(name: &TargetName, first: &str) -> Result<(), Unusable> {
    let version = name.version.as_deref();
    if version_order(version) >= version_order(Some(first)) {
        return Ok(());
    }
    let family = &name.family;
    Err(Unusable(format!("target `{name}`: too old: it needs {family}@{first} or newer")))
}
