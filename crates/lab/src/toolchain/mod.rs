//! Compilers by family and version, installed side by side into one folder by the package managers of
//! the machine: `npm`, `pip` and `apt-get`, called as they are configured. No registry is named here.
//!
//! A [`Toolchains`] is that folder. `FAMILY/VERSION/` holds one version, with a [`Manifest`]; it appears
//! there by being renamed, once it is complete, so that what is there is whole. `toolchains.lock` keeps
//! the checksum of everything that was ever installed, so that the same version installed again can be
//! compared. Which families there are, and from which packages, is the table in `family`. How a compiler
//! is called is left to the targets; toolchains of rustup are found by `target/rustc`, not installed.

mod apt;
mod checksum;
mod error;
mod family;
mod install;
mod lock;
mod manager;
mod manifest;
mod npm;
mod pip;

pub use error::ToolchainError;
pub use family::{FAMILIES, Family};
pub use install::Notice;
pub use manager::{Ecosystem, Need};
pub use manifest::{Installed, Manifest};

use std::path::{Path, PathBuf};

use crate::target::version_order;
use lock::Lockfile;

/// Where downloads and half-made installs are, beside the families.
const WORKSHOP: &str = ".workshop";

/// The folder of all installed toolchains.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchains {
    folder: PathBuf,
}

impl Toolchains {
    /// The toolchains in a folder, which is made when something is installed.
    pub fn open(folder: &Path) -> Result<Self, ToolchainError> {
        let folder =
            std::path::absolute(folder).map_err(ToolchainError::io("find the folder", folder))?;
        Ok(Self { folder })
    }

    /// Where toolchains are unless somebody says otherwise: in the user's own cache.
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
        let entries = std::fs::read_dir(self.folder.join(family)).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut versions: Vec<String> =
            names.filter(|version| self.get(family, version).is_some()).collect();
        versions.sort_by_key(|version| version_order(Some(version)));
        versions
    }

    /// One version, if it is installed. Only its manifest is looked at; [`Installed::is_intact`] reads
    /// all of it.
    pub fn get(&self, family: &str, version: &str) -> Option<Installed> {
        let family = Family::named(family).ok()?;
        let version = family.version(version).ok()?;
        Installed::at(&self.place(family, version)).filter(|installed| {
            installed.manifest().family == family.name && installed.manifest().version == version
        })
    }

    /// What the registry of this machine has of a family, from old to new.
    pub fn available(&self, family: &str) -> Result<Vec<String>, ToolchainError> {
        let family = Family::named(family)?;
        let shop = self.workshop()?;
        family.ecosystem.available(family, &shop)
    }

    /// What the lock file says of a version that was installed at any time.
    pub fn recorded_checksum(&self, family: &str, version: &str) -> Option<String> {
        let lockfile = Lockfile::read(&self.folder).ok()?;
        lockfile.entry(family, version).map(|entry| entry.checksum.clone())
    }

    fn place(&self, family: &Family, version: &str) -> PathBuf {
        self.folder.join(family.name).join(version)
    }
}
