//! Zig. Debug builds use its own backend, the other modes LLVM. Its Python wheel also contains a recent Clang,
//! `zig cc`.

use std::path::{Path, PathBuf};

use expression::languages::{c, zig};

use super::clang::{self, Clang};
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

#[derive(Debug)]
struct Zig {
    python: PathBuf,
    env: Vec<(String, String)>,
}

/// The Zig of a virtual environment's Python.
pub fn of_python(version: Option<&str>, python: &Path) -> NativeTarget {
    let name = TargetName::new("zig", version);
    let compiler = Zig { python: python.to_owned(), env: caches() };
    NativeTarget::new(name, &zig::DIALECT, Box::new(compiler), settings(SETTINGS))
}

/// The Clang that comes with Zig, which supports `_BitInt`. By default it would check for undefined behaviour at run
/// time, so that is disabled.
pub fn clang_of_python(version: Option<&str>, python: &Path) -> NativeTarget {
    let name = TargetName::new("zig-cc", version);
    let mut command = Zig { python: python.to_owned(), env: caches() }.command();
    command.push("cc".to_owned());
    let always = &["-std=gnu2x", "-w", "-fno-sanitize=undefined"];
    let compiler = Clang { command, always, env: caches(), cache: Some(CACHE) };
    NativeTarget::new(name, &c::BIT_PRECISE, Box::new(compiler), settings(clang::SETTINGS))
}

/// Zig's compiled runtime libraries: seconds of work, the same for all programs.
const CACHE: &str = "zig-cache";

/// The cache of one program is in its scratch directory and is removed with it.
fn caches() -> Vec<(String, String)> {
    [("ZIG_LOCAL_CACHE_DIR", "zig-program"), ("ZIG_GLOBAL_CACHE_DIR", CACHE)]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec()
}

impl Zig {
    fn command(&self) -> Vec<String> {
        let python = self.python.display().to_string();
        vec![python, "-m".to_owned(), "ziglang".to_owned()]
    }

    fn build(&self, words: &[&str], out: &str, setting: &Setting) -> Vec<String> {
        let mut line = self.command();
        line.extend(words.iter().map(|&word| word.to_owned()));
        line.push(format!("-femit-bin={out}"));
        line.extend(setting.extra.iter().cloned());
        line
    }
}

impl Compiler for Zig {
    fn line(&self, source: &str, out: &str, setting: &Setting) -> Vec<String> {
        self.build(&["build-exe", source, "-lc"], out, setting)
    }

    fn object(&self, source: &str, out: &str, setting: &Setting) -> Vec<String> {
        self.build(&["build-obj", source], out, setting)
    }

    fn env(&self) -> &[(String, String)] {
        &self.env
    }

    fn cache(&self) -> Option<&'static str> {
        Some(CACHE)
    }

    /// There is nothing to bisect: build modes are separate settings.
    fn axes(&self, _: &Setting, _: &dyn Fn(&Setting) -> Option<String>) -> Vec<Axis> {
        vec![]
    }

    fn version(&self) -> Vec<String> {
        let mut line = self.command();
        line.push("version".to_owned());
        line
    }
}
