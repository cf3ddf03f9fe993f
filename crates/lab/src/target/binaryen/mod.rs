//! Binaryen, from npm: it reads a module, runs passes and emits a module, which is executed in this process. One
//! module contains the functions of many programs. The passes and settings are in `passes.rs`.

mod passes;

use std::path::PathBuf;

use expression::languages::wasm::DIALECT;
use expression::{Kind, TRAP};
use forge::{Behaviour, Case, Input, Outcome, Program, Reason, Stage};
use serde_json::{Value, json};

use super::failure::{crashed, overflow};
use super::joint::{Call, Joint};
use super::scripted::Scripted;
use super::{
    Attempt, Axis, Bench, ByHand, PassControl, PassId, Rotation, Schedule, Spec, Target,
    TargetName, Unusable,
};
use crate::setting::Setting;
use crate::vm::wasm::{Answer, Wasm};

const SCRIPT: &str = include_str!("../scripts/binaryen.js");

/// Words that occur in lines about the cause of a failure, and in no warning.
const REASONS: &[&str] = &["Fatal", "Assertion", "parse exception", ": error: "];

/// The number of cases per module.
const BATCH: usize = 60;

/// Binaryen at a version.
#[derive(Debug)]
pub struct BinaryenTarget {
    spec: Spec,
    folder: PathBuf,
    host: Scripted,
}

impl BinaryenTarget {
    /// The optimiser at a version, whose folder has the package in `node_modules`.
    pub fn new(version: &str, folder: PathBuf) -> Self {
        let host = Scripted::new(line(&folder));
        let (settings, occasional) = (passes::settings(), passes::occasional());
        // One batch in three tests a single pass, or the text reader.
        let schedule = Schedule::Turns(vec![
            Rotation::singly(2, &settings[1..]),
            Rotation::singly(1, &occasional),
        ]);
        let spec = Spec {
            name: TargetName::new("binaryen", Some(version)),
            reads: Joint::reads(&DIALECT, BATCH),
            settings,
            occasional,
            schedule,
        };
        Self { spec, folder, host }
    }

    fn outcomes(&self, joint: &Joint, answer: &Value) -> Result<Vec<Outcome>, Outcome> {
        let word = |name: &str| answer.get(name).and_then(Value::as_str);
        if answer.get("overflow").is_some() {
            return Err(overflow());
        }
        if let Some(why) = word("invalid") {
            return Err(Outcome::Rejected { message: why.to_owned() });
        }
        if let Some(message) = word("threw") {
            let said = word("said").unwrap_or_default();
            return Err(thrown(message, said, word("in").unwrap_or_default()));
        }
        let decoded = word("binary").and_then(unhex);
        let Some(binary) = decoded else {
            return Err(Outcome::unobserved("the host answered without a module"));
        };
        match Wasm::load(&binary) {
            Ok(mut machine) => {
                let call = |call: &Call| {
                    let entry = &joint.entries[call.entry];
                    let answer = machine.call(&entry.name, &call.arguments);
                    outcome(answer, entry.signature.result)
                };
                Ok(joint.calls.iter().map(call).collect())
            }
            // Output that is not a valid module is a failure.
            Err(invalid) => {
                Err(Outcome::Crashed { signal: None, message: invalid.to_string(), frames: vec![] })
            }
        }
    }
}

fn line(folder: &std::path::Path) -> Vec<String> {
    ["node", "-e", SCRIPT, &folder.display().to_string()].map(str::to_owned).to_vec()
}

fn request(setting: &Setting) -> Value {
    let number = |option: &str| setting.value(option).and_then(|it| it.parse::<u8>().ok());
    let passes: Value = match setting.value("passes") {
        None | Some(passes::DEFAULT) => Value::Null,
        Some(list) => list.split(',').filter(|pass| !pass.is_empty()).collect(),
    };
    json!({
        "passes": passes,
        "level": number("level").unwrap_or(0),
        "shrink": number("shrink").unwrap_or(0),
    })
}

/// Classifies an exception. A parse error is a rejection, an unknown pass is a lack of this version, and everything
/// else is a crash. The output before the exception may contain the cause, or an unrelated warning.
fn thrown(message: &str, said: &str, stage: &str) -> Outcome {
    let reason = said.lines().rev().find(|line| REASONS.iter().any(|it| line.contains(it)));
    let first = message.lines().find(|line| !line.trim().is_empty()).unwrap_or(message);
    let line = reason.unwrap_or(first).trim().to_owned();
    let message = format!("{said}\n{message}");
    if message.contains("Could not find pass") {
        return Outcome::Unobserved(Reason::Lacks(line));
    }
    let complains = ["parse exception", "error in parsing", ": error: "];
    match stage {
        "read" if complains.iter().any(|it| message.contains(it)) => {
            Outcome::Rejected { message: line }
        }
        _ => crashed(line, vec![]),
    }
}

