//! Installs compilers by family and version, side by side in one folder, with the package managers of the
//! machine: `npm`, `pip` and `apt-get`. They use their own configuration; no registry is hard-coded here.
//!
//! A [`Toolchains`] is that folder. `FAMILY/VERSION/` contains one version with its [`Manifest`]; it is renamed
//! to that place once it is complete, so an installed version is never partial. The lock file,
//! `toolchains.lock`, contains the checksum of every version that was ever installed, to be compared when the
//! same version is installed again. The table of families and their packages is in `family`. How a compiler is
//! called is left to the targets; rustup's toolchains are found by `target/rustc` and not installed.

mod apt;
mod checksum;
mod error;
mod family;
mod install;
mod intact;
mod interpreter;
mod lock;
mod manager;
mod manifest;
mod npm;
mod pip;

pub use apt::{Remembered, Unreadable};
pub use error::ToolchainError;
pub use family::{FAMILIES, Family};
pub use install::Notice;
pub use manager::{Ecosystem, Need};
pub use manifest::{Installed, Loader, Manifest};

use std::path::{Path, PathBuf};

use crate::version::version_order;
use lock::Lockfile;

/// The folder of downloads and incomplete installations, beside the families.
const WORKSHOP: &str = ".workshop";

/// The folder of package lists of Debian's suites.
const SUITES: &str = ".suites";

/// The folder of all installed toolchains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchains {
    folder: PathBuf,
}

impl Toolchains {
    /// The toolchains in a folder, which is created by the first installation.
    pub fn open(folder: &Path) -> Result<Self, ToolchainError> {
        let folder =
            std::path::absolute(folder).map_err(ToolchainError::io("find the folder", folder))?;
        Ok(Self { folder })
    }

    /// The default folder, in the user's cache directory.
    pub fn usual_folder() -> Option<PathBuf> {
        let set = |name| std::env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute());
        let cache =
            set("XDG_CACHE_HOME").or_else(|| set("HOME").map(|home| home.join(".cache")))?;
        Some(cache.join("mistrust/toolchains"))
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The versions of a family that are installed, from old to new.
    pub fn installed(&self, family: &str) -> Vec<String> {
        let family = Family::named(family).map_or(family, |family| family.name);
        let entries = std::fs::read_dir(self.folder.join(family)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut versions: Vec<String> =
            names.filter(|version| self.get(family, version).is_some()).collect();
        versions.sort_by_key(|version| version_order(Some(version)));
        versions
    }

    /// One version, if it is installed. Only its manifest is read; [`Installed::is_intact`] reads all files.
    pub fn get(&self, family: &str, version: &str) -> Option<Installed> {
        let family = Family::named(family).ok()?;
        let version = family.version(version).ok()?;
        Installed::at(&self.place(family, version)).filter(|installed| {
            installed.manifest().family == family.name && installed.manifest().version == version
        })
    }

    /// The versions of a family in the registry, from old to new.
    pub fn available(&self, family: &str) -> Result<Vec<String>, ToolchainError> {
        let family = Family::named(family)?;
        let shop = self.workshop()?;
        family.ecosystem.available(family, &shop)
    }

    /// The versions of a family in the lists of Debian's suites that were read before. Nothing is read from the
    /// network. Empty for other families.
    pub fn remembered(&self, family: &str) -> Result<Remembered, ToolchainError> {
        let family = Family::named(family)?;
        if !self.folder.join(SUITES).is_dir() {
            return Ok(Remembered::default());
        }
        apt::remembered(family, &self.workshop()?)
    }

    /// The suites of Debian whose lists could not be read the last time, and why.
    pub fn unreadable_suites(&self) -> Vec<Unreadable> {
        apt::unreadable(&self.folder.join(SUITES))
    }

    /// The checksum in the lock file of a version, whether it is still installed or not.
    pub fn recorded_checksum(&self, family: &str, version: &str) -> Option<String> {
        let lockfile = Lockfile::read(&self.folder).ok()?;
        lockfile.entry(family, version).map(|entry| entry.checksum.clone())
    }

    fn place(&self, family: &Family, version: &str) -> PathBuf {
        self.folder.join(family.name).join(version)
    }
}
