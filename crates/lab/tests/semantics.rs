//! solc's own semantic tests on the chain of this process: an outside check of how calls are made and results are read.
//!
//! `MISTRUST_SEMANTIC_TESTS` is the folder of a checkout, `test/libsolidity/semanticTests`, of which nothing is part of this
//! repository; `MISTRUST_SEMANTIC_SOLC` a version of solc that fits it. Without it, a few tests written here in the same
//! format are checked.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test that cannot go on fails")]

#[path = "semantics/format.rs"]
mod format;
mod installed;
#[expect(dead_code, reason = "shared with other tests")]
mod judging;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use forge::{
    Behaviour, Case, Input, Interface, Language, Model, Outcome, Program, Promise, Ticket,
};
use lab::setting::Setting;
use lab::target::solc::SolcTarget;
use lab::target::{Attempt, Bench, Target};

use format::{Call, Test};
use judging::bench;

/// EVM versions, oldest first. The compiler's default is at least the last one.
const EVM_VERSIONS: &[&str] = &[
    "homestead",
    "tangerineWhistle",
    "spuriousDragon",
    "byzantium",
    "constantinople",
    "petersburg",
    "istanbul",
    "berlin",
    "london",
    "paris",
    "shanghai",
    "cancun",
];

/// Addresses of the sender and of the contract that solc's own test runner has; ours has others.
const ADDRESSES: &[&str] =
    &["1212121212121212121212121212120000000012", "c06afe3a8444fc0004668591e8306bfb9968e79e"];

/// What became of a test.
#[derive(Debug, PartialEq, Eq)]
enum Fate {
    Agrees,
    /// Not tried: it has something that is not understood, or needs another setting.
    Unread(String),
    /// The compiler gave no code, or the chain no text.
    Unobserved(String),
    Differs(String),
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether a test applies to the default EVM version.
fn applies(versions: &str) -> bool {
    let at = |name: &str| EVM_VERSIONS.iter().position(|it| *it == name);
    let newest = EVM_VERSIONS.len() - 1;
    let operators = [">=", "<=", ">", "<", "="];
    operators.iter().find_map(|it| Some((*it, versions.strip_prefix(it)?))).is_some_and(
        |(operator, name)| match (operator, at(name.trim())) {
            (">=" | "=", Some(at)) => operator == ">=" || at == newest,
            (">", Some(at)) => at < newest,
            ("<=", Some(at)) => at == newest,
            _ => false,
        },
    )
}

/// The pipeline that a test is compiled with, and why it is not tried.
fn pipeline(test: &Test) -> Result<&'static str, String> {
    let mut pipeline = "legacy";
    for (name, value) in &test.settings {
        let fits = match name.as_str() {
            "EVMVersion" => applies(value),
            "compileViaYul" => {
                if value == "true" {
                    pipeline = "ir";
                }
                matches!(value.as_str(), "true" | "false" | "also")
            }
            "ABIEncoderV1Only" | "allowNonExistingFunctions" => true,
            _ => false,
        };
        if !fits {
            return Err(format!("{name}: {value}"));
        }
    }
    Ok(pipeline)
}

fn case(test: &Test) -> Case {
    let line = |call: &Call| format!("call value={} data=0x{}", call.value, hex(&call.data));
    let Call { value, data, .. } = &test.creation;
    let creation = format!("create {} value={value} data=0x{}", test.contract, hex(data));
    let arguments = std::iter::once(creation).chain(test.calls.iter().map(line)).collect();
    Case {
        origin: Ticket::new("text", 0, 0).into(),
        programs: vec![Program {
            name: "base".into(),
            language: Language::new("solidity"),
            interface: Interface::Contract,
            source: test.source.clone(),
        }],
        inputs: vec![Input { arguments, ..Input::default() }],
        promise: Promise::Yields(vec![Behaviour::Value(String::new())]),
        trail: vec![],
        model: Model::absent(),
    }
}

/// The first call whose result is not the expected one.
fn difference(test: &Test, text: &str) -> Option<String> {
    let mut results = text.lines().filter(|it| {
        ["ok", "revert", "halt"].iter().any(|word| it.split(' ').next() == Some(word))
    });
    let creation = results.next().unwrap_or_default();
    if test.creation.reverts != creation.starts_with("revert") {
        return Some(format!("creation: {creation}"));
    }
    for (index, call) in test.calls.iter().enumerate() {
        let seen = results.next().unwrap_or_default();
        let expected = hex(&call.result);
        let agrees = match call.reverts {
            // Nothing is told about the data of a failure that halts.
            true if expected.is_empty() => seen == "revert 0x" || seen.starts_with("halt"),
            true => seen == format!("revert 0x{expected}"),
            false => seen == format!("ok 0x{expected}"),
        };
        if !agrees {
            let kind = if call.reverts { "revert" } else { "ok" };
            return Some(format!("call {index}: {kind} 0x{expected} expected, {seen} seen"));
        }
    }
    let is_empty = !text.lines().any(|it| it.starts_with("storage c0 "));
    if test.is_empty.is_some_and(|expected| expected != is_empty) {
        return Some(format!("storage is {}empty", if is_empty { "" } else { "not " }));
    }
    None
}

