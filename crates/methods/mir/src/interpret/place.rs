//! Where places are.

use super::value::{TAG, Tag, Value};
use super::{Check, Frame, LARGEST, Machine, Scope, Span, Undefined};
use crate::memory::Pointer;
use crate::program::{Local, Place, Projection};
use crate::types::{Kind, TypeId, Types};

/// How many enums a place can be in, one in the other.
const MOST: usize = 3;

/// A place that was found.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) at: Pointer,
    pub(super) of: TypeId,
    pub(super) size: usize,
    /// Of a slice; of a trait object, the number of its type.
    pub(super) length: u64,
    /// The enums with a tag of our own that it is in, outer ones first.
    steps: [Step; MOST],
    count: u8,
    /// The enum that must become another variant first, if it is written.
    changes: Option<u8>,
}

/// An enum that a place is in.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Step {
    offset: u32,
    size: u32,
    variant: u32,
}

/// Where an operand comes from.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    /// A place that may be read, where in the arena it is, and whether it is moved.
    Place(Spot, usize, bool),
    Value(Value, TypeId),
}

impl Spot {
    pub(super) fn new(at: Pointer, of: TypeId, size: usize) -> Self {
        Self { at, of, size, length: 0, steps: [Step::default(); MOST], count: 0, changes: None }
    }

    pub(super) fn steps(&self) -> &[Step] {
        &self.steps[..self.count.into()]
    }

    pub(super) fn span(&self) -> Span {
        Span::of(&self.at, self.size)
    }

    /// After the enums that it is in have become what they must be.
    pub(super) fn opened(&self) -> Self {
        Self { changes: None, ..*self }
    }

    /// What a write to it may change.
    pub(super) fn written(&self) -> Span {
        match self.changes {
            Some(step) => {
                let Step { offset, size, .. } = self.steps[usize::from(step)];
                Span { lo: offset, hi: offset + size, ..self.span() }
            }
            None => self.span(),
        }
    }
}

/// A part of something that a pointer points to. Where the layout of the whole is not fixed, nothing else of
/// it can be reached by it.
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

/// All bytes that a write changes.
fn opening(spot: &Spot) -> (Pointer, usize) {
    let written = spot.written();
    let (lo, hi) = (spot.at.lo.min(written.lo), spot.at.hi.max(written.hi));
    let at = Pointer { offset: written.lo, lo, hi, ..spot.at };
    (at, (written.hi - written.lo) as usize)
}

/// Whether an enum's tag in our memory is our own.
pub(super) fn has_own_tag(types: &Types, of: TypeId) -> bool {
    types.adt(of).is_none_or(|adt| adt.repr.is_free())
}

impl Machine {
    #[inline]
    pub(super) fn local(&self, scope: Scope<'_>, frame: &Frame, local: Local) -> Check<Spot> {
        let of = *scope.locals.get(local).ok_or(Undefined::IllFormed)?;
        let at = self.memory.whole(frame.slot(local)?)?;
        Ok(Spot::new(at, of, at.hi as usize))
    }

    /// Where a place is, and what lies there. Nothing changes by it.
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

    /// What a pointer or reference in a place points to.
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

    /// How large something is that a pointer at a place of the arena points to; of slices, also the length, and of
    /// trait objects the number of the type.
    pub(super) fn extent(&self, types: &Types, to: TypeId, index: usize) -> Check<(usize, u64)> {
        match types.kind(to) {
            Kind::Slice(element) => {
                let length = self.memory.read_bits(index + 8, 8)? as u64;
                let size = (types.size(*element) as u64).checked_mul(length);
                let size = size.filter(|size| *size <= LARGEST as u64);
                Ok((size.ok_or(Undefined::OutOfBounds)? as usize, length))
            }
            Kind::Object(_) => {
                let of = self.concrete(types, index)?;
                Ok((types.size(of), of.0.into()))
            }
            _ => Ok((types.size(to), 0)),
        }
    }

