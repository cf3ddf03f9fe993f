//! rustc wants the cleanup blocks of a function to be a tree that leads outwards: those that one of them
//! dominates count as one, each of these leads to at most one other, and not around in a circle.

use super::super::program::Function;
use super::{Check, ensure};

pub(super) fn check(function: &Function) -> Check {
    let blocks = &function.blocks;
    if !blocks.iter().any(|block| block.cleanup) {
        return Ok(());
    }
    let above = dominators(function);
    // The outermost cleanup block that dominates each.
    let mut root: Vec<Option<usize>> = vec![None; blocks.len()];
    for block in 0..blocks.len() {
        if !blocks[block].cleanup || above[block].is_none() {
            continue;
        }
        let mut at = block;
        while let Some(up) = above[at].filter(|up| blocks[*up].cleanup) {
            at = up;
        }
        root[block] = Some(at);
    }
    let mut next: Vec<Option<usize>> = vec![None; blocks.len()];
    for (block, from) in root.iter().enumerate() {
        let Some(from) = *from else { continue };
        for target in blocks[block].terminator.targets() {
            let Some(to) = root[target].filter(|to| *to != from) else { continue };
            let first = *next[from].get_or_insert(to);
            ensure(first == to, "cleanup that leads to more than one place")?;
        }
    }
    for start in 0..blocks.len() {
        let mut at = start;
        for _ in 0..=blocks.len() {
            match next[at] {
                Some(to) => at = to,
                None => break,
            }
            ensure(at != start, "cleanup that goes around in a circle")?;
        }
    }
    Ok(())
}

/// The immediate dominator of each block; the first has itself, those that nothing leads to have none.
fn dominators(function: &Function) -> Vec<Option<usize>> {
    let order = backwards(function);
    let mut rank = vec![usize::MAX; function.blocks.len()];
    for (place, block) in order.iter().rev().enumerate() {
        rank[*block] = place;
    }
    let mut from: Vec<Vec<usize>> = vec![vec![]; function.blocks.len()];
    for block in &order {
        for target in function.blocks[*block].terminator.targets() {
            from[target].push(*block);
        }
    }
    let mut above: Vec<Option<usize>> = vec![None; function.blocks.len()];
    above[0] = Some(0);
    let mut changed = true;
    while changed {
        changed = false;
        for block in order.iter().rev().filter(|block| **block != 0) {
            let known = from[*block].iter().copied().filter(|it| above[*it].is_some());
            let new = known.reduce(|one, other| meet(&above, &rank, one, other));
            if new != above[*block] {
                above[*block] = new;
                changed = true;
            }
        }
    }
    above
}

/// The nearest block that dominates two.
fn meet(above: &[Option<usize>], rank: &[usize], mut one: usize, mut other: usize) -> usize {
    while one != other {
        let lower = if rank[one] > rank[other] { &mut one } else { &mut other };
        *lower = above[*lower].unwrap_or(0);
    }
    one
}

/// The blocks that can be reached, each after those that it leads to (but for loops).
fn backwards(function: &Function) -> Vec<usize> {
    let mut order = vec![];
    let mut seen = vec![false; function.blocks.len()];
    let mut open = vec![(0, false)];
    while let Some((block, done)) = open.pop() {
        if done {
            order.push(block);
        } else if !std::mem::replace(&mut seen[block], true) {
            open.push((block, true));
            let targets = function.blocks[block].terminator.targets();
            open.extend(targets.into_iter().map(|target| (target, false)));
        }
    }
    order
}
