//! Why a toolchain is not available. Each message says what the user can do.

use std::io;
use std::path::{Path, PathBuf};

use crate::exec::ExecError;

/// Why a toolchain cannot be installed, found or removed.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    #[error("no family `{family}` can be installed (known: {known})")]
    UnknownFamily { family: String, known: String },
    #[error(
        "`{version}` is not one exact version of {family}: `mistrust toolchain available {family}` \
         lists them"
    )]
    NotExact { family: &'static str, version: String },
    #[error(
        "{family}@{version} is not installed, and nothing may be installed (--offline): \
         run `mistrust toolchain add {family}@{version}` where there is a network"
    )]
    Offline { family: &'static str, version: String },
    #[error("{family} needs {need}, which was not found: {get}")]
    Missing { family: &'static str, need: &'static str, get: &'static str },
    #[error(
        "the registry of {manager} is not in reach, so {family} could not be installed: check the network \
         and the configuration of {manager}\n{said}"
    )]
    Unreachable { family: &'static str, manager: &'static str, said: String },
    #[error(
        "the registry has no {family}@{version} for this machine; the nearest versions are {nearest}"
    )]
    NoVersion { family: &'static str, version: String, nearest: String },
    #[error(
        "{family}@{version} needs Python {range}, and python3 is another version: start mistrust with such a Python first \
         in PATH"
    )]
    OtherPython { family: &'static str, version: String, range: String },
    #[error(
        "{manager} failed to install {family}@{version}, although the registry has it:\n{said}"
    )]
    Failed { family: &'static str, version: String, manager: &'static str, said: String },
    #[error(
        "{family}@{version} is not what it was: its packages have the same versions as in the previous \
         installation, but the files differ (checksum {before} then, {now} now), so it was not installed. If \
         the change is expected, run `mistrust toolchain remove --forget {family}@{version}` and add it again"
    )]
    Altered { family: &'static str, version: String, before: String, now: String },
    #[error(
        "cannot read the lock file {path} ({why}): it only records checksums and may be removed"
    )]
    Lockfile { path: PathBuf, why: String },
    #[error("cannot {doing} {path}: {source}")]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error(transparent)]
    Exec(#[from] ExecError),
}

impl ToolchainError {
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }

    /// Whether the machine lacks a package manager or the network, as opposed to an invalid request or a wrong
    /// result.
    pub fn is_lack(&self) -> bool {
        matches!(self, Self::Missing { .. } | Self::Unreachable { .. } | Self::Offline { .. })
    }
}
