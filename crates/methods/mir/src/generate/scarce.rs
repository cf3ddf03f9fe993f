//! Shapes for passes of rustc that found next to nothing to do in generated programs, as `cargo bench -p lab --bench
//! reach` tells: drops of what has nothing to drop, switches on a number that is written there, copies of what is large.

use super::super::program::{Operand, Place, Rvalue, Terminator};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::body::Body;
use super::places::Purpose;

impl Generator<'_> {
    /// Something without a destructor is dropped. It is a copy that nobody uses again, since nobody has settled what a
    /// place holds after that.
    pub(super) fn idle_drop(&mut self, body: &mut Body) -> Option<()> {
        let of = self.any_type();
        if !self.program.types.is_copy(of) {
            return None;
        }
        let from = self.pick(body, of, Purpose::Read)?;
        let copy = self.unseen(body, of, Rvalue::Use(Operand::Copy(from)))?;
        let place = Place::local(copy.place()?.local);
        let target = body.open();
        let unwind = self.unwind(body);
        self.follow(body, Terminator::Drop { place, target, unwind }).then_some(())
    }

    /// Something large is copied as a whole, and the copy again.
    pub(super) fn bulky_copy(&mut self, body: &mut Body) -> Option<()> {
        let large: Vec<TypeId> = (self.palette.large.iter().copied())
            .filter(|of| self.program.types.is_copy(*of))
            .collect();
        let of = self.entropy.pick(&large).copied()?;
        let place = match self.pick(body, of, Purpose::Read) {
            Some(place) if self.seen(body, &place).is_some() => place,
            _ => self.somewhere(body, of, 2)?,
        };
        let copy = self.held(body, of, Rvalue::Use(Operand::Copy(place)))?;
        self.held(body, of, Rvalue::Use(copy)).map(drop)
    }

    /// A switch that everybody can see through.
    pub(super) fn foregone(&mut self, body: &mut Body) -> Option<()> {
        let of = if self.entropy.chance(1, 2) { Types::BOOL } else { self.scalar_type() };
        if matches!(self.program.types.kind(of), Kind::Float(_)) {
            return None;
        }
        let on = self.constant_of(of);
        let Operand::Constant(constant) = &on else { return None };
        let bits = constant.bits;
        let value = if self.entropy.chance(1, 2) { bits } else { self.neighbour(of, bits) };
        let taken = body.open();
        let decoy = self.decoy(body, taken);
        let (named, otherwise) = if value == bits { (taken, decoy) } else { (decoy, taken) };
        let arms = vec![(value, named)];
        self.follow(body, Terminator::Switch { on, arms, otherwise }).then_some(())
    }
}
