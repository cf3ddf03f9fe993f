//! Judges the cases of a group: one run of `opt` for all of them. If it fails, the case that it belongs to is looked
//! for: first the one that the output names, else by halves. A failure counts only for a case that fails alone and
//! whose module `opt` accepts if no pass runs.

use std::collections::BTreeMap;
use std::time::Duration;

use forge::{Check, Outcome, Reason};
use llvm::cfg::Cfg;
use llvm::ir::{Module, Op};
use llvm::merge::{self, Merged};
use llvm::pipeline;

use super::blame;
use super::check::Checker;
use super::command::{Call, Failure, Opt, Ran};
use super::group::{Group, Part};
use super::invalid;
use crate::exec::Limits;
use crate::setting::Setting;
use crate::target::Bench;
use crate::target::failure::not_observed;

/// The time of a run of many modules, and more for each: `opt` needs a millisecond for one.
const SHARED: Duration = Duration::from_secs(8);
const EACH: Duration = Duration::from_millis(20);

/// Why cases are skipped after too many such runs.
const HANGS: &str = "other cases of the batch took too long";

/// How many runs of a group may take too long. Where one function keeps a pass busy for ever, others of the same tests
/// do as well, and each of them costs the time of two runs.
const MOST_HANGS: u32 = 12;

/// The time of a run of one module, if no less is configured. Each failure is run dozens of times, so that a hang which
/// takes all the time of a compiler would take most of a hunt.
const ALONE: Duration = Duration::from_secs(12);

pub(super) struct Judge<'a> {
    opt: &'a Opt,
    call: Call<'a>,
    bench: &'a Bench,
    /// Of all cases, by number.
    outcomes: &'a mut [Option<Outcome>],
    /// A failure of several cases that none of them has alone.
    pub(super) unexplained: Option<Outcome>,
    /// How many runs took too long.
    hangs: u32,
}

impl<'a> Judge<'a> {
    pub(super) fn new(
        opt: &'a Opt,
        group: &'a Group,
        setting: &'a Setting,
        bench: &'a Bench,
        outcomes: &'a mut [Option<Outcome>],
    ) -> Self {
        let call =
            Call { passes: &group.passes, machine: group.machine, setting, names_frames: false };
        Self { opt, call, bench, outcomes, unexplained: None, hangs: 0 }
    }

    /// Judges the parts. Returns whether `opt` failed on one of them.
    pub(super) fn judge(&mut self, parts: &[&Part]) -> bool {
        let (mut failed, mut rest) = self.judge_some(parts);
        // Not by recursion: in a batch with hundreds of invalid cases, each run is rid of one.
        while !rest.is_empty() {
            let (some_failed, others) = self.judge_some(&rest);
            failed |= some_failed;
            rest = others;
        }
        failed
    }

