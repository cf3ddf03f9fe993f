//! Corpora that are known by name: tests and libraries from package registries, which are installed like compilers. Which
//! packages those are is in the table of families; here is where the programs are, and which version suits a compiler.

use std::path::{Path, PathBuf};

use forge::Language;

use super::programs::{Reading, Unused};
use super::{CorpusError, programs};
use crate::target::TargetName;

/// A corpus that can be asked for by name.
#[derive(Debug, PartialEq, Eq)]
pub struct Named {
    pub name: &'static str,
    /// The language of its programs, without a version.
    pub language: &'static str,
    /// The family of toolchains that it is a part of.
    pub family: &'static str,
    /// The compilers whose own tests these are, which are of the same version.
    own: &'static [&'static str],
    /// For other compilers: the beginnings of their versions, and the version of the corpus that suits them.
    suits: &'static [(&'static str, &'static str)],
    /// The folder of the programs, anywhere below the installed one; empty for all of it.
    folder: &'static str,
    reading: Reading,
    /// In half a line.
    pub summary: &'static str,
}

/// The first of a language is its default.
pub const NAMED: &[Named] = &[
    Named {
        name: "rust-ui",
        language: "rust",
        family: "rust-ui",
        own: &["rustc"],
        suits: &[],
        folder: "tests/ui",
        reading: Reading::Files,
        summary: "the tests of rustc's messages, from Debian's source package",
    },
    Named {
        name: "gcc-torture",
        language: "c",
        family: "gcc-torture",
        own: &["gcc"],
        suits: &[],
        folder: "",
        reading: Reading::Files,
        summary: "GCC's torture tests, from Debian's source package",
    },
    Named {
        name: "clang-tests",
        language: "c",
        family: "clang-tests",
        own: &["clang"],
        suits: &[],
        folder: "clang/test",
        reading: Reading::Files,
        summary: "Clang's tests in C, from Debian's source package",
    },
    Named {
        name: "vyper-tests",
        language: "vyper",
        family: "vyper-tests",
        own: &["vyper"],
        suits: &[],
        folder: "tests",
        reading: Reading::Strings,
        summary: "the programs in Vyper's tests, from its source distribution",
    },
    Named {
        name: "solidity-npm",
        language: "solidity",
        family: "solidity-npm",
        own: &[],
        // Contracts that are older than a compiler cannot contain what was fixed in it.
        suits: &[
            ("0.4.", "2.0.0"),
            ("0.5.", "2.5.1"),
            ("0.6.", "3.4.2"),
            ("0.7.", "3.4.2-solc-0.7"),
        ],
        folder: "",
        reading: Reading::Files,
        summary: "contracts of OpenZeppelin, Uniswap, Solady and others, from npm",
    },
    Named {
        name: "zig-std",
        language: "zig",
        family: "zig",
        own: &["zig"],
        suits: &[],
        folder: "ziglang/lib/std",
        reading: Reading::Files,
        summary: "Zig's standard library, which comes with the compiler",
    },
    Named {
        name: "llvm-transforms",
        language: "llvm",
        family: "llvm-tests",
        own: &["clang", "llvm", "opt", "llc"],
        suits: &[],
        folder: "",
        reading: Reading::Files,
        summary: "LLVM's tests of its optimisations, from Debian's source package",
    },
];

/// How deep the folder of the programs may be.
const DEPTH: usize = 8;

