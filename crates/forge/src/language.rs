//! The language of a program, by which methods are matched to targets. The set is open, because a
//! user's compiler may have its own language.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The name of a language, such as `c` or `rust`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Language(String);

/// File name extensions that differ from the name of the language.
const EXTENSIONS: &[(&str, &str)] = &[
    ("rust", "rs"),
    ("solidity", "sol"),
    ("old-solidity", "sol"),
    ("solidity-0.4", "sol"),
    ("solidity-0.5", "sol"),
    ("solidity-0.6", "sol"),
    ("solidity-0.7", "sol"),
    ("solidity-0.8", "sol"),
    ("vyper", "vy"),
    ("func", "fc"),
    ("llvm", "ll"),
    ("wasm", "wat"),
    ("c++", "cpp"),
    ("bitint", "c"),
    ("mir", "rs"),
];

/// Languages that are subsets or extensions of another, with that other.
const BASES: &[(&str, &str)] = &[
    ("old-solidity", "solidity"),
    ("solidity-0.4", "solidity"),
    ("solidity-0.5", "solidity"),
    ("solidity-0.6", "solidity"),
    ("solidity-0.7", "solidity"),
    ("solidity-0.8", "solidity"),
    ("bitint", "c"),
    ("mir", "rust"),
];

impl Language {
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    pub fn name(&self) -> &str {
        &self.0
    }

    /// The name that syntax highlighters know: for a subset or an extension, that of its base language.
    pub fn common_name(&self) -> &str {
        let known = BASES.iter().find(|(name, _)| *name == self.0);
        known.map_or(self.0.as_str(), |(_, base)| base)
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
