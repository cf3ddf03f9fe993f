//! The order in which blocks are encoded: each after all that lead to it, loops as wholes.

use crate::ir::{BlockId, Code};

/// A block, or a loop with a single entry.
#[derive(Clone, Debug)]
pub(super) enum Piece {
    Block(BlockId),
    Loop(Loop),
}

#[derive(Clone, Debug)]
pub(super) struct Loop {
    pub(super) header: BlockId,
    /// All of its blocks, those of inner loops as well.
    pub(super) blocks: Vec<BlockId>,
    /// The header first. Edges back to the header are not followed.
    pub(super) body: Vec<Piece>,
}

/// The reachable blocks in order; none if a loop has several entries.
pub(super) fn order(code: &Code) -> Option<Vec<Piece>> {
    if code.blocks.is_empty() {
        return None;
    }
    let mut successors = vec![];
    for block in code.block_ids() {
        successors.push(code.block(block).terminator()?.op.successors());
    }
    let graph = Graph { successors };
    graph.pieces(BlockId(0), &vec![true; code.blocks.len()])
}

struct Graph {
    successors: Vec<Vec<BlockId>>,
}

/// Tarjan's algorithm for strongly connected components, with a stack of its own.
struct Search<'a> {
    graph: &'a Graph,
    entry: BlockId,
    inside: &'a [bool],
    index: Vec<Option<u32>>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    stack: Vec<BlockId>,
    next: u32,
    components: Vec<Vec<BlockId>>,
}

impl Graph {
    /// The pieces of a part of the graph that is entered at one block; edges back to it do not count.
    fn pieces(&self, entry: BlockId, inside: &[bool]) -> Option<Vec<Piece>> {
        let count = self.successors.len();
        let mut search = Search {
            graph: self,
            entry,
            inside,
            index: vec![None; count],
            low: vec![0; count],
            on_stack: vec![false; count],
            stack: vec![],
            next: 0,
            components: vec![],
        };
        search.run();
        let mut components = search.components;
        components.reverse();
        components.into_iter().map(|component| self.piece(entry, inside, component)).collect()
    }

    fn piece(&self, entry: BlockId, inside: &[bool], component: Vec<BlockId>) -> Option<Piece> {
        let first = *component.first()?;
        let successors = |block: BlockId| &self.successors[block.0 as usize];
        // Edges to the entry were cut, but at the outermost level it may have predecessors, too.
        if component.len() == 1 && (first == entry || !successors(first).contains(&first)) {
            return Some(Piece::Block(first));
        }
        let mut members = vec![false; self.successors.len()];
        component.iter().for_each(|block| members[block.0 as usize] = true);
        let mut headers: Vec<BlockId> = vec![];
        for (from, to) in self.successors.iter().enumerate() {
            if inside[from] && !members[from] {
                headers.extend(to.iter().filter(|it| members[it.0 as usize]));
            }
        }
        headers.sort_unstable();
        headers.dedup();
        let [header] = headers.as_slice() else { return None };
        let body = self.pieces(*header, &members)?;
        Some(Piece::Loop(Loop { header: *header, blocks: component, body }))
    }
}

impl Search<'_> {
    fn run(&mut self) {
        // Frames: a block, and how many of its successors were visited.
        let mut frames = vec![(self.entry, 0)];
        self.open(self.entry);
        while let Some((block, at)) = frames.pop() {
            let own = block.0 as usize;
            let Some(&to) = self.graph.successors[own].get(at) else {
                self.close(block);
                if let Some((parent, _)) = frames.last() {
                    let parent = parent.0 as usize;
                    self.low[parent] = self.low[parent].min(self.low[own]);
                }
                continue;
            };
            frames.push((block, at + 1));
            let next = to.0 as usize;
            if to == self.entry || !self.inside[next] {
                continue;
            }
            match self.index[next] {
                None => {
                    self.open(to);
                    frames.push((to, 0));
                }
                Some(index) if self.on_stack[next] => self.low[own] = self.low[own].min(index),
                Some(_) => {}
            }
        }
    }

    fn open(&mut self, block: BlockId) {
        let at = block.0 as usize;
        self.index[at] = Some(self.next);
        self.low[at] = self.next;
        self.next += 1;
        self.on_stack[at] = true;
        self.stack.push(block);
    }

    fn close(&mut self, block: BlockId) {
        let at = block.0 as usize;
        if self.index[at] != Some(self.low[at]) {
            return;
        }
        let mut component = vec![];
        while let Some(top) = self.stack.pop() {
            self.on_stack[top.0 as usize] = false;
            component.push(top);
            if top == block {
                break;
            }
        }
        self.components.push(component);
    }
}
