//! Assignments, pointer comparison and pointer arithmetic, and retagging.

use std::cmp::Ordering;

use super::compute::{binary, checked, same, same_size, unary};
use super::generic;
use super::intrinsic::has_bytes;
use super::place::Spot;
use super::value::{self, Value};
use super::{Check, Frame, Interpreter, Scope, Undefined};
use crate::borrows::Protector;
use crate::memory::Pointer;
use crate::program::{Operand, Operator, Place, Projection, Rvalue};
use crate::scalar;
use crate::types::{Int, Kind, TypeId, Types};

impl Interpreter {
    pub(super) fn assign(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        place: &Place,
        rvalue: &Rvalue,
    ) -> Check {
        let to = self.resolve(scope, frame, place, true)?;
        self.read_projections(scope, frame, place)?;
        let types = scope.types;
        match rvalue {
            Rvalue::Use(Operand::Copy(from)) => self.copy(scope, frame, &to, from, false),
            Rvalue::Use(Operand::Move(from)) => self.copy(scope, frame, &to, from, true),
            Rvalue::Use(operand) => {
                let (value, of) = self.operand(scope, frame, operand)?;
                same(of, to.of)?;
                self.put(types, &to, value)
            }
            Rvalue::Transmute(operand, _) => self.transmute(scope, frame, &to, operand),
            Rvalue::Aggregate(_, variant, parts) => {
                self.aggregate(scope, frame, &to, *variant, parts)
            }
            Rvalue::Repeat(operand, length) => self.repeat(scope, frame, &to, operand, *length),
            Rvalue::RepeatOf(operand, length) => {
                let (length, _) = generic::constant_argument(types, *length, &frame.generics)?;
                self.repeat(scope, frame, &to, operand, length as u64)
            }
            Rvalue::Binary(operator, left, right) => {
                let values = self.operand_pair(scope, frame, &to, left, right)?;
                let value = match types.kind(values[0].1) {
                    Kind::Pointer { to: pointee, .. } if operator.compares() => {
                        same(values[0].1, values[1].1)?;
                        same(to.of, Types::BOOL)?;
                        self.compare(types, *operator, *pointee, values.map(|(value, _)| value))?
                    }
                    _ => binary(types, *operator, values, to.of)?,
                };
                self.put(types, &to, value)?;
                self.deinitialise_moved(scope, frame, &[left, right])
            }
            Rvalue::Offset(left, right) => {
                let values = self.operand_pair(scope, frame, &to, left, right)?;
                let value = self.offset(types, values)?;
                same(values[0].1, to.of)?;
                self.put(types, &to, value)?;
                self.deinitialise_moved(scope, frame, &[left, right])
            }
            Rvalue::Checked(operator, left, right) => {
                let values = self.operand_pair(scope, frame, &to, left, right)?;
                let (bits, wrapped) = checked(types, *operator, values)?;
                self.put_pair(types, &to, values[0].1, bits, wrapped)?;
                self.deinitialise_moved(scope, frame, &[left, right])
            }
            Rvalue::Not(one)
            | Rvalue::Negate(one)
            | Rvalue::Cast(one, _)
            | Rvalue::PointerCast(one, _)
            | Rvalue::Unsize(one, _)
            | Rvalue::Length(one) => {
                self.check_move_disjoint(scope, frame, &to, one)?;
                if rvalue.copies() {
                    self.check_copy_disjoint(scope, frame, &to, one)?;
                }
                let operand = self.operand(scope, frame, one)?;
                let value = unary(types, rvalue, operand, to.of)?;
                self.put(types, &to, value)?;
                self.deinitialise_moved(scope, frame, &[one])
            }
            Rvalue::AddressOf(mutable, from) => {
                let value = self.address_of(scope, frame, from, (*mutable, to.of))?;
                self.put(types, &to, value)
            }
            Rvalue::Reference(mutable, from) => {
                let value = self.reference(scope, frame, from, (*mutable, to.of))?;
                self.put(types, &to, value)
            }
            Rvalue::Discriminant(from) => {
                let (spot, index) = self.read(scope, frame, from)?;
                same(types.discriminant_type(spot.of), to.of)?;
                let bits = self.discriminant(types, index, spot.of)?;
                self.put(types, &to, Value::Bits(bits))
            }
            Rvalue::Static(number) => {
                let slot = *self.statics.get(*number).ok_or(Undefined::IllFormed)?;
                let at = self.memory.whole(slot)?;
                let pointee = types.pointee(to.of).ok_or(Undefined::IllFormed)?;
                same_size(types.size(pointee), at.hi as usize)?;
                let constant = self.memory.target(&at)?.constant;
                match types.kind(to.of) {
                    Kind::Reference { mutable: false, .. } if constant => {}
                    Kind::Pointer { mutable: true, .. } if !constant => {}
                    _ => return Err(Undefined::IllFormed),
                }
                self.put(types, &to, Value::Pointer(at))
            }
        }
    }

