//! FunC, from npm.

use std::path::PathBuf;

use expression::languages::func::DIALECT;

use super::ton::TonTarget;

/// The compiler at a version, whose folder has the packages in `node_modules`.
pub fn target(version: &str, folder: PathBuf) -> TonTarget {
    TonTarget::new("func", version, folder, &DIALECT, |source, _| source.to_owned())
}
