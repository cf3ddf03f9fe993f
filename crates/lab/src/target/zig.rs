//! Zig. In Debug it compiles by a backend of its own, otherwise through LLVM. Its wheel also carries a recent
//! Clang, `zig cc`.

use std::path::{Path, PathBuf};

use super::gcc::settings;
use super::native::{Compiler, NativeTarget};
use super::{Axis, TargetName};
use crate::setting::Setting;

/// Name and options. The first is the reference.
const SETTINGS: &[(&str, &str)] = &[
    ("Debug-llvm", "-ODebug -fllvm"),
    ("ReleaseFast", "-OReleaseFast"),
    ("Debug", "-ODebug"),
    ("ReleaseSmall", "-OReleaseSmall"),
    ("ReleaseSafe", "-OReleaseSafe"),
];

/// Zig wants a place for what it remembers. A scratch directory is thrown away, but nothing else may be
/// written to.
const CACHES: &[&str] = &["--cache-dir", "zig-cache", "--global-cache-dir", "zig-cache"];

#[derive(Debug)]
struct Zig {
    python: PathBuf,
}

/// The Zig of a virtual environment's Python.
pub fn of_python(version: Option<String>, python: &Path) -> NativeTarget {
    let name = TargetName { family: "zig".to_owned(), version };
    let dialect = &forge::expression::languages::zig::DIALECT;
    let compiler = Zig { python: python.to_owned() };
    NativeTarget::new(name, dialect, Box::new(compiler), settings(SETTINGS))
}

impl Zig {
    fn command(&self) -> Vec<String> {
        let python = self.python.display().to_string();
        vec![python, "-m".to_owned(), "ziglang".to_owned()]
    }
}

impl Compiler for Zig {
    fn line(&self, source: &str, out: &str, setting: &Setting) -> Vec<String> {
        let mut line = self.command();
        line.extend(["build-exe", source, "-lc"].map(str::to_owned));
        line.push(format!("-femit-bin={out}"));
        line.extend(CACHES.iter().map(|&word| word.to_owned()));
        line.extend(setting.extra.iter().cloned());
        line
    }

    /// Levels are all that there is; they are looked at by name.
    fn axes(&self, setting: &Setting, _printed: &dyn Fn(&Setting) -> Option<String>) -> Vec<Axis> {
        let _ = setting;
        vec![]
    }

    fn version(&self) -> Vec<String> {
        let mut line = self.command();
        line.push("version".to_owned());
        line
    }
}
