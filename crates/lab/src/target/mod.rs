//! Targets: one compiler at one version each. `spec.rs` describes a target as data, the trait [`Target`] runs it,
//! `pass.rs` controls its passes, `schedule.rs` selects the settings of a batch.
//!
//! There is one file or folder per compiler. Compilers that users describe are in `described.rs` (the
//! description), `command.rs` (one process per program) and `hosted.rs` (a persistent process).

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
pub mod llc;
mod name;
pub mod native;
pub mod opt;
pub mod pass;
mod passes;
pub mod resolc;
pub mod rustc;
pub mod schedule;
mod scripted;
pub mod slither;
pub mod solc;
pub mod spec;
mod stack_dump;
pub mod tcc;
mod template;
mod text;
pub mod tolk;
mod ton;
pub mod triton;
pub mod vyper;
pub mod zig;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use forge::{Case, Feedback, Input, Observation, Outcome, Program, Reason};

use crate::coverage::{Coverage, Measure, Unmeasured};
use crate::exec::{Limits, Runner};
use crate::setting::Setting;
use crate::version::version_order;

pub use name::TargetName;
pub use pass::{Axis, OptionPoint, PassControl, PassId, PassPoint};
pub use schedule::{Rotation, Schedule};
pub use spec::{Batch, Reads, Spec};

/// One compiler at one version.
pub trait Target: Send + Sync {
    fn spec(&self) -> &Spec;

    /// Compiles and runs cases under one setting.
    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt;

    /// The commands to compile a program and run it on an input by hand.
    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand;

    /// Files that the commands by hand need, with their names.
    fn files(&self) -> Vec<(String, String)> {
        vec![]
    }

    /// How a wrong answer of a program is shown by hand, if compiling and running the program alone does not show it.
    /// `wrong` is the difference that was seen.
    fn demonstration(
        &self,
        program: &Program,
        setting: &Setting,
        wrong: &str,
    ) -> Option<Demonstration> {
        let _ = (program, setting, wrong);
        None
    }

    /// The version text of the compiler, or why it cannot be used. With a program, also checks that it supports
    /// programs of that kind.
    fn probe(&self, program: Option<&Program>, bench: &Bench) -> Result<String, Unusable>;

    /// The case as the compiler gets it: constructs that its version lacks and that have no effect are stripped.
    fn shown(&self, case: &Case, bench: &Bench) -> Case {
        let _ = bench;
        case.clone()
    }

    /// The compiler's own files on this machine, of which a change means that it is another compiler. Toolchains that
    /// Mistrust has installed do not change.
    fn executables(&self) -> Vec<PathBuf> {
        vec![]
    }

    /// Control over its passes, if it has any.
    fn passes(&self) -> Option<&dyn PassControl> {
        None
    }

    /// How its coverage is measured, or why it is not. What takes long is prepared by the first call.
    fn coverage(&self, bench: &Bench) -> Result<Measure, Unmeasured> {
        let _ = bench;
        Err(Unmeasured(format!("that of {} is not measured", self.name().family)))
    }

    fn name(&self) -> &TargetName {
        &self.spec().name
    }
}

/// The result of compiling and running some cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// A result per case.
    Each(Vec<Seen>),
    /// One outcome for all of them; which case causes it is unknown.
    Together(Outcome),
    /// Together they exceed a documented limit of the compiler. Fewer cases may not.
    TooMuch(Reason),
}

/// The result for one case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub observations: Vec<Observation>,
    /// Coverage feedback, if the target measures it.
    pub feedback: Option<Feedback>,
}

impl From<Vec<Observation>> for Seen {
    fn from(observations: Vec<Observation>) -> Self {
        Self { observations, feedback: None }
    }
}

/// Commands to be run in the folder of the program's file. They write their files there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ByHand {
    /// One command compiles, another runs the output, if it can be run.
    Steps { compile: Vec<String>, run: Option<Vec<String>> },
    /// One command does both and prints the observations as JSON.
    Answer(Vec<String>),
}

/// An executable that writes the answer of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Demonstration {
    /// What is compiled, by name.
    pub files: Vec<(String, String)>,
    /// Commands that make the executable.
    pub build: Vec<Vec<String>>,
    pub run: Vec<String>,
    pub stdin: Vec<u8>,
    /// The input of the call and its answer, as text.
    pub input: String,
    pub answer: String,
    /// The bytes that the executable must write, as far as they are known.
    pub expected: Vec<Option<u8>>,
}

/// Why a target cannot be used on this machine, and what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unusable(pub String);

/// The execution environment of a target: the runner and the limits of a run.
#[derive(Clone, Debug)]
pub struct Bench {
    pub runner: Runner,
    /// For the compiler.
    pub compile: Limits,
    /// For the compiled program.
    pub run: Limits,
    /// Switches the measurement of coverage on.
    pub coverage: Option<Arc<Coverage>>,
}

impl fmt::Debug for dyn Target {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Target({})", self.name())
    }
}

/// Rejects a version older than the first supported one.
fn require_version(name: &TargetName, first: &str) -> Result<(), Unusable> {
    let version = name.version.as_deref();
    if version_order(version) >= version_order(Some(first)) {
        return Ok(());
    }
    let family = &name.family;
    Err(Unusable(format!("target `{name}`: too old: it needs {family}@{first} or newer")))
}
