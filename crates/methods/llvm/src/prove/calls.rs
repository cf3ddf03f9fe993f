//! Calls of functions that are not modelled. A call with effects is an event, which source and target must
//! have in the same order; the n-th call gets the same answer in both. A call without effects, and an
//! operation that is not modelled bit by bit (floating-point arithmetic), is an unknown function of its
//! operands: equal operands, equal results.

use std::collections::BTreeMap;
use std::sync::Arc;

use identity::kernel::Wire;

use super::symbol::{Lane, POINTER, Symbol};
use super::wires::{Variable, Wires};
use super::{Encoding, Unencodable};
use crate::ir::{Module, Type};
use crate::semantics::Domain;

/// A call with effects.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// When it happens.
    pub(super) guard: Wire,
    pub(super) callee: Arc<str>,
    pub(super) arguments: Vec<Symbol>,
}

/// What calls answer and where globals are, shared by source and target.
#[derive(Debug, Default)]
pub(super) struct Answers {
    addresses: BTreeMap<Arc<str>, Vec<Wire>>,
    /// The answers of events, by callee and number of the event.
    events: BTreeMap<(Arc<str>, usize), Symbol>,
    functions: Vec<Application>,
    /// Variables that stand for answers: a counterexample that depends on them is only a guess.
    pub(super) variables: Vec<Variable>,
}

/// An unknown function applied to operands.
#[derive(Debug)]
struct Application {
    name: Arc<str>,
    operands: Vec<Symbol>,
    result: Symbol,
}

/// How many applications of unknown functions there may be: each is compared with all others.
const APPLICATIONS: usize = 60;

impl Answers {
    /// The address of a global.
    pub(super) fn address(&mut self, wires: &mut Wires, name: &str) -> Encoding<Symbol> {
        if let Some(known) = self.addresses.get(name) {
            return Ok(Symbol::Lane(Lane::of(known.clone())));
        }
        let word = self.fresh(wires, POINTER)?;
        self.addresses.insert(name.into(), word.clone());
        Ok(Symbol::Lane(Lane::of(word)))
    }

    fn fresh(&mut self, wires: &mut Wires, width: u32) -> Encoding<Vec<Wire>> {
        let (variable, word) =
            wires.variable(width).ok_or_else(|| Unencodable::new("too many variables"))?;
        self.variables.push(variable);
        Ok(word)
    }

    /// The answer of the event with this number. It may be poison.
    pub(super) fn event(
        &mut self,
        wires: &mut Wires,
        module: &Module,
        callee: &Arc<str>,
        number: usize,
        ty: &Type,
    ) -> Encoding<Symbol> {
        let key = (Arc::clone(callee), number);
        if let Some(known) = self.events.get(&key) {
            return Ok(known.clone());
        }
        let answer = self.anything(wires, module, ty, true)?;
        self.events.insert(key, answer.clone());
        Ok(answer)
    }

    fn anything(
        &mut self,
        wires: &mut Wires,
        module: &Module,
        ty: &Type,
        may_be_poison: bool,
    ) -> Encoding<Symbol> {
        Symbol::build(ty, module, &mut |width| {
            let word = self.fresh(wires, width)?;
            let poison = if may_be_poison { self.fresh(wires, 1)?[0] } else { Wire::FALSE };
            Ok(Lane { word, poison, undef: Wire::FALSE })
        })
    }

    /// An unknown function of its operands, none of which is undef.
    pub(super) fn apply(
        &mut self,
        wires: &mut Wires,
        module: &Module,
        name: &str,
        operands: &[Symbol],
        ty: &Type,
        commutes: bool,
    ) -> Encoding<Symbol> {
        if self.functions.len() >= APPLICATIONS {
            return Err(Unencodable::new("too many unknown functions"));
        }
        let mut result = self.anything(wires, module, ty, false)?;
        for known in &self.functions {
            if &*known.name != name || known.operands.len() != operands.len() {
                continue;
            }
            let mut same = same(wires, &known.operands, operands);
            if commutes && operands.len() == 2 {
                let swapped = [operands[1].clone(), operands[0].clone()];
                let crossed = self::same(wires, &known.operands, &swapped);
                same = wires.graph.or(same, crossed);
            }
            result = Symbol::select(wires, same, &known.result, &result);
        }
        self.functions.push(Application {
            name: name.into(),
            operands: operands.to_vec(),
            result: result.clone(),
        });
        Ok(result)
    }
}

/// Whether two lists of values are the same, poison included.
fn same(wires: &mut Wires, a: &[Symbol], b: &[Symbol]) -> Wire {
    let mut all = Wire::TRUE;
    for (a, b) in a.iter().zip(b) {
        let (a, b) = (a.lanes(), b.lanes());
        if a.len() != b.len() {
            return Wire::FALSE;
        }
        for (a, b) in a.into_iter().zip(b) {
            if a.word.len() != b.word.len() {
                return Wire::FALSE;
            }
            let equal = wires.eq(&a.word, &b.word);
            let both = wires.graph.and(a.poison, b.poison);
            let neither = wires.graph.and(!a.poison, !b.poison);
            let equal = wires.graph.and(neither, equal);
            let lane = wires.graph.or(both, equal);
            all = wires.graph.and(all, lane);
        }
    }
    all
}
