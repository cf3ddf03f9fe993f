//! Fewer statements.

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

/// Assignments of a whole local whose uses might be of what is assigned.
pub(super) fn copies(source: &Source) -> Vec<At> {
    let program = &source.program;
    let mut all = vec![];
    for (function, block) in blocks(program) {
        let statements = &program.functions[function].blocks[block].statements;
        for (index, statement) in statements.iter().enumerate() {
            if stands_for(statement).is_some() {
                all.push((function, block, index));
            }
        }
    }
    all
}

/// What a local stands for after it was assigned.
enum Meaning {
    Operand(Operand),
    /// The address of a place.
    Address(Place),
}

fn stands_for(statement: &Statement) -> Option<(Local, Meaning)> {
    let Statement::Assign(Place { local, projections }, rvalue) = statement else { return None };
    if !projections.is_empty() {
        return None;
    }
    let meaning = match rvalue {
        Rvalue::Use(operand) => Meaning::Operand(operand.clone()),
        Rvalue::AddressOf(_, place) | Rvalue::Reference(_, place) => {
            Meaning::Address(place.clone())
        }
        _ => return None,
    };
    Some((*local, meaning))
}

/// Without such an assignment, and with what is assigned wherever the local was used.
pub(super) fn substitute(source: &Source, (function, block, statement): At) -> Option<Program> {
    let mut smaller = source.program.clone();
    let body = &mut smaller.functions[function];
    let gone = body.blocks[block].statements.remove(statement);
    let (local, meaning) = stands_for(&gone)?;
    match meaning {
        Meaning::Operand(Operand::Copy(place) | Operand::Move(place)) => {
            if !place.projections.is_empty() {
                replace_places(body, local, &place);
            } else if local > body.parameters {
                rename(body, local, place.local);
            } else {
                rename(body, place.local, local);
            }
        }
        Meaning::Operand(constant) => change::function(body, &mut |mention| {
            if let MentionMut::Operand(operand) = mention
                && operand.place().is_some_and(|it| *it == Place::local(local))
            {
                *operand = constant.clone();
            }
        }),
        Meaning::Address(place) => change::function(body, &mut |mention| {
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

/// One local is another from now on; its storage markers go.
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

/// A local is part of something else from now on.
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
