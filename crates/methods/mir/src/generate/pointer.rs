//! Pointers and references as values: to existing places, offset within an array, or made from other pointers.

use super::super::program::{Operand, Place, Rvalue};
use super::super::types::{Kind, TypeId};
use super::Generator;
use super::body::Body;
use super::places::Purpose;

impl Generator<'_> {
    /// A transmute of another raw pointer or reference, to the same type or to another.
    pub(super) fn transmuted(
        &mut self,
        body: &mut Body,
        of: TypeId,
        purpose: Purpose,
    ) -> Option<Rvalue> {
        let types = &self.program.types;
        if self.in_cleanup || !types.layout(of).fixed {
            return None;
        }
        let wide = types.is_wide(of);
        let size = types.size(types.pointee(of)?);
        let from = self.local_like(body, |types, it| {
            let (Kind::Pointer { to, .. } | Kind::Reference { to, .. }) = types.kind(it) else {
                return false;
            };
            it != of
                && types.layout(*to).fixed
                && types.is_wide(it) == wide
                && types.size(*to) >= size
        })?;
        let place = Place::local(from);
        let available = if purpose == Purpose::DeadBlock {
            body.allows(from, purpose)
        } else {
            self.known_value(body, &place).is_some()
        };
        available.then_some(Rvalue::Transmute(Operand::Copy(place), of))
    }

    /// A slice pointer cast to a thin pointer to its first element.
    fn slice_start(
        &mut self,
        body: &mut Body,
        of: TypeId,
        to: TypeId,
        purpose: Purpose,
    ) -> Option<Rvalue> {
        let local = self.local_like(body, |types, it| match types.kind(it) {
            Kind::Pointer { to: slice, .. } => match types.kind(*slice) {
                Kind::Slice(element) => {
                    *element == to || types.layout(*element).fixed && types.layout(to).fixed
                }
                _ => false,
            },
            _ => false,
        })?;
        let place = Place::local(local);
        let available = if purpose == Purpose::DeadBlock {
            body.allows(local, purpose)
        } else {
            self.known_value(body, &place).is_some()
        };
        available.then_some(Rvalue::Cast(Operand::Copy(place), of))
    }

    pub(super) fn pointer(
        &mut self,
        body: &mut Body,
        of: TypeId,
        mutable: bool,
        to: TypeId,
        purpose: Purpose,
    ) -> Option<Rvalue> {
        match self.entropy.below(10) {
            0 | 1 => {
                let from = self.pick(body, of, purpose)?;
                let by = self.pointer_offset(body, &from, purpose)?;
                Some(Rvalue::Offset(Operand::Copy(from), by))
            }
            2 => {
                // The other mutability, or another type at the same address.
                let other = Kind::Pointer { mutable: !mutable, to };
                let other = self.program.types.find(&other)?;
                Some(Rvalue::Cast(Operand::Copy(self.pick(body, other, purpose)?), of))
            }
            3 | 6 if self.swarm.transmutes && self.entropy.chance(3, 4) => {
                self.transmuted(body, of, purpose)
            }
            5 if self.swarm.slices => self.slice_start(body, of, to, purpose),
            3 if self.swarm.transmutes => {
                let from = self.any_type();
                let from = self.program.types.find(&Kind::Pointer { mutable, to: from })?;
                if from == of {
                    return None;
                }
                Some(Rvalue::PointerCast(Operand::Copy(self.pick(body, from, purpose)?), of))
            }
            4 if mutable => {
                let fitting: Vec<usize> = (0..self.program.statics.len())
                    .filter(|&number| {
                        let it = &self.program.statics[number];
                        it.mutable && it.of == to
                    })
                    .collect();
                self.entropy.pick(&fitting).map(|number| Rvalue::Static(*number))
            }
            _ => {
                let goal = if purpose == Purpose::DeadBlock { purpose } else { Purpose::Borrow };
                self.pick(body, to, goal).map(|place| Rvalue::AddressOf(mutable, place))
            }
        }
    }

    pub(super) fn reference(
        &mut self,
        body: &mut Body,
        mutable: bool,
        to: TypeId,
        purpose: Purpose,
    ) -> Option<Rvalue> {
        if self.swarm.transmutes && self.entropy.chance(1, 8) {
            let of = self.program.types.find(&Kind::Reference { mutable, to })?;
            if let Some(rvalue) = self.transmuted(body, of, purpose) {
                return Some(rvalue);
            }
        }
        if !mutable && self.entropy.chance(1, 6) {
            let statics = 0..self.program.statics.len();
            let fitting: Vec<usize> = statics
                .filter(|&it| {
                    !self.program.statics[it].mutable && self.program.statics[it].of == to
                })
                .collect();
            if let Some(number) = self.entropy.pick(&fitting) {
                return Some(Rvalue::Static(*number));
            }
        }
        self.pick(body, to, purpose)
            .filter(|place| !body.reserved[place.local])
            .map(|place| Rvalue::Reference(mutable, place))
    }

    /// A pointer or reference to a slice, unsized from one to an array.
    pub(super) fn slice(
        &mut self,
        body: &mut Body,
        of: TypeId,
        kind: &Kind,
        purpose: Purpose,
    ) -> Option<Rvalue> {
        let (mutable, to, reference) = match *kind {
            Kind::Pointer { mutable, to } => (mutable, to, false),
            Kind::Reference { mutable, to } => (mutable, to, true),
            _ => return None,
        };
        let types = &self.program.types;
        let Kind::Slice(element) = *types.kind(to) else { return None };
        let arrays: Vec<TypeId> = types
            .all()
            .filter(|it| matches!(types.kind(*it), Kind::Array(of, _) if *of == element))
            .collect();
        let array = self.entropy.pick(&arrays).copied()?;
        let thin = if reference {
            Kind::Reference { mutable, to: array }
        } else {
            Kind::Pointer { mutable, to: array }
        };
        let thin = self.program.types.intern(thin);
        if let Some(place) = self.pick(body, thin, purpose) {
            return Some(Rvalue::Unsize(Operand::Copy(place), of));
        }
        if purpose == Purpose::DeadBlock {
            return None;
        }
        let place = self.place_with_value(body, array, 2)?;
        let made = if reference {
            Rvalue::Reference(mutable, place)
        } else {
            Rvalue::AddressOf(mutable, place)
        };
        let local = self.new_local(body, thin);
        self.assign(body, Place::local(local), made)
            .then(|| Rvalue::Unsize(Operand::local(local), of))
    }
}
