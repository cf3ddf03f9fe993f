//! Targets: one compiler at one version, with its settings and the means to run what it emits. One file
//! or folder per compiler; those that users describe themselves are `described.rs` (the description) with
//! `command.rs` (called anew for each program) and `hosted.rs` (a persistent process).

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
pub mod native;
mod passes;
pub mod resolc;
pub mod rustc;
mod scripted;
pub mod solc;
mod template;
pub mod tolk;
mod ton;
pub mod vyper;
pub mod zig;

use std::fmt;

use forge::{Case, Input, Language, Observation, Outcome, Program};
use serde::{Deserialize, Serialize};

use crate::exec::{Limits, Runner};
use crate::setting::Setting;

pub trait Target: Send + Sync {
    fn name(&self) -> &TargetName;

    fn language(&self) -> &Language;

    /// In order, from what changes the program least to what changes it most. Never empty. A failure is
    /// looked at under all of them.
    fn settings(&self) -> &[Setting];

    /// Further settings, which are too many or too special for that: they take turns, and a failure is
    /// looked at only under the one that showed it.
    fn occasional(&self) -> &[Setting] {
        &[]
    }

    /// The setting of this name, whichever list it is in.
    fn setting(&self, name: &str) -> Option<&Setting> {
        self.settings().iter().chain(self.occasional()).find(|setting| setting.name == name)
    }

    /// The settings under which these cases are shown to the compiler: all, unless it is enough that the
    /// settings take turns.
    fn settings_for(&self, cases: &[Case]) -> Vec<Setting> {
        let _ = cases;
        self.settings().to_vec()
    }

    /// Whether programs of this method can be shown to it: most targets want whole programs, and some the
    /// functions of the method `expression`, many of which share a source.
    fn takes(&self, method: &str) -> bool {
        !joint::is_of_it(method)
    }

    /// How many cases should share one run of the compiler.
    fn batch_size(&self) -> usize {
        1
    }

    /// How many bytes of source should share one run; a case that is larger has one of its own.
    fn batch_bytes(&self) -> usize {
        usize::MAX
    }

    /// Whether this version of the compiler can read the language of this program at all; if not, why.
    fn understands(&self, program: &Program, bench: &Bench) -> Result<(), Unusable> {
        let _ = (program, bench);
        Ok(())
    }

    /// The case as the compiler is shown it: without what its version lacks and what has no effect.
    fn fitted(&self, case: &Case, bench: &Bench) -> Case {
        let _ = bench;
        case.clone()
    }

    /// Shows cases to the compiler under one setting.
    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt;

    /// The ordered lists along which a failure of this case under this setting can be located, except
    /// for versions, which are targets of their own.
    fn axes(&self, case: &Case, setting: &Setting, bench: &Bench) -> Vec<Axis>;

    /// The setting without one pass, as an axis names it, wherever in the order it runs, if passes can be left
    /// out: a check that costs one run where a bisection costs a dozen.
    fn without(&self, setting: &Setting, pass: &str) -> Option<Setting> {
        let _ = (setting, pass);
        None
    }

    /// The setting under which a pass, as an axis names it, runs alone: what goes wrong there is its doing.
    fn alone(&self, pass: &str) -> Option<&Setting> {
        let _ = pass;
        None
    }

    /// Whether what each pass makes is a program of which nothing is undefined. Then the first pass after which
    /// it goes wrong is to blame, whatever came before it.
    fn each_pass_answers(&self) -> bool {
        false
    }

    /// The setting with the compiler's own checks of what each pass makes. What they reject is a crash, whose
    /// message tells the pass to [`Target::breaker`].
    fn checked(&self, setting: &Setting) -> Option<Setting> {
        let _ = setting;
        None
    }

    /// Whether two names of an axis are those of one pass, which may have several turns.
    fn is_one_pass(&self, one: &str, other: &str) -> bool {
        one == other
    }

    /// The pass whose result a check rejected, from the message, whichever of its turns it was.
    fn breaker(&self, message: &str) -> Option<String> {
        let _ = message;
        None
    }

    /// How to compile a program and run it on an input by hand.
    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand;

    /// What the compiler says of itself, in a line; or why it cannot be used.
    fn probe(&self, bench: &Bench) -> Result<String, Unusable>;
}

/// What came of showing some cases to a compiler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attempt {
    /// For each case, what was observed.
    Each(Vec<Vec<Observation>>),
    /// One thing befell them all, and which case is to blame cannot be seen.
    Together(Outcome),
    /// All of them together are more than the compiler takes, as it is documented. Fewer may not be.
    TooMuch { why: String },
}

/// An ordered list of ways to compile, the one least likely to fail first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Axis {
    /// `pass`, or the name of an option.
    pub name: String,
    pub points: Vec<Point>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    pub label: String,
    pub setting: Setting,
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

/// `mycc` or `mycc@1.2`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
pub struct TargetName {
    pub family: String,
    pub version: Option<String>,
}

impl From<String> for TargetName {
    fn from(text: String) -> Self {
        match text.split_once('@') {
            Some((family, version)) => {
                Self { family: family.to_owned(), version: Some(version.to_owned()) }
            }
            None => Self { family: text, version: None },
        }
    }
}

impl From<TargetName> for String {
    fn from(name: TargetName) -> Self {
        name.to_string()
    }
}

impl fmt::Display for TargetName {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.version {
            Some(version) => write!(out, "{}@{version}", self.family),
            None => out.write_str(&self.family),
        }
    }
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

/// Orders versions by their numbers: 0.8.9 before 0.8.10, and 1.97.0-nightly before 1.97.0. Anything else by
/// its text.
pub fn version_order(version: Option<&str>) -> Vec<(Part, u64, String)> {
    let text = version.unwrap_or_default();
    let part = |part: &str| {
        let digits = part.len() - part.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let kind = if digits == 0 { Part::Text } else { Part::Number };
        (kind, part[..digits].parse().unwrap_or(0), part[digits..].to_owned())
    };
    let end = (Part::End, 0, String::new());
    text.split(['.', '-', '+', '_']).map(part).chain([end]).collect()
}

/// What stands at one place of a version. A word makes it an early one, a number a late one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    Text,
    End,
    Number,
}

#[cfg(test)]
mod tests {
    use super::version_order;

    #[test]
    fn versions_are_ordered_as_people_count() {
        let ordered = [
            "",
            "0.8.9",
            "0.8.10",
            "1.96.0",
            "1.97.0-beta.2",
            "1.97.0-nightly",
            "1.97.0",
            "1.97.0.1",
            "2",
        ];
        let keys: Vec<_> = ordered.iter().map(|version| version_order(Some(version))).collect();
        assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "{keys:?}");
    }
}
