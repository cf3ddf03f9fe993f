//! What the target may do: nothing is worse than in the source. Calls with effects are the same, in the same
//! order; so is what it returns, and memory that others can look at.

use identity::kernel::Wire;

use super::encode::Summary;
use super::place::Spot;
use super::question::{Failure, Question};
use super::symbol::{ADDRESS, REGIONS, Symbol};
use super::wires::Wires;
use super::{Encoding, Unencodable, variable};
use crate::semantics::Domain;

impl Question<'_> {
    /// When the target does what the source does not allow.
    pub(super) fn failure(&mut self, source: &Summary, target: &Summary) -> Encoding<Failure> {
        if source.events.len() != target.events.len() {
            return Err(Unencodable::new("calls were added or removed"));
        }
        if target.promises > source.promises {
            return Err(Unencodable::new("promises of pointers were added"));
        }
        let mut wrong = target.undefined;
        for (one, other) in source.events.iter().zip(&target.events) {
            if one.callee != other.callee
                || one.arguments.len() != other.arguments.len()
                || one.state.is_some() != other.state.is_some()
            {
                return Err(Unencodable::new("calls were reordered"));
            }
            let wires = &mut self.wires;
            let differ = wires.graph.xor(one.guard, other.guard);
            wrong = wires.graph.or(wrong, differ);
            for (one_argument, other) in one.arguments.iter().zip(&other.arguments) {
                let worse = worse(wires, one_argument, other);
                let there = wires.graph.and(one.guard, worse);
                wrong = wires.graph.or(wrong, there);
            }
            if let (Some(before), Some(after)) = (one.state, other.state) {
                let differs = self.memory_differs((source, before), (target, after), false)?;
                let there = self.wires.graph.and(one.guard, differs);
                wrong = self.wires.graph.or(wrong, there);
            }
        }
        let differ = self.wires.graph.xor(source.returns, target.returns);
        wrong = self.wires.graph.or(wrong, differ);
        if let (Some(one), Some(other)) = (&source.value, &target.value) {
            let worse = worse(&mut self.wires, one, other);
            let there = self.wires.graph.and(source.returns, worse);
            wrong = self.wires.graph.or(wrong, there);
        }
        let states = (source.memory.now(), target.memory.now());
        let differs = self.memory_differs((source, states.0), (target, states.1), true)?;
        let there = self.wires.graph.and(source.returns, differs);
        wrong = self.wires.graph.or(wrong, there);
        let graph = &mut self.wires.graph;
        let doubt = graph.and(!source.undefined, target.doubt);
        let doubt = graph.or(source.doubt, doubt);
        let wrong = graph.and(!source.undefined, wrong);
        let assumption = self.answers.assumption;
        Ok(Failure { wrong: graph.and(assumption, wrong), doubt: graph.and(assumption, doubt) })
    }

    /// When some byte of memory that others can look at differs: any byte, that is one whose address is a
    /// variable.
    fn memory_differs(
        &mut self,
        (source, before): (&Summary, usize),
        (target, after): (&Summary, usize),
        is_end: bool,
    ) -> Encoding<Wire> {
        let mut regions = vec![None];
        for region in source.memory.regions.iter().chain(&target.memory.regions) {
            let counts = if is_end { region.is_observed } else { region.is_visible };
            if counts && !regions.contains(&Some(region.number)) {
                regions.push(Some(region.number));
            }
        }
        for one in source.memory.regions.iter().filter(|it| it.is_visible) {
            let mut others = target.memory.regions.iter();
            let other = others.find(|it| it.is_visible && it.number == one.number);
            if other.is_some_and(|it| it.size < one.size || it.align < one.align) {
                return Err(Unencodable::new("a local variable became smaller"));
            }
        }
        let mut differs = Wire::FALSE;
        for region in regions {
            if !source.memory.is_changed(before, region) && !target.memory.is_changed(after, region)
            {
                continue;
            }
            let wires = &mut self.wires;
            let (_, address) = variable(wires, ADDRESS as u32)?;
            let mut regions = vec![Wire::FALSE; REGIONS];
            let mut root = None;
            match region {
                Some(number) => regions[number] = Wire::TRUE,
                None => root = Some(self.answers.places.of(wires, &address).0),
            }
            let mut spot = Spot { regions, root, offset: address.clone(), address };
            if root.is_some() {
                spot.offset = wires.word(0, ADDRESS as u32);
            }
            let contents = &mut self.answers.contents;
            let one = source.memory.byte(wires, contents, before, &spot)?;
            let other = target.memory.byte(wires, contents, after, &spot)?;
            let worse = other.is_worse(wires, &one);
            differs = wires.graph.or(differs, worse);
        }
        Ok(differs)
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
