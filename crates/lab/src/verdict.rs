//! What an oracle says of a case. A verdict is a value: judging never panics and never fails.

use std::fmt;

use forge::Reason;
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Kept,
    /// Nothing can be said, and why.
    Skipped(Skipped),
    Broken(Breach),
}

/// Why a case says nothing about the compiler.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Skipped {
    /// Nothing was observed.
    Unobserved(Reason),
    /// What was observed does not decide it.
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

/// How a promise was broken, and what shows it.
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
    /// Whether the message of a crash differs from run to run, so that it says nothing: corrupted memory
    /// shows itself in many ways.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unstable: bool,
    /// The program that shows it.
    pub program: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    pub actual: String,
}

/// What the message of an exhaustion of the compiler's stack is.
pub const STACK_OVERFLOW: &str = "stack overflow";

/// What is at fault in a breach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The compiler itself crashed, hung, rejected or contradicted itself.
    Compiler,
    /// The program that it emitted is wrong.
    Emitted,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BreachKind {
    /// The compiler died or reported an internal error.
    Crash,
    /// The compiler, or a program that has to end, did not end in time.
    Hang,
    /// It used more of something than it may.
    Exhaustion,
    /// The compiler reported success and wrote nothing.
    NoArtifact,
    /// The compiler rejected a valid program.
    Rejection,
    /// The compiled program does something else than it must.
    Miscompilation,
    /// An analyser said two things of which only one can be true.
    Contradiction,
}

impl Breach {
    /// Whether the failure is recognised by its message.
    pub fn has_message(&self) -> bool {
        self.kind.has_message() && !self.unstable
    }

    /// Whether the compiler's stack was too small for the program.
    pub fn is_stack_overflow(&self) -> bool {
        self.kind == BreachKind::Exhaustion && self.message == STACK_OVERFLOW
    }

    pub fn fault(&self) -> Fault {
        match self.kind {
            BreachKind::Miscompilation => Fault::Emitted,
            BreachKind::Hang | BreachKind::Exhaustion if self.input.is_some() => Fault::Emitted,
            BreachKind::Crash
            | BreachKind::Hang
            | BreachKind::Exhaustion
            | BreachKind::NoArtifact
            | BreachKind::Rejection
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
            Self::Miscompilation => "miscompilation",
            Self::Contradiction => "contradiction",
        }
    }

    /// Whether the compiler says itself what is wrong, in a message by which the failure is recognised.
    pub fn has_message(self) -> bool {
        match self {
            Self::Crash | Self::Rejection => true,
            Self::Hang
            | Self::Exhaustion
            | Self::NoArtifact
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
