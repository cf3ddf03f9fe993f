//! Values: their representation in memory, validity, and typed copies.

use super::place::has_internal_tag;
use super::{Check, Interpreter, Undefined};
use crate::memory::Pointer;
use crate::program::MAX_ADDRESS;
use crate::types::{Int, Kind, TypeId, Types};
use crate::{float, scalar};

/// A value that is not an aggregate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    Bits(u128),
    Nan,
    /// Also a box, a function pointer, or an integer that was cast from a pointer.
    Pointer(Pointer),
    /// With the length of a slice, or the index of the concrete type of a trait object.
    Wide(Pointer, u64),
    Unit,
}

/// The size of an internal tag.
pub(super) const TAG: usize = 4;

/// The internal tag of an enum whose layout rustc chooses. The active variant is incomplete while fields of it are
/// uninitialised: then the enum cannot be read as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    pub(super) variant: u32,
    pub(super) complete: bool,
}

const INCOMPLETE: u32 = 1 << 31;

impl Tag {
    pub(super) fn complete(variant: u32) -> Self {
        Self { variant, complete: true }
    }

    pub(super) fn incomplete(variant: u32) -> Self {
        Self { variant, complete: false }
    }

    pub(super) fn from_bits(bits: u32) -> Self {
        Self { variant: bits & !INCOMPLETE, complete: bits & INCOMPLETE == 0 }
    }

    pub(super) fn bits(self) -> u32 {
        if self.complete { self.variant } else { self.variant | INCOMPLETE }
    }
}

impl Value {
    pub(super) fn bits(self) -> Check<u128> {
        match self {
            Self::Bits(bits) => Ok(bits),
            Self::Nan => Err(Undefined::Nondeterministic),
            Self::Pointer(_) => Err(Undefined::Address),
            _ => Err(Undefined::IllFormed),
        }
    }

    /// The bits of a float. `None` for a NaN.
    pub(super) fn float(self) -> Check<float::Bits> {
        match self {
            Self::Bits(bits) => Ok(Some(bits)),
            Self::Nan => Ok(None),
            _ => Err(Undefined::IllFormed),
        }
    }

    pub(super) fn from_float(bits: float::Bits) -> Self {
        bits.map_or(Self::Nan, Self::Bits)
    }

    pub(super) fn pointer(self) -> Check<Pointer> {
        match self {
            Self::Pointer(at) | Self::Wide(at, _) => Ok(at),
            _ => Err(Undefined::IllFormed),
        }
    }
}

pub(super) fn constant(types: &Types, of: TypeId, bits: u128) -> Check<Value> {
    match types.kind(of) {
        Kind::Tuple(parts) if parts.is_empty() => Ok(Value::Unit),
        Kind::Float(kind) if float::is_nan(*kind, bits) => Ok(Value::Nan),
        Kind::Pointer { .. } if !types.is_wide(of) => without_provenance(bits),
        kind if scalar::is_valid(kind, bits) => Ok(Value::Bits(bits)),
        _ => Err(Undefined::InvalidValue),
    }
}

/// An integer as a pointer without provenance.
pub(super) fn without_provenance(bits: u128) -> Check<Value> {
    if bits > MAX_ADDRESS {
        return Err(Undefined::Address);
    }
    Ok(Value::Pointer(Pointer::without_provenance(bits as u32)))
}

/// The discriminant of a variant, truncated to the width of a tag.
pub(super) fn discriminant(types: &Types, of: TypeId, variant: usize, width: u32) -> Option<u128> {
    let mut next = 0;
    for (number, each) in types.variants(of).iter().enumerate() {
        let own = each.discriminant.unwrap_or(next);
        if number == variant {
            return Some(scalar::truncate(own.cast_unsigned(), width));
        }
        next = own + 1;
    }
    None
}

