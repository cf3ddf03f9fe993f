//! The control flow graph of a function: predecessors, reverse postorder and dominators (Cooper, Harvey and
//! Kennedy's algorithm).

use crate::ir::{BlockId, Code};

#[derive(Clone, Debug)]
pub struct Cfg {
    predecessors: Vec<Vec<BlockId>>,
    /// Reachable blocks, each before its successors but for loops.
    order: Vec<BlockId>,
    /// The place of each block in that order; none if it is unreachable.
    places: Vec<Option<usize>>,
    /// The immediate dominator of each reachable block; the entry is its own.
    dominators: Vec<Option<BlockId>>,
}

impl Cfg {
    pub fn new(code: &Code) -> Self {
        let count = code.blocks.len();
        let successors: Vec<Vec<BlockId>> = code
            .blocks
            .iter()
            .map(|block| block.terminator().map(|it| it.op.successors()).unwrap_or_default())
            .collect();
        let mut predecessors = vec![vec![]; count];
        for block in code.block_ids() {
            for to in &successors[block.0 as usize] {
                if let Some(from) = predecessors.get_mut(to.0 as usize) {
                    from.push(block);
                }
            }
        }
        let order = reverse_postorder(&successors);
        let mut places = vec![None; count];
        for (place, block) in order.iter().enumerate() {
            places[block.0 as usize] = Some(place);
        }
        let mut cfg = Self { predecessors, order, places, dominators: vec![None; count] };
        cfg.find_dominators();
        cfg
    }

    /// The blocks that lead to a block, once for each edge.
    pub fn predecessors(&self, block: BlockId) -> &[BlockId] {
        &self.predecessors[block.0 as usize]
    }

    /// Reachable blocks in reverse postorder.
    pub fn order(&self) -> &[BlockId] {
        &self.order
    }

    pub fn is_reachable(&self, block: BlockId) -> bool {
        self.places.get(block.0 as usize).is_some_and(Option::is_some)
    }

    /// Whether every way from the entry to `b` leads through `a`. An unreachable block dominates nothing,
    /// and is dominated by every block.
    pub fn dominates(&self, a: BlockId, b: BlockId) -> bool {
        if !self.is_reachable(b) {
            return true;
        }
        let mut at = b;
        loop {
            if at == a {
                return true;
            }
            match self.dominators[at.0 as usize] {
                Some(next) if next != at => at = next,
                _ => return false,
            }
        }
    }

    fn find_dominators(&mut self) {
        let Some(&entry) = self.order.first() else { return };
        self.dominators[entry.0 as usize] = Some(entry);
        loop {
            let mut changed = false;
            for at in 1..self.order.len() {
                let block = self.order[at];
                let mut dominator: Option<BlockId> = None;
                for &from in &self.predecessors[block.0 as usize] {
                    if self.dominators[from.0 as usize].is_some() {
                        dominator = Some(match dominator {
                            None => from,
                            Some(other) => self.meet(from, other),
                        });
                    }
                }
                if dominator != self.dominators[block.0 as usize] {
                    self.dominators[block.0 as usize] = dominator;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// The nearest block that dominates both.
    fn meet(&self, mut a: BlockId, mut b: BlockId) -> BlockId {
        let place = |block: BlockId| self.places[block.0 as usize].unwrap_or(0);
        let up = |block: BlockId| self.dominators[block.0 as usize].unwrap_or(block);
        while a != b {
            while place(a) > place(b) {
                a = up(a);
            }
            while place(b) > place(a) {
                b = up(b);
            }
        }
        a
    }
}

fn reverse_postorder(successors: &[Vec<BlockId>]) -> Vec<BlockId> {
    if successors.is_empty() {
        return vec![];
    }
    let mut seen = vec![false; successors.len()];
    let mut order = vec![];
    let mut stack = vec![(BlockId(0), 0)];
    seen[0] = true;
    while let Some((block, next)) = stack.pop() {
        match successors[block.0 as usize].get(next) {
            Some(&to) => {
                stack.push((block, next + 1));
                if seen.get(to.0 as usize) == Some(&false) {
                    seen[to.0 as usize] = true;
                    stack.push((to, 0));
                }
            }
            None => order.push(block),
        }
    }
    order.reverse();
    order
}
