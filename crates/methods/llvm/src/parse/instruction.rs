//! Instructions. This file reads those that only compute; `memory`, `call` and `control` read the others.

use std::sync::Arc;

use super::lexer::Token;
use super::parser::{Parser, Read, fail};
use crate::ir::{
    Attachment, BinaryOp, CastOp, Constant, Flags, FloatBinaryOp, FloatPredicate, Instruction, Op,
    Operand, Predicate, Type, Value,
};

/// What a rule of the parser makes of the text behind the keyword.
pub(super) type Parts = (Op, Flags, Vec<Operand>);

/// Words that begin an instruction, so that attributes of a call end before them.
pub(super) fn is_opcode(word: &str) -> bool {
    const OTHERS: [&str; 40] = [
        "ret",
        "br",
        "switch",
        "indirectbr",
        "invoke",
        "resume",
        "unreachable",
        "callbr",
        "cleanupret",
        "catchret",
        "catchswitch",
        "load",
        "store",
        "alloca",
        "fence",
        "cmpxchg",
        "atomicrmw",
        "getelementptr",
        "icmp",
        "fcmp",
        "phi",
        "select",
        "freeze",
        "call",
        "tail",
        "musttail",
        "notail",
        "va_arg",
        "landingpad",
        "catchpad",
        "cleanuppad",
        "extractelement",
        "insertelement",
        "shufflevector",
        "extractvalue",
        "insertvalue",
        "fneg",
        "to",
        "uselistorder",
        "unwind",
    ];
    OTHERS.contains(&word)
        || BinaryOp::of(word).is_some()
        || FloatBinaryOp::of(word).is_some()
        || CastOp::of(word).is_some()
}

