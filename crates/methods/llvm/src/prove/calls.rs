//! Calls of functions that are not modelled. A call with effects is an event, which source and target must
//! have in the same order; the n-th call gets the same answer in both. A call without effects, and an
//! operation that is not modelled bit by bit (floating-point arithmetic), is an unknown function of its
//! operands: equal operands, equal results.

use std::collections::BTreeMap;
use std::sync::Arc;

use identity::kernel::Wire;

use super::memory::Contents;
use super::place::Places;
use super::symbol::{ADDRESS, Lane, Symbol};
use super::wires::{Variable, Wires};
use super::{Encoding, Unencodable};
use crate::ir::{Flags, Global, Module, Type};
use crate::semantics::Domain;

/// A call with effects.
#[derive(Clone, Debug)]
pub(super) struct Event {
    /// When it happens.
    pub(super) guard: Wire,
    pub(super) callee: Arc<str>,
    pub(super) arguments: Vec<Symbol>,
    /// The state of memory that it can look at.
    pub(super) state: Option<usize>,
}

/// What calls answer and where globals are, shared by source and target.
#[derive(Debug)]
pub(super) struct Answers {
    pub(super) addresses: BTreeMap<Arc<str>, Vec<Wire>>,
    /// Global variables as the first function that names them has them.
    pub(super) globals: BTreeMap<Arc<str>, Global>,
    /// Where globals lie: they do not overlap.
    occupied: Vec<(Vec<Wire>, u64)>,
    /// What holds of addresses.
    pub(super) assumption: Wire,
    pub(super) places: Places,
    pub(super) contents: Contents,
    /// Whether events return, by number.
    returning: BTreeMap<usize, (Variable, Wire)>,
    /// What shall be different from everything else.
    unique: usize,
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
    /// Flags that allow more results.
    flags: Flags,
    is_source: bool,
    operands: Vec<Symbol>,
    result: Symbol,
}

/// A function that is not modelled.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unknown<'a> {
    pub(super) name: &'a str,
    /// Flags that allow more results.
    pub(super) flags: Flags,
    pub(super) commutes: bool,
    pub(super) is_source: bool,
}

/// How many applications of unknown functions there may be: each is compared with all others.
const APPLICATIONS: usize = 60;

impl Default for Answers {
    fn default() -> Self {
        Self {
            addresses: BTreeMap::new(),
            globals: BTreeMap::new(),
            occupied: vec![],
            assumption: Wire::TRUE,
            places: Places::default(),
            contents: Contents::default(),
            returning: BTreeMap::new(),
            unique: 0,
            events: BTreeMap::new(),
            functions: vec![],
            variables: vec![],
        }
    }
}

impl Answers {
    /// Whether a counterexample needs no answers of unknown functions and no memory: at most that callees
    /// return, as callees of the interpreter do.
    pub(super) fn is_exact(&self, values: &BTreeMap<Variable, u128>) -> bool {
        let returns =
            |(variable, _): &(Variable, Wire)| values.get(variable).is_none_or(|value| *value == 1);
        self.variables.is_empty()
            && self.contents.variables.is_empty()
            && self.places.variables.is_empty()
            && self.returning.values().all(returns)
    }

    /// When all callees return; none if there is no question.
    pub(super) fn all_return(&self, wires: &mut Wires) -> Option<Wire> {
        let all = self.returning.values();
        let all: Vec<Wire> = all.map(|(_, returns)| !*returns).collect();
        (!all.is_empty()).then(|| !wires.graph.any(&all))
    }

    pub(super) fn assume(&mut self, wires: &mut Wires, condition: Wire) {
        self.assumption = wires.graph.and(self.assumption, condition);
    }

    pub(super) fn unique(&mut self) -> usize {
        self.unique += 1;
        self.unique
    }

    /// Whether the event with this number returns.
    pub(super) fn comes_back(&mut self, wires: &mut Wires, number: usize) -> Encoding<Wire> {
        if let Some(known) = self.returning.get(&number) {
            return Ok(known.1);
        }
        let (variable, word) = super::variable(wires, 1)?;
        self.returning.insert(number, (variable, word[0]));
        Ok(word[0])
    }

    /// A global lies there: it neither wraps around nor overlaps another one.
    pub(super) fn occupy(&mut self, wires: &mut Wires, address: &[Wire], size: u64) {
        if size == 0 {
            return;
        }
        let start = address.to_vec();
        let length = wires.word(u128::from(size), ADDRESS as u32);
        let end = wires.add(&start, &length);
        let wraps = wires.ult(&end, &start);
        self.assume(wires, !wraps);
        for (other, other_size) in self.occupied.clone() {
            let length = wires.word(u128::from(other_size), ADDRESS as u32);
            let other_end = wires.add(&other, &length);
            let (before, behind) = (wires.ult(&other, &end), wires.ult(&start, &other_end));
            let overlap = wires.graph.and(before, behind);
            self.assume(wires, !overlap);
        }
        self.occupied.push((start, size));
    }

    /// The address of a global.
    pub(super) fn address(&mut self, wires: &mut Wires, name: &str) -> Encoding<Symbol> {
        if let Some(known) = self.addresses.get(name) {
            return Ok(Symbol::Lane(Lane::pointer(known.clone())));
        }
        let word = self.fresh(wires, ADDRESS as u32)?;
        self.addresses.insert(name.into(), word.clone());
        Ok(Symbol::Lane(Lane::pointer(word)))
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
        function: &Unknown<'_>,
        operands: &[Symbol],
        ty: &Type,
    ) -> Encoding<Symbol> {
        let Unknown { name, flags, commutes, is_source } = *function;
        if self.functions.len() >= APPLICATIONS {
            return Err(Unencodable::new("too many unknown functions"));
        }
        let mut result = self.anything(wires, module, ty, false)?;
        for known in &self.functions {
            if &*known.name != name || known.operands.len() != operands.len() {
                continue;
            }
            // Where the source may compute more than the target does, it computes the same.
            let is_allowed = is_source && !known.is_source && flags.has(known.flags);
            if known.flags != flags && !is_allowed {
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
            flags,
            is_source,
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
