//! The locals and blocks of a function while it is read. Both may be used before they are defined; all
//! must be defined in the end.

use std::sync::Arc;

use foldhash::HashMap;

use super::context::Context;
use super::parser::{Read, fail};
use crate::ir::{Block, BlockId, Local, LocalId, Op, Type};

/// Numbers of unnamed values above this one are no program's.
const MANY: u32 = 1 << 20;

#[derive(Debug, Default)]
pub(super) struct Scope<'a> {
    pub(super) locals: Vec<Local>,
    is_defined: Vec<bool>,
    by_name: HashMap<&'a str, Entry>,
    by_number: Vec<Option<Entry>>,
    /// In the order in which they were first mentioned; each with its position.
    blocks: Vec<(Arc<str>, Option<u32>)>,
    placed: u32,
    /// The number that the next unnamed value gets.
    pub(super) next_number: u32,
}

/// Locals and blocks share one space of names.
#[derive(Clone, Copy, Debug)]
enum Entry {
    Local(LocalId),
    Block(BlockId),
}

/// The number that a key stands for, if it is one.
fn number(key: &str) -> Option<Read<u32>> {
    if !key.starts_with(|first: char| first.is_ascii_digit()) {
        return None;
    }
    Some(match key.parse() {
        Ok(number) if number < MANY => Ok(number),
        _ => fail("number of a local"),
    })
}

impl<'a> Scope<'a> {
    fn find(&self, key: &str) -> Read<Option<Entry>> {
        match number(key) {
            Some(number) => Ok(self.by_number.get(number? as usize).copied().flatten()),
            None => Ok(self.by_name.get(key).copied()),
        }
    }

    fn insert(&mut self, key: &'a str, entry: Entry) -> Read<()> {
        match number(key) {
            Some(number) => self.insert_number(number?, entry),
            None => {
                self.by_name.insert(key, entry);
            }
        }
        Ok(())
    }

    fn insert_number(&mut self, number: u32, entry: Entry) {
        let index = number as usize;
        if self.by_number.len() <= index {
            self.by_number.resize(index + 1, None);
        }
        self.by_number[index] = Some(entry);
    }

    /// A local that is mentioned with a type.
    pub(super) fn local(
        &mut self,
        key: &'a str,
        ty: &Type,
        context: &mut Context<'a>,
    ) -> Read<LocalId> {
        match self.find(key)? {
            Some(Entry::Local(id)) if self.locals[id.0 as usize].ty == *ty => Ok(id),
            Some(Entry::Local(_)) => fail("type of a local"),
            Some(Entry::Block(_)) => fail("block as a value"),
            None => {
                let id = self.add(context.name(key), ty.clone(), false);
                self.insert(key, Entry::Local(id))?;
                Ok(id)
            }
        }
    }

    fn add(&mut self, name: Arc<str>, ty: Type, is_defined: bool) -> LocalId {
        self.locals.push(Local { name, ty });
        self.is_defined.push(is_defined);
        LocalId(self.locals.len() as u32 - 1)
    }

    /// The local that an instruction or a parameter defines.
    pub(super) fn define(
        &mut self,
        key: Option<&'a str>,
        ty: &Type,
        context: &mut Context<'a>,
    ) -> Read<LocalId> {
        let Some(key) = key else {
            let number = self.next_number;
            self.next_number += 1;
            if let Some(Some(Entry::Local(id))) = self.by_number.get(number as usize) {
                let id = *id;
                self.is_defined[id.0 as usize] = true;
                return if self.locals[id.0 as usize].ty == *ty {
                    Ok(id)
                } else {
                    fail("type of a local")
                };
            }
            let id = self.add(context.numbered(number), ty.clone(), true);
            self.insert_number(number, Entry::Local(id));
            return Ok(id);
        };
        if let Some(number) = number(key) {
            self.next_number = number? + 1;
        }
        let id = self.local(key, ty, context)?;
        if std::mem::replace(&mut self.is_defined[id.0 as usize], true) {
            return fail("local defined twice");
        }
        Ok(id)
    }

    /// A block that is mentioned.
    pub(super) fn block(&mut self, key: &'a str, context: &mut Context<'a>) -> Read<BlockId> {
        match self.find(key)? {
            Some(Entry::Block(id)) => Ok(id),
            Some(Entry::Local(_)) => fail("value as a block"),
            None => {
                let id = BlockId(self.blocks.len() as u32);
                self.blocks.push((context.name(key), None));
                self.insert(key, Entry::Block(id))?;
                Ok(id)
            }
        }
    }

    /// The block that begins here.
    pub(super) fn place(
        &mut self,
        key: Option<&'a str>,
        context: &mut Context<'a>,
    ) -> Read<Arc<str>> {
        let id = match key {
            Some(key) => {
                if let Some(number) = number(key) {
                    self.next_number = number? + 1;
                }
                self.block(key, context)?
            }
            None => {
                let number = self.next_number;
                self.next_number += 1;
                match self.by_number.get(number as usize).copied().flatten() {
                    Some(Entry::Block(id)) => id,
                    Some(Entry::Local(_)) => return fail("value as a block"),
                    None => {
                        let id = BlockId(self.blocks.len() as u32);
                        self.blocks.push((context.numbered(number), None));
                        self.insert_number(number, Entry::Block(id));
                        id
                    }
                }
            }
        };
        let position = self.placed;
        self.placed += 1;
        let (name, placed) = &mut self.blocks[id.0 as usize];
        if placed.replace(position).is_some() {
            return fail("block defined twice");
        }
        Ok(name.clone())
    }

    /// Gives every block the number of its position, once the function has been read.
    pub(super) fn finish(&self, blocks: &mut [Block]) -> Read<()> {
        if self.is_defined.iter().any(|is_defined| !is_defined) {
            return fail("undefined local");
        }
        if self.blocks.iter().any(|(_, position)| position.is_none()) {
            return fail("undefined block");
        }
        let is_identity =
            |(index, (_, position)): (usize, &(_, Option<u32>))| *position == Some(index as u32);
        if self.blocks.iter().enumerate().all(is_identity) {
            return Ok(());
        }
        let place = |id: &mut BlockId| {
            if let Some((_, Some(position))) = self.blocks.get(id.0 as usize) {
                *id = BlockId(*position);
            }
        };
        let instructions = blocks.iter_mut().flat_map(|block| &mut block.instructions);
        for instruction in instructions {
            match &mut instruction.op {
                Op::Phi(blocks) | Op::IndirectBranch(blocks) => blocks.iter_mut().for_each(place),
                Op::Branch(to) => place(to),
                Op::CondBranch(yes, no) => [yes, no].into_iter().for_each(place),
                Op::Switch { default, cases } => {
                    place(default);
                    cases.iter_mut().for_each(|(_, block)| place(block));
                }
                Op::Invoke { normal, unwind, .. } => [normal, unwind].into_iter().for_each(place),
                _ => {}
            }
        }
        Ok(())
    }
}
