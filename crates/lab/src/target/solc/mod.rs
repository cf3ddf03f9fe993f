//! solc from npm, for Solidity and for Yul. A batch of functions is one contract, which is executed by the EVM in this
//! process. Contracts with state are compiled and executed by `contracts.rs`. The settings are in `settings.rs`, the
//! classification of errors in `diagnostic.rs`.

mod artifacts;
mod contracts;
pub(super) mod diagnostic;
mod settings;
mod sources;

use std::cell::RefCell;
use std::path::PathBuf;
use std::time::Duration;

use expression::Dialect;
use expression::languages::{solidity, yul};
use forge::{Case, Feedback, Input, Interface, Outcome, Program};
use serde_json::{Value, json};

use super::contract;
use super::joint::Joint;
use super::scripted::Scripted;
use super::text::{self, Surveyed};
use super::{
    Attempt, Axis, Batch, Bench, ByHand, PassControl, Reads, Spec, Target, TargetName, Unusable,
    require_version, version_order,
};
use crate::coverage::{Measure, Package, Unmeasured, WasmMaker};
use crate::setting::Setting;
use crate::vm::evm::word;

use contracts::Contracts;
use diagnostic::Diagnostic;

pub(super) const SCRIPT: &str = include_str!("../scripts/solc.js");

/// The first supported versions. Earlier ones have no standard JSON interface, or none for Yul.
const FIRST: &str = "0.4.11";
const FIRST_OF_YUL: &str = "0.5.7";

/// The first version that compiles the functions of `expression`.
const FIRST_OF_FUNCTIONS: &str = "0.5.0";

/// The language of contracts by version: that of the last row whose first version is not newer.
const FAMILIES: &[(&str, &str)] = &[
    ("0.4.11", "solidity-0.4"),
    ("0.4.24", "solidity-0.4.24"),
    ("0.5.0", "solidity-0.5"),
    ("0.6.0", "solidity-0.6"),
    ("0.6.9", "solidity-0.6.9"),
    ("0.7.0", "solidity-0.7"),
    ("0.7.1", "solidity-0.7.1"),
    ("0.8.0", "solidity-0.8"),
    ("0.8.8", "solidity-0.8.8"),
    ("0.8.11", "solidity-0.8.11"),
    ("0.8.29", "solidity"),
];

/// Measured: with more programs per batch, little time is saved per program, and one that cannot be compiled costs
/// much.
const BATCH: usize = 24;

/// Measured for small contracts: ten in one run take a quarter of the time of ten runs without the optimiser, half of
/// it through IR; forty save little more.
const CONTRACTS: usize = 12;

/// A solver that needs more time for one contract is not waited for. A request may take a small multiple of it.
const SOLVER: Duration = Duration::from_secs(3);

/// solc at a version, for Solidity or Yul.
#[derive(Debug)]
pub struct SolcTarget {
    spec: Spec,
    dialect: &'static Dialect,
    folder: PathBuf,
    host: Scripted,
}

impl SolcTarget {
    /// The Solidity compiler at a version, whose folder has the package in `node_modules`.
    pub fn new(version: &str, folder: PathBuf) -> Self {
        let old = version_order(Some(version)) < version_order(Some("0.8.0"));
        let dialect = if old { &solidity::OLD } else { &solidity::DIALECT };
        Self::with("solc", dialect, version, folder)
    }

    /// The same package as a Yul compiler.
    pub fn yul(version: &str, folder: PathBuf) -> Self {
        Self::with("yul", &yul::DIALECT, version, folder)
    }

    fn with(family: &str, dialect: &'static Dialect, version: &str, folder: PathBuf) -> Self {
        let argv = ["node", "-e", SCRIPT].map(str::to_owned);
        let argv = argv.into_iter().chain([folder.display().to_string()]).collect();
        let maker = WasmMaker::new(Package {
            folder: folder.clone(),
            file: "node_modules/solc/soljson.js",
            loads: "node_modules/solc",
        });
        let is_yul = dialect.name == yul::DIALECT.name;
        let (all, mut occasional) =
            (settings::all(version, is_yul), settings::occasional(version, is_yul));
        let smt = if is_yul { vec![] } else { settings::of_smt(version) };
        let schedule = settings::schedule(&all, &occasional, &smt);
        occasional.extend(smt);
        let spec = Spec {
            name: TargetName::new(family, Some(version)),
            reads: reads(dialect, version, is_yul),
            schedule,
            settings: all,
            occasional,
        };
        Self { spec, dialect, folder, host: Scripted::new(argv).measured_by(maker) }
    }

