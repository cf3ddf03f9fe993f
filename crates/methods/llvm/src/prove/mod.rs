//! The prover: decides for all inputs whether a loop-free function refines another, with a circuit and
//! CaDiCaL. `encode.rs` turns a function into a circuit, `value.rs` each instruction, `calls.rs` what is
//! not modelled; the meaning of operations is in `crate::semantics`.
//!
//! The source may choose (undef, freeze), and the target must match one of its choices, so that a failure
//! is: there are an input and choices of the target such that *no* choice of the source allows the result.
//! Choices of the source are refined one by one: a candidate failure either survives all of them, or
//! yields the choice that allows it.
//!
//! What it refutes is replayed by the interpreter before it counts: unknown functions make it guess.

mod call;
mod calls;
mod encode;
mod solve;
mod symbol;
mod value;
mod wires;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use identity::kernel::Wire;

use calls::Answers;
use encode::{Summary, encode};
use solve::{Answer, solve};
use symbol::{Lane, Symbol};
use wires::{Variable, Wires};

use crate::ir::{Function, Header, Module};
use crate::semantics::Domain;

/// A function and the module it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    pub module: &'a Module,
    pub function: &'a Function,
}

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Of the solver, for each question.
    pub conflicts: u32,
    pub clauses: usize,
    /// Of the circuit: building one takes time, too.
    pub gates: usize,
    /// How many choices of the source are tried.
    pub rounds: u32,
    /// Whether arguments may be undef. LLVM has many known failures for these, and is about to drop undef.
    pub undef_arguments: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { conflicts: 300, clauses: 60_000, gates: 60_000, rounds: 8, undef_arguments: false }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The target refines the source for all inputs.
    Holds,
    /// It does not for this input, as far as the encoding goes.
    Fails(Counterexample),
    /// The solver gave up, or something cannot be encoded.
    Unknown(Arc<str>),
}

/// The lanes of each parameter, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    pub arguments: Vec<Vec<ArgumentLane>>,
    /// Whether nothing was encoded as an unknown function, so that it needs no confirmation.
    pub is_exact: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentLane {
    Poison,
    Undef,
    Bits(u128),
}

/// Why a function has no circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Unencodable(Arc<str>);

type Encoding<T> = Result<T, Unencodable>;

impl Unencodable {
    fn new(why: &str) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for Unencodable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Decides whether the target refines the source: first for inputs that may be poison, then for inputs
/// that may be undef as well.
pub fn prove(source: Side<'_>, target: Side<'_>, limits: Limits) -> Proof {
    for undef in [false, true] {
        if undef && !limits.undef_arguments {
            break;
        }
        match Question::new(source, target, undef, limits)
            .and_then(|question| question.answer(limits))
        {
            Ok(Proof::Holds) => {}
            Ok(other) => return other,
            Err(why) => return Proof::Unknown(why.0),
        }
    }
    Proof::Holds
}

/// One question about two functions.
struct Question<'a> {
    source: Side<'a>,
    target: Side<'a>,
    wires: Wires,
    answers: Answers,
    inputs: Inputs,
}

/// The parameters as values, and the variables that they are made of.
struct Inputs {
    values: Vec<Symbol>,
    /// For each lane of each parameter: the variables of its word, poison and undef.
    variables: Vec<Vec<LaneVariables>>,
}

#[derive(Clone, Copy)]
struct LaneVariables {
    word: Variable,
    poison: Option<Variable>,
    undef: Option<Variable>,
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
    fn new(source: Side<'a>, target: Side<'a>, undef: bool, limits: Limits) -> Encoding<Self> {
        let mut wires = Wires::new(limits.gates);
        let inputs = Inputs::new(&mut wires, source.module, &source.function.header, undef)?;
        Ok(Self { source, target, wires, answers: Answers::default(), inputs })
    }

