//! Opens the database: creates it, migrates an older schema, rejects a newer or damaged one.

use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::lock::Lock;
use crate::store::StoreError;

/// The migrations from an empty database to the current schema. A released migration never changes; the number
/// of applied migrations is in `user_version`.
const MIGRATIONS: &[&str] = &[
    include_str!("migrations/0001_start.sql"),
    include_str!("migrations/0002_skeleton.sql"),
    include_str!("migrations/0003_generations.sql"),
];

const FILE: &str = "mistrust.db";

/// An output folder.
#[derive(Debug)]
pub struct SqliteStore {
    out: PathBuf,
    connection: Mutex<Connection>,
    /// `None` for a reader.
    _lock: Option<Lock>,
}

impl SqliteStore {
    /// Opens a folder for writing, and creates it if necessary. The lock file names `command` as its holder.
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
        let check: String =
            connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)).map_err(&sql)?;
        if check != "ok" {
            return Err(StoreError::Corrupt { path, message: check });
        }
        let store =
            Self { out: out.to_owned(), connection: Mutex::new(connection), _lock: Some(lock) };
        store.migrate()?;
        Ok(store)
    }

    /// Opens a folder for reading, also while another process writes to it.
    pub fn read(out: &Path) -> Result<Self, StoreError> {
        let path = out.join(FILE);
        if !path.exists() {
            return Err(StoreError::Absent { path: out.to_owned() });
        }
        // Readers share the WAL index of a running hunt and may have to create its file. If they cannot, as on a
        // read-only file system, no process can be writing, and the file can be opened as immutable.
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
        // Also the first query, which fails if the file is not a database.
        store.reject_newer()?;
        Ok(store)
    }

    pub fn out(&self) -> &Path {
        &self.out
    }

    pub(super) fn database(&self) -> PathBuf {
        self.out.join(FILE)
    }

    pub(super) fn connection(&self) -> MutexGuard<'_, Connection> {
        // A panic during a transaction rolls it back, so the connection stays usable.
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `work` on the connection. Errors name the database file.
    pub(super) fn with<T>(
        &self,
        work: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, StoreError> {
        work(&mut self.connection()).map_err(StoreError::sql(&self.database()))
    }

    fn reject_newer(&self) -> Result<u32, StoreError> {
        let found: u32 = self
            .with(|connection| connection.query_row("PRAGMA user_version", [], |row| row.get(0)))?;
        let known = MIGRATIONS.len() as u32;
        if found > known {
            return Err(StoreError::TooNew { path: self.database(), found, known });
        }
        Ok(found)
    }

    fn migrate(&self) -> Result<(), StoreError> {
        let found = self.reject_newer()?;
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

/// A path, escaped for an SQLite `file:` URI.
fn uri(path: &Path) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"/._-".contains(&byte);
    let bytes = path.as_os_str().as_bytes().iter();
    bytes
        .map(
            |&byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02x}") },
        )
        .collect()
}
