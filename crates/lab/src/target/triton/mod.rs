//! The LLVM inside of Triton, from PyPI: the only one that a registry has with assertions. A script offers it with
//! the command line of `opt`, so functions are merged, split and judged as for `opt`; see `target/opt`. Before an
//! abort counts, the `opt` of an installed LLVM must accept the function.

use forge::{Case, Input, Interface, Outcome, Program, Reason};

use super::opt::OptTarget;
use super::{Attempt, Batch, Bench, ByHand, Reads, Schedule, Spec, Target, TargetName, Unusable};
use crate::exec::Order;
use crate::setting::Setting;
use crate::toolchain::Installed;

const SCRIPT: &str = include_str!("../scripts/triton.py");

/// How many modules share a process: it starts slowly.
const BATCH: Batch = Batch { cases: 400, bytes: 1 << 20 };

/// The LLVM of Triton at a version.
#[derive(Debug)]
pub struct TritonTarget {
    spec: Spec,
    opt: OptTarget,
    /// LLVM's own `opt`, the newest that is installed. Reads corpora and verifies.
    verifier: Option<OptTarget>,
}

impl TritonTarget {
    pub fn of(installed: &Installed) -> Self {
        let python = installed.python().display().to_string();
        let command = vec![python, "-c".to_owned(), SCRIPT.to_owned()];
        let siblings = installed.siblings();
        let verifier = siblings.and_then(|siblings| {
            let clang = siblings.get("clang", &siblings.installed("clang").pop()?)?;
            Some(OptTarget::new(Some(clang.version()), clang.tool("opt")?))
        });
        let settings = vec![passes("verify"), passes("default<O3>")];
        let schedule = Schedule::all_but_reference(&settings);
        let reads = vec![Reads::new("llvm", Interface::Module, BATCH)];
        let name = TargetName::new("triton", Some(installed.version()));
        let spec = Spec { name, reads, settings, occasional: vec![], schedule };
        Self { spec, opt: OptTarget::new(None, command), verifier }
    }

    /// A crash counts if the function is valid.
    fn counted(&self, case: &Case, outcome: Outcome, bench: &Bench) -> Outcome {
        if !matches!(outcome, Outcome::Crashed { .. }) {
            return outcome;
        }
        match self.is_valid(case, bench) {
            Some(true) => outcome,
            Some(false) => Outcome::Unobserved(Reason::Lacks("the module is not valid".to_owned())),
            None => Outcome::unobserved(
                "it aborts, and no LLVM is installed to verify the module (mistrust toolchain add clang)",
            ),
        }
    }

    /// Whether LLVM's own verifier accepts a case; `None` if there is none.
    fn is_valid(&self, case: &Case, bench: &Bench) -> Option<bool> {
        let program = case.programs.first()?;
        let verify = passes("verify");
        let verifier = self.verifier.as_ref()?;
        let ByHand::Steps { compile, .. } = verifier.by_hand(program, &Input::default(), &verify)
        else {
            return None;
        };
        let scratch = bench.runner.scratch().ok()?;
        scratch.write(program.file_name(), &program.source).ok()?;
        let order = Order::new(compile).limits(bench.compile.clone());
        Some(bench.runner.run(&order, &scratch).ok()?.ending.success())
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
        let verifier = self.verifier.as_ref().filter(|_| setting.value("passes") == Some("verify"));
        verifier.unwrap_or(&self.opt).by_hand(program, input, setting)
    }

    fn probe(&self, program: Option<&Program>, bench: &Bench) -> Result<String, Unusable> {
        self.opt.probe(program, bench)
    }
}