    fn answer(mut self, limits: Limits) -> Encoding<Proof> {
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
            for guess in [0, u128::MAX] {
                let other = self.side(true, &mut |wires, _, width| Ok(wires.word(guess, width)))?;
                let fails = self.failure(&other, &target)?;
                failure = self.wires.graph.and(failure, fails);
            }
        }
        for round in 0..limits.rounds {
            let values = match solve(&self.wires, failure, limits, round % 2 == 0) {
                Answer::Unsatisfiable => return Ok(Proof::Holds),
                Answer::Unknown => return Ok(Proof::Unknown("solver limit".into())),
                Answer::Satisfiable(values) => values,
            };
            if widths.is_empty() {
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
                    failure = self.wires.graph.and(failure, fails);
                }
            }
        }
        Ok(Proof::Unknown("undef or freeze: too many choices".into()))
    }

    fn side(&mut self, is_source: bool, choose: &mut encode::Choose<'_>) -> Encoding<Summary> {
        let side = if is_source { self.source } else { self.target };
        let (wires, answers) = (&mut self.wires, &mut self.answers);
        let values = &self.inputs.values;
        encode(wires, side.module, side.function, values, choose, answers, is_source)
    }

    fn counterexample(&self, values: &BTreeMap<Variable, u128>) -> Counterexample {
        let is_exact = self.answers.variables.is_empty();
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
        let allowed = self.wires.graph.and(fixed, !failure);
        Ok(match solve(&self.wires, allowed, limits, true) {
            Answer::Unsatisfiable => Judged::Real,
            Answer::Unknown => Judged::Unknown,
            Answer::Satisfiable(values) => {
                let value = |variable: &Variable| values.get(variable).copied().unwrap_or(0);
                Judged::Allowed(choices.iter().map(value).collect())
            }
        })
    }

    /// When the target does what the source does not allow.
    fn failure(&mut self, source: &Summary, target: &Summary) -> Encoding<Wire> {
        let wires = &mut self.wires;
        if source.events.len() != target.events.len() {
            return Err(Unencodable::new("calls were added or removed"));
        }
        let mut wrong = target.undefined;
        for (one, other) in source.events.iter().zip(&target.events) {
            if one.callee != other.callee || one.arguments.len() != other.arguments.len() {
                return Err(Unencodable::new("calls were reordered"));
            }
            let differ = wires.graph.xor(one.guard, other.guard);
            wrong = wires.graph.or(wrong, differ);
            for (one_argument, other) in one.arguments.iter().zip(&other.arguments) {
                let worse = worse(wires, one_argument, other);
                let there = wires.graph.and(one.guard, worse);
                wrong = wires.graph.or(wrong, there);
            }
        }
        let differ = wires.graph.xor(source.returns, target.returns);
        wrong = wires.graph.or(wrong, differ);
        if let (Some(one), Some(other)) = (&source.value, &target.value) {
            let worse = worse(wires, one, other);
            let there = wires.graph.and(source.returns, worse);
            wrong = wires.graph.or(wrong, there);
        }
        Ok(wires.graph.and(!source.undefined, wrong))
    }
}

/// When a value of the target is none that the source allows.
fn worse(wires: &mut Wires, source: &Symbol, target: &Symbol) -> Wire {
    let mut any = Wire::FALSE;
    for (source, target) in source.lanes().into_iter().zip(target.lanes()) {
        let equal = wires.eq(&source.word, &target.word);
        let open = wires.graph.or(target.undef, !equal);
        let wrong = wires.graph.and(!source.undef, open);
        let wrong = wires.graph.or(target.poison, wrong);
        let wrong = wires.graph.and(!source.poison, wrong);
        any = wires.graph.or(any, wrong);
    }
    any
}

fn variable(wires: &mut Wires, width: u32) -> Encoding<(Variable, Vec<Wire>)> {
    wires.variable(width).ok_or_else(|| Unencodable::new("too many variables"))
}

impl Inputs {
    fn new(wires: &mut Wires, module: &Module, header: &Header, undef: bool) -> Encoding<Self> {
        let (mut values, mut variables) = (vec![], vec![]);
        for parameter in &header.parameters {
            let defined = parameter.attributes.has("noundef");
            let mut lanes = vec![];
            let value = Symbol::build(&parameter.ty, module, &mut |width| {
                let (own, word) = variable(wires, width)?;
                let (mut poison, mut open) = (None, None);
                let mut lane = Lane::of(word);
                if !defined {
                    let (variable, word) = self::variable(wires, 1)?;
                    (poison, lane.poison) = (Some(variable), word[0]);
                    if undef {
                        let (variable, word) = self::variable(wires, 1)?;
                        (open, lane.undef) = (Some(variable), word[0]);
                    }
                }
                lanes.push(LaneVariables { word: own, poison, undef: open });
                Ok(lane)
            })?;
            values.push(value::constrained(wires, &value, &parameter.attributes)?);
            variables.push(lanes);
        }
        Ok(Self { values, variables })
    }

    fn arguments(&self, values: &BTreeMap<Variable, u128>) -> Vec<Vec<ArgumentLane>> {
        let is_set = |variable: Option<Variable>| {
            variable.and_then(|variable| values.get(&variable)).is_some_and(|value| *value == 1)
        };
        let lane = |lane: &LaneVariables| {
            if is_set(lane.poison) {
                ArgumentLane::Poison
            } else if is_set(lane.undef) {
                ArgumentLane::Undef
            } else {
                ArgumentLane::Bits(values.get(&lane.word).copied().unwrap_or(0))
            }
        };
        self.variables.iter().map(|lanes| lanes.iter().map(lane).collect()).collect()
    }
}
