//! Simplifies control flow: skips calls, resolves switches, ends functions early, and merges blocks.

use super::super::program::{Function, Operand, Program, Terminator, Unwind};
use super::functions::without_effect;
use super::sweep::drop_blocks;
use super::{Source, blocks, runs};

fn can_be_skipped(terminator: &Terminator) -> bool {
    matches!(
        terminator,
        Terminator::Call { .. } | Terminator::Drop { .. } | Terminator::Record { .. }
    )
}

/// Runs of calls, drops and records to skip: the first and their number.
pub(super) fn skippable(source: &Source) -> Vec<(usize, usize)> {
    let all = source.program.functions.iter().flat_map(|it| &it.blocks);
    runs(all.filter(|block| can_be_skipped(&block.terminator)).count())
}

pub(super) fn skip(source: &Source, (start, length): (usize, usize)) -> Option<Program> {
    let mut smaller = source.program.clone();
    let all = smaller.functions.iter_mut().flat_map(|it| &mut it.blocks);
    let skipped = all.filter(|block| can_be_skipped(&block.terminator)).skip(start).take(length);
    skipped.for_each(|block| block.terminator = without_effect(&block.terminator));
    Some(smaller)
}

/// Switches that always took the same target: function, block, target.
pub(super) fn constant_switches(source: &Source) -> Vec<(usize, usize, usize)> {
    let program = &source.program;
    let target_of = |(function, number): (usize, usize)| {
        let block = &program.functions[function].blocks[number];
        let Terminator::Switch { on, arms, otherwise } = &block.terminator else { return None };
        let bits = match on {
            Operand::Constant(it) => it.bits,
            _ => {
                let at = (function, number, block.statements.len(), 0);
                *source.observed.operands.get(&at)?
            }
        };
        let arm = arms.iter().find(|(value, _)| *value == bits);
        Some((function, number, arm.map_or(*otherwise, |(_, target)| *target)))
    };
    blocks(program).filter_map(target_of).collect()
}

/// Blocks at which the function or cleanup could end: function, block.
pub(super) fn ends(source: &Source) -> Vec<(usize, usize)> {
    let program = &source.program;
    let continues = |(function, block): &(usize, usize)| {
        !is_end(&program.functions[*function].blocks[*block].terminator)
    };
    blocks(program).filter(continues).collect()
}

pub(super) fn end(program: &mut Program, (function, block): &(usize, usize)) {
    let block = &mut program.functions[*function].blocks[*block];
    block.terminator = if block.cleanup { Terminator::Resume } else { Terminator::Return };
}

fn is_end(terminator: &Terminator) -> bool {
    matches!(
        terminator,
        Terminator::Return
            | Terminator::Resume
            | Terminator::Unreachable
            | Terminator::Terminate(_)
    )
}

pub(super) fn set_goto(program: &mut Program, (function, block, target): &(usize, usize, usize)) {
    program.functions[*function].blocks[*block].terminator = Terminator::Goto(*target);
}

pub(super) enum Replacement {
    /// End the function or the cleanup here.
    End,
    Goto(usize),
    /// Remove an arm of a switch.
    Arm(usize),
    /// Remove a value of a record.
    Value(usize),
    Unwind(Unwind),
}

/// Simpler terminators: function, block, replacement.
pub(super) fn terminators(source: &Source) -> Vec<(usize, usize, Replacement)> {
    let program = &source.program;
    let each = blocks(program).flat_map(|(function, block)| {
        let all = replacements(&program.functions[function].blocks[block].terminator);
        all.into_iter().map(move |replacement| (function, block, replacement))
    });
    each.collect()
}

fn replacements(terminator: &Terminator) -> Vec<Replacement> {
    let mut all = vec![];
    if !is_end(terminator) {
        all.push(Replacement::End);
    }
    match terminator {
        Terminator::Switch { arms, .. } => {
            let mut targets = terminator.targets();
            targets.sort_unstable();
            targets.dedup();
            all.extend(targets.into_iter().map(Replacement::Goto));
            if arms.len() > 1 {
                all.extend((0..arms.len()).map(Replacement::Arm));
            }
        }
        Terminator::Record { values, .. } if values.len() > 1 => {
            all.extend((0..values.len()).map(Replacement::Value));
        }
        Terminator::Call { .. } | Terminator::Drop { .. } => {
            all.extend([Unwind::Unreachable, Unwind::Continue].map(Replacement::Unwind));
        }
        _ => {}
    }
    all
}

pub(super) fn replace_terminator(
    source: &Source,
    (function, block, replacement): (usize, usize, Replacement),
) -> Option<Program> {
    let mut smaller = source.program.clone();
    let block = &mut smaller.functions[function].blocks[block];
    match (replacement, &mut block.terminator) {
        (Replacement::End, terminator) => {
            *terminator = if block.cleanup { Terminator::Resume } else { Terminator::Return };
        }
        (Replacement::Goto(target), terminator) => *terminator = Terminator::Goto(target),
        (Replacement::Arm(arm), Terminator::Switch { arms, .. }) => {
            arms.remove(arm);
        }
        (Replacement::Value(value), Terminator::Record { values, .. }) => {
            values.remove(value);
        }
        (
            Replacement::Unwind(new),
            Terminator::Call { unwind, .. } | Terminator::Drop { unwind, .. },
        ) => {
            *unwind = new;
        }
        _ => return None,
    }
    Some(smaller)
}

