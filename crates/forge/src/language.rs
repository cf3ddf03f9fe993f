//! The language of a program, by which methods are matched to targets. The set is open, because a
//! user's compiler may have its own language.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::case::LONGEST_NAME;

/// The name of a language, such as `c` or `rust`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Language(#[serde(deserialize_with = "extension")] String);

/// A stored case may come from anywhere, and the language becomes a part of a path.
fn extension<'de, D: Deserializer<'de>>(reader: D) -> Result<String, D::Error> {
    let name = String::deserialize(reader)?;
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._-+#".contains(&byte);
    let starts_well = name.starts_with(|first: char| first.is_ascii_alphanumeric());
    if starts_well && name.len() <= LONGEST_NAME && name.bytes().all(is_plain) {
        return Ok(name);
    }
    Err(D::Error::custom(format!("{name:?} is no name of a language")))
}

/// File name extensions that differ from the name of the language.
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

/// Languages that are subsets or extensions of another, with that other.
const BASES: &[(&str, &str)] = &[("old-solidity", "solidity"), ("bitint", "c"), ("mir", "rust")];

impl Language {
    pub fn new(name: impl Into<String>) -> Self {
        Self(name.into())
    }

    pub fn name(&self) -> &str {
        &self.0
    }

    /// The name that syntax highlighters know: for a subset or an extension, that of its base language.
    pub fn common_name(&self) -> &str {
        let known = BASES.iter().find(|(name, _)| *name == self.unversioned());
        known.map_or(self.unversioned(), |(_, base)| base)
    }

    /// Solidity of a version is called `solidity-0.8.11`.
    fn unversioned(&self) -> &str {
        match self.0.split_once("-0.") {
            Some((name @ "solidity", _)) => name,
            _ => &self.0,
        }
    }

    /// The file name extension that this language's compilers expect.
    pub fn extension(&self) -> &str {
        let known = EXTENSIONS.iter().find(|(name, _)| *name == self.unversioned());
        known.map_or(self.unversioned(), |(_, extension)| extension)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}
