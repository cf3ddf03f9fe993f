//! The arguments of both functions as variables: numbers, poison, undef, and what attributes say about them.

use std::collections::BTreeMap;

use identity::kernel::Wire;

use super::calls::Answers;
use super::encode::Encoder;
use super::memory::Fact;
use super::symbol::{ADDRESS, Lane, Symbol};
use super::wires::{Variable, Wires};
use super::{ArgumentLane, Encoding, Side, escape, value, variable};
use crate::ir::{LocalId, Parameter};

/// The parameters as values, and the variables that they are made of.
pub(super) struct Inputs {
    pub(super) values: Vec<Symbol>,
    /// For each lane of each parameter: the variables of its word, poison and undef.
    variables: Vec<Vec<LaneVariables>>,
}

#[derive(Clone, Copy)]
struct LaneVariables {
    word: Variable,
    poison: Option<Variable>,
    undef: Option<Variable>,
}

/// Parameters that nothing else points to, as long as they do not leave either function.
pub(super) fn apart(source: Side<'_>, target: Side<'_>) -> Vec<LocalId> {
    let mut all = vec![];
    for (at, parameter) in source.function.header.parameters.iter().enumerate() {
        let local = LocalId(at as u32);
        let is_own = parameter.attributes.has("noalias") || parameter.attributes.has("byval");
        let stays =
            |side: Side<'_>| side.function.code().is_some_and(|code| !escape::escapes(code, local));
        let fits = Encoder::parameter_region(at).is_some();
        if is_own && fits && parameter.ty.is_pointer() && stays(source) && stays(target) {
            all.push(local);
        }
    }
    all
}

/// What attributes say about the memory that a parameter points to.
fn pointed(
    wires: &mut Wires,
    answers: &mut Answers,
    value: &mut Symbol,
    parameter: &Parameter,
    at: usize,
    apart: &[LocalId],
) -> Encoding<()> {
    let Symbol::Lane(lane) = value else { return Ok(()) };
    let bytes = parameter.attributes.number("dereferenceable").unwrap_or(0);
    let is_apart = apart.contains(&LocalId(at as u32));
    if bytes > 0 {
        let some = wires.graph.any(&lane.word);
        let good = wires.graph.and(some, !lane.poison);
        answers.assume(wires, good);
    }
    if is_apart && let Some(number) = Encoder::parameter_region(at) {
        lane.word[ADDRESS + number] = Wire::TRUE;
    } else if bytes > 0 {
        let (root, _) = answers.places.of(wires, &lane.word[..ADDRESS]);
        let fact = Fact { root, bytes, is_exact: false, is_constant: false, contents: None };
        answers.contents.facts.push(fact);
    }
    Ok(())
}

impl Inputs {
    pub(super) fn new(
        wires: &mut Wires,
        answers: &mut Answers,
        side: Side<'_>,
        apart: &[LocalId],
        undef: bool,
    ) -> Encoding<Self> {
        let Side { module, function } = side;
        let (mut values, mut variables) = (vec![], vec![]);
        for (at, parameter) in function.header.parameters.iter().enumerate() {
            let defined = parameter.attributes.has("noundef");
            let mut lanes = vec![];
            let value = Symbol::build(&parameter.ty, module, &mut |width| {
                let (own, word) = variable(wires, width)?;
                let (mut poison, mut open) = (None, None);
                let mut lane = Lane::of(word);
                if !defined {
                    let (number, word) = variable(wires, 1)?;
                    (poison, lane.poison) = (Some(number), word[0]);
                    if undef {
                        let (number, word) = variable(wires, 1)?;
                        (open, lane.undef) = (Some(number), word[0]);
                    }
                }
                lanes.push(LaneVariables { word: own, poison, undef: open });
                Ok(lane)
            })?;
            let mut value =
                value::constrained(wires, &parameter.ty, &value, &parameter.attributes)?;
            if defined {
                // A parameter that breaks an attribute is poison, and poison is excluded.
                let bad = value.is_undetermined(wires);
                answers.assume(wires, !bad);
            }
            if parameter.ty.is_pointer() {
                pointed(wires, answers, &mut value, parameter, at, apart)?;
            }
            values.push(value);
            variables.push(lanes);
        }
        Ok(Self { values, variables })
    }

    pub(super) fn arguments(&self, values: &BTreeMap<Variable, u128>) -> Vec<Vec<ArgumentLane>> {
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