#[derive(Clone, Copy)]
pub(super) enum BlockEdit {
    /// All blocks where it is possible.
    All,
    /// Merge a block with its only successor, which has no other predecessor: function, block.
    Merge(usize, usize),
    /// Remove an empty block that ends in a jump.
    Thread(usize, usize),
    /// Remove an empty block that equals an earlier one.
    Same(usize, usize),
    /// Remove an unreachable block.
    Drop(usize, usize),
}

pub(super) fn block_edits(source: &Source) -> Vec<BlockEdit> {
    let mut all = vec![BlockEdit::All];
    for (number, function) in source.program.functions.iter().enumerate() {
        let edges = edges(function);
        for block in 0..function.blocks.len() {
            if mergeable(function, &edges, block).is_some() {
                all.push(BlockEdit::Merge(number, block));
            }
            if edges[block] == 0 && block != 0 {
                all.push(BlockEdit::Drop(number, block));
            }
            if equal_block(function, block).is_some() {
                all.push(BlockEdit::Same(number, block));
            }
            if jump_target(function, block).is_some() {
                all.push(BlockEdit::Thread(number, block));
            }
        }
    }
    if all.len() == 1 { vec![] } else { all }
}

/// The number of edges to each block.
fn edges(function: &Function) -> Vec<usize> {
    let mut edges = vec![0; function.blocks.len()];
    for target in function.blocks.iter().flat_map(|it| it.terminator.targets()) {
        edges[target] += 1;
    }
    edges
}

/// The successor that a block can be merged with.
fn mergeable(function: &Function, edges: &[usize], block: usize) -> Option<usize> {
    match function.blocks[block].terminator {
        Terminator::Goto(next) if next != block && edges[next] == 1 => Some(next),
        _ => None,
    }
}

/// The target of an empty block that ends in a jump and is not the entry.
fn jump_target(function: &Function, block: usize) -> Option<usize> {
    let it = &function.blocks[block];
    match it.terminator {
        Terminator::Goto(next) if next != block && block != 0 && it.statements.is_empty() => {
            Some(next)
        }
        _ => None,
    }
}

/// An earlier block, not the entry, that equals an empty one.
fn equal_block(function: &Function, block: usize) -> Option<usize> {
    let it = &function.blocks[block];
    if !it.statements.is_empty() {
        return None;
    }
    (1..block).find(|other| function.blocks[*other] == *it)
}

pub(super) fn edit_blocks(source: &Source, edit: BlockEdit) -> Option<Program> {
    let mut smaller = source.program.clone();
    match edit {
        BlockEdit::All => smaller.functions.iter_mut().for_each(simplify_blocks),
        BlockEdit::Merge(function, block) => {
            let function = &mut smaller.functions[function];
            let next = mergeable(function, &edges(function), block)?;
            merge(function, block, next);
            drop_block(function, next);
        }
        BlockEdit::Thread(function, block) => {
            let function = &mut smaller.functions[function];
            let next = jump_target(function, block)?;
            redirect(function, block, next);
            drop_block(function, block);
        }
        BlockEdit::Same(function, block) => {
            let function = &mut smaller.functions[function];
            let other = equal_block(function, block)?;
            redirect(function, block, other);
            drop_block(function, block);
        }
        BlockEdit::Drop(function, block) => drop_block(&mut smaller.functions[function], block),
    }
    Some(smaller)
}

fn drop_block(function: &mut Function, block: usize) {
    function.blocks.remove(block);
    for target in function.blocks.iter_mut().flat_map(|it| it.terminator.targets_mut()) {
        *target -= usize::from(*target > block);
    }
}

/// Moves the content of the second block into the first one. The second stays behind, empty and unreachable.
fn merge(function: &mut Function, block: usize, next: usize) {
    let statements = std::mem::take(&mut function.blocks[next].statements);
    let end = if function.blocks[next].cleanup { Terminator::Resume } else { Terminator::Return };
    let terminator = std::mem::replace(&mut function.blocks[next].terminator, end);
    function.blocks[block].statements.extend(statements);
    function.blocks[block].terminator = terminator;
}

fn redirect(function: &mut Function, from: usize, to: usize) {
    let targets = function.blocks.iter_mut().flat_map(|it| it.terminator.targets_mut());
    targets.filter(|target| **target == from).for_each(|target| *target = to);
}

fn simplify_blocks(function: &mut Function) {
    drop_blocks(function);
    let mut edges = edges(function);
    for block in 0..function.blocks.len() {
        if let Some(to) = jump_target(function, block)
            && edges[block] > 0
        {
            redirect(function, block, to);
            edges[to] += edges[block] - 1;
            edges[block] = 0;
            // It is unreachable now, so its edge must not count.
            function.blocks[block].terminator = if function.blocks[block].cleanup {
                Terminator::Resume
            } else {
                Terminator::Return
            };
        }
    }
    for block in 0..function.blocks.len() {
        while let Some(next) = mergeable(function, &edges, block) {
            merge(function, block, next);
        }
    }
    drop_blocks(function);
}
