//! Replaces assumptions by records. A wrong recorded value is better evidence than the early exit that a false
//! assumption leads to. It needs only the pass that computes the value wrongly, not those that exploit the
//! assumption.

use super::super::program::{Block, Operand, Program, Statement, Terminator};
use super::{Source, blocks};

/// Function, block, statement.
type At = (usize, usize, usize);

pub(super) fn list(source: &Source) -> Vec<At> {
    let program = &source.program;
    let mut all = vec![];
    for (function, number) in blocks(program) {
        let block = &program.functions[function].blocks[number];
        for (index, statement) in block.statements.iter().enumerate() {
            if !block.cleanup && matches!(statement, Statement::Assume(it) if it.place().is_some())
            {
                all.push((function, number, index));
            }
        }
    }
    all
}

/// Splits the block at the assumption, and records the assumed value there.
pub(super) fn apply(source: &Source, (function, number, index): At) -> Option<Program> {
    let mut smaller = source.program.clone();
    let body = &mut smaller.functions[function];
    let target = body.blocks.len();
    let block = &mut body.blocks[number];
    let statements = block.statements.split_off(index + 1);
    let Some(Statement::Assume(Operand::Copy(place) | Operand::Move(place))) =
        block.statements.pop()
    else {
        return None;
    };
    let record = Terminator::Record { values: vec![place], target };
    let terminator = std::mem::replace(&mut block.terminator, record);
    body.blocks.push(Block { cleanup: false, statements, terminator });
    Some(smaller)
}
