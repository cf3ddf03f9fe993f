//! One question: is there an input, and are there choices of the target, such that no choice of the source
//! allows what the target does? Choices of the source are tried one by one; `compare.rs` says what is allowed.

use std::collections::BTreeMap;
use std::sync::Arc;

use identity::kernel::Wire;

use super::calls::Answers;
use super::encode::{self, Summary, Task, encode};
use super::inputs::{Inputs, apart};
use super::solve::{Answer, solve};
use super::wires::{Variable, Wires};
use super::{Counterexample, Encoding, Limits, Proof, Side, variable};
use crate::ir::LocalId;
use crate::semantics::Domain;

/// One question about two functions.
pub(super) struct Question<'a> {
    source: Side<'a>,
    target: Side<'a>,
    pub(super) wires: Wires,
    pub(super) answers: Answers,
    inputs: Inputs,
    /// Parameters that are regions of their own.
    apart: Vec<LocalId>,
    /// Why something is in doubt.
    why: Option<Arc<str>>,
}

/// When the target does what the source does not allow, and when that is not known.
#[derive(Clone, Copy)]
pub(super) struct Failure {
    pub(super) wrong: Wire,
    pub(super) doubt: Wire,
}

/// A choice of the target.
struct Choice {
    when: Wire,
    word: Vec<Wire>,
}

/// Whether a candidate failure is one.
enum Judged {
    Real,
    /// These choices of the source allow it.
    Allowed(Vec<u128>),
    Unknown,
}

impl<'a> Question<'a> {
    pub(super) fn new(
        source: Side<'a>,
        target: Side<'a>,
        undef: bool,
        limits: Limits,
    ) -> Encoding<Self> {
        let mut wires = Wires::new(limits.gates);
        let mut answers = Answers::default();
        let apart = apart(source, target);
        let inputs = Inputs::new(&mut wires, &mut answers, source, &apart, undef)?;
        Ok(Self { source, target, wires, answers, inputs, apart, why: None })
    }

    pub(super) fn answer(mut self, limits: Limits) -> Encoding<Proof> {
        let mut target_choices: Vec<Choice> = vec![];
        let target = self.side(false, &mut |wires, when, width| {
            let (_, word) = variable(wires, width)?;
            target_choices.push(Choice { when, word: word.clone() });
            Ok(word)
        })?;
        // First guess: the source chooses for an argument what the target chooses for it, and otherwise
        // what the target chooses next; the same wherever it chooses for the same reason.
        let mut widths = vec![];
        let mut next = target_choices.iter();
        let mut matched: Vec<(Wire, &Choice)> = vec![];
        let source = self.side(true, &mut |wires, when, width| {
            widths.push(width);
            let before = matched.iter().find(|(reason, _)| *reason == when).map(|(_, it)| *it);
            let same = || target_choices.iter().find(|choice| choice.when == when);
            let like = before.or_else(same).or_else(|| next.next());
            let like = like.filter(|choice| choice.word.len() == width as usize);
            matched.extend(like.map(|choice| (when, choice)));
            Ok(like.map_or_else(|| wires.word(0, width), |choice| choice.word.clone()))
        })?;
        let mut failure = self.failure(&source, &target)?;
        if !widths.is_empty() {
            // Mostly the first guess is right.
            let possible = self.wires.graph.or(failure.wrong, failure.doubt);
            if let Answer::Unsatisfiable = solve(&self.wires, possible, limits, true) {
                return Ok(Proof::Holds);
            }
            for guess in [0, u128::MAX] {
                let other = self.side(true, &mut |wires, _, width| Ok(wires.word(guess, width)))?;
                let fails = self.failure(&other, &target)?;
                failure = self.both(failure, fails);
            }
        }
        for round in 0..limits.rounds {
            let possible = self.wires.graph.or(failure.wrong, failure.doubt);
            let mut answer = solve(&self.wires, possible, limits, round % 2 == 0);
            if failure.doubt != Wire::FALSE
                && let Answer::Satisfiable(_) = answer
            {
                // Something that is not modelled may matter. A failure without it is still one.
                let sure = self.wires.graph.and(failure.wrong, !failure.doubt);
                answer = solve(&self.wires, sure, limits, round % 2 == 0);
                if let Answer::Unsatisfiable = answer {
                    let why = self.why.clone().unwrap_or_else(|| "doubt".into());
                    return Ok(Proof::Unknown(why));
                }
            }
            let values = match answer {
                Answer::Unsatisfiable => return Ok(Proof::Holds),
                Answer::Unknown => return Ok(Proof::Unknown("solver limit".into())),
                Answer::Satisfiable(values) => values,
            };
            if widths.is_empty() {
                let values = self.plain(failure, limits).unwrap_or(values);
                return Ok(Proof::Fails(self.counterexample(&values)));
            }
            match self.judge(&values, &target, limits)? {
                Judged::Real => return Ok(Proof::Fails(self.counterexample(&values))),
                Judged::Unknown => return Ok(Proof::Unknown("solver limit".into())),
                Judged::Allowed(choices) => {
                    let mut chosen = choices.into_iter();
                    let other = self.side(true, &mut |wires, _, width| {
                        Ok(wires.word(chosen.next().unwrap_or(0), width))
                    })?;
                    let fails = self.failure(&other, &target)?;
                    failure = self.both(failure, fails);
                }
            }
        }
        Ok(Proof::Unknown("undef or freeze: too many choices".into()))
    }

