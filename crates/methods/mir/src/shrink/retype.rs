//! Rebuilds the types of a program after a change, with new numbers and layouts.

use super::super::program::{Operand, Place, Program, Projection, Rvalue, Statement};
use super::super::types::{Adt, Kind, Shape, TypeId, Types};
use super::super::visit::{MentionMut, change};

/// Rebuilds the types of a program: only those that are kept, each changed first. A change refers to other types by
/// their old numbers, and only to earlier ones, except in the fields of ADTs.
pub(super) fn rebuild(
    program: &mut Program,
    keeps: &dyn Fn(TypeId) -> bool,
    change_kind: &dyn Fn(TypeId, &Kind) -> Kind,
    change_adt: &dyn Fn(TypeId, &Adt) -> Adt,
) {
    rebuild_replacing(program, keeps, &|_| None, change_kind, change_adt);
}

/// The same, where a type may be replaced by an earlier one.
pub(super) fn rebuild_replacing(
    program: &mut Program,
    keeps: &dyn Fn(TypeId) -> bool,
    becomes: &dyn Fn(TypeId) -> Option<TypeId>,
    change_kind: &dyn Fn(TypeId, &Kind) -> Kind,
    change_adt: &dyn Fn(TypeId, &Adt) -> Adt,
) {
    let old = std::mem::replace(&mut program.types, Types::new());
    let mut map: Vec<TypeId> = vec![];
    // ADTs with later types as fields are defined at the end.
    let mut announced = vec![];
    for of in old.all() {
        let new = match old.kind(of) {
            _ if !keeps(of) && !old.is_scalar(of) => Types::UNIT,
            _ if becomes(of).is_some() => {
                let other = becomes(of).and_then(|other| map.get(other.0 as usize));
                other.copied().unwrap_or(Types::UNIT)
            }
            Kind::Adt(index) => {
                let mut adt = change_adt(of, &old.adts[*index]);
                if adt.parts().any(|part| part >= of) {
                    let new = program.types.announce();
                    announced.push((new, adt));
                    new
                } else {
                    map_adt(&mut adt, &map);
                    program.types.declare(adt)
                }
            }
            kind => {
                let mut kind = change_kind(of, kind);
                map_kind(&mut kind, &map);
                program.types.intern(kind)
            }
        };
        map.push(new);
    }
    announced.iter_mut().for_each(|(_, adt)| map_adt(adt, &map));
    program.types.define(announced);
    change::program(program, &mut |mention| {
        if let MentionMut::Type(of) = mention {
            *of = map[of.0 as usize];
        }
    });
}

fn map_kind(kind: &mut Kind, map: &[TypeId]) {
    let to_new = |of: &mut TypeId| *of = map.get(of.0 as usize).copied().unwrap_or(Types::UNIT);
    match kind {
        Kind::Tuple(parts) => parts.iter_mut().for_each(to_new),
        Kind::Array(part, _)
        | Kind::ArrayOf(part, _)
        | Kind::Constant(_, part)
        | Kind::Value(part, _)
        | Kind::Slice(part)
        | Kind::Heap(part)
        | Kind::Manual(part)
        | Kind::Pointer { to: part, .. }
        | Kind::Reference { to: part, .. } => to_new(part),
        Kind::Function { parameters, returns } => {
            parameters.iter_mut().chain([returns]).for_each(to_new);
        }
        _ => {}
    }
}

fn map_adt(adt: &mut Adt, map: &[TypeId]) {
    let to_new = |of: &mut TypeId| *of = map.get(of.0 as usize).copied().unwrap_or(Types::UNIT);
    match &mut adt.shape {
        Shape::Struct(fields) | Shape::Union(fields) => fields.iter_mut().for_each(to_new),
        Shape::Enum(variants) => {
            variants.iter_mut().flat_map(|variant| &mut variant.fields).for_each(to_new);
        }
    }
}

/// Visits every projection of a program with the type that it applies to.
pub(super) fn projections(program: &mut Program, visit: &mut dyn FnMut(TypeId, &mut Projection)) {
    let types = &program.types;
    for function in &mut program.functions {
        let locals = function.locals.clone();
        change::function(function, &mut |mention| {
            if let MentionMut::Place(place) = mention {
                in_place(types, &locals, place, visit);
            }
        });
    }
}

fn in_place(
    types: &Types,
    locals: &[TypeId],
    place: &mut Place,
    visit: &mut dyn FnMut(TypeId, &mut Projection),
) {
    let mut of = locals[place.local];
    for projection in &mut place.projections {
        let Some(part) = projection.type_of(of, types) else { return };
        visit(of, projection);
        of = part;
    }
}

/// Gets the types of the program and of the locals, the assigned place, and the rvalue.
type Assigned<'a> = dyn FnMut(&Types, &[TypeId], &Place, &mut Rvalue) + 'a;

/// Visits every assignment.
pub(super) fn assignments(program: &mut Program, visit: &mut Assigned<'_>) {
    let types = &program.types;
    for function in &mut program.functions {
        let locals = &function.locals;
        for statement in function.blocks.iter_mut().flat_map(|block| &mut block.statements) {
            if let Statement::Assign(place, rvalue) = statement {
                visit(types, locals, place, rvalue);
            }
        }
    }
}

/// Visits the variant and the parts of every aggregate of a type.
pub(super) fn aggregates(
    program: &mut Program,
    of: TypeId,
    visit: &mut dyn FnMut(&mut usize, &mut Vec<Operand>),
) {
    assignments(program, &mut |_, _, _, rvalue| {
        if let Rvalue::Aggregate(it, number, parts) = rvalue
            && *it == of
        {
            visit(number, parts);
        }
    });
}