    fn is_yul(&self) -> bool {
        self.dialect.name == yul::DIALECT.name
    }

    fn source_language(&self) -> &'static str {
        if self.is_yul() { "Yul" } else { "Solidity" }
    }

    fn request(&self, source: &str, setting: &Setting) -> Value {
        let mut settings = settings::json(setting);
        let selection = ["evm.bytecode.object", "evm.methodIdentifiers"];
        // Yul has no methods, and old versions reject the selection.
        let selection = if self.is_yul() { &selection[..1] } else { &selection[..] };
        settings["outputSelection"] = json!({ "*": { "*": selection } });
        json!({
            "language": self.source_language(),
            "sources": { "judged": { "content": source } },
            "settings": settings,
        })
    }

    fn compile(&self, source: &str, setting: &Setting, bench: &Bench) -> Result<Value, Diagnostic> {
        let answer = self.host.ask(&self.request(source, setting), bench);
        let answer = answer.map_err(Diagnostic::other)?;
        if let Some(diagnostic) = Diagnostic::of(&answer) {
            return Err(diagnostic);
        }
        let contracts = answer.pointer("/contracts/judged").and_then(Value::as_object);
        let contract = contracts.and_then(|all| all.values().next()).and_then(|it| it.get("evm"));
        contract.cloned().ok_or(Diagnostic::other(Outcome::NoArtifact))
    }

    /// The outcome of compiling a program that is not entered.
    fn survey(&self, program: &Program, setting: &Setting, bench: &Bench) -> Surveyed {
        let version = self.spec.name.version.as_deref().unwrap_or_default();
        let feedback = RefCell::new(None);
        let ask = |request: &Value| {
            let (answer, measured) = self.host.ask_measured(request, bench);
            *feedback.borrow_mut() = measured;
            answer
        };
        let outcome = Contracts { version, setting, ask: &ask }.survey(program);
        Surveyed { outcome, feedback: feedback.into_inner() }
    }

    /// The code of a text, as solc prints it, and the coverage that was measured if the bench asks for it.
    ///
    /// # Errors
    /// The outcome of a failed compilation.
    pub fn code_of_text(
        &self,
        source: &str,
        setting: &Setting,
        bench: &Bench,
    ) -> (Result<String, Outcome>, Option<Feedback>) {
        let (answer, feedback) = self.host.ask_measured(&self.request(source, setting), bench);
        let code = answer.and_then(|answer| match Diagnostic::of(&answer) {
            Some(diagnostic) => Err(diagnostic.outcome),
            None => answer.get("contracts").map(Value::to_string).ok_or(Outcome::NoArtifact),
        });
        (code, feedback)
    }

    /// The outcome of each call.
    fn run(&self, joint: &Joint, contract: &Value) -> Result<Vec<Outcome>, Outcome> {
        let code = contract.pointer("/bytecode/object").and_then(Value::as_str).unwrap_or_default();
        contract::run(joint, code, |number, entry| {
            if self.is_yul() {
                return Some(word(&number.into()).to_vec());
            }
            contract::selector(entry, contract.get("methodIdentifiers")?)
        })
    }
}

/// The bench for runs with a solver, which often does not end.
fn with_patience(bench: &Bench) -> Bench {
    let mut bench = bench.clone();
    bench.compile.wall = bench.compile.wall.min(SOLVER);
    bench
}

/// What a version reads: contracts, and the functions of a dialect if it is new enough.
fn reads(dialect: &Dialect, version: &str, is_yul: bool) -> Vec<Reads> {
    let is_from = |first: &str| version_order(Some(version)) >= version_order(Some(first));
    let contracts = FAMILIES.iter().rfind(|(first, _)| !is_yul && is_from(first));
    let contracts = contracts
        .map(|(_, language)| Reads::new(language, Interface::Contract, Batch::of(CONTRACTS)));
    let functions = Joint::reads(dialect, BATCH).into_iter();
    let functions = functions.filter(|_| is_from(FIRST_OF_FUNCTIONS) || contracts.is_none());
    let texts = contracts.as_ref().map(|it| text::reads(it.language.name()));
    functions.collect::<Vec<_>>().into_iter().chain(contracts).chain(texts).collect()
}

/// The language without the last part of its version: `solidity-0.8.11` is of 0.8, as is the newest one.
fn series(language: &str) -> Option<&str> {
    let version = match language.split_once('-') {
        Some(("solidity", version)) => version,
        None if language == "solidity" => "0.8",
        _ => return None,
    };
    version.match_indices('.').nth(1).map_or(Some(version), |(at, _)| version.get(..at))
}

