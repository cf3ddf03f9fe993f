//! Resolves places to addresses, and prepares them for reads and writes.
//!
//! A write to a field of an inactive variant of an enum with an internal tag activates the variant, which is incomplete
//! until the whole enum is valid. A [`Spot`] therefore lists the enums around it.

use super::value::{TAG, Tag, Value};
use super::{Check, Frame, Interpreter, MAX_MEMORY, Scope, Span, Undefined};
use crate::memory::Pointer;
use crate::program::{Local, Place, Projection};
use crate::types::{Kind, TypeId, Types};

/// The maximum nesting of enums around a place.
const MAX_NESTED_ENUMS: usize = 3;

/// A resolved place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) at: Pointer,
    pub(super) of: TypeId,
    pub(super) size: usize,
    /// The length of a slice, or the index of the concrete type of a trait object.
    pub(super) length: u64,
    /// The enums with an internal tag that contain it, outermost first.
    enclosing: [EnclosingEnum; MAX_NESTED_ENUMS],
    count: u8,
    /// The outermost enclosing enum whose active variant changes if the place is written.
    changes: Option<u8>,
}

/// An enum that contains a place, and the variant that does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct EnclosingEnum {
    offset: u32,
    size: u32,
    variant: u32,
}

/// An evaluated operand.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// A place that may be read, its index in the arena, and whether it is moved.
    Place(Spot, usize, bool),
    Value(Value, TypeId),
}

impl Spot {
    pub(super) fn new(at: Pointer, of: TypeId, size: usize) -> Self {
        let enclosing = [EnclosingEnum::default(); MAX_NESTED_ENUMS];
        Self { at, of, size, length: 0, enclosing, count: 0, changes: None }
    }

    pub(super) fn enclosing(&self) -> &[EnclosingEnum] {
        &self.enclosing[..self.count.into()]
    }

    pub(super) fn span(&self) -> Span {
        Span::of(&self.at, self.size)
    }

    /// The place after [`Interpreter::prepare_write`]: the enclosing enums have the right variants.
    pub(super) fn prepared(&self) -> Self {
        Self { changes: None, ..*self }
    }

    /// The bytes that a write to it may change.
    pub(super) fn written(&self) -> Span {
        match self.changes {
            Some(first) => {
                let EnclosingEnum { offset, size, .. } = self.enclosing[usize::from(first)];
                Span { lo: offset, hi: offset + size, ..self.span() }
            }
            None => self.span(),
        }
    }
}

/// A pointer to a part of a value. If the layout of the whole is not fixed, its bounds are those of the part.
pub(super) fn part(
    types: &Types,
    at: &Pointer,
    whole: TypeId,
    offset: usize,
    of: TypeId,
) -> Pointer {
    let moved = at.moved(offset);
    if types.layout(whole).fixed {
        return moved;
    }
    let layout = types.layout(of);
    let packing = types.adt(whole).and_then(|adt| adt.repr.packing()).unwrap_or(u64::MAX);
    let own = (layout.align as u64).min(packing).trailing_zeros() as u8;
    let align = own.min(at.alignment());
    Pointer { lo: moved.offset, hi: moved.offset + layout.size as u32, align, ..moved }
}

/// The access that a write performs: its start, with bounds that allow it, and its size.
fn write_access(spot: &Spot) -> (Pointer, usize) {
    let written = spot.written();
    let (lo, hi) = (spot.at.lo.min(written.lo), spot.at.hi.max(written.hi));
    let at = Pointer { offset: written.lo, lo, hi, ..spot.at };
    (at, (written.hi - written.lo) as usize)
}

/// Whether an enum has an internal tag.
pub(super) fn has_internal_tag(types: &Types, of: TypeId) -> bool {
    types.adt(of).is_none_or(|adt| adt.repr.is_free())
}

impl Interpreter {
    #[inline]
    pub(super) fn local(&self, scope: Scope<'_>, frame: &Frame, local: Local) -> Check<Spot> {
        let of = *scope.locals.get(local).ok_or(Undefined::IllFormed)?;
        let at = self.memory.whole(frame.slot(local)?)?;
        Ok(Spot::new(at, of, at.hi as usize))
    }

