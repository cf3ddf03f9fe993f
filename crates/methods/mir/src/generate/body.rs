//! The function under construction: its locals, its blocks, the current block, and an index of its places by type.

use super::super::interpret::{Frame, Scope};
use super::super::program::{Block, Function, Inlining, Local, Statement, Terminator};
use super::super::types::{TypeId, Types};
use super::places::{Paths, Purpose};

pub(super) struct Body {
    pub(super) number: usize,
    pub(super) locals: Vec<TypeId>,
    parameters: usize,
    pub(super) blocks: Vec<Block>,
    /// The block that statements are appended to.
    pub(super) current: usize,
    pub(super) frame: Frame,
    /// How many values a local's value depends on, up to [`MAX_COMPLEXITY`].
    pub(super) complexity: Vec<u32>,
    /// Locals that random statements must not write, such as loop counters.
    pub(super) reserved: Vec<bool>,
    /// Locals with storage markers.
    pub(super) marked: Vec<Local>,
    /// Locals of type `usize` that were made as array indices.
    pub(super) indices: Vec<Local>,
    /// The `usize` counters of the enclosing loops, and their exclusive upper bounds.
    pub(super) counters: Vec<(Local, u64)>,
    /// The number of enclosing loops.
    pub(super) loops: usize,
    /// Printed lines so far.
    pub(super) lines: i64,
    /// The places of each type: a local, whether it is dereferenced, and a path.
    pub(super) index: Vec<Vec<Entry>>,
    /// The types of the entries in the order of insertion, so that a reset can remove the latest ones.
    index_log: Vec<u32>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub(super) local: u32,
    pub(super) path: u16,
    pub(super) deref: bool,
}

/// The maximum complexity of a local.
pub(super) const MAX_COMPLEXITY: u32 = 100;

/// The state of a body, to return to.
pub(super) struct Mark {
    locals: usize,
    blocks: usize,
    current: usize,
    statements: usize,
    marked: usize,
    indices: usize,
    counters: usize,
    lines: i64,
    index_log: usize,
    frame: Frame,
}

impl Body {
    pub(super) fn new(number: usize, signature: &[TypeId], frame: Frame) -> Self {
        let mut body = Self {
            number,
            locals: signature.to_vec(),
            parameters: signature.len() - 1,
            blocks: vec![],
            current: 0,
            frame,
            complexity: vec![10; signature.len()],
            reserved: vec![false; signature.len()],
            marked: vec![],
            indices: vec![],
            counters: vec![],
            loops: 0,
            // The lines around the blocks, and the array of recorded words.
            lines: 8,
            index: vec![],
            index_log: vec![],
        };
        body.open();
        body
    }

    /// A new local that is not in the index, so that random statements do not use it.
    pub(super) fn declare(&mut self, of: TypeId) -> Local {
        self.locals.push(of);
        self.complexity.push(1);
        self.reserved.push(false);
        self.lines += 1;
        self.locals.len() - 1
    }

    pub(super) fn scope<'a>(&'a self, types: &'a Types) -> Scope<'a> {
        Scope { types, locals: &self.locals }
    }

    /// The return type, then the types of the parameters.
    pub(super) fn signature(&self) -> &[TypeId] {
        &self.locals[..=self.parameters]
    }

    /// Puts a local's places into the index.
    pub(super) fn index_places(&mut self, local: Local, types: &Types, paths: &mut Paths) {
        let of = self.locals[local];
        let mut add = |root: TypeId, deref: bool| {
            for (number, path) in paths.of(root, types).iter().enumerate() {
                let slot = path.of.0 as usize;
                if self.index.len() <= slot {
                    self.index.resize_with(slot + 1, Vec::new);
                }
                self.index[slot].push(Entry { local: local as u32, path: number as u16, deref });
                self.index_log.push(path.of.0);
            }
        };
        add(of, false);
        if let Some(to) = types.pointee(of) {
            add(to, true);
        }
    }

    /// Whether a local may be used for a purpose. A dead block does not use locals with storage markers: it is not
    /// executed, but rustc checks that their storage is live.
    pub(super) fn allows(&self, local: Local, purpose: Purpose) -> bool {
        match purpose {
            Purpose::Read => true,
            Purpose::Write | Purpose::Borrow => !self.reserved[local],
            Purpose::DeadBlock => !self.reserved[local] && !self.marked.contains(&local),
        }
    }

    /// A new, empty block. It is a cleanup block if the current one is. It prints as four lines: its declaration, two
    /// braces and the terminator.
    pub(super) fn open(&mut self) -> usize {
        self.lines += 4;
        let cleanup = self.blocks.get(self.current).is_some_and(|block| block.cleanup);
        self.blocks.push(Block { cleanup, statements: vec![], terminator: Terminator::Return });
        self.blocks.len() - 1
    }

    pub(super) fn push(&mut self, statement: Statement) {
        self.lines += 1;
        self.blocks[self.current].statements.push(statement);
    }

    /// Sets the terminator of the current block.
    pub(super) fn close(&mut self, terminator: Terminator) {
        self.blocks[self.current].terminator = terminator;
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            locals: self.locals.len(),
            blocks: self.blocks.len(),
            current: self.current,
            statements: self.blocks[self.current].statements.len(),
            marked: self.marked.len(),
            indices: self.indices.len(),
            counters: self.counters.len(),
            lines: self.lines,
            index_log: self.index_log.len(),
            frame: self.frame.clone(),
        }
    }

    /// Undoes everything since the mark. Of the older blocks, only the one that was current then has changed.
    pub(super) fn reset(&mut self, mark: Mark) {
        self.locals.truncate(mark.locals);
        self.complexity.truncate(mark.locals);
        self.reserved.truncate(mark.locals);
        self.blocks.truncate(mark.blocks);
        self.current = mark.current;
        self.blocks[mark.current].statements.truncate(mark.statements);
        self.blocks[mark.current].terminator = Terminator::Return;
        self.marked.truncate(mark.marked);
        self.indices.truncate(mark.indices);
        self.counters.truncate(mark.counters);
        self.lines = mark.lines;
        self.frame = mark.frame;
        // The last entry of a type is the newest.
        for slot in self.index_log.drain(mark.index_log..) {
            self.index[slot as usize].pop();
        }
    }

    pub(super) fn finish(self, inlining: Inlining) -> Function {
        Function {
            generics: 0,
            constants: vec![],
            inlining,
            locals: self.locals,
            parameters: self.parameters,
            blocks: self.blocks,
            debug: vec![],
        }
    }
}