    /// The value of a local that is an index.
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
        if has_own_tag(types, whole) {
            let step = usize::from(spot.count);
            if step == MOST {
                return Err(Undefined::Layout);
            }
            spot.steps[step] =
                Step { offset: at.offset, size: layout.size as u32, variant: variant as u32 };
            spot.count += 1;
            let is = spot.changes.is_none()
                && self.tag(index).is_some_and(|tag| tag.variant == variant as u32);
            if !is && !write {
                return Err(Undefined::Layout);
            } else if !is {
                spot.changes.get_or_insert(step as u8);
            }
        } else if !layout.fixed && self.variant(types, index, whole) != Ok(variant) {
            return Err(Undefined::Layout);
        }
        spot.at = part(types, &at, whole, layout.fields[variant][field], of);
        (spot.of, spot.size) = (of, types.size(of));
        Ok(())
    }

    /// To find a place, the pointer and the indices in it are read.
    #[inline]
    pub(super) fn touch(&mut self, scope: Scope<'_>, frame: &Frame, place: &Place) -> Check {
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

    /// A place that is read as a whole, and where in the arena it is.
    pub(super) fn read(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        place: &Place,
    ) -> Check<(Spot, usize)> {
        let spot = self.resolve(scope, frame, place, false)?;
        self.touch(scope, frame, place)?;
        if scope.types.is_unsized(spot.of) {
            return Err(Undefined::IllFormed);
        }
        let index = self.access(&spot.at, spot.size, false)?;
        Ok((spot, index))
    }

    /// Whether a place may be written.
    pub(super) fn may_open(&self, spot: &Spot) -> Check<usize> {
        let (at, size) = opening(spot);
        self.allows(&at, size, true)
    }

    /// A place that is written as a whole: makes it ready.
    pub(super) fn open(&mut self, spot: &Spot) -> Check<usize> {
        let written = spot.written();
        let (at, size) = opening(spot);
        let index = self.access(&at, size, true)?;
        if let Some(first) = spot.changes {
            let start = index - written.lo as usize;
            for step in &spot.steps()[first.into()..] {
                self.memory.clear(start + step.offset as usize, step.size as usize);
                self.set_tag(start + step.offset as usize, Tag::making(step.variant));
            }
        }
        Ok(index - written.lo as usize + spot.at.offset as usize)
    }

    /// A place holds nothing any more; enums that it is in are in the making again. Which of them were
    /// whole, as bits.
    pub(super) fn forget(&mut self, spot: &Spot) -> u8 {
        let Ok(allocation) = self.memory.target(&spot.at) else { return 0 };
        let start = allocation.start;
        self.memory.doubt(spot.at.slot);
        self.memory.clear(start + spot.at.offset as usize, spot.size);
        if spot.size == 0 {
            return 0;
        }
        let mut whole = 0;
        for (number, step) in spot.steps().iter().enumerate() {
            let index = start + step.offset as usize;
            if self.tag(index) == Some(Tag::whole(step.variant)) {
                whole |= 1 << number;
                self.set_tag(index, Tag::making(step.variant));
            }
        }
        whole
    }

    /// Enums that a place is in are whole again.
    pub(super) fn restore(&mut self, spot: &Spot, whole: u8) {
        let Ok(allocation) = self.memory.target(&spot.at) else { return };
        let start = allocation.start;
        for (number, step) in spot.steps().iter().enumerate() {
            if whole >> number & 1 == 1 {
                self.set_tag(start + step.offset as usize, Tag::whole(step.variant));
            }
        }
    }

    /// The tag of our own at a place of the arena, if there is one.
    pub(super) fn tag(&self, index: usize) -> Option<Tag> {
        self.memory.read_bits(index, TAG).ok().map(|bits| Tag::from_bits(bits as u32))
    }

    pub(super) fn set_tag(&mut self, index: usize, tag: Tag) {
        self.memory.write_bits(index, TAG, tag.bits().into());
    }
}
