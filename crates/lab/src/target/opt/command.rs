//! How `opt` is called, and what its endings mean.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use forge::{Outcome, Program, Reason};
use llvm::pipeline;

use super::group::{machine_of, passes};
use crate::exec::{ExecError, Limits, Order};
use crate::setting::Setting;
use crate::target::failure::Classifier;
use crate::target::{Bench, ByHand, TargetName, Unusable};

#[derive(Debug)]
pub(super) struct Opt {
    /// The words that start it.
    command: Vec<String>,
    version: Option<u32>,
    classifier: Classifier,
    /// Pipelines that this version rejects, and what it says.
    lacking: Mutex<BTreeMap<String, String>>,
}

/// One call: what runs, and for which machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call<'a> {
    pub(super) passes: &'a str,
    pub(super) machine: &'a [&'a str],
    pub(super) setting: &'a Setting,
    /// Whether the stack of a crash is wanted with names: it takes a second.
    pub(super) names_frames: bool,
}

/// What `opt` did with a module.
pub(super) enum Ran {
    /// The module that it wrote.
    Done(String),
    Failed(Failure),
}

pub(super) struct Failure {
    pub(super) outcome: Outcome,
    pub(super) stderr: String,
}

/// The input and output files of a run.
const INPUT: &str = "in.ll";
const OUTPUT: &str = "out.ll";

/// Fatal errors about attributes that contradict the machine: no verifier checks them.
const LIMITS: [&str; 2] =
    ["streaming SVE functions require SME", "riscv-v-vector-bits-min specified is lower"];

/// With this, the C library asks for large pages for what a program allocates: `opt` takes a tenth less time for a
/// single pass.
const LARGE_PAGES: (&str, &str) = ("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1");

/// The variable with which LLVM does not look up the names of the frames of a crash.
const NO_NAMES: &str = "LLVM_DISABLE_SYMBOLIZATION";

impl Opt {
    pub(super) fn new(command: Vec<String>, version: Option<u32>) -> Self {
        let lacking = Mutex::default();
        let limits: Vec<String> = LIMITS.iter().map(|&it| it.to_owned()).collect();
        let classifier = Classifier::new(&[], &limits).unwrap_or_default();
        Self { command, version, classifier, lacking }
    }

    /// The line that applies passes to a file.
    fn line(&self, call: Call<'_>, input: &str, output: &str) -> Vec<String> {
        let mut line = self.command.clone();
        line.push(format!("-passes={}", self.pipeline(call.passes)));
        if self.version.is_some_and(reads_typed_pointers) {
            line.push("-opaque-pointers".to_owned());
        }
        line.extend(call.machine.iter().map(|it| (*it).to_owned()));
        line.extend(call.setting.extra.iter().cloned());
        line.extend(["-S", input, "-o", output].map(str::to_owned));
        line
    }

    /// From 18 on, InstCombine calls it an error that it has not come to an end after one iteration.
    fn pipeline(&self, passes: &str) -> String {
        if self.version.is_none_or(|version| version < 18) {
            return passes.to_owned();
        }
        let tolerant = |pass: &str| {
            (pass == "instcombine").then(|| "instcombine<no-verify-fixpoint>".to_owned())
        };
        pipeline::replaced(passes, &tolerant)
    }

    /// What this version said when it rejected a pipeline before.
    pub(super) fn lacks(&self, passes: &str) -> Option<String> {
        let lacking = self.lacking.lock().unwrap_or_else(PoisonError::into_inner);
        lacking.get(passes).cloned()
    }

    pub(super) fn run(
        &self,
        text: &str,
        call: Call<'_>,
        limits: &Limits,
        bench: &Bench,
    ) -> Result<Ran, ExecError> {
        let scratch = bench.runner.scratch()?;
        let io = |doing: &'static str| move |source| ExecError::Io { doing, source };
        scratch.write(INPUT, text).map_err(io("write the module"))?;
        let line = self.line(call, INPUT, OUTPUT);
        let (name, value) = LARGE_PAGES;
        let mut order = Order::new(line).limits(limits.clone()).env(name, value);
        if !call.names_frames {
            order = order.env(NO_NAMES, "1");
        }
        let run = bench.runner.run(&order, &scratch)?;
        if let Some(outcome) = self.classifier.compile_failure(&run, limits) {
            let stderr = run.stderr.text();
            let outcome = self.unless_rejected(call.passes, outcome, &stderr);
            return Ok(Ran::Failed(Failure { outcome, stderr }));
        }
        let written = std::fs::read(scratch.path().join(OUTPUT));
        Ok(match written.map(String::from_utf8) {
            Ok(Ok(text)) => Ran::Done(text),
            Ok(Err(_)) => {
                let outcome = Outcome::unobserved("output of opt: not text");
                Ran::Failed(Failure { outcome, stderr: String::new() })
            }
            Err(_) => {
                Ran::Failed(Failure { outcome: Outcome::NoArtifact, stderr: run.stderr.text() })
            }
        })
    }

    /// What `opt` rejects is not valid IR, or names a pass that it does not have: neither says anything
    /// about the compiler. A pipeline is rejected once, not for each case.
    fn unless_rejected(&self, passes: &str, outcome: Outcome, stderr: &str) -> Outcome {
        let message = match outcome {
            Outcome::Rejected { message } => message,
            // From 23 on, `default<Os>` is a fatal error.
            Outcome::Crashed { message, .. } if is_retired(stderr) => message,
            other => return other,
        };
        if is_retired(stderr) || is_about_pipeline(stderr) {
            let message = format!("a pass of {passes}: {message}");
            let mut lacking = self.lacking.lock().unwrap_or_else(PoisonError::into_inner);
            lacking.insert(passes.to_owned(), message.clone());
            return Outcome::Unobserved(Reason::Lacks(message));
        }
        // Without the place, which differs from case to case.
        let rule = message.lines().next().unwrap_or_default();
        let rule = rule.split_once("error: ").map_or(rule, |(_, rule)| rule);
        Outcome::Unobserved(Reason::Lacks(format!("invalid IR: {rule}")))
    }

