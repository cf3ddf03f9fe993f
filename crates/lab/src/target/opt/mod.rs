//! LLVM's `opt`. What it makes of each function is checked against the function: `run.rs` runs it, `group.rs`
//! puts many cases into one module, `passes.rs` locates failures.

mod group;
mod passes;
mod run;

use forge::{Case, Input, Interface, Program};

use super::{
    Attempt, Batch, Bench, ByHand, PassControl, Reads, Rotation, Schedule, Spec, Target,
    TargetName, Unusable,
};
use crate::setting::Setting;
use run::Opt;

/// How many modules share a run of `opt`.
const BATCH: Batch = Batch { cases: 400, bytes: 1 << 20 };

/// The option that says which passes run.
const PASSES: &str = "passes";

/// The passes that the program names.
const OWN: &str = "own";

/// Pipelines beside those that programs name. The first setting of a target is the reference: no pass.
const PIPELINES: [&str; 5] =
    ["default<O2>", "default<O3>", "default<O1>", "default<Os>", "default<Oz>"];

#[derive(Debug)]
pub struct OptTarget {
    spec: Spec,
    opt: Opt,
}

impl OptTarget {
    /// `opt` is the words that start it.
    pub fn new(version: Option<&str>, opt: Vec<String>) -> Self {
        let setting = |passes: &str| Setting::of(vec![(PASSES.to_owned(), passes.to_owned())]);
        let own = setting(OWN);
        let pipelines: Vec<Setting> = PIPELINES.iter().map(|it| setting(it)).collect();
        let schedule =
            Schedule::Turns(vec![Rotation::singly(3, [&own]), Rotation::singly(1, &pipelines)]);
        let mut settings = vec![setting("verify"), own];
        settings.extend(pipelines);
        let reads = vec![Reads::new("llvm", Interface::Module, BATCH)];
        let name = TargetName::new("opt", version);
        let major = version.and_then(|it| it.split('.').next()?.parse().ok());
        let spec = Spec { name, reads, settings, occasional: vec![], schedule };
        Self { spec, opt: Opt::new(opt, major) }
    }
}

impl Target for OptTarget {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        self.opt.attempt(cases, setting, bench)
    }

    fn by_hand(&self, program: &Program, _input: &Input, setting: &Setting) -> ByHand {
        self.opt.by_hand(program, setting)
    }

    fn probe(&self, _program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        self.opt.probe(&self.spec.name, bench)
    }

    fn passes(&self) -> Option<&dyn PassControl> {
        Some(self)
    }
}
