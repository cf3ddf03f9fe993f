//! slither, a static analyser of Solidity, from PyPI. It is loaded once, in a Python process that keeps an installed
//! solc beside it. A traceback, a hang, or different results of two processes are failures. What it reports is not
//! judged.

use std::path::Path;

use forge::{Case, Input, Interface, Observation, Outcome, Program, Reason};
use serde_json::{Value, json};

use super::failure::crashed;
use super::scripted::Scripted;
use super::solc::SCRIPT as SOLC;
use super::{
    Attempt, Batch, Bench, ByHand, Reads, Schedule, Seen, Spec, Target, TargetName, Unusable,
};
use crate::setting::Setting;
use crate::toolchain::{Installed, Toolchains};
use crate::version::version_order;

const SCRIPT: &str = include_str!("scripts/slither.py");

/// The toolchain family that parses what slither analyses.
pub const COMPILER: &str = "solc";

/// The versions of solc that it is used with: all of them read the language of its programs.
const COMPILERS: [&str; 2] = ["0.8.19", "0.9.0"];

/// The order in which Python visits sets depends on this seed. Results must not.
const SEEDS: [&str; 2] = ["0", "1"];

/// slither at a version.
#[derive(Debug)]
pub struct SlitherTarget {
    spec: Spec,
    /// One per setting.
    hosts: Vec<Scripted>,
}

/// The solc that is used with slither: the oldest installed one that fits, so that installing another one later changes
/// nothing.
pub fn compiler(toolchains: &Toolchains) -> Option<Installed> {
    let [first, last] = COMPILERS.map(|version| version_order(Some(version)));
    let fits = |version: &String| {
        let order = version_order(Some(version));
        first <= order && order < last
    };
    let version = toolchains.installed(COMPILER).into_iter().find(fits)?;
    toolchains.get(COMPILER, &version)
}

impl SlitherTarget {
    /// The analyser at a version, the Python interpreter that has it, and the folder with solc in `node_modules`.
    pub fn new(version: &str, python: &Path, solc: &Path) -> Self {
        let host = |seed: &&str| {
            let seed = format!("PYTHONHASHSEED={seed}");
            let python = python.display().to_string();
            let solc = solc.display().to_string();
            let words = ["env", &seed, &python, "-c", SCRIPT, &solc, SOLC];
            Scripted::new(words.map(str::to_owned).to_vec())
        };
        let setting = |seed: &str| Setting::of(vec![("seed".to_owned(), seed.to_owned())]);
        let spec = Spec {
            name: TargetName::new("slither", Some(version)),
            reads: vec![Reads::new("solidity-0.8", Interface::Module, Batch::of(8))],
            settings: SEEDS.map(setting).to_vec(),
            occasional: vec![],
            schedule: Schedule::All,
        };
        Self { spec, hosts: SEEDS.iter().map(host).collect() }
    }

    fn outcome(&self, source: &str, setting: &Setting, bench: &Bench) -> Outcome {
        let seed = setting.value("seed").and_then(|seed| SEEDS.iter().position(|it| *it == seed));
        let Some(host) = self.hosts.get(seed.unwrap_or_default()) else {
            return Outcome::NoArtifact;
        };
        match host.ask(&json!({ "source": source }), bench) {
            Ok(answer) => read(&answer),
            Err(outcome) => outcome,
        }
    }
}

/// The outcome that an answer stands for.
fn read(answer: &Value) -> Outcome {
    let text = |field: &str| answer.get(field).and_then(Value::as_str);
    if let Some(message) = text("rejected") {
        // Then slither has nothing to analyse.
        return Outcome::Unobserved(Reason::Lacks(format!("solc rejects it: {message}")));
    }
    if let Some(class) = text("raised") {
        let message = text("message").unwrap_or_default().lines().next().unwrap_or_default();
        let frames = answer.get("frames").and_then(Value::as_array).into_iter().flatten();
        let frames = frames.filter_map(Value::as_str).map(str::to_owned).collect();
        return crashed(format!("{class}: {message}"), frames);
    }
    match answer.get("facts").cloned().map(serde_json::from_value) {
        Some(Ok(facts)) => Outcome::Analysed(facts),
        _ => Outcome::unobserved("the answer has neither facts nor an exception"),
    }
}

impl Target for SlitherTarget {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        let seen = |case: &&Case| -> Seen {
            let observation = |(number, program): (usize, &Program)| Observation {
                program: number,
                setting: setting.name.clone(),
                input: None,
                outcome: self.outcome(&program.source, setting, bench),
            };
            case.programs.iter().enumerate().map(observation).collect::<Vec<_>>().into()
        };
        Attempt::Each(cases.iter().map(seen).collect())
    }

    fn by_hand(&self, program: &Program, _input: &Input, setting: &Setting) -> ByHand {
        let mut words = ["mistrust", "run"].map(str::to_owned).to_vec();
        for (option, value) in &setting.values {
            words.extend(["--with".to_owned(), format!("{option}={value}")]);
        }
        words.extend([self.spec.name.to_string(), program.file_name()]);
        ByHand::Answer(words)
    }

    fn probe(&self, _program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        match self.outcome("contract Judged { }", &self.spec.settings[0], bench) {
            Outcome::Analysed(_) => {
                let TargetName { family, version } = &self.spec.name;
                Ok(format!("{family} {}", version.as_deref().unwrap_or_default()))
            }
            outcome => Err(Unusable(format!(
                "target `{}`: {outcome}; it needs Python, Node.js and an installed solc from {} on",
                self.spec.name, COMPILERS[0]
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_told_apart() {
        assert!(matches!(read(&json!({ "facts": { "a": true } })), Outcome::Analysed(_)));
        let raised = json!({ "raised": "KeyError", "message": "x\ny", "frames": ["f in a.py"] });
        let Outcome::Crashed { message, frames, .. } = read(&raised) else { panic!("{raised}") };
        assert_eq!((message.as_str(), frames.len()), ("KeyError: x", 1));
        let rejected = read(&json!({ "rejected": "no" }));
        assert!(matches!(rejected, Outcome::Unobserved(Reason::Lacks(_))));
        assert!(matches!(read(&json!({})), Outcome::Unobserved(_)));
    }
}
