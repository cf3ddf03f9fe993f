//! A function that is being made: its locals, its blocks, and the block that grows at present.

use super::super::interpret::{Frame, Scope};
use super::super::program::{Block, Function, Statement, Terminator};
use super::super::types::{Adt, Type};

pub(super) struct Body {
    pub(super) number: usize,
    pub(super) locals: Vec<Type>,
    parameters: usize,
    pub(super) blocks: Vec<Block>,
    /// The block that grows.
    pub(super) current: usize,
    pub(super) frame: Frame,
    /// Locals with storage markers.
    pub(super) marked: Vec<usize>,
    /// Locals that must keep their value: the counters of loops.
    pub(super) reserved: Vec<usize>,
    /// Within a loop, whose body runs again with other values.
    pub(super) looping: bool,
}

/// How far a body was.
#[derive(Clone)]
pub(super) struct Mark {
    locals: usize,
    blocks: Vec<Block>,
    current: usize,
    marked: usize,
    reserved: usize,
}

impl Body {
    pub(super) fn new(number: usize, returns: &Type, parameters: &[Type]) -> Self {
        let locals = std::iter::once(returns).chain(parameters).cloned().collect();
        let mut body = Self {
            number,
            locals,
            parameters: parameters.len(),
            blocks: vec![],
            current: 0,
            frame: Frame::default(),
            marked: vec![],
            reserved: vec![],
            looping: false,
        };
        body.open();
        body
    }

    pub(super) fn scope<'a>(&'a self, adts: &'a [Adt]) -> Scope<'a> {
        Scope { adts, locals: &self.locals }
    }

    /// A new, empty block.
    pub(super) fn open(&mut self) -> usize {
        self.blocks.push(Block { statements: vec![], terminator: Terminator::Return });
        self.blocks.len() - 1
    }

    pub(super) fn push(&mut self, statement: Statement) {
        self.blocks[self.current].statements.push(statement);
    }

    /// Ends the block that grows.
    pub(super) fn close(&mut self, terminator: Terminator) {
        self.blocks[self.current].terminator = terminator;
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            locals: self.locals.len(),
            blocks: self.blocks.clone(),
            current: self.current,
            marked: self.marked.len(),
            reserved: self.reserved.len(),
        }
    }

    pub(super) fn reset(&mut self, mark: Mark) {
        self.locals.truncate(mark.locals);
        self.blocks = mark.blocks;
        self.current = mark.current;
        self.marked.truncate(mark.marked);
        self.reserved.truncate(mark.reserved);
    }

    pub(super) fn finish(self) -> Function {
        Function { locals: self.locals, parameters: self.parameters, blocks: self.blocks }
    }
}
