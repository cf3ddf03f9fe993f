//! resolc, which compiles Solidity through solc and LLVM for PolkaVM, as npm has it. Many programs are one
//! contract, which runs on PolkaVM in this process. What it complains of has the form of solc's errors.

use std::path::PathBuf;

use expression::languages::solidity::DIALECT;
use forge::{Case, Input, Outcome, Program};
use serde_json::{Value, json};

use super::contract;
use super::joint::Joint;
use super::scripted::Scripted;
use super::solc::complaint::Complaint;
use super::{
    Attempt, Axis, Bench, ByHand, PassControl, Rotation, Schedule, Spec, Target, TargetName,
    Unusable,
};
use crate::machine::evm::bytes;
use crate::machine::polka::Machine;
use crate::setting::Setting;

const SCRIPT: &str = include_str!("scripts/resolc.js");

/// LLVM's levels.
const MODES: &[&str] = &["0", "1", "2", "3", "s", "z"];

/// What to do with 44 MB of wasm: to optimise it takes four times as long as to compile a small contract.
const QUICK: &str = "--liftoff-only";

/// At level 0 the functions of a batch are one whose frame is larger than the usual stack.
const STACK: u32 = 1 << 20;

/// The heap as it is by default.
const HEAP: u32 = 1 << 16;

/// A compile has a price of its own, about 2 s, that many programs share; each adds a quarter of a second, and
/// some at the higher levels of LLVM much more.
const BATCH: usize = 24;

#[derive(Debug)]
pub struct ResolcTarget {
    spec: Spec,
    folder: PathBuf,
    host: Scripted,
}

impl ResolcTarget {
    /// The compiler at a version, whose folder has the package and solc in `node_modules`.
    pub fn new(version: &str, folder: PathBuf) -> Self {
        let argv = ["node", QUICK, "-e", SCRIPT].map(str::to_owned);
        let argv = argv.into_iter().chain([folder.display().to_string()]).collect();
        let setting = |mode: &&str| Setting::of(vec![("opt".to_owned(), (*mode).to_owned())]);
        let settings: Vec<Setting> = MODES.iter().map(setting).collect();
        // What solc makes of a source is the same for all levels: a batch has a lower and a higher one.
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

    fn judge(
        &self,
        joint: &Joint,
        setting: &Setting,
        bench: &Bench,
    ) -> Result<Vec<Outcome>, Complaint> {
        let answer = self.host.ask(&request(&joint.source, setting), bench);
        let answer = answer.map_err(Complaint::other)?;
        if let Some(complaint) = Complaint::of(&answer) {
            return Err(complaint);
        }
        run(joint, &answer).map_err(Complaint::other)
    }
}

/// What came of each call of what the compiler emitted.
fn run(joint: &Joint, answer: &Value) -> Result<Vec<Outcome>, Outcome> {
    let contract = answer.pointer("/contracts/judged/Judged/evm").ok_or(Outcome::NoArtifact)?;
    let code = contract.pointer("/bytecode/object").and_then(Value::as_str).unwrap_or_default();
    let code = bytes(code).filter(|code| !code.is_empty()).ok_or(Outcome::NoArtifact)?;
    let mut machine = Machine::load(&code).map_err(contract::broken)?;
    let methods = contract.get("methodIdentifiers").unwrap_or(&Value::Null);
    let head = |_, entry: &_| contract::selector(entry, methods);
    contract::call(joint, head, |input| machine.call(&input))
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
        contract::attempt(&DIALECT, cases, setting, |joint| self.judge(joint, setting, bench))
    }

    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand {
        Joint::by_hand(&self.spec.name, program, input, setting)
    }

    fn probe(&self, _program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        let unusable = |what: String| Unusable(format!("target `{}`: {what}", self.spec.name));
        match self.host.ask(&request("contract Judged { }", &self.spec.settings[0]), bench) {
            Ok(answer) => match Complaint::of(&answer) {
                None => Ok(self.spec.name.to_string()),
                Some(complaint) => Err(unusable(complaint.message())),
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