impl<'a> Parser<'a, '_> {
    /// A type and a value of it.
    pub(super) fn operand(&mut self) -> Read<Operand> {
        let ty = self.ty()?;
        let value = self.value(&ty)?;
        Ok(Operand { ty, value })
    }

    pub(super) fn value(&mut self, ty: &Type) -> Read<Value> {
        match self.token() {
            Token::Local(key) => {
                self.advance();
                Ok(Value::Local(self.scope.local(key, ty, self.context)?))
            }
            _ if *ty == Type::Metadata => self.metadata(),
            _ => Ok(Value::Constant(self.constant(ty)?)),
        }
    }

    /// Another operand, behind a comma.
    pub(super) fn next_operand(&mut self) -> Read<Operand> {
        self.expect(b',')?;
        self.operand()
    }

    /// Two operands, of which only the first has its type written.
    fn pair(&mut self) -> Read<Vec<Operand>> {
        let first = self.operand()?;
        self.expect(b',')?;
        let value = self.value(&first.ty)?;
        let second = Operand { ty: first.ty.clone(), value };
        Ok(vec![first, second])
    }

    /// An instruction with its result and metadata; none if it only describes variables to debuggers.
    pub(super) fn instruction(&mut self) -> Read<Option<Instruction>> {
        let result = match self.token() {
            Token::Local(key) => {
                self.advance();
                self.expect(b'=')?;
                Some(key)
            }
            Token::Record(_) => {
                self.advance();
                if !self.is(b'(') || !self.lexer.skip_brackets() {
                    return fail("debug record");
                }
                return Ok(None);
            }
            _ => None,
        };
        let word = self.word()?;
        let Some((op, flags, operands)) = self.operation(word)? else {
            // Its attachments use no nodes, because they are left out too.
            while self.is(b',') && self.lexer.is_followed_by(b'!') {
                self.advance();
                self.advance();
                self.node_text()?;
            }
            return Ok(None);
        };
        let definitions = &self.context.definitions;
        let ty =
            op.result(&operands, &|name| definitions.get(name), self.context.has_typed_pointers);
        let Some(ty) = ty else { return fail("type of a result") };
        let result = match (result, ty == Type::Void) {
            (None, true) => None,
            (Some(_), true) => return fail("result of void"),
            (key, false) => Some(self.scope.define(key, &ty, self.context)?),
        };
        let metadata = self.attachments()?;
        Ok(Some(Instruction { result, op, flags, operands, metadata }))
    }

    fn operation(&mut self, word: &'a str) -> Read<Option<Parts>> {
        if let Some(op) = BinaryOp::of(word) {
            let flags = self.flags();
            return Ok(Some((Op::Binary(op), flags, self.pair()?)));
        }
        if let Some(op) = CastOp::of(word) {
            let flags = self.flags();
            let operand = self.operand()?;
            self.expect_word("to")?;
            return Ok(Some((Op::Cast(op, self.ty()?), flags, vec![operand])));
        }
        if let Some(op) = FloatBinaryOp::of(word) {
            let flags = self.flags();
            return Ok(Some((Op::FloatBinary(op), flags, self.pair()?)));
        }
        let parts = match word {
            "fneg" => {
                let flags = self.flags();
                (Op::FNeg, flags, vec![self.operand()?])
            }
            "icmp" => {
                let flags = self.flags();
                let Some(predicate) = Predicate::of(self.word()?) else { return fail("icmp") };
                (Op::ICmp(predicate), flags, self.pair()?)
            }
            "fcmp" => {
                let flags = self.flags();
                let Some(predicate) = FloatPredicate::of(self.word()?) else { return fail("fcmp") };
                (Op::FCmp(predicate), flags, self.pair()?)
            }
            "select" => {
                let flags = self.flags();
                (Op::Select, flags, self.operands(3)?)
            }
            "freeze" => (Op::Freeze, Flags::NONE, vec![self.operand()?]),
            "extractelement" => (Op::ExtractElement, Flags::NONE, self.operands(2)?),
            "insertelement" => (Op::InsertElement, Flags::NONE, self.operands(3)?),
            "shufflevector" => self.shuffle()?,
            "extractvalue" => {
                let operands = vec![self.operand()?];
                (Op::ExtractValue(self.path()?), Flags::NONE, operands)
            }
            "insertvalue" => {
                let operands = self.operands(2)?;
                (Op::InsertValue(self.path()?), Flags::NONE, operands)
            }
            "call" => return self.call(None),
            "tail" | "musttail" | "notail" => {
                self.expect_word("call")?;
                let tail = self.context.string(word);
                return self.call(Some(tail));
            }
            _ => match self.memory_operation(word)? {
                Some(parts) => parts,
                None => self.control_operation(word)?,
            },
        };
        Ok(Some(parts))
    }

    /// So many operands with their types.
    pub(super) fn operands(&mut self, count: usize) -> Read<Vec<Operand>> {
        let mut operands = Vec::with_capacity(count);
        operands.push(self.operand()?);
        while operands.len() < count {
            operands.push(self.next_operand()?);
        }
        Ok(operands)
    }

    /// The indices of `extractvalue` and `insertvalue`.
    fn path(&mut self) -> Read<Arc<[u32]>> {
        let mut path = vec![];
        while self.comma() {
            path.push(self.number()?);
        }
        Ok(path.into())
    }

    fn shuffle(&mut self) -> Read<Parts> {
        let operands = self.operands(2)?;
        self.expect(b',')?;
        let mask = self.constant_operand()?;
        let (Type::Vector { lanes, scalable, .. }, Some(constant)) = (&mask.ty, mask.as_constant())
        else {
            return fail("mask of shufflevector");
        };
        if *lanes > 1 << 16 {
            return fail("mask of shufflevector");
        }
        let lane = |lane: u32| match constant.lane(lane as usize) {
            Some(Constant::Int(lane)) => Ok(u32::try_from(*lane).ok()),
            Some(Constant::Zero) => Ok(Some(0)),
            Some(Constant::Undef | Constant::Poison) => Ok(None),
            _ => fail("mask of shufflevector"),
        };
        let mask = (0..*lanes).map(lane).collect::<Read<Arc<[_]>>>()?;
        Ok((Op::ShuffleVector(mask, *scalable), Flags::NONE, operands))
    }

    /// `, !name !7` as often as there are any.
    fn attachments(&mut self) -> Read<Vec<Attachment>> {
        let mut attachments = vec![];
        while self.is(b',') && self.lexer.is_followed_by(b'!') {
            self.advance();
            attachments.push(self.attachment()?);
        }
        Ok(attachments)
    }
}
