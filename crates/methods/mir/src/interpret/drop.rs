//! Drops: destructors, then the parts.

use super::execute::End;
use super::place::{Spot, part};
use super::{Check, Frame, Machine, Scope, Undefined};
use crate::borrows::Guard;
use crate::memory::Pointer;
use crate::program::{Place, Program};
use crate::types::{Kind, TypeId, Types};

/// How many boxes, one in the other, can be dropped at once. A box that is in itself would never come to an end.
const MOST_BOXES: usize = 128;

impl Machine {
    pub(super) fn drop_place(
        &mut self,
        program: &Program,
        scope: Scope<'_>,
        frame: &Frame,
        place: &Place,
    ) -> Check {
        let types = scope.types;
        let spot = self.resolve(scope, frame, place, false)?;
        self.touch(scope, frame, place)?;
        if !types.needs_drop(spot.of) {
            return Ok(());
        }
        let index = self.access(&spot.at, spot.size, true)?;
        self.validate(types, index, spot.of)?;
        self.drop_value(program, types, &spot.at, spot.of)?;
        self.access(&spot.at, spot.size, true)?;
        self.forget(&spot);
        Ok(())
    }

    fn drop_value(&mut self, program: &Program, types: &Types, at: &Pointer, of: TypeId) -> Check {
        if !types.needs_drop(of) {
            return Ok(());
        }
        let layout = types.layout(of);
        if let Some(function) = types.adt(of).and_then(|adt| adt.destructor) {
            if !at.is_aligned(layout.align) {
                return Err(Undefined::Misaligned);
            }
            let reference = self.retag(at, layout.size, true, Guard::Strong)?;
            if layout.size == 0 {
                return self.drop_empty(program, function, reference);
            }
            if self.call_with(program, function, reference)? == End::Panic {
                return Err(Undefined::Panic);
            }
        }
        match types.kind(of) {
            Kind::Heap(to) => self.drop_box(program, types, at, *to),
            Kind::Array(element, length) => {
                let size = types.size(*element);
                (0..*length as usize).try_for_each(|number| {
                    self.drop_value(program, types, &at.moved(number * size), *element)
                })
            }
            Kind::Adt(_) if types.is_union(of) => Ok(()),
            Kind::Adt(_) if types.is_enum(of) => {
                let index = self.access(at, layout.size, false)?;
                let variant = self.variant(types, index, of)?;
                let fields = types.variants(of)[variant].fields.iter();
                fields.zip(&layout.fields[variant]).try_for_each(|(field, offset)| {
                    let at = part(types, at, of, *offset, *field);
                    self.drop_value(program, types, &at, *field)
                })
            }
            _ => {
                let fields = types.fields(of).iter();
                fields.zip(&layout.fields[0]).try_for_each(|(field, offset)| {
                    let at = part(types, at, of, *offset, *field);
                    self.drop_value(program, types, &at, *field)
                })
            }
        }
    }

    /// The destructor of something without bytes, which has no parts to drop either.
    fn drop_empty(&mut self, program: &Program, function: usize, at: Pointer) -> Check {
        match self.call_with(program, function, at)? {
            End::Return => Ok(()),
            End::Panic => Err(Undefined::Panic),
        }
    }

    /// What is in a box may be, or have in it, another box.
    fn drop_box(&mut self, program: &Program, types: &Types, at: &Pointer, to: TypeId) -> Check {
        if self.boxes >= MOST_BOXES {
            return Err(Undefined::Endless);
        }
        self.boxes += 1;
        let done = self.empty_box(program, types, at, to);
        self.boxes -= 1;
        done
    }

    fn empty_box(&mut self, program: &Program, types: &Types, at: &Pointer, to: TypeId) -> Check {
        let wide = types.is_unsized(to);
        let index = self.access(at, if wide { 16 } else { 8 }, false)?;
        let content = self.memory.read_pointer(index)?;
        let to = if wide { self.concrete(types, index)? } else { to };
        let size = types.size(to);
        let inside = self.access(&content, size, true)?;
        self.validate(types, inside, to)?;
        self.drop_value(program, types, &content, to)?;
        self.free(&content, size)
    }

    /// Gives the memory of a box back.
    fn free(&mut self, at: &Pointer, size: usize) -> Check {
        self.access(at, size, true)?;
        let whole = self.memory.target(at)?;
        if !whole.heap || at.offset != 0 || whole.size as usize != size {
            return Err(Undefined::Dangling);
        }
        self.memory.free(at.slot)
    }

    /// Memory for the content of a box.
    pub(super) fn allocate(&mut self, types: &Types, of: TypeId) -> Check<Spot> {
        if self.memory.size() > super::LARGEST {
            return Err(Undefined::Endless);
        }
        let layout = types.layout(of);
        let slot = self.memory.allocate(layout.size, layout.align);
        if let Some(allocation) = self.memory.allocation_mut(slot) {
            allocation.heap = true;
        }
        Ok(Spot::new(self.memory.whole(slot)?, of, layout.size))
    }
}
