//! Instructions that access memory or compute addresses.

use std::sync::Arc;

use super::instruction::Parts;
use super::lexer::Token;
use super::parser::{Parser, Read, fail};
use crate::ir::{Flags, Memory, Op};

const ORDERINGS: [&str; 6] = ["unordered", "monotonic", "acquire", "release", "acq_rel", "seq_cst"];

impl<'a> Parser<'a, '_> {
    /// None if the word is none of these instructions.
    pub(super) fn memory_operation(&mut self, word: &'a str) -> Read<Option<Parts>> {
        let parts = match word {
            "load" => {
                let atomic = self.accept_word("atomic");
                let volatile = self.accept_word("volatile");
                let ty = self.ty()?;
                let address = self.next_operand()?;
                let memory = self.access(atomic, volatile)?;
                (Op::Load(ty, memory), Flags::NONE, vec![address])
            }
            "store" => {
                let atomic = self.accept_word("atomic");
                let volatile = self.accept_word("volatile");
                let operands = self.operands(2)?;
                (Op::Store(self.access(atomic, volatile)?), Flags::NONE, operands)
            }
            "alloca" => self.alloca()?,
            "getelementptr" => {
                let flags = self.flags();
                let element = self.ty()?;
                let mut operands = vec![self.next_operand()?];
                while self.comma() {
                    operands.push(self.operand()?);
                }
                (Op::GetElementPtr { element }, flags, operands)
            }
            "fence" => {
                let start = self.lexer.start;
                self.ordering()?;
                (Op::Fence(self.since(start)), Flags::NONE, vec![])
            }
            "cmpxchg" => {
                let prefix = self.words(&["weak", "volatile"]);
                let operands = self.operands(3)?;
                let suffix = self.atomic_suffix(2)?;
                (Op::CmpXchg { prefix, suffix }, Flags::NONE, operands)
            }
            "atomicrmw" => {
                let prefix = self.words(&["volatile"]);
                let start = self.lexer.start;
                self.word()?;
                let op = self.since(start);
                if !self.is_type() {
                    return fail("atomicrmw");
                }
                let operands = self.operands(2)?;
                let suffix = self.atomic_suffix(1)?;
                (Op::AtomicRmw { prefix, op, suffix }, Flags::NONE, operands)
            }
            "va_arg" => {
                let list = self.operand()?;
                self.expect(b',')?;
                (Op::VaArg(self.ty()?), Flags::NONE, vec![list])
            }
            _ => return Ok(None),
        };
        Ok(Some(parts))
    }

    /// Some of these words, as text.
    fn words(&mut self, words: &[&str]) -> Arc<str> {
        let start = self.lexer.start;
        while matches!(self.token(), Token::Word(word) if words.contains(&word)) {
            self.advance();
        }
        if self.lexer.start == start { self.context.string("") } else { self.since(start) }
    }

    /// `syncscope("…") acquire`
    fn ordering(&mut self) -> Read<()> {
        if self.accept_word("syncscope") && !(self.is(b'(') && self.lexer.skip_brackets()) {
            return fail("syncscope");
        }
        if ORDERINGS.contains(&self.word()?) { Ok(()) } else { fail("ordering") }
    }

    /// Orderings and the alignment, as text.
    fn atomic_suffix(&mut self, orderings: u32) -> Read<Arc<str>> {
        let start = self.lexer.start;
        for _ in 0..orderings {
            self.ordering()?;
        }
        if self.comma() {
            self.expect_word("align")?;
            self.number::<u64>()?;
        }
        Ok(self.since(start))
    }

    fn access(&mut self, atomic: bool, volatile: bool) -> Read<Memory> {
        let mut memory = Memory { volatile, ..Memory::default() };
        if atomic {
            let start = self.lexer.start;
            self.ordering()?;
            memory.ordering = Some(self.since(start));
        }
        if self.comma() {
            self.expect_word("align")?;
            memory.align = Some(self.number()?);
        }
        Ok(memory)
    }

    fn alloca(&mut self) -> Read<Parts> {
        let modifier = self.words(&["inalloca", "swifterror"]);
        let of = self.ty()?;
        let (mut operands, mut align, mut space) = (vec![], None, 0);
        while self.comma() {
            if self.accept_word("align") {
                align = Some(self.number()?);
            } else if self.is_word("addrspace") {
                space = self.address_space()?;
            } else {
                operands.push(self.operand()?);
            }
        }
        let modifier = Some(modifier).filter(|modifier| !modifier.is_empty());
        Ok((Op::Alloca { of, align, space, modifier }, Flags::NONE, operands))
    }
}
