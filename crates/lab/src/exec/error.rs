//! Why a program could not be started or monitored. A program that fails is not an error but has an
//! [`Ending`](super::Ending).

use std::io;
use std::path::{Path, PathBuf};

/// Why an order could not be executed. Each message says what the user can do.
#[derive(Debug, thiserror::Error)]
pub enum ExecError {
    #[error("the order names no program")]
    NoProgram,
    #[error("`{program}` (or its interpreter) was not found: install it, or give its full path")]
    NotFound { program: String },
    #[error(
        "no permission to execute `{program}`: check its mode (chmod +x) and its mount options"
    )]
    PermissionDenied { program: String },
    #[error(
        "`{program}` is not executable on this machine: install the build for its architecture"
    )]
    NotExecutable { program: String },
    #[error("no space is left at {path}: free some, or choose another scratch directory")]
    NoSpace { path: PathBuf },
    #[error("the system refused to start `{program}` ({source}): run fewer jobs at a time")]
    Overloaded { program: String, source: io::Error },
    #[error("{path} cannot be used as scratch directory ({source}): choose another one")]
    Scratch { path: PathBuf, source: io::Error },
    #[error(
        "the sandbox failed for `{program}` although its probe succeeded: turn the sandbox off"
    )]
    Confinement { program: String },
    #[error("process {pid} survived SIGKILL: see `cat /proc/{pid}/stack` for what it waits for")]
    Unkillable { pid: i32 },
    #[error("the time is up")]
    Late,
    #[error("the machine has run out of something that `{program}` needs ({what})")]
    Starved { program: String, what: String },
    #[error("cannot {doing}: {source}")]
    Io { doing: &'static str, source: io::Error },
}

/// The `errno` that the child reports if the sandbox could not be entered. `execve` never fails with it.
pub(super) const CONFINEMENT_FAILED: i32 = libc::EPROTO;

/// The error with that number.
pub(super) fn confinement_failed() -> io::Error {
    io::Error::from_raw_os_error(CONFINEMENT_FAILED)
}

impl ExecError {
    pub(super) fn io(doing: &'static str) -> impl FnOnce(io::Error) -> ExecError {
        move |source| ExecError::Io { doing, source }
    }

    /// An operation on the scratch directory `path` failed.
    pub(super) fn scratch(path: &Path, source: io::Error) -> ExecError {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                ExecError::NoSpace { path }
            }
            _ => ExecError::Scratch { path, source },
        }
    }

    /// `program` could not be started in the directory `cwd`.
    pub(super) fn start(program: String, cwd: &Path, source: io::Error) -> ExecError {
        match source.raw_os_error() {
            // Linux reports a missing working directory just like a missing program.
            Some(libc::ENOENT | libc::ENOTDIR) if !cwd.is_dir() => {
                ExecError::Scratch { path: cwd.to_owned(), source }
            }
            Some(libc::ENOENT | libc::ENOTDIR) => ExecError::NotFound { program },
            Some(libc::EACCES | libc::EPERM) => ExecError::PermissionDenied { program },
            Some(libc::ENOEXEC | libc::ELIBBAD) => ExecError::NotExecutable { program },
            Some(libc::ENOSPC | libc::EDQUOT) => ExecError::NoSpace { path: cwd.to_owned() },
            Some(libc::EAGAIN | libc::ENOMEM | libc::EMFILE | libc::ENFILE) => {
                ExecError::Overloaded { program, source }
            }
            Some(CONFINEMENT_FAILED) => ExecError::Confinement { program },
            _ => ExecError::Io { doing: "start a process", source },
        }
    }
}
