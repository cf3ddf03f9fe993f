//! Shapes for passes that had next to nothing to do in generated programs, as `cargo bench -p lab --bench reach` shows:
//! drops of types without drop glue, switches on constants, copies of large aggregates.

use super::super::program::{Operand, Place, Rvalue, Terminator};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::body::Body;
use super::places::Purpose;

impl Generator<'_> {
    /// Drops a value without drop glue. It is a copy that is not used again, since the content of a dropped place is
    /// unspecified.
    pub(super) fn drop_without_effect(&mut self, body: &mut Body) -> Option<()> {
        let of = self.any_type();
        if !self.program.types.is_copy(of) {
            return None;
        }
        let from = self.pick(body, of, Purpose::Read)?;
        let copy = self.in_private_local(body, of, Rvalue::Use(Operand::Copy(from)))?;
        let place = Place::local(copy.place()?.local);
        let target = body.open();
        let unwind = self.unwind(body);
        self.follow(body, Terminator::Drop { place, target, unwind }).then_some(())
    }

    /// Copies a large aggregate, and then the copy.
    pub(super) fn large_copy(&mut self, body: &mut Body) -> Option<()> {
        let large: Vec<TypeId> = (self.palette.large.iter().copied())
            .filter(|of| self.program.types.is_copy(*of))
            .collect();
        let of = self.entropy.pick(&large).copied()?;
        let place = match self.pick(body, of, Purpose::Read) {
            Some(place) if self.known_value(body, &place).is_some() => place,
            _ => self.place_with_value(body, of, 2)?,
        };
        let copy = self.in_new_local(body, of, Rvalue::Use(Operand::Copy(place)))?;
        self.in_new_local(body, of, Rvalue::Use(copy)).map(drop)
    }

    /// A switch on a constant.
    pub(super) fn constant_switch(&mut self, body: &mut Body) -> Option<()> {
        let of = if self.entropy.chance(1, 2) { Types::BOOL } else { self.scalar_type() };
        if matches!(self.program.types.kind(of), Kind::Float(_)) {
            return None;
        }
        let on = self.constant_of(of);
        let Operand::Constant(constant) = &on else { return None };
        let bits = constant.bits;
        let value = if self.entropy.chance(1, 2) { bits } else { self.neighbour(of, bits) };
        let taken = body.open();
        let dead_block = self.dead_block(body, taken);
        let (named, otherwise) =
            if value == bits { (taken, dead_block) } else { (dead_block, taken) };
        let arms = vec![(value, named)];
        self.follow(body, Terminator::Switch { on, arms, otherwise }).then_some(())
    }
}
