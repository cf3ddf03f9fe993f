//! Removes parameters. A used one becomes a local with the value that was always passed.

use super::super::program::{
    Function, Local, Operand, Place, Program, Rvalue, Statement, Terminator,
};
use super::super::visit::{Mention, MentionMut, change, read};
use super::{Source, functions};

/// Function and parameter, the last ones first.
pub(super) fn list(source: &Source) -> Vec<(usize, Local)> {
    let all = source.program.functions.iter().enumerate().rev();
    all.flat_map(|(function, body)| (1..=body.parameters).rev().map(move |it| (function, it)))
        .collect()
}

pub(super) fn apply(source: &Source, (function, parameter): (usize, Local)) -> Option<Program> {
    let program = &source.program;
    if functions::is_used_indirectly(program, function) {
        return None;
    }
    let body = &program.functions[function];
    let mut used = false;
    read::function(body, &mut |mention| {
        if let Mention::Local(local) = mention {
            used |= *local == parameter;
        }
    });
    let value = if used { Some(passed_value(source, function, parameter)?) } else { None };
    let mut smaller = program.clone();
    demote(&mut smaller.functions[function], parameter, value);
    if function == 0 {
        smaller.arguments.remove(parameter - 1);
    }
    for block in smaller.functions.iter_mut().flat_map(|it| &mut it.blocks) {
        if block.terminator.function() == Some(function)
            && let Terminator::Call { arguments, .. } | Terminator::TailCall { arguments, .. } =
                &mut block.terminator
        {
            arguments.remove(parameter - 1);
        }
    }
    Some(smaller)
}

/// The value that every call passes.
fn passed_value(source: &Source, function: usize, parameter: Local) -> Option<Operand> {
    let program = &source.program;
    let of = program.functions[function].locals[parameter];
    let mut all = vec![];
    if function == 0 {
        all.push(Operand::Constant(program.arguments[parameter - 1]));
    }
    for (caller, body) in program.functions.iter().enumerate() {
        for (number, block) in body.blocks.iter().enumerate() {
            if block.terminator.function() != Some(function) {
                continue;
            }
            let at = (caller, number, block.statements.len(), parameter - 1);
            let seen = source.observed.operands.get(&at).filter(|_| program.types.is_scalar(of));
            all.push(match (seen, block.terminator.operands()[parameter - 1]) {
                (Some(bits), _) => Operand::constant(of, *bits),
                (None, constant @ (Operand::Constant(_) | Operand::Function(..))) => {
                    constant.clone()
                }
                _ => return None,
            });
        }
    }
    let first = all.pop()?;
    all.iter().all(|it| *it == first).then_some(first)
}

/// Turns a parameter into the last local, or removes it if it is unused.
fn demote(body: &mut Function, parameter: Local, value: Option<Operand>) {
    let of = body.locals.remove(parameter);
    body.parameters -= 1;
    let last = body.locals.len();
    change::function(body, &mut |mention| {
        if let MentionMut::Local(local) = mention {
            *local = match *local {
                it if it == parameter => last,
                it => it - usize::from(it > parameter),
            };
        }
    });
    if let Some(value) = value {
        body.locals.push(of);
        let first = Statement::Assign(Place::local(last), Rvalue::Use(value));
        body.blocks[0].statements.insert(0, first);
    }
}
