//! Prevents two hunts from writing to one folder. It is an advisory file lock, which Linux releases when its
//! holder ends. The text in the file names the holder, for error messages.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, Write as _};
use std::path::Path;

use crate::store::StoreError;

#[derive(Debug)]
pub(super) struct Lock {
    /// Open as long as the lock is held.
    _file: File,
}

impl Lock {
    pub(super) fn take(out: &Path, command: &str) -> Result<Self, StoreError> {
        let path = out.join("lock");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(&path)
            .map_err(StoreError::io("open", &path))?;
        match file.try_lock() {
            Ok(()) => {}
            Err(std::fs::TryLockError::WouldBlock) => {
                let mut holder = String::new();
                // The holder may not have written its name yet.
                let _ = file.read_to_string(&mut holder);
                let holder = holder.trim();
                let holder = if holder.is_empty() { "another process" } else { holder }.to_owned();
                return Err(StoreError::Held { path: out.to_owned(), holder });
            }
            Err(std::fs::TryLockError::Error(source)) => {
                return Err(StoreError::io("lock", &path)(source));
            }
        }
        let pid = std::process::id();
        let note = format!("process {pid} (`{command}`)\n");
        file.set_len(0)
            .and_then(|()| file.rewind())
            .and_then(|()| file.write_all(note.as_bytes()))
            .map_err(StoreError::io("write", &path))?;
        Ok(Self { _file: file })
    }
}
