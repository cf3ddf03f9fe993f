//! Inlines functions.

use super::super::program::{
    Block, Callee, Function, Operand, Place, Program, Rvalue, Statement, Terminator, Unwind,
};
use super::super::visit::{MentionMut, change};
use super::sweep::remove_functions;
use super::{Source, blocks, functions};

/// Calls of functions that have no other use: function, block.
pub(super) fn list(source: &Source) -> Vec<(usize, usize)> {
    let program = &source.program;
    let mut calls = vec![0; program.functions.len()];
    for body in &program.functions {
        for number in body.blocks.iter().filter_map(|it| it.terminator.function()) {
            calls[number] += 1;
        }
    }
    let single_use = |number: usize| {
        number != 0 && calls[number] == 1 && !functions::is_used_indirectly(program, number)
    };
    let inlinable = |(function, block): &(usize, usize)| {
        let block = &program.functions[*function].blocks[*block];
        !block.cleanup
            && matches!(&block.terminator, Terminator::Call { callee: Callee::Function(number, with), .. }
                if with.is_empty() && *number != *function && single_use(*number))
    };
    blocks(program).filter(inlinable).collect()
}

pub(super) fn apply(source: &Source, (function, block): (usize, usize)) -> Option<Program> {
    let mut smaller = source.program.clone();
    let body = &mut smaller.functions[function];
    let Terminator::Call { callee, arguments, destination, target, unwind } =
        std::mem::replace(&mut body.blocks[block].terminator, Terminator::Return)
    else {
        return None;
    };
    let Callee::Function(number, _) = callee else { return None };
    let mut callee = source.program.functions[number].clone();
    let (locals, base) = (body.locals.len(), body.blocks.len());
    if callee.blocks.iter().any(|it| matches!(it.terminator, Terminator::TailCall { .. })) {
        return None;
    }
    renumber(&mut callee, locals, base, unwind);
    let returned = Statement::Assign(destination, Rvalue::Use(Operand::local(locals)));
    for it in callee.blocks.iter_mut().filter(|it| !it.cleanup) {
        if it.terminator == Terminator::Return {
            it.statements.push(returned.clone());
            it.terminator = Terminator::Goto(target);
        }
    }
    for (parameter, argument) in arguments.into_iter().enumerate() {
        let to = Place::local(locals + 1 + parameter);
        body.blocks[block].statements.push(Statement::Assign(to, Rvalue::Use(argument)));
    }
    // The entry of the callee has one predecessor, so it is merged with the calling block.
    let mut inner = callee.blocks.into_iter();
    let first = inner.next()?;
    body.blocks[block].statements.extend(first.statements);
    body.blocks[block].terminator = first.terminator;
    body.blocks.extend(inner);
    body.locals.extend(callee.locals);
    body.debug.extend(callee.debug);
    let keep: Vec<bool> = (0..smaller.functions.len()).map(|it| it != number).collect();
    smaller.functions[number].blocks.clear();
    remove_functions(&mut smaller, &keep);
    Some(smaller)
}

/// Renumbers the locals and blocks of the callee for the caller, where its entry has no block of its own. Its panics
/// continue with the unwind action of the call.
fn renumber(callee: &mut Function, locals: usize, base: usize, unwind: Unwind) {
    change::function(callee, &mut |mention| {
        if let MentionMut::Local(local) = mention {
            *local += locals;
        }
    });
    for block in &mut callee.blocks {
        for target in block.terminator.targets_mut() {
            *target += base - 1;
        }
        redirect_unwind(block, unwind);
    }
}

fn redirect_unwind(block: &mut Block, outer: Unwind) {
    match &mut block.terminator {
        Terminator::Call { unwind, .. } | Terminator::Drop { unwind, .. }
            if *unwind == Unwind::Continue =>
        {
            *unwind = outer;
        }
        Terminator::Resume => {
            if let Unwind::Cleanup(target) = outer {
                block.terminator = Terminator::Goto(target);
            }
        }
        _ => {}
    }
}
