//! Straighter control flow.

use super::super::program::{Function, Operand, Program, Terminator, Unwind};
use super::functions::past;
use super::sweep::drop_blocks;
use super::{Source, blocks, runs};

fn can_be_skipped(terminator: &Terminator) -> bool {
    matches!(
        terminator,
        Terminator::Call { .. } | Terminator::Drop { .. } | Terminator::Record { .. }
    )
}

/// Runs of calls, drops and records that are jumped over: the first and how many.
pub(super) fn jumps(source: &Source) -> Vec<(usize, usize)> {
    let all = source.program.functions.iter().flat_map(|it| &it.blocks);
    runs(all.filter(|block| can_be_skipped(&block.terminator)).count())
}

pub(super) fn skip(source: &Source, (start, length): (usize, usize)) -> Option<Program> {
    let mut smaller = source.program.clone();
    let all = smaller.functions.iter_mut().flat_map(|it| &mut it.blocks);
    let skipped = all.filter(|block| can_be_skipped(&block.terminator)).skip(start).take(length);
    skipped.for_each(|block| block.terminator = past(&block.terminator));
    Some(smaller)
}

/// Switches that went the same way each time: function, block, and where to.
pub(super) fn ways(source: &Source) -> Vec<(usize, usize, usize)> {
    let program = &source.program;
    let way = |(function, number): (usize, usize)| {
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
    blocks(program).filter_map(way).collect()
}

/// Blocks with which a function or cleanup could end: function, block.
pub(super) fn ends(source: &Source) -> Vec<(usize, usize)> {
    let program = &source.program;
    let goes_on = |(function, block): &(usize, usize)| {
        !is_end(&program.functions[*function].blocks[*block].terminator)
    };
    blocks(program).filter(goes_on).collect()
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

pub(super) fn go(program: &mut Program, (function, block, target): &(usize, usize, usize)) {
    program.functions[*function].blocks[*block].terminator = Terminator::Goto(*target);
}

pub(super) enum Turn {
    /// The function ends here, or the cleanup.
    End,
    Goto(usize),
    /// Without an arm of a switch.
    Arm(usize),
    /// Without a value of a record.
    Value(usize),
    Unwind(Unwind),
}

/// Other terminators: function, block.
pub(super) fn turns(source: &Source) -> Vec<(usize, usize, Turn)> {
    let program = &source.program;
    let each = blocks(program).flat_map(|(function, block)| {
        let all = turns_of(&program.functions[function].blocks[block].terminator);
        all.into_iter().map(move |turn| (function, block, turn))
    });
    each.collect()
}

fn turns_of(terminator: &Terminator) -> Vec<Turn> {
    let mut all = vec![];
    if !is_end(terminator) {
        all.push(Turn::End);
    }
    match terminator {
        Terminator::Switch { arms, .. } => {
            let mut targets = terminator.targets();
            targets.sort_unstable();
            targets.dedup();
            all.extend(targets.into_iter().map(Turn::Goto));
            if arms.len() > 1 {
                all.extend((0..arms.len()).map(Turn::Arm));
            }
        }
        Terminator::Record { values, .. } if values.len() > 1 => {
            all.extend((0..values.len()).map(Turn::Value));
        }
        Terminator::Call { .. } | Terminator::Drop { .. } => {
            all.extend([Unwind::Unreachable, Unwind::Continue].map(Turn::Unwind));
        }
        _ => {}
    }
    all
}

pub(super) fn turn(
    source: &Source,
    (function, block, turn): (usize, usize, Turn),
) -> Option<Program> {
    let mut smaller = source.program.clone();
    let block = &mut smaller.functions[function].blocks[block];
    match (turn, &mut block.terminator) {
        (Turn::End, terminator) => {
            *terminator = if block.cleanup { Terminator::Resume } else { Terminator::Return };
        }
        (Turn::Goto(target), terminator) => *terminator = Terminator::Goto(target),
        (Turn::Arm(arm), Terminator::Switch { arms, .. }) => {
            arms.remove(arm);
        }
        (Turn::Value(value), Terminator::Record { values, .. }) => {
            values.remove(value);
        }
        (Turn::Unwind(new), Terminator::Call { unwind, .. } | Terminator::Drop { unwind, .. }) => {
            *unwind = new;
        }
        _ => return None,
    }
    Some(smaller)
}

#[derive(Clone, Copy)]
pub(super) enum Joint {
    /// All blocks that can be.
    All,
    /// A block with the only block that it leads to, to which nothing else does: function, block.
    Merge(usize, usize),
    /// An empty block that only jumps on goes away.
    Thread(usize, usize),
    /// An empty block goes away, because an earlier one is the same.
    Same(usize, usize),
    /// A block that nothing leads to goes away.
    Drop(usize, usize),
}

pub(super) fn joints(source: &Source) -> Vec<Joint> {
    let mut all = vec![Joint::All];
    for (number, function) in source.program.functions.iter().enumerate() {
        let entries = entries(function);
        for block in 0..function.blocks.len() {
            if next(function, &entries, block).is_some() {
                all.push(Joint::Merge(number, block));
            }
            if entries[block] == 0 && block != 0 {
                all.push(Joint::Drop(number, block));
            }
            if same(function, block).is_some() {
                all.push(Joint::Same(number, block));
            }
            if thread(function, block).is_some() {
                all.push(Joint::Thread(number, block));
            }
        }
    }
    if all.len() == 1 { vec![] } else { all }
}

/// How many jumps lead to each block.
fn entries(function: &Function) -> Vec<usize> {
    let mut entries = vec![0; function.blocks.len()];
    for target in function.blocks.iter().flat_map(|it| it.terminator.targets()) {
        entries[target] += 1;
    }
    entries
}

/// The block that one can be merged with.
fn next(function: &Function, entries: &[usize], block: usize) -> Option<usize> {
    match function.blocks[block].terminator {
        Terminator::Goto(next) if next != block && entries[next] == 1 => Some(next),
        _ => None,
    }
}

/// Where an empty block that is not the first jumps to.
fn thread(function: &Function, block: usize) -> Option<usize> {
    let it = &function.blocks[block];
    match it.terminator {
        Terminator::Goto(next) if next != block && block != 0 && it.statements.is_empty() => {
            Some(next)
        }
        _ => None,
    }
}

/// An earlier block, not the first, that is the same as an empty one.
fn same(function: &Function, block: usize) -> Option<usize> {
    let it = &function.blocks[block];
    if !it.statements.is_empty() {
        return None;
    }
    (1..block).find(|other| function.blocks[*other] == *it)
}

pub(super) fn join(source: &Source, joint: Joint) -> Option<Program> {
    let mut smaller = source.program.clone();
    match joint {
        Joint::All => smaller.functions.iter_mut().for_each(join_all),
        Joint::Merge(function, block) => {
            let function = &mut smaller.functions[function];
            let next = next(function, &entries(function), block)?;
            merge(function, block, next);
            drop_block(function, next);
        }
        Joint::Thread(function, block) => {
            let function = &mut smaller.functions[function];
            let next = thread(function, block)?;
            redirect(function, block, next);
            drop_block(function, block);
        }
        Joint::Same(function, block) => {
            let function = &mut smaller.functions[function];
            let other = same(function, block)?;
            redirect(function, block, other);
            drop_block(function, block);
        }
        Joint::Drop(function, block) => drop_block(&mut smaller.functions[function], block),
    }
    Some(smaller)
}

fn drop_block(function: &mut Function, block: usize) {
    function.blocks.remove(block);
    for target in function.blocks.iter_mut().flat_map(|it| it.terminator.targets_mut()) {
        *target -= usize::from(*target > block);
    }
}

/// The second block is left empty, and nothing leads to it.
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

fn join_all(function: &mut Function) {
    drop_blocks(function);
    let mut entries = entries(function);
    for block in 0..function.blocks.len() {
        if let Some(to) = thread(function, block)
            && entries[block] > 0
        {
            redirect(function, block, to);
            entries[to] += entries[block] - 1;
            entries[block] = 0;
            // Nothing leads to it, so it does not count as a way to where it jumped.
            function.blocks[block].terminator = if function.blocks[block].cleanup {
                Terminator::Resume
            } else {
                Terminator::Return
            };
        }
    }
    for block in 0..function.blocks.len() {
        while let Some(next) = next(function, &entries, block) {
            merge(function, block, next);
        }
    }
    drop_blocks(function);
}
