//! A corpus: programs of one language, and what mutations take from them (fragments of brackets by context, statements,
//! tokens). Reading files is left to others.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::ops::Range;

use forge::{Fingerprint, Language};
use serde::{Deserialize, Serialize};

use crate::bracket::{Context, pairs};
use crate::statement::statements;
use crate::syntax::Syntax;
use crate::token::{Kind, Token, tokens};

/// A longer fragment makes programs slow to compile and hard to read. The text that this method comes from has the
/// same limit.
pub(crate) const FRAGMENT: usize = 4096;

/// A word is common if it is in one of this many programs. Then it is most likely a keyword or a built-in.
const RARITY: usize = 32;

/// How many different tokens of a kind are kept.
const TOKENS: usize = 4096;

/// A program of a corpus. The name is its path in the folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Entry {
    pub name: String,
    pub text: String,
}

/// A place in an entry.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    entry: u32,
    range: Range<u32>,
}

/// Programs of one language.
#[derive(Debug)]
pub struct Corpus {
    pub language: Language,
    pub entries: Vec<Entry>,
    /// The same for the same programs.
    pub digest: String,
    pub(crate) syntax: Syntax,
    common: BTreeSet<String>,
    fragments: BTreeMap<Context, Vec<Place>>,
    pub(crate) any_fragment: Vec<Place>,
    pub(crate) statements: Vec<Place>,
    tokens: BTreeMap<Kind, Vec<String>>,
}

/// Why a corpus cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CorpusError {
    #[error("there is no program in it")]
    Empty,
    #[error("line {line} is not a program as JSON: {why}")]
    Broken { line: usize, why: String },
}

impl Corpus {
    /// Programs that occur twice are kept once.
    pub fn new(language: Language, mut entries: Vec<Entry>) -> Result<Self, CorpusError> {
        entries.sort();
        let mut known = BTreeSet::new();
        entries.retain(|it| !it.text.trim().is_empty() && known.insert(it.text.clone()));
        if entries.is_empty() {
            return Err(CorpusError::Empty);
        }
        let texts = entries.iter().map(|it| it.text.as_bytes());
        let digest = Fingerprint::of(std::iter::once(language.name().as_bytes()).chain(texts));
        let digest = digest.to_string().chars().take(8).collect();
        let syntax = Syntax::of(&language);
        let mut corpus = Self {
            language,
            entries,
            digest,
            syntax,
            common: BTreeSet::new(),
            fragments: BTreeMap::new(),
            any_fragment: vec![],
            statements: vec![],
            tokens: BTreeMap::new(),
        };
        corpus.index();
        Ok(corpus)
    }

    /// Reads programs, one as JSON per line.
    pub fn read(language: Language, text: &str) -> Result<Self, CorpusError> {
        let entry = |(at, line)| {
            serde_json::from_str(line).map_err(|error: serde_json::Error| CorpusError::Broken {
                line: at + 1,
                why: error.to_string(),
            })
        };
        Self::new(language, text.lines().enumerate().map(entry).collect::<Result<_, _>>()?)
    }

    /// The form that `read` reads.
    pub fn packed(&self) -> String {
        // An entry has nothing that JSON cannot hold.
        let line = |it: &Entry| serde_json::to_string(it).unwrap_or_default() + "\n";
        self.entries.iter().map(line).collect()
    }

