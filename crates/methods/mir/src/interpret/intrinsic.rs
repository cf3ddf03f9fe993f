//! Intrinsics, and the modelled functions of the standard library: those of `Box` and `ManuallyDrop`, and `black_box`.

use super::place::Spot;
use super::value::Value;
use super::{Check, Frame, Interpreter, MAX_MEMORY, Scope, Span, Undefined};
use crate::intrinsic::{Family, Intrinsic};
use crate::memory::Pointer;
use crate::program::{Callee, Operand, Operator, Place};
use crate::types::{Int, Kind, TypeId, Types};
use crate::{float, scalar};

/// The result of an intrinsic on scalars.
#[derive(Clone, Copy)]
enum ScalarResult {
    One(Value),
    /// An integer, and whether it overflowed.
    Pair(u128, bool),
}

/// The values and types of an intrinsic's arguments.
type Values = [(Value, TypeId)];

impl Interpreter {
    pub(super) fn intrinsic(
        &mut self,
        scope: Scope<'_>,
        frame: &mut Frame,
        intrinsic: Intrinsic,
        (arguments, destination): (&[Operand], &Place),
    ) -> Check {
        let types = scope.types;
        let wanted = destination.type_in(scope.locals, types).ok_or(Undefined::IllFormed)?;
        let mut signature = [wanted; 4];
        if arguments.len() >= signature.len() {
            return Err(Undefined::IllFormed);
        }
        for (argument, of) in arguments.iter().zip(&mut signature[1..]) {
            *of = argument.type_in(scope.locals, types).ok_or(Undefined::IllFormed)?;
        }
        let signature = &signature[..=arguments.len()];
        if intrinsic.result(&signature[1..], wanted, types) != Some(wanted) {
            return Err(Undefined::IllFormed);
        }
        let moves = arguments.iter().any(|argument| matches!(argument, Operand::Move(_)));
        let scalars = signature[1..].iter().all(|of| types.is_scalar(*of));
        if scalars && !moves {
            let mut values = [(Value::Unit, Types::UNIT); 3];
            for (argument, value) in arguments.iter().zip(&mut values) {
                *value = self.operand(scope, frame, argument)?;
            }
            let result = on_scalars(types, intrinsic, &values[..arguments.len()], wanted)?;
            let to = self.resolve(scope, frame, destination, true)?;
            self.read_projections(scope, frame, destination)?;
            return self.put_result(types, &to, result, signature[1]);
        }
        let callee = self.begin_call(scope, frame, signature, arguments, destination)?;
        self.in_frame(types, intrinsic, &callee, signature)?;
        self.end_call(scope, frame, callee, destination)
    }

    fn put_result(&mut self, types: &Types, to: &Spot, result: ScalarResult, of: TypeId) -> Check {
        match result {
            ScalarResult::One(value) => self.put(types, to, value),
            ScalarResult::Pair(bits, wrapped) => self.put_pair(types, to, of, bits, wrapped),
        }
    }

    /// A local of an intrinsic's frame, and its index in the arena.
    fn frame_local(&self, callee: &Frame, local: usize, of: TypeId) -> Check<(Spot, usize)> {
        let at = self.memory.whole(callee.slot(local)?)?;
        let index = self.memory.locate(&at, at.hi as usize)?;
        Ok((Spot::new(at, of, at.hi as usize), index))
    }

    /// Evaluates an intrinsic whose arguments are in a frame.
    fn in_frame(
        &mut self,
        types: &Types,
        intrinsic: Intrinsic,
        callee: &Frame,
        signature: &[TypeId],
    ) -> Check {
        let (to, result) = self.frame_local(callee, 0, signature[0])?;
        if signature[1..].iter().all(|of| types.is_scalar(*of)) {
            let mut values = vec![];
            for (number, of) in signature.iter().enumerate().skip(1) {
                let (_, index) = self.frame_local(callee, number, *of)?;
                values.push((self.load(types, index, *of)?, *of));
            }
            let result = on_scalars(types, intrinsic, &values, signature[0])?;
            return self.put_result(types, &to, result, signature[1]);
        }
        if intrinsic.family() == Family::Select {
            let (_, index) = self.frame_local(callee, 1, Types::BOOL)?;
            let chosen = if self.load(types, index, Types::BOOL)?.bits()? == 1 { 2 } else { 3 };
            let (_, from) = self.frame_local(callee, chosen, signature[0])?;
            self.transfer(types, from, result, signature[0]);
            return Ok(());
        }
        self.on_memory(types, intrinsic, callee, signature)
    }

