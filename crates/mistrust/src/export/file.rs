//! Writes files atomically.

use std::fs;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use anyhow::Context;

/// Writes a temporary file and renames it, so that readers see the old contents or the new ones. Missing folders are
/// created.
pub(crate) fn write_atomically(path: &Path, bytes: &[u8]) -> anyhow::Result<()> {
    let write = || -> anyhow::Result<()> {
        // A symbolic link is kept, and a pipe or device is written to instead of being replaced.
        let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if fs::metadata(path).is_ok_and(|there| !there.is_file()) {
            return Ok(fs::write(path, bytes)?);
        }
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new()
            .prefix(".mistrust-")
            // The user's umask applies, as for any other file.
            .permissions(fs::Permissions::from_mode(0o666))
            .tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(path)?;
        Ok(())
    };
    write().with_context(|| format!("cannot write {}", path.display()))
}

/// Checks that [`write_atomically`] can write there, before hours are spent on what is to be written.
pub(crate) fn check(path: &Path) -> anyhow::Result<()> {
    let check = || -> anyhow::Result<()> {
        match fs::metadata(path) {
            Ok(there) if there.is_dir() => anyhow::bail!("it is a folder"),
            // A pipe would wait for its reader.
            Ok(there) if !there.is_file() => return Ok(()),
            _ => {}
        }
        let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let folder = match path.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        fs::create_dir_all(folder)?;
        tempfile::Builder::new().prefix(".mistrust-").tempfile_in(folder)?;
        Ok(())
    };
    check().with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_checked_without_writing_to_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/report.txt");
        check(&path).unwrap();
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 0);
        fs::write(folder.path().join("file"), "").unwrap();
        for bad in [folder.path().to_owned(), folder.path().join("file/report.txt")] {
            assert!(check(&bad).unwrap_err().to_string().contains("cannot write"));
        }
    }

    #[test]
    fn a_file_is_replaced_and_no_temporary_file_remains() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a/b/report.txt");
        write_atomically(&path, b"one").unwrap();
        write_atomically(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_atomically(&link, b"three").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&path).unwrap(), b"three");
    }

    #[test]
    fn an_error_contains_the_path() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("file"), "").unwrap();
        let path = folder.path().join("file/report.txt");
        let error = write_atomically(&path, b"").unwrap_err().to_string();
        assert!(error.contains("file/report.txt"), "{error}");
    }
}
