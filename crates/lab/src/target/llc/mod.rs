//! LLVM's code generators, through `llc`. Functions are compiled for a machine, linked without a C library, called
//! there and compared with the interpreter's answer. `compile.rs` starts the tools, `run.rs` judges a batch,
//! `execute.rs` runs an executable, `settings.rs` is the table of machines and options, `limits.rs` lists what a
//! code generator documents not to support, `passes.rs` locates failures.

mod compile;
mod execute;
mod limits;
mod passes;
mod run;
mod settings;

use std::path::Path;

use forge::{Case, Input, Interface, Program};

use super::opt::OptTarget;
use super::{
    Attempt, Batch, Bench, ByHand, Demonstration, PassControl, Reads, Spec, Target, TargetName,
    Unusable,
};
use crate::setting::Setting;
use crate::toolchain::Installed;
use compile::Tools;

/// How many modules share an executable.
const BATCH: Batch = Batch { cases: 200, bytes: 1 << 20 };

/// The toolchain family with the emulators.
pub const EMULATORS: &str = "qemu";

/// LLVM's code generators at a version.
#[derive(Debug)]
pub struct LlcTarget {
    spec: Spec,
    tools: Tools,
    /// Reads and prints corpora.
    opt: Option<OptTarget>,
}

/// The words that start LLVM's tools, and where emulators are.
#[derive(Clone, Debug)]
pub struct Parts {
    pub llc: Vec<String>,
    /// Without a linker, functions are only compiled.
    pub linker: Option<Vec<String>>,
    pub opt: Option<Vec<String>>,
    pub emulators: Option<Installed>,
}

impl LlcTarget {
    pub fn new(version: Option<&str>, parts: Parts) -> Self {
        let major = version.and_then(|it| it.split('.').next()?.parse().ok());
        let reads = vec![Reads::new("llvm", Interface::Module, BATCH)];
        let name = TargetName::new("llc", version);
        let (settings, occasional, schedule) = settings::all(major);
        let spec = Spec { name, reads, settings, occasional, schedule };
        let opt = parts.opt.clone().map(|opt| OptTarget::new(version, opt));
        Self { spec, tools: Tools::new(parts, major), opt }
    }

    /// From an installed toolchain, with the emulators that are installed beside it.
    pub fn of(installed: &Installed) -> Option<Self> {
        let siblings = installed.siblings();
        let emulators = siblings.and_then(|siblings| {
            let newest = siblings.installed(EMULATORS).pop()?;
            siblings.get(EMULATORS, &newest)
        });
        let parts = Parts {
            llc: installed.tool("llc")?,
            linker: installed.tool("ld.lld"),
            opt: installed.tool("opt"),
            emulators,
        };
        Some(Self::new(Some(installed.version()), parts))
    }

    /// The `llc` at a path, with the linker beside it.
    pub fn at(version: Option<&str>, llc: &Path) -> Self {
        let beside = |name: &str| {
            let path = llc.with_file_name(name);
            path.is_file().then(|| vec![path.display().to_string()])
        };
        let (linker, opt) = (beside("ld.lld"), beside("opt"));
        let llc = vec![llc.display().to_string()];
        Self::new(version, Parts { llc, linker, opt, emulators: None })
    }
}

impl Target for LlcTarget {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        run::attempt(&self.tools, cases, setting, bench)
    }

    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand {
        match &self.opt {
            // A corpus is read through `opt`.
            Some(opt) if setting.value("passes").is_some() => opt.by_hand(program, input, setting),
            _ => self.tools.by_hand(program, setting),
        }
    }

    fn demonstration(
        &self,
        program: &Program,
        setting: &Setting,
        wrong: &str,
    ) -> Option<Demonstration> {
        self.tools.demonstration(program, setting, wrong)
    }

    fn probe(&self, _program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        self.tools.probe(&self.spec.name, bench)
    }

    fn passes(&self) -> Option<&dyn PassControl> {
        Some(self)
    }
}
