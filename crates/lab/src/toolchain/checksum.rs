//! One checksum over everything that was installed, the same wherever and whenever it is installed. So it
//! leaves out what holds the folder's own name, or is made by using the compiler.

use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::{ToolchainError, manifest};

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Sum {
    /// `blake3:` and 64 digits.
    pub(super) checksum: String,
    pub(super) bytes: u64,
}

/// The checksum of a folder: over the path, the kind and the content of each file, sorted by path.
pub(super) fn of(folder: &Path) -> Result<Sum, ToolchainError> {
    let mut files = vec![];
    collect(folder, Path::new(""), &mut files)?;
    files.sort_unstable();
    let mut hasher = blake3::Hasher::new();
    let mut bytes = 0;
    for name in files {
        let path = folder.join(&name);
        let unreadable = || ToolchainError::io("read", &path);
        let metadata = path.symlink_metadata().map_err(unreadable())?;
        text(&mut hasher, name.as_os_str().as_bytes());
        if metadata.is_symlink() {
            hasher.update(b"l");
            let leads_to = path.read_link().map_err(unreadable())?;
            text(&mut hasher, leads_to.as_os_str().as_bytes());
        } else {
            // Of the permissions only what every umask leaves alone.
            hasher.update(if metadata.permissions().mode() & 0o100 == 0 { b"f" } else { b"x" });
            hasher.update(&metadata.len().to_le_bytes());
            let file = File::open(&path).map_err(unreadable())?;
            bytes += hash(&mut hasher, file).map_err(unreadable())?;
        }
    }
    Ok(Sum { checksum: format!("blake3:{}", hasher.finalize()), bytes })
}

fn hash(hasher: &mut blake3::Hasher, file: File) -> io::Result<u64> {
    let before = hasher.count();
    hasher.update_reader(file)?;
    Ok(hasher.count() - before)
}

/// A length goes before each text, so that no two lists of texts become the same bytes.
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

/// What differs between two installs of the same packages.
fn is_left_out(name: &Path) -> bool {
    let last = name.file_name().unwrap_or_default();
    // Ours; npm's record of where each package came from; what Python makes of modules that were used,
    // and its record of files, with checksums of scripts that name the folder.
    name == Path::new(manifest::FILE)
        || last == ".package-lock.json"
        || last == "__pycache__"
        || (last == "RECORD" && name.starts_with("venv"))
        // Of a virtual environment, what leads to the machine's own Python.
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
    fn every_byte_name_and_kind_counts_and_nothing_else() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        for folder in [one.path(), two.path()] {
            write(folder, "node_modules/a/index.js", "1");
            write(folder, "node_modules/b.js", "23");
        }
        let sum = |folder: &tempfile::TempDir| of(folder.path()).unwrap();
        let first = sum(&one);
        assert_eq!(first, sum(&two));
        assert_eq!(first.bytes, 3);
        for passing in
            ["manifest.json", "venv/bin/pip", "venv/x/__pycache__/a.pyc", "venv/d/RECORD"]
        {
            write(one.path(), passing, "x");
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
