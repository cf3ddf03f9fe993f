//! Operators and casts on values. Pointer comparison and pointer arithmetic, which need the memory, are in `assign.rs`.

use super::value::{Value, without_provenance};
use super::{Check, Undefined};
use crate::memory::Pointer;
use crate::program::{Operator, Rvalue};
use crate::types::{Int, Kind, TypeId, Types};
use crate::{float, scalar};

pub(super) fn same(one: TypeId, other: TypeId) -> Check {
    if one == other { Ok(()) } else { Err(Undefined::IllFormed) }
}

pub(super) fn same_size(one: usize, other: usize) -> Check {
    if one == other { Ok(()) } else { Err(Undefined::IllFormed) }
}

pub(super) fn binary(
    types: &Types,
    operator: Operator,
    [(left, of), (right, other)]: [(Value, TypeId); 2],
    to: TypeId,
) -> Check<Value> {
    let kind = types.kind(of);
    same(if operator.compares() { Types::BOOL } else { of }, to)?;
    if !operator.shifts() {
        same(of, other)?;
    }
    match kind {
        Kind::Float(kind) => {
            let (left, right) = (left.float()?, right.float()?);
            if operator.compares() {
                return Ok(Value::Bits(float::compare(operator, *kind, left, right).into()));
            }
            let result = float::arithmetic(operator, *kind, left, right);
            result.map(Value::from_float).ok_or(Undefined::IllFormed)
        }
        Kind::Bool | Kind::Char | Kind::Int(_) => {
            let (a, b) = (left.bits()?, right.bits()?);
            integers(kind, operator, a, b).map(Value::Bits)
        }
        Kind::Pointer { .. } | Kind::Function { .. } => Err(Undefined::Address),
        _ => Err(Undefined::IllFormed),
    }
}

fn integers(kind: &Kind, operator: Operator, left: u128, right: u128) -> Check<u128> {
    if operator.compares() {
        return Ok(scalar::compare(operator, kind, left, right).into());
    }
    match (kind, operator) {
        (Kind::Int(int), Operator::Shl | Operator::Shr) => {
            Ok(scalar::shift(operator, *int, left, right))
        }
        (Kind::Int(int), _) => {
            let result = scalar::arithmetic(operator, *int, left, right);
            result.map(|(bits, _)| bits).ok_or(Undefined::Arithmetic)
        }
        (Kind::Bool, Operator::BitAnd) => Ok(left & right),
        (Kind::Bool, Operator::BitOr) => Ok(left | right),
        (Kind::Bool, Operator::BitXor) => Ok(left ^ right),
        _ => Err(Undefined::IllFormed),
    }
}

pub(super) fn checked(
    types: &Types,
    operator: Operator,
    [(left, of), (right, other)]: [(Value, TypeId); 2],
) -> Check<(u128, bool)> {
    same(of, other)?;
    match (types.as_int(of), operator) {
        (Some(int), Operator::Add | Operator::Sub | Operator::Mul) => {
            let result = scalar::arithmetic(operator, int, left.bits()?, right.bits()?);
            result.ok_or(Undefined::IllFormed)
        }
        _ => Err(Undefined::IllFormed),
    }
}

pub(super) fn unary(
    types: &Types,
    rvalue: &Rvalue,
    (value, from): (Value, TypeId),
    to: TypeId,
) -> Check<Value> {
    match rvalue {
        Rvalue::Not(_) | Rvalue::Negate(_) => {
            same(from, to)?;
            let negate = matches!(rvalue, Rvalue::Negate(_));
            match types.kind(from) {
                Kind::Bool if !negate => Ok(Value::Bits(value.bits()? ^ 1)),
                Kind::Int(int) if negate && int.signed => {
                    Ok(Value::Bits(scalar::truncate(value.bits()?.wrapping_neg(), int.bits())))
                }
                Kind::Int(int) if !negate => {
                    Ok(Value::Bits(scalar::truncate(!value.bits()?, int.bits())))
                }
                Kind::Float(kind) if negate => {
                    Ok(Value::from_float(float::negate(*kind, value.float()?)))
                }
                _ => Err(Undefined::IllFormed),
            }
        }
        Rvalue::Unsize(..) => unsize(types, value, from, to),
        Rvalue::Length(_) => match value {
            Value::Wide(_, length) if to == Types::USIZE => Ok(Value::Bits(length.into())),
            _ => Err(Undefined::IllFormed),
        },
        _ => cast(types, value, from, to),
    }
}

