//! LLVM's `opt`. What it makes of each function is checked against the function: `command.rs` calls it, `group.rs`
//! puts many cases into one module, `judge.rs` runs a module and finds the case that a failure belongs to,
//! `blame.rs` reads from the output of a failed run which function it worked on, `invalid.rs` finds the pass that left
//! invalid IR, `check.rs` compares functions,
//! `passes.rs` locates failures.

mod blame;
mod check;
mod command;
mod group;
mod invalid;
mod judge;
mod passes;

use forge::{Case, Input, Interface, Observation, Outcome, Program, Reason};

use super::{
    Attempt, Batch, Bench, ByHand, PassControl, Reads, Rotation, Schedule, Seen, Spec, Target,
    TargetName, Unusable,
};
use crate::setting::Setting;
use command::Opt;
pub(super) use command::{reads_typed_pointers, require_opaque_pointers};
use group::groups;
use judge::Judge;

/// How many modules share a run of `opt`. A batch of several pipelines needs several runs, so this is a multiple of
/// the number of cases that share one.
const BATCH: Batch = Batch { cases: 800, bytes: 4 << 20 };

/// The option that says which passes run.
const PASSES: &str = "passes";

/// The passes that the program names.
const OWN: &str = "own";

/// The option that says for which machine programs are compiled that name none. Vectorisers need one.
const TRIPLE: &str = "triple";

/// The option that lets arguments be undef. LLVM has many known failures for those and is about to drop undef, so no
/// batch has it unless it is chosen.
const UNDEF: (&str, &str) = ("arguments", "undef");

/// Machines, with the options of `opt`.
const MACHINES: [(&str, &[&str]); 3] = [
    ("x86_64", &["-mtriple=x86_64-unknown-linux-gnu", "-mcpu=x86-64-v3"]),
    ("aarch64", &["-mtriple=aarch64-unknown-linux-gnu"]),
    ("riscv64", &["-mtriple=riscv64-unknown-linux-gnu", "-mattr=+v"]),
];

/// LLVM's `opt` at a version.
#[derive(Debug)]
pub struct OptTarget {
    spec: Spec,
    opt: Opt,
}

impl OptTarget {
    /// `opt` is the words that start it.
    pub fn new(version: Option<&str>, opt: Vec<String>) -> Self {
        let major = version.and_then(|it| it.split('.').next()?.parse().ok());
        Self::named(TargetName::new("opt", version), major, opt)
    }

    /// Under another name, with the major version of its LLVM.
    pub(super) fn named(name: TargetName, major: Option<u32>, opt: Vec<String>) -> Self {
        let option = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let setting = |passes: &str| Setting::of(vec![option(PASSES, passes)]);
        let own = setting(OWN);
        // Pipelines beside those that programs name.
        let pipelines = llvm::passes::defaults(major.unwrap_or(u32::MAX));
        let pipelines: Vec<Setting> = pipelines.into_iter().map(setting).collect();
        let on_machines = |passes: &str| {
            let on = |(machine, _): &(&str, _)| {
                Setting::of(vec![option(PASSES, passes), option(TRIPLE, machine)])
            };
            MACHINES.iter().map(on).collect::<Vec<Setting>>()
        };
        let mut occasional = [on_machines("default<O3>"), on_machines(OWN)].concat();
        let schedule = Schedule::Turns(vec![
            Rotation::singly(6, [&own]),
            Rotation::singly(2, &pipelines),
            Rotation::singly(1, &occasional),
        ]);
        let undef =
            |passes: &str| Setting::of(vec![option(PASSES, passes), option(UNDEF.0, UNDEF.1)]);
        occasional.extend([undef(OWN), undef("default<O2>")]);
        // The first setting of a target is the reference: no pass.
        let mut settings = vec![setting("verify"), own];
        settings.extend(pipelines);
        let reads = vec![Reads::new("llvm", Interface::Module, BATCH)];
        let spec = Spec { name, reads, settings, occasional, schedule };
        Self { spec, opt: Opt::new(opt, major) }
    }
}

impl Target for OptTarget {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        let (groups, unread) = groups(cases, setting);
        let mut outcomes: Vec<Option<Outcome>> = vec![None; cases.len()];
        for (number, why) in unread {
            outcomes[number] = Some(Outcome::Unobserved(Reason::Lacks(why)));
        }
        let count = groups.len();
        for group in groups {
            let mut judge = Judge::new(&self.opt, &group, setting, bench, &mut outcomes);
            judge.judge(&group.parts.iter().collect::<Vec<_>>());
            match judge.unexplained.take() {
                // Whoever asked looks for it again.
                Some(outcome) if count == 1 => return Attempt::Together(outcome),
                Some(_) | None => {}
            }
        }
        let seen = outcomes.into_iter().map(|outcome| {
            let outcome = outcome.unwrap_or_else(|| Outcome::unobserved("opt lost the function"));
            let setting = setting.name.clone();
            Seen::from(vec![Observation { program: 0, setting, input: None, outcome }])
        });
        Attempt::Each(seen.collect())
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
