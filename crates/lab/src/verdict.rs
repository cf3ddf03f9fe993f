//! What an oracle says of a case. A verdict is a value: judging never panics and never fails.

use std::fmt;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Kept,
    /// Nothing can be said, and why.
    Skipped(String),
    Broken(Breach),
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
    /// The two observations that don't go together, where there are two.
    pub program: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<usize>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected: Option<String>,
    pub actual: String,
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
        }
    }
}

impl fmt::Display for BreachKind {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.name())
    }
}