    pub(super) fn by_hand(&self, program: &Program, setting: &Setting) -> ByHand {
        let out = format!("{}.opt.ll", program.name);
        let passes = passes(&program.source, setting);
        let machine = machine_of(&program.source, setting);
        let call = Call { passes: &passes, machine, setting, names_frames: true };
        let compile = self.line(call, &program.file_name(), &out);
        ByHand::Steps { compile, run: Some(vec!["cat".to_owned(), out]) }
    }

    /// What `opt` prints when it runs the passes of a program.
    pub(super) fn printed(
        &self,
        program: &Program,
        setting: &Setting,
        bench: &Bench,
    ) -> Option<String> {
        let scratch = bench.runner.scratch().ok()?;
        scratch.write(INPUT, &program.source).ok()?;
        let passes = passes(&program.source, setting);
        let machine = machine_of(&program.source, setting);
        let call = Call { passes: &passes, machine, setting, names_frames: true };
        let line = self.line(call, INPUT, OUTPUT);
        let run =
            bench.runner.run(&Order::new(line).limits(bench.compile.clone()), &scratch).ok()?;
        Some(run.stderr.text())
    }

    pub(super) fn probe(&self, name: &TargetName, bench: &Bench) -> Result<String, Unusable> {
        let unusable = |error: ExecError| Unusable(format!("target `{name}`: {error}"));
        let scratch = bench.runner.scratch().map_err(unusable)?;
        let line = self.command.iter().cloned().chain(["--version".to_owned()]);
        let order = Order::new(line).limits(bench.compile.clone());
        let run = bench.runner.run(&order, &scratch).map_err(unusable)?;
        let text = run.stdout.text().trim().to_owned();
        if !run.ending.success() || !text.contains("LLVM") {
            let why = run.stderr.text();
            let why = why.lines().next().unwrap_or("it does not say that it is LLVM's");
            return Err(Unusable(format!(
                "target `{name}`: {} is no opt: {why}",
                self.command.join(" ")
            )));
        }
        require_opaque_pointers(name, self.version)?;
        Ok(text)
    }
}

/// The first version that can be told to read pointers without types, which all our programs have.
const OPAQUE_POINTERS: u32 = 14;

/// The last version that has pointers to types. Half of its tests have them; told to, it reads them as pointers without
/// types.
const TYPED_POINTERS: u32 = 16;

pub(in crate::target) fn reads_typed_pointers(version: u32) -> bool {
    version <= TYPED_POINTERS
}

pub(in crate::target) fn require_opaque_pointers(
    name: &TargetName,
    version: Option<u32>,
) -> Result<(), Unusable> {
    if version.is_none_or(|version| version >= OPAQUE_POINTERS) {
        return Ok(());
    }
    Err(Unusable(format!(
        "target `{name}`: too old: it needs LLVM {OPAQUE_POINTERS} or newer, because pointers have types in earlier versions"
    )))
}

/// Whether it is the pipeline that was rejected, or an option, and not a function. Complaints about those name the
/// file.
fn is_about_pipeline(stderr: &str) -> bool {
    let words =
        ["unknown", "invalid use of", "invalid pipeline", "Unknown command line", "No such file"];
    words.iter().any(|text| stderr.contains(text)) && !stderr.contains(&format!("{INPUT}:"))
}

/// Whether the pipeline names an optimisation level that this version no longer has.
fn is_retired(stderr: &str) -> bool {
    stderr.contains("LLVM ERROR: The optimization level")
        && stderr.contains("is no longer supported")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rejected_pipeline_is_told_from_a_rejected_function() {
        assert!(is_about_pipeline("opt: unknown pass name 'vector-combine2'\n"));
        assert!(is_about_pipeline("opt: Unknown command line argument '-x'.\n"));
        let invalid = "opt: in.ll:3:7: error: use of undefined value '%unknown'\n";
        assert!(!is_about_pipeline(invalid));
    }

    /// LLVM 23 on `default<Os>`: a false alarm of a hunt, as a crash of every function.
    #[test]
    fn a_retired_optimisation_level_is_no_crash() {
        let stderr = "LLVM ERROR: The optimization level \"Os\" is no longer supported. Use O2 in \
                      conjunction with the optsize attribute instead.\n";
        let opt = Opt::new(vec!["opt".to_owned()], Some(23));
        let crash = |message: &str| Outcome::Crashed {
            signal: Some(6),
            message: message.to_owned(),
            frames: vec![],
        };
        let outcome = opt.unless_rejected("default<Os>", crash(stderr), stderr);
        assert!(matches!(outcome, Outcome::Unobserved(Reason::Lacks(_))), "{outcome:?}");
        assert!(opt.lacks("default<Os>").is_some());
        let contradiction = "LLVM ERROR: streaming SVE functions require SME\n";
        let outcome = opt.classifier.failed(contradiction, Some(6));
        assert!(matches!(outcome, Outcome::Unobserved(Reason::Limit(_))), "{outcome:?}");
        let real = "LLVM ERROR: Cannot select";
        assert_eq!(opt.unless_rejected("gvn", crash(real), real), crash(real));
    }
}
