//! Binaryen, from npm: a module is read, passes run over it, and what is emitted runs in this process. One
//! module holds the functions of many programs. What passes there are, and how they are chosen, is in
//! `passes.rs`.

mod passes;

use std::path::PathBuf;

use expression::Kind;
use expression::languages::wasm::DIALECT;
use forge::{Behaviour, Case, Input, Language, Outcome, Program, Stage};
use serde_json::{Value, json};

use super::joint::{self, Call, Joint};
use super::scripted::Scripted;
use super::{Attempt, Axis, Bench, ByHand, Target, TargetName, Unusable};
use crate::machine::wasm::{Answer, Wasm};
use crate::setting::Setting;

const SCRIPT: &str = include_str!("../scripts/binaryen.js");

/// So many cases share a module.
const BATCH: usize = 60;

#[derive(Debug)]
pub struct BinaryenTarget {
    name: TargetName,
    language: Language,
    folder: PathBuf,
    settings: Vec<Setting>,
    occasional: Vec<Setting>,
    host: Scripted,
}

impl BinaryenTarget {
    /// The optimiser at a version, whose folder has the package in `node_modules`.
    pub fn new(version: &str, folder: PathBuf) -> Self {
        let host = Scripted::new(line(&folder));
        Self {
            name: TargetName { family: "binaryen".to_owned(), version: Some(version.to_owned()) },
            language: Language::new(DIALECT.language),
            folder,
            settings: passes::settings(),
            occasional: passes::occasional(),
            host,
        }
    }

    fn outcomes(&self, joint: &Joint, answer: &Value) -> Result<Vec<Outcome>, Outcome> {
        let word = |name: &str| answer.get(name).and_then(Value::as_str);
        if let Some(why) = word("invalid") {
            return Err(Outcome::Rejected { message: why.to_owned() });
        }
        if let Some(message) = word("threw") {
            return Err(thrown(message, word("in").unwrap_or_default()));
        }
        let decoded = word("binary").and_then(unhex);
        let Some(binary) = decoded else {
            let why = "the host answered without a module".to_owned();
            return Err(Outcome::Unobserved { why });
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
            // What it emits must be a module, whatever else it is.
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

/// A text that is not read was written wrongly; everything else that is thrown is a failure, unless it only
/// says that this version has no such pass.
fn thrown(message: &str, stage: &str) -> Outcome {
    let line = message.lines().find(|line| !line.trim().is_empty()).unwrap_or(message).to_owned();
    if message.contains("Could not find pass") {
        return Outcome::Unobserved { why: line };
    }
    let complains = ["parse exception", "error in parsing", ": error: "];
    match stage {
        "read" if complains.iter().any(|it| message.contains(it)) => {
            Outcome::Rejected { message: line }
        }
        _ => Outcome::Crashed { signal: None, message: line, frames: vec![] },
    }
}

fn outcome(answer: Answer, kind: Kind) -> Outcome {
    match answer {
        // A narrow word that has more bits than it should is shown with them.
        Answer::Word(word) if kind.width <= 64 => Outcome::Ran(Behaviour::Value(word.to_string())),
        Answer::Word(_) => Outcome::Unobserved { why: format!("no word holds a {kind}") },
        Answer::Trap(code) => {
            Outcome::Ran(Behaviour::Trap { code: code.to_owned(), output: String::new() })
        }
        Answer::Endless => Outcome::Hung { stage: Stage::Run, seconds: 0 },
        Answer::Missing(what) => Outcome::Crashed { signal: None, message: what, frames: vec![] },
    }
}

/// Bytes as JSON can carry them.
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
    fn name(&self) -> &TargetName {
        &self.name
    }

    fn language(&self) -> &Language {
        &self.language
    }

    fn settings(&self) -> &[Setting] {
        &self.settings
    }

    fn occasional(&self) -> &[Setting] {
        &self.occasional
    }

    /// The behaviour is known, so that one setting is enough to see that it is wrong: they take turns.
    fn settings_for(&self, cases: &[Case]) -> Vec<Setting> {
        let turn = cases.first().map_or(0, |case| case.ticket.index / BATCH as u64);
        passes::turn(turn, &self.settings, &self.occasional).cloned().into_iter().collect()
    }

    fn takes(&self, method: &str) -> bool {
        joint::is_of_it(method)
    }

    fn batch_size(&self) -> usize {
        BATCH
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        let Some(joint) = Joint::of(&DIALECT, cases) else { return Joint::foreign() };
        let mut request = request(setting);
        if setting.value("read") == Some("text") {
            request["text"] = joint.source.as_str().into();
        } else {
            // It reads modules ten times as fast as text.
            match wat::parse_str(&joint.source) {
                Ok(binary) => request["binary"] = hex(&binary).into(),
                Err(error) => {
                    let why = format!("the program is no WebAssembly: {error}");
                    return Attempt::Together(Outcome::Unobserved { why });
                }
            }
        }
        let outcomes = self.host.ask(&request, bench);
        match outcomes.and_then(|answer| self.outcomes(&joint, &answer)) {
            Ok(outcomes) => joint.observed(cases.len(), setting, outcomes),
            Err(outcome) => Attempt::Together(outcome),
        }
    }

    fn axes(&self, _case: &Case, setting: &Setting, _bench: &Bench) -> Vec<Axis> {
        vec![passes::axis(setting)]
    }

    /// Nothing in WebAssembly is undefined.
    fn each_pass_answers(&self) -> bool {
        true
    }

    fn without(&self, setting: &Setting, pass: &str) -> Option<Setting> {
        passes::without(setting, pass)
    }

    fn alone(&self, pass: &str) -> Option<&Setting> {
        let name = passes::alone(pass);
        self.occasional.iter().find(|setting| setting.name == name)
    }

    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand {
        Joint::by_hand(&self.name, program, input, setting)
    }

    fn probe(&self, bench: &Bench) -> Result<String, Unusable> {
        let unusable = |what: String| Unusable(format!("target `{}`: {what}", self.name));
        let mut request = request(&self.settings[0]);
        request["text"] = "(module)".into();
        match self.host.ask(&request, bench) {
            Ok(answer) if answer.get("binary").is_some() => Ok(self.name.to_string()),
            Ok(answer) => Err(unusable(answer.to_string())),
            Err(outcome) => Err(unusable(format!(
                "{outcome}; it needs Node.js and the npm package binaryen in {}",
                self.folder.display()
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_thrown_is_told_apart() {
        let rejected = thrown("[parse exception: unknown (at 1:2)]", "read");
        assert!(matches!(rejected, Outcome::Rejected { .. }), "{rejected}");
        let rejected = thrown("1:15: error: unrecognized instruction", "read");
        assert!(matches!(rejected, Outcome::Rejected { .. }), "{rejected}");
        let crashed = thrown("unreachable", "optimise");
        assert!(matches!(crashed, Outcome::Crashed { .. }), "{crashed}");
        let unknown = thrown("Fatal: Could not find pass: heap2local\nit ended", "optimise");
        assert!(matches!(unknown, Outcome::Unobserved { .. }), "{unknown}");
    }

    #[test]
    fn bytes_come_back() {
        let bytes: Vec<u8> = (0..=255).collect();
        assert_eq!(unhex(&hex(&bytes)), Some(bytes));
        assert_eq!((unhex("0"), unhex("0x")), (None, None));
    }
}
