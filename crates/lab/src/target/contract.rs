//! Runs a batch as one contract, which is deployed once and called for every program and input.

use expression::{Dialect, Entry};
use forge::{Case, Observation, Outcome, Reason};
use serde_json::Value;

use super::joint::{Call, Joint};
use super::solc::diagnostic::Diagnostic;
use super::{Attempt, Seen};
use crate::setting::Setting;
use crate::vm::evm::{End, Evm, bytes, word};

/// Compiles cases as one contract with `compile_and_run`, which returns the outcome of each call. If a diagnostic
/// points at a program (rejected, or beyond a limit), that program is removed and the rest is tried again: one more
/// run of the compiler, where splitting the batch would need many.
pub(super) fn attempt(
    dialect: &Dialect,
    cases: &[&Case],
    setting: &Setting,
    compile_and_run: impl Fn(&Joint) -> Result<Vec<Outcome>, Diagnostic>,
) -> Attempt {
    let mut each = vec![Seen::default(); cases.len()];
    let mut left: Vec<usize> = (0..cases.len()).collect();
    while !left.is_empty() {
        let batch: Vec<&Case> = left.iter().map(|&at| cases[at]).collect();
        let Some(joint) = Joint::of(dialect, &batch) else { return Joint::foreign() };
        let diagnostic = match compile_and_run(&joint) {
            Ok(outcomes) => {
                let Attempt::Each(seen) = joint.observed(batch.len(), setting, outcomes) else {
                    return Joint::foreign();
                };
                for (at, seen) in left.into_iter().zip(seen) {
                    each[at] = seen;
                }
                break;
            }
            Err(diagnostic) => diagnostic,
        };
        let culprit = match batch.len() {
            1 => Some(0),
            _ => diagnostic.place.and_then(|place| joint.case_at(place)),
        };
        let limit = || Reason::Limit(diagnostic.message());
        let outcome = if diagnostic.is_limit {
            if culprit.is_none() {
                return Attempt::TooMuch(limit());
            }
            Outcome::Unobserved(limit())
        } else if diagnostic.outcome.rejection().is_some() {
            diagnostic.outcome.clone()
        } else {
            return Attempt::Together(diagnostic.outcome);
        };
        if cases.len() == 1 {
            return Attempt::Together(outcome);
        }
        let Some(culprit) = culprit else { return Attempt::Together(diagnostic.outcome) };
        let (program, setting) = (0, setting.name.clone());
        let seen = &mut each[left.remove(culprit)].observations;
        seen.push(Observation { program, setting, input: None, outcome });
    }
    Attempt::Each(each)
}

/// The outcome of each call of an EVM contract, given its code in hexadecimal. `head` is the prefix of the call
/// data of an entry.
pub(super) fn run(
    joint: &Joint,
    code: &str,
    head: impl Fn(usize, &Entry) -> Option<Vec<u8>>,
) -> Result<Vec<Outcome>, Outcome> {
    let code = bytes(code).filter(|code| !code.is_empty()).ok_or(Outcome::NoArtifact)?;
    let evm = Evm::deploy(&code).map_err(broken)?;
    call(joint, head, |input| evm.call(input))
}

/// The outcome of each call of a contract, executed by `vm`.
pub(super) fn call(
    joint: &Joint,
    head: impl Fn(usize, &Entry) -> Option<Vec<u8>>,
    mut vm: impl FnMut(Vec<u8>) -> End,
) -> Result<Vec<Outcome>, Outcome> {
    let heads = joint.entries.iter().enumerate().map(|(number, entry)| head(number, entry));
    let heads = heads.collect::<Option<Vec<Vec<u8>>>>().ok_or(Outcome::NoArtifact)?;
    let call = |call: &Call| {
        let mut input = heads[call.entry].clone();
        input.extend(call.arguments.iter().flat_map(word));
        vm(input).outcome(joint.entries[call.entry].signature.result)
    };
    Ok(joint.calls.iter().map(call).collect())
}

/// Emitted code that cannot be loaded counts as a crash of the compiler.
pub(super) fn broken(error: impl std::error::Error) -> Outcome {
    Outcome::Crashed { signal: None, message: error.to_string(), frames: vec![] }
}

/// The four bytes that select the method of an entry, from a table by signature.
pub(super) fn selector(entry: &Entry, methods: &Value) -> Option<Vec<u8>> {
    let start = format!("{}(", entry.name);
    let (_, selector) = methods.as_object()?.iter().find(|(it, _)| it.starts_with(&start))?;
    // Some compilers write it as a number, without leading zeros.
    let digits = selector.as_str()?.trim_start_matches("0x");
    bytes(&format!("{digits:0>8}"))
}
