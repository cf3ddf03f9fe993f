//! Debug info. It has no effect, but passes that replace, split and remove locals must maintain it, and the inliner
//! copies it.

use super::super::program::{Named, Place, Projection};
use super::super::types::{TypeId, Types};
use super::{Generator, types};

/// Names of one function.
const MOST: u64 = 4;

impl Generator<'_> {
    /// Gives names to what is in the functions, now that they are complete.
    pub(super) fn name_for_debuggers(&mut self) {
        if !self.swarm.debug {
            return;
        }
        // A line of five may be a name, not more.
        let mut left = self.swarm.lines / 5;
        for number in 0..self.program.functions.len() {
            for _ in 0..self.entropy.between(0, MOST) {
                if left == 0 {
                    return;
                }
                if let Some(named) = self.named(number) {
                    left -= 1;
                    self.program.functions[number].debug.push(named);
                }
            }
        }
    }

    fn named(&mut self, function: usize) -> Option<Named> {
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
            let steps = steps(types, of);
            let Some((projection, part)) = self.entropy.pick(&steps).copied() else { break };
            place = place.then(projection);
            of = part;
        }
        // A slice or trait object has no size, which a name must have.
        (!types.is_unsized(of)).then_some(Named::Place(place))
    }
}

/// The parts of something that can be told without an index.
fn steps(types: &Types, of: TypeId) -> Vec<(Projection, TypeId)> {
    let fields = types.fields(of).iter().enumerate();
    let fields = fields.map(|(field, part)| (Projection::Field(field), *part));
    let variants = types.variants(of).iter().enumerate().flat_map(|(variant, it)| {
        let fields = it.fields.iter().enumerate();
        fields.map(move |(field, part)| (Projection::Variant(variant, field), *part))
    });
    fields.chain(variants).collect()
}