    /// A failure in which all callees return, if there is one: it is more useful.
    fn plain(&mut self, failure: Failure, limits: Limits) -> Option<BTreeMap<Variable, u128>> {
        let returns = self.answers.all_return(&mut self.wires)?;
        let sure = self.wires.graph.and(failure.wrong, !failure.doubt);
        let plain = self.wires.graph.and(sure, returns);
        match solve(&self.wires, plain, limits, true) {
            Answer::Satisfiable(values) => Some(values),
            Answer::Unsatisfiable | Answer::Unknown => None,
        }
    }

    /// A failure whatever the source chooses: one choice without failure and doubt is enough.
    fn both(&mut self, a: Failure, b: Failure) -> Failure {
        let graph = &mut self.wires.graph;
        let (one, other) = (graph.or(a.wrong, a.doubt), graph.or(b.wrong, b.doubt));
        let possible = graph.and(one, other);
        let (one, other) = (graph.and(a.wrong, !a.doubt), graph.and(b.wrong, !b.doubt));
        let sure = graph.and(one, other);
        Failure { wrong: sure, doubt: graph.and(possible, !sure) }
    }

    fn side(&mut self, is_source: bool, choose: &mut encode::Choose<'_>) -> Encoding<Summary> {
        let Side { module, function } = if is_source { self.source } else { self.target };
        let (arguments, apart) = (&self.inputs.values[..], &self.apart[..]);
        let task = Task { module, function, arguments, apart, is_source };
        let summary = encode(&mut self.wires, &task, choose, &mut self.answers)?;
        if let Some(why) = &summary.why {
            self.why.get_or_insert_with(|| Arc::clone(why));
        }
        Ok(summary)
    }

    fn counterexample(&self, values: &BTreeMap<Variable, u128>) -> Counterexample {
        let is_exact = self.answers.is_exact(values);
        Counterexample { arguments: self.inputs.arguments(values), is_exact }
    }

    /// For one input and choices of the target, whether any choice of the source allows the result.
    fn judge(
        &mut self,
        values: &BTreeMap<Variable, u128>,
        target: &Summary,
        limits: Limits,
    ) -> Encoding<Judged> {
        let fixed = self.wires.have(values);
        let mut choices = vec![];
        let source = self.side(true, &mut |wires, _, width| {
            let (variable, word) = variable(wires, width)?;
            choices.push(variable);
            Ok(word)
        })?;
        let failure = self.failure(&source, target)?;
        let possible = self.wires.graph.or(failure.wrong, failure.doubt);
        let allowed = self.wires.graph.and(fixed, !possible);
        Ok(match solve(&self.wires, allowed, limits, true) {
            Answer::Unsatisfiable => Judged::Real,
            Answer::Unknown => Judged::Unknown,
            Answer::Satisfiable(values) => {
                let value = |variable: &Variable| values.get(variable).copied().unwrap_or(0);
                Judged::Allowed(choices.iter().map(value).collect())
            }
        })
    }
}
