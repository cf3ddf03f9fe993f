//! Every operator applies to programs of every kind of language, and keeps texts well formed.

use forge::Language;
use proptest::prelude::*;

use super::*;
use crate::corpus::Entry;

const C: &[&str] = &[
    "int f(int a) {\n    if (a > 10) { return g(a, 1); }\n    for (int i = 0; i < 3; i++) { a += i; }\n    return a;\n}\n",
    "int g(char b, int c) {\n    while (b == 'x') { b--; }\n    if (c) { puts(\"none\"); } else { c = 7; }\n    return c % 2;\n}\n",
];
const VYPER: &[&str] = &[
    "@external\ndef f(a: uint256) -> uint256:\n    if a > 10:\n        return self.g(a)\n    return 1\n",
    "x: public(uint256)\n\n@internal\ndef g(b: uint256) -> uint256:\n    for i: uint256 in range(3):\n        self.x += i\n    return b\n",
];

fn corpus(language: &str, texts: &[&str]) -> Corpus {
    let entry =
        |(at, text): (usize, &&str)| Entry { name: at.to_string(), text: (*text).to_owned() };
    let entries = texts.iter().enumerate().map(entry).collect();
    Corpus::new(Language::new(language), entries).unwrap()
}

#[test]
fn every_operator_changes_programs_of_every_language() {
    for corpus in [corpus("c", C), corpus("vyper", VYPER), corpus("a-new-language", C)] {
        for operator in Operator::ALL {
            let changed = (0..50).filter(|key| {
                let scene = Scene::new(&corpus, &corpus.entries[0].text);
                let changed = operator.apply(&scene, &mut Entropy::keyed(*key));
                changed.is_some_and(|it| it != corpus.entries[0].text)
            });
            let (count, language) = (changed.count(), &corpus.language);
            assert!(count >= 10, "{} in {language}: {count} of 50", operator.name());
        }
    }
}

/// Brackets stay balanced under the operators that know them.
#[test]
fn splices_keep_brackets_balanced() {
    let corpus = corpus("c", C);
    for operator in [Operator::Bracket, Operator::AnyBracket, Operator::Template] {
        for key in 0..100 {
            let scene = Scene::new(&corpus, &corpus.entries[1].text);
            let Some(changed) = operator.apply(&scene, &mut Entropy::keyed(key)) else { continue };
            for (open, close) in [('(', ')'), ('{', '}')] {
                assert_eq!(
                    changed.matches(open).count(),
                    changed.matches(close).count(),
                    "{changed}"
                );
            }
        }
    }
}

proptest! {
    /// Any text can be mutated by any operator.
    #[test]
    fn no_operator_panics(text in "(\\PC|[\n\"'(){};ä0 ])*", key: u64) {
        let corpus = corpus("c", C);
        for operator in Operator::ALL {
            let _ = operator.apply(&Scene::new(&corpus, &text), &mut Entropy::keyed(key));
        }
    }
}
