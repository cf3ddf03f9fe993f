//! Judges a batch: the functions of all cases in one module are compiled together, and called where their machine
//! can be started. A run that fails is repeated with halves, until the failing case is alone.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use forge::{Case, Check, Excess, Observation, Outcome, Reason};
use llvm::execute::{Plan, prepare, unfit};
use llvm::ir::Module;

use super::compile::{Failed, Tools};
use super::execute::{Answer, answers};
use super::settings;
use crate::exec::Limits;
use crate::setting::Setting;
use crate::target::{Attempt, Bench, Seen};

/// The CPU time of `llc` for a module, and more for each of its functions: it needs a few milliseconds.
const TIME: Duration = Duration::from_secs(6);
const EACH: Duration = Duration::from_millis(20);

/// A case that was read.
struct Part {
    /// Its number among the cases.
    number: usize,
    /// Its functions: a prepared module has more.
    own: Vec<Arc<str>>,
    module: Module,
}

struct Batch<'a> {
    tools: &'a Tools,
    setting: &'a Setting,
    bench: &'a Bench,
    outcomes: BTreeMap<usize, Outcome>,
}

pub(super) fn attempt(tools: &Tools, cases: &[&Case], setting: &Setting, bench: &Bench) -> Attempt {
    let layout = match tools.layout(setting, bench) {
        Ok(layout) => layout,
        Err(failed) => return Attempt::Together(failed.into()),
    };
    let machine = setting.value(settings::MACHINE).unwrap_or_default();
    let triple = settings::triple(machine).unwrap_or_default();
    let mut outcomes = BTreeMap::new();
    let mut parts = vec![];
    for (number, case) in cases.iter().enumerate() {
        let source = case.programs.first().map_or("", |program| program.source.as_str());
        let read = Module::parse(source).map_err(|error| error.to_string());
        let read = read.and_then(|module| match unfit(&module) {
            Some(why) => Err(why),
            None => Ok(module),
        });
        match read {
            Ok(module) => {
                let own = module.functions.iter().map(|it| it.header.name.clone()).collect();
                let is_executed = Tools::executed(setting).is_some();
                let module = prepare(&module, triple, &layout, is_executed);
                parts.push(Part { number, own, module });
            }
            Err(why) => {
                outcomes.insert(number, Outcome::Checked(Check::Unknown { why }));
            }
        }
    }
    let mut batch = Batch { tools, setting, bench, outcomes };
    let parts: Vec<&Part> = parts.iter().collect();
    if !parts.is_empty() {
        match batch.judge(&parts) {
            Ok(()) => {}
            // What is about one function can be found here as well as by whoever asked.
            Err(outcome) if parts.len() == cases.len() && !is_rejection(&outcome) => {
                return Attempt::Together(outcome);
            }
            Err(outcome) => batch.split(&parts, &outcome),
        }
    }
    let seen = (0..cases.len()).map(|number| {
        let outcome = batch.outcomes.remove(&number);
        let outcome = outcome.unwrap_or_else(|| Outcome::unobserved("llc lost the function"));
        let setting = setting.name.clone();
        Seen::from(vec![Observation { program: 0, setting, input: None, outcome }])
    });
    Attempt::Each(seen.collect())
}

