//! A checksum over all files of an installed version, which does not depend on where and when it was installed.
//! So it leaves out files that contain the folder's name or are made by using the compiler. Comparing checksums
//! is left to `lock` and `manifest`.

use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::{ToolchainError, manifest};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sum {
    /// `blake3:` and 64 hexadecimal digits.
    pub(super) checksum: String,
    pub(super) bytes: u64,
}

/// The checksum of a folder: over the path, the type and the content of each file, sorted by path.
pub(super) fn of(folder: &Path) -> Result<Sum, ToolchainError> {
    let mut hasher = blake3::Hasher::new();
    let mut bytes = 0;
    for name in files(folder)? {
        let path = folder.join(&name);
        let unreadable = || ToolchainError::io("read", &path);
        let metadata = path.symlink_metadata().map_err(unreadable())?;
        text(&mut hasher, name.as_os_str().as_bytes());
        if metadata.is_symlink() {
            hasher.update(b"l");
            let leads_to = path.read_link().map_err(unreadable())?;
            text(&mut hasher, leads_to.as_os_str().as_bytes());
        } else {
            // Only the executable bit of the owner: the others depend on the umask.
            hasher.update(if metadata.permissions().mode() & 0o100 == 0 { b"f" } else { b"x" });
            hasher.update(&metadata.len().to_le_bytes());
            let file = File::open(&path).map_err(unreadable())?;
            bytes += hash(&mut hasher, file).map_err(unreadable())?;
        }
    }
    Ok(Sum { checksum: format!("blake3:{}", hasher.finalize()), bytes })
}

/// The files of a folder that the checksum covers, sorted by path.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, ToolchainError> {
    let mut files = vec![];
    collect(folder, Path::new(""), &mut files)?;
    files.sort_unstable();
    Ok(files)
}

fn hash(hasher: &mut blake3::Hasher, file: File) -> io::Result<u64> {
    let before = hasher.count();
    hasher.update_reader(file)?;
    Ok(hasher.count() - before)
}

/// Each text is preceded by its length, so that different lists of texts are never the same bytes.
fn text(hasher: &mut blake3::Hasher, text: &[u8]) {
    hasher.update(&(text.len() as u64).to_le_bytes());
    hasher.update(text);
}

fn collect(folder: &Path, within: &Path, files: &mut Vec<PathBuf>) -> Result<(), ToolchainError> {
    let here = folder.join(within);
    let unreadable = || ToolchainError::io("read", &here);
    for entry in fs::read_dir(&here).map_err(unreadable())? {
        let entry = entry.map_err(unreadable())?;
        let name = within.join(entry.file_name());
        if is_left_out(&name) {
            continue;
        }
        if entry.file_type().map_err(unreadable())?.is_dir() {
            collect(folder, &name, files)?;
        } else {
            files.push(name);
        }
    }
    Ok(())
}

/// Whether the file may differ between two installations of the same packages.
fn is_left_out(name: &Path) -> bool {
    let last = name.file_name().unwrap_or_default();
    // Our manifest; npm's record of where packages came from; compiled Python modules; and pip's record of
    // files, with checksums of scripts that contain the folder's name.
    name == Path::new(manifest::FILE)
        || last == ".package-lock.json"
        || last == "__pycache__"
        || (last == "RECORD" && name.starts_with("venv"))
        // The parts of a virtual environment that refer to the Python of the machine.
        || name == Path::new("venv/bin")
        || name == Path::new("venv/pyvenv.cfg")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(folder: &Path, name: &str, text: &str) {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    #[test]
    fn the_checksum_covers_content_names_and_types_only() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for folder in [one.path(), two.path()] {
            write(folder, "node_modules/a/index.js", "1");
            write(folder, "node_modules/b.js", "23");
        }
        let sum = |folder: &tempfile::TempDir| of(folder.path()).unwrap();
        let first = sum(&one);
        assert_eq!(first, sum(&two));
        assert_eq!(first.bytes, 3);
        for ignored in
            ["manifest.json", "venv/bin/pip", "venv/x/__pycache__/a.pyc", "venv/d/RECORD"]
        {
            write(one.path(), ignored, "x");
        }
        assert_eq!(sum(&one), first);

        let changes: [&dyn Fn(&Path); 5] = [
            &|folder| write(folder, "node_modules/b.js", "24"),
            &|folder| write(folder, "node_modules/RECORD", ""),
            &|folder| fs::rename(folder.join("node_modules/b.js"), folder.join("b.js")).unwrap(),
            &|folder| std::os::unix::fs::symlink("b.js", folder.join("c.js")).unwrap(),
            &|folder| {
                let path = folder.join("node_modules/a/index.js");
                fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
            },
        ];
        let mut seen = vec![first];
        for change in changes {
            change(one.path());
            let now = sum(&one);
            assert!(!seen.contains(&now), "{now:?}");
            seen.push(now);
        }
    }
}
