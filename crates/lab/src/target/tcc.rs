//! The Tiny C Compiler. It only compiles texts: the programs of other methods use built-in functions that it lacks.

use std::path::{Path, PathBuf};

use super::gcc::settings;
use super::native::{Compiler, NativeTarget};
use super::{Axis, TargetName};
use crate::setting::Setting;

/// Name and options. The first is the reference.
const SETTINGS: &[(&str, &str)] = &[("plain", "-w"), ("debug", "-w -g"), ("warnings", "-Wall")];

#[derive(Debug)]
struct Tcc {
    path: PathBuf,
}

/// The tcc at a path.
pub fn at(version: Option<&str>, path: &Path) -> NativeTarget {
    let name = TargetName::new("tcc", version);
    let compiler = Tcc { path: path.to_owned() };
    let dialect = &expression::languages::c::DIALECT;
    NativeTarget::new(name, dialect, Box::new(compiler), settings(SETTINGS)).of_texts()
}

impl Compiler for Tcc {
    fn line(&self, source: &str, out: &str, setting: &Setting) -> Vec<String> {
        let mut line = vec![self.path.display().to_string()];
        line.extend(setting.extra.iter().cloned());
        line.extend(["-o".to_owned(), out.to_owned(), source.to_owned()]);
        line
    }

    fn object(&self, source: &str, out: &str, setting: &Setting) -> Vec<String> {
        let mut line = self.line(source, out, setting);
        line.insert(1, "-c".to_owned());
        line
    }

    /// It has no passes to leave out.
    fn axes(&self, _setting: &Setting, _printed: &dyn Fn(&Setting) -> Option<String>) -> Vec<Axis> {
        vec![]
    }

    fn version(&self) -> Vec<String> {
        vec![self.path.display().to_string(), "-v".to_owned()]
    }
}
