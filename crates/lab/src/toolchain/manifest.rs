//! What lies beside an installed version and says what it is. A folder without one is not installed.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{ToolchainError, checksum};

pub(super) const FILE: &str = "manifest.json";

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub family: String,
    pub version: String,
    /// What the files depend on besides the packages: `x86_64-linux`, `x86_64-linux python3.11`.
    pub host: String,
    /// Every package, also those that others need, sorted: `solc@0.8.28`.
    pub packages: Vec<String>,
    /// Of all files but those that differ from folder to folder.
    pub checksum: String,
    pub bytes: u64,
}

/// A version that is there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    folder: PathBuf,
    manifest: Manifest,
}

impl Installed {
    pub(super) fn at(folder: &Path) -> Option<Self> {
        let text = std::fs::read(folder.join(FILE)).ok()?;
        let manifest = serde_json::from_slice(&text).ok()?;
        Some(Self { folder: folder.to_owned(), manifest })
    }

    pub(super) fn write(folder: &Path, manifest: &Manifest) -> Result<(), ToolchainError> {
        let path = folder.join(FILE);
        let text = serde_json::to_string_pretty(manifest)
            .map_err(|error| ToolchainError::io("write", &path)(error.into()))?;
        std::fs::write(&path, text + "\n").map_err(ToolchainError::io("write", &path))
    }

    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    pub fn version(&self) -> &str {
        &self.manifest.version
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// What Node has to be told to find the packages (`NODE_PATH`), for families from npm.
    pub fn node_modules(&self) -> PathBuf {
        self.folder.join("node_modules")
    }

    /// The interpreter that has the packages, for families from PyPI. Modules are called by `-m`.
    pub fn python(&self) -> PathBuf {
        self.folder.join("venv/bin/python3")
    }

    /// The compiler itself, for families from Debian.
    pub fn program(&self) -> PathBuf {
        self.folder.join("bin").join(&self.manifest.family)
    }

    /// Whether all files are as they were installed. Reads all of them.
    pub fn is_intact(&self) -> Result<bool, ToolchainError> {
        Ok(checksum::of(&self.folder)?.checksum == self.manifest.checksum)
    }
}
