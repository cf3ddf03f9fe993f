//! GCC. Its optimisations can only be disabled by flag, so failures are bisected over the flags that a level
//! enables.

use std::path::{Path, PathBuf};

use super::native::{Compiler, NativeTarget};
use super::{Axis, PassId, TargetName};
use crate::coverage::Parts;
use crate::setting::Setting;

/// Name and options. The first is the reference.
const SETTINGS: &[(&str, &str)] = &[
    ("O0", "-O0"),
    ("O2", "-O2"),
    ("O3", "-O3"),
    ("O1", "-O1"),
    ("Os", "-Os"),
    ("O3-native", "-O3 -march=native"),
    ("O2-unrolled", "-O2 -funroll-loops -fno-inline"),
];

#[derive(Debug)]
struct Gcc {
    path: PathBuf,
}

/// The GCC at a path.
pub fn at(version: Option<&str>, path: &Path) -> NativeTarget {
    let name = TargetName::new("gcc", version);
    let compiler = Gcc { path: path.to_owned() };
    let dialect = &expression::languages::c::DIALECT;
    NativeTarget::new(name, dialect, Box::new(compiler), settings(SETTINGS))
}

/// Settings from a table.
pub(super) fn settings(table: &[(&str, &str)]) -> Vec<Setting> {
    let setting = |(name, options): &(&str, &str)| Setting {
        name: (*name).to_owned(),
        class: (*name).to_owned(),
        values: vec![],
        extra: options.split(' ').map(str::to_owned).collect(),
    };
    table.iter().map(setting).collect()
}

impl Compiler for Gcc {
    fn line(&self, source: &str, out: &str, setting: &Setting) -> Vec<String> {
        let mut line = vec![self.path.display().to_string()];
        line.extend(["-std=gnu11", "-w"].map(str::to_owned));
        line.extend(setting.extra.iter().cloned());
        line.extend(["-o".to_owned(), out.to_owned(), source.to_owned()]);
        line
    }

    fn object(&self, source: &str, out: &str, setting: &Setting) -> Vec<String> {
        let mut line = self.line(source, out, setting);
        line.push("-c".to_owned());
        line
    }

    fn parts(&self) -> Option<Parts> {
        Some(Parts::Gcc(self.path.clone()))
    }

    fn axes(&self, setting: &Setting, printed: &dyn Fn(&Setting) -> Option<String>) -> Vec<Axis> {
        let mut listing = setting.clone();
        listing.extra.extend(["-Q", "--help=optimizers"].map(str::to_owned));
        let Some(text) = printed(&listing) else { return vec![] };
        let flags: Vec<&str> = text
            .lines()
            .filter_map(|line| {
                let mut words = line.split_whitespace();
                let flag = words.next()?.strip_prefix("-f")?;
                (words.next() == Some("[enabled]") && !flag.contains('=')).then_some(flag)
            })
            .collect();
        // From the level with all its flags disabled to the unchanged level.
        let limited = |count: usize| {
            let off = flags[count..].iter().map(|flag| format!("-fno-{flag}"));
            let extra = setting.extra.iter().cloned().chain(off).collect();
            Setting { extra, ..setting.clone() }
        };
        let passes = flags.iter().map(|flag| PassId::new(format!("-f{flag}")));
        Axis::of_passes(passes, limited).into_iter().collect()
    }

    fn version(&self) -> Vec<String> {
        vec![self.path.display().to_string(), "--version".to_owned()]
    }
}
