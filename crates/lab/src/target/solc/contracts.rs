//! Contracts with state: compiles the cases of a batch in one run of solc, each with its own files, and executes their
//! transactions on a chain in this process.
//!
//! Programs that must be rejected are analysed one by one, which costs hardly more than together. Under settings with
//! the SMT checker, only cases that promise survival are observed.

use std::collections::BTreeMap;

use forge::{Behaviour, Case, Input, Observation, Outcome, Program, Promise, Reason};
use serde_json::{Value, json};

use super::artifacts::Artifacts;
use super::diagnostic::Diagnostic;
use super::settings::{self, Smt};
use super::sources::Unit;
use crate::setting::Setting;
use crate::target::{Attempt, Seen};
use crate::version::version_order;
use crate::vm::chain::{self, NotRun, Transaction};

/// Measured: more contracts per run with the SMT checker save no time.
const SMT_BATCH: usize = 8;
// A solver gets one at a time, because one on which it does not end would spoil the others.

/// How contract cases are compiled: the version, the setting, and how to ask the compiler.
pub(super) struct Contracts<'a> {
    pub(super) version: &'a str,
    pub(super) setting: &'a Setting,
    /// Answers a standard JSON input.
    pub(super) ask: &'a dyn Fn(&Value) -> Result<Value, Outcome>,
}

/// What is requested of the compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wanted {
    Code,
    Analysis,
    Smt(Smt),
}

/// What becomes of a contract on which the solver does not end.
fn endless() -> Outcome {
    Outcome::Unobserved(Reason::Limit("the solver did not end".to_owned()))
}

fn is_endless(observation: &Observation) -> bool {
    observation.outcome == endless()
}

