//! Statements that build a value from operands: transmutes, aggregates, repetitions, and `SetDiscriminant`.

use super::assign::is_small;
use super::compute::{same, same_size};
use super::place::{Source, Spot, has_internal_tag};
use super::value::Tag;
use super::{Check, Frame, Interpreter, Scope, Undefined};
use crate::borrows::Protector;
use crate::program::{Operand, Place};
use crate::types::{Kind, TypeId, Types};

impl Interpreter {
    pub(super) fn transmute(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        to: &Spot,
        operand: &Operand,
    ) -> Check {
        let types = scope.types;
        let of = operand.type_in(scope.locals, types).ok_or(Undefined::IllFormed)?;
        let layout = types.layout(of);
        let fixed = layout.fixed && types.layout(to.of).fixed;
        if !fixed && !types.has_same_layout(of, to.of) {
            return Err(Undefined::Layout);
        }
        same_size(layout.size, to.size)?;
        let source = self.source(scope, frame, operand, of)?;
        if let (Source::Place(spot, _, moved), Some(place)) = (&source, operand.place()) {
            let small = is_small(types, of) && is_small(types, to.of);
            let written = if small { to.span() } else { to.written() };
            if *moved {
                self.check_disjoint(scope, frame, to, place, spot)?;
            } else if written.overlaps(&spot.span()) {
                return Err(Undefined::Overlap);
            }
        }
        // The operand is copied with its own type, which makes its padding uninitialised, before the bytes are
        // reinterpreted.
        let align = layout.align.max(types.layout(to.of).align);
        let slot = self.memory.allocate(layout.size, align);
        let done = self.transmute_in(types, to, slot, &source);
        self.memory.release(slot);
        done?;
        self.deinitialise_sources(&[source]);
        Ok(())
    }

    /// Writes the destination only after all checks: the generator continues from this state if the statement is
    /// undefined.
    fn transmute_in(&mut self, types: &Types, to: &Spot, slot: u32, source: &Source) -> Check {
        let whole = self.memory.whole(slot)?;
        let index = self.memory.locate(&whole, to.size)?;
        self.write_source(types, index, source);
        self.validate(types, index, to.of)?;
        if types.layout(to.of).pointers {
            let none = (Protector::None, Some(Protector::None));
            self.retag_parts(types, &whole, to.of, none, &mut vec![])?;
        }
        let target = self.prepare_write(to)?;
        self.transfer(types, index, target, to.of);
        Ok(())
    }

    /// Reads and validates an operand that becomes a part of the written value.
    pub(super) fn source(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        operand: &Operand,
        of: TypeId,
    ) -> Check<Source> {
        let source = match operand {
            Operand::Copy(place) | Operand::Move(place) => {
                let (spot, index) = self.read(scope, frame, place)?;
                self.validate(scope.types, index, spot.of)?;
                same(spot.of, of)?;
                Source::Place(spot, index, matches!(operand, Operand::Move(_)))
            }
            _ => {
                let (value, is) = self.operand(scope, frame, operand)?;
                same(is, of)?;
                Source::Value(value, is)
            }
        };
        Ok(source)
    }

    pub(super) fn write_source(&mut self, types: &Types, index: usize, source: &Source) {
        match source {
            Source::Place(spot, from, _) => self.transfer(types, *from, index, spot.of),
            Source::Value(value, of) => self.store(types, index, *of, *value),
        }
    }

    pub(super) fn aggregate(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        to: &Spot,
        variant: usize,
        parts: &[Operand],
    ) -> Check {
        let mut sources = std::mem::take(&mut self.sources);
        sources.clear();
        let done = self.fill_aggregate(scope, frame, to, (variant, parts), &mut sources);
        self.sources = sources;
        done
    }

    fn fill_aggregate(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        to: &Spot,
        (variant, parts): (usize, &[Operand]),
        sources: &mut Vec<Source>,
    ) -> Check {
        let types = scope.types;
        for (number, part) in parts.iter().enumerate() {
            let (_, of) = field(types, to.of, variant, number).ok_or(Undefined::IllFormed)?;
            let source = self.source(scope, frame, part, of)?;
            if let (Source::Place(spot, _, moved), Some(place)) = (&source, part.place()) {
                if *moved {
                    self.check_disjoint(scope, frame, to, place, spot)?;
                } else if spot.span().overlaps(&to.written()) {
                    return Err(Undefined::Overlap);
                }
            }
            sources.push(source);
        }
        let wanted = match types.kind(to.of) {
            Kind::Array(_, length) => *length as usize,
            Kind::Adt(_) if types.is_enum(to.of) => match types.variants(to.of).get(variant) {
                Some(variant) => variant.fields.len(),
                None => return Err(Undefined::IllFormed),
            },
            Kind::Adt(_) if types.is_union(to.of) => 1,
            Kind::Adt(_) | Kind::Tuple(_) => types.fields(to.of).len(),
            _ => return Err(Undefined::IllFormed),
        };
        if parts.len() != wanted {
            return Err(Undefined::IllFormed);
        }
        check_moves_disjoint(sources)?;
        let index = self.prepare_write(to)?;
        self.memory.clear(index, to.size);
        if types.is_enum(to.of) {
            self.write_variant(types, index, to.of, variant);
        }
        for (number, source) in sources.iter().enumerate() {
            if let Some((offset, _)) = field(types, to.of, variant, number) {
                self.write_source(types, index + offset, source);
            }
        }
        self.deinitialise_sources(sources);
        Ok(())
    }

