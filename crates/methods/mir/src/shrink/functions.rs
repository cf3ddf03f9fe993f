//! Removes and simplifies functions.

use super::super::program::{Block, Callee, Function, Inlining, Operand, Program, Terminator};
use super::super::types::Kind;
use super::super::visit::{Mention, read};
use super::sweep::remove_functions;
use super::{Source, blocks, generic, runs, values};

#[derive(Clone, Copy)]
pub(super) enum Edit {
    /// Remove some functions and the calls of them: the first and their number.
    Remove(usize, usize),
    /// Empty the body.
    Empty(usize),
}

pub(super) fn list(source: &Source) -> Vec<Edit> {
    let count = source.program.functions.len();
    let removed = runs(count.saturating_sub(1));
    let remove = |(start, length): (usize, usize)| Edit::Remove(count - start - length, length);
    removed.into_iter().map(remove).chain((0..count).rev().map(Edit::Empty)).collect()
}

pub(super) fn apply(source: &Source, edit: Edit) -> Option<Program> {
    match edit {
        Edit::Remove(first, length) => remove(&source.program, first, length),
        Edit::Empty(function) => {
            let mut smaller = source.program.clone();
            let body = &mut smaller.functions[function];
            body.blocks =
                vec![Block { cleanup: false, statements: vec![], terminator: Terminator::Return }];
            body.locals.truncate(body.parameters + 1);
            body.debug.clear();
            Some(smaller)
        }
    }
}

/// None if one of the functions is needed otherwise than by calls.
fn remove(program: &Program, first: usize, length: usize) -> Option<Program> {
    let removed = |number: usize| (first..first + length).contains(&number);
    let mut smaller = program.clone();
    for adt in &mut smaller.types.adts {
        adt.destructor = adt.destructor.filter(|number| !removed(*number));
    }
    let mut needed = false;
    for (number, function) in smaller.functions.iter_mut().enumerate() {
        if removed(number) {
            *function = Function { blocks: vec![], debug: vec![], ..function.clone() };
        }
        for block in &mut function.blocks {
            if block.terminator.function().is_some_and(removed) {
                block.terminator = without_effect(&block.terminator);
            }
        }
        read::function(function, &mut |mention| {
            if let Mention::Function(number) = mention {
                needed |= removed(*number);
            }
        });
    }
    let methods = smaller.traits.iter().flat_map(|it| &it.implementations);
    needed |= methods.flat_map(|it| &it.functions).any(|number| removed(*number));
    let keep: Vec<bool> = (0..smaller.functions.len()).map(|number| !removed(number)).collect();
    remove_functions(&mut smaller, &keep);
    (!needed).then_some(smaller)
}

/// A terminator that continues at the same target without the effect.
pub(super) fn without_effect(terminator: &Terminator) -> Terminator {
    match terminator {
        Terminator::Call { target, .. }
        | Terminator::Drop { target, .. }
        | Terminator::Record { target, .. } => Terminator::Goto(*target),
        Terminator::TailCall { .. } => Terminator::Return,
        other => other.clone(),
    }
}

/// Small changes of functions, arguments and statics.
#[derive(Clone, Copy)]
pub(super) enum Detail {
    /// Remove all generic parameters.
    Concrete(usize),
    /// Remove one generic parameter.
    Substitute(usize, usize),
    /// Replace a const argument of a call: function, block, index, value.
    ConstArgument(usize, usize, usize, u64),
    /// Replace a call through a pointer by a direct one: function, block, callee.
    Direct(usize, usize, usize),
    Inlining(usize),
    /// Replace an argument of the program.
    Argument(usize, u128),
    /// Replace a scalar of a static.
    Static(usize, usize, u128),
}

