//! Pointer arithmetic: offsets along arrays by numbers that the compiler does not know, in both directions, and
//! `arith_offset` out of the allocation and back before the pointer is dereferenced.

use super::super::intrinsic::Intrinsic;
use super::super::program::{Callee, Local, Operand, Operator, Place, Projection, Rvalue, Unwind};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::body::{Body, MAX_COMPLEXITY};
use super::places::Purpose;

impl Generator<'_> {
    /// The element type of some array with several elements.
    pub(super) fn element_type(&mut self, fits: impl Fn(&Types, TypeId) -> bool) -> Option<TypeId> {
        let types = &self.program.types;
        let fitting: Vec<TypeId> = (self.palette.all.iter())
            .filter_map(|of| match types.kind(*of) {
                Kind::Array(element, length) if *length > 1 => Some(*element),
                _ => None,
            })
            .filter(|element| types.is_copy(*element) && types.size(*element) > 0)
            .filter(|element| fits(types, *element))
            .collect();
        self.entropy.pick(&fitting).copied()
    }

    /// A pointer to an element of an array, in a new local.
    pub(super) fn element(&mut self, body: &mut Body, to: TypeId, mutable: bool) -> Option<Local> {
        let types = &self.program.types;
        let arrays: Vec<(TypeId, u64)> = (self.palette.all.iter())
            .filter_map(|of| match types.kind(*of) {
                Kind::Array(element, length) if *element == to && *length > 1 => {
                    Some((*of, *length))
                }
                _ => None,
            })
            .collect();
        let (array, length) = self.entropy.pick(&arrays).copied()?;
        let place = match self.pick(body, array, Purpose::Borrow) {
            Some(place) if self.known_value(body, &place).is_some() => place,
            _ => self.place_with_value(body, array, 2)?,
        };
        if body.reserved[place.local] {
            return None;
        }
        let of = self.program.types.intern(Kind::Pointer { mutable, to });
        let fixed = self.program.types.layout(to).fixed;
        let rvalue = if fixed && self.entropy.chance(1, 3) {
            // The first element, by a cast of a pointer to the array.
            let whole = self.program.types.intern(Kind::Pointer { mutable, to: array });
            let whole = self.in_new_local(body, whole, Rvalue::AddressOf(mutable, place))?;
            Rvalue::PointerCast(whole, of)
        } else {
            let index = self.index(body, length, Purpose::Read)?;
            Rvalue::AddressOf(mutable, place.then(Projection::Index(index)))
        };
        let local = self.new_local(body, of);
        self.assign(body, Place::local(local), rvalue).then_some(local)
    }

    /// Makes it likelier that later statements choose a pointer.
    fn make_likely(&mut self, body: &mut Body, local: Local) {
        body.complexity[local] = MAX_COMPLEXITY;
        body.index_places(local, &self.program.types, &mut self.paths);
    }

    /// Offsets a pointer within an array, and dereferences the result.
    pub(super) fn offset_pointer(&mut self, body: &mut Body) {
        let snapshot = (body.loops > 0).then(|| self.snapshot(body));
        if self.try_offset_pointer(body).is_none()
            && let Some(snapshot) = snapshot
        {
            self.restore(body, snapshot);
        }
    }

    fn try_offset_pointer(&mut self, body: &mut Body) -> Option<()> {
        let to = self.element_type(|_, _| true)?;
        let mutable = self.entropy.chance(3, 4);
        let of = self.program.types.intern(Kind::Pointer { mutable, to });
        let existing = self.pick(body, of, Purpose::Read).filter(|_| self.entropy.chance(1, 3));
        let from = match existing.filter(|place| self.offset_range(body, place).is_some()) {
            Some(place) => place,
            None => Place::local(self.element(body, to, mutable)?),
        };
        let by = self.pointer_offset(body, &from, Purpose::Read)?;
        let rvalue = Rvalue::Offset(Operand::Copy(from), by);
        let local = self.new_local(body, of);
        self.assign(body, Place::local(local), rvalue).then_some(())?;
        self.make_likely(body, local);
        self.use_pointer(body, local, to, mutable)
    }

    /// Writes or reads through a pointer.
    fn use_pointer(
        &mut self,
        body: &mut Body,
        local: Local,
        to: TypeId,
        mutable: bool,
    ) -> Option<()> {
        let place = Place::deref(local);
        if mutable && self.entropy.chance(1, 2) {
            let rvalue = self.rvalue(body, to, Purpose::Read)?;
            return self.assign(body, place, rvalue).then_some(());
        }
        self.known_value(body, &place)?;
        let into = self.pick(body, to, Purpose::Write).filter(|it| it.local != local);
        let into = into.unwrap_or_else(|| Place::local(self.new_local(body, to)));
        self.assign(body, into, Rvalue::Use(Operand::Copy(place))).then_some(())
    }

    /// How many elements a pointer can be moved back and forth so that it still points to one.
    fn offset_range(&self, body: &Body, from: &Place) -> Option<(u64, u64)> {
        let scope = body.scope(&self.program.types);
        let (back, forth) = self.interpreter.room(scope, &body.frame, from)?;
        let (back, forth) = (u64::try_from(back).ok()?, u64::try_from(forth).ok()?);
        (back + forth > 1).then(|| (back, forth.saturating_sub(1)))
    }

    /// An offset for a pointer: seldom zero, and mostly opaque to the compiler.
    pub(super) fn pointer_offset(
        &mut self,
        body: &mut Body,
        from: &Place,
        purpose: Purpose,
    ) -> Option<Operand> {
        if purpose == Purpose::DeadBlock {
            let of = if self.entropy.chance(1, 2) { Types::USIZE } else { Types::ISIZE };
            let place = self.pick(body, of, purpose).map(Operand::Copy);
            return Some(place.unwrap_or_else(|| Operand::constant(of, 1)));
        }
        let (back, forth) = self.offset_range(body, from)?;
        let forwards = forth > 0 && (back == 0 || self.entropy.chance(forth, back + forth));
        let most = if forwards { forth } else { back };
        if most == 0 {
            return None;
        }
        if self.entropy.chance(1, 6) {
            // A constant.
            let by = self.entropy.between(1, most);
            if forwards && self.entropy.chance(1, 2) {
                return Some(Operand::constant(Types::USIZE, u128::from(by)));
            }
            let by = if forwards { by.cast_signed() } else { -by.cast_signed() };
            return Some(Operand::constant(Types::ISIZE, Self::distance(by)));
        }
        if forwards && self.entropy.chance(1, 2) {
            return self.opaque_below(body, Types::USIZE, most).map(|(by, _)| by);
        }
        let by = match self.entropy.below(3) {
            0 => {
                let by = self.entropy.between(1, most).cast_signed();
                let by = if forwards { by } else { -by };
                return self.opaque_exactly(body, Types::ISIZE, Self::distance(by));
            }
            _ => self.opaque_below(body, Types::ISIZE, most)?.0,
        };
        if forwards { Some(by) } else { self.backwards(body, by) }
    }

    /// Calls `arith_offset`, with the result in a new local.
    fn call_arith_offset(
        &mut self,
        body: &mut Body,
        from: Operand,
        by: Operand,
        of: TypeId,
    ) -> Option<Local> {
        let local = self.new_local(body, of);
        let callee = Callee::Intrinsic(Intrinsic::ArithOffset);
        let unwind = Unwind::Unreachable;
        self.call(body, callee, vec![from, by], Place::local(local), unwind).then_some(local)
    }

    /// Moves a pointer by `arith_offset`: out of its allocation, back into it, or within it.
    pub(super) fn arith_offset(&mut self, body: &mut Body) -> Option<bool> {
        let to = match self.element_type(|_, _| true) {
            Some(to) if self.entropy.chance(2, 3) => to,
            _ => self.any_type(),
        };
        if !self.program.types.is_copy(to) || self.program.types.size(to) == 0 {
            return None;
        }
        let of = self.program.types.intern(Kind::Pointer { mutable: false, to });
        let existing = self.pick(body, of, Purpose::Read).filter(|_| self.entropy.chance(1, 2));
        let scope = body.scope(&self.program.types);
        let room =
            existing.as_ref().and_then(|place| self.interpreter.room(scope, &body.frame, place));
        let (from, back, forth) = match (existing, room) {
            (Some(place), Some((back, forth))) if back + forth > 0 => (place, back, forth),
            _ => {
                let local = match self.element(body, to, false) {
                    Some(local) => local,
                    None => {
                        let place = self.pick(body, to, Purpose::Borrow)?;
                        let pointer = Rvalue::AddressOf(false, place);
                        self.in_new_local(body, of, pointer)?.place()?.local
                    }
                };
                let place = Place::local(local);
                let scope = body.scope(&self.program.types);
                let (back, forth) = self.interpreter.room(scope, &body.frame, &place)?;
                (place, back, forth)
            }
        };
        if back + forth <= 0 {
            return None;
        }
        // The offsets at which it can be dereferenced.
        let (least, most) = (-back, forth - 1);
        let goal = least + self.entropy.below((most - least + 1).cast_unsigned()).cast_signed();
        let from = Operand::Copy(from);
        let last = if back < 0 || forth <= 0 {
            // It is out of bounds, and comes back.
            let by = self.opaque_exactly(body, Types::ISIZE, Self::distance(goal))?;
            self.call_arith_offset(body, from, by, of)?
        } else if self.entropy.chance(1, 6) {
            let by = self.opaque_exactly(body, Types::ISIZE, Self::distance(goal))?;
            self.call_arith_offset(body, from, by, of)?
        } else {
            // Far out of bounds, and back to the same or another element. The distance does not matter.
            let far = (1 << self.entropy.between(5, 16)) - 1;
            let (mut by, _) = self.opaque_below(body, Types::ISIZE, far)?;
            if self.entropy.chance(1, 2) {
                by = self.backwards(body, by)?;
            }
            let outside = self.call_arith_offset(body, from, by.clone(), of)?;
            if self.entropy.chance(1, 5) {
                return Some(true);
            }
            for _ in 0..self.entropy.below(3) {
                self.statement(body);
            }
            let goal = Operand::constant(Types::ISIZE, Self::distance(goal));
            let rest = Rvalue::Binary(Operator::Sub, goal, by);
            let rest = self.in_new_local(body, Types::ISIZE, rest)?;
            self.call_arith_offset(body, Operand::local(outside), rest, of)?
        };
        self.make_likely(body, last);
        let mutable = self.entropy.chance(1, 2);
        if mutable {
            let other = self.program.types.intern(Kind::Pointer { mutable, to });
            let cast = Rvalue::Cast(Operand::local(last), other);
            let local = self.in_new_local(body, other, cast)?.place()?.local;
            self.make_likely(body, local);
            return self.use_pointer(body, local, to, mutable).map(|()| true);
        }
        self.use_pointer(body, last, to, mutable).map(|()| true)
    }
}