    /// Judges the parts, or some of them. Returns whether `opt` failed on one of them, and those that are left.
    fn judge_some<'p>(&mut self, parts: &[&'p Part]) -> (bool, Vec<&'p Part>) {
        if let Some(why) = self.opt.lacks(self.call.passes) {
            self.all(parts, &Outcome::Unobserved(Reason::Lacks(why)));
            return (false, vec![]);
        }
        if self.hangs >= MOST_HANGS {
            self.all(parts, &Outcome::Unobserved(Reason::Limit(HANGS.to_owned())));
            // That is the explanation of the failure that led here.
            return (true, vec![]);
        }
        // A limit on the number of passes counts those of all functions together.
        if parts.len() > 1 && !self.call.setting.extra.is_empty() {
            // Each is judged, whatever became of those before it.
            let mut failed = false;
            for part in parts {
                failed |= self.judge(&[*part]);
            }
            return (failed, vec![]);
        }
        let merged = match parts {
            // As it is, so that the command of a report does the same.
            [part] => Merged {
                module: part.module.clone(),
                parts: vec![merge::Part { index: 0, names: BTreeMap::new() }],
                left_out: vec![],
            },
            parts => Module::merge(&parts.iter().map(|part| &part.module).collect::<Vec<_>>()),
        };
        let within: Vec<&'p Part> = merged.parts.iter().map(|it| parts[it.index]).collect();
        let text = merged.module.text();
        let call = Call { names_frames: parts.len() == 1, ..self.call };
        let ran = self.opt.run(&text, call, &self.limits(within.len()), self.bench);
        let (mut failed, rest) = match ran {
            Ok(Ran::Done(result)) => {
                match Checker::new(merged.module, &result, self.call.setting, parts.len() == 1) {
                    Ok(checker) => {
                        for (part, merged_part) in within.iter().zip(&merged.parts) {
                            let check = checker.check(&part.module, &merged_part.names);
                            let check = unless_expected(check, self.call.passes, &part.module);
                            self.outcomes[part.number] = Some(Outcome::Checked(check));
                        }
                    }
                    Err(why) => self.all(&within, &Outcome::unobserved(why)),
                }
                (false, vec![])
            }
            Ok(Ran::Failed(failure)) => {
                self.hangs += u32::from(matches!(failure.outcome, Outcome::Hung { .. }));
                let named = blame::functions(&failure.stderr, &text);
                let has = |part: &merge::Part| part.names.values().any(|it| named.contains(&**it));
                let blamed: Vec<usize> =
                    (0..within.len()).filter(|at| has(&merged.parts[*at])).collect();
                self.isolate(&within, &blamed, &failure)
            }
            Err(error) => {
                self.all(&within, &not_observed(&error));
                (false, vec![])
            }
        };
        // Cases whose declarations clash with those of others have a run of their own.
        let apart: Vec<&Part> = merged.left_out.iter().map(|(index, _)| parts[*index]).collect();
        if !apart.is_empty() && apart.len() < parts.len() {
            failed |= self.judge(&apart);
        }
        (failed, rest)
    }

    /// Looks for the part that a failure belongs to, first among those that are blamed. Returns whether there is one, and
    /// the parts that are left.
    fn isolate<'p>(
        &mut self,
        parts: &[&'p Part],
        blamed: &[usize],
        failure: &Failure,
    ) -> (bool, Vec<&'p Part>) {
        if self.opt.lacks(self.call.passes).is_some() {
            self.all(parts, &failure.outcome);
            return (false, vec![]);
        }
        if let [part] = parts {
            return (self.alone(part, &failure.outcome), vec![]);
        }
        let (suspects, rest): (Vec<_>, Vec<_>) =
            parts.iter().enumerate().partition(|(at, _)| blamed.contains(at));
        let of = |all: Vec<(usize, &&'p Part)>| all.into_iter().map(|it| *it.1).collect::<Vec<_>>();
        let (suspects, rest) = (of(suspects), of(rest));
        if suspects.is_empty() || suspects.len() > rest.len() {
            return (self.halves(parts, failure), vec![]);
        }
        if !self.judge(&suspects) {
            return (self.halves(&rest, failure), vec![]);
        }
        // An invalid module fails before any pass runs, and is rarely one of many.
        if failure.outcome.reason().is_some() {
            return (true, rest);
        }
        // Where one crashes, others often do: the parts of a small run are lost with it, not all.
        let (left, right) = rest.split_at(rest.len() / 2);
        for half in [left, right].into_iter().filter(|half| !half.is_empty()) {
            self.judge(half);
        }
        (true, vec![])
    }

    fn halves(&mut self, parts: &[&Part], failure: &Failure) -> bool {
        let (left, right) = parts.split_at(parts.len() / 2);
        let mut failed = false;
        for half in [left, right] {
            if !half.is_empty() {
                failed |= self.judge(half);
            }
        }
        let is_invalid = failure.outcome.reason().is_some();
        if !failed && !is_invalid {
            self.unexplained.get_or_insert_with(|| failure.outcome.clone());
        }
        failed
    }

    /// The outcome of a part that fails alone. Input that `opt` rejects before any pass runs is our mistake.
    fn alone(&mut self, part: &Part, outcome: &Outcome) -> bool {
        if let Some(why) = unexpected_flow(self.call.passes, &part.module) {
            self.outcomes[part.number] = Some(Outcome::Unobserved(Reason::Lacks(why)));
            return true;
        }
        let counts = outcome.reason().is_none();
        let call = Call { passes: "verify", ..self.call };
        let text = part.module.text();
        let outcome = match self.opt.run(&text, call, &self.bench.compile, self.bench) {
            Ok(Ran::Failed(Failure { outcome: Outcome::Unobserved(why), .. })) if counts => {
                Outcome::Unobserved(why)
            }
            Ok(_) | Err(_) => {
                let means = (&self.bench.compile, self.bench);
                let call = Call { names_frames: true, ..self.call };
                invalid::named(self.opt, &text, call, means, outcome.clone())
            }
        };
        self.outcomes[part.number] = Some(outcome);
        // A rejected part is the explanation, too.
        true
    }

    fn all(&mut self, parts: &[&Part], outcome: &Outcome) {
        for part in parts {
            self.outcomes[part.number] = Some(outcome.clone());
        }
    }

    /// Less than what is configured for a compiler: `opt` needs a millisecond for most functions.
    fn limits(&self, count: usize) -> Limits {
        let limits = &self.bench.compile;
        if count == 1 {
            return Limits { cpu: limits.cpu.min(ALONE), ..limits.clone() };
        }
        let cpu =
            (SHARED + EACH * u32::try_from(count).unwrap_or(u32::MAX)).min(limits.cpu.max(SHARED));
        Limits { cpu, wall: (cpu * 4).max(limits.wall), ..limits.clone() }
    }
}

/// A pass that instruments or lowers may change what a function does, and one that expects no switch does anything with
/// one: a difference says nothing.
fn unless_expected(check: Check, passes: &str, module: &Module) -> Check {
    let Check::Fails { .. } = check else { return check };
    if let Some(pass) = pipeline::changes_behaviour(passes, &module.text()) {
        return Check::Unknown { why: format!("{pass} may change what a function does") };
    }
    match unexpected_flow(passes, module) {
        Some(why) => Check::Unknown { why },
        None => check,
    }
}

/// Why a pass cannot be asked to work on the control flow of a module.
fn unexpected_flow(passes: &str, module: &Module) -> Option<String> {
    let code = || module.functions.iter().filter_map(|function| function.code());
    let has = |wanted: fn(&Op) -> bool| {
        code().any(|code| code.instructions().any(|instruction| wanted(&instruction.op)))
    };
    let no_switch = pipeline::expects_no_switch(passes);
    if let Some(pass) = no_switch.filter(|_| has(|op| matches!(op, Op::Switch { .. }))) {
        return Some(format!("{pass} expects no switch"));
    }
    let pass = pipeline::expects_reducible(passes)?;
    if has(|op| matches!(op, Op::Invoke { .. })) {
        return Some(format!("{pass} expects no exception handling"));
    }
    let is_irreducible = code().any(|code| Cfg::new(code).is_irreducible());
    is_irreducible.then(|| format!("{pass} expects no irreducible loop"))
}