impl Batch<'_> {
    /// Judges a part of the cases, in halves where it fails as a whole.
    fn judge_parts(&mut self, parts: &[&Part]) {
        if let Err(outcome) = self.judge(parts) {
            self.split(parts, &outcome);
        }
    }

    fn split(&mut self, parts: &[&Part], outcome: &Outcome) {
        let is_of_all = outcome.reason().is_some() && !is_rejection(outcome);
        if parts.len() == 1 || is_of_all {
            self.outcomes.extend(parts.iter().map(|part| (part.number, outcome.clone())));
            return;
        }
        let (left, right) = parts.split_at(parts.len() / 2);
        self.judge_parts(left);
        self.judge_parts(right);
    }

    /// Judges cases in one run. An error is the outcome of all of them together.
    fn judge(&mut self, parts: &[&Part]) -> Result<(), Outcome> {
        let modules: Vec<&Module> = parts.iter().map(|part| &part.module).collect();
        let merged = Module::merge(&modules);
        let mut names: Vec<Arc<str>> = vec![];
        let mut owners: Vec<usize> = vec![];
        for part in &merged.parts {
            for name in &parts[part.index].own {
                names.push(part.names.get(name).unwrap_or(name).clone());
                owners.push(part.index);
            }
        }
        let answers = self.answers(&merged.module, &names)?;
        let mut checks: BTreeMap<usize, Vec<(Arc<str>, Answer)>> = BTreeMap::new();
        for ((owner, name), answer) in owners.into_iter().zip(names).zip(answers) {
            checks.entry(owner).or_default().push((name, answer));
        }
        for (index, answers) in checks {
            self.outcomes.insert(parts[index].number, Outcome::Checked(checked(&answers)));
        }
        // Cases whose declarations clash with those of others have a run of their own.
        let apart: Vec<&Part> = merged.left_out.iter().map(|(index, _)| parts[*index]).collect();
        if !apart.is_empty() && apart.len() < parts.len() {
            self.judge_parts(&apart);
        }
        Ok(())
    }

    fn answers(&self, module: &Module, names: &[Arc<str>]) -> Result<Vec<Answer>, Outcome> {
        // A batch takes a second; more time would only make hangs expensive: one is looked for by halves, confirmed,
        // located and reduced.
        let limits = &self.bench.compile;
        let cpu = TIME + EACH * u32::try_from(names.len()).unwrap_or(u32::MAX);
        let limits = &Limits { cpu: cpu.min(limits.cpu), ..limits.clone() };
        let scratch = self.bench.runner.scratch().map_err(Failed::from)?;
        let compiled =
            |text: &str| self.tools.compile(text, self.setting, limits, self.bench, &scratch);
        let starter = self.tools.starter(self.setting);
        let machine = Tools::executed(self.setting);
        let (Ok(starter), Some(machine)) = (&starter, machine) else {
            compiled(&module.text())?;
            let why = starter.err().unwrap_or_default();
            return Ok(names.iter().map(|_| Answer::Unknown(why.clone())).collect());
        };
        let plan = Plan::new(module, names, machine);
        compiled(&plan.text)?;
        if plan.calls.is_empty() {
            let why = |it: &llvm::execute::Tested| it.why.clone().unwrap_or_default();
            return Ok(plan.functions.iter().map(|it| Answer::Unknown(why(it))).collect());
        }
        self.tools.link(self.setting, &plan.sections, self.bench, &scratch)?;
        Ok(answers(&plan, starter, self.bench, &scratch)?)
    }
}

/// Whether a module was rejected because of a function in it.
fn is_rejection(outcome: &Outcome) -> bool {
    matches!(outcome.reason(), Some(Reason::Lacks(_) | Reason::Limit(_)))
}

/// What came of the functions of one case: it fails if one of them does, and holds if one was called.
fn checked(answers: &[(Arc<str>, Answer)]) -> Check {
    let mut unknown = None;
    let mut is_called = false;
    for (name, answer) in answers {
        match answer {
            Answer::Right(_) => is_called = true,
            Answer::Wrong(how) => {
                let shown = name.rsplit_once('.').map_or(&**name, |(shown, _)| shown);
                let counterexample = format!("@{shown}: {how}");
                let excess = Excess::Wrong;
                return Check::Fails { excess, counterexample, optimised: None };
            }
            Answer::Unknown(why) => {
                unknown.get_or_insert_with(|| why.clone());
            }
        }
    }
    match unknown {
        Some(why) if !is_called => Check::Unknown { why },
        _ => Check::Holds,
    }
}
