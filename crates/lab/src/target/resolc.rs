//! resolc from npm, which compiles Solidity for PolkaVM through solc and LLVM. A batch is one contract, which is
//! executed by PolkaVM in this process. Its errors have the format of solc's.

use std::path::PathBuf;

use expression::languages::solidity::DIALECT;
use forge::{Case, Input, Outcome, Program};
use serde_json::{Value, json};

use super::contract;
use super::joint::Joint;
use super::scripted::Scripted;
use super::solc::diagnostic::Diagnostic;
use super::{
    Attempt, Axis, Bench, ByHand, PassControl, Rotation, Schedule, Spec, Target, TargetName,
    Unusable,
};
use crate::setting::Setting;
use crate::vm::evm::bytes;
use crate::vm::polka::PolkaVm;

const SCRIPT: &str = include_str!("scripts/resolc.js");

/// LLVM's levels.
const MODES: &[&str] = &["0", "1", "2", "3", "s", "z"];

/// Disables V8's optimising tier. Optimising resolc's 44 MB of wasm takes four times as long as compiling a small
/// contract.
const BASELINE_ONLY: &str = "--liftoff-only";

/// At level 0, all functions of a batch become one whose frame exceeds the default stack.
const STACK: u32 = 1 << 20;

/// The default heap size.
const HEAP: u32 = 1 << 16;

/// Measured: a compilation has a fixed cost of about 2 s, and each program adds about 0.25 s, some much more at
/// LLVM's higher levels.
const BATCH: usize = 24;

/// resolc at a version.
#[derive(Debug)]
pub struct ResolcTarget {
    spec: Spec,
    folder: PathBuf,
    host: Scripted,
}

impl ResolcTarget {
    /// The compiler at a version, whose folder has the package and solc in `node_modules`.
    pub fn new(version: &str, folder: PathBuf) -> Self {
        let argv = ["node", BASELINE_ONLY, "-e", SCRIPT].map(str::to_owned);
        let argv = argv.into_iter().chain([folder.display().to_string()]).collect();
        let setting = |mode: &&str| Setting::of(vec![("opt".to_owned(), (*mode).to_owned())]);
        let settings: Vec<Setting> = MODES.iter().map(setting).collect();
        // The script reuses solc's output for all levels, so each batch gets a lower and a higher one.
        let (lower, higher) = settings.split_at(settings.len() / 2);
        let spec = Spec {
            name: TargetName::new("resolc", Some(version)),
            reads: Joint::reads(&DIALECT, BATCH),
            schedule: Schedule::Turns(vec![Rotation::pairs(1, lower, higher)]),
            settings,
            occasional: vec![],
        };
        Self { spec, folder, host: Scripted::new(argv) }
    }

    fn compile_and_run(
        &self,
        joint: &Joint,
        setting: &Setting,
        bench: &Bench,
    ) -> Result<Vec<Outcome>, Diagnostic> {
        let answer = self.host.ask(&request(&joint.source, setting), bench);
        let answer = answer.map_err(Diagnostic::other)?;
        if let Some(diagnostic) = Diagnostic::of(&answer) {
            return Err(diagnostic);
        }
        run(joint, &answer).map_err(Diagnostic::other)
    }
}

/// The outcome of each call of the emitted code.
fn run(joint: &Joint, answer: &Value) -> Result<Vec<Outcome>, Outcome> {
    let contract = answer.pointer("/contracts/judged/Judged/evm").ok_or(Outcome::NoArtifact)?;
    let code = contract.pointer("/bytecode/object").and_then(Value::as_str).unwrap_or_default();
    let code = bytes(code).filter(|code| !code.is_empty()).ok_or(Outcome::NoArtifact)?;
    let mut vm = PolkaVm::load(&code).map_err(contract::broken)?;
    let methods = contract.get("methodIdentifiers").unwrap_or(&Value::Null);
    let head = |_, entry: &_| contract::selector(entry, methods);
    contract::call(joint, head, |input| vm.call(&input))
}

fn request(source: &str, setting: &Setting) -> Value {
    json!({
        "language": "Solidity",
        "sources": { "judged": { "content": source } },
        "settings": {
            "optimizer": { "enabled": true, "mode": setting.value("opt").unwrap_or("z") },
            "outputSelection": { "*": { "*": ["abi", "evm.methodIdentifiers"] } },
            "polkavm": {
                "memory_config": { "heap_size": HEAP, "stack_size": STACK },
                "debug_information": false,
            },
        },
    })
}

impl Target for ResolcTarget {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn passes(&self) -> Option<&dyn PassControl> {
        Some(self)
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        contract::attempt(&DIALECT, cases, setting, |joint| {
            self.compile_and_run(joint, setting, bench)
        })
    }

    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand {
        Joint::by_hand(&self.spec.name, program, input, setting)
    }

    fn probe(&self, _program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        let unusable = |what: String| Unusable(format!("target `{}`: {what}", self.spec.name));
        match self.host.ask(&request("contract Judged { }", &self.spec.settings[0]), bench) {
            Ok(answer) => match Diagnostic::of(&answer) {
                None => Ok(self.spec.name.to_string()),
                Some(diagnostic) => Err(unusable(diagnostic.message())),
            },
            Err(outcome) => Err(unusable(format!(
                "{outcome}; it needs Node.js and the npm packages @parity/resolc and solc in {}",
                self.folder.display()
            ))),
        }
    }
}

impl PassControl for ResolcTarget {
    fn axes(&self, _case: &Case, setting: &Setting, _bench: &Bench) -> Vec<Axis> {
        Axis::of_options(&self.spec.settings, setting)
    }
}
