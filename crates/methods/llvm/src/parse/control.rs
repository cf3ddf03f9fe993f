//! Terminators, phis and landing pads. The keyword of an instruction that the model does not have is the
//! reason why a function is not read.

use super::instruction::Parts;
use super::lexer::Token;
use super::parser::{Parser, Read, fail};
use crate::ir::{BlockId, Clause, Constant, Flags, Op, Operand, Type};

impl<'a> Parser<'a, '_> {
    pub(super) fn control_operation(&mut self, word: &'a str) -> Read<Parts> {
        let (op, operands) = match word {
            "ret" => {
                let ty = self.ty()?;
                if ty == Type::Void {
                    (Op::Return, vec![])
                } else {
                    let value = self.value(&ty)?;
                    (Op::Return, vec![Operand { ty, value }])
                }
            }
            "br" => {
                if self.is_word("label") {
                    (Op::Branch(self.block()?), vec![])
                } else {
                    let condition = self.operand()?;
                    self.expect(b',')?;
                    let yes = self.block()?;
                    self.expect(b',')?;
                    (Op::CondBranch(yes, self.block()?), vec![condition])
                }
            }
            "switch" => self.switch()?,
            "indirectbr" => {
                let address = self.operand()?;
                self.expect(b',')?;
                self.expect(b'[')?;
                let mut blocks = vec![];
                while !self.accept(b']') {
                    if !blocks.is_empty() {
                        self.expect(b',')?;
                    }
                    blocks.push(self.block()?);
                }
                (Op::IndirectBranch(blocks), vec![address])
            }
            "invoke" => {
                let (call, flags, operands) = match self.call(None)? {
                    Some((Op::Call(call), flags, operands)) => (call, flags, operands),
                    _ => return fail("invoke"),
                };
                self.expect_word("to")?;
                let normal = self.block()?;
                self.expect_word("unwind")?;
                let unwind = self.block()?;
                return Ok((Op::Invoke { call, normal, unwind }, flags, operands));
            }
            "resume" => (Op::Resume, vec![self.operand()?]),
            "unreachable" => (Op::Unreachable, vec![]),
            "phi" => return self.phi(),
            "landingpad" => self.landing_pad()?,
            _ => return fail(word),
        };
        Ok((op, Flags::NONE, operands))
    }

    /// `label %block`
    fn block(&mut self) -> Read<BlockId> {
        self.expect_word("label")?;
        self.block_name()
    }

    fn block_name(&mut self) -> Read<BlockId> {
        let Token::Local(key) = self.token() else { return fail("expected a block") };
        self.advance();
        self.scope.block(key, self.context)
    }

    fn switch(&mut self) -> Read<(Op, Vec<Operand>)> {
        let value = self.operand()?;
        self.expect(b',')?;
        let default = self.block()?;
        self.expect(b'[')?;
        let mut cases = vec![];
        while !self.accept(b']') {
            let case = self.constant_operand()?;
            let (true, Some(Constant::Int(number))) = (case.ty == value.ty, case.as_constant())
            else {
                return fail("case of switch");
            };
            self.expect(b',')?;
            cases.push((*number, self.block()?));
        }
        Ok((Op::Switch { default, cases }, vec![value]))
    }

    fn phi(&mut self) -> Read<Parts> {
        let flags = self.flags();
        let ty = self.ty()?;
        let (mut blocks, mut operands) = (vec![], vec![]);
        loop {
            self.expect(b'[')?;
            let value = self.value(&ty)?;
            operands.push(Operand { ty: ty.clone(), value });
            self.expect(b',')?;
            blocks.push(self.block_name()?);
            self.expect(b']')?;
            if !self.comma() {
                return Ok((Op::Phi(blocks), flags, operands));
            }
        }
    }

    fn landing_pad(&mut self) -> Read<(Op, Vec<Operand>)> {
        let of: Type = self.ty()?;
        let cleanup = self.accept_word("cleanup");
        let (mut clauses, mut operands) = (vec![], vec![]);
        loop {
            let clause = if self.accept_word("catch") {
                Clause::Catch
            } else if self.accept_word("filter") {
                Clause::Filter
            } else {
                return Ok((Op::LandingPad { of, cleanup, clauses }, operands));
            };
            clauses.push(clause);
            operands.push(self.operand()?);
        }
    }
}
