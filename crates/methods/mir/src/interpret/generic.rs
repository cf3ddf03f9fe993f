//! Generic functions: their types are those that they were called with.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{Check, Undefined};
use crate::program::{Callee, Function, Program, Terminator};
use crate::types::{Kind, TypeId, Types};

pub(super) type Locals<'a> = Cow<'a, [TypeId]>;

/// How many instances a program can have.
const MOST: usize = 4096;

/// A type with type parameters replaced, if it is known.
fn found(types: &Types, of: TypeId, with: &[TypeId]) -> Option<TypeId> {
    let kind = match types.kind(of) {
        Kind::Parameter(index) => return with.get(*index).copied(),
        _ if !types.is_generic(of) => return Some(of),
        Kind::Tuple(parts) => {
            let parts = parts.iter().map(|part| found(types, *part, with));
            Kind::Tuple(parts.collect::<Option<_>>()?)
        }
        Kind::Array(element, length) => Kind::Array(found(types, *element, with)?, *length),
        Kind::ArrayOf(element, index) => {
            let element = found(types, *element, with)?;
            types.array_of(element, with.get(*index).copied(), *index)
        }
        Kind::Constant(index, _) => return with.get(*index).copied(),
        Kind::Slice(element) => Kind::Slice(found(types, *element, with)?),
        Kind::Heap(to) => Kind::Heap(found(types, *to, with)?),
        Kind::Manual(to) => Kind::Manual(found(types, *to, with)?),
        Kind::Pointer { mutable, to } => {
            Kind::Pointer { mutable: *mutable, to: found(types, *to, with)? }
        }
        Kind::Reference { mutable, to } => {
            Kind::Reference { mutable: *mutable, to: found(types, *to, with)? }
        }
        _ => return Some(of),
    };
    types.find(&kind)
}

/// The types that a call names, in a function that was called with some types itself.
pub(super) fn found_all(types: &Types, of: &[TypeId], with: &[TypeId]) -> Check<Vec<TypeId>> {
    let all = of.iter().map(|of| found(types, *of, with));
    all.collect::<Option<_>>().ok_or(Undefined::IllFormed)
}

/// What a constant parameter is in a function that was called with some types and constants.
pub(super) fn given(types: &Types, of: TypeId, with: &[TypeId]) -> Check<(u128, TypeId)> {
    match found(types, of, with).map(|of| types.kind(of)) {
        Some(Kind::Value(of, bits)) => Ok((u128::from(*bits), *of)),
        _ => Err(Undefined::IllFormed),
    }
}

/// The types of a function's locals.
pub(super) fn locals<'a>(types: &Types, body: &'a Function, with: &[TypeId]) -> Check<Locals<'a>> {
    if body.generics != with.len() || body.locals.len() <= body.parameters {
        return Err(Undefined::IllFormed);
    }
    if with.is_empty() {
        return Ok(Cow::Borrowed(&body.locals));
    }
    found_all(types, &body.locals, with).map(Cow::Owned)
}

/// A program that knows all types that its generic functions need; none if there are none.
pub(super) fn instantiate(program: &Program) -> Check<Option<Program>> {
    if program.functions.iter().all(|function| function.generics == 0) {
        return Ok(None);
    }
    let mut program = program.clone();
    let plain =
        (0..program.functions.len()).filter(|index| program.functions[*index].generics == 0);
    let mut open: Vec<(usize, Vec<TypeId>)> = plain.map(|index| (index, vec![])).collect();
    let mut seen = HashSet::new();
    while let Some((function, with)) = open.pop() {
        if !seen.insert((function, with.clone())) {
            continue;
        }
        let Some(body) = program.functions.get(function) else { continue };
        if seen.len() > MOST {
            return Err(Undefined::Endless);
        }
        for of in &body.locals {
            program.types.instantiate(*of, &with);
        }
        for block in &body.blocks {
            if let Terminator::Call { callee: Callee::Function(other, given), .. }
            | Terminator::TailCall { callee: Callee::Function(other, given), .. } =
                &block.terminator
                && !given.is_empty()
            {
                let given = given.iter().map(|of| program.types.instantiate(*of, &with));
                open.push((*other, given.collect()));
            }
        }
    }
    Ok(Some(program))
}
