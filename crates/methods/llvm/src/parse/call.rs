//! Calls: everything behind `call` and `invoke` up to the metadata.

use std::sync::Arc;

use super::instruction::{Parts, is_opcode};
use super::lexer::{Lexer, Token};
use super::parser::{Parser, Read, fail};
use crate::ir::{Attributes, Call, Constant, Op, Operand, Type, Value};

/// Calls of these only describe variables to debuggers.
const DEBUG_INTRINSICS: [&str; 5] =
    ["llvm.dbg.value", "llvm.dbg.declare", "llvm.dbg.assign", "llvm.dbg.label", "llvm.dbg.addr"];

/// A callee whose type is known only once the arguments have been read.
enum Callee<'a> {
    Local(&'a str),
    Constant(Constant),
    Expression(Lexer<'a>),
}

impl<'a> Parser<'a, '_> {
    /// None for calls that only describe variables to debuggers.
    pub(super) fn call(&mut self, tail: Option<Arc<str>>) -> Read<Option<Parts>> {
        let flags = self.flags();
        let convention = self.convention()?;
        let return_attributes = self.return_attributes()?;
        let space = if self.is_word("addrspace") { Some(self.address_space()?) } else { None };
        let ty = self.ty()?;
        let (returns, signature) = match &ty {
            Type::Function { returns, .. } => (returns.as_ref().clone(), Some(ty)),
            _ => (ty, None),
        };
        let is_asm = self.is_word("asm");
        let callee = self.callee()?;
        if let Callee::Constant(Constant::Global(name)) = &callee
            && DEBUG_INTRINSICS.contains(&name.as_ref())
        {
            let skipped = self.is(b'(') && self.lexer.skip_brackets();
            self.call_attributes()?;
            return if skipped { Ok(None) } else { fail("debug intrinsic") };
        }
        let mut call = Call {
            tail,
            convention,
            return_attributes,
            space,
            returns,
            signature,
            argument_attributes: vec![],
            attributes: Attributes::default(),
            bundles: vec![],
            is_asm,
        };
        let mut operands = self.arguments(&mut call)?;
        call.attributes = self.call_attributes()?;
        if self.accept(b'[') {
            self.bundles(&mut call, &mut operands)?;
        }
        let ty = self.callee_type(&call, &operands);
        let value = match callee {
            Callee::Local(key) => Value::Local(self.scope.local(key, &ty, self.context)?),
            Callee::Constant(constant) => Value::Constant(constant),
            Callee::Expression(lexer) => {
                let behind = std::mem::replace(&mut self.lexer, lexer);
                let constant = self.constant(&ty)?;
                self.lexer = behind;
                Value::Constant(constant)
            }
        };
        operands.push(Operand { ty, value });
        Ok(Some((Op::Call(Arc::new(call)), flags, operands)))
    }

    fn callee(&mut self) -> Read<Callee<'a>> {
        let start = self.lexer.clone();
        let callee = match self.token() {
            Token::Local(key) => Callee::Local(key),
            Token::Global(key) => Callee::Constant(Constant::Global(self.context.name(key))),
            Token::Word("asm") => {
                // Options, the code, the constraints.
                while let Token::Word(_) = self.token() {
                    self.advance();
                }
                let Token::Text(_) = self.token() else { return fail("asm") };
                self.advance();
                self.expect(b',')?;
                let Token::Text(_) = self.token() else { return fail("asm") };
                self.advance();
                return Ok(Callee::Constant(Constant::Text(self.since(start.start))));
            }
            Token::Word("null" | "undef" | "poison") => Callee::Expression(start),
            Token::Word("no_cfi" | "dso_local_equivalent") => {
                self.advance();
                Callee::Expression(start)
            }
            Token::Word(_) => {
                while let Token::Word(_) = self.token() {
                    self.advance();
                }
                if !self.is(b'(') || !self.lexer.skip_brackets() {
                    return fail("callee");
                }
                return Ok(Callee::Expression(start));
            }
            _ => return fail("callee"),
        };
        self.advance();
        Ok(callee)
    }

    fn arguments(&mut self, call: &mut Call) -> Read<Vec<Operand>> {
        self.expect(b'(')?;
        let mut operands = vec![];
        // LLVM 14 writes a comma before the dots even if there is nothing before it.
        let mut is_first = !self.is(b',');
        while !self.accept(b')') {
            if !is_first {
                self.expect(b',')?;
            }
            is_first = false;
            // Only where a variadic function forwards its arguments, which `musttail` says already.
            if self.token() == Token::Ellipsis {
                self.advance();
                continue;
            }
            let ty = self.ty()?;
            if ty == Type::Metadata {
                call.argument_attributes.push(Attributes::default());
            } else {
                call.argument_attributes.push(self.parameter_attributes()?);
            }
            let value = self.value(&ty)?;
            operands.push(Operand { ty, value });
        }
        Ok(operands)
    }

    /// Attributes of the call itself. They end with the line, or before the next instruction.
    fn call_attributes(&mut self) -> Read<Attributes> {
        let mut attributes = Attributes::default();
        loop {
            match self.token() {
                Token::Word(word) if is_opcode(word) => return Ok(attributes),
                Token::Word(_) | Token::Text(_) if self.lexer.begins_line() => {
                    return Ok(attributes);
                }
                _ if !self.attribute(&mut attributes)? => return Ok(attributes),
                _ => {}
            }
        }
    }

    fn bundles(&mut self, call: &mut Call, operands: &mut Vec<Operand>) -> Read<()> {
        while !self.accept(b']') {
            if !call.bundles.is_empty() {
                self.expect(b',')?;
            }
            let Token::Text(name) = self.token() else { return fail("operand bundle") };
            self.advance();
            self.expect(b'(')?;
            let mut count = 0;
            while !self.accept(b')') {
                if count > 0 {
                    self.expect(b',')?;
                }
                operands.push(self.operand()?);
                count += 1;
            }
            call.bundles.push((self.context.string(name), count));
        }
        Ok(())
    }

    /// A pointer; with typed pointers, to the function type that the call is written for.
    fn callee_type(&self, call: &Call, operands: &[Operand]) -> Type {
        let to = self.context.has_typed_pointers.then(|| {
            Arc::new(call.signature.clone().unwrap_or_else(|| Type::Function {
                returns: Arc::new(call.returns.clone()),
                parameters: operands[..call.arguments()].iter().map(|it| it.ty.clone()).collect(),
                variadic: false,
            }))
        });
        Type::Pointer { space: call.space.unwrap_or(0), to }
    }
}
