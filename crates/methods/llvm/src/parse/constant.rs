//! Constants, read for the type that they have.

use std::sync::Arc;

use super::lexer::Token;
use super::number;
use super::parser::{Parser, Read, fail};
use crate::ir::{
    BinaryOp, CastOp, Constant, ConstantExpression, FloatBinaryOp, Operand, Type, Value,
};

/// Whether a word begins a constant.
pub(super) fn is_constant_word(word: &str) -> bool {
    matches!(
        word,
        "true"
            | "false"
            | "null"
            | "undef"
            | "poison"
            | "zeroinitializer"
            | "none"
            | "splat"
            | "blockaddress"
            | "dso_local_equivalent"
            | "no_cfi"
            | "ptrauth"
            | "asm"
    ) || is_expression_word(word)
}

fn is_expression_word(word: &str) -> bool {
    matches!(
        word,
        "getelementptr"
            | "icmp"
            | "fcmp"
            | "select"
            | "extractelement"
            | "insertelement"
            | "shufflevector"
            | "extractvalue"
            | "insertvalue"
            | "fneg"
    ) || CastOp::of(word).is_some()
        || BinaryOp::of(word).is_some()
        || FloatBinaryOp::of(word).is_some()
}

impl<'a> Parser<'a, '_> {
    pub(super) fn constant(&mut self, ty: &Type) -> Read<Constant> {
        self.nested(|parser| parser.constant_inner(ty))
    }

    fn constant_inner(&mut self, ty: &Type) -> Read<Constant> {
        let constant = match self.token() {
            Token::Number(text) => {
                let constant = match ty {
                    Type::Int(width) => number::integer(text, *width),
                    Type::Float(kind) => number::float(text, *kind),
                    Type::Other(_) => Some(Constant::Text(self.context.string(text))),
                    _ => None,
                };
                let Some(constant) = constant else { return fail("number") };
                constant
            }
            Token::Global(key) => Constant::Global(self.context.name(key)),
            Token::Bytes(text) => match bytes(text) {
                Some(bytes) => Constant::Bytes(bytes.into()),
                None => return fail("string"),
            },
            Token::Mark(b'<') => {
                self.advance();
                if !self.is(b'{') {
                    let lane = ty.lane().clone();
                    let lanes = self.elements(b'>', |_| Some(lane.clone()))?;
                    return Ok(Constant::Vector(lanes.into()));
                }
                let constant = self.structure(ty)?;
                self.expect(b'>')?;
                return Ok(constant);
            }
            Token::Mark(b'{') => return self.structure(ty),
            Token::Mark(b'[') => {
                self.advance();
                let Type::Array { of, .. } = ty else { return fail("type of a constant") };
                let elements = self.elements(b']', |_| Some(of.as_ref().clone()))?;
                return Ok(Constant::Array(elements.into()));
            }
            Token::Word(word) => match word {
                "true" if *ty == Type::BOOL => Constant::TRUE,
                "false" if *ty == Type::BOOL => Constant::FALSE,
                "null" => Constant::Null,
                "undef" => Constant::Undef,
                "poison" => Constant::Poison,
                "zeroinitializer" => Constant::Zero,
                "none" => Constant::None,
                "splat" => {
                    self.advance();
                    self.expect(b'(')?;
                    let Operand { value: Value::Constant(lane), .. } = self.constant_operand()?
                    else {
                        return fail("constant");
                    };
                    self.expect(b')')?;
                    return Ok(Constant::Splat(Arc::new(lane)));
                }
                "extractvalue" | "insertvalue" | "blockaddress" | "ptrauth" => {
                    return self.bracketed_text();
                }
                "dso_local_equivalent" | "no_cfi" => {
                    let start = self.lexer.start;
                    self.advance();
                    if !matches!(self.token(), Token::Global(_)) {
                        return fail("constant");
                    }
                    self.advance();
                    return Ok(Constant::Text(self.since(start)));
                }
                _ if is_expression_word(word) => {
                    return Ok(Constant::Expression(Arc::new(self.expression(word, ty)?)));
                }
                _ => return fail("constant"),
            },
            Token::Local(_) => return fail("local in a constant"),
            _ => return fail("constant"),
        };
        self.advance();
        Ok(constant)
    }

    /// A word and its brackets, as text.
    fn bracketed_text(&mut self) -> Read<Constant> {
        let start = self.lexer.start;
        self.advance();
        if !self.is(b'(') || !self.lexer.skip_brackets() {
            return fail("constant");
        }
        Ok(Constant::Text(self.since(start)))
    }

    /// Elements with their types, up to a mark.
    fn elements(&mut self, end: u8, ty: impl Fn(usize) -> Option<Type>) -> Read<Vec<Constant>> {
        let mut elements = vec![];
        while !self.accept(end) {
            if !elements.is_empty() {
                self.expect(b',')?;
            }
            let Operand { ty: actual, value: Value::Constant(element) } =
                self.constant_operand()?
            else {
                return fail("constant");
            };
            if ty(elements.len()).is_none_or(|expected| expected != actual) {
                return fail("type of a constant");
            }
            elements.push(element);
        }
        Ok(elements)
    }

    fn structure(&mut self, ty: &Type) -> Read<Constant> {
        self.advance();
        let definition = match ty {
            Type::Named(name) => self.context.definitions.get(name).cloned(),
            _ => Some(ty.clone()),
        };
        let Some(Type::Struct { fields, .. }) = definition else {
            return fail("type of a constant");
        };
        let constants = self.elements(b'}', |field| fields.get(field).cloned())?;
        if constants.len() != fields.len() {
            return fail("type of a constant");
        }
        Ok(Constant::Struct(constants.into()))
    }

    /// A type and a constant of it.
    pub(super) fn constant_operand(&mut self) -> Read<Operand> {
        let ty = self.ty()?;
        let constant = self.constant(&ty)?;
        Ok(Operand::constant(ty, constant))
    }

    fn expression(&mut self, word: &'a str, ty: &Type) -> Read<ConstantExpression> {
        self.advance();
        let mut op = self.context.string(word);
        let flags = self.flags();
        let mut expression = ConstantExpression {
            op: op.clone(),
            flags,
            modifier: self.context.string(""),
            element: None,
            operands: vec![],
        };
        if matches!(word, "icmp" | "fcmp") {
            op = format!("{word} {}", self.word()?).into();
            expression.op = op;
        }
        if self.is_word("inrange") {
            let start = self.lexer.start;
            self.advance();
            if !self.lexer.skip_brackets() {
                return fail("constant");
            }
            expression.modifier = self.since(start);
        }
        self.expect(b'(')?;
        if word == "getelementptr" {
            expression.element = Some(self.ty()?);
            self.expect(b',')?;
        }
        loop {
            // Before LLVM 19, one index may have the mark.
            if self.accept_word("inrange") {
                expression.modifier = format!("inrange {}", expression.operands.len()).into();
            }
            expression.operands.push(self.constant_operand()?);
            if !self.accept(b',') {
                break;
            }
        }
        if CastOp::of(word).is_some() {
            self.expect_word("to")?;
            if self.ty()? != *ty {
                return fail("type of a constant");
            }
        }
        self.expect(b')')?;
        Ok(expression)
    }

    /// A constant, or its text where it cannot be read; for initialisers, which nothing depends on.
    pub(super) fn constant_or_text(&mut self, ty: &Type) -> Read<Constant> {
        let before = self.lexer.clone();
        match self.constant(ty) {
            Ok(constant) => Ok(constant),
            Err(failure) => {
                self.lexer = before;
                let start = self.lexer.start;
                while !self.is(b',') && self.token() != Token::End {
                    let is_bracket = matches!(self.token(), Token::Mark(b'(' | b'[' | b'{'));
                    if is_bracket && !self.lexer.skip_brackets() {
                        return Err(failure);
                    } else if !is_bracket {
                        self.advance();
                    }
                }
                Ok(Constant::Text(self.since(start)))
            }
        }
    }
}

/// The bytes of a string, its escapes resolved.
fn bytes(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        if first != b'\\' {
            bytes.push(first);
        } else if let [b'\\', behind @ ..] = rest {
            bytes.push(b'\\');
            rest = behind;
        } else {
            let [high, low, behind @ ..] = rest else { return None };
            let digit = |byte: u8| char::from(byte).to_digit(16);
            bytes.push((digit(*high)? * 16 + digit(*low)?) as u8);
            rest = behind;
        }
    }
    Some(bytes)
}
