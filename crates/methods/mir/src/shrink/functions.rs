//! Fewer functions, and plainer ones.

use super::super::program::{Block, Callee, Function, Inlining, Operand, Program, Terminator};
use super::super::types::Kind;
use super::super::visit::{Mention, read};
use super::sweep::remove_functions;
use super::{Source, blocks, generic, runs, values};

#[derive(Clone, Copy)]
pub(super) enum Edit {
    /// Without some functions and the calls of them: the first and how many.
    Cut(usize, usize),
    /// With nothing in it.
    Empty(usize),
}

pub(super) fn list(source: &Source) -> Vec<Edit> {
    let count = source.program.functions.len();
    let cuts = runs(count.saturating_sub(1));
    let cut = |(start, length): (usize, usize)| Edit::Cut(count - start - length, length);
    cuts.into_iter().map(cut).chain((0..count).rev().map(Edit::Empty)).collect()
}

pub(super) fn apply(source: &Source, edit: Edit) -> Option<Program> {
    match edit {
        Edit::Cut(first, length) => cut(&source.program, first, length),
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

/// None if something else than calls needs one of the functions.
fn cut(program: &Program, first: usize, length: usize) -> Option<Program> {
    let gone = |number: usize| (first..first + length).contains(&number);
    let mut smaller = program.clone();
    for adt in &mut smaller.types.adts {
        adt.destructor = adt.destructor.filter(|number| !gone(*number));
    }
    let mut needed = false;
    for (number, function) in smaller.functions.iter_mut().enumerate() {
        if gone(number) {
            *function = Function { blocks: vec![], debug: vec![], ..function.clone() };
        }
        for block in &mut function.blocks {
            if block.terminator.function().is_some_and(gone) {
                block.terminator = past(&block.terminator);
            }
        }
        read::function(function, &mut |mention| {
            if let Mention::Function(number) = mention {
                needed |= gone(*number);
            }
        });
    }
    let methods = smaller.traits.iter().flat_map(|it| &it.implementations);
    needed |= methods.flat_map(|it| &it.functions).any(|number| gone(*number));
    let keep: Vec<bool> = (0..smaller.functions.len()).map(|number| !gone(number)).collect();
    remove_functions(&mut smaller, &keep);
    (!needed).then_some(smaller)
}

/// What is left of a terminator when what it does is not done.
pub(super) fn past(terminator: &Terminator) -> Terminator {
    match terminator {
        Terminator::Call { target, .. }
        | Terminator::Drop { target, .. }
        | Terminator::Record { target, .. } => Terminator::Goto(*target),
        Terminator::TailCall { .. } => Terminator::Return,
        other => other.clone(),
    }
}

/// Small changes of functions and of what the program starts with.
#[derive(Clone, Copy)]
pub(super) enum Detail {
    /// Without type parameters and constant ones.
    Concrete(usize),
    /// Without one of them.
    Fixed(usize, usize),
    /// Another constant in angle brackets: function, block, its number there, and the value.
    Given(usize, usize, usize, u64),
    /// A call of this function instead of one through a pointer: function, block, callee.
    Direct(usize, usize, usize),
    Inlining(usize),
    /// An argument of the program.
    Argument(usize, u128),
    /// A scalar of a static.
    Static(usize, usize, u128),
}

pub(super) fn details(source: &Source) -> Vec<Detail> {
    let program = &source.program;
    let functions = || program.functions.iter().enumerate();
    let generic = functions().filter(|(_, it)| it.generics > 0);
    let mut all: Vec<Detail> = generic.map(|(number, _)| Detail::Concrete(number)).collect();
    for (number, it) in functions().filter(|(_, it)| it.generics > 1) {
        all.extend((0..it.generics).map(|index| Detail::Fixed(number, index)));
    }
    for (function, block) in blocks(program) {
        all.extend(direct(program, function, block));
        let given = generic::simpler(program, function, block);
        all.extend(given.into_iter().map(|(at, bits)| Detail::Given(function, block, at, bits)));
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

/// The functions that a call through a pointer may be of.
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

pub(super) fn change(source: &Source, detail: Detail) -> Option<Program> {
    let mut smaller = source.program.clone();
    match detail {
        Detail::Concrete(function) => generic::concrete(&mut smaller, function)?,
        Detail::Fixed(function, index) => generic::fix(&mut smaller, function, index)?,
        Detail::Given(function, block, at, bits) => {
            generic::give(&mut smaller, (function, block), at, bits);
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

/// Whether a function is mentioned otherwise than by direct calls: as a pointer, destructor or method.
pub(super) fn is_named(program: &Program, function: usize) -> bool {
    let mut named = program.types.adts.iter().any(|adt| adt.destructor == Some(function));
    let methods = program.traits.iter().flat_map(|it| &it.implementations);
    named |= methods.flat_map(|it| &it.functions).any(|number| *number == function);
    for body in &program.functions {
        read::function(body, &mut |mention| {
            if let Mention::Operand(Operand::Function(number, _)) = mention {
                named |= *number == function;
            }
        });
    }
    named
}
