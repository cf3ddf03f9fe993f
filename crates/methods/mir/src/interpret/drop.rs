//! Drop glue: the destructor of a type, then its fields.

use super::execute::End;
use super::place::{Spot, part};
use super::{Check, Frame, Interpreter, Scope, Undefined};
use crate::borrows::Protector;
use crate::memory::Pointer;
use crate::program::{Place, Program};
use crate::types::{Kind, TypeId, Types};

/// The maximum nesting of boxes that are dropped. Dropping a box that owns itself would recurse for ever.
const MAX_NESTED_BOXES: usize = 128;

impl Interpreter {
    pub(super) fn drop_place(
        &mut self,
        program: &Program,
        scope: Scope<'_>,
        frame: &Frame,
        place: &Place,
    ) -> Check {
        let types = scope.types;
        let spot = self.resolve(scope, frame, place, false)?;
        self.read_projections(scope, frame, place)?;
        if !types.needs_drop(spot.of) {
            return Ok(());
        }
        let index = self.access(&spot.at, spot.size, true)?;
        self.validate(types, index, spot.of)?;
        self.drop_value(program, types, &spot.at, spot.of)?;
        self.access(&spot.at, spot.size, true)?;
        self.deinitialise(&spot);
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
            let reference = self.retag(at, layout.size, true, Protector::Strong)?;
            if layout.size == 0 {
                return self.drop_zero_sized(program, function, reference);
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

    /// Drops a zero-sized value: its destructor only, because it has no fields that need drop.
    fn drop_zero_sized(&mut self, program: &Program, function: usize, at: Pointer) -> Check {
        match self.call_with(program, function, at)? {
            End::Return => Ok(()),
            End::Panic => Err(Undefined::Panic),
        }
    }

    /// Drops a box, with a limit on the nesting.
    fn drop_box(&mut self, program: &Program, types: &Types, at: &Pointer, to: TypeId) -> Check {
        if self.boxes >= MAX_NESTED_BOXES {
            return Err(Undefined::Limit);
        }
        self.boxes += 1;
        let done = self.drop_box_content(program, types, at, to);
        self.boxes -= 1;
        done
    }

    fn drop_box_content(
        &mut self,
        program: &Program,
        types: &Types,
        at: &Pointer,
        to: TypeId,
    ) -> Check {
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

    /// Frees the memory of a box.
    fn free(&mut self, at: &Pointer, size: usize) -> Check {
        self.access(at, size, true)?;
        let whole = self.memory.target(at)?;
        if !whole.heap || at.offset != 0 || whole.size as usize != size {
            return Err(Undefined::Dangling);
        }
        self.memory.free(at.slot)
    }

    /// Allocates memory for the content of a box.
    pub(super) fn allocate(&mut self, types: &Types, of: TypeId) -> Check<Spot> {
        if self.memory.size() > super::MAX_MEMORY {
            return Err(Undefined::Limit);
        }
        let layout = types.layout(of);
        let slot = self.memory.allocate(layout.size, layout.align);
        if let Some(allocation) = self.memory.allocation_mut(slot) {
            allocation.heap = true;
        }
        Ok(Spot::new(self.memory.whole(slot)?, of, layout.size))
    }
}