    fn index(&mut self) {
        let syntax = self.syntax;
        let all: Vec<Vec<Token>> =
            self.entries.iter().map(|it| tokens(&it.text, &syntax)).collect();
        let mut files_with: HashMap<&str, usize> = HashMap::new();
        for (entry, tokens) in self.entries.iter().zip(&all) {
            let words = tokens.iter().filter(|it| it.kind == Kind::Word);
            let words: BTreeSet<&str> = words.map(|it| &entry.text[it.range.clone()]).collect();
            words.into_iter().for_each(|it| *files_with.entry(it).or_default() += 1);
        }
        let least = (self.entries.len() / RARITY).max(2);
        let common = files_with.iter().filter(|(_, count)| **count >= least);
        self.common = common.map(|(word, _)| (*word).to_owned()).collect();
        let mut kept: BTreeMap<Kind, BTreeSet<&str>> = BTreeMap::new();
        for (number, (entry, tokens)) in self.entries.iter().zip(&all).enumerate() {
            let text = entry.text.as_str();
            let place = |range: Range<usize>| Place {
                entry: number as u32,
                range: range.start as u32..range.end as u32,
            };
            for pair in pairs(text, tokens, &|word| self.common.contains(word)) {
                if !pair.inside.is_empty() && pair.inside.len() <= FRAGMENT {
                    self.any_fragment.push(place(pair.inside.clone()));
                    self.fragments.entry(pair.context).or_default().push(place(pair.inside));
                }
            }
            let short = statements(text, tokens, &syntax);
            self.statements.extend(short.into_iter().filter(|it| it.len() <= FRAGMENT).map(place));
            for token in tokens.iter().filter(|it| it.is_code() && it.range.len() <= 80) {
                let of_kind = kept.entry(token.kind).or_default();
                if of_kind.len() < TOKENS {
                    of_kind.insert(&text[token.range.clone()]);
                }
            }
        }
        let owned = |words: BTreeSet<&str>| words.into_iter().map(str::to_owned).collect();
        self.tokens = kept.into_iter().map(|(kind, words)| (kind, owned(words))).collect();
    }

    pub(crate) fn is_common(&self, word: &str) -> bool {
        self.common.contains(word)
    }

    pub(crate) fn text(&self, place: &Place) -> &str {
        let range = place.range.start as usize..place.range.end as usize;
        &self.entries[place.entry as usize].text[range]
    }

    /// Fragments that stand in this context.
    pub(crate) fn fragments(&self, context: &Context) -> &[Place] {
        self.fragments.get(context).map_or(&[], Vec::as_slice)
    }

    /// Different tokens of a kind.
    pub(crate) fn tokens(&self, kind: Kind) -> &[String] {
        self.tokens.get(&kind).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(texts: &[&str]) -> Vec<Entry> {
        let entry = |(at, text): (usize, &&str)| Entry {
            name: format!("{at}.c"),
            text: (*text).to_owned(),
        };
        texts.iter().enumerate().map(entry).collect()
    }

    #[test]
    fn a_packed_corpus_reads_back_with_the_same_digest() {
        let corpus = Corpus::new(Language::new("c"), entries(&["b();", "a(1);", "b();"])).unwrap();
        assert_eq!(corpus.entries.len(), 2);
        let again = Corpus::read(Language::new("c"), &corpus.packed()).unwrap();
        assert_eq!((again.digest, again.entries), (corpus.digest, corpus.entries));
    }

    #[test]
    fn a_corpus_without_programs_or_with_broken_lines_is_refused() {
        let c = || Language::new("c");
        assert_eq!(Corpus::new(c(), entries(&["", " \n"])).unwrap_err(), CorpusError::Empty);
        let broken = Corpus::read(c(), "{\"name\":\"a\",\"text\":\"b\"}\n{").unwrap_err();
        assert!(matches!(broken, CorpusError::Broken { line: 2, .. }), "{broken}");
    }

    #[test]
    fn fragments_are_found_by_context() {
        let corpus = ["int f(int a) { if (a) { g(); } }", "int h(char b) { if (b > 1) {} }"];
        let corpus = Corpus::new(Language::new("c"), entries(&corpus)).unwrap();
        let context = Context { bracket: '(', before: "if".to_owned() };
        let found: Vec<&str> =
            corpus.fragments(&context).iter().map(|it| corpus.text(it)).collect();
        assert_eq!(found, ["a", "b > 1"]);
    }
}
