//! Finds installed toolchains: the one on `PATH` and all of rustup's. rustup's shim would add a process start to every
//! call, so it is used once, to find the real binary.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::target::Unusable;
use crate::version::version_order;

/// An installed rustc.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// The real binary.
    pub rustc: PathBuf,
    /// `1.95.0`, or `1.97.0-nightly`.
    pub version: String,
    /// The output of `rustc -vV`: release, commit, host, LLVM. Bug reports need it.
    pub release: String,
}

/// All toolchains, the one on `PATH` first, the others from new to old.
pub fn find() -> Vec<Toolchain> {
    let mut binaries: Vec<PathBuf> = on_path().into_iter().collect();
    let home = std::env::var_os("RUSTUP_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::var_os("HOME").map(|home| Path::new(&home).join(".rustup")));
    let installed =
        home.map(|home| home.join("toolchains")).and_then(|it| std::fs::read_dir(it).ok());
    for entry in installed.into_iter().flatten().flatten() {
        binaries.push(entry.path().join("bin/rustc"));
    }
    let mut toolchains: Vec<Toolchain> = vec![];
    for binary in binaries {
        // Two names of one toolchain, such as `stable` and `1.95.0`, are one target.
        if let Ok(toolchain) = from_path(&binary)
            && toolchains.iter().all(|other| other.release != toolchain.release)
        {
            toolchains.push(toolchain);
        }
    }
    if let Some((_, others)) = toolchains.split_first_mut() {
        others.sort_by_key(|toolchain| std::cmp::Reverse(version_order(Some(&toolchain.version))));
    }
    toolchains
}

/// The toolchain of a binary.
pub fn from_path(rustc: &Path) -> Result<Toolchain, Unusable> {
    let unusable = |why: String| Unusable(format!("{} is not a rustc: {why}", rustc.display()));
    let output =
        Command::new(rustc).arg("-vV").output().map_err(|error| unusable(error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let named = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let version = named("release: ");
    match (output.status.success(), version) {
        (true, Some(version)) => Ok(Toolchain {
            // Absolute, because it is called in a scratch directory.
            rustc: std::path::absolute(rustc).map_err(|error| unusable(error.to_string()))?,
            version: version.trim().to_owned(),
            release: text.trim().to_owned(),
        }),
        _ => Err(unusable("it does not support -vV".to_owned())),
    }
}

/// The binary behind the `rustc` of `PATH`.
fn on_path() -> Option<PathBuf> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let sysroot = String::from_utf8(output.stdout).ok()?;
    let rustc = Path::new(sysroot.trim()).join("bin/rustc");
    (output.status.success() && rustc.exists()).then_some(rustc)
}
