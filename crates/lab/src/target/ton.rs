//! Shared by the targets for TON. A compiler and TON's virtual machine, both from npm, run in one Node process; the
//! programs of a batch are get methods of one contract. Exit codes of the virtual machine are part of the behaviour.
//!
//! The compilers reject constant expressions that overflow, divide by zero or shift too far, even in dead branches.
//! That is allowed, so such a program is skipped. The error has a line number, so the other programs of the batch
//! are compiled without that one.

use std::path::{Path, PathBuf};

use expression::Dialect;
use forge::{Behaviour, Case, Input, Observation, Outcome, Program, Reason};
use serde_json::{Value, json};

use super::failure::crashed;
use super::joint::{Call, Joint};
use super::scripted::Scripted;
use super::{
    Attempt, Axis, Bench, ByHand, PassControl, Rotation, Schedule, Spec, Target, TargetName,
    Unusable,
};
use crate::setting::Setting;

const SCRIPT: &str = include_str!("scripts/ton.js");

/// The number of cases per contract. Every call parses the whole contract, so more would be slower.
const BATCH: usize = 24;

/// Messages about constant expressions that fail.
const CONSTANT_ERRORS: &[&str] = &["integer overflow", "is out of range", "division by zero"];

/// Words in messages about internal errors.
const INTERNAL: &[&str] = &["Assertion", "assert", "internal", "Internal", "unreachable", "abort"];

/// A compiler for TON.
#[derive(Debug)]
pub struct TonTarget {
    spec: Spec,
    folder: PathBuf,
    dialect: &'static Dialect,
    /// Adapts a source to the syntax of a version.
    adapt: fn(&str, &str) -> String,
    host: Scripted,
}

impl TonTarget {
    pub(super) fn new(
        family: &str,
        version: &str,
        folder: PathBuf,
        dialect: &'static Dialect,
        adapt: fn(&str, &str) -> String,
    ) -> Self {
        let level = |level: &str| {
            let setting = Setting::of(vec![("level".to_owned(), level.to_owned())]);
            let name = format!("O{level}");
            Setting { class: name.clone(), name, ..setting }
        };
        let host = Scripted::new(line(&folder, family));
        let settings = ["0", "1", "2"].map(level).to_vec();
        // Most programs are compiled at the default level.
        let turns = [2, 2, 1, 2, 0].map(|level: usize| &settings[level]);
        let spec = Spec {
            name: TargetName::new(family, Some(version)),
            reads: Joint::reads(dialect, BATCH),
            schedule: Schedule::Turns(vec![Rotation::singly(1, turns)]),
            settings,
            occasional: vec![],
        };
        Self { spec, folder, dialect, adapt, host }
    }

    fn version(&self) -> &str {
        self.spec.name.version.as_deref().unwrap_or_default()
    }

    fn ask(
        &self,
        source: &str,
        calls: &[Value],
        setting: &Setting,
        bench: &Bench,
    ) -> Result<Vec<Outcome>, Outcome> {
        let source = (self.adapt)(source, self.version());
        let request = json!({ "source": source, "level": level(setting), "calls": calls });
        let answer = self.host.ask(&request, bench)?;
        let word = |name: &str| answer.get(name).and_then(Value::as_str);
        if let Some(message) = word("threw") {
            let message = message.lines().next().unwrap_or_default().to_owned();
            return Err(crashed(message, vec![]));
        }
        if let Some(message) = word("rejected") {
            return Err(compile_error(message));
        }
        let answers = answer.get("answers").and_then(Value::as_array);
        let answers = answers
            .filter(|answers| answers.len() == calls.len())
            .ok_or_else(|| Outcome::unobserved("the host did not answer every call"))?;
        Ok(answers.iter().map(outcome).collect())
    }
}

fn line(folder: &Path, family: &str) -> Vec<String> {
    ["node", "-e", SCRIPT, &folder.display().to_string(), family].map(str::to_owned).to_vec()
}

