//! Clang. Failures are bisected over LLVM's passes with `-opt-bisect-limit`.

use std::path::Path;
use std::sync::LazyLock;

use expression::languages::{c, llvm};
use regex::Regex;

use super::gcc::settings;
use super::native::{Compiler, NativeTarget};
use super::{Axis, PassId, TargetName};
use crate::coverage::Parts;
use crate::setting::Setting;

/// Name and options. The first is the reference.
pub(super) const SETTINGS: &[(&str, &str)] = &[
    ("O0", "-O0"),
    ("O2", "-O2"),
    ("O3", "-O3"),
    ("O1", "-O1"),
    ("Oz", "-Oz"),
    ("O3-native", "-O3 -march=native"),
];

/// `BISECT: running pass (12) InstCombinePass on judged`.
static PASS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"BISECT: running pass \(\d+\) (?<pass>.*)").ok());

#[derive(Debug)]
pub(super) struct Clang {
    /// The program and its first arguments.
    pub(super) command: Vec<String>,
    /// Arguments of every call.
    pub(super) always: &'static [&'static str],
    pub(super) env: Vec<(String, String)>,
    pub(super) cache: Option<&'static str>,
}

/// The Clang at a path.
pub fn at(version: Option<&str>, path: &Path) -> NativeTarget {
    let name = TargetName::new("clang", version);
    let command = vec![path.display().to_string()];
    let clang = Clang { command, always: &["-std=gnu11", "-w"], env: vec![], cache: None };
    NativeTarget::new(name, &c::DIALECT, Box::new(clang), settings(SETTINGS))
}

/// The same compiler for LLVM IR. Without a front end, its passes get the program exactly as written.
pub fn of_ir_at(version: Option<&str>, path: &Path) -> NativeTarget {
    let name = TargetName::new("llvm", version);
    let clang = Clang {
        command: vec![path.display().to_string()],
        always: &["-w"],
        env: vec![],
        cache: None,
    };
    NativeTarget::new(name, &llvm::DIALECT, Box::new(clang), settings(SETTINGS)).by_input()
}

impl Compiler for Clang {
    fn line(&self, source: &str, out: &str, setting: &Setting) -> Vec<String> {
        let mut line = self.command.clone();
        line.extend(self.always.iter().map(|&word| word.to_owned()));
        line.extend(setting.extra.iter().cloned());
        line.extend(["-o".to_owned(), out.to_owned(), source.to_owned()]);
        line
    }

    fn object(&self, source: &str, out: &str, setting: &Setting) -> Vec<String> {
        let mut line = self.line(source, out, setting);
        line.push("-c".to_owned());
        line
    }

    fn env(&self) -> &[(String, String)] {
        &self.env
    }

    fn cache(&self) -> Option<&'static str> {
        self.cache
    }

    fn parts(&self) -> Option<Parts> {
        match self.command.as_slice() {
            [path] => Some(Parts::Whole(path.into())),
            _ => None,
        }
    }

    fn axes(&self, setting: &Setting, printed: &dyn Fn(&Setting) -> Option<String>) -> Vec<Axis> {
        let limited = |limit: usize| {
            let more = ["-mllvm".to_owned(), format!("-opt-bisect-limit={limit}")];
            let extra = setting.extra.iter().cloned().chain(more).collect();
            Setting { extra, ..setting.clone() }
        };
        let (Some(text), Some(pass)) = (printed(&limited(i32::MAX as usize)), PASS.as_ref()) else {
            return vec![];
        };
        let passes = pass.captures_iter(&text).map(|found| PassId::new(found["pass"].trim()));
        Axis::of_passes(passes, limited).into_iter().collect()
    }

    fn version(&self) -> Vec<String> {
        self.command.iter().cloned().chain(["--version".to_owned()]).collect()
    }
}
