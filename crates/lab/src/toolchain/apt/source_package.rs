//! Tests of compilers, from Debian's source package of a version. Of the archive, which has some hundred megabytes,
//! only some files of one folder of tests are kept. Lists of source packages are read for the suite that is needed
//! only, and verified like all others. What is made of the tests is left to `lab::corpus`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::super::install::CONTENTS;
use super::super::manager::{Contents, Workshop, said};
use super::super::{Family, ToolchainError};
use super::offer::Offer;
use super::recipe::{Naming, Recipe};
use super::suite;
use super::unpack::entries;

/// A family of tests.
#[derive(Debug)]
pub(super) struct Tests {
    family: &'static str,
    /// The family of the compiler that is built from the same source package.
    pub(super) compiler: &'static str,
    /// The files, as a pattern below the top of the archive.
    files: &'static str,
    /// The beginning of the name of an archive inside of the archive, which has the files.
    inner: Option<&'static str>,
}

const TESTS: &[Tests] = &[
    Tests {
        family: "llvm-tests",
        compiler: "clang",
        files: "llvm/test/Transforms/*.ll",
        inner: None,
    },
    Tests {
        family: "llvm-analysis-tests",
        compiler: "clang",
        files: "llvm/test/Analysis/*.ll",
        inner: None,
    },
    Tests {
        family: "llvm-codegen-tests",
        compiler: "clang",
        files: "llvm/test/CodeGen/*.ll",
        inner: None,
    },
    Tests { family: "clang-tests", compiler: "clang", files: "clang/test/*.c", inner: None },
    Tests { family: "rust-ui", compiler: "rustc", files: "tests/ui/*.rs", inner: None },
    Tests {
        family: "gcc-torture",
        compiler: "gcc",
        files: "gcc/testsuite/gcc.c-torture/*.c",
        inner: Some("gcc-"),
    },
];

impl Tests {
    pub(super) fn of(family: &str) -> Option<&'static Self> {
        TESTS.iter().find(|tests| tests.family == family)
    }

    /// The name of the source package.
    pub(super) fn package(&self, package: &str, version: &str) -> String {
        match Recipe::of(self.compiler).map(|it| it.naming) {
            Some(Naming::Plain) => package.to_owned(),
            Some(Naming::Numbered | Naming::Joined) | None => format!("{package}-{version}"),
        }
    }

    pub(super) fn install(
        &self,
        family: &'static Family,
        version: &str,
        offers: &[Offer],
        shop: &Workshop,
    ) -> Result<Contents, ToolchainError> {
        for (need, get) in [("tar", "install tar"), ("xz", "install xz-utils")] {
            let run = shop.call(family, vec![need.into(), "--version".into()]);
            if !run.is_ok_and(|run| run.ending.success()) {
                return Err(ToolchainError::Missing { family: family.name, need, get });
            }
        }
        let archive = download(family, version, offers, shop)?;
        let contents = shop.scratch.path().join(CONTENTS);
        std::fs::create_dir_all(&contents).map_err(ToolchainError::io("make", &contents))?;
        let unpack = |archive: &Path, to: &Path, files: &str| -> Result<(), ToolchainError> {
            let mut argv: Vec<OsString> = vec!["tar".into(), "-x".into(), "-f".into()];
            argv.extend([archive.into(), "-C".into(), to.into()]);
            argv.extend(["--strip-components=1", "--wildcards", files].map(OsString::from));
            let run = shop.call(family, argv)?;
            match run.ending.success() {
                true => Ok(()),
                false => Err(family.failed(version, &[said(&run)])),
            }
        };
        let files = format!("*/{}", self.files);
        match self.inner {
            None => unpack(&archive, &contents, &files)?,
            Some(name) => {
                let folder = shop.scratch.path().join("inner");
                std::fs::create_dir_all(&folder).map_err(ToolchainError::io("make", &folder))?;
                unpack(&archive, &folder, &format!("*/{name}*.tar.*"))?;
                for inner in entries(&folder)? {
                    unpack(&inner, &contents, &files)?;
                }
            }
        }
        let package = package(&archive).unwrap_or_else(|| format!("{}@{version}", family.package));
        let _ = std::fs::remove_file(&archive);
        // The same for all machines.
        Ok(Contents { host: "any".to_owned(), packages: vec![package], loader: None })
    }
}

/// Downloads the archive of a version from the first suite that still has it.
fn download(
    family: &'static Family,
    version: &str,
    offers: &[Offer],
    shop: &Workshop,
) -> Result<PathBuf, ToolchainError> {
    let mut complaints: Vec<String> = vec![];
    for offer in offers.iter().filter(|offer| offer.version == version) {
        let name = &offer.suite.name;
        let Some(suite) = suite::with_source_packages(&offer.suite, family, shop)? else {
            complaints.push(format!("  from {name}:\n  its list of source packages is missing"));
            continue;
        };
        let mut argv: Vec<OsString> = vec!["apt-get".into()];
        argv.extend(suite.options());
        argv.extend(["-t".into(), name.into()]);
        let options = "source --quiet --download-only --tar-only --only-source";
        argv.extend(options.split(' ').map(OsString::from));
        argv.extend(family.packages(version).into_iter().map(OsString::from));
        // It downloads into the current folder, which is the scratch directory.
        let run = shop.call(family, argv)?;
        let archive = archive(shop)?;
        match archive {
            Some(archive) if run.ending.success() => return Ok(archive),
            // Nothing is left of an attempt from another suite.
            Some(archive) => drop(std::fs::remove_file(archive)),
            None => {}
        }
        complaints.push(format!("  from {name}:\n{}", said(&run)));
    }
    Err(family.failed(version, &complaints))
}

fn archive(shop: &Workshop) -> Result<Option<PathBuf>, ToolchainError> {
    let files = entries(shop.scratch.path())?;
    Ok(files.into_iter().find(|file| package(file).is_some()))
}

/// `llvm-toolchain-19@19.1.7` from `llvm-toolchain-19_19.1.7.orig.tar.xz`.
fn package(archive: &std::path::Path) -> Option<String> {
    let (name, kind) = archive.file_name()?.to_str()?.split_once(".orig.tar.")?;
    let (package, version) = name.split_once('_')?;
    (!kind.contains('.')).then(|| format!("{package}@{version}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_archive_is_known_by_its_name() {
        let package = |name: &str| package(std::path::Path::new(name));
        let orig = "/x/llvm-toolchain-19_19.1.7.orig.tar.xz";
        assert_eq!(package(orig).unwrap(), "llvm-toolchain-19@19.1.7");
        assert_eq!(package("/x/llvm-toolchain-19_19.1.7-3.debian.tar.xz"), None);
        assert_eq!(package("/x/llvm-toolchain-19_19.1.7.orig.tar.xz.asc"), None);
    }
}
