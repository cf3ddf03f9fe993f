//! Tolk, from npm. Programs are written as versions from 1.0 on read them; the words that earlier ones have
//! for the same are put in their place.

use std::path::PathBuf;

use expression::languages::tolk::DIALECT;

use super::ton::TonTarget;
use crate::version::version_order;

/// The compiler at a version, whose folder has the packages in `node_modules`.
pub fn target(version: &str, folder: PathBuf) -> TonTarget {
    TonTarget::new("tolk", version, folder, &DIALECT, retold)
}

/// The first version that reads a word, what it is, and what the ones before read.
const WORDS: &[(&str, &str, &str)] = &[
    ("0.7.0", " as int)", ")"),
    ("1.0.0", "fun onInternalMessage(in: InMessage) {}", "fun onInternalMessage() {}"),
    ("1.0.0", "get fun ", "get "),
    ("1.0.0", "@noinline\n", ""),
];

fn retold(source: &str, version: &str) -> String {
    let before = |since: &str| version_order(Some(version)) < version_order(Some(since));
    let later = WORDS.iter().filter(|(since, ..)| before(since));
    later.fold(source.to_owned(), |source, (_, now, then)| source.replace(now, then))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn early_versions_are_told_the_same_in_their_words() {
        let source =
            "fun onInternalMessage(in: InMessage) {}\n@noinline\nfun h() {}\nget fun f() {}";
        assert_eq!(retold(source, "1.3.0"), source);
        let early = "fun onInternalMessage() {}\nfun h() {}\nget f() {}";
        assert_eq!(retold(source, "0.6.0"), early);
    }
}
