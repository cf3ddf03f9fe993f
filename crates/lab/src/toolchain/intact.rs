//! Whether an installed version still has the files that were installed. Reading all of them takes up to seconds, so the
//! answer is kept beside the version, with the sizes and times of the files for which it holds.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::{Installed, ToolchainError, checksum};

/// The folder of the answers, beside the versions of a family.
const FOLDER: &str = ".intact";

impl Installed {
    /// Whether all files are unchanged since the installation. Files whose sizes and times are those of the last check are
    /// not read again.
    pub fn is_surely_intact(&self) -> Result<bool, ToolchainError> {
        let now = self.stamp()?;
        let Some(record) = self.record() else { return self.is_intact() };
        if fs::read_to_string(&record).is_ok_and(|kept| kept == now) {
            return Ok(true);
        }
        let is_intact = self.is_intact()?;
        // Without a record the files are read again next time.
        if is_intact && let Some(folder) = record.parent() {
            let _ = fs::create_dir_all(folder);
            let _ = fs::write(&record, now);
        }
        Ok(is_intact)
    }

    fn record(&self) -> Option<PathBuf> {
        let name = self.folder().file_name()?;
        Some(self.folder().parent()?.join(FOLDER).join(name))
    }

    /// Names, sizes, kinds and times of all files, and the checksum that they must have.
    fn stamp(&self) -> Result<String, ToolchainError> {
        let mut hasher = blake3::Hasher::new();
        hasher.update(self.manifest().checksum.as_bytes());
        for name in checksum::files(self.folder())? {
            let path: &Path = &self.folder().join(&name);
            let file = path.symlink_metadata().map_err(ToolchainError::io("read", path))?;
            hasher.update(name.as_os_str().as_encoded_bytes());
            let numbers = [file.size(), u64::from(file.mode()), file.ino()];
            let times = [file.mtime(), file.mtime_nsec(), file.ctime(), file.ctime_nsec()];
            for bytes in numbers.map(u64::to_le_bytes).iter().chain(&times.map(i64::to_le_bytes)) {
                hasher.update(bytes);
            }
        }
        Ok(hasher.finalize().to_string())
    }
}
