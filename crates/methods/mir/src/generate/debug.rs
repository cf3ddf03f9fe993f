//! Debug info. It has no effect, but passes that replace, split and remove locals must maintain it, and the inliner
//! copies it.

use super::super::program::{Named, Place, Projection};
use super::super::types::{TypeId, Types};
use super::{Generator, types};

/// The most debug variables of one function.
const MOST: u64 = 4;

impl Generator<'_> {
    /// Adds debug variables to the functions, which are complete now.
    pub(super) fn add_debug_info(&mut self) {
        if !self.swarm.debug {
            return;
        }
        // At most every fifth line is a debug variable.
        let mut left = self.swarm.lines / 5;
        for number in 0..self.program.functions.len() {
            for _ in 0..self.entropy.between(0, MOST) {
                if left == 0 {
                    return;
                }
                if let Some(named) = self.debug_variable(number) {
                    left -= 1;
                    self.program.functions[number].debug.push(named);
                }
            }
        }
    }

    fn debug_variable(&mut self, function: usize) -> Option<Named> {
        if self.entropy.chance(1, 8) {
            let of = self.scalar_type();
            let constant = types::constant(self.entropy, of, &self.program.types);
            return Some(Named::Constant(constant));
        }
        let locals = &self.program.functions[function].locals;
        let local = self.entropy.below(locals.len() as u64) as usize;
        let mut of = locals[local];
        let mut place = Place::local(local);
        let types = &self.program.types;
        if let Some(to) = types.pointee(of).filter(|_| self.entropy.chance(1, 2)) {
            place = place.then(Projection::Deref);
            of = to;
        }
        while self.entropy.chance(2, 3) {
            let projections = projections(types, of);
            let Some((projection, part)) = self.entropy.pick(&projections).copied() else { break };
            place = place.then(projection);
            of = part;
        }
        // rustc requires the place of a debug variable to be sized.
        (!types.is_unsized(of)).then_some(Named::Place(place))
    }
}

/// The projections into a type that need no index, with the types of their results.
fn projections(types: &Types, of: TypeId) -> Vec<(Projection, TypeId)> {
    let fields = types.fields(of).iter().enumerate();
    let fields = fields.map(|(field, part)| (Projection::Field(field), *part));
    let variants = types.variants(of).iter().enumerate().flat_map(|(variant, it)| {
        let fields = it.fields.iter().enumerate();
        fields.map(move |(field, part)| (Projection::Variant(variant, field), *part))
    });
    fields.chain(variants).collect()
}