    /// The discriminant of an enum, as the bits of its type.
    pub(super) fn discriminant(&self, types: &Types, index: usize, of: TypeId) -> Check<u128> {
        if !types.is_enum(of) {
            return Err(Undefined::IllFormed);
        }
        let variant = self.variant(types, index, of)?;
        let width = types.size(types.discriminant_type(of)) as u32 * 8;
        value::discriminant(types, of, variant, width).ok_or(Undefined::IllFormed)
    }

    /// Writes a value that is not an aggregate.
    pub(super) fn put(&mut self, types: &Types, to: &Spot, value: Value) -> Check {
        let size = match value {
            Value::Unit => 0,
            Value::Pointer(_) => 8,
            Value::Wide(..) => 16,
            Value::Bits(_) | Value::Nan if types.is_scalar(to.of) => to.size,
            Value::Bits(_) | Value::Nan => return Err(Undefined::IllFormed),
        };
        same_size(size, to.size)?;
        let index = self.prepare_write(to)?;
        self.store(types, index, to.of, value);
        Ok(())
    }

    /// Writes a pair of an integer and a flag.
    pub(super) fn put_pair(
        &mut self,
        types: &Types,
        to: &Spot,
        of: TypeId,
        bits: u128,
        flag: bool,
    ) -> Check {
        match types.kind(to.of) {
            Kind::Tuple(parts) if **parts == [of, Types::BOOL] => {}
            _ => return Err(Undefined::IllFormed),
        }
        let index = self.prepare_write(to)?;
        self.memory.clear(index, to.size);
        let offsets = &types.layout(to.of).fields[0];
        self.store(types, index + offsets[0], of, Value::Bits(bits));
        self.store(types, index + offsets[1], Types::BOOL, Value::Bits(flag.into()));
        Ok(())
    }

    /// The value and the type of an operand that is not an aggregate.
    pub(super) fn operand(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        operand: &Operand,
    ) -> Check<(Value, TypeId)> {
        match operand {
            Operand::Constant(constant) => {
                let value = value::constant(scope.types, constant.of, constant.bits)?;
                Ok((value, constant.of))
            }
            Operand::Function(function, of) => match scope.types.kind(*of) {
                Kind::Function { .. } => Ok((Value::Pointer(Pointer::function(*function)), *of)),
                _ => Err(Undefined::IllFormed),
            },
            Operand::Parameter(it) => {
                let (bits, of) = generic::constant_argument(scope.types, *it, &frame.generics)?;
                Ok((value::constant(scope.types, of, bits)?, of))
            }
            Operand::Copy(place) | Operand::Move(place) => {
                let (spot, index) = self.read(scope, frame, place)?;
                Ok((self.load(scope.types, index, spot.of)?, spot.of))
            }
        }
    }

    /// The value and the type of an operand. A moved place becomes uninitialised.
    pub(super) fn take_operand(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        operand: &Operand,
    ) -> Check<(Value, TypeId)> {
        let value = self.operand(scope, frame, operand)?;
        self.deinitialise_moved(scope, frame, &[operand])?;
        Ok(value)
    }

    /// The values and types of two operands. A moved one must overlap neither the other one nor the destination.
    fn operand_pair(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        to: &Spot,
        left: &Operand,
        right: &Operand,
    ) -> Check<[(Value, TypeId); 2]> {
        self.check_move_disjoint(scope, frame, to, left)?;
        self.check_move_disjoint(scope, frame, to, right)?;
        if let (Operand::Move(one), Some(other)) | (Operand::Copy(other), Some(one)) =
            (left, right.place())
            && (matches!(left, Operand::Move(_)) || matches!(right, Operand::Move(_)))
        {
            let one = self.resolve(scope, frame, one, false)?;
            if one.span().overlaps(&self.resolve(scope, frame, other, false)?.span()) {
                return Err(Undefined::Overlap);
            }
        }
        Ok([self.operand(scope, frame, left)?, self.operand(scope, frame, right)?])
    }

