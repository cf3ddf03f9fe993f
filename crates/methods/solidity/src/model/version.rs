//! Versions of the language. Each begins with a version of solc that changed what programs may say.

use serde::{Deserialize, Serialize};

/// The language version that a template is written for. What a version lacks is not generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Version {
    /// From 0.4.11 on: constructors are functions, `abi` is unknown, reverts have no text, and results of dynamic
    /// size cannot be used by other contracts.
    V4,
    /// From 0.4.24 on.
    V4Late,
    V5,
    V6,
    /// From 0.6.9 on: calldata is a location like others.
    V6Late,
    V7,
    /// From 0.7.1 on: functions outside of contracts.
    V7Late,
    V8,
    /// From 0.8.8 on: user-defined value types, custom errors.
    V8Types,
    /// From 0.8.11 on: `abi.encodeCall`.
    V8Late,
    /// From 0.8.29 on.
    Newest,
}

/// Each version, the first solc, and the language, which is the name of a method, too.
const ROWS: [(Version, &str, &str); 11] = [
    (Version::V4, "0.4.11", "solidity-0.4"),
    (Version::V4Late, "0.4.24", "solidity-0.4.24"),
    (Version::V5, "0.5.0", "solidity-0.5"),
    (Version::V6, "0.6.0", "solidity-0.6"),
    (Version::V6Late, "0.6.9", "solidity-0.6.9"),
    (Version::V7, "0.7.0", "solidity-0.7"),
    (Version::V7Late, "0.7.1", "solidity-0.7.1"),
    (Version::V8, "0.8.0", "solidity-0.8"),
    (Version::V8Types, "0.8.8", "solidity-0.8.8"),
    (Version::V8Late, "0.8.11", "solidity-0.8.11"),
    (Version::Newest, "0.8.29", "solidity"),
];

impl Version {
    /// Every version, oldest first.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> {
        ROWS.iter().map(|row| row.0)
    }

    fn row(self) -> &'static (Self, &'static str, &'static str) {
        &ROWS[self as usize]
    }

    /// The first version of solc that reads it.
    pub fn first(self) -> &'static str {
        self.row().1
    }

    /// The name of the language.
    pub fn language(self) -> &'static str {
        self.row().2
    }

    /// The name of a method of this version, such as `solidity-smt-0.7`.
    pub(crate) fn method(self, kind: &str) -> String {
        let suffix = self.language().strip_prefix("solidity").unwrap_or_default();
        format!("solidity{kind}{suffix}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_version_has_its_row() {
        assert!(Version::all().all(|it| it.row().0 == it));
        assert!(Version::all().is_sorted());
        assert_eq!(Version::V6Late.method("-smt"), "solidity-smt-0.6.9");
        assert_eq!(Version::Newest.method(""), "solidity");
    }
}