fn fate(text: &str, target: &SolcTarget, bench: &Bench) -> Fate {
    let test = match Test::parse(text) {
        Ok(test) => test,
        Err(why) => return Fate::Unread(why),
    };
    let wanted = match pipeline(&test) {
        Ok(pipeline) => pipeline,
        Err(why) => return Fate::Unread(why),
    };
    let mut bytes = test.calls.iter().flat_map(|it| [hex(&it.data), hex(&it.result)]);
    if bytes.any(|it| ADDRESSES.iter().any(|address| it.contains(address))) {
        return Fate::Unread("an address of another chain".to_owned());
    }
    let is_wanted = |it: &&Setting| {
        let value = |name| it.value(name);
        value("pipeline") == Some(wanted)
            && value("evm") == Some("default")
            && value("optimizer") == Some("off")
    };
    let spec = target.spec();
    let mut settings = spec.settings.iter().chain(&spec.occasional);
    let setting = settings.find(is_wanted).expect("both pipelines are there");
    let case = case(&test);
    let attempt = target.attempt(&[&case], setting, bench);
    let Attempt::Each(seen) = attempt else { return Fate::Unobserved(format!("{attempt:?}")) };
    match seen[0].observations.first().map(|it| &it.outcome) {
        Some(Outcome::Ran(Behaviour::Value(text))) => match difference(&test, text) {
            None => Fate::Agrees,
            Some(difference) => Fate::Differs(difference),
        },
        other => Fate::Unobserved(format!("{other:?}").chars().take(160).collect()),
    }
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        match path.is_dir() {
            true => files(&path, found),
            false if path.extension().is_some_and(|it| it == "sol") => found.push(path),
            false => {}
        }
    }
}

fn solc(version: &str) -> Option<SolcTarget> {
    let folder = installed::toolchain("solc", version)?.folder().to_owned();
    Some(SolcTarget::new(version, folder))
}

const RIGHT: &str = "contract A { uint8 x; function f(uint8 a, string memory s) external payable \
    returns (string memory, int16, uint256) { x += a; return (s, -1, msg.value); } }\n\
    contract C is A { function g() external view returns (bool, uint8) { require(x < 9, \"big\"); \
    return (true, x); } fallback() external { } }\n\
    // ====\n// EVMVersion: >=byzantium\n// compileViaYul: also\n// ----\n\
    // f(uint8,string), 3 wei: 8, 0x40, 5, \"hello\" -> 0x60, -1, 3, 5, \"hello\"\n\
    // gas legacy: 1\n\
    // g() -> true, 8 # a comment #\n\
    // f(uint8,string): 1, 0x40, 0 -> 0x60, -1, 0, 0\n\
    // g() -> FAILURE, hex\"08c379a0\", 0x20, 3, \"big\"\n\
    // (): hex\"01\" ->\n";

#[test]
fn a_test_in_solcs_format_is_read_and_agrees() {
    let Some(target) = solc("0.8.37") else { return };
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    assert_eq!(fate(RIGHT, &target, &bench), Fate::Agrees);
    let wrong = RIGHT.replace("-> true, 8", "-> true, 7");
    assert!(matches!(fate(&wrong, &target, &bench), Fate::Differs(_)));
    let unread = RIGHT.replace("EVMVersion: >=byzantium", "EVMVersion: <byzantium");
    assert!(matches!(fate(&unread, &target, &bench), Fate::Unread(_)));
}

#[test]
fn the_tests_of_a_checkout_agree() {
    let Some(folder) = std::env::var_os("MISTRUST_SEMANTIC_TESTS") else { return };
    let version = std::env::var("MISTRUST_SEMANTIC_SOLC").unwrap_or_else(|_| "0.8.37".into());
    let target = solc(&version).expect("solc can be installed");
    let root = tempfile::tempdir().unwrap();
    let bench = bench(&root);
    let mut found = vec![];
    files(Path::new(&folder), &mut found);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut differences = vec![];
    for path in &found {
        let text = std::fs::read_to_string(path).unwrap();
        let name = path.strip_prefix(&folder).unwrap_or(path).display();
        let kind = match fate(&text, &target, &bench) {
            Fate::Agrees => "agree",
            Fate::Unread(why) => {
                println!("unread {name}: {why}");
                "not read"
            }
            Fate::Unobserved(why) => {
                println!("unobserved {name}: {why}");
                "not observed"
            }
            Fate::Differs(difference) => {
                println!("differs {name}: {difference}");
                differences.push(name.to_string());
                "differ"
            }
        };
        *counts.entry(kind).or_default() += 1;
    }
    println!("{} tests with solc {version}: {counts:?}", found.len());
    // Some depend on gas or on older rules of the chain.
    assert!(differences.len() * 20 < found.len(), "{differences:?}");
}