    /// The operand of a copy must not overlap the destination. For scalars an overlap would be harmless, but MIR's
    /// semantics leave it open, and rustc's MIR validator rejects it.
    fn check_copy_disjoint(
        &self,
        scope: Scope<'_>,
        frame: &Frame,
        to: &Spot,
        operand: &Operand,
    ) -> Check {
        if let Some(place) = operand.place()
            && self.resolve(scope, frame, place, false)?.span().overlaps(&to.span())
        {
            return Err(Undefined::Overlap);
        }
        Ok(())
    }

    /// A moved operand, and the locals by which it is found, must not overlap the destination.
    fn check_move_disjoint(
        &self,
        scope: Scope<'_>,
        frame: &Frame,
        to: &Spot,
        operand: &Operand,
    ) -> Check {
        if let Operand::Move(place) = operand {
            let from = self.resolve(scope, frame, place, false)?;
            self.check_disjoint(scope, frame, to, place, &from)?;
        }
        Ok(())
    }

    /// As `check_move_disjoint`, for a place that is already resolved.
    pub(super) fn check_disjoint(
        &self,
        scope: Scope<'_>,
        frame: &Frame,
        to: &Spot,
        place: &Place,
        from: &Spot,
    ) -> Check {
        if from.span().overlaps(&to.written()) {
            return Err(Undefined::Overlap);
        }
        for projection in &place.projections {
            let local = match projection {
                Projection::Deref => place.local,
                Projection::Index(local) => *local,
                _ => continue,
            };
            if self.local(scope, frame, local)?.span().overlaps(&to.written()) {
                return Err(Undefined::Overlap);
            }
        }
        Ok(())
    }

    /// Makes the places of moved operands uninitialised.
    fn deinitialise_moved(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        operands: &[&Operand],
    ) -> Check {
        if !operands.iter().any(|operand| matches!(operand, Operand::Move(_))) {
            return Ok(());
        }
        let mut spots = [None; 2];
        for (operand, spot) in operands.iter().zip(&mut spots) {
            if let Operand::Move(place) = operand {
                *spot = Some(self.resolve(scope, frame, place, false)?);
            }
        }
        for spot in spots.iter().flatten() {
            self.deinitialise(spot);
        }
        Ok(())
    }

    /// A typed copy from a place.
    fn copy(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        to: &Spot,
        place: &Place,
        moved: bool,
    ) -> Check {
        let types = scope.types;
        let (from, index) = self.read(scope, frame, place)?;
        same(from.of, to.of)?;
        let span = from.span();
        if moved {
            self.check_disjoint(scope, frame, to, place, &from)?;
        } else if to.written().overlaps(&span) {
            if !is_small(types, to.of) || to.span().overlaps(&span) {
                return Err(Undefined::Overlap);
            }
            let value = self.load(types, index, to.of)?;
            return self.put(types, to, value);
        }
        self.validate(types, index, to.of)?;
        let target = self.prepare_write(to)?;
        self.transfer(types, index, target, to.of);
        if moved {
            self.deinitialise(&from);
        }
        Ok(())
    }

    fn address_of(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        place: &Place,
        (mutable, of): (bool, TypeId),
    ) -> Check<Value> {
        let spot = self.resolve(scope, frame, place, false)?;
        self.read_projections(scope, frame, place)?;
        if !spot.enclosing().is_empty() {
            return Err(Undefined::Layout);
        }
        match scope.types.kind(of) {
            Kind::Pointer { mutable: is, to } if *to == spot.of && *is == mutable => {}
            _ => return Err(Undefined::IllFormed),
        }
        Ok(pointer_to(scope.types, &spot, spot.at))
    }

    fn reference(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        place: &Place,
        (mutable, of): (bool, TypeId),
    ) -> Check<Value> {
        let spot = self.resolve(scope, frame, place, false)?;
        self.read_projections(scope, frame, place)?;
        match scope.types.kind(of) {
            Kind::Reference { mutable: is, to } if *to == spot.of && *is == mutable => {}
            _ => return Err(Undefined::IllFormed),
        }
        let of = match scope.types.kind(spot.of) {
            Kind::Object(_) => TypeId(spot.length as u32),
            _ => spot.of,
        };
        if !spot.at.is_aligned(scope.types.layout(of).align) {
            return Err(Undefined::Misaligned);
        }
        let at = self.retag(&spot.at, spot.size, mutable, Protector::None)?;
        Ok(pointer_to(scope.types, &spot, at))
    }

