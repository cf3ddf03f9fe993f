//! `ManuallyDrop`: wrapped, accessed, dropped explicitly or never, and unwrapped. Its field has no name in MIR, so that
//! it is accessed through a pointer cast.

use super::super::program::{Callee, Operand, Place, Rvalue, Terminator, Unwind};
use super::super::types::{Kind, TypeId};
use super::Generator;
use super::body::Body;
use super::places::Purpose;

impl Generator<'_> {
    /// A value as `ManuallyDrop`, by a transmute.
    pub(super) fn wrapped(
        &mut self,
        body: &mut Body,
        of: TypeId,
        inside: TypeId,
        purpose: Purpose,
        depth: u32,
    ) -> Option<Rvalue> {
        // A transmute to an enum in a cleanup block is an ICE with debug assertions: see J in section 6 of
        // docs/src/custom-mir.md.
        if self.in_cleanup {
            return None;
        }
        let content = match purpose {
            Purpose::Read => self.find_or_build(body, inside, depth)?,
            _ => self.operand(body, inside, purpose)?,
        };
        Some(Rvalue::Transmute(content, of))
    }

    /// Wraps a value, or uses a wrapped one.
    pub(super) fn manually_drop(&mut self, body: &mut Body) -> Option<bool> {
        match self.entropy.below(7) {
            0 | 1 => self.wrap(body),
            2 => self.drop_wrapper(body),
            3 => self.pointer_to_content(body).map(|_| true),
            4 => self.drop_content(body),
            _ => self.unwrap(body),
        }
    }

    fn wrap(&mut self, body: &mut Body) -> Option<bool> {
        let inside = match self.entropy.pick(&self.palette.owning).copied() {
            Some(of) if self.entropy.chance(4, 5) => of,
            _ => self.any_type(),
        };
        let of = self.program.types.intern(Kind::Manual(inside));
        let content = self.find_or_build(body, inside, 2)?;
        let place = Place::local(self.new_local(body, of));
        let done = if self.entropy.chance(1, 2) {
            self.call(body, Callee::NewManual, vec![content], place, Unwind::Unreachable)
        } else {
            self.assign(body, place, Rvalue::Transmute(content, of))
        };
        if done && self.entropy.chance(1, 2) {
            self.pointer_to_content(body);
        }
        Some(done)
    }

    /// A place that holds a `ManuallyDrop`; of a type with drop glue, or of any.
    fn wrapped_place(&mut self, body: &mut Body, owning: bool) -> Option<(Place, TypeId)> {
        let fitting = self.types_of_places(body, |types, of| match types.kind(of) {
            Kind::Manual(inside) => !owning || types.needs_drop(*inside),
            _ => false,
        });
        let of = self.entropy.pick(&fitting).copied()?;
        let Kind::Manual(inside) = *self.program.types.kind(of) else { return None };
        let place = self.pick(body, of, Purpose::Read)?;
        (!self.is_packed(body, &place)).then_some((place, inside))
    }

    /// Drops a `ManuallyDrop` or the local around it, which must not drop the content.
    fn drop_wrapper(&mut self, body: &mut Body) -> Option<bool> {
        let (mut place, _) = self.wrapped_place(body, true)?;
        if !place.is_deref() && self.entropy.chance(1, 2) {
            place.projections.clear();
            self.known_value(body, &place)?;
        }
        let target = body.open();
        let unwind = self.unwind(body);
        Some(self.follow(body, Terminator::Drop { place, target, unwind }))
    }

    /// Casts a pointer or reference to a `ManuallyDrop` to one to its content.
    fn pointer_to_content(&mut self, body: &mut Body) -> Option<Place> {
        let (place, to) = self.wrapped_place(body, false)?;
        let of = self.type_of(body, &place)?;
        let mutable = self.entropy.chance(3, 4);
        let reference = self.swarm.references && self.entropy.chance(1, 3);
        let (outer, inner) = if reference {
            (Kind::Reference { mutable, to: of }, Kind::Reference { mutable, to })
        } else {
            (Kind::Pointer { mutable, to: of }, Kind::Pointer { mutable, to })
        };
        let outer = self.program.types.intern(outer);
        let inner = self.program.types.intern(inner);
        let pointed = if reference {
            Rvalue::Reference(mutable, place)
        } else {
            Rvalue::AddressOf(mutable, place)
        };
        let pointer = self.in_new_local(body, outer, pointed)?;
        let cast = match self.entropy.below(3) {
            0 if !reference && !self.program.types.has_lifetime(inner) => {
                Rvalue::Cast(pointer, inner)
            }
            1 if !reference => Rvalue::PointerCast(pointer, inner),
            _ => Rvalue::Transmute(pointer, inner),
        };
        let inside = self.in_new_local(body, inner, cast)?;
        Some(Place::deref(inside.place()?.local))
    }

    fn drop_content(&mut self, body: &mut Body) -> Option<bool> {
        let place = self.pointer_to_content(body)?;
        let of = self.type_of(body, &place)?;
        self.program.types.needs_drop(of).then_some(())?;
        let target = body.open();
        let unwind = self.unwind(body);
        Some(self.follow(body, Terminator::Drop { place, target, unwind }))
    }

    /// Moves the content out of a `ManuallyDrop`, so that it is dropped like any other value.
    fn unwrap(&mut self, body: &mut Body) -> Option<bool> {
        let (place, inside) = self.wrapped_place(body, true)?;
        let operand = Operand::Move(place);
        let to = Place::local(self.new_local(body, inside));
        let done = if self.entropy.chance(2, 3) {
            self.call(body, Callee::ManualToInner, vec![operand], to, Unwind::Unreachable)
        } else {
            self.assign(body, to, Rvalue::Transmute(operand, inside))
        };
        Some(done)
    }
}
