//! Instances of generic functions: substitution of generic arguments.

use std::borrow::Cow;
use std::collections::HashSet;

use super::{Check, Undefined};
use crate::program::{Callee, Function, Program, Terminator};
use crate::types::{Kind, TypeId, Types};

pub(super) type Locals<'a> = Cow<'a, [TypeId]>;

/// The maximum number of instances in a program.
const MAX_INSTANCES: usize = 4096;

/// Substitutes generic arguments in a type. `None` if the result was not interned.
fn substitute(types: &Types, of: TypeId, with: &[TypeId]) -> Option<TypeId> {
    let kind = match types.kind(of) {
        Kind::Parameter(index) => return with.get(*index).copied(),
        _ if !types.is_generic(of) => return Some(of),
        Kind::Tuple(parts) => {
            let parts = parts.iter().map(|part| substitute(types, *part, with));
            Kind::Tuple(parts.collect::<Option<_>>()?)
        }
        Kind::Array(element, length) => Kind::Array(substitute(types, *element, with)?, *length),
        Kind::ArrayOf(element, index) => {
            let element = substitute(types, *element, with)?;
            types.array_of(element, with.get(*index).copied(), *index)
        }
        Kind::Constant(index, _) => return with.get(*index).copied(),
        Kind::Slice(element) => Kind::Slice(substitute(types, *element, with)?),
        Kind::Heap(to) => Kind::Heap(substitute(types, *to, with)?),
        Kind::Manual(to) => Kind::Manual(substitute(types, *to, with)?),
        Kind::Pointer { mutable, to } => {
            Kind::Pointer { mutable: *mutable, to: substitute(types, *to, with)? }
        }
        Kind::Reference { mutable, to } => {
            Kind::Reference { mutable: *mutable, to: substitute(types, *to, with)? }
        }
        _ => return Some(of),
    };
    types.find(&kind)
}

/// Substitutes the generic arguments `with` of the caller in types.
pub(super) fn substitute_all(types: &Types, of: &[TypeId], with: &[TypeId]) -> Check<Vec<TypeId>> {
    let all = of.iter().map(|of| substitute(types, *of, with));
    all.collect::<Option<_>>().ok_or(Undefined::IllFormed)
}

/// The bits and the type of a const parameter, given the generic arguments.
pub(super) fn constant_argument(
    types: &Types,
    of: TypeId,
    with: &[TypeId],
) -> Check<(u128, TypeId)> {
    match substitute(types, of, with).map(|of| types.kind(of)) {
        Some(Kind::Value(of, bits)) => Ok((u128::from(*bits), *of)),
        _ => Err(Undefined::IllFormed),
    }
}

/// The types of a function's locals in an instance.
pub(super) fn locals<'a>(types: &Types, body: &'a Function, with: &[TypeId]) -> Check<Locals<'a>> {
    if body.generics != with.len() || body.locals.len() <= body.parameters {
        return Err(Undefined::IllFormed);
    }
    if with.is_empty() {
        return Ok(Cow::Borrowed(&body.locals));
    }
    substitute_all(types, &body.locals, with).map(Cow::Owned)
}

/// The program with the types of all instances interned. `None` if it has no generic functions.
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
        if seen.len() > MAX_INSTANCES {
            return Err(Undefined::Limit);
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