fn outcome(answer: Answer, kind: Kind) -> Outcome {
    match answer {
        // A narrow word with too many bits is shown as it is.
        Answer::Word(word) if kind.width <= 64 => Outcome::Ran(Behaviour::Value(word.to_string())),
        Answer::Word(_) => Outcome::unobserved(format!("no word holds a {kind}")),
        // The order of two traps is unspecified, so all kinds of traps are equal (see `DIALECT`).
        Answer::Trap(_) => {
            Outcome::Ran(Behaviour::Trap { code: TRAP.to_owned(), output: String::new() })
        }
        Answer::Endless => Outcome::Hung { stage: Stage::Run, seconds: 0 },
        Answer::Missing(what) => Outcome::Crashed { signal: None, message: what, frames: vec![] },
    }
}

/// Bytes as text, for JSON.
fn hex(bytes: &[u8]) -> String {
    let digit = |nibble: u8| char::from_digit(u32::from(nibble), 16).unwrap_or('0');
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let pair = |pair: &[u8]| match pair {
        [high, low] => Some((digit(high)? * 16 + digit(low)?) as u8),
        _ => None,
    };
    text.as_bytes().chunks(2).map(pair).collect()
}

impl Target for BinaryenTarget {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn passes(&self) -> Option<&dyn PassControl> {
        Some(self)
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        let Some(joint) = Joint::of(&DIALECT, cases) else { return Joint::foreign() };
        let mut request = request(setting);
        if setting.value("read") == Some("text") {
            request["text"] = joint.source.as_str().into();
        } else {
            // Binary modules are read ten times as fast as text.
            match wat::parse_str(&joint.source) {
                Ok(binary) => request["binary"] = hex(&binary).into(),
                Err(error) => {
                    let why = format!("the program is no WebAssembly: {error}");
                    return Attempt::Together(Outcome::unobserved(why));
                }
            }
        }
        let outcomes = self.host.ask(&request, bench);
        match outcomes.and_then(|answer| self.outcomes(&joint, &answer)) {
            Ok(outcomes) => joint.observed(cases.len(), setting, outcomes),
            Err(outcome) => Attempt::Together(outcome),
        }
    }

    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand {
        Joint::by_hand(&self.spec.name, program, input, setting)
    }

    fn probe(&self, _program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        let unusable = |what: String| Unusable(format!("target `{}`: {what}", self.spec.name));
        let mut request = request(&self.spec.settings[0]);
        request["text"] = "(module)".into();
        match self.host.ask(&request, bench) {
            Ok(answer) if answer.get("binary").is_some() => Ok(self.spec.name.to_string()),
            Ok(answer) => Err(unusable(answer.to_string())),
            Err(outcome) => Err(unusable(format!(
                "{outcome}; it needs Node.js and the npm package binaryen in {}",
                self.folder.display()
            ))),
        }
    }
}

impl PassControl for BinaryenTarget {
    fn axes(&self, _case: &Case, setting: &Setting, _bench: &Bench) -> Vec<Axis> {
        passes::axes(setting)
    }

    /// WebAssembly has no undefined behaviour.
    fn passes_are_exact(&self) -> bool {
        true
    }

    fn without(&self, setting: &Setting, pass: &PassId) -> Option<Setting> {
        passes::without(setting, &pass.name)
    }

    fn alone(&self, pass: &PassId) -> Vec<&Setting> {
        self.spec.setting(&passes::alone(&pass.name)).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exceptions_are_classified() {
        let rejected = thrown("unreachable", "[parse exception: unknown (at 1:2)]", "read");
        assert!(matches!(rejected, Outcome::Rejected { .. }), "{rejected}");
        let rejected = thrown("unreachable", "1:15: error: unrecognized instruction", "read");
        assert!(matches!(rejected, Outcome::Rejected { .. }), "{rejected}");
        let crashed = thrown("unreachable", "", "optimise");
        assert!(matches!(crashed, Outcome::Crashed { .. }), "{crashed}");
        let unknown = thrown("it ended", "Fatal: Could not find pass: heap2local", "optimise");
        assert!(matches!(unknown, Outcome::Unobserved(_)), "{unknown}");
    }

    #[test]
    fn a_warning_is_not_the_message_of_a_crash() {
        let warning = "warning: no output file specified, not emitting output";
        let message = |said: &str| match thrown("memory access out of bounds", said, "optimise") {
            Outcome::Crashed { message, .. } => message,
            other => panic!("{other}"),
        };
        assert_eq!(message(warning), "memory access out of bounds");
        let fatal = format!("{warning}\nFatal: it is broken\n{warning}");
        assert_eq!(message(&fatal), "Fatal: it is broken");
    }

    #[test]
    fn hexadecimal_text_is_decoded_to_the_same_bytes() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(unhex(&hex(&bytes)), Some(bytes));
        assert_eq!((unhex("0"), unhex("0x")), (None, None));
    }
}
