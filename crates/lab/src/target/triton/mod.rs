//! The LLVM inside of Triton, from PyPI: the only one that a registry has with assertions. A script offers it with
//! the command line of `opt`, so functions are merged, split and judged as for `opt`; see `target/opt`. Before an
//! abort counts, another verifier than Triton's must accept the function: that of an installed LLVM, or ours.

use forge::{Case, Input, Interface, Outcome, Program, Reason};
use llvm::ir::Module;

use super::opt::OptTarget;
use super::{
    Attempt, Batch, Bench, ByHand, PassControl, Reads, Rotation, Schedule, Spec, Target,
    TargetName, Unusable,
};
use crate::exec::Order;
use crate::setting::Setting;
use crate::toolchain::Installed;
use crate::version::version_order;

const SCRIPT: &str = include_str!("../scripts/triton.py");

/// The name of the script beside a finding.
const SCRIPT_FILE: &str = "opt.py";

/// How many modules share a process.
const BATCH: Batch = Batch { cases: 400, bytes: 1 << 20 };

/// The first version whose library exports LLVM's functions, so that any pass can be run. Earlier ones offer one
/// pipeline.
const EXPORTING: &str = "3.8";

/// The LLVM that versions before [`EXPORTING`] have is 19 to 22, and later ones have 23 or newer. What it is exactly
/// makes no difference to the command line.
const LLVM: u32 = 23;

/// The LLVM of Triton at a version.
#[derive(Debug)]
pub struct TritonTarget {
    spec: Spec,
    opt: OptTarget,
    /// The same, started from a file beside the program.
    by_hand: OptTarget,
    /// LLVM's own `opt`, the newest that is installed. Reads corpora and verifies.
    verifier: Option<OptTarget>,
}

impl TritonTarget {
    pub fn of(installed: &Installed) -> Self {
        let siblings = installed.siblings();
        let verifier = siblings.and_then(|siblings| {
            let clang = siblings.get("clang", &siblings.installed("clang").pop()?)?;
            Some(OptTarget::new(Some(clang.version()), clang.tool("opt")?))
        });
        let python = installed.python().display().to_string();
        let command = |words: [&str; 2]| {
            let words = words.map(str::to_owned);
            [vec![python.clone()], words.to_vec()].concat()
        };
        let script = command(["-c", SCRIPT]);
        let file = vec![python.clone(), SCRIPT_FILE.to_owned()];
        Self::new(installed.version(), script, file, verifier)
    }

    /// From the words that start its `opt`, in a hunt and by hand.
    pub fn new(
        version: &str,
        command: Vec<String>,
        by_hand: Vec<String>,
        verifier: Option<OptTarget>,
    ) -> Self {
        let name = TargetName::new("triton", Some(version));
        let exports = version_order(Some(version)) >= version_order(Some(EXPORTING));
        let defaults = ["default<O3>", "default<O2>", "default<O1>"].map(passes);
        let reads = vec![Reads::new("llvm", Interface::Module, BATCH)];
        let (settings, schedule) = if exports {
            let own = passes("own");
            let schedule =
                Schedule::Turns(vec![Rotation::singly(3, [&own]), Rotation::singly(1, &defaults)]);
            ([vec![passes("verify"), own], defaults.to_vec()].concat(), schedule)
        } else {
            let settings = vec![passes("verify"), passes("default<O3>")];
            let schedule = Schedule::all_but_reference(&settings);
            (settings, schedule)
        };
        let spec = Spec { name: name.clone(), reads, settings, occasional: vec![], schedule };
        let opt = |command| OptTarget::named(name.clone(), Some(LLVM), command);
        Self { spec, opt: opt(command), by_hand: opt(by_hand), verifier }
    }

    /// A crash counts if the function is valid.
    fn counted(&self, case: &Case, outcome: Outcome, bench: &Bench) -> Outcome {
        if !matches!(outcome, Outcome::Crashed { .. }) {
            return outcome;
        }
        match self.refusal(case, bench) {
            None => outcome,
            Some(why) => Outcome::Unobserved(Reason::Lacks(format!("invalid IR: {why}"))),
        }
    }

    /// What another verifier says against a case.
    fn refusal(&self, case: &Case, bench: &Bench) -> Option<String> {
        let Some(program) = case.programs.first() else { return Some("no program".to_owned()) };
        let own = || match Module::parse(&program.source).map(|module| module.verify()) {
            Ok(verified) => verified.err().map(|error| error.to_string()),
            Err(error) => Some(error.to_string()),
        };
        let Some(verifier) = &self.verifier else { return own() };
        let ByHand::Steps { compile, .. } =
            verifier.by_hand(program, &Input::default(), &passes("verify"))
        else {
            return own();
        };
        let run = || {
            let scratch = bench.runner.scratch().ok()?;
            scratch.write(program.file_name(), &program.source).ok()?;
            let order = Order::new(compile).limits(bench.compile.clone());
            bench.runner.run(&order, &scratch).ok()
        };
        match run() {
            Some(run) if run.ending.success() => None,
            Some(run) => Some(run.stderr.text().lines().next().unwrap_or("rejected").to_owned()),
            None => own(),
        }
    }
}

fn passes(passes: &str) -> Setting {
    Setting::of(vec![("passes".to_owned(), passes.to_owned())])
}

impl Target for TritonTarget {
    fn spec(&self) -> &Spec {
        &self.spec
    }

    fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        match (self.opt.attempt(cases, setting, bench), cases) {
            (Attempt::Together(outcome), [case]) => {
                Attempt::Together(self.counted(case, outcome, bench))
            }
            (Attempt::Each(mut each), cases) => {
                for (seen, case) in each.iter_mut().zip(cases) {
                    for observation in &mut seen.observations {
                        let outcome = observation.outcome.clone();
                        observation.outcome = self.counted(case, outcome, bench);
                    }
                }
                Attempt::Each(each)
            }
            (other, _) => other,
        }
    }

    fn by_hand(&self, program: &Program, input: &Input, setting: &Setting) -> ByHand {
        let opt = match setting.value("passes") {
            // A corpus is read in this way.
            Some("verify") => self.verifier.as_ref().unwrap_or(&self.opt),
            _ => &self.by_hand,
        };
        opt.by_hand(program, input, setting)
    }

    fn files(&self) -> Vec<(String, String)> {
        vec![(SCRIPT_FILE.to_owned(), SCRIPT.to_owned())]
    }

    fn probe(&self, program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        self.opt.probe(program, bench)
    }

    fn passes(&self) -> Option<&dyn PassControl> {
        self.opt.passes()
    }
}
