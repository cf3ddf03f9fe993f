//! The library: the shipped rules, each with its standing under every semantics. A rule that the
//! ledger lacks, or that has changed since it was proven, counts as not proven.

use std::sync::LazyLock;

use super::kernel::{Relation, SEMANTICS, Semantics};
use super::ledger::{Ledger, MalformedLedger};
use super::parse::{self, SyntaxError};
use super::rule::Rule;
use super::standing::Standing;

/// A rule file; the name has no extension.
#[derive(Clone, Copy, Debug)]
pub struct Source {
    pub name: &'static str,
    pub text: &'static str,
}

macro_rules! sources {
    ($($name:literal),* $(,)?) => {
        &[$(Source { name: $name, text: include_str!(concat!("../../../../rules/", $name, ".rules")) }),*]
    };
}

/// The shipped files: hand-written ones first, synthesised ones last.
pub const SOURCES: &[Source] = sources![
    "ring",
    "linear-mba",
    "polynomial-mba",
    "comparison",
    "shift",
    "division",
    "domain",
    "peephole-solc",
    "peephole-llvm",
    "peephole-gcc",
    "peephole-cranelift",
    "peephole-binaryen",
    "peephole-ton",
    "synthesised",
];

const LEDGER: &str = include_str!("../../../../rules/ledger");

/// A rule with its standings.
#[derive(Clone, Debug)]
pub struct Entry {
    pub rule: Rule,
    /// The name of its rule file.
    pub source: String,
    /// In the order of [`SEMANTICS`].
    pub standings: Vec<Standing>,
}

impl Entry {
    pub fn standing(&self, semantics: &Semantics) -> &Standing {
        let index = SEMANTICS.iter().position(|s| s.name == semantics.name);
        index.and_then(|index| self.standings.get(index)).unwrap_or(&Standing::Absent)
    }

    /// The relation proven at a width that both the rule and the semantics have.
    pub fn relation(&self, semantics: &Semantics, width: u16) -> Option<Relation> {
        let applies = self.rule.widths.has(width) && semantics.has_width(width);
        applies.then(|| self.standing(semantics).at(width)).flatten()
    }

    pub fn is_synthesised(&self) -> bool {
        self.rule.grade.is_some()
    }
}

/// All shipped rules.
#[derive(Clone, Debug, Default)]
pub struct Library {
    pub entries: Vec<Entry>,
}

/// Why the shipped rules cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum LibraryError {
    #[error("rules/{file}.rules:{error}")]
    Rules { file: String, error: SyntaxError },
    #[error(transparent)]
    Ledger(#[from] MalformedLedger),
}

impl Library {
    pub fn shipped() -> Result<Self, LibraryError> {
        let ledger = Ledger::read(LEDGER)?;
        let mut library = Self::default();
        for source in SOURCES {
            let (rules, errors) = parse::rules(source.text);
            if let Some(error) = errors.into_iter().next() {
                return Err(LibraryError::Rules { file: source.name.into(), error });
            }
            for rule in rules {
                let standings = ledger
                    .standings(&rule)
                    .unwrap_or_else(|| vec![Standing::Tested; SEMANTICS.len()]);
                library.entries.push(Entry { rule, source: source.name.into(), standings });
            }
        }
        Ok(library)
    }

    /// The shipped library, parsed once. It is empty if a shipped file is malformed, which a test
    /// rules out.
    pub fn shared() -> &'static Self {
        static SHARED: LazyLock<Library> = LazyLock::new(|| Library::shipped().unwrap_or_default());
        &SHARED
    }

    pub fn named(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.rule.name == name)
    }
}
