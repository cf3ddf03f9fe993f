//! Removes generic parameters of functions, by substituting the arguments of a call.

use super::super::program::{Callee, Operand, Program, Rvalue, Statement, Terminator};
use super::super::types::{Kind, TypeId, Types};
use super::super::visit::{MentionMut, change};
use super::values;

/// Substitutes all generic parameters by the arguments of the first call that are not generic themselves.
pub(super) fn substitute_all(program: &mut Program, function: usize) -> Option<()> {
    let with = concrete_arguments(program, function)?;
    (0..with.len()).rev().try_for_each(|index| substitute(program, function, index, with[index]))
}

/// Substitutes one generic parameter.
pub(super) fn substitute_one(program: &mut Program, function: usize, index: usize) -> Option<()> {
    let with = concrete_arguments(program, function)?;
    substitute(program, function, index, *with.get(index)?)
}

/// The callee and the generic arguments of a direct call.
fn generic_arguments(terminator: &mut Terminator) -> Option<(usize, &mut Vec<TypeId>)> {
    match terminator {
        Terminator::Call { callee: Callee::Function(number, with), .. }
        | Terminator::TailCall { callee: Callee::Function(number, with), .. } => {
            Some((*number, with))
        }
        _ => None,
    }
}

fn concrete_arguments(program: &mut Program, function: usize) -> Option<Vec<TypeId>> {
    let types = &program.types;
    let all = program.functions.iter_mut().flat_map(|it| &mut it.blocks);
    all.filter_map(|block| generic_arguments(&mut block.terminator))
        .filter(|(number, _)| *number == function)
        .map(|(_, with)| with.clone())
        .find(|with| with.iter().all(|of| !types.is_generic(*of)))
}

/// Substitutes a type or constant for a parameter, and renumbers the parameters after it.
fn substitute(program: &mut Program, function: usize, index: usize, value: TypeId) -> Option<()> {
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
        MentionMut::Operand(operand) => substitute_operand(types, operand, &with),
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
        if let Some((number, with)) = generic_arguments(&mut block.terminator)
            && number == function
            && index < with.len()
        {
            with.remove(index);
        }
    }
    Some(())
}

/// Replaces a const parameter by its argument.
fn substitute_operand(types: &Types, operand: &mut Operand, with: &[TypeId]) {
    if let Operand::Parameter(it) = operand
        && let Kind::Constant(index, _) = types.kind(*it)
        && let Some(Kind::Value(of, bits)) = with.get(*index).map(|of| types.kind(*of))
    {
        *operand = Operand::constant(*of, (*bits).into());
    }
}

/// Simpler const arguments for a call: index and bits.
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

/// Replaces a const argument of a call.
pub(super) fn set_const_argument(
    program: &mut Program,
    (function, block): (usize, usize),
    at: usize,
    bits: u64,
) {
    let types = &mut program.types;
    let block = &mut program.functions[function].blocks[block];
    if let Some((_, with)) = generic_arguments(&mut block.terminator)
        && let Some(it) = with.get_mut(at)
        && let Kind::Value(of, _) = *types.kind(*it)
    {
        *it = types.intern(Kind::Value(of, bits));
    }
}