    /// `Offset`: pointer arithmetic within the bounds of the pointer.
    fn offset(&self, types: &Types, values: [(Value, TypeId); 2]) -> Check<Value> {
        let [(at, of), (by, unit)] = values;
        let int = match types.as_int(unit) {
            Some(int @ (Int::USIZE | Int::ISIZE)) => int,
            _ => return Err(Undefined::IllFormed),
        };
        let at = at.pointer()?;
        self.memory.target(&at)?;
        let moved = moved(types, at, of, scalar::extend(by.bits()?, int))?;
        if at.is_inside() && moved.is_inside() {
            Ok(Value::Pointer(moved))
        } else {
            Err(Undefined::OutOfBounds)
        }
    }

    /// `arith_offset`: pointer arithmetic that can leave the bounds.
    pub(super) fn arith_offset(
        &self,
        types: &Types,
        at: Pointer,
        of: TypeId,
        by: i128,
    ) -> Check<Value> {
        if let Some(address) = at.address() {
            let pointee = types.pointee(of).ok_or(Undefined::IllFormed)?;
            if !types.layout(pointee).fixed {
                return Err(Undefined::Layout);
            }
            let by = by.checked_mul(types.size(pointee) as i128);
            let address = by.and_then(|by| by.checked_add(address.into()));
            let address = address.and_then(|address| u128::try_from(address).ok());
            return value::without_provenance(address.ok_or(Undefined::Address)?);
        }
        self.memory.target(&at)?;
        moved(types, at, of, by).map(Value::Pointer)
    }

    /// Compares two raw pointers, if the result does not depend on the addresses of allocations. Pointers with the
    /// same bounds compare by offset. Pointers to bytes of different allocations are unequal, but their order is
    /// unspecified.
    fn compare(
        &self,
        types: &Types,
        operator: Operator,
        to: TypeId,
        values: [Value; 2],
    ) -> Check<Value> {
        let [Value::Pointer(left), Value::Pointer(right)] = values else {
            return Err(Undefined::Address);
        };
        // A pointer out of bounds can have any address, even null.
        let target = |at: &Pointer| match self.memory.target(at) {
            Ok(found) if at.is_inside() => Ok(found),
            _ => Err(Undefined::Address),
        };
        // No allocation is at null. Whether one is at another address is unspecified.
        let order = match (left.address(), right.address()) {
            (Some(left), Some(right)) => Some(left.cmp(&right)),
            (Some(0), None) => target(&right).map(|_| Some(Ordering::Less))?,
            (None, Some(0)) => target(&left).map(|_| Some(Ordering::Greater))?,
            _ => None,
        };
        if let Some(order) = order {
            return Ok(Value::Bits(scalar::holds(operator, order).into()));
        }
        let (one, other) = (target(&left)?, target(&right)?);
        // If the layout is not fixed, the distance between the pointers is unspecified, but equality is not.
        let (size, fixed) = (types.size(to), types.layout(to).fixed);
        let sized = if fixed { size > 0 } else { has_bytes(types, to) };
        let window = |at: &Pointer| (at.slot, at.serial, at.lo, at.hi);
        if window(&left) == window(&right) && (fixed || sized && left.offset == right.offset) {
            let order = left.offset.cmp(&right.offset);
            return Ok(Value::Bits(scalar::holds(operator, order).into()));
        }
        let inside = |at: &Pointer| sized && at.offset as usize + size <= at.hi as usize;
        let distinct = (left.slot, left.serial) != (right.slot, right.serial)
            && inside(&left)
            && inside(&right)
            && !one.ambiguous_address
            && !other.ambiguous_address;
        match operator {
            Operator::Eq if distinct => Ok(Value::Bits(0)),
            Operator::Ne if distinct => Ok(Value::Bits(1)),
            _ => Err(Undefined::Address),
        }
    }

    pub(super) fn retag_place(&mut self, scope: Scope<'_>, frame: &Frame, place: &Place) -> Check {
        let spot = self.resolve(scope, frame, place, false)?;
        self.read_projections(scope, frame, place)?;
        match scope.types.kind(spot.of) {
            Kind::Reference { .. } => {
                self.prepare_write(&spot)?;
                self.retag_spot(scope.types, &spot, Protector::None).map(drop)
            }
            _ => Err(Undefined::IllFormed),
        }
    }