    /// Resolves a place without an access.
    #[inline]
    pub(super) fn resolve(
        &self,
        scope: Scope<'_>,
        frame: &Frame,
        place: &Place,
        write: bool,
    ) -> Check<Spot> {
        let spot = self.local(scope, frame, place.local)?;
        if place.projections.is_empty() {
            Ok(spot)
        } else {
            self.project(scope, frame, spot, &place.projections, write)
        }
    }

    fn project(
        &self,
        scope: Scope<'_>,
        frame: &Frame,
        mut spot: Spot,
        projections: &[Projection],
        write: bool,
    ) -> Check<Spot> {
        let types = scope.types;
        for projection in projections {
            match *projection {
                Projection::Deref => spot = self.follow(types, &spot)?,
                Projection::Index(local) => {
                    let (element, length) = match types.kind(spot.of) {
                        Kind::Array(element, length) => (*element, *length),
                        Kind::Slice(element) => (*element, spot.length),
                        _ => return Err(Undefined::IllFormed),
                    };
                    let number = self.number(scope, frame, local)?;
                    if number >= length {
                        return Err(Undefined::OutOfBounds);
                    }
                    let size = types.size(element);
                    spot.at = spot.at.moved(number as usize * size);
                    (spot.of, spot.size) = (element, size);
                }
                Projection::Field(field) => {
                    let of = *types.fields(spot.of).get(field).ok_or(Undefined::IllFormed)?;
                    let offset = types.layout(spot.of).fields[0][field];
                    spot.at = part(types, &spot.at, spot.of, offset, of);
                    (spot.of, spot.size) = (of, types.size(of));
                }
                Projection::Variant(variant, field) => {
                    self.enter_variant(types, &mut spot, variant, field, write)?;
                }
            }
        }
        Ok(spot)
    }

    /// Dereferences the pointer or reference in a place.
    pub(super) fn follow(&self, types: &Types, spot: &Spot) -> Check<Spot> {
        let to = types.pointee(spot.of).ok_or(Undefined::IllFormed)?;
        let index = self.memory.locate(&spot.at, spot.size)?;
        let at = self.memory.read_pointer(index)?;
        if at.exposed {
            return Err(Undefined::Address);
        }
        let (size, length) = self.extent(types, to, index)?;
        self.memory.locate(&at, size)?;
        if !at.is_aligned(self.alignment(types, to, index)?) {
            return Err(Undefined::Misaligned);
        }
        Ok(Spot { length, ..Spot::new(at, to, size) })
    }

    /// The size of the pointee of the pointer at an index of the arena. Also the length of a slice, or the index of the
    /// concrete type of a trait object.
    pub(super) fn extent(&self, types: &Types, to: TypeId, index: usize) -> Check<(usize, u64)> {
        match types.kind(to) {
            Kind::Slice(element) => {
                let length = self.memory.read_bits(index + 8, 8)? as u64;
                let size = (types.size(*element) as u64).checked_mul(length);
                let size = size.filter(|size| *size <= MAX_MEMORY as u64);
                Ok((size.ok_or(Undefined::OutOfBounds)? as usize, length))
            }
            Kind::Object(_) => {
                let of = self.concrete(types, index)?;
                Ok((types.size(of), of.0.into()))
            }
            _ => Ok((types.size(to), 0)),
        }
    }

    /// The value of a local that is used as an index.
    fn number(&self, scope: Scope<'_>, frame: &Frame, local: Local) -> Check<u64> {
        let spot = self.local(scope, frame, local)?;
        if spot.of != Types::USIZE {
            return Err(Undefined::IllFormed);
        }
        let index = self.memory.locate(&spot.at, spot.size)?;
        self.memory.read_bits(index, spot.size).map(|bits| bits as u64)
    }

