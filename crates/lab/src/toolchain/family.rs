//! The table of compiler families that can be installed, with the packages of each. How packages are installed
//! is left to `manager`. Companions have exact versions, so that the output of a compiler is executed by the
//! same virtual machine wherever it is installed.

use super::manager::Ecosystem;
use super::{ToolchainError, apt, npm, pip};

/// A compiler that can be installed in several versions.
#[derive(Debug, PartialEq, Eq)]
pub struct Family {
    pub name: &'static str,
    /// The language that it compiles.
    pub language: &'static str,
    pub ecosystem: Ecosystem,
    /// The package with the compiler. For Debian, the version is appended to it after a dash.
    pub package: &'static str,
    /// Packages that are installed with it, with their versions.
    pub companions: &'static [(&'static str, &'static str)],
    /// Versions whose package has a different version number, because the original package was faulty.
    pub republished: &'static [(&'static str, &'static str)],
}

/// The virtual machine that executes the output of `tolk` and `func`. Tested with `tolk@1.3.0` and `func@0.11.0`.
const TON: &[(&str, &str)] =
    &[("@ton/sandbox", "0.41.0"), ("@ton/core", "0.63.1"), ("@ton/crypto", "3.3.0")];

/// Contracts for several versions of Solidity.
const CONTRACTS: &[(&str, &str)] = &[
    ("@aave/core-v3", "1.19.3"),
    ("@gnosis.pm/safe-contracts", "1.3.0"),
    ("@thirdweb-dev/contracts", "3.15.0"),
    ("@uniswap/v2-core", "1.0.1"),
    ("@uniswap/v3-core", "1.0.1"),
    ("@uniswap/v4-core", "1.0.2"),
    ("@uniswap/v4-periphery", "1.0.3"),
    ("solady", "0.1.26"),
    ("solmate", "6.8.0"),
];

/// Families from PyPI whose source distribution is needed, not what is installed of it.
pub(super) const SOURCES: &[&str] = &["vyper-tests"];

pub const FAMILIES: &[Family] = &[
    Family {
        name: "solc",
        language: "solidity",
        ecosystem: Ecosystem::Npm,
        package: "solc",
        companions: &[],
        republished: &[("0.8.7", "0.8.7-fixed"), ("0.8.14", "0.8.14-fixed")],
    },
    Family {
        name: "resolc",
        language: "solidity",
        ecosystem: Ecosystem::Npm,
        package: "@parity/resolc",
        // It uses the solc that is installed beside it as its front end. Tested with 0.3.0.
        companions: &[("solc", "0.8.28")],
        republished: &[],
    },
    Family {
        name: "vyper",
        language: "vyper",
        ecosystem: Ecosystem::Pip,
        package: "vyper",
        // Versions before 0.3.8 import a module that is gone from later releases of it.
        companions: &[("setuptools", "80.9.0")],
        republished: &[],
    },
    Family {
        name: "tolk",
        language: "tolk",
        ecosystem: Ecosystem::Npm,
        package: "@ton/tolk-js",
        companions: TON,
        republished: &[],
    },
    Family {
        name: "func",
        language: "func",
        ecosystem: Ecosystem::Npm,
        package: "@ton-community/func-js",
        companions: TON,
        republished: &[],
    },
    Family {
        name: "binaryen",
        language: "wasm",
        ecosystem: Ecosystem::Npm,
        package: "binaryen",
        companions: &[],
        republished: &[],
    },
    Family {
        name: "zig",
        language: "zig",
        ecosystem: Ecosystem::Pip,
        package: "ziglang",
        companions: &[],
        republished: &[],
    },
    Family {
        name: "gcc",
        language: "c",
        ecosystem: Ecosystem::Apt,
        package: "gcc",
        companions: &[],
        republished: &[],
    },
    Family {
        name: "clang",
        language: "c",
        ecosystem: Ecosystem::Apt,
        package: "clang",
        companions: &[],
        republished: &[],
    },
    Family {
        name: "tcc",
        language: "c",
        ecosystem: Ecosystem::Apt,
        package: "tcc",
        companions: &[],
        republished: &[],
    },
    Family {
        name: "llvm-tests",
        language: "llvm",
        ecosystem: Ecosystem::Apt,
        package: "llvm-toolchain",
        companions: &[],
        republished: &[],
    },
    Family {
        name: "llvm-analysis-tests",
        language: "llvm",
        ecosystem: Ecosystem::Apt,
        package: "llvm-toolchain",
        companions: &[],
        republished: &[],
    },
    Family {
        name: "llvm-codegen-tests",
        language: "llvm",
        ecosystem: Ecosystem::Apt,
        package: "llvm-toolchain",
        companions: &[],
        republished: &[],
    },
    Family {
        name: "clang-tests",
        language: "c",
        ecosystem: Ecosystem::Apt,
        package: "llvm-toolchain",
        companions: &[],
        republished: &[],
    },
    Family {
        name: "gcc-torture",
        language: "c",
        ecosystem: Ecosystem::Apt,
        package: "gcc",
        companions: &[],
        republished: &[],
    },
    Family {
        name: "rust-ui",
        language: "rust",
        ecosystem: Ecosystem::Apt,
        package: "rustc",
        companions: &[],
        republished: &[],
    },
    Family {
        name: "rustc",
        language: "rust",
        ecosystem: Ecosystem::Apt,
        package: "rustc",
        companions: &[],
        republished: &[],
    },
    // No compilers: programs for mutations.
    Family {
        name: "vyper-tests",
        language: "vyper",
        ecosystem: Ecosystem::Pip,
        package: "vyper",
        companions: &[],
        republished: &[],
    },
    Family {
        name: "solidity-npm",
        language: "solidity",
        ecosystem: Ecosystem::Npm,
        package: "@openzeppelin/contracts",
        companions: CONTRACTS,
        republished: &[],
    },
    // Its LLVM has assertions.
    Family {
        name: "triton",
        language: "llvm",
        ecosystem: Ecosystem::Pip,
        package: "triton",
        companions: &[],
        republished: &[],
    },
    // An analyser. It needs an installed solc besides.
    Family {
        name: "slither",
        language: "solidity",
        ecosystem: Ecosystem::Pip,
        package: "slither-analyzer",
        companions: &[],
        republished: &[],
    },
    // No compiler: an interpreter for packages that do not work with the machine's.
    Family {
        name: "python",
        language: "python",
        ecosystem: Ecosystem::Apt,
        package: "python",
        companions: &[],
        republished: &[],
    },
    // No compiler: it executes programs for other processors.
    Family {
        name: "qemu",
        language: "elf",
        ecosystem: Ecosystem::Apt,
        package: "qemu-user-static",
        companions: &[],
        republished: &[],
    },
];

