//! The table of methods: lookup by name, sizes, and output that changes only with the revision.

use std::collections::BTreeMap;

use forge::Fingerprint;

use super::*;

#[test]
fn every_method_is_found_by_name_and_by_language_and_interface() {
    for method in all() {
        let found = named(method.name()).map_err(|error| error.to_string());
        assert_eq!(found.map(|found| found.name().to_owned()), Ok(method.name().to_owned()));
        let found = fitting(&method.language(), method.interface(), Some(method.name()));
        assert_eq!(found.expect("the method fits").name(), method.name());
    }
    let c = Language::new("c");
    let found = fitting(&c, Interface::Program, Some("smoke")).expect("the family has a C member");
    assert_eq!(found.name(), "smoke-c");
    assert!(fitting(&c, Interface::Program, Some("smo")).is_err());
    let found = fitting(&c, Interface::Function, None).expect("a method for C functions");
    assert_eq!(found.name(), "expression-c");
    assert!(fitting(&Language::new("cobol"), Interface::Program, None).is_err());
}

#[test]
fn contracts_of_all_kinds_are_tested_side_by_side() {
    let names = |language: &str, interface| -> Vec<String> {
        let usual = usual(&Language::new(language), interface);
        usual.iter().map(|method| method.name().to_owned()).collect()
    };
    let contracts = names("solidity-0.7", Interface::Contract);
    assert!(
        contracts.starts_with(&["solidity-0.7".into(), "solidity-smt-0.7".into()]),
        "{contracts:?}"
    );
    assert_eq!(names("c", Interface::Function), ["expression-c"]);
    assert!(names("cobol", Interface::Contract).is_empty());
}

#[test]
fn a_size_is_part_of_the_name() {
    let mir = Language::new("mir");
    for name in ["mir@20", "mir@2000", "mir@10000"] {
        assert_eq!(named(name).expect(name).name(), name);
        let found = fitting(&mir, Interface::Program, Some(name)).expect(name);
        assert_eq!(found.name(), name);
    }
    assert!(fitting(&Language::new("c"), Interface::Program, Some("mir@20")).is_err());
}

#[test]
fn an_invalid_size_is_rejected_with_the_reason() {
    let error = |name: &str| named(name).err().expect(name).to_string();
    for name in ["mir@19", "mir@10001", "mir@", "mir@x", "mir@0100", "mir@+50", "mir@20@20"] {
        let error = error(name);
        assert!(error.contains(name) && error.contains("from 20 to 10000"), "{error}");
    }
    assert!(error("smoke-c@100").contains("cannot be chosen"));
    assert!(error("nothing@100").contains("no method `nothing@100`"));
}

/// The number of tickets per method that the digest covers.
const TICKETS: u64 = 150;

/// A digest of the cases of the first tickets of a method.
fn digest(method: &dyn Method) -> Fingerprint {
    let cases = (0..TICKETS).map(|index| method.make(&method.ticket(1, index)));
    let texts: Vec<String> = cases
        .map(|case| case.map_or_else(String::new, |case| case.fingerprint().to_string()))
        .collect();
    Fingerprint::of(texts.iter().map(String::as_bytes))
}

/// A ticket always gives the same bytes. `golden/revisions` has a digest for each revision of each method.
/// A change of a method's output needs a new revision; `BLESS=1` then adds its line. It never replaces one.
#[test]
fn the_output_of_a_method_changes_only_with_its_revision() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/golden/revisions");
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    let mut known: BTreeMap<String, String> = stored
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, digest)| (name.to_owned(), digest.to_owned()))
        .collect();
    for method in all() {
        let name = format!("{}.{}", method.name(), method.revision());
        let made = digest(method.as_ref()).to_string();
        match known.get(&name) {
            Some(golden) => assert_eq!(
                *golden, made,
                "the cases of {name} have changed: increase `revision()` of the method by one, then add \
                 the new digest with BLESS=1"
            ),
            None if std::env::var_os("BLESS").is_some() => {
                known.insert(name, made);
            }
            None => panic!("{name} is not in golden/revisions: add it with BLESS=1"),
        }
    }
    if std::env::var_os("BLESS").is_some() {
        let lines: Vec<String> =
            known.iter().map(|(name, digest)| format!("{name} {digest}\n")).collect();
        std::fs::write(path, lines.concat()).expect("the golden file is writable");
    }
}
