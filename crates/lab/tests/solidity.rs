//! Generated contracts and real solc: programs that are invalid by one attribute are rejected for that reason, and
//! storage is laid out as the interpreter assumes.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

mod installed;
// Few of its functions are used here.
#[expect(dead_code, reason = "shared with other tests")]
mod judging;

use std::io::Write as _;
use std::process::{Command, Stdio};

use forge::{Case, Outcome, Reason};
use lab::target::solc::SolcTarget;
use lab::target::{Target, batch};
use methods::named;
use serde_json::{Value, json};
use solidity::View;
use solidity::model::Template;

use judging::bench;

/// Versions of solc, each with the suffix of its methods.
const VERSIONS: &[(&str, &str)] =
    &[("0.8.37", ""), ("0.8.19", "-0.8.11"), ("0.7.6", "-0.7.1"), ("0.6.12", "-0.6.9")];

/// Others, in which only valid programs are compiled: some accept what later releases reject.
const FIRST: &[(&str, &str)] = &[("0.8.8", "-0.8.8"), ("0.6.0", "-0.6"), ("0.5.17", "-0.5")];

/// What solc says about a violation, by the start of our reason.
const SAID: &[(&str, &[&str])] = &[
    ("a parameter of an external function", &["Data location must be"]),
    ("a parameter has no data location", &["Data location must be"]),
    ("a view function changes", &["declared as view"]),
    ("a pure function reads", &["declared as pure"]),
    ("an internal function is payable", &["cannot be payable"]),
    ("an external function is called", &["Undeclared identifier"]),
    ("an internal function is called", &["not found or not visible"]),
    (
        "a virtual function is private",
        &["cannot be used together", "private", "visibility differs"],
    ),
    ("an overriding function does not", &["missing \"override\""]),
    ("a function that is overridden", &["non-virtual"]),
    ("a function overrides nothing", &["does not override anything"]),
    ("a public function is overridden", &["visibility differs"]),
    ("a function that is not payable is overridden", &["changes state mutability"]),
    ("a constant has no value", &["Uninitialized \"constant\""]),
    ("a constant is written", &["Cannot assign to a constant", "non-constant storage"]),
    ("an immutable is written", &["mmutable", "storage variables"]),
    ("a transient variable", &["Initialization of transient"]),
    ("a value does not convert", &["not implicitly convertible"]),
    ("an array in memory", &["not implicitly convertible"]),
    ("a storage pointer", &["not implicitly convertible"]),
    ("a calldata pointer", &["not implicitly convertible"]),
    ("calldata is written", &["Calldata arrays are read-only"]),
    ("the bases of a contract", &["Linearization"]),
    ("an abstract contract", &["abstract contract"]),
    ("a function that is not payable is called", &["\"value\""]),
    ("an unchecked block", &["cannot be nested"]),
    ("a private function is overridden", &["non-virtual", "private", "visibility differs"]),
    ("a function outside of contracts", &["defined twice"]),
    ("an array whose elements", &["Index range access is not supported"]),
    (
        "an overriding function has a parameter",
        // The body may not fit the other location, either.
        &["Data locations of parameters", "read-only", "implicitly convertible", "to calldata"],
    ),
];

