//! resolc, which compiles Solidity through solc and LLVM for PolkaVM, as npm has it. Many programs are one
//! contract, which runs on PolkaVM in this process. What it complains of has the form of solc's errors.

use std::path::PathBuf;

use forge::expression::languages::solidity::DIALECT;
use forge::{Case, Input, Language, Outcome, Program};
use serde_json::{Value, json};

use super::contract;
use super::joint::{self, Joint};
use super::scripted::Scripted;
use super::solc::complaint::Complaint;
use super::{Attempt, Axis, Bench, ByHand, Point, Target, TargetName, Unusable};
use crate::machine::evm::bytes;
use crate::machine::polka::Machine;
use crate::setting::Setting;

const SCRIPT: &str = include_str!("scripts/resolc.js");

/// LLVM's levels.
const MODES: &[&str] = &["0", "1", "2", "3", "s", "z"];

/// A compile has a price of its own that many programs share.
const BATCH: usize = 24;

#[derive(Debug)]
pub struct ResolcTarget {
    name: TargetName,
    language: Language,
    folder: PathBuf,
    settings: Vec<Setting>,
    host: Scripted,
}

impl ResolcTarget {
    /// The compiler at a version, whose folder has the package and solc in `node_modules`.
    pub fn new(version: &str, folder: PathBuf) -> Self {
        let argv = ["node", "-e", SCRIPT].map(str::to_owned);
        let argv = argv.into_iter().chain([folder.display().to_string()]).collect();
        let setting = |mode: &&str| Setting::of(vec![("opt".to_owned(), (*mode).to_owned())]);
        Self {
            name: TargetName { family: "resolc".to_owned(), version: Some(version.to_owned()) },
            language: Language::new(DIALECT.language),
            folder,
            settings: MODES.iter().map(setting).collect(),
            host: Scripted::new(argv),
        }
    }

    fn observe(
        &self,
        cases: &[&Case],
        setting: &Setting,
        bench: &Bench,
    ) -> Result<Attempt, Outcome> {
        let Some(joint) = Joint::of(&DIALECT, cases) else { return Ok(Joint::foreign()) };
        let answer = self.host.ask(&request(&joint.source, setting), bench)?;
        if let Some(complaint) = Complaint::of(&answer) {
            return Err(match complaint.is_limit && cases.len() == 1 {
                true => Outcome::Unobserved {
                    why: format!("a documented limit: {}", complaint.message()),
                },
                false => complaint.outcome,
            });
        }
        let contract = answer.pointer("/contracts/judged/Judged/evm").ok_or(Outcome::NoArtifact)?;
        let code = contract.pointer("/bytecode/object").and_then(Value::as_str).unwrap_or_default();
        let code = bytes(code).filter(|code| !code.is_empty()).ok_or(Outcome::NoArtifact)?;
        let mut machine = Machine::load(&code).map_err(contract::broken)?;
        let methods = contract.get("methodIdentifiers").unwrap_or(&Value::Null);
        let head = |_, entry: &_| contract::selector(entry, methods);
        let outcomes = contract::call(&joint, head, |input| machine.call(&input))?;
        Ok(joint.observed(cases.len(), setting, outcomes))
    }
}

fn request(source: &str, setting: &Setting) -> Value {
    json!({
        "language": "Solidity",
        "sources": { "judged": { "content": source } },
        "settings": {
            "optimizer": { "enabled": true, "mode": setting.value("opt").unwrap_or("z") },
            "outputSelection": { "*": { "*": ["abi", "evm.methodIdentifiers"] } },
        },
    })
}

impl Target for ResolcTarget {
    fn name(&self) -> &TargetName {
        &self.name
    }

    fn language(&self) -> &Language {
        &self.language
    }

    fn settings(&self) -> &[Setting] {
        &self.settings
    }

    /// The behaviour is known, so that one setting is enough to see that it is wrong: they take turns.
    fn settings_for(&self, cases: &[Case]) -> Vec<Setting> {
        let turn = cases.first().map_or(0, |case| case.ticket.index / BATCH as u64) as usize;
        self.settings.get(turn % self.settings.len().max(1)).cloned().into_iter().collect()
    }

    fn takes(&self, method: &str) -> bool {
        joint::is_of_it(method)
    }

    fn batch_size(&self) -> usize {
        BATCH
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        self.observe(cases, setting, bench).unwrap_or_else(Attempt::Together)
    }

    fn axes(&self, _case: &Case, setting: &Setting, _bench: &Bench) -> Vec<Axis> {
        let end = MODES.iter().position(|mode| setting.value("opt") == Some(mode)).unwrap_or(0);
        let point =
            |mode: &&str| Point { label: (*mode).to_owned(), setting: setting.with("opt", mode) };
        let points: Vec<Point> = MODES[..=end].iter().map(point).collect();
        if points.len() > 1 { vec![Axis { name: "opt".to_owned(), points }] } else { vec![] }
    }

    fn by_hand(&self, program: &Program, _input: &Input, setting: &Setting) -> ByHand {
        let request = request(&program.source, setting).to_string();
        let script = "request=$1; shift; printf '%s\\n' \"$request\" | \"$@\"";
        let folder = self.folder.display().to_string();
        let words = ["sh", "-c", script, "sh", &request, "node", "-e", SCRIPT, &folder];
        ByHand::Answer(words.map(str::to_owned).to_vec())
    }

    fn probe(&self, bench: &Bench) -> Result<String, Unusable> {
        let unusable = |what: String| Unusable(format!("target `{}`: {what}", self.name));
        match self.host.ask(&request("contract Judged { }", &self.settings[0]), bench) {
            Ok(answer) => match Complaint::of(&answer) {
                None => Ok(self.name.to_string()),
                Some(complaint) => Err(unusable(complaint.message())),
            },
            Err(outcome) => Err(unusable(format!(
                "{outcome}; it needs Node.js and the npm packages @parity/resolc and solc in {}",
                self.folder.display()
            ))),
        }
    }
}