fn level(setting: &Setting) -> u8 {
    setting.value("level").and_then(|level| level.parse().ok()).unwrap_or(2)
}

fn outcome(answer: &Value) -> Outcome {
    let text = |name: &str| {
        let value = answer.get(name)?;
        Some(value.as_str().map_or_else(|| value.to_string(), str::to_owned))
    };
    match (text("value"), text("exit"), text("unobserved")) {
        (Some(value), _, _) => Outcome::Ran(Behaviour::Value(value)),
        (_, Some(code), _) => {
            let code = format!("exit {code}");
            Outcome::Ran(Behaviour::Trap { code, output: String::new() })
        }
        (_, _, why) => Outcome::unobserved(why.unwrap_or_default()),
    }
}

/// Classifies an error message: `FILE:LINE:COLUMN: error: …` rejects the program; anything else is an internal
/// error, or one of the assembler about the compiler's output.
fn compile_error(message: &str) -> Outcome {
    let error = message.lines().find(|line| line.contains(": error: "));
    match error.filter(|line| !INTERNAL.iter().any(|word| line.contains(word))) {
        Some(line) => Outcome::Rejected { message: line.trim().to_owned() },
        None => {
            let line = message.lines().find(|line| !line.trim().is_empty()).unwrap_or(message);
            crashed(line.to_owned(), vec![])
        }
    }
}

/// Turns the rejection of a failing constant expression into a skipped case.
fn skip_constant_error(outcome: Outcome) -> Outcome {
    let fails = |message: &&str| CONSTANT_ERRORS.iter().any(|word| message.ends_with(word));
    // This includes variables whose value is constant only in the first iteration of a loop.
    let what = outcome.rejection().filter(fails);
    match what.map(|message| format!("a constant expression that fails: {message}")) {
        Some(what) => Outcome::Unobserved(Reason::Limit(what)),
        None => outcome,
    }
}

/// The program of a joint source that an error is about: the last one named up to the line of the error. All items
/// of a program start with its name.
fn culprit(source: &str, message: &str) -> Option<usize> {
    let line: usize = message.split(':').nth(1)?.parse().ok()?;
    let before: Vec<&str> = source.lines().take(line).collect();
    before.iter().rev().find_map(|line| {
        let (_, after) = line.split_once(expression::STEM)?;
        let digits = after.len() - after.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        after[..digits].parse().ok()
    })
}

impl Target for TonTarget {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn passes(&self) -> Option<&dyn PassControl> {
        Some(self)
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        let Some(joint) = Joint::of(self.dialect, cases) else { return Joint::foreign() };
        let call = |call: &Call| {
            let name = joint.entries[call.entry].name.clone();
            let words = call.arguments.iter().map(ToString::to_string);
            std::iter::once(name).chain(words).collect::<Value>()
        };
        let calls: Vec<Value> = joint.calls.iter().map(call).collect();
        let outcome = match self.ask(&joint.source, &calls, setting, bench) {
            Ok(outcomes) => return joint.observed(cases.len(), setting, outcomes),
            Err(outcome) => outcome,
        };
        let rejection = outcome.rejection().filter(|_| cases.len() > 1);
        let rejected = rejection.and_then(|message| {
            let source = (self.adapt)(&joint.source, self.version());
            culprit(&source, message).map(|entry: usize| {
                let ends = cases.iter().scan(0, |end, case| {
                    *end += case.programs.len();
                    Some(*end)
                });
                ends.take_while(|end| *end <= entry).count()
            })
        });
        let Some(rejected) = rejected.filter(|&at| at < cases.len()) else {
            let alone = cases.len() == 1;
            return Attempt::Together(if alone { skip_constant_error(outcome) } else { outcome });
        };
        let others: Vec<&Case> =
            cases.iter().enumerate().filter(|(at, _)| *at != rejected).map(|(_, it)| *it).collect();
        match self.attempt(&others, setting, bench) {
            Attempt::Each(mut each) => {
                let setting = setting.name.clone();
                let outcome = skip_constant_error(outcome);
                let seen = Observation { program: 0, setting, input: None, outcome };
                each.insert(rejected, vec![seen].into());
                Attempt::Each(each)
            }
            Attempt::Together(_) | Attempt::TooMuch(_) => Attempt::Together(outcome),
        }
    }

    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand {
        Joint::by_hand(&self.spec.name, program, input, setting)
    }