    /// An argument that is a pointer, and its pointee type.
    fn pointer_argument(
        &self,
        types: &Types,
        callee: &Frame,
        signature: &[TypeId],
        number: usize,
    ) -> Check<(Pointer, TypeId)> {
        let of = signature[number];
        let (_, index) = self.frame_local(callee, number, of)?;
        let at = self.load(types, index, of)?.pointer()?;
        Ok((at, types.pointee(of).ok_or(Undefined::IllFormed)?))
    }

    fn bits_argument(
        &self,
        types: &Types,
        callee: &Frame,
        signature: &[TypeId],
        number: usize,
    ) -> Check<u128> {
        let (_, index) = self.frame_local(callee, number, signature[number])?;
        self.load(types, index, signature[number])?.bits()
    }

    fn on_memory(
        &mut self,
        types: &Types,
        intrinsic: Intrinsic,
        callee: &Frame,
        signature: &[TypeId],
    ) -> Check {
        let (to, result) = self.frame_local(callee, 0, signature[0])?;
        let (first, pointee) = self.pointer_argument(types, callee, signature, 1)?;
        let size = types.size(pointee);
        let moves = matches!(intrinsic.family(), Family::ArithOffset | Family::OffsetFrom);
        if !moves {
            self.memory.target(&first)?;
            if !first.is_aligned(types.layout(pointee).align) {
                return Err(Undefined::Misaligned);
            }
        }
        let total = |count: u128| {
            let total = count.checked_mul(size.max(1) as u128);
            let total = total.filter(|total| *total <= MAX_MEMORY as u128);
            total.map(|_| count as usize * size).ok_or(Undefined::OutOfBounds)
        };
        match intrinsic.family() {
            Family::Copy => {
                let (second, _) = self.pointer_argument(types, callee, signature, 2)?;
                if !second.is_aligned(types.layout(pointee).align) {
                    return Err(Undefined::Misaligned);
                }
                let size = total(self.bits_argument(types, callee, signature, 3)?)?;
                self.memory.locate(&first, size)?;
                self.memory.locate(&second, size)?;
                let nonoverlapping = intrinsic == Intrinsic::CopyNonoverlapping;
                if nonoverlapping && Span::of(&first, size).overlaps(&Span::of(&second, size)) {
                    return Err(Undefined::Overlap);
                }
                let from = self.access(&first, size, false)?;
                let to = self.access(&second, size, true)?;
                self.memory.copy(from, to, size);
            }
            Family::WriteBytes => {
                if !types.layout(pointee).fixed {
                    return Err(Undefined::Layout);
                }
                let byte = self.bits_argument(types, callee, signature, 2)?;
                let size = total(self.bits_argument(types, callee, signature, 3)?)?;
                let to = self.access(&first, size, true)?;
                self.memory.fill(to, size, byte as u8);
            }
            Family::CompareBytes => {
                let (second, _) = self.pointer_argument(types, callee, signature, 2)?;
                let size = total(self.bits_argument(types, callee, signature, 3)?)?;
                let one = self.access(&first, size, false)?;
                let other = self.access(&second, size, false)?;
                let sign = self.memory.compare(one, other, size)? as i32;
                return self.put(types, &to, Value::Bits(sign.cast_unsigned().into()));
            }
            Family::Swap => {
                let (second, _) = self.pointer_argument(types, callee, signature, 2)?;
                self.swap(types, &first, &second, pointee)?;
            }
            Family::Load => {
                let from = self.access(&first, size, false)?;
                self.validate(types, from, pointee)?;
                self.transfer(types, from, result, pointee);
            }
            Family::Store => {
                let (_, from) = self.frame_local(callee, 2, pointee)?;
                let to = self.access(&first, size, true)?;
                self.transfer(types, from, to, pointee);
            }
            Family::ArithOffset => {
                let by = self.bits_argument(types, callee, signature, 2)?;
                let by = scalar::extend(by, Int::ISIZE);
                let moved = self.arith_offset(types, first, signature[1], by)?;
                return self.put(types, &to, moved);
            }
            Family::OffsetFrom => {
                let (second, _) = self.pointer_argument(types, callee, signature, 2)?;
                let distance = self.distance(types, &first, &second, pointee)?;
                return self.put(types, &to, Value::Bits(distance));
            }
            _ => return Err(Undefined::IllFormed),
        }
        Ok(())
    }

