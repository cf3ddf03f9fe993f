//! Generic functions with fewer parameters in angle brackets: a type or constant that a call gives is put in.

use super::super::program::{Callee, Operand, Program, Rvalue, Statement, Terminator};
use super::super::types::{Kind, TypeId, Types};
use super::super::visit::{MentionMut, change};
use super::values;

/// Without any of them: with what the first call of it gives that hangs on nothing.
pub(super) fn concrete(program: &mut Program, function: usize) -> Option<()> {
    let with = given(program, function)?;
    (0..with.len()).rev().try_for_each(|index| put_in(program, function, index, with[index]))
}

/// Without one of them.
pub(super) fn fix(program: &mut Program, function: usize, index: usize) -> Option<()> {
    let with = given(program, function)?;
    put_in(program, function, index, *with.get(index)?)
}

/// What a call is given in angle brackets, if it has to be given anything.
fn brackets(terminator: &mut Terminator) -> Option<(usize, &mut Vec<TypeId>)> {
    match terminator {
        Terminator::Call { callee: Callee::Function(number, with), .. }
        | Terminator::TailCall { callee: Callee::Function(number, with), .. } => {
            Some((*number, with))
        }
        _ => None,
    }
}

fn given(program: &mut Program, function: usize) -> Option<Vec<TypeId>> {
    let types = &program.types;
    let all = program.functions.iter_mut().flat_map(|it| &mut it.blocks);
    all.filter_map(|block| brackets(&mut block.terminator))
        .filter(|(number, _)| *number == function)
        .map(|(_, with)| with.clone())
        .find(|with| with.iter().all(|of| !types.is_generic(*of)))
}

/// Puts a type or constant in, and counts those after it anew.
fn put_in(program: &mut Program, function: usize, index: usize, value: TypeId) -> Option<()> {
    let types = &mut program.types;
    let body = &mut program.functions[function];
    let first = body.type_parameters();
    let with: Vec<TypeId> = (0..body.generics)
        .map(|number| {
            let own = number - usize::from(number > index);
            match body.constant_parameter(number) {
                _ if number == index => value,
                Some(of) => types.intern(Kind::Constant(own, of)),
                None => types.intern(Kind::Parameter(own)),
            }
        })
        .collect();
    body.generics -= 1;
    if index >= first {
        body.constants.remove(index - first);
    }
    change::function(body, &mut |mention| match mention {
        MentionMut::Type(of) => *of = types.instantiate(*of, &with),
        MentionMut::Operand(operand) => plain_operand(types, operand, &with),
        _ => {}
    });
    for statement in body.blocks.iter_mut().flat_map(|it| &mut it.statements) {
        if let Statement::Assign(_, rvalue) = statement
            && let Rvalue::RepeatOf(one, length) = rvalue
            && let Kind::Value(_, bits) = types.kind(*length)
        {
            *rvalue = Rvalue::Repeat(one.clone(), *bits);
        }
    }
    for block in program.functions.iter_mut().flat_map(|it| &mut it.blocks) {
        if let Some((number, with)) = brackets(&mut block.terminator)
            && number == function
            && index < with.len()
        {
            with.remove(index);
        }
    }
    Some(())
}

/// A constant parameter that is known is a constant.
fn plain_operand(types: &Types, operand: &mut Operand, with: &[TypeId]) {
    if let Operand::Parameter(it) = operand
        && let Kind::Constant(index, _) = types.kind(*it)
        && let Some(Kind::Value(of, bits)) = with.get(*index).map(|of| types.kind(*of))
    {
        *operand = Operand::constant(*of, (*bits).into());
    }
}

/// Simpler constants that a call could give: which one, and its bits.
pub(super) fn simpler(program: &Program, function: usize, block: usize) -> Vec<(usize, u64)> {
    let (Terminator::Call { callee: Callee::Function(_, with), .. }
    | Terminator::TailCall { callee: Callee::Function(_, with), .. }) =
        &program.functions[function].blocks[block].terminator
    else {
        return vec![];
    };
    let mut all = vec![];
    for (at, it) in with.iter().enumerate() {
        if let Kind::Value(of, bits) = program.types.kind(*it) {
            let simpler = values::simpler(&program.types, *of, (*bits).into());
            all.extend(simpler.into_iter().map(|bits| (at, bits as u64)));
        }
    }
    all
}

/// Another constant for a call.
pub(super) fn give(program: &mut Program, (function, block): (usize, usize), at: usize, bits: u64) {
    let types = &mut program.types;
    let block = &mut program.functions[function].blocks[block];
    if let Some((_, with)) = brackets(&mut block.terminator)
        && let Some(it) = with.get_mut(at)
        && let Kind::Value(of, _) = *types.kind(*it)
    {
        *it = types.intern(Kind::Value(of, bits));
    }
}