    fn probe(&self, _program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        let unusable = |outcome: Outcome| {
            let folder = self.folder.display();
            Unusable(format!(
                "target `{}`: {outcome}; it needs Node.js and the compiler, @ton/core and \
                 @ton/sandbox from npm in {folder}",
                self.spec.name
            ))
        };
        let frame = (self.dialect.frame)(&[]);
        let source = format!("{}{}", frame.before, frame.after);
        let seen = self.ask(&source, &[], &self.spec.settings[0], bench);
        seen.map(|_| self.spec.name.to_string()).map_err(unusable)
    }
}

impl PassControl for TonTarget {
    fn axes(&self, _case: &Case, setting: &Setting, _bench: &Bench) -> Vec<Axis> {
        Axis::of_options(&self.spec.settings, setting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rejections_and_internal_errors_are_distinguished() {
        let outcome =
            compile_error("judged.tolk:3:39: error: division by zero\n   3 | get fun …\n");
        assert!(matches!(&outcome, Outcome::Rejected { .. }), "{outcome}");
        assert!(matches!(skip_constant_error(outcome), Outcome::Unobserved(_)));
        let message = "FunC compilation error: judged.fc:4:42: error: identifier expected";
        let outcome = compile_error(message);
        assert!(matches!(&outcome, Outcome::Rejected { .. }), "{outcome}");
        assert!(matches!(skip_constant_error(outcome), Outcome::Rejected { .. }));
        for failure in ["Fift error: x", "judged.tolk:1:2: error: Assertion failed at a.cpp:7"] {
            assert!(matches!(compile_error(failure), Outcome::Crashed { .. }), "{failure}");
        }
    }

    #[test]
    fn an_error_is_attributed_to_its_program() {
        let source = "fun f() {}\n\nconst judged0_K0 = 1;\nget fun judged0(): int {\n    return 1;\n}\n\
                      get fun judged12(a0: int): int {\n    return (a0 / 0);\n}\n";
        assert_eq!(culprit(source, "judged.tolk:5:3: error: x"), Some(0));
        assert_eq!(culprit(source, "judged.tolk:8:13: error: division by zero"), Some(12));
        assert_eq!(culprit(source, "judged.tolk:1:1: error: x"), None);
        assert_eq!(culprit(source, "something else"), None);
    }

    #[test]
    fn answers_are_values_and_exit_codes() {
        let seen = |answer| outcome(&answer).to_string();
        assert_eq!(seen(json!({ "value": "-1" })), "-1");
        assert_eq!(seen(json!({ "exit": 4 })), "[exit 4]");
        assert!(matches!(outcome(&json!({ "unobserved": "x" })), Outcome::Unobserved(_)));
    }

    /// The id of a get method is a hash of its name. The ids of a batch must differ.
    #[test]
    fn the_method_ids_of_a_batch_are_distinct() {
        let id = |name: String| {
            name.bytes().fold(0_u16, |crc, byte| {
                (0..8).fold(crc ^ (u16::from(byte) << 8), |crc, _| {
                    if crc & 0x8000 == 0 { crc << 1 } else { (crc << 1) ^ 0x1021 }
                })
            })
        };
        let ids: std::collections::BTreeSet<u16> =
            (0..2 * BATCH).map(|n| id(format!("{}{n}", expression::STEM))).collect();
        assert_eq!(ids.len(), 2 * BATCH);
    }
}
