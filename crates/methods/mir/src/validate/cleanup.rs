//! Checks rustc's rule for the control flow of cleanup blocks. A funclet is an outermost cleanup block with all cleanup
//! blocks that it dominates. Each funclet may have at most one successor funclet, and funclets must not form a cycle.

use super::super::program::Function;
use super::{Check, ensure};

pub(super) fn check(function: &Function) -> Check {
    let blocks = &function.blocks;
    if !blocks.iter().any(|block| block.cleanup) {
        return Ok(());
    }
    let dominator = dominators(function);
    // The funclet of each block: the outermost cleanup block that dominates it.
    let mut funclet: Vec<Option<usize>> = vec![None; blocks.len()];
    for block in 0..blocks.len() {
        if !blocks[block].cleanup || dominator[block].is_none() {
            continue;
        }
        let mut at = block;
        while let Some(up) = dominator[at].filter(|up| blocks[*up].cleanup) {
            at = up;
        }
        funclet[block] = Some(at);
    }
    let mut successor: Vec<Option<usize>> = vec![None; blocks.len()];
    for (block, from) in funclet.iter().enumerate() {
        let Some(from) = *from else { continue };
        for target in blocks[block].terminator.targets() {
            let Some(to) = funclet[target].filter(|to| *to != from) else { continue };
            let first = *successor[from].get_or_insert(to);
            ensure(first == to, "cleanup funclet with several successors")?;
        }
    }
    for start in 0..blocks.len() {
        let mut at = start;
        for _ in 0..=blocks.len() {
            match successor[at] {
                Some(to) => at = to,
                None => break,
            }
            ensure(at != start, "cleanup funclets form a cycle")?;
        }
    }
    Ok(())
}

/// The immediate dominator of each block. That of the first block is itself, an unreachable block has none.
fn dominators(function: &Function) -> Vec<Option<usize>> {
    let order = postorder(function);
    let mut rank = vec![usize::MAX; function.blocks.len()];
    for (place, block) in order.iter().rev().enumerate() {
        rank[*block] = place;
    }
    let mut predecessors: Vec<Vec<usize>> = vec![vec![]; function.blocks.len()];
    for block in &order {
        for target in function.blocks[*block].terminator.targets() {
            predecessors[target].push(*block);
        }
    }
    let mut dominator: Vec<Option<usize>> = vec![None; function.blocks.len()];
    dominator[0] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for block in order.iter().rev().filter(|block| **block != 0) {
            let known = predecessors[*block].iter().copied().filter(|it| dominator[*it].is_some());
            let new = known.reduce(|one, other| common_dominator(&dominator, &rank, one, other));
            if new != dominator[*block] {
                dominator[*block] = new;
                changed = true;
            }
        }
    }
    dominator
}

/// The nearest common dominator of two blocks.
fn common_dominator(
    dominator: &[Option<usize>],
    rank: &[usize],
    mut one: usize,
    mut other: usize,
) -> usize {
    while one != other {
        let lower = if rank[one] > rank[other] { &mut one } else { &mut other };
        *lower = dominator[*lower].unwrap_or(0);
    }
    one
}

/// The reachable blocks in postorder.
fn postorder(function: &Function) -> Vec<usize> {
    let mut order = vec![];
    let mut seen = vec![false; function.blocks.len()];
    let mut stack = vec![(0, false)];
    while let Some((block, done)) = stack.pop() {
        if done {
            order.push(block);
        } else if !std::mem::replace(&mut seen[block], true) {
            stack.push((block, true));
            let targets = function.blocks[block].terminator.targets();
            stack.extend(targets.into_iter().map(|target| (target, false)));
        }
    }
    order
}
