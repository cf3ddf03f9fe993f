//! The library: the rules that ship, each with how it stands under every semantics. What is not in the
//! ledger, or was changed since it was proven, is not proven.

use std::sync::LazyLock;

use super::kernel::{Relation, SEMANTICS, Semantics};
use super::ledger::{Illegible, Ledger};
use super::parse::{self, Misread};
use super::rule::Rule;
use super::standing::Standing;

/// A rule file, by its name without the ending.
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

/// What ships: written by hand first, synthesised after.
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

#[derive(Clone, Debug)]
pub struct Entry {
    pub rule: Rule,
    /// The file that it is in.
    pub source: String,
    /// In the order of [`SEMANTICS`].
    pub standings: Vec<Standing>,
}

impl Entry {
    pub fn standing(&self, semantics: &Semantics) -> &Standing {
        let index = SEMANTICS.iter().position(|s| s.name == semantics.name);
        index.and_then(|index| self.standings.get(index)).unwrap_or(&Standing::Absent)
    }

    /// The relation that is proven, and that the rule is applies for, at a width.
    pub fn relation(&self, semantics: &Semantics, width: u16) -> Option<Relation> {
        let applies = self.rule.widths.has(width) && semantics.has_width(width);
        applies.then(|| self.standing(semantics).at(width)).flatten()
    }

    pub fn is_synthesised(&self) -> bool {
        self.rule.grade.is_some()
    }
}

#[derive(Clone, Debug, Default)]
pub struct Library {
    pub entries: Vec<Entry>,
}

#[derive(Debug, thiserror::Error)]
pub enum Spoilt {
    #[error("rules/{file}.rules:{misread}")]
    Rules { file: String, misread: Misread },
    #[error(transparent)]
    Ledger(#[from] Illegible),
}

impl Library {
    pub fn shipped() -> Result<Self, Spoilt> {
        let ledger = Ledger::read(LEDGER)?;
        let mut library = Self::default();
        for source in SOURCES {
            let (rules, wrong) = parse::rules(source.text);
            if let Some(misread) = wrong.into_iter().next() {
                return Err(Spoilt::Rules { file: source.name.into(), misread });
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

    /// The same, read once. Nothing if what ships is spoilt, which a test would have seen.
    pub fn shared() -> &'static Self {
        static SHARED: LazyLock<Library> = LazyLock::new(|| Library::shipped().unwrap_or_default());
        &SHARED
    }

    pub fn named(&self, name: &str) -> Option<&Entry> {
        self.entries.iter().find(|entry| entry.rule.name == name)
    }
}
