//! Tolk, from npm. Programs are generated in the syntax of version 1.0 and adapted to earlier versions.

use std::path::PathBuf;

use expression::languages::tolk::DIALECT;

use super::ton::TonTarget;
use crate::version::version_order;

/// The compiler at a version, whose folder has the packages in `node_modules`.
pub fn target(version: &str, folder: PathBuf) -> TonTarget {
    TonTarget::new("tolk", version, folder, &DIALECT, adapt)
}

/// The first version with a syntax, that syntax, and the one of earlier versions.
const SYNTAX: &[(&str, &str, &str)] = &[
    ("0.7.0", " as int)", ")"),
    ("1.0.0", "fun onInternalMessage(in: InMessage) {}", "fun onInternalMessage() {}"),
    ("1.0.0", "get fun ", "get "),
    ("1.0.0", "@noinline\n", ""),
];

fn adapt(source: &str, version: &str) -> String {
    let before = |since: &str| version_order(Some(version)) < version_order(Some(since));
    let later = SYNTAX.iter().filter(|(since, ..)| before(since));
    later.fold(source.to_owned(), |source, (_, now, then)| source.replace(now, then))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_adapted_to_early_versions() {
        let source =
            "fun onInternalMessage(in: InMessage) {}\n@noinline\nfun h() {}\nget fun f() {}";
        assert_eq!(adapt(source, "1.3.0"), source);
        let early = "fun onInternalMessage() {}\nfun h() {}\nget f() {}";
        assert_eq!(adapt(source, "0.6.0"), early);
    }
}
