//! The control flow of a function: predecessors, reverse postorder, dominators. Computed once from the code;
//! whoever changes the code computes it again.

use crate::ir::{BlockId, Code};

/// The control-flow graph of a function, with dominators.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cfg {
    successors: Vec<Vec<BlockId>>,
    predecessors: Vec<Vec<BlockId>>,
    order: Vec<BlockId>,
    /// The place of a block in the order, if it is reachable.
    position: Vec<Option<u32>>,
    /// The immediate dominator of every reachable block but the entry.
    dominator: Vec<Option<BlockId>>,
    /// When a walk over the tree of dominators enters and leaves a block.
    interval: Vec<(u32, u32)>,
}

impl Cfg {
    /// Blocks that do not exist are ignored as successors.
    pub fn new(code: &Code) -> Self {
        let count = code.blocks.len();
        let mut successors: Vec<Vec<BlockId>> = Vec::with_capacity(count);
        let mut predecessors = vec![vec![]; count];
        for (index, block) in code.blocks.iter().enumerate() {
            let mut to = block.terminator().map_or_else(Vec::new, |last| last.op.successors());
            to.retain(|block| (block.0 as usize) < count);
            for block in &to {
                predecessors[block.0 as usize].push(BlockId(index as u32));
            }
            successors.push(to);
        }
        let order = reverse_postorder(&successors);
        let mut position = vec![None; count];
        for (place, block) in order.iter().enumerate() {
            position[block.0 as usize] = Some(place as u32);
        }
        let dominator = dominators(&order, &position, &predecessors);
        let interval = intervals(&order, &dominator);
        Self { successors, predecessors, order, position, dominator, interval }
    }

    /// With repetitions, as the terminator names them.
    pub fn successors(&self, block: BlockId) -> &[BlockId] {
        &self.successors[block.0 as usize]
    }

    /// With repetitions, one for each edge; unreachable blocks included.
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        &self.predecessors[block.0 as usize]
    }

    /// The reachable blocks; every block but the heads of loops comes after its predecessors.
    pub fn reverse_postorder(&self) -> &[BlockId] {
        &self.order
    }

    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.position[block.0 as usize].is_some()
    }

    /// The immediate dominator; none for the entry and for unreachable blocks.
    pub fn dominator(&self, block: BlockId) -> Option<BlockId> {
        self.dominator[block.0 as usize]
    }

    /// Whether every path from the entry to `block` goes through `by`. A block dominates itself, and every
    /// block dominates an unreachable one.
    pub fn dominates(&self, by: BlockId, block: BlockId) -> bool {
        if !self.is_reachable(block) {
            return true;
        }
        if !self.is_reachable(by) {
            return false;
        }
        let (outer, inner) = (self.interval[by.0 as usize], self.interval[block.0 as usize]);
        outer.0 <= inner.0 && inner.1 <= outer.1
    }

    /// Whether a reachable block can be reached from itself.
    pub fn has_loop(&self) -> bool {
        self.order.iter().any(|block| {
            let from = self.position[block.0 as usize];
            self.successors(*block).iter().any(|to| self.position[to.0 as usize] <= from)
        })
    }

    /// Whether a reachable loop can be entered at more than one block.
    pub fn is_irreducible(&self) -> bool {
        self.order.iter().any(|block| {
            let from = self.position[block.0 as usize];
            let goes_back = |to: &&BlockId| self.position[to.0 as usize] <= from;
            self.successors(*block).iter().filter(goes_back).any(|to| !self.dominates(*to, *block))
        })
    }
}