/// Whether it has no padding, so that a typed copy copies all bytes.
fn is_dense(types: &Types, of: TypeId) -> bool {
    match types.kind(of) {
        Kind::Pointer { .. } | Kind::Reference { .. } | Kind::Heap(_) | Kind::Function { .. } => {
            true
        }
        Kind::Manual(inside) => is_dense(types, *inside),
        _ => types.layout(of).bytes_readable,
    }
}

impl Interpreter {
    /// Loads a value that is not an aggregate.
    pub(super) fn load(&self, types: &Types, index: usize, of: TypeId) -> Check<Value> {
        let kind = types.kind(of);
        let size = types.size(of);
        match kind {
            Kind::Int(Int::USIZE) => match self.memory.read_bits(index, size) {
                Err(Undefined::Address) => {
                    let at = self.memory.read_pointer(index)?;
                    if at.exposed { Ok(Value::Pointer(at)) } else { Err(Undefined::Address) }
                }
                other => other.map(Value::Bits),
            },
            Kind::Bool | Kind::Char | Kind::Int(_) => {
                let bits = self.memory.read_bits(index, size)?;
                if scalar::is_valid(kind, bits) {
                    Ok(Value::Bits(bits))
                } else {
                    Err(Undefined::InvalidValue)
                }
            }
            Kind::Float(_) if self.memory.is_nan(index, size) => Ok(Value::Nan),
            Kind::Float(_) => self.memory.read_bits(index, size).map(Value::Bits),
            Kind::Pointer { .. }
            | Kind::Reference { .. }
            | Kind::Heap(_)
            | Kind::Function { .. } => self.load_pointer(types, index, of),
            Kind::Tuple(parts) if parts.is_empty() => Ok(Value::Unit),
            _ => Err(Undefined::IllFormed),
        }
    }

    fn load_pointer(&self, types: &Types, index: usize, of: TypeId) -> Check<Value> {
        let at = self.memory.read_pointer(index)?;
        if at.exposed {
            return Err(Undefined::Address);
        }
        match types.kind(of) {
            Kind::Function { .. } => {
                at.as_function().ok_or(Undefined::InvalidValue)?;
            }
            Kind::Reference { to, .. } => {
                let (size, _) = self.extent(types, *to, index)?;
                self.memory.locate(&at, size)?;
                if !at.is_aligned(self.alignment(types, *to, index)?) {
                    return Err(Undefined::Misaligned);
                }
            }
            Kind::Heap(to) => {
                let (size, _) = self.extent(types, *to, index)?;
                self.memory.locate(&at, size)?;
            }
            _ => {}
        }
        if types.is_wide(of) {
            return Ok(Value::Wide(at, self.memory.read_bits(index + 8, 8)? as u64));
        }
        Ok(Value::Pointer(at))
    }

    pub(super) fn store(&mut self, types: &Types, index: usize, of: TypeId, value: Value) {
        match value {
            Value::Bits(bits) => self.memory.write_bits(index, types.size(of), bits),
            Value::Nan => self.memory.write_nan(index, types.size(of)),
            Value::Pointer(at) => self.memory.write_pointer(index, &at),
            Value::Wide(at, length) => {
                self.memory.write_pointer(index, &at);
                self.memory.write_bits(index + 8, 8, length.into());
            }
            Value::Unit => {}
        }
    }

    /// Checks that the bytes at an index of the arena are a valid value of a type.
    pub(super) fn validate(&self, types: &Types, index: usize, of: TypeId) -> Check {
        let layout = types.layout(of);
        if layout.bytes_readable
            && !layout.has_invalid_values
            && self.memory.is_plain(index, layout.size)
        {
            return Ok(());
        }
        match types.kind(of) {
            Kind::Array(element, length) => {
                let size = types.size(*element);
                (0..*length as usize)
                    .try_for_each(|number| self.validate(types, index + number * size, *element))
            }
            Kind::Tuple(_) => {
                self.validate_fields(types, index, types.fields(of), &layout.fields[0])
            }
            Kind::Adt(_) if types.is_union(of) => Ok(()),
            Kind::Adt(_) if types.is_enum(of) => {
                let variant = self.variant(types, index, of)?;
                self.validate_variant(types, index, of, variant)
            }
            Kind::Adt(_) => self.validate_fields(types, index, types.fields(of), &layout.fields[0]),
            Kind::Manual(inside) => self.validate(types, index, *inside),
            _ => self.load(types, index, of).map(drop),
        }
    }

