//! The outcome of one program under one setting on one input. `lab` makes observations; they are defined
//! here as plain data because promises refer to them.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// What one program did under one setting on one input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Observation {
    /// Index of the program in the case.
    pub program: usize,
    /// The name of the setting.
    pub setting: String,
    /// Index of the input in the case; `None` if the program was not run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<usize>,
    pub outcome: Outcome,
}

/// The result of running a program. Two runs behave the same if these are equal.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Behaviour {
    /// It ended normally, with this output.
    Value(String),
    /// It ended with a non-zero exit code, a signal or a revert, after this output.
    Trap { code: String, output: String },
}

/// The result of compiling a program and running or checking it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The compiler accepted the program, and the target does not run programs.
    Accepted,
    Ran(Behaviour),
    /// The compiler reported the program as invalid.
    Rejected {
        message: String,
    },
    /// The compiler was killed by a signal, or reported an internal error.
    Crashed {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signal: Option<i32>,
        message: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        frames: Vec<String>,
    },
    Hung {
        stage: Stage,
        seconds: u64,
    },
    /// It exceeded a limit other than time.
    Exhausted {
        stage: Stage,
        resource: Resource,
    },
    /// The compiler reported success but wrote no output file.
    NoArtifact,
    /// The compiler reported success, but its output file cannot be started: it is empty or corrupt.
    Unrunnable {
        why: String,
    },
    /// The target checked whether the compiler's output refines its input.
    Checked(Check),
    /// An analyser's answers: whether each statement holds. Undecided statements are omitted.
    Analysed(BTreeMap<String, bool>),
    /// Nothing was observed, through no fault of the compiler.
    Unobserved(Reason),
}

/// The result of a refinement check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Check {
    Holds,
    Fails {
        #[serde(default)]
        excess: Excess,
        counterexample: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        optimised: Option<Box<Optimised>>,
    },
    /// The checker gave up, with the reason.
    Unknown {
        why: String,
    },
}

/// What an optimised function does that its source does not allow. Failures that differ in this are rarely one bug of a
/// pass.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Excess {
    /// It returns, stores or passes something else.
    #[default]
    Wrong,
    /// It is undefined, or its result is poison or undef.
    Undefined,
    /// Its result is poison where that of the source is undef, or it is wrong for undef only.
    PoisonForUndef,
}

/// What a compiler made of a function that it compiled wrongly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Optimised {
    pub function: String,
    /// The function with all that it refers to.
    pub text: String,
}

/// Why nothing was observed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// The program exceeds a documented limit of the compiler.
    Limit(String),
    /// This version of the compiler lacks a construct or a pass.
    Lacks(String),
    /// The process could not be started or monitored, or its answer could not be parsed.
    #[serde(alias = "why")]
    Environment(String),
}

impl Outcome {
    /// Nothing was observed, for a reason that concerns neither the compiler nor the program.
    pub fn unobserved(why: impl Into<String>) -> Self {
        Self::Unobserved(Reason::Environment(why.into()))
    }

    /// The behaviour, if the program ran.
    pub fn behaviour(&self) -> Option<&Behaviour> {
        match self {
            Self::Ran(behaviour) => Some(behaviour),
            Self::Accepted
            | Self::Rejected { .. }
            | Self::Crashed { .. }
            | Self::Hung { .. }
            | Self::Exhausted { .. }
            | Self::NoArtifact
            | Self::Unrunnable { .. }
            | Self::Checked(_)
            | Self::Analysed(_)
            | Self::Unobserved(_) => None,
        }
    }

    /// The compiler's message, if it rejected the program.
    pub fn rejection(&self) -> Option<&str> {
        match self {
            Self::Rejected { message } => Some(message),
            Self::Accepted
            | Self::Ran(_)
            | Self::Crashed { .. }
            | Self::Hung { .. }
            | Self::Exhausted { .. }
            | Self::NoArtifact
            | Self::Unrunnable { .. }
            | Self::Checked(_)
            | Self::Analysed(_)
            | Self::Unobserved(_) => None,
        }
    }

    /// The compiler's message, if it crashed.
    pub fn crash(&self) -> Option<&str> {
        match self {
            Self::Crashed { message, .. } => Some(message),
            Self::Accepted
            | Self::Ran(_)
            | Self::Rejected { .. }
            | Self::Hung { .. }
            | Self::Exhausted { .. }
            | Self::NoArtifact
            | Self::Unrunnable { .. }
            | Self::Checked(_)
            | Self::Analysed(_)
            | Self::Unobserved(_) => None,
        }
    }