impl Family {
    /// The family of a name. `llvm` is another name of `clang`, whose packages contain LLVM's own tools.
    pub fn named(name: &str) -> Result<&'static Self, ToolchainError> {
        let name = if name == "llvm" { "clang" } else { name };
        FAMILIES.iter().find(|family| family.name == name).ok_or_else(|| {
            let known: Vec<&str> = FAMILIES.iter().map(|family| family.name).collect();
            ToolchainError::UnknownFamily { family: name.to_owned(), known: known.join(", ") }
        })
    }

    /// Checks that `version` is one exact version, and returns the version number that the compiler itself
    /// reports. It becomes the name of a folder and an argument of a command, so it must not contain anything
    /// that is special there.
    pub(super) fn version<'a>(&self, version: &'a str) -> Result<&'a str, ToolchainError> {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '+' | '_');
        if !version.starts_with(|c: char| c.is_ascii_digit()) || !version.chars().all(plain) {
            let (family, version) = (self.name, version.to_owned());
            return Err(ToolchainError::NotExact { family, version });
        }
        let meant = self.republished.iter().find(|(_, package)| *package == version);
        Ok(meant.map_or(version, |(meant, _)| meant))
    }

    /// The version of the package that contains a version of the compiler.
    fn package_version<'a>(&self, version: &'a str) -> &'a str {
        let republished = self.republished.iter().find(|(name, _)| *name == version);
        republished.map_or(version, |(_, package)| package)
    }

    /// The packages that are requested from the package manager, each with its exact version.
    pub(super) fn packages(&self, version: &str) -> Vec<String> {
        let exact: fn(&str, &str) -> String = match self.ecosystem {
            Ecosystem::Npm => npm::exact,
            Ecosystem::Pip => pip::exact,
            Ecosystem::Apt => return apt::packages(self, version),
        };
        let own = exact(self.package, self.package_version(version));
        let companions = self.companions.iter().map(|(package, version)| exact(package, version));
        std::iter::once(own).chain(companions).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn families_are_unique_and_companions_have_exact_versions() {
        for family in FAMILIES {
            assert_eq!(Family::named(family.name).unwrap(), family, "two rows of one name");
            for (_, version) in family.companions {
                assert_eq!(family.version(version).unwrap(), *version);
            }
            for (version, package) in family.republished {
                assert_eq!(family.version(package).unwrap(), *version);
                assert!(family.packages(version)[0].ends_with(package));
            }
        }
    }

    #[test]
    fn a_republished_version_of_solc_is_installed_from_its_new_package() {
        let solc = Family::named("solc").unwrap();
        assert_eq!(solc.packages("0.8.7"), ["solc@0.8.7-fixed"]);
        assert_eq!(solc.packages("0.8.8"), ["solc@0.8.8"]);
        let resolc = Family::named("resolc").unwrap();
        assert_eq!(resolc.packages("0.3.0"), ["@parity/resolc@0.3.0", "solc@0.8.28"]);
        assert_eq!(Family::named("zig").unwrap().packages("0.17.0"), ["ziglang==0.17.0"]);
        assert_eq!(
            Family::named("clang").unwrap().packages("19"),
            ["clang-19", "llvm-19", "lld-19"]
        );
    }

    #[test]
    fn inexact_versions_and_unknown_families_are_rejected() {
        let solc = Family::named("solc").unwrap();
        for version in ["", "^0.8", "latest", "..", "1/../..", "-g", ">=1", "1 2", "1;x", "file:x"]
        {
            assert!(solc.version(version).is_err(), "{version}");
        }
        let unknown = Family::named("solcc").unwrap_err().to_string();
        assert!(unknown.contains("solcc") && unknown.contains("solc, resolc"), "{unknown}");
    }
}
