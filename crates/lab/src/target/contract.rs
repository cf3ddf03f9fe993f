//! The programs of a batch as a contract: loaded once, and called for every program and input.

use expression::{Dialect, Entry};
use forge::{Case, Observation, Outcome, Reason};
use serde_json::Value;

use super::joint::{Call, Joint};
use super::solc::complaint::Complaint;
use super::{Attempt, Seen};
use crate::machine::evm::{End, Machine, bytes, word};
use crate::setting::Setting;

/// Shows cases to a compiler as one contract, and `judge` says what came of each call. A program that is
/// rejected or beyond a limit, and that the complaint points at, is left out, and the others are tried
/// again: that costs one more run of the compiler, and to look for it would cost many.
pub(super) fn attempt(
    dialect: &Dialect,
    cases: &[&Case],
    setting: &Setting,
    judge: impl Fn(&Joint) -> Result<Vec<Outcome>, Complaint>,
) -> Attempt {
    let mut each = vec![Seen::default(); cases.len()];
    let mut left: Vec<usize> = (0..cases.len()).collect();
    while !left.is_empty() {
        let shown: Vec<&Case> = left.iter().map(|&at| cases[at]).collect();
        let Some(joint) = Joint::of(dialect, &shown) else { return Joint::foreign() };
        let complaint = match judge(&joint) {
            Ok(outcomes) => {
                let Attempt::Each(seen) = joint.observed(shown.len(), setting, outcomes) else {
                    return Joint::foreign();
                };
                for (at, seen) in left.into_iter().zip(seen) {
                    each[at] = seen;
                }
                break;
            }
            Err(complaint) => complaint,
        };
        let culprit = match shown.len() {
            1 => Some(0),
            _ => complaint.place.and_then(|place| joint.case_at(place)),
        };
        let limit = || Reason::Limit(complaint.message());
        let outcome = match &complaint.outcome {
            _ if complaint.is_limit && culprit.is_none() => {
                return Attempt::TooMuch(limit());
            }
            _ if complaint.is_limit => Outcome::Unobserved(limit()),
            Outcome::Rejected { .. } => complaint.outcome.clone(),
            _ => return Attempt::Together(complaint.outcome),
        };
        if cases.len() == 1 {
            return Attempt::Together(outcome);
        }
        let Some(culprit) = culprit else { return Attempt::Together(complaint.outcome) };
        let (program, setting) = (0, setting.name.clone());
        let seen = &mut each[left.remove(culprit)].observations;
        seen.push(Observation { program, setting, input: None, outcome });
    }
    Attempt::Each(each)
}

/// What came of each call of a contract for the EVM, in hexadecimal digits. `head` is what the data of a
/// call of an entry begins with.
pub(super) fn run(
    joint: &Joint,
    code: &str,
    head: impl Fn(usize, &Entry) -> Option<Vec<u8>>,
) -> Result<Vec<Outcome>, Outcome> {
    let code = bytes(code).filter(|code| !code.is_empty()).ok_or(Outcome::NoArtifact)?;
    let machine = Machine::deploy(&code).map_err(broken)?;
    call(joint, head, |input| machine.call(input))
}

/// What came of each call of a contract on any machine.
pub(super) fn call(
    joint: &Joint,
    head: impl Fn(usize, &Entry) -> Option<Vec<u8>>,
    mut machine: impl FnMut(Vec<u8>) -> End,
) -> Result<Vec<Outcome>, Outcome> {
    let heads = joint.entries.iter().enumerate().map(|(number, entry)| head(number, entry));
    let heads = heads.collect::<Option<Vec<Vec<u8>>>>().ok_or(Outcome::NoArtifact)?;
    let call = |call: &Call| {
        let mut input = heads[call.entry].clone();
        input.extend(call.arguments.iter().flat_map(word));
        machine(input).outcome(joint.entries[call.entry].signature.result)
    };
    Ok(joint.calls.iter().map(call).collect())
}

/// Code that cannot even be loaded is a failure of the compiler.
pub(super) fn broken(error: impl std::error::Error) -> Outcome {
    Outcome::Crashed { signal: None, message: error.to_string(), frames: vec![] }
}

/// The four bytes that select the method of an entry, from a table by signature.
pub(super) fn selector(entry: &Entry, methods: &Value) -> Option<Vec<u8>> {
    let start = format!("{}(", entry.name);
    let (_, selector) = methods.as_object()?.iter().find(|(it, _)| it.starts_with(&start))?;
    // Some compilers write it as a number, without the zeros that it begins with.
    let digits = selector.as_str()?.trim_start_matches("0x");
    bytes(&format!("{digits:0>8}"))
}
