//! Real compilers for tests, from a folder that all test runs share: `target/toolchains`, or what
//! `MISTRUST_TOOLCHAINS` says. What is not there is installed. Where that is impossible because the machine
//! has no package manager or no network, the test is skipped with a message, but fails under `CI=true`.

#![expect(
    clippy::print_stderr,
    reason = "whoever runs the tests has to know what was skipped, and why"
)]

use std::path::{Path, PathBuf};

use lab::toolchain::{Installed, ToolchainError, Toolchains};

pub(crate) fn toolchains() -> Toolchains {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/toolchains");
    let folder = std::env::var_os("MISTRUST_TOOLCHAINS").map_or(shared, PathBuf::from);
    Toolchains::open(&folder).expect("a folder for toolchains")
}

/// The compiler, or nothing if the test has to be skipped.
pub(crate) fn toolchain(family: &str, version: &str) -> Option<Installed> {
    let offline = std::env::var_os("MISTRUST_OFFLINE").is_some();
    let tell = |notice: &lab::toolchain::Notice| eprintln!("{notice:?}");
    unless_lacking(toolchains().ensure(family, version, offline, &tell))
}

/// What a test needs, or nothing if this machine cannot have it.
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
