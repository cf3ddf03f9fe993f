//! Simplifies traits, and replaces virtual calls by direct ones.

use super::super::program::{Callee, Operand, Place, Program, Rvalue, Statement, Terminator};
use super::super::types::TypeId;
use super::{Source, blocks};

#[derive(Clone)]
pub(super) enum Edit {
    /// Remove an implementation: trait, index.
    Implementation(usize, usize),
    /// Remove a method that is not called: trait, method.
    Method(usize, usize),
    /// Replace a virtual call by a direct one: function, block, callee, and the operand that replaces the object.
    Direct(usize, usize, usize, Operand),
}

pub(super) fn list(source: &Source) -> Vec<Edit> {
    let program = &source.program;
    let mut all = vec![];
    for (function, block) in blocks(program) {
        all.extend(direct(program, function, block));
    }
    for (number, it) in program.traits.iter().enumerate() {
        all.extend((0..it.implementations.len()).rev().map(|at| Edit::Implementation(number, at)));
        all.extend((0..it.methods.len()).rev().map(|at| Edit::Method(number, at)));
    }
    all
}

/// The operand that is unsized to a local, and the type that it points to; none if several operands are.
fn unsized_from(program: &Program, function: usize, local: usize) -> Option<(Operand, TypeId)> {
    let body = &program.functions[function];
    let mut found: Option<&Operand> = None;
    for statement in body.blocks.iter().flat_map(|block| &block.statements) {
        if let Statement::Assign(place, Rvalue::Unsize(one, _)) = statement
            && *place == Place::local(local)
        {
            if found.is_some_and(|had| had != one) {
                return None;
            }
            found = Some(one);
        }
    }
    let one = found?;
    let of = one.type_in(&body.locals, &program.types)?;
    Some((one.clone(), program.types.pointee(of)?))
}

fn direct(program: &Program, function: usize, block: usize) -> Option<Edit> {
    let Terminator::Call { callee: Callee::Method(of, method), arguments, .. } =
        &program.functions[function].blocks[block].terminator
    else {
        return None;
    };
    let object = arguments.first()?.place()?;
    if !object.projections.is_empty() {
        return None;
    }
    let (replacement, concrete) = unsized_from(program, function, object.local)?;
    let callee = program.implementation(*of, *method, concrete)?;
    Some(Edit::Direct(function, block, callee, replacement))
}

pub(super) fn apply(source: &Source, edit: Edit) -> Option<Program> {
    let mut smaller = source.program.clone();
    match edit {
        Edit::Implementation(of, at) => {
            smaller.traits[of].implementations.remove(at);
        }
        Edit::Method(of, at) => {
            let it = &mut smaller.traits[of];
            it.methods.remove(at);
            for implementation in &mut it.implementations {
                implementation.functions.remove(at);
            }
            for block in smaller.functions.iter_mut().flat_map(|it| &mut it.blocks) {
                if let Terminator::Call { callee: Callee::Method(own, method), .. } =
                    &mut block.terminator
                    && *own == of
                {
                    if *method == at {
                        return None;
                    }
                    *method -= usize::from(*method > at);
                }
            }
        }
        Edit::Direct(function, block, number, replacement) => {
            let body = &mut smaller.functions[function];
            let place = replacement.place()?.clone();
            if let Terminator::Call { callee, arguments, .. } = &mut body.blocks[block].terminator {
                *callee = Callee::Function(number, vec![]);
                arguments[0] = replacement;
            }
            // The operand is used again by the call, so the unsizing must not move it.
            for statement in body.blocks.iter_mut().flat_map(|it| &mut it.statements) {
                if let Statement::Assign(_, Rvalue::Unsize(one, _)) = statement
                    && *one == Operand::Move(place.clone())
                {
                    *one = Operand::Copy(place.clone());
                }
            }
        }
    }
    Some(smaller)
}
