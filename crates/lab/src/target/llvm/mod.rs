//! LLVM. Modules go through `opt`, and what it makes of each function is checked against the function:
//! `opt.rs` runs it, `group.rs` puts many cases into one module, `passes.rs` locates failures. Functions of
//! the method `expression` are compiled and run by clang instead, where there is one.

mod group;
mod opt;
mod passes;

use forge::{Case, Input, Interface, Program};

use super::native::NativeTarget;
use super::{
    Attempt, Batch, Bench, ByHand, PassControl, Reads, Rotation, Schedule, Spec, Target,
    TargetName, Unusable,
};
use crate::setting::Setting;
use opt::Opt;

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
pub struct LlvmTarget {
    spec: Spec,
    opt: Opt,
    /// Compiles and runs functions.
    clang: Option<NativeTarget>,
}

impl LlvmTarget {
    /// `opt` as the words that start it, and the clang of the same version.
    pub fn new(version: Option<&str>, opt: Vec<String>, clang: Option<NativeTarget>) -> Self {
        let setting = |passes: &str| Setting::of(vec![(PASSES.to_owned(), passes.to_owned())]);
        let none = setting("verify");
        let own = setting(OWN);
        let pipelines: Vec<Setting> = PIPELINES.iter().map(|it| setting(it)).collect();
        let schedule =
            Schedule::Turns(vec![Rotation::singly(3, [&own]), Rotation::singly(1, &pipelines)]);
        let mut settings = vec![none, own];
        settings.extend(pipelines);
        let mut reads = vec![Reads::new("llvm", Interface::Module, BATCH)];
        let mut occasional = vec![];
        if let Some(clang) = &clang {
            reads.extend(clang.spec().reads.iter().cloned());
            occasional.extend(clang.spec().settings.iter().cloned());
        }
        let name = TargetName::new("llvm", version);
        let major = version.and_then(|it| it.split('.').next()?.parse().ok());
        let opt = Opt::new(opt, major);
        Self { spec: Spec { name, reads, settings, occasional, schedule }, opt, clang }
    }

    fn clang_for(&self, program: &Program) -> Option<&NativeTarget> {
        self.clang.as_ref().filter(|_| program.interface != Interface::Module)
    }
}

impl Target for LlvmTarget {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        let program = cases.first().and_then(|case| case.programs.first());
        match program.and_then(|program| self.clang_for(program)) {
            Some(clang) => clang.attempt(cases, setting, bench),
            None => self.opt.attempt(cases, setting, bench),
        }
    }

    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand {
        match self.clang_for(program) {
            Some(clang) => clang.by_hand(program, input, setting),
            None => self.opt.by_hand(program, setting),
        }
    }

    fn probe(&self, program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        let _ = program;
        self.opt.probe(&self.spec.name, bench)
    }

    fn passes(&self) -> Option<&dyn PassControl> {
        Some(self)
    }
}
