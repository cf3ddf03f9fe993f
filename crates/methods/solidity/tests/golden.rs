//! A ticket always gives the same bytes: `golden/revisions` has a digest for each revision of the methods. A change of
//! output needs a new revision; `BLESS=1` then adds its line.

use std::collections::BTreeMap;

use forge::{Fingerprint, Method};
use solidity::Solidity;
use solidity::model::Version;

#[test]
fn the_output_changes_only_with_the_revision() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/revisions");
    let stored = std::fs::read_to_string(path).unwrap_or_default();
    let mut known: BTreeMap<String, String> = stored
        .lines()
        .filter_map(|line| line.split_once(' '))
        .map(|(name, digest)| (name.to_owned(), digest.to_owned()))
        .collect();
    let is_blessed = std::env::var_os("BLESS").is_some();
    for version in Version::all() {
        let method = Solidity::new(version);
        let name = format!("{}.{}", method.name(), method.revision());
        // Several templates, and several solutions of each.
        let cases = (0..600).filter_map(|index| method.make(&method.ticket(1, index * 3)));
        let texts: Vec<String> = cases.map(|it| it.fingerprint().to_string()).collect();
        let made = Fingerprint::of(texts.iter().map(String::as_bytes)).to_string();
        match known.get(&name) {
            Some(golden) => assert_eq!(
                *golden, made,
                "the cases of {name} have changed: increase `revision()` by one, then add the new digest \
                 with BLESS=1"
            ),
            None if is_blessed => {
                known.insert(name, made);
            }
            None => panic!("{name} is not in golden/revisions: add it with BLESS=1"),
        }
    }
    if is_blessed {
        let lines: Vec<String> =
            known.iter().map(|(name, digest)| format!("{name} {digest}\n")).collect();
        std::fs::write(path, lines.concat()).unwrap();
    }
}