impl Named {
    pub fn of(name: &str) -> Option<&'static Self> {
        NAMED.iter().find(|it| it.name == name)
    }

    /// The corpora of a language, the ones that are a compiler's own tests first.
    pub fn for_target(language: &Language, target: &TargetName) -> Option<&'static Self> {
        let mut all: Vec<&Self> =
            NAMED.iter().filter(|it| it.language == language.common_name()).collect();
        all.sort_by_key(|it| !it.own.contains(&target.family.as_str()));
        all.first().copied()
    }

    /// The version that suits a compiler; `None` if any does.
    pub fn version_for(&self, target: &TargetName) -> Option<String> {
        let version = target.version.as_deref()?;
        if self.own.contains(&target.family.as_str()) {
            return Some(version.to_owned());
        }
        let mut suits = self.suits.iter();
        suits.find(|(start, _)| version.starts_with(start)).map(|(_, it)| (*it).to_owned())
    }

    /// The programs in an installed folder.
    pub fn programs(
        &self,
        installed: &Path,
        language: &Language,
    ) -> Result<programs::Programs, CorpusError> {
        let place = match self.folder {
            "" => Some(installed.to_owned()),
            folder => below(installed, Path::new(folder), DEPTH),
        };
        let place = place.ok_or_else(|| CorpusError::Io {
            doing: "find the programs of",
            path: installed.join(self.folder),
            source: std::io::ErrorKind::NotFound.into(),
        })?;
        programs::read(&place, language, self.reading)
    }
}

/// A folder below another.
fn below(folder: &Path, wanted: &Path, depth: usize) -> Option<PathBuf> {
    let here = folder.join(wanted);
    if here.is_dir() || depth == 0 {
        return here.is_dir().then_some(here);
    }
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries
        .filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|it| it.path())
        .collect();
    folders.sort();
    folders.iter().find_map(|it| below(it, wanted, depth - 1))
}

/// What a corpus leaves out, as one line: `3 (not text), 1 (larger than 8 KiB)`.
pub fn left_out(unused: &std::collections::BTreeMap<Unused, usize>) -> String {
    let all: Vec<String> = unused.iter().map(|(why, count)| format!("{count} ({why})")).collect();
    all.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::toolchain::Family;

    #[test]
    fn every_corpus_has_a_family_of_its_language() {
        for named in NAMED {
            let family = Family::named(named.family).unwrap();
            assert_eq!(family.language, named.language, "{}", named.name);
            assert_eq!(Named::of(named.name), Some(named), "two rows of one name");
        }
    }

    #[test]
    fn a_compiler_gets_its_own_tests_or_the_default_of_its_language() {
        let name = |language: &str, target: &str| {
            let target = TargetName::from(target.to_owned());
            let named = Named::for_target(&Language::new(language), &target).unwrap();
            (named.name, named.version_for(&target))
        };
        assert_eq!(name("c", "clang@19"), ("clang-tests", Some("19".to_owned())));
        assert_eq!(name("c", "gcc@12"), ("gcc-torture", Some("12".to_owned())));
        assert_eq!(name("c", "tcc"), ("gcc-torture", None));
        assert_eq!(name("vyper", "vyper@0.4.3"), ("vyper-tests", Some("0.4.3".to_owned())));
        assert_eq!(name("solidity", "solc@0.6.3"), ("solidity-npm", Some("3.4.2".to_owned())));
        assert_eq!(name("solidity", "solc@0.8.37"), ("solidity-npm", None));
        let none = TargetName::from("x".to_owned());
        assert_eq!(Named::for_target(&Language::new("cobol"), &none), None);
    }

    #[test]
    fn the_folder_of_the_programs_is_found_below_the_installed_one() {
        let folder = tempfile::tempdir().unwrap();
        let std = folder.path().join("venv/lib/python3.12/site-packages/ziglang/lib/std");
        std::fs::create_dir_all(&std).unwrap();
        std::fs::write(std.join("mem.zig"), "const a = 1;").unwrap();
        let zig = Named::of("zig-std").unwrap();
        let found = zig.programs(folder.path(), &Language::new("zig")).unwrap();
        assert_eq!(found.corpus.entries[0].name, "mem.zig");
        let missing = Named::of("rust-ui").unwrap();
        let error = missing.programs(folder.path(), &Language::new("rust")).unwrap_err();
        assert!(error.to_string().contains("tests/ui"), "{error}");
    }
}
