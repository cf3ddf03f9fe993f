use std::collections::BTreeMap;

use forge::Fingerprint;

use super::*;

#[test]
fn every_method_is_found_by_name_and_by_what_it_makes() {
    for method in all() {
        let found = named(method.name()).map_err(|error| error.to_string());
        assert_eq!(found.map(|found| found.name().to_owned()), Ok(method.name().to_owned()));
        let found = fitting(&method.language(), method.interface(), Some(method.name()));
        assert_eq!(found.expect("it fits").name(), method.name());
    }
    let c = Language::new("c");
    let found = fitting(&c, Interface::Program, Some("smoke")).expect("the family has a C member");
    assert_eq!(found.name(), "smoke-c");
    assert!(fitting(&c, Interface::Program, Some("smo")).is_err());
    let found = fitting(&c, Interface::Function, None).expect("another one");
    assert_eq!(found.name(), "expression-c");
    assert!(fitting(&Language::new("cobol"), Interface::Program, None).is_err());
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
fn an_invalid_size_is_refused_with_the_reason() {
    let complaint = |name: &str| named(name).err().expect(name).to_string();
    for name in ["mir@19", "mir@10001", "mir@", "mir@x", "mir@0100", "mir@+50", "mir@20@20"] {
        let said = complaint(name);
        assert!(said.contains(name) && said.contains("from 20 to 10000"), "{said}");
    }
    assert!(complaint("smoke-c@100").contains("no size to choose"));
    assert!(complaint("nothing@100").contains("no method `nothing@100`"));
}

/// So many tickets stand for all of a method.
const TICKETS: u64 = 150;

/// A digest of what some tickets of a method make.
fn digest(method: &dyn Method) -> Fingerprint {
    let cases = (0..TICKETS).map(|index| method.make(&method.ticket(1, index)));
    let texts: Vec<String> = cases
        .map(|case| case.map_or_else(String::new, |case| case.fingerprint().to_string()))
        .collect();
    Fingerprint::of(texts.iter().map(String::as_bytes))
}

/// A ticket means the same bytes for ever. `golden/revisions` has a digest of what each revision of each
/// method makes: whoever changes what a method makes has to raise its revision, and `BLESS=1` adds the
/// new line. It never replaces one.
#[test]
fn what_a_method_makes_changes_only_with_its_revision() {
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
                "{name} makes other cases than it did: raise `revision()` of the method by one, then \
                 add its digest with BLESS=1"
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
        std::fs::write(path, lines.concat()).expect("the golden file can be written");
    }
}
