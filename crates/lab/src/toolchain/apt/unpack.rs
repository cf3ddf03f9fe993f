//! The unpacked packages of a version: its loader and libraries, and the scripts that start a driver through them.
//! Paths in scripts are relative to the script, because the folder is renamed when it is complete.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::super::ToolchainError;
use super::super::manifest::Loader;

/// Where packages are unpacked, in the folder of a version.
pub(super) const ROOT: &str = "root";

/// What is removed after unpacking: documents, and headers, which are those of the machine.
const REMOVED: &[&str] = &["usr/share", "usr/include", "usr/src", "etc", "var"];

/// The folder into which packages were unpacked.
#[derive(Debug)]
pub(super) struct Root {
    contents: PathBuf,
    /// Relative to the root.
    loader: String,
    libraries: Vec<String>,
}

impl Root {
    /// Looks for the loader and the libraries of what was unpacked.
    pub(super) fn open(contents: &Path) -> Result<Self, ToolchainError> {
        let root = contents.join(ROOT);
        for name in REMOVED {
            let path = root.join(name);
            if path.is_dir() {
                fs::remove_dir_all(&path).map_err(ToolchainError::io("remove", &path))?;
            }
        }
        let (mut loader, mut libraries) = (None, vec![]);
        for place in ["usr/lib", "lib"] {
            let Ok(folders) = entries(&root.join(place)) else { continue };
            for folder in folders.iter().filter_map(|folder| folder.file_name()?.to_str()) {
                if !folder.contains("-linux-gnu") {
                    continue;
                }
                let within = format!("{place}/{folder}");
                let is_loader = |name: &str| name.starts_with("ld-linux") && name.contains(".so.");
                let names = entries(&root.join(&within))?;
                let mut names = names.iter().filter_map(|path| path.file_name()?.to_str());
                if let Some(name) = names.find(|name| is_loader(name)) {
                    loader = Some(format!("{within}/{name}"));
                }
                libraries.push(within);
            }
        }
        let missing = || std::io::Error::other("its packages contain no loader");
        let loader =
            loader.ok_or_else(|| ToolchainError::io("start programs of", &root)(missing()))?;
        Ok(Self { contents: contents.to_owned(), loader, libraries })
    }

    /// What the manifest says about starting tools.
    pub(super) fn loader(&self, tools: &[String]) -> Loader {
        let path = |path: &String| format!("{ROOT}/{path}");
        Loader {
            program: path(&self.loader),
            libraries: self.libraries.iter().map(path).collect(),
            tools: tools.iter().map(path).collect(),
        }
    }

    /// The path `PLACE/*/NAME` for the first place where it exists.
    pub(super) fn find(&self, places: &[&str], name: &str) -> Result<String, ToolchainError> {
        let root = self.contents.join(ROOT);
        for place in places {
            for folder in entries(&root.join(place)).unwrap_or_default() {
                let folder = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let path = format!("{place}/{folder}/{name}");
                if root.join(&path).exists() {
                    return Ok(path);
                }
            }
        }
        let missing = std::io::Error::other(format!("its packages contain no {name}"));
        Err(ToolchainError::io("use", &root)(missing))
    }

    /// Writes a script that starts a program of the packages. `before` are shell commands; `options` are given to
    /// the loader.
    pub(super) fn script(
        &self,
        name: &str,
        before: &str,
        options: &str,
        program: &str,
    ) -> Result<(), ToolchainError> {
        let libraries: Vec<String> =
            self.libraries.iter().map(|it| format!("$root/{it}")).collect();
        let script = format!(
            "#!/bin/sh\ntop=${{0%/*}}/..\nroot=$top/{ROOT}\n{before}exec \"$root/{}\" {options}--library-path \"{}\" \
             \"$root/{program}\" \"$@\"\n",
            self.loader,
            libraries.join(":"),
        );
        let path = self.contents.join(name);
        let failed = || ToolchainError::io("write", &path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(failed())?;
        }
        fs::write(&path, script).map_err(failed())?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).map_err(failed())
    }
}

/// The paths in a folder, sorted.
pub(super) fn entries(folder: &Path) -> Result<Vec<PathBuf>, ToolchainError> {
    let failed = || ToolchainError::io("read", folder);
    let entries = fs::read_dir(folder).map_err(failed())?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths.collect::<Result<Vec<_>, _>>().map_err(failed())?;
    paths.sort_unstable();
    Ok(paths)
}