impl SolcTarget {
    /// Contracts of another version of the language mean something else, or nothing. Those of the newest one may use
    /// nothing new.
    fn require_language(&self, program: &Program) -> Result<(), Unusable> {
        let mut known = self.spec.reads.iter().filter(|it| it.interface == Interface::Contract);
        let wanted = &program.language;
        let reads = |it: &Reads| {
            it.language == *wanted || series(it.language.name()) == series(wanted.name())
        };
        if program.interface != Interface::Contract || known.any(reads) {
            return Ok(());
        }
        Err(Unusable(format!("target `{}`: it does not read {wanted}", self.spec.name)))
    }
}

impl Target for SolcTarget {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn passes(&self) -> Option<&dyn PassControl> {
        Some(self)
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        let of_contract =
            |case: &&Case| case.programs.iter().any(|it| it.interface == Interface::Contract);
        if cases.iter().any(of_contract) {
            let version = self.spec.name.version.as_deref().unwrap_or_default();
            let bench = match settings::Smt::of(setting) {
                Some(settings::Smt::Solve(_)) => &with_patience(bench),
                _ => bench,
            };
            let ask = |request: &Value| self.host.ask(request, bench);
            return Contracts { version, setting, ask: &ask }.attempt(cases);
        }
        if let Some(attempt) =
            text::attempt(cases, setting, |program| self.survey(program, setting, bench))
        {
            return attempt;
        }
        contract::attempt(self.dialect, cases, setting, |joint| {
            let contract = self.compile(&joint.source, setting, bench)?;
            self.run(joint, &contract).map_err(Diagnostic::other)
        })
    }

    fn coverage(&self, bench: &Bench) -> Result<Measure, Unmeasured> {
        self.host.coverage(bench)
    }

    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand {
        Joint::by_hand(&self.spec.name, program, input, setting)
    }

    fn probe(&self, program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        require_version(&self.spec.name, if self.is_yul() { FIRST_OF_YUL } else { FIRST })?;
        program.map_or(Ok(()), |program| self.require_language(program))?;
        // An empty contract, which every version compiles.
        let source = match self.is_yul() {
            true => "{ }",
            false => "contract Judged { }",
        };
        let unusable = |what: String| Unusable(format!("target `{}`: {what}", self.spec.name));
        match self.host.ask(&self.request(source, &self.spec.settings[0]), bench) {
            Ok(answer) => match Diagnostic::of(&answer) {
                None => {
                    let TargetName { family, version } = &self.spec.name;
                    Ok(format!("{family} {}", version.as_deref().unwrap_or_default()))
                }
                Some(diagnostic) => Err(unusable(diagnostic.message())),
            },
            Err(outcome) => Err(unusable(format!(
                "{outcome}; it needs Node.js and the npm package solc in {}",
                self.folder.display()
            ))),
        }
    }
}

impl PassControl for SolcTarget {
    fn axes(&self, _case: &Case, setting: &Setting, _bench: &Bench) -> Vec<Axis> {
        let version = self.spec.name.version.as_deref().unwrap_or_default();
        settings::axes(version, setting).into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contracts_are_read_by_compilers_of_their_version() {
        let reads = |version: &str, language: &str| {
            let target = SolcTarget::new(version, PathBuf::new());
            let program = Program {
                name: "base".to_owned(),
                language: forge::Language::new(language),
                interface: Interface::Contract,
                source: String::new(),
            };
            target.require_language(&program).is_ok()
        };
        assert!(reads("0.7.6", "solidity-0.7") && !reads("0.8.0", "solidity-0.7"));
        assert!(!reads("0.7.6", "solidity-0.8") && !reads("0.7.6", "solidity"));
        for version in ["0.8.0", "0.8.27", "0.8.28"] {
            assert!(reads(version, "solidity-0.8") && reads(version, "solidity"), "{version}");
        }
    }

    #[test]
    fn unsupported_versions_are_rejected() {
        let rejection = |target: SolcTarget| {
            let first = if target.is_yul() { FIRST_OF_YUL } else { FIRST };
            require_version(&target.spec.name, first).err().map(|it| it.0)
        };
        let solc = |version: &str| rejection(SolcTarget::new(version, PathBuf::new()));
        let yul = |version: &str| rejection(SolcTarget::yul(version, PathBuf::new()));
        let message = "target `solc@0.4.10`: too old: it needs solc@0.4.11 or newer";
        assert_eq!(solc("0.4.10").as_deref(), Some(message));
        assert_eq!((solc("0.4.11"), solc("0.8.37")), (None, None));
        assert!(yul("0.5.6").is_some() && yul("0.5.7").is_none());
    }
}