impl Contracts<'_> {
    pub(super) fn attempt(&self, cases: &[&Case]) -> Attempt {
        let smt = Smt::of(self.setting);
        let mut each = vec![Seen::default(); cases.len()];
        let chosen = |wanted: fn(&Promise) -> bool| {
            (0..cases.len()).filter(|&at| wanted(&cases[at].promise)).collect::<Vec<usize>>()
        };
        if let Some(smt) = smt {
            let survivors = chosen(|promise| *promise == Promise::Survives);
            let together = if smt == Smt::Encode { SMT_BATCH } else { 1 };
            let mut parts = survivors.chunks(together);
            for part in parts.by_ref() {
                if let Err(failed) = self.observe(cases, part.to_vec(), Wanted::Smt(smt), &mut each)
                {
                    return failed;
                }
                // Neighbours share a template, so the solver does not end on them either.
                if part.iter().any(|&at| each[at].observations.iter().any(is_endless)) {
                    break;
                }
            }
            for &at in parts.flatten() {
                each[at].observations.push(self.observation(0, None, endless()));
            }
            return Attempt::Each(each);
        }
        for at in chosen(|promise| *promise == Promise::Rejects) {
            if let Err(failed) = self.observe(cases, vec![at], Wanted::Analysis, &mut each) {
                return failed;
            }
        }
        let rest = chosen(|promise| *promise != Promise::Rejects);
        match self.observe(cases, rest, Wanted::Code, &mut each) {
            Ok(()) => Attempt::Each(each),
            Err(failed) => failed,
        }
    }

    /// The outcome of compiling a program alone, without running it.
    pub(super) fn survey(&self, program: &Program) -> Outcome {
        let wanted = Smt::of(self.setting).map_or(Wanted::Code, Wanted::Smt);
        match self.compile(&[Unit::alone(program)], wanted) {
            Ok(_) => Outcome::Accepted,
            Err(it) if it.is_limit => Outcome::Unobserved(Reason::Limit(it.message())),
            Err(it) => it.outcome,
        }
    }

    /// Observes the cases at these indices. If a diagnostic points at one of them, it is removed and the rest is tried
    /// again. If it points nowhere, the batch has failed as a whole.
    fn observe(
        &self,
        cases: &[&Case],
        mut left: Vec<usize>,
        wanted: Wanted,
        each: &mut [Seen],
    ) -> Result<(), Attempt> {
        while !left.is_empty() {
            let batch: Vec<&Case> = left.iter().map(|&at| cases[at]).collect();
            let units = Unit::of(&batch);
            let diagnostic = match self.compile(&units, wanted) {
                Ok(artifacts) => {
                    for unit in &units {
                        let inputs = &batch[unit.case].inputs;
                        let seen = &mut each[left[unit.case]].observations;
                        seen.extend(self.observations(unit, inputs, artifacts.as_ref()));
                    }
                    return Ok(());
                }
                Err(diagnostic) => diagnostic,
            };
            let located = diagnostic.file.as_deref();
            let located = located.and_then(|file| units.iter().find(|unit| unit.has(file)));
            let culprit = located.or(units.first().filter(|_| batch.len() == 1));
            let limit = || Reason::Limit(diagnostic.message());
            let outcome = match culprit {
                _ if diagnostic.is_limit => Outcome::Unobserved(limit()),
                _ => diagnostic.outcome.clone(),
            };
            let Some(culprit) = culprit else {
                return Err(match diagnostic.is_limit {
                    true => Attempt::TooMuch(limit()),
                    false => Attempt::Together(outcome),
                });
            };
            let at = left.remove(culprit.case);
            each[at].observations.push(self.observation(culprit.program, None, outcome));
        }
        Ok(())
    }

    fn observation(&self, program: usize, input: Option<usize>, outcome: Outcome) -> Observation {
        Observation { program, setting: self.setting.name.clone(), input, outcome }
    }

    /// Compiles programs. Without code, there are no artifacts.
    fn compile(&self, units: &[Unit], wanted: Wanted) -> Result<Option<Artifacts>, Diagnostic> {
        let answer = (self.ask)(&self.request(units, wanted)).map_err(|outcome| match wanted {
            // A solver may take any time, and any memory.
            Wanted::Smt(Smt::Solve(_))
                if matches!(outcome, Outcome::Hung { .. } | Outcome::Exhausted { .. }) =>
            {
                Diagnostic::other(endless())
            }
            Wanted::Code | Wanted::Analysis | Wanted::Smt(_) => Diagnostic::other(outcome),
        })?;
        match Diagnostic::of(&answer) {
            Some(diagnostic) => Err(diagnostic),
            None => Ok((wanted == Wanted::Code).then(|| Artifacts::of(&answer))),
        }
    }

    fn request(&self, units: &[Unit], wanted: Wanted) -> Value {
        let mut settings = settings::json(self.setting);
        let mut head = "";
        if let Wanted::Smt(smt) = wanted {
            head = settings::add_smt(&mut settings, self.version, smt);
        }
        let mut sources = BTreeMap::new();
        units.iter().for_each(|unit| unit.add_to(&mut sources, head));
        let sources = sources.into_iter().map(|(name, text)| (name, json!({ "content": text })));
        let remappings: Vec<String> = units.iter().flat_map(Unit::remappings).collect();
        if !remappings.is_empty() {
            settings["remappings"] = json!(remappings);
        }
        let selection: &[&str] = match wanted {
            Wanted::Code => &["evm.bytecode.object", "evm.bytecode.linkReferences"],
            Wanted::Analysis | Wanted::Smt(_) => &["abi"],
        };
        settings["outputSelection"] = json!({ "*": { "*": selection } });
        json!({
            "language": "Solidity",
            "sources": sources.collect::<serde_json::Map<_, _>>(),
            "settings": settings,
        })
    }

    /// What a program does on each input, or that it was accepted if there is nothing to run.
    fn observations(
        &self,
        unit: &Unit,
        inputs: &[Input],
        artifacts: Option<&Artifacts>,
    ) -> Vec<Observation> {
        let to_run = inputs.iter().any(|input| !input.arguments.is_empty());
        let Some(artifacts) = artifacts.filter(|_| to_run) else {
            return vec![self.observation(unit.program, None, Outcome::Accepted)];
        };
        let run = |(number, input): (usize, &Input)| {
            let outcome = self.run(unit, input, artifacts);
            self.observation(unit.program, Some(number), outcome)
        };
        inputs.iter().enumerate().map(run).collect()
    }

    /// Before 0.4.24, releases differ in which failures are reverts and which are invalid instructions.
    fn without_kinds(&self, text: String) -> String {
        if version_order(Some(self.version)) >= version_order(Some("0.4.24")) {
            return text;
        }
        let line = |line: &str| (if line == "halt" { "revert 0x" } else { line }).to_owned() + "\n";
        text.lines().map(line).collect()
    }

    fn run(&self, unit: &Unit, input: &Input, artifacts: &Artifacts) -> Outcome {
        let transactions = input.arguments.iter().map(|text| Transaction::parse(text));
        let transactions: Vec<Transaction> = match transactions.collect::<Result<_, _>>() {
            Ok(transactions) => transactions,
            Err(bad) => return Outcome::unobserved(bad.to_string()),
        };
        let rules = chain::rules(self.setting.value("evm"));
        match artifacts.run(rules, unit, &transactions) {
            Ok(text) => Outcome::Ran(Behaviour::Value(self.without_kinds(text))),
            Err(why @ (NotRun::OutOfGas | NotRun::Refused(_))) => {
                Outcome::unobserved(why.to_string())
            }
        }
    }
}
