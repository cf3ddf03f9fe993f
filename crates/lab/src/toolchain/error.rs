//! Why a toolchain is not there. Each message says what can be done about it.

use std::io;
use std::path::{Path, PathBuf};

use crate::exec::ExecError;

#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    #[error("there is no family `{family}` to install (there are: {known})")]
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
    #[error("{family} needs {need}, which is not there: {get}")]
    Missing { family: &'static str, need: &'static str, get: &'static str },
    #[error(
        "the registry of {manager} is not in reach, so that {family} could not be installed: look at the \
         network, and at what {manager} is configured to use\n{said}"
    )]
    Unreachable { family: &'static str, manager: &'static str, said: String },
    #[error("the registry has no {family}@{version} for this machine; nearest are {nearest}")]
    NoVersion { family: &'static str, version: String, nearest: String },
    #[error("{manager} could not install {family}@{version}, although it is there:\n{said}")]
    Failed { family: &'static str, version: String, manager: &'static str, said: String },
    #[error(
        "{family}@{version} is not what it was: its packages have the same versions as when it was \
         installed before, but the files differ ({before} then, {now} now), and it was not installed. If that \
         is right, `mistrust toolchain remove --forget {family}@{version}` and add it again"
    )]
    Altered { family: &'static str, version: String, before: String, now: String },
    #[error("{path} cannot be read ({why}): it is only a record, and may be removed")]
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

    /// Whether the machine lacks what is needed (a package manager, a network), as opposed to the
    /// request being wrong or the result being unsound.
    pub fn is_lack(&self) -> bool {
        matches!(self, Self::Missing { .. } | Self::Unreachable { .. } | Self::Offline { .. })
    }
}