    /// Retags all references in a value, and its boxes if there is a protector for them, at any depth. Unions are not
    /// retagged.
    pub(super) fn retag_parts(
        &mut self,
        types: &Types,
        at: &Pointer,
        of: TypeId,
        protectors: (Protector, Option<Protector>),
        protected: &mut Vec<Pointer>,
    ) -> Check {
        let layout = types.layout(of);
        if !layout.pointers {
            return Ok(());
        }
        let protector = match types.kind(of) {
            Kind::Reference { .. } => Some(protectors.0),
            Kind::Heap(_) => protectors.1,
            Kind::Array(element, length) => {
                let size = types.size(*element);
                return (0..*length as usize).try_for_each(|number| {
                    let at = at.moved(number * size);
                    self.retag_parts(types, &at, *element, protectors, protected)
                });
            }
            // Whether rustc retags inside `ManuallyDrop` may change. Retagging is the stricter rule.
            Kind::Manual(inside) => {
                return self.retag_parts(types, at, *inside, protectors, protected);
            }
            Kind::Tuple(_) | Kind::Adt(_) if !types.is_union(of) => {
                let (fields, offsets) = if types.is_enum(of) {
                    let index = self.memory.locate(at, layout.size)?;
                    let variant = self.variant(types, index, of)?;
                    (&*types.variants(of)[variant].fields, &layout.fields[variant])
                } else {
                    (types.fields(of), &layout.fields[0])
                };
                return fields.iter().zip(offsets).try_for_each(|(field, offset)| {
                    self.retag_parts(types, &at.moved(*offset), *field, protectors, protected)
                });
            }
            _ => None,
        };
        if let Some(protector) = protector {
            let spot = Spot::new(*at, of, layout.size);
            protected.extend(self.retag_spot(types, &spot, protector)?);
        }
        Ok(())
    }

    /// Retags the reference or box in a place. `None` if its pointee is zero-sized.
    pub(super) fn retag_spot(
        &mut self,
        types: &Types,
        spot: &Spot,
        protector: Protector,
    ) -> Check<Option<Pointer>> {
        let index = self.memory.locate(&spot.at, spot.size)?;
        let value = self.load(types, index, spot.of)?;
        let (mutable, size) = match types.kind(spot.of) {
            Kind::Reference { mutable, to } => (*mutable, self.extent(types, *to, index)?.0),
            Kind::Heap(to) => (true, self.extent(types, *to, index)?.0),
            _ => return Ok(None),
        };
        let at = self.retag(&value.pointer()?, size, mutable, protector)?;
        let value = match value {
            Value::Wide(_, length) => Value::Wide(at, length),
            _ => Value::Pointer(at),
        };
        self.store(types, index, spot.of, value);
        Ok((size > 0).then_some(at))
    }
}

/// Whether a copy loads the whole value before it writes. Such a copy may read bytes that the write clears, as long
/// as it does not overlap the destination itself.
pub(super) fn is_small(types: &Types, of: TypeId) -> bool {
    types.is_scalar(of)
        || matches!(
            types.kind(of),
            Kind::Pointer { .. } | Kind::Reference { .. } | Kind::Heap(_) | Kind::Function { .. }
        )
}

/// The maximum distance of a pointer from the start of its allocation, in bytes. It exceeds the size of any allocation.
const MAX_OFFSET: i128 = 1 << 30;

/// A thin raw pointer moved by some elements.
fn moved(types: &Types, at: Pointer, of: TypeId, by: i128) -> Check<Pointer> {
    let Kind::Pointer { to, .. } = types.kind(of) else { return Err(Undefined::IllFormed) };
    if types.is_wide(of) {
        return Err(Undefined::IllFormed);
    }
    let by = by.checked_mul(types.size(*to) as i128);
    let offset = by.and_then(|by| i128::from(at.offset.cast_signed()).checked_add(by));
    match offset {
        Some(offset) if (-MAX_OFFSET..=MAX_OFFSET).contains(&offset) => {
            Ok(Pointer { offset: (offset as i32).cast_unsigned(), ..at })
        }
        _ => Err(Undefined::OutOfBounds),
    }
}

fn pointer_to(types: &Types, spot: &Spot, at: Pointer) -> Value {
    match types.kind(spot.of) {
        Kind::Slice(_) | Kind::Object(_) => Value::Wide(at, spot.length),
        _ => Value::Pointer(at),
    }
}
