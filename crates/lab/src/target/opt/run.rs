//! Runs `opt` on a module of many functions, and checks that each function that comes out refines the one
//! that went in. A run that fails is repeated with halves, until the failing case is alone.

use std::collections::BTreeMap;
use std::sync::Arc;

use forge::{Case, Check, Observation, Outcome, Program, Reason};
use llvm::check::{self, Checked, Effort};
use llvm::ir::Module;

use super::group::{Group, Part, groups, passes};
use crate::exec::{ExecError, Limits, Order, Run};
use crate::setting::Setting;
use crate::target::failure::{Classifier, not_observed};
use crate::target::native::shared;
use crate::target::{Attempt, Bench, ByHand, Seen, TargetName, Unusable};

#[derive(Debug)]
pub(super) struct Opt {
    /// The words that start it.
    command: Vec<String>,
    version: Option<u32>,
    classifier: Classifier,
}

/// What `opt` made of a module.
enum Ran {
    Done(Box<Module>),
    Failed(Outcome),
}

impl Opt {
    pub(super) fn new(command: Vec<String>, version: Option<u32>) -> Self {
        Self { command, version, classifier: Classifier::default() }
    }

    /// The line that applies passes to a file.
    fn line(&self, passes: &str, setting: &Setting, input: &str, output: &str) -> Vec<String> {
        let mut line = self.command.clone();
        line.push(format!("-passes={}", self.pipeline(passes)));
        if self.version.is_some_and(|version| version < 15) {
            // Tests of these versions have pointers to types; ours have none.
            line.push("-opaque-pointers".to_owned());
        }
        line.extend(setting.extra.iter().cloned());
        line.extend(["-S", input, "-o", output].map(str::to_owned));
        line
    }

    /// From 18 on, InstCombine calls it an error that it has not come to an end after one iteration.
    fn pipeline(&self, passes: &str) -> String {
        if self.version.is_none_or(|version| version < 18) {
            return passes.to_owned();
        }
        let parts = llvm::pipeline::split(passes).into_iter().map(|pass| match pass {
            "instcombine" => "instcombine<no-verify-fixpoint>",
            other => other,
        });
        parts.collect::<Vec<_>>().join(",")
    }

    pub(super) fn attempt(&self, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
        let (groups, unread) = groups(cases, setting);
        let mut outcomes: BTreeMap<usize, Outcome> = unread
            .into_iter()
            .map(|(number, why)| (number, Outcome::Unobserved(Reason::Lacks(why))))
            .collect();
        for Group { passes, parts } in &groups {
            let parts: Vec<&Part> = parts.iter().collect();
            match self.judge(passes, &parts, setting, bench, &mut outcomes) {
                Ok(()) => {}
                // One failure of a single group can be split by whoever asked.
                Err(outcome) if groups.len() == 1 && !is_rejection(&outcome) => {
                    return Attempt::Together(outcome);
                }
                Err(outcome) => {
                    self.split(passes, &parts, &outcome, setting, bench, &mut outcomes);
                }
            }
        }
        let seen = (0..cases.len()).map(|number| {
            let outcome = outcomes.remove(&number);
            let outcome = outcome.unwrap_or_else(|| Outcome::unobserved("opt lost the function"));
            let setting = setting.name.clone();
            Seen::from(vec![Observation { program: 0, setting, input: None, outcome }])
        });
        Attempt::Each(seen.collect())
    }

    /// Judges a group, in halves where it fails as a whole.
    fn judge_parts(
        &self,
        passes: &str,
        parts: &[&Part],
        setting: &Setting,
        bench: &Bench,
        outcomes: &mut BTreeMap<usize, Outcome>,
    ) {
        if let Err(outcome) = self.judge(passes, parts, setting, bench, outcomes) {
            self.split(passes, parts, &outcome, setting, bench, outcomes);
        }
    }

    /// Judges the halves of a group that had one outcome as a whole. What is not valid is found in this way,
    /// too; what says nothing about the parts, such as a pass that is not there, is not looked for.
    fn split(
        &self,
        passes: &str,
        parts: &[&Part],
        outcome: &Outcome,
        setting: &Setting,
        bench: &Bench,
        outcomes: &mut BTreeMap<usize, Outcome>,
    ) {
        let is_of_all = outcome.reason().is_some() && !is_rejection(outcome);
        if parts.len() == 1 || is_of_all {
            outcomes.extend(parts.iter().map(|part| (part.number, outcome.clone())));
            return;
        }
        let (left, right) = parts.split_at(parts.len() / 2);
        self.judge_parts(passes, left, setting, bench, outcomes);
        self.judge_parts(passes, right, setting, bench, outcomes);
    }

