//! The language that a program is written in: what joins a method, which writes it, to the targets,
//! which read it. The set is open, because a user's own compiler may have a language of its own.

use std::fmt;

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Language(String);

/// How source files are called where it is not after the language itself.
const EXTENSIONS: &[(&str, &str)] = &[
    ("rust", "rs"),
    ("solidity", "sol"),
    ("old-solidity", "sol"),
    ("vyper", "vy"),
    ("func", "fc"),
    ("llvm", "ll"),
    ("wasm", "wat"),
    ("c++", "cpp"),
    ("bitint", "c"),
    ("mir", "rs"),
];

/// Languages that are others with something left out or added, and the others.
const DIALECTS: &[(&str, &str)] = &[("old-solidity", "solidity"), ("bitint", "c"), ("mir", "rust")];

impl Language {
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    pub fn name(&self) -> &str {
        &self.0
    }

    /// What everybody calls it, and highlights it as.
    pub fn common_name(&self) -> &str {
        let known = DIALECTS.iter().find(|(name, _)| *name == self.0);
        known.map_or(self.0.as_str(), |(_, common)| common)
    }

    /// The file name extension that this language's compilers expect.
    pub fn extension(&self) -> &str {
        let known = EXTENSIONS.iter().find(|(name, _)| *name == self.0);
        known.map_or(self.0.as_str(), |(_, extension)| extension)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}
