//! Errors of the output folder. Every message says what to do next.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why the output folder cannot be used.
#[derive(Debug, Error)]
pub enum StoreError {
    #[error("{path} is in use by {holder}: wait for it, or choose another folder with --out", path = path.display())]
    Held { path: PathBuf, holder: String },
    #[error("{path} contains no hunt: start one with `mistrust hunt --out {path}`", path = path.display())]
    Absent { path: PathBuf },
    #[error("{path} is not writable: check its permissions, or choose another folder with --out", path = path.display())]
    ReadOnly { path: PathBuf },
    #[error("no space is left at {path}: free some and run the same command again; stored results are kept", path = path.display())]
    Full { path: PathBuf },
    #[error("{path} is damaged ({message}): the findings are still in the folder beside it; move the damaged file away and hunt again", path = path.display())]
    Corrupt { path: PathBuf, message: String },
    #[error("{path} was written by a newer Mistrust (schema {found}, this one knows {known}): update Mistrust, or choose another folder with --out", path = path.display())]
    TooNew { path: PathBuf, found: u32, known: u32 },
    #[error("there is no finding `{id}` in {path}: `mistrust findings` lists them", path = path.display())]
    NoFinding { id: String, path: PathBuf },
    #[error("`{id}` is a prefix of several findings: {candidates}")]
    Ambiguous { id: String, candidates: String },
    #[error("cannot {doing} {path}: {source}", path = path.display())]
    Io { doing: &'static str, path: PathBuf, source: io::Error },
    #[error("the database {path} failed: {source}", path = path.display())]
    Sql { path: PathBuf, source: rusqlite::Error },
}

impl StoreError {
    pub(crate) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| {
            let path = path.to_owned();
            match source.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { path },
                io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                    Self::ReadOnly { path }
                }
                _ => Self::Io { doing, path, source },
            }
        }
    }

    pub(super) fn sql(path: &Path) -> impl Fn(rusqlite::Error) -> Self + use<> {
        let path = path.to_owned();
        move |source| {
            use rusqlite::ErrorCode;
            let path = path.clone();
            match source.sqlite_error_code() {
                Some(ErrorCode::DiskFull | ErrorCode::SystemIoFailure) => Self::Full { path },
                Some(ErrorCode::ReadOnly | ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => {
                    Self::ReadOnly { path }
                }
                Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                    Self::Corrupt { path, message: source.to_string() }
                }
                _ => Self::Sql { path, source },
            }
        }
    }
}