    /// Judges a group in one run. An error is the outcome of all of them together.
    fn judge(
        &self,
        passes: &str,
        parts: &[&Part],
        setting: &Setting,
        bench: &Bench,
        outcomes: &mut BTreeMap<usize, Outcome>,
    ) -> Result<(), Outcome> {
        let modules: Vec<&Module> = parts.iter().map(|part| &part.module).collect();
        let merged = Module::merge(&modules);
        let result = match self.run(&merged.module, passes, parts.len(), setting, bench) {
            Ok(Ran::Done(result)) => result,
            Ok(Ran::Failed(outcome)) => return Err(outcome),
            Err(error) => return Err(not_observed(&error)),
        };
        for merged_part in &merged.parts {
            let part = parts[merged_part.index];
            let check = checked(&part.module, &merged.module, &result, &merged_part.names);
            let check = match (check, llvm::pipeline::changes_behaviour(passes)) {
                (Check::Fails { .. }, Some(pass)) => {
                    Check::Unknown { why: format!("{pass} may change what a function does") }
                }
                (check, _) => check,
            };
            outcomes.insert(part.number, Outcome::Checked(check));
        }
        // Cases whose declarations clash with those of others have a run of their own.
        let apart: Vec<&Part> = merged.left_out.iter().map(|(index, _)| parts[*index]).collect();
        if !apart.is_empty() && apart.len() < parts.len() {
            self.judge_parts(passes, &apart, setting, bench, outcomes);
        }
        Ok(())
    }

    fn run(
        &self,
        module: &Module,
        passes: &str,
        count: usize,
        setting: &Setting,
        bench: &Bench,
    ) -> Result<Ran, ExecError> {
        let scratch = bench.runner.scratch()?;
        let io = |doing: &'static str| move |source| ExecError::Io { doing, source };
        scratch.write("in.ll", module.text()).map_err(io("write the module"))?;
        let limits = shared(&bench.compile, count);
        let line = self.line(passes, setting, "in.ll", "out.ll");
        let run = bench.runner.run(&Order::new(line).limits(limits.clone()), &scratch)?;
        if let Some(outcome) = self.failure(&run, &limits) {
            return Ok(Ran::Failed(outcome));
        }
        let Ok(text) = std::fs::read_to_string(scratch.path().join("out.ll")) else {
            return Ok(Ran::Failed(Outcome::NoArtifact));
        };
        Ok(match Module::parse(&text) {
            Ok(module) => Ran::Done(Box::new(module)),
            Err(error) => Ran::Failed(Outcome::unobserved(format!("output of opt: {error}"))),
        })
    }

    /// What `opt` rejects is not valid IR, or names a pass that it does not have: neither says anything
    /// about the compiler.
    fn failure(&self, run: &Run, limits: &Limits) -> Option<Outcome> {
        match self.classifier.compile_failure(run, limits)? {
            Outcome::Rejected { message } => Some(Outcome::Unobserved(Reason::Lacks(message))),
            other => Some(other),
        }
    }

    pub(super) fn by_hand(&self, program: &Program, setting: &Setting) -> ByHand {
        let passes = passes(&program.source, setting);
        let out = format!("{}.opt.ll", program.name);
        let compile = self.line(&passes, setting, &program.file_name(), &out);
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
        scratch.write("in.ll", &program.source).ok()?;
        let line = self.line(&passes(&program.source, setting), setting, "in.ll", "out.ll");
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
        Ok(text)
    }
}

/// Whether a module was rejected because of a function in it, and not because of the pipeline.
fn is_rejection(outcome: &Outcome) -> bool {
    let about_pipeline = |why: &String| {
        ["unknown", "invalid use of", "No such file"].iter().any(|text| why.contains(text))
            && !why.contains(".ll:")
    };
    matches!(outcome.reason(), Some(Reason::Lacks(why)) if !about_pipeline(why))
}

/// What came of the functions of one case: it fails if one of them does, and holds if all of them do.
fn checked(
    own: &Module,
    source: &Module,
    target: &Module,
    names: &BTreeMap<Arc<str>, Arc<str>>,
) -> Check {
    let mut unknown = None;
    for function in &own.functions {
        let name = names.get(&function.header.name).unwrap_or(&function.header.name);
        match check::check(source, target, name, Effort::default()) {
            Checked::Proven | Checked::Tested { .. } | Checked::Unchanged => {}
            Checked::Fails(counterexample) => {
                let shown = function.header.name.as_ref();
                let counterexample = format!("@{shown}: {counterexample}");
                return Check::Fails { counterexample };
            }
            Checked::Unknown(why) => {
                unknown.get_or_insert_with(|| why.to_string());
            }
        }
    }
    unknown.map_or(Check::Holds, |why| Check::Unknown { why })
}
