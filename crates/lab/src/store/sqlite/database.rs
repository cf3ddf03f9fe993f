//! Opens the database: creates it, brings an older one up to date, refuses a newer or damaged one.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::lock::Lock;
use crate::store::StoreError;

/// The steps from nothing to the present schema. A step that was once released never changes; the
/// number of steps taken is in `user_version`.
const MIGRATIONS: &[&str] =
    &[include_str!("migrations/0001_start.sql"), include_str!("migrations/0002_skeleton.sql")];

const FILE: &str = "mistrust.db";

/// An output folder.
#[derive(Debug)]
pub struct SqliteStore {
    out: PathBuf,
    connection: Mutex<Connection>,
    /// None for a reader.
    _lock: Option<Lock>,
}

impl SqliteStore {
    /// Opens a folder to write to it, and creates it if need be. `command` tells others who holds it.
    pub fn open(out: &Path, command: &str) -> Result<Self, StoreError> {
        std::fs::create_dir_all(out).map_err(StoreError::io("create", out))?;
        let lock = Lock::take(out, command)?;
        let path = out.join(FILE);
        let sql = StoreError::sql(&path);
        let connection = Connection::open(&path).map_err(&sql)?;
        connection.busy_timeout(Duration::from_secs(10)).map_err(&sql)?;
        connection.pragma_update(None, "journal_mode", "WAL").map_err(&sql)?;
        connection.pragma_update(None, "synchronous", "NORMAL").map_err(&sql)?;
        connection.pragma_update(None, "foreign_keys", true).map_err(&sql)?;
        let verdict: String =
            connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(&sql)?;
        if verdict != "ok" {
            return Err(StoreError::Corrupt { path, message: verdict });
        }
        let store =
            Self { out: out.to_owned(), connection: Mutex::new(connection), _lock: Some(lock) };
        store.migrate()?;
        Ok(store)
    }

    /// Opens a folder to read it, whoever is writing.
    pub fn read(out: &Path) -> Result<Self, StoreError> {
        let path = out.join(FILE);
        if !path.exists() {
            return Err(StoreError::Absent { path: out.to_owned() });
        }
        // The journal of a running hunt is shared with its readers, who need a file for that. Where none
        // can be made, as on a read-only disk, nobody can be writing either.
        let shared = format!("file:{}", uri(&path));
        Self::reader(out, &shared)
            .or_else(|first| Self::reader(out, &format!("{shared}?immutable=1")).map_err(|_| first))
    }

    fn reader(out: &Path, uri: &str) -> Result<Self, StoreError> {
        let path = out.join(FILE);
        let sql = StoreError::sql(&path);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_URI;
        let connection = Connection::open_with_flags(uri, flags).map_err(&sql)?;
        connection.busy_timeout(Duration::from_secs(10)).map_err(&sql)?;
        let store = Self { out: out.to_owned(), connection: Mutex::new(connection), _lock: None };
        // A file that is no database shows it at the first question.
        store.refuse_newer()?;
        Ok(store)
    }

    pub fn out(&self) -> &Path {
        &self.out
    }

    pub(super) fn database(&self) -> PathBuf {
        self.out.join(FILE)
    }

    pub(super) fn connection(&self) -> MutexGuard<'_, Connection> {
        // A panic in the middle of a transaction rolls it back, so the connection stays good.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something done with the database, with errors that name the file.
    pub(super) fn with<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        work(&mut self.connection()).map_err(StoreError::sql(&self.database()))
    }

    fn refuse_newer(&self) -> Result<u32, StoreError> {
        let found: u32 = self
            .with(|connection| connection.query_row("PRAGMA user_version", [], |row| row.get(0)))?;
        let known = MIGRATIONS.len() as u32;
        if found > known {
            return Err(StoreError::TooNew { path: self.database(), found, known });
        }
        Ok(found)
    }

    fn migrate(&self) -> Result<(), StoreError> {
        let found = self.refuse_newer()?;
        for (number, step) in (1..).zip(MIGRATIONS).skip(found as usize) {
            self.with(|connection| {
                let transaction = connection.transaction()?;
                transaction.execute_batch(step)?;
                transaction.pragma_update(None, "user_version", number)?;
                transaction.commit()
            })?;
        }
        Ok(())
    }
}

/// A path as SQLite reads it after `file:`.
fn uri(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let bytes = path.as_os_str().as_bytes().iter();
    bytes
        .map(
            |&byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02x}") },
        )
        .collect()
}
