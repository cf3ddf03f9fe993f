//! What concurrent processes share: a file lock, which lets only one of them install at a time and which
//! Linux releases when its holder ends; and `toolchains.lock`, the lock file with the checksums of everything
//! that was ever installed. When an entry is written is left to `install`.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{Manifest, ToolchainError};

const LOCK: &str = ".held";
const RECORD: &str = "toolchains.lock";

/// The exclusive right to change the folder, until this is dropped.
#[derive(Debug)]
pub(super) struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Waits until no other process has the lock; `waiting` is called first if one has.
    pub(super) fn acquire(folder: &Path, waiting: impl FnOnce()) -> Result<Self, ToolchainError> {
        let path = folder.join(LOCK);
        let file = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(ToolchainError::io("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                waiting();
                file.lock().map_err(ToolchainError::io("lock", &path))?;
            }
            Err(std::fs::TryLockError::Error(error)) => {
                return Err(ToolchainError::io("lock", &path)(error));
            }
        }
        Ok(Self { _file: file })
    }
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) host: String,
    pub(super) checksum: String,
    pub(super) packages: Vec<String>,
}

/// How an installation compares with the previous one.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    /// It is the first one, or for another platform, or the same.
    Fine,
    /// Dependencies have different versions: these were removed (`-`) or added (`+`).
    Moved(Vec<String>),
    /// The same packages with different files. The previous checksum.
    Altered(String),
}

/// The lock file: one entry per `FAMILY@VERSION`.
#[derive(Debug)]
pub(super) struct Lockfile {
    path: PathBuf,
    entries: BTreeMap<String, Entry>,
}

impl Lockfile {
    pub(super) fn read(folder: &Path) -> Result<Self, ToolchainError> {
        let path = folder.join(RECORD);
        let text = match std::fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(ToolchainError::io("read", &path)(error)),
        };
        match toml::from_str(&text) {
            Ok(entries) => Ok(Self { path, entries }),
            Err(error) => Err(ToolchainError::Lockfile { path, why: error.to_string() }),
        }
    }

    pub(super) fn entry(&self, family: &str, version: &str) -> Option<&Entry> {
        self.entries.get(&format!("{family}@{version}"))
    }

    pub(super) fn compare(&self, manifest: &Manifest) -> Comparison {
        let Some(entry) = self.entry(&manifest.family, &manifest.version) else {
            return Comparison::Fine;
        };
        if entry.host != manifest.host || entry.checksum == manifest.checksum {
            return Comparison::Fine;
        }
        if entry.packages == manifest.packages {
            return Comparison::Altered(entry.checksum.clone());
        }
        let only = |these: &[String], those: &[String], sign: char| -> Vec<String> {
            let others = these.iter().filter(|package| !those.contains(package));
            others.map(|package| format!("{sign}{package}")).collect()
        };
        let mut moved = only(&entry.packages, &manifest.packages, '-');
        moved.extend(only(&manifest.packages, &entry.packages, '+'));
        Comparison::Moved(moved)
    }

    pub(super) fn record(&mut self, manifest: &Manifest) {
        let Manifest { family, version, host, packages, checksum, .. } = manifest.clone();
        self.entries.insert(format!("{family}@{version}"), Entry { host, checksum, packages });
    }

    /// Removes an entry. Returns whether there was one.
    pub(super) fn forget(&mut self, family: &str, version: &str) -> bool {
        self.entries.remove(&format!("{family}@{version}")).is_some()
    }

    /// Replaces the file atomically. Requires a [`FolderLock`].
    pub(super) fn write(&self) -> Result<(), ToolchainError> {
        let failed = || ToolchainError::io("write", &self.path);
        let text = toml::to_string_pretty(&self.entries)
            .map_err(|error| failed()(io::Error::other(error)))?;
        let fresh = self.path.with_extension("lock.new");
        std::fs::write(&fresh, text).map_err(failed())?;
        std::fs::rename(&fresh, &self.path).map_err(failed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(packages: &[&str], checksum: &str) -> Manifest {
        Manifest {
            family: "solc".to_owned(),
            version: "0.8.28".to_owned(),
            host: "x".to_owned(),
            packages: packages.iter().map(|&package| package.to_owned()).collect(),
            checksum: checksum.to_owned(),
            bytes: 1,
            loader: None,
        }
    }

    #[test]
    fn altered_files_are_distinguished_from_changed_dependencies() {
        let folder = tempfile::tempdir().unwrap();
        let mut lockfile = Lockfile::read(folder.path()).unwrap();
        let first = manifest(&["solc@0.8.28", "tmp@1"], "a");
        assert_eq!(lockfile.compare(&first), Comparison::Fine);
        lockfile.record(&first);
        lockfile.write().unwrap();

        let mut lockfile = Lockfile::read(folder.path()).unwrap();
        assert_eq!(lockfile.compare(&first), Comparison::Fine);
        let altered = manifest(&["solc@0.8.28", "tmp@1"], "b");
        assert_eq!(lockfile.compare(&altered), Comparison::Altered("a".to_owned()));
        let elsewhere = Manifest { host: "y".to_owned(), ..altered.clone() };
        assert_eq!(lockfile.compare(&elsewhere), Comparison::Fine);
        let moved = manifest(&["solc@0.8.28", "tmp@2"], "b");
        let changes = vec!["-tmp@1".to_owned(), "+tmp@2".to_owned()];
        assert_eq!(lockfile.compare(&moved), Comparison::Moved(changes));
        assert!(lockfile.forget("solc", "0.8.28"));
        assert!(!lockfile.forget("solc", "0.8.28"));
        assert_eq!(lockfile.compare(&altered), Comparison::Fine);

        std::fs::write(folder.path().join(RECORD), "not a lock file").unwrap();
        let error = Lockfile::read(folder.path()).unwrap_err().to_string();
        assert!(error.contains(RECORD) && error.contains("may be removed"), "{error}");
    }

    #[test]
    fn the_folder_lock_is_exclusive() {
        let folder = tempfile::tempdir().unwrap();
        let mut waited = false;
        let first = FolderLock::acquire(folder.path(), || waited = true).unwrap();
        assert!(!waited);
        let (waits, told) = std::sync::mpsc::channel();
        let path = folder.path().to_owned();
        let second =
            std::thread::spawn(move || FolderLock::acquire(&path, || waits.send(()).unwrap()));
        told.recv().unwrap();
        assert!(!second.is_finished());
        drop(first);
        second.join().unwrap().unwrap();
    }
}