    /// The result of a refinement check, if there was one.
    pub fn check(&self) -> Option<&Check> {
        match self {
            Self::Checked(check) => Some(check),
            Self::Accepted
            | Self::Ran(_)
            | Self::Rejected { .. }
            | Self::Crashed { .. }
            | Self::Hung { .. }
            | Self::Exhausted { .. }
            | Self::NoArtifact
            | Self::Unrunnable { .. }
            | Self::Analysed(_)
            | Self::Unobserved(_) => None,
        }
    }

    /// Whether the compiler accepted the program.
    pub fn is_accepted(&self) -> bool {
        match self {
            Self::Accepted | Self::Ran(_) | Self::Checked(_) | Self::Analysed(_) => true,
            Self::Hung { stage, .. } | Self::Exhausted { stage, .. } => *stage == Stage::Run,
            Self::Rejected { .. }
            | Self::Crashed { .. }
            | Self::NoArtifact
            | Self::Unrunnable { .. }
            | Self::Unobserved(_) => false,
        }
    }

    /// Why nothing was observed, if nothing was.
    pub fn reason(&self) -> Option<&Reason> {
        match self {
            Self::Unobserved(reason) => Some(reason),
            Self::Accepted
            | Self::Ran(_)
            | Self::Rejected { .. }
            | Self::Crashed { .. }
            | Self::Hung { .. }
            | Self::Exhausted { .. }
            | Self::NoArtifact
            | Self::Unrunnable { .. }
            | Self::Checked(_)
            | Self::Analysed(_) => None,
        }
    }
}

impl Check {
    /// What the compiler made of the function, if it was compiled wrongly.
    pub fn optimised(&self) -> Option<&Optimised> {
        match self {
            Self::Fails { optimised, .. } => optimised.as_deref(),
            Self::Holds | Self::Unknown { .. } => None,
        }
    }
}

impl fmt::Display for Excess {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Wrong => "a wrong result",
            Self::Undefined => "undefined or poison",
            Self::PoisonForUndef => "poison instead of undef",
        })
    }
}

impl fmt::Display for Check {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Holds => out.write_str("[refines]"),
            Self::Fails { counterexample, .. } => write!(out, "[does not refine] {counterexample}"),
            Self::Unknown { why } => write!(out, "[not decided: {why}]"),
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Limit(what) => write!(out, "documented limit: {what}"),
            Self::Lacks(what) => write!(out, "not supported: {what}"),
            Self::Environment(why) => out.write_str(why),
        }
    }
}

/// The stage in which a limit was exceeded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Stage {
    Compile,
    Run,
}

/// A limited resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resource {
    Memory,
    FileSize,
    Output,
    Processes,
    Disk,
    /// Reported by the runtime of the compiler, whose recursion is too deep.
    Stack,
}

impl fmt::Display for Stage {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Compile => "compile",
            Self::Run => "run",
        })
    }
}

impl fmt::Display for Resource {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Memory => "memory",
            Self::FileSize => "file size",
            Self::Output => "output",
            Self::Processes => "processes",
            Self::Disk => "disk space",
            Self::Stack => "stack",
        })
    }
}

impl fmt::Display for Behaviour {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(output) => out.write_str(output),
            Self::Trap { code, output } if output.is_empty() => write!(out, "[{code}]"),
            Self::Trap { code, output } => write!(out, "{}\n[{code}]", output.trim_end()),
        }
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Accepted => out.write_str("[accepted]"),
            Self::Ran(behaviour) => behaviour.fmt(out),
            Self::Rejected { message } => write!(out, "[rejected] {message}"),
            Self::Crashed { signal: Some(signal), message, .. } => {
                write!(out, "[crashed, signal {signal}] {message}")
            }
            Self::Crashed { message, .. } => write!(out, "[crashed] {message}"),
            Self::Hung { stage, seconds } => {
                write!(out, "[timeout: {stage} did not end within {seconds} s]")
            }
            Self::Exhausted { stage, resource: Resource::Stack } => {
                write!(out, "[stack overflow at {stage}]")
            }
            Self::Exhausted { stage, resource } => write!(out, "[too much {resource} at {stage}]"),
            Self::NoArtifact => out.write_str("[reported success, wrote no output file]"),
            Self::Unrunnable { why } => {
                write!(out, "[reported success, its output file cannot be started: {why}]")
            }
            Self::Checked(check) => check.fmt(out),
            Self::Analysed(facts) => {
                let fact = |(what, holds): (&String, &bool)| {
                    format!("{what}: {}", if *holds { "yes" } else { "no" })
                };
                out.write_str(&facts.iter().map(fact).collect::<Vec<_>>().join("\n"))
            }
            Self::Unobserved(reason) => write!(out, "[not observed: {reason}]"),
        }
    }
}
