//! Real compilers for tests, from a folder that all test runs share: `target/toolchains` or `MISTRUST_TOOLCHAINS`. Missing
//! ones are installed. If the machine has no package manager or no network, the test is skipped with a message; under
//! `CI=true` it fails.

#![expect(clippy::print_stderr, reason = "skipped tests are reported with the reason")]

use std::path::{Path, PathBuf};

use lab::toolchain::{Installed, ToolchainError, Toolchains};

pub(crate) fn toolchains() -> Toolchains {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/toolchains");
    let folder = std::env::var_os("MISTRUST_TOOLCHAINS").map_or(shared, PathBuf::from);
    Toolchains::open(&folder).expect("a folder for toolchains")
}

/// The compiler, or `None` if the test has to be skipped.
pub(crate) fn toolchain(family: &str, version: &str) -> Option<Installed> {
    let offline = std::env::var_os("MISTRUST_OFFLINE").is_some();
    let tell = |notice: &lab::toolchain::Notice| eprintln!("{notice:?}");
    unless_lacking(toolchains().ensure(family, version, offline, &tell))
}

/// The value, or `None` if this machine lacks a package manager or network.
#[track_caller]
pub(crate) fn unless_lacking<T>(result: Result<T, ToolchainError>) -> Option<T> {
    match result {
        Ok(there) => Some(there),
        Err(lack) if lack.is_lack() && std::env::var("CI").as_deref() != Ok("true") => {
            eprintln!("skipped: {lack}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}