    fn swap(&mut self, types: &Types, first: &Pointer, second: &Pointer, of: TypeId) -> Check {
        let layout = types.layout(of);
        if !second.is_aligned(layout.align) {
            return Err(Undefined::Misaligned);
        }
        self.memory.locate(first, layout.size)?;
        self.memory.locate(second, layout.size)?;
        if Span::of(first, layout.size).overlaps(&Span::of(second, layout.size)) {
            return Err(Undefined::Overlap);
        }
        for at in [first, second] {
            let index = self.access(at, layout.size, true)?;
            self.validate(types, index, of)?;
        }
        let one = self.memory.locate(first, layout.size)?;
        let other = self.memory.locate(second, layout.size)?;
        let slot = self.memory.allocate(layout.size, layout.align);
        let between = self.memory.locate(&self.memory.whole(slot)?, layout.size)?;
        self.transfer(types, one, between, of);
        self.transfer(types, other, one, of);
        self.transfer(types, between, other, of);
        self.memory.release(slot);
        Ok(())
    }

    /// The distance between two pointers in elements, as the bits of an `isize`.
    fn distance(
        &self,
        types: &Types,
        first: &Pointer,
        second: &Pointer,
        of: TypeId,
    ) -> Check<u128> {
        self.memory.target(first)?;
        self.memory.target(second)?;
        if (first.slot, first.serial) != (second.slot, second.serial) {
            return Err(Undefined::Address);
        }
        if !first.is_inside() || !second.is_inside() {
            return Err(Undefined::OutOfBounds);
        }
        if (first.lo, first.hi) != (second.lo, second.hi) || !has_bytes(types, of) {
            return Err(Undefined::Layout);
        }
        let (bytes, size) = (
            i64::from(first.offset) - i64::from(second.offset),
            types.size(of).cast_signed() as i64,
        );
        if bytes % size != 0 {
            return Err(Undefined::Arithmetic);
        }
        Ok((bytes / size).cast_unsigned().into())
    }

    /// The functions of the standard library, which all take one argument.
    pub(super) fn std_function(
        &mut self,
        scope: Scope<'_>,
        frame: &mut Frame,
        callee: &Callee,
        (arguments, destination): (&[Operand], &Place),
    ) -> Check {
        let types = scope.types;
        let [argument] = arguments else { return Err(Undefined::IllFormed) };
        let given = argument.type_in(scope.locals, types).ok_or(Undefined::IllFormed)?;
        let returns = destination.type_in(scope.locals, types).ok_or(Undefined::IllFormed)?;
        let fits = match (callee, types.kind(given), types.kind(returns)) {
            (Callee::NewBox, _, Kind::Heap(to)) => *to == given,
            (Callee::BoxToPointer, Kind::Heap(from), Kind::Pointer { mutable: true, to })
            | (Callee::BoxFromPointer, Kind::Pointer { mutable: true, to }, Kind::Heap(from)) => {
                from == to
            }
            (Callee::NewManual, _, Kind::Manual(inside)) => *inside == given,
            (Callee::ManualToInner, Kind::Manual(inside), _) => *inside == returns,
            (Callee::BlackBox, ..) => given == returns,
            _ => false,
        };
        if !fits {
            return Err(Undefined::IllFormed);
        }
        let inner =
            self.begin(scope, frame, &[returns, given], (arguments, destination), Some(callee))?;
        let (to, result) = self.frame_local(&inner, 0, returns)?;
        let (_, from) = self.frame_local(&inner, 1, given)?;
        match callee {
            Callee::NewBox => {
                let content = self.allocate(types, given)?;
                let index = self.memory.locate(&content.at, content.size)?;
                self.transfer(types, from, index, given);
                self.put(types, &to, Value::Pointer(content.at))?;
            }
            Callee::BoxFromPointer => {
                let value = self.load(types, from, given)?;
                let at = value.pointer()?;
                let whole = self.memory.target(&at)?;
                let pointee = types.pointee(given).ok_or(Undefined::IllFormed)?;
                let size = Some(self.extent(types, pointee, from)?.0 as u32);
                let all = at.offset == 0 && (at.lo, at.hi) == (0, whole.size);
                if !whole.heap || !all || Some(whole.size) != size {
                    return Err(Undefined::Dangling);
                }
                self.put(types, &to, value)?;
            }
            Callee::BoxToPointer => {
                let value = self.load(types, from, given)?;
                self.put(types, &to, value)?;
            }
            _ => self.transfer(types, from, result, given),
        }
        self.end_call(scope, frame, inner, destination)
    }
}

