//! The programs of a batch as a contract: loaded once, and called for every program and input.

use forge::Outcome;
use forge::expression::Entry;
use serde_json::Value;

use super::joint::{Call, Joint};
use crate::machine::evm::{End, Machine, bytes, word};

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