/// The number of programs per version: a few, or `MISTRUST_CONTRACTS`.
fn count() -> u64 {
    std::env::var("MISTRUST_CONTRACTS").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

fn cases(method: &str, count: u64) -> Vec<Case> {
    let method = named(method).unwrap();
    (0..count).filter_map(|index| method.make(&method.ticket(5, index))).collect()
}

/// Bugs of solc: 0.6.5 to 0.7 recognise only plain assignments of immutables; 0.6.9 to 0.8.13 let an overriding function have
/// parameters in other locations.
fn is_accepted(version: &str, reason: &str) -> bool {
    let immutable = version == "0.6.12" && reason.starts_with("an immutable is written");
    let location = reason.starts_with("an overriding function has a parameter");
    immutable || location && matches!(version, "0.6.12" | "0.7.6")
}

#[test]
fn programs_that_are_invalid_by_one_attribute_are_rejected_for_it() {
    for (version, suffix) in VERSIONS {
        let Some(installed) = installed::toolchain("solc", version) else { return };
        let target = SolcTarget::new(version, installed.folder().to_owned());
        let root = tempfile::tempdir().unwrap();
        let bench = bench(&root);
        let setting = target.spec().settings[0].clone();
        let cases = cases(&format!("solidity-invalid{suffix}"), count());
        assert!(cases.len() as u64 >= count() * 9 / 10, "{} cases", cases.len());
        for portion in batch::portions(&target, &cases) {
            let shown: Vec<&Case> = portion.iter().collect();
            let seen = batch::observe(&target, &shown, std::slice::from_ref(&setting), &bench);
            for (case, seen) in portion.iter().zip(&seen.observations) {
                let (reason, source) = (case.trail.last().unwrap(), &case.programs[0].source);
                let said = SAID.iter().find(|(start, _)| reason.starts_with(start)).unwrap().1;
                match &seen[0].outcome {
                    Outcome::Rejected { message } if said.iter().any(|it| message.contains(it)) => {
                    }
                    Outcome::Accepted if is_accepted(version, reason) => {}
                    // A constant index beyond the end of an array makes the same program invalid besides.
                    Outcome::Rejected { message } if message.contains("Out of bounds") => {}
                    outcome => panic!("{} {version}: {reason}: {outcome}\n{source}", case.origin),
                }
            }
        }
    }
}

/// What solc says of the storage of a contract: label, slot, and offset.
fn storage_of(answer: &Value, contract: &str) -> Vec<(String, String, u64)> {
    let layout = &answer["contracts"]["a"][contract]["storageLayout"]["storage"];
    let row = |it: &Value| {
        let text = |field: &str| it[field].as_str().unwrap().to_owned();
        (text("label"), text("slot"), it["offset"].as_u64().unwrap())
    };
    layout.as_array().unwrap().iter().map(row).collect()
}

#[test]
fn storage_is_laid_out_as_solc_does_it() {
    let Some(installed) = installed::toolchain("solc", "0.8.37") else { return };
    const SCRIPT: &str = include_str!("../src/target/scripts/solc.js");
    let mut node = Command::new("node");
    node.args(["-e", SCRIPT]).arg(installed.folder());
    let mut node = node.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let cases = cases("solidity", count());
    let mut input = node.stdin.take().unwrap();
    let requests: Vec<String> = cases
        .iter()
        .map(|case| {
            let selection = json!({ "*": { "*": ["storageLayout"] } });
            let sources = json!({ "a": { "content": case.programs[0].source } });
            let settings = json!({ "outputSelection": selection });
            json!({ "language": "Solidity", "sources": sources, "settings": settings }).to_string()
        })
        .collect();
    let writer = std::thread::spawn(move || {
        requests.iter().for_each(|request| writeln!(input, "{request}").unwrap());
    });
    let output = node.wait_with_output().unwrap();
    writer.join().unwrap();
    let answers = String::from_utf8(output.stdout).unwrap();
    let mut compared = 0;
    for (case, answer) in cases.iter().zip(answers.lines()) {
        let answer: Value = serde_json::from_str(answer).unwrap();
        let model = case.model.value().unwrap();
        let template: Template = serde_json::from_value(model["template"].clone()).unwrap();
        let solution: Vec<u8> = serde_json::from_value(model["solution"].clone()).unwrap();
        let view = View::new(&template, &solution, 0);
        let last = template.contracts.len() as u8 - 1;
        let name = format!("C{last}");
        if answer["contracts"]["a"][&name].is_null() {
            continue;
        }
        let mut storage = storage_of(&answer, &name);
        let transient = view.state_places(last).into_iter().filter(|(id, _)| {
            let kind = template.states[usize::from(*id)].kind;
            view.state_kind(kind) == solidity::model::StateKind::Storage
        });
        let mut assumed: Vec<(String, String, u64)> = transient
            .map(|(id, place)| (format!("s{id}"), place.slot.to_string(), place.offset.into()))
            .collect();
        storage.sort();
        assumed.sort();
        compared += storage.len();
        assert_eq!(assumed, storage, "{}\n{}", case.origin, case.programs[0].source);
    }
    assert!(compared as u64 > count(), "{compared} variables");
}

/// A program that solc's analysis rejects would be a false alarm.
#[test]
fn valid_programs_are_accepted_by_every_version() {
    for (version, suffix) in VERSIONS.iter().chain(FIRST) {
        let Some(installed) = installed::toolchain("solc", version) else { return };
        let target = SolcTarget::new(version, installed.folder().to_owned());
        let root = tempfile::tempdir().unwrap();
        let bench = bench(&root);
        let setting = target.spec().settings[0].clone();
        let mut cases = cases(&format!("solidity{suffix}"), count());
        for case in &mut cases {
            // Analysed only: what they do is judged by other tests, and compiling costs much more.
            case.promise = forge::Promise::Rejects;
        }
        for portion in batch::portions(&target, &cases) {
            let shown: Vec<&Case> = portion.iter().collect();
            let seen = batch::observe(&target, &shown, std::slice::from_ref(&setting), &bench);
            for (case, seen) in portion.iter().zip(&seen.observations) {
                let source = &case.programs[0].source;
                match &seen[0].outcome {
                    Outcome::Accepted | Outcome::Unobserved(Reason::Limit(_)) => {}
                    outcome => panic!("{} {version}: {outcome}\n{source}", case.origin),
                }
            }
        }
    }
}