/// Whether a type is certainly not zero-sized, under every layout that rustc can choose.
pub(super) fn has_bytes(types: &Types, of: TypeId) -> bool {
    match types.kind(of) {
        Kind::Tuple(parts) => parts.iter().any(|part| has_bytes(types, *part)),
        Kind::Array(element, length) => *length > 0 && has_bytes(types, *element),
        Kind::Manual(inside) => has_bytes(types, *inside),
        Kind::Adt(index) => {
            types.variants(of).len() > 1
                || types.adts[*index].parts().any(|part| has_bytes(types, part))
        }
        _ => types.size(of) > 0,
    }
}

/// An intrinsic on scalars.
fn on_scalars(
    types: &Types,
    intrinsic: Intrinsic,
    values: &Values,
    wanted: TypeId,
) -> Check<ScalarResult> {
    let value = |number: usize| values.get(number).copied().ok_or(Undefined::IllFormed);
    let (first, of) = value(0)?;
    if intrinsic.family() == Family::Select {
        let chosen = if first.bits()? == 1 { value(1)? } else { value(2)? };
        return Ok(ScalarResult::One(chosen.0));
    }
    match types.kind(of) {
        Kind::Bool => Ok(ScalarResult::One(first)),
        Kind::Float(kind) => {
            on_floats(types, intrinsic, *kind, values, wanted).map(ScalarResult::One)
        }
        Kind::Int(int) => {
            let a = first.bits()?;
            let operator = match intrinsic {
                Intrinsic::AddOverflow => Some(Operator::Add),
                Intrinsic::SubOverflow => Some(Operator::Sub),
                Intrinsic::MulOverflow => Some(Operator::Mul),
                _ => None,
            };
            if let Some(operator) = operator {
                let result = scalar::arithmetic(operator, *int, a, value(1)?.0.bits()?);
                let (bits, wrapped) = result.ok_or(Undefined::IllFormed)?;
                return Ok(ScalarResult::Pair(bits, wrapped));
            }
            let result = match intrinsic.family() {
                Family::IntToInt | Family::IntToU32 => scalar::unary(intrinsic, *int, a),
                _ => scalar::binary(intrinsic, *int, a, value(1)?.0.bits()?),
            };
            result.map(|bits| ScalarResult::One(Value::Bits(bits))).ok_or(Undefined::Arithmetic)
        }
        _ => Err(Undefined::IllFormed),
    }
}

fn on_floats(
    types: &Types,
    intrinsic: Intrinsic,
    kind: crate::types::Float,
    values: &Values,
    wanted: TypeId,
) -> Check<Value> {
    let value = |number: usize| values.get(number).ok_or(Undefined::IllFormed)?.0.float();
    let first = value(0)?;
    let result = match intrinsic.family() {
        Family::FloatToInt => {
            let int = types.as_int(wanted).ok_or(Undefined::IllFormed)?;
            let bits = float::to_int(kind, int, first);
            return bits.map(Value::Bits).ok_or(Undefined::Arithmetic);
        }
        Family::FloatFloat => {
            float::copy_sign(kind, first, value(1)?).ok_or(Undefined::Nondeterministic)?
        }
        Family::FloatFloatFloat => float::multiply_add(kind, first, value(1)?, value(2)?),
        _ => float::unary(intrinsic, kind, first).ok_or(Undefined::IllFormed)?,
    };
    Ok(Value::from_float(result))
}