    /// Checks that all fields of a variant are valid.
    pub(super) fn validate_variant(
        &self,
        types: &Types,
        index: usize,
        of: TypeId,
        variant: usize,
    ) -> Check {
        let fields = &types.variants(of)[variant].fields;
        self.validate_fields(types, index, fields, &types.layout(of).fields[variant])
    }

    fn validate_fields(
        &self,
        types: &Types,
        index: usize,
        fields: &[TypeId],
        offsets: &[usize],
    ) -> Check {
        let mut each = fields.iter().zip(offsets);
        each.try_for_each(|(field, offset)| self.validate(types, index + offset, *field))
    }

    /// The active variant of an enum.
    pub(super) fn variant(&self, types: &Types, index: usize, of: TypeId) -> Check<usize> {
        let tag = types.layout(of).tag;
        let bits = self.memory.read_bits(index, tag)?;
        if has_internal_tag(types, of) {
            let tag = Tag::from_bits(bits as u32);
            if tag.variant as usize >= types.variants(of).len() {
                return Err(Undefined::InvalidValue);
            }
            return if tag.complete {
                Ok(tag.variant as usize)
            } else {
                Err(Undefined::Uninitialised)
            };
        }
        let width = tag as u32 * 8;
        (0..types.variants(of).len())
            .find(|variant| discriminant(types, of, *variant, width) == Some(bits))
            .ok_or(Undefined::InvalidValue)
    }

    pub(super) fn write_variant(
        &mut self,
        types: &Types,
        index: usize,
        of: TypeId,
        variant: usize,
    ) {
        if has_internal_tag(types, of) {
            self.set_tag(index, Tag::complete(variant as u32));
        } else {
            let tag = types.layout(of).tag;
            let bits = discriminant(types, of, variant, tag as u32 * 8);
            self.memory.write_bits(index, tag, bits.unwrap_or_default());
        }
    }

    /// A typed copy of a valid value: padding becomes uninitialised.
    pub(super) fn transfer(&mut self, types: &Types, from: usize, to: usize, of: TypeId) {
        let layout = types.layout(of);
        if is_dense(types, of) {
            self.memory.copy(from, to, layout.size);
            return;
        }
        match types.kind(of) {
            Kind::Array(element, length) => {
                let size = types.size(*element);
                for number in 0..*length as usize {
                    self.transfer(types, from + number * size, to + number * size, *element);
                }
            }
            Kind::Manual(inside) => self.transfer(types, from, to, *inside),
            Kind::Adt(_) if types.is_union(of) => {
                let fields = types.fields(of).iter().map(|field| types.size(*field));
                let used = fields.max().unwrap_or_default();
                self.memory.copy(from, to, used);
                self.memory.clear(to + used, layout.size - used);
            }
            Kind::Adt(_) if types.is_enum(of) => {
                self.memory.clear(to, layout.size);
                if let Ok(variant) = self.variant(types, from, of) {
                    self.memory.copy(from, to, layout.tag);
                    let fields = &types.variants(of)[variant].fields;
                    self.transfer_fields(types, from, to, (fields, &layout.fields[variant]));
                }
            }
            _ => {
                self.memory.clear(to, layout.size);
                self.transfer_fields(types, from, to, (types.fields(of), &layout.fields[0]));
            }
        }
    }

    fn transfer_fields(
        &mut self,
        types: &Types,
        from: usize,
        to: usize,
        (fields, offsets): (&[TypeId], &[usize]),
    ) {
        for (field, offset) in fields.iter().zip(offsets) {
            self.transfer(types, from + offset, to + offset, *field);
        }
    }
}
