//! Removes statements, and propagates copies.

use super::super::program::{
    Function, Local, Operand, Place, Program, Projection, Rvalue, Statement,
};
use super::super::visit::{MentionMut, change};
use super::{Source, blocks};

/// Function, block, statement.
type At = (usize, usize, usize);

pub(super) fn list(source: &Source) -> Vec<At> {
    let program = &source.program;
    let of_block = |(function, block): (usize, usize)| {
        let count = program.functions[function].blocks[block].statements.len();
        (0..count).map(move |statement| (function, block, statement))
    };
    blocks(program).flat_map(of_block).collect()
}

pub(super) fn remove(program: &mut Program, (function, block, statement): &At) {
    program.functions[*function].blocks[*block].statements.remove(*statement);
}

/// Assignments to a whole local whose uses can be replaced by the assigned value.
pub(super) fn propagatable(source: &Source) -> Vec<At> {
    let program = &source.program;
    let mut all = vec![];
    for (function, block) in blocks(program) {
        let statements = &program.functions[function].blocks[block].statements;
        for (index, statement) in statements.iter().enumerate() {
            if replacement(statement).is_some() {
                all.push((function, block, index));
            }
        }
    }
    all
}

/// What the uses of a local are replaced by.
enum Replacement {
    Operand(Operand),
    /// The address of a place.
    Address(Place),
}

fn replacement(statement: &Statement) -> Option<(Local, Replacement)> {
    let Statement::Assign(Place { local, projections }, rvalue) = statement else { return None };
    if !projections.is_empty() {
        return None;
    }
    let replaced_by = match rvalue {
        Rvalue::Use(operand) => Replacement::Operand(operand.clone()),
        Rvalue::AddressOf(_, place) | Rvalue::Reference(_, place) => {
            Replacement::Address(place.clone())
        }
        _ => return None,
    };
    Some((*local, replaced_by))
}

/// Removes such an assignment, and replaces the uses of the local.
pub(super) fn substitute(source: &Source, (function, block, statement): At) -> Option<Program> {
    let mut smaller = source.program.clone();
    let body = &mut smaller.functions[function];
    let removed = body.blocks[block].statements.remove(statement);
    let (local, replaced_by) = replacement(&removed)?;
    match replaced_by {
        Replacement::Operand(Operand::Copy(place) | Operand::Move(place)) => {
            if !place.projections.is_empty() {
                replace_places(body, local, &place);
            } else if local > body.parameters {
                rename(body, local, place.local);
            } else {
                rename(body, place.local, local);
            }
        }
        Replacement::Operand(constant) => change::function(body, &mut |mention| {
            if let MentionMut::Operand(operand) = mention
                && operand.place().is_some_and(|it| *it == Place::local(local))
            {
                *operand = constant.clone();
            }
        }),
        Replacement::Address(place) => change::function(body, &mut |mention| {
            if let MentionMut::Place(it) = mention
                && it.local == local
                && it.is_deref()
            {
                let rest = it.projections[1..].iter();
                it.projections = place.projections.iter().chain(rest).copied().collect();
                it.local = place.local;
            }
        }),
    }
    Some(smaller)
}

/// Replaces one local by another, and removes its storage markers.
fn rename(body: &mut Function, from: Local, to: Local) {
    for block in &mut body.blocks {
        block.statements.retain(|statement| match statement {
            Statement::StorageLive(local) | Statement::StorageDead(local) => *local != from,
            _ => true,
        });
    }
    change::function(body, &mut |mention| {
        if let MentionMut::Local(local) = mention
            && *local == from
        {
            *local = to;
        }
    });
}

/// Replaces a local by a place.
fn replace_places(body: &mut Function, local: Local, place: &Place) {
    change::function(body, &mut |mention| {
        if let MentionMut::Place(it) = mention
            && it.local == local
        {
            let whole: Vec<Projection> =
                place.projections.iter().chain(&it.projections).copied().collect();
            *it = Place { local: place.local, projections: whole };
        }
    });
}
