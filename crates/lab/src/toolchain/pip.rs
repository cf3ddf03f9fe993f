//! Families from PyPI: each version has a virtual environment. The environment has no pip of its own, so that it
//! contains only the packages; the pip of the machine installs into it. Where the packages need another Python than the
//! machine's, they are in a folder of their own beside a program that starts it with them; which one is left to
//! `interpreter`. Checksums and the lock file are left to `install`.

use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::family::SOURCES;
use super::install::{CONTENTS, platform};
use super::manager::{Contents, Need, Workshop};
use super::{Family, ToolchainError};

pub(super) const NEEDS: &[Need] = &[
    Need { name: "python3", check: &["python3", "--version"], get: "install Python 3.9 or newer" },
    Need {
        name: "python3 with venv",
        check: &["python3", "-c", "import venv; print('venv')"],
        get: "install it, for example as python3-venv",
    },
    Need {
        name: "python3 with pip 22.3 or newer",
        // The first version with `--python`, which installs into an environment without pip.
        check: &[
            "python3",
            "-c",
            "import pip; v = pip.__version__; print(v); \
             assert [int(part) for part in v.split('.')[:2]] >= [22, 3]",
        ],
        get: "install it, for example as python3-pip",
    },
];

/// Where packages are that are not installed for the machine's Python.
const SITE: &str = "site";

pub(super) fn exact(package: &str, version: &str) -> String {
    format!("{package}=={version}")
}

pub(super) fn versions(family: &Family) -> Vec<OsString> {
    ["python3", "-m", "pip", "index", "versions", "--pre", family.package]
        .map(OsString::from)
        .to_vec()
}

pub(super) fn listed(text: &str) -> Vec<String> {
    let line = text.lines().find_map(|line| line.trim().strip_prefix("Available versions:"));
    let versions = line.unwrap_or_default().split(',').map(str::trim);
    versions.filter(|version| !version.is_empty()).map(str::to_owned).collect()
}

/// The versions of Python that a version needs, where pip ignored it for another one.
pub(super) fn needed(version: &str, said: &str) -> Option<String> {
    let list = said.split_once("require a different python version: ")?.1.lines().next()?;
    let of_version = |entry: &str| {
        entry.trim().strip_prefix(version)?.strip_prefix(" Requires-Python ").map(str::to_owned)
    };
    list.split(';').find_map(of_version)
}

pub(super) fn install(
    family: &'static Family,
    version: &str,
    shop: &Workshop,
) -> Result<Contents, ToolchainError> {
    if SOURCES.contains(&family.name) {
        return unpack(family, version, shop);
    }
    let venv = shop.scratch.path().join(CONTENTS).join("venv");
    let (python, place): (PathBuf, Vec<OsString>) = match &shop.python {
        // A program with a loader of its own cannot be copied or linked into an environment.
        Some(python) => (python.clone(), vec!["--target".into(), venv.join(SITE).into()]),
        None => {
            let words = ["python3", "-m", "venv", "--without-pip"].map(OsString::from);
            shop.must(family, version, words.into_iter().chain([venv.clone().into()]).collect())?;
            (venv.join("bin/python3"), vec![])
        }
    };
    let pip = |words: &[&str]| -> Vec<OsString> {
        let words = words.iter().map(OsString::from);
        let start = ["python3", "-m", "pip", "--python"].map(OsString::from).into_iter();
        start.chain([python.clone().into()]).chain(words).collect()
    };
    let packages = family.packages(version);
    let mut argv = pip(&["install", "--quiet", "--no-warn-script-location"]);
    argv.extend(place);
    argv.extend(packages.into_iter().map(OsString::from));
    shop.must(family, version, argv)?;

    let mut list = pip(&["list", "--format", "json"]);
    let host = match &shop.python {
        Some(python) => {
            list.extend(["--path".into(), venv.join(SITE).into()]);
            // The folder of a version of Python is its parent's parent.
            let version = python.ancestors().nth(2).and_then(Path::file_name).unwrap_or_default();
            start_with(&version.to_string_lossy(), &venv)?;
            format!("python{}", version.to_string_lossy())
        }
        None => {
            // Scripts contain the path of the folder, which is renamed later. Compilers are called as modules.
            remove_scripts(&venv.join("bin"))?;
            interpreter(&venv)
        }
    };
    let list = shop.must(family, version, list)?.stdout.text();
    let packages: Vec<Package> = serde_json::from_str(&list)
        .map_err(|error| ToolchainError::io("read the packages of", &venv)(error.into()))?;
    let mut packages: Vec<String> =
        packages.iter().map(|Package { name, version }| format!("{name}@{version}")).collect();
    packages.sort_unstable();
    Ok(Contents { host: format!("{} {host}", platform()), packages, loader: None })
}

