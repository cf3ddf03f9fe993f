//! The manifest of an installed version: a file in its folder that lists its packages and its checksum. A folder
//! without a manifest is not an installed version. Writing it at the right moment is left to `install`.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{ToolchainError, Toolchains, checksum};

pub(super) const FILE: &str = "manifest.json";

/// The record of an installed version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    pub family: String,
    pub version: String,
    /// The platform that the files depend on: `x86_64-linux`, `x86_64-linux python3.11`.
    pub host: String,
    /// All packages, including dependencies, sorted: `solc@0.8.28`.
    pub packages: Vec<String>,
    /// Over all files except those that depend on the folder; see `checksum`.
    pub checksum: String,
    pub bytes: u64,
    /// How its tools are started, for families from Debian.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loader: Option<Loader>,
}

/// Starts programs with a C library that is not the machine's. Paths are relative to the folder of the version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loader {
    /// The dynamic loader of that C library.
    pub program: String,
    /// The folders of shared libraries.
    pub libraries: Vec<String>,
    /// The folders of tools that start no other programs.
    pub tools: Vec<String>,
}

/// An installed version.
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

    /// The value of `NODE_PATH` for the packages, for families from npm.
    pub fn node_modules(&self) -> PathBuf {
        self.folder.join("node_modules")
    }

    /// The Python interpreter with the packages, for families from PyPI. Compilers are called with `-m`.
    pub fn python(&self) -> PathBuf {
        self.folder.join("venv/bin/python3")
    }

    /// The compiler's executable, for families from Debian.
    pub fn program(&self) -> PathBuf {
        self.folder.join("bin").join(&self.manifest.family)
    }

    /// A tool that is linked statically and so needs no loader, for families from Debian. Debian may append
    /// `-static` to its name.
    pub fn static_tool(&self, name: &str) -> Option<PathBuf> {
        let loader = self.manifest.loader.as_ref()?;
        let folders = loader.tools.iter().map(|folder| self.folder.join(folder));
        let names = |folder: PathBuf| [folder.join(format!("{name}-static")), folder.join(name)];
        folders.flat_map(names).find(|path| path.is_file())
    }

    /// The toolchains that it was installed among.
    pub fn siblings(&self) -> Option<Toolchains> {
        Toolchains::open(self.folder.parent()?.parent()?).ok()
    }

    /// The words that start a tool, for families from Debian: its loader, the library path and the program. No
    /// shell is involved. A compiler that starts other programs is started by [`Installed::program`] instead.
    pub fn tool(&self, name: &str) -> Option<Vec<String>> {
        let loader = self.manifest.loader.as_ref()?;
        let path = |path: &String| self.folder.join(path).display().to_string();
        let program = loader.tools.iter().map(|folder| self.folder.join(folder).join(name));
        let program = program.into_iter().find(|program| program.is_file())?;
        let libraries: Vec<String> = loader.libraries.iter().map(path).collect();
        let start = [path(&loader.program), "--library-path".to_owned(), libraries.join(":")];
        Some(start.into_iter().chain([program.display().to_string()]).collect())
    }

    /// Whether all files are unchanged since the installation. Reads all of them.
    pub fn is_intact(&self) -> Result<bool, ToolchainError> {
        Ok(checksum::of(&self.folder)?.checksum == self.manifest.checksum)
    }
}