    fn enter_variant(
        &self,
        types: &Types,
        spot: &mut Spot,
        variant: usize,
        field: usize,
        write: bool,
    ) -> Check {
        let (whole, at) = (spot.of, spot.at);
        let of = types.variants(whole).get(variant).and_then(|variant| variant.fields.get(field));
        let of = *of.ok_or(Undefined::IllFormed)?;
        let layout = types.layout(whole);
        let index = self.memory.locate(&at, layout.size)?;
        if has_internal_tag(types, whole) {
            let depth = usize::from(spot.count);
            if depth == MAX_NESTED_ENUMS {
                return Err(Undefined::Layout);
            }
            spot.enclosing[depth] = EnclosingEnum {
                offset: at.offset,
                size: layout.size as u32,
                variant: variant as u32,
            };
            spot.count += 1;
            let is_active = spot.changes.is_none()
                && self.tag(index).is_some_and(|tag| tag.variant == variant as u32);
            if !is_active && !write {
                return Err(Undefined::Layout);
            } else if !is_active {
                spot.changes.get_or_insert(depth as u8);
            }
        } else if !layout.fixed && self.variant(types, index, whole) != Ok(variant) {
            return Err(Undefined::Layout);
        }
        spot.at = part(types, &at, whole, layout.fields[variant][field], of);
        (spot.of, spot.size) = (of, types.size(of));
        Ok(())
    }

    /// Reads the pointer and the indices that the projections of a place use.
    #[inline]
    pub(super) fn read_projections(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        place: &Place,
    ) -> Check {
        for projection in &place.projections {
            let local = match projection {
                Projection::Deref => place.local,
                Projection::Index(local) => *local,
                _ => continue,
            };
            let spot = self.local(scope, frame, local)?;
            self.access(&spot.at, spot.size, false)?;
        }
        Ok(())
    }

    /// Resolves a place and reads all of it. Returns its index in the arena.
    pub(super) fn read(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        place: &Place,
    ) -> Check<(Spot, usize)> {
        let spot = self.resolve(scope, frame, place, false)?;
        self.read_projections(scope, frame, place)?;
        if scope.types.is_unsized(spot.of) {
            return Err(Undefined::IllFormed);
        }
        let index = self.access(&spot.at, spot.size, false)?;
        Ok((spot, index))
    }

    /// Checks that a place may be written.
    pub(super) fn check_write(&self, spot: &Spot) -> Check<usize> {
        let (at, size) = write_access(spot);
        self.allows(&at, size, true)
    }

    /// Performs the write access to a whole place, and activates the variants that contain it. Returns its index in the
    /// arena.
    pub(super) fn prepare_write(&mut self, spot: &Spot) -> Check<usize> {
        let written = spot.written();
        let (at, size) = write_access(spot);
        let index = self.access(&at, size, true)?;
        if let Some(first) = spot.changes {
            let start = index - written.lo as usize;
            for each in &spot.enclosing()[first.into()..] {
                self.memory.clear(start + each.offset as usize, each.size as usize);
                self.set_tag(start + each.offset as usize, Tag::incomplete(each.variant));
            }
        }
        Ok(index - written.lo as usize + spot.at.offset as usize)
    }

    /// Makes a place uninitialised, and the enums around it incomplete. Returns which of them were complete, as a bit
    /// set.
    pub(super) fn deinitialise(&mut self, spot: &Spot) -> u8 {
        let Ok(allocation) = self.memory.target(&spot.at) else { return 0 };
        let start = allocation.start;
        self.memory.set_ambiguous_address(spot.at.slot);
        self.memory.clear(start + spot.at.offset as usize, spot.size);
        if spot.size == 0 {
            return 0;
        }
        let mut complete = 0;
        for (number, each) in spot.enclosing().iter().enumerate() {
            let index = start + each.offset as usize;
            if self.tag(index) == Some(Tag::complete(each.variant)) {
                complete |= 1 << number;
                self.set_tag(index, Tag::incomplete(each.variant));
            }
        }
        complete
    }

    /// Marks those enums around a place as complete that `deinitialise` returned.
    pub(super) fn restore(&mut self, spot: &Spot, complete: u8) {
        let Ok(allocation) = self.memory.target(&spot.at) else { return };
        let start = allocation.start;
        for (number, each) in spot.enclosing().iter().enumerate() {
            if complete >> number & 1 == 1 {
                self.set_tag(start + each.offset as usize, Tag::complete(each.variant));
            }
        }
    }

    /// The internal tag at an index of the arena, if it is initialised.
    pub(super) fn tag(&self, index: usize) -> Option<Tag> {
        self.memory.read_bits(index, TAG).ok().map(|bits| Tag::from_bits(bits as u32))
    }

    pub(super) fn set_tag(&mut self, index: usize, tag: Tag) {
        self.memory.write_bits(index, TAG, tag.bits().into());
    }
}
