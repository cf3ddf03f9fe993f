//! The verdict of an oracle on a case. A verdict is a value: judging never panics and never fails.

use std::fmt;

use forge::Reason;
use serde::{Deserialize, Serialize};

/// Whether a case kept its promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Kept,
    /// The case is inconclusive.
    Skipped(Skipped),
    Broken(Breach),
}

/// Why a case is inconclusive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skipped {
    /// Nothing was observed.
    Unobserved(Reason),
    /// The observations do not decide it.
    Undecided(String),
}

impl fmt::Display for Skipped {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unobserved(reason) => reason.fmt(out),
            Self::Undecided(why) => out.write_str(why),
        }
    }
}

/// How a promise was broken, with the evidence.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Breach {
    pub kind: BreachKind,
    /// The name of the first setting that broke it, in the order of the target.
    pub setting: String,
    /// Every setting that broke it in this way.
    pub settings: Vec<String>,
    /// The message of a crash or rejection as it was printed, or how the behaviour is wrong.
    pub message: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<String>,
    /// Whether the message of a crash differs from run to run, as after memory corruption. Then the message
    /// does not identify the bug.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unstable: bool,
    /// The index of the failing program.
    pub program: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    pub actual: String,
}

/// The message of a stack overflow of the compiler.
pub const STACK_OVERFLOW: &str = "stack overflow";

/// Where the fault is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The compiler itself crashed, hung, rejected a valid program, accepted an invalid one or contradicted itself.
    Compiler,
    /// The emitted program is wrong.
    Emitted,
}

/// How a promise was broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BreachKind {
    /// The compiler was killed by a signal or reported an internal error.
    Crash,
    /// The compiler, or a program that must terminate, exceeded its time limit.
    Hang,
    /// Another resource limit was exceeded.
    Exhaustion,
    /// The compiler reported success but wrote no output file, or one that cannot be started.
    NoArtifact,
    /// The compiler rejected a valid program.
    Rejection,
    /// The compiler accepted an invalid program.
    Acceptance,
    /// The compiled program behaves wrongly.
    Miscompilation,
    /// An analyser gave contradicting answers.
    Contradiction,
}

impl Breach {
    /// Whether the message identifies the failure.
    pub fn has_message(&self) -> bool {
        self.kind.has_message() && !self.unstable
    }

    /// Whether the compiler's stack was too small for the program.
    pub fn is_stack_overflow(&self) -> bool {
        self.kind == BreachKind::Exhaustion && self.message == STACK_OVERFLOW
    }

    pub fn fault(&self) -> Fault {
        match self.kind {
            _ if self.is_stack_overflow() => Fault::Compiler,
            BreachKind::Miscompilation => Fault::Emitted,
            BreachKind::Hang | BreachKind::Exhaustion if self.input.is_some() => Fault::Emitted,
            BreachKind::Crash
            | BreachKind::Hang
            | BreachKind::Exhaustion
            | BreachKind::NoArtifact
            | BreachKind::Rejection
            | BreachKind::Acceptance
            | BreachKind::Contradiction => Fault::Compiler,
        }
    }
}

impl BreachKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::Hang => "hang",
            Self::Exhaustion => "exhaustion",
            Self::NoArtifact => "no artifact",
            Self::Rejection => "wrong rejection",
            Self::Acceptance => "wrong acceptance",
            Self::Miscompilation => "miscompilation",
            Self::Contradiction => "contradiction",
        }
    }

    /// Whether the compiler prints a message that identifies the failure.
    pub fn has_message(self) -> bool {
        match self {
            Self::Crash | Self::Rejection => true,
            Self::Hang
            | Self::Exhaustion
            | Self::NoArtifact
            | Self::Acceptance
            | Self::Miscompilation
            | Self::Contradiction => false,
        }
    }
}

impl fmt::Display for BreachKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