fn reverse_postorder(successors: &[Vec<BlockId>]) -> Vec<BlockId> {
    let mut order = Vec::with_capacity(successors.len());
    if successors.is_empty() {
        return order;
    }
    let mut is_seen = vec![false; successors.len()];
    is_seen[0] = true;
    // A block and how many of its successors have been followed.
    let mut path = vec![(BlockId(0), 0)];
    while let Some((block, followed)) = path.last_mut() {
        match successors[block.0 as usize].get(*followed) {
            Some(next) => {
                *followed += 1;
                if !std::mem::replace(&mut is_seen[next.0 as usize], true) {
                    path.push((*next, 0));
                }
            }
            None => {
                order.push(*block);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}

/// The algorithm of Cooper, Harvey and Kennedy.
fn dominators(
    order: &[BlockId],
    position: &[Option<u32>],
    predecessors: &[Vec<BlockId>],
) -> Vec<Option<BlockId>> {
    // By places in the order, which the entry has at 0.
    let mut dominator: Vec<Option<u32>> = vec![None; order.len()];
    if let Some(entry) = dominator.first_mut() {
        *entry = Some(0);
    }
    let mut changes = true;
    while changes {
        changes = false;
        for place in 1..order.len() {
            let mut common: Option<u32> = None;
            for from in &predecessors[order[place].0 as usize] {
                let Some(from) = position[from.0 as usize] else { continue };
                if dominator[from as usize].is_none() {
                    continue;
                }
                common = Some(common.map_or(from, |other| intersect(&dominator, from, other)));
            }
            if common != dominator[place] {
                dominator[place] = common;
                changes = true;
            }
        }
    }
    let mut by_block = vec![None; position.len()];
    for (place, block) in order.iter().enumerate().skip(1) {
        by_block[block.0 as usize] = dominator[place].map(|place| order[place as usize]);
    }
    by_block
}

/// The nearest common dominator. Dominators have smaller places.
fn intersect(dominator: &[Option<u32>], mut a: u32, mut b: u32) -> u32 {
    while a != b {
        let above = |place: u32| dominator[place as usize].unwrap_or(0);
        if a > b {
            a = above(a);
        } else {
            b = above(b);
        }
    }
    a
}

fn intervals(order: &[BlockId], dominator: &[Option<BlockId>]) -> Vec<(u32, u32)> {
    let count = dominator.len();
    let mut children = vec![vec![]; count];
    for block in order {
        if let Some(parent) = dominator[block.0 as usize] {
            children[parent.0 as usize].push(*block);
        }
    }
    let mut interval = vec![(0, 0); count];
    let Some(entry) = order.first() else { return interval };
    let mut time = 0;
    let mut path = vec![(*entry, 0)];
    while let Some((block, followed)) = path.last_mut() {
        if *followed == 0 {
            interval[block.0 as usize].0 = time;
            time += 1;
        }
        match children[block.0 as usize].get(*followed) {
            Some(child) => {
                *followed += 1;
                path.push((*child, 0));
            }
            None => {
                interval[block.0 as usize].1 = time;
                path.pop();
            }
        }
    }
    interval
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::Module;

    /// The control flow of a function with blocks `b0`, `b1`, … and these successors.
    fn cfg(successors: &[&[u32]]) -> Cfg {
        let mut text = "define void @f(i8 %x) {\n".to_owned();
        for (index, to) in successors.iter().enumerate() {
            text += &format!("b{index}:\n");
            match to {
                [] => text += "  ret void\n",
                [first, rest @ ..] => {
                    text += &format!("  switch i8 %x, label %b{first} [\n");
                    for (case, block) in rest.iter().enumerate() {
                        text += &format!("    i8 {case}, label %b{block}\n");
                    }
                    text += "  ]\n";
                }
            }
        }
        let module = Module::parse(&(text + "}\n")).unwrap();
        Cfg::new(module.functions[0].code().unwrap())
    }

    #[test]
    fn a_loop_with_two_entries_is_irreducible() {
        assert!(cfg(&[&[1, 2], &[2], &[1, 3], &[]]).is_irreducible());
        // One entry, two ways back; and one that is entered twice but cannot be reached.
        assert!(!cfg(&[&[1], &[1, 2], &[1, 3], &[]]).is_irreducible());
        assert!(!cfg(&[&[], &[2, 3], &[3], &[2]]).is_irreducible());
    }

    /// By removing the block and looking whether the other can still be reached.
    fn dominates_by_definition(cfg: &Cfg, by: BlockId, block: BlockId) -> bool {
        let mut pending = vec![BlockId(0)];
        let mut seen = vec![];
        while let Some(next) = pending.pop() {
            if next == by || seen.contains(&next) {
                continue;
            }
            seen.push(next);
            pending.extend_from_slice(cfg.successors(next));
        }
        !seen.contains(&block)
    }

    #[test]
    fn dominators_are_as_defined() {
        for successors in [
            &[&[][..]][..],
            &[&[1, 2], &[3], &[3], &[]],
            &[&[1], &[2, 4], &[3, 1], &[1, 2], &[]],
            &[&[1, 2], &[2], &[1, 3], &[], &[3, 1]],
            &[&[5, 3], &[2], &[1, 4], &[2, 4], &[3, 6], &[4], &[6, 5]],
            &[&[1, 1], &[1, 2], &[]],
        ] {
            let cfg = cfg(successors);
            let blocks = || (0..successors.len() as u32).map(BlockId);
            for (by, block) in blocks().flat_map(|by| blocks().map(move |block| (by, block))) {
                let expected = dominates_by_definition(&cfg, by, block);
                assert_eq!(cfg.dominates(by, block), expected, "{by:?} {block:?} {successors:?}");
            }
        }
    }

    #[test]
    fn unreachable_blocks_and_loops_are_found() {
        let straight = cfg(&[&[2], &[2], &[]]);
        assert!(!straight.is_reachable(BlockId(1)) && !straight.has_loop());
        assert_eq!(straight.predecessors(BlockId(2)), [BlockId(0), BlockId(1)]);
        assert_eq!(straight.dominator(BlockId(2)), Some(BlockId(0)));
        assert!(cfg(&[&[1], &[1, 2], &[]]).has_loop());
    }
}