fn unsize(types: &Types, value: Value, from: TypeId, to: TypeId) -> Check<Value> {
    let parts = |of: TypeId| match types.kind(of) {
        Kind::Pointer { mutable, to } => Ok((false, *mutable, *to)),
        Kind::Reference { mutable, to } => Ok((true, *mutable, *to)),
        Kind::Heap(to) => Ok((false, false, *to)),
        _ => Err(Undefined::IllFormed),
    };
    let ((reference, mutable, array), (is_reference, is_mutable, slice)) =
        (parts(from)?, parts(to)?);
    match (types.kind(array), types.kind(slice), value) {
        (Kind::Array(element, length), Kind::Slice(is), Value::Pointer(at))
            if element == is && reference == is_reference && mutable == is_mutable =>
        {
            Ok(Value::Wide(at, *length))
        }
        // The validator has checked that the type implements the trait.
        (_, Kind::Object(_), Value::Pointer(at))
            if reference == is_reference && mutable == is_mutable =>
        {
            Ok(Value::Wide(at, array.0.into()))
        }
        _ => Err(Undefined::IllFormed),
    }
}

/// `as`.
pub(super) fn cast(types: &Types, value: Value, from: TypeId, to: TypeId) -> Check<Value> {
    let bits = |bits: u128, width: u32| Ok(Value::Bits(scalar::truncate(bits, width)));
    let fixed = |of: TypeId| types.pointee(of).is_some_and(|to| types.layout(to).fixed);
    match (types.kind(from), types.kind(to)) {
        (Kind::Int(int), Kind::Int(to)) => {
            let number = scalar::extend(value.bits()?, *int).cast_unsigned();
            bits(number, to.bits())
        }
        (Kind::Bool | Kind::Char, Kind::Int(to)) => bits(value.bits()?, to.bits()),
        (Kind::Int(Int::U8), Kind::Char) => Ok(value),
        (Kind::Int(int), Kind::Float(to)) => {
            Ok(Value::from_float(float::from_int(*int, *to, value.bits()?)))
        }
        (Kind::Float(from), Kind::Int(to)) => {
            Ok(Value::Bits(float::to_int_saturating(*from, *to, value.float()?)))
        }
        (Kind::Float(from), Kind::Float(to)) => {
            Ok(Value::from_float(float::convert(*from, *to, value.float()?)))
        }
        (Kind::Pointer { to: old, .. }, Kind::Pointer { to: new, .. }) => {
            cast_pointer(types, value, *old, *new)
        }
        (Kind::Pointer { .. }, Kind::Int(Int::USIZE)) => match value {
            Value::Pointer(at) if at.address().is_some() => {
                Ok(Value::Bits(at.address().unwrap_or_default().into()))
            }
            // The integer can be cast to a pointer to another type, so the layout must be fixed.
            Value::Pointer(_) if !fixed(from) => Err(Undefined::Layout),
            // The provenance of an exposed address that is out of bounds is unspecified.
            Value::Pointer(at) if at.tag == 0 && at.is_inside() => {
                Ok(Value::Pointer(Pointer { exposed: true, ..at }))
            }
            Value::Pointer(_) => Err(Undefined::Address),
            _ => Err(Undefined::IllFormed),
        },
        (Kind::Int(Int::USIZE), Kind::Pointer { .. }) => match value {
            Value::Pointer(_) if !fixed(to) => Err(Undefined::Layout),
            Value::Pointer(at) if !types.is_wide(to) => {
                Ok(Value::Pointer(Pointer { exposed: false, ..at }))
            }
            Value::Bits(bits) if !types.is_wide(to) => without_provenance(bits),
            _ => Err(Undefined::Address),
        },
        _ => Err(Undefined::IllFormed),
    }
}

fn cast_pointer(types: &Types, value: Value, old: TypeId, new: TypeId) -> Check<Value> {
    let slice = |of: TypeId| match types.kind(of) {
        Kind::Slice(element) => Some(*element),
        _ => None,
    };
    let (value, old, new) = match (value, slice(old), slice(new)) {
        (Value::Wide(..), Some(old), Some(new)) => (value, old, new),
        (Value::Wide(at, _), Some(old), None) => (Value::Pointer(at), old, new),
        (Value::Pointer(_), None, None) => (value, old, new),
        _ => return Err(Undefined::IllFormed),
    };
    if types.without_manually_drop(old) != types.without_manually_drop(new)
        && !(types.layout(old).fixed && types.layout(new).fixed)
    {
        return Err(Undefined::Layout);
    }
    Ok(value)
}