/// Writes the program that starts an installed Python with the packages of this folder. It finds it by a relative path,
/// because folders are renamed and moved.
fn start_with(python: &str, venv: &Path) -> Result<(), ToolchainError> {
    let bin = venv.join("bin");
    let failed = || ToolchainError::io("write", &bin);
    // Scripts of packages begin with the path of an interpreter that is none.
    let _ = std::fs::remove_dir_all(venv.join(SITE).join("bin"));
    std::fs::create_dir_all(&bin).map_err(failed())?;
    let script = format!(
        "#!/bin/sh\nhere=${{0%/*}}\nPYTHONPATH=$here/../{SITE} PYTHONDONTWRITEBYTECODE=1 \\\n\
         exec \"$here/../../../../python/{python}/bin/python\" \"$@\"\n"
    );
    for name in ["python", "python3"] {
        let path = bin.join(name);
        std::fs::write(&path, &script).map_err(failed())?;
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).map_err(failed())?;
    }
    Ok(())
}

/// Unpacks the source distribution of a version, of which nothing is installed.
fn unpack(
    family: &'static Family,
    version: &str,
    shop: &Workshop,
) -> Result<Contents, ToolchainError> {
    let downloads = shop.scratch.path().join("downloads");
    let contents = shop.scratch.path().join(CONTENTS);
    for folder in [&downloads, &contents] {
        std::fs::create_dir_all(folder).map_err(ToolchainError::io("make", folder))?;
    }
    let options = "-m pip download --quiet --no-deps --no-binary :all: --dest";
    let mut argv: Vec<OsString> = vec!["python3".into()];
    argv.extend(options.split(' ').map(OsString::from));
    argv.push(downloads.clone().into());
    argv.extend(family.packages(version).into_iter().map(OsString::from));
    shop.must(family, version, argv)?;
    let archives = std::fs::read_dir(&downloads).map_err(ToolchainError::io("read", &downloads))?;
    for archive in archives.flatten() {
        let mut argv: Vec<OsString> = vec!["tar".into(), "-x".into(), "-f".into()];
        argv.extend([archive.path().into(), "-C".into(), contents.clone().into()]);
        argv.push("--strip-components=1".into());
        shop.must(family, version, argv)?;
    }
    let packages = vec![format!("{}@{version}", family.package)];
    Ok(Contents { host: "any".to_owned(), packages, loader: None })
}

#[derive(Deserialize)]
struct Package {
    name: String,
    version: String,
}

/// Removes all files except the symbolic links to the interpreter.
fn remove_scripts(bin: &Path) -> Result<(), ToolchainError> {
    let failed = || ToolchainError::io("clean", bin);
    for entry in std::fs::read_dir(bin).map_err(failed())? {
        let entry = entry.map_err(failed())?;
        if entry.file_type().map_err(failed())?.is_file() {
            std::fs::remove_file(entry.path()).map_err(failed())?;
        }
    }
    Ok(())
}

/// The Python version that compiled packages depend on: `python3.11`.
fn interpreter(venv: &Path) -> String {
    let entries = std::fs::read_dir(venv.join("lib")).into_iter().flatten().flatten();
    let mut names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    names.find(|name| name.starts_with("python")).unwrap_or_else(|| "python3".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_parsed_from_the_output_of_pip() {
        let text = "vyper (0.4.3)\nAvailable versions: 0.4.3, 0.4.2,0.4.1rc1\n  INSTALLED: 0.4.0\n";
        assert_eq!(listed(text), ["0.4.3", "0.4.2", "0.4.1rc1"]);
        assert!(listed("ERROR: No matching distribution found").is_empty());
    }

    #[test]
    fn the_python_that_a_version_needs_is_parsed() {
        let said = "ERROR: Ignored the following versions that require a different python version: \
                    0.3.1 Requires-Python >=3.7,<3.10; 0.3.10 Requires-Python >=3.7,<3.11\n\
                    ERROR: Could not find a version that satisfies the requirement vyper==0.3.1\n";
        assert_eq!(needed("0.3.1", said).unwrap(), ">=3.7,<3.10");
        assert_eq!(needed("0.3.10", said).unwrap(), ">=3.7,<3.11");
        assert_eq!(needed("0.3", said), None);
        assert_eq!(needed("0.3.1", "ERROR: No matching distribution found\n"), None);
    }
}