pub(super) fn details(source: &Source) -> Vec<Detail> {
    let program = &source.program;
    let functions = || program.functions.iter().enumerate();
    let generic = functions().filter(|(_, it)| it.generics > 0);
    let mut all: Vec<Detail> = generic.map(|(number, _)| Detail::Concrete(number)).collect();
    for (number, it) in functions().filter(|(_, it)| it.generics > 1) {
        all.extend((0..it.generics).map(|index| Detail::Substitute(number, index)));
    }
    for (function, block) in blocks(program) {
        all.extend(direct(program, function, block));
        let arguments = generic::simpler(program, function, block);
        all.extend(
            arguments
                .into_iter()
                .map(|(at, bits)| Detail::ConstArgument(function, block, at, bits)),
        );
    }
    let marked = functions().filter(|(_, it)| it.inlining != Inlining::Free);
    all.extend(marked.map(|(number, _)| Detail::Inlining(number)));
    for (number, constant) in program.arguments.iter().enumerate() {
        let simpler = values::simpler(&program.types, constant.of, constant.bits);
        all.extend(simpler.into_iter().map(|bits| Detail::Argument(number, bits)));
    }
    for (number, it) in program.statics.iter().enumerate() {
        let scalars = Program::scalars(&program.types, it.of).unwrap_or_default();
        for (position, (of, bits)) in scalars.iter().zip(&it.value).enumerate() {
            let simpler = values::simpler(&program.types, *of, *bits);
            all.extend(simpler.into_iter().map(|bits| Detail::Static(number, position, bits)));
        }
    }
    all
}

/// Direct calls that a call through a pointer can be replaced by.
fn direct(program: &Program, function: usize, block: usize) -> Vec<Detail> {
    let body = &program.functions[function];
    let (Terminator::Call { callee: Callee::Pointer(place), .. }
    | Terminator::TailCall { callee: Callee::Pointer(place), .. }) = &body.blocks[block].terminator
    else {
        return vec![];
    };
    let Some(of) = place.type_in(&body.locals, &program.types) else { return vec![] };
    let Kind::Function { parameters, returns } = program.types.kind(of) else { return vec![] };
    let fits = |it: &Function| {
        it.generics == 0 && it.parameter_types() == parameters && it.returns() == *returns
    };
    let fitting = program.functions.iter().enumerate().filter(|(_, it)| fits(it));
    fitting.map(|(callee, _)| Detail::Direct(function, block, callee)).collect()
}

pub(super) fn apply_detail(source: &Source, detail: Detail) -> Option<Program> {
    let mut smaller = source.program.clone();
    match detail {
        Detail::Concrete(function) => generic::substitute_all(&mut smaller, function)?,
        Detail::Substitute(function, index) => {
            generic::substitute_one(&mut smaller, function, index)?;
        }
        Detail::ConstArgument(function, block, at, bits) => {
            generic::set_const_argument(&mut smaller, (function, block), at, bits);
        }
        Detail::Direct(function, block, number) => {
            if let Terminator::Call { callee, .. } | Terminator::TailCall { callee, .. } =
                &mut smaller.functions[function].blocks[block].terminator
            {
                *callee = Callee::Function(number, vec![]);
            }
        }
        Detail::Inlining(function) => smaller.functions[function].inlining = Inlining::Free,
        Detail::Argument(number, bits) => smaller.arguments[number].bits = bits,
        Detail::Static(number, position, bits) => smaller.statics[number].value[position] = bits,
    }
    Some(smaller)
}

/// Whether a function is used otherwise than by direct calls: as a pointer, destructor or method.
pub(super) fn is_used_indirectly(program: &Program, function: usize) -> bool {
    let mut used = program.types.adts.iter().any(|adt| adt.destructor == Some(function));
    let methods = program.traits.iter().flat_map(|it| &it.implementations);
    used |= methods.flat_map(|it| &it.functions).any(|number| *number == function);
    for body in &program.functions {
        read::function(body, &mut |mention| {
            if let Mention::Operand(Operand::Function(number, _)) = mention {
                used |= *number == function;
            }
        });
    }
    used
}