    pub(super) fn deinitialise_sources(&mut self, sources: &[Source]) {
        for source in sources {
            if let Source::Place(spot, _, true) = source {
                self.deinitialise(spot);
            }
        }
    }

    pub(super) fn repeat(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        to: &Spot,
        operand: &Operand,
        length: u64,
    ) -> Check {
        let types = scope.types;
        let element = match types.kind(to.of) {
            Kind::Array(element, wanted) if *wanted == length => *element,
            _ => return Err(Undefined::IllFormed),
        };
        let source = self.source(scope, frame, operand, element)?;
        if let (Source::Place(spot, ..), Some(place)) = (&source, operand.place()) {
            self.check_disjoint(scope, frame, to, place, spot)?;
        }
        let index = self.prepare_write(to)?;
        let size = types.size(element);
        for number in 0..length as usize {
            self.write_source(types, index + number * size, &source);
        }
        self.deinitialise_sources(&[source]);
        Ok(())
    }

    pub(super) fn set_discriminant(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        place: &Place,
        variant: usize,
    ) -> Check {
        let types = scope.types;
        let to = self.resolve(scope, frame, place, true)?;
        self.read_projections(scope, frame, place)?;
        let fields = match types.variants(to.of).get(variant) {
            Some(variant) => &variant.fields,
            None => return Err(Undefined::IllFormed),
        };
        let index = self.memory.locate(&to.at, to.size)?;
        let own = has_internal_tag(types, to.of);
        let keeps = if own {
            let tag = self.tag(index);
            to.written().lo == to.at.offset && tag.is_some_and(|tag| tag.variant == variant as u32)
        } else {
            types.layout(to.of).fixed || self.variant(types, index, to.of) == Ok(variant)
        };
        if own && keeps {
            self.validate_variant(types, index, to.of, variant)?;
        } else if own && fields.iter().any(|field| types.size(*field) > 0) {
            return Err(Undefined::Uninitialised);
        }
        let index = self.prepare_write(&to)?;
        if !keeps {
            self.memory.clear(index, to.size);
        } else if own {
            self.clear_rest(types, index, to.of, variant);
            self.set_tag(index, Tag::complete(variant as u32));
        }
        self.write_variant(types, index, to.of, variant);
        Ok(())
    }

    /// Makes the padding of a variant uninitialised: the bytes of the enum outside its tag and fields.
    fn clear_rest(&mut self, types: &Types, index: usize, of: TypeId, variant: usize) {
        let layout = types.layout(of);
        let fields = &types.variants(of)[variant].fields;
        let mut end = layout.tag;
        for (field, offset) in fields.iter().zip(&layout.fields[variant]) {
            self.memory.clear(index + end, offset - end);
            end = offset + types.size(*field);
        }
        self.memory.clear(index + end, layout.size - end);
    }
}

/// The offset and the type of a part of an aggregate.
fn field(types: &Types, of: TypeId, variant: usize, number: usize) -> Option<(usize, TypeId)> {
    match types.kind(of) {
        Kind::Array(element, length) => {
            ((number as u64) < *length).then(|| (number * types.size(*element), *element))
        }
        _ if types.is_union(of) => types.fields(of).get(variant).map(|field| (0, *field)),
        _ if types.is_enum(of) => {
            let field = *types.variants(of).get(variant)?.fields.get(number)?;
            Some((types.layout(of).fields[variant][number], field))
        }
        _ => {
            let field = *types.fields(of).get(number)?;
            Some((types.layout(of).fields[0][number], field))
        }
    }
}

/// A moved operand must not overlap another operand.
pub(super) fn check_moves_disjoint(sources: &[Source]) -> Check {
    for (number, source) in sources.iter().enumerate() {
        let Source::Place(moved, _, true) = source else { continue };
        for (other, source) in sources.iter().enumerate() {
            if let Source::Place(spot, ..) = source
                && other != number
                && spot.span().overlaps(&moved.span())
            {
                return Err(Undefined::Overlap);
            }
        }
    }
    Ok(())
}
