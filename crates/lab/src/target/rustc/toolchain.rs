//! Which toolchains there are: the one on `PATH` and all of rustup's. The shim of rustup costs a start of
//! its own, so it is asked once where the real binary is.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::target::Unusable;
use crate::version::version_order;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toolchain {
    /// The real binary.
    pub rustc: PathBuf,
    /// `1.95.0`, or `1.97.0-nightly`.
    pub version: String,
    /// What `rustc -vV` prints: release, commit, host, LLVM. Maintainers ask for it.
    pub release: String,
}

/// Every toolchain that can be found, the one on `PATH` first, the others from new to old.
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
        // Two names for one toolchain, such as `stable` and `1.95.0`, are one target.
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
    let complaint = |why: String| Unusable(format!("{} is no rustc: {why}", rustc.display()));
    let output =
        Command::new(rustc).arg("-vV").output().map_err(|error| complaint(error.to_string()))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let named = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
    let version = named("release: ");
    match (output.status.success(), version) {
        (true, Some(version)) => Ok(Toolchain {
            // It is called from a scratch directory.
            rustc: std::path::absolute(rustc).map_err(|error| complaint(error.to_string()))?,
            version: version.trim().to_owned(),
            release: text.trim().to_owned(),
        }),
        _ => Err(complaint("it does not answer -vV".to_owned())),
    }
}

/// The binary behind the `rustc` of `PATH`.
fn on_path() -> Option<PathBuf> {
    let output = Command::new("rustc").args(["--print", "sysroot"]).output().ok()?;
    let sysroot = String::from_utf8(output.stdout).ok()?;
    let rustc = Path::new(sysroot.trim()).join("bin/rustc");
    (output.status.success() && rustc.exists()).then_some(rustc)
}
