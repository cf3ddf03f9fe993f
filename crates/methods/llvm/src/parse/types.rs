//! Types.

use std::sync::Arc;

use super::lexer::Token;
use super::parser::{Parser, Read, fail};
use crate::ir::{FloatKind, Type};

/// The type that a word is, if it needs nothing behind it.
fn primitive(word: &str) -> Option<Type> {
    let ty = match word {
        "void" => Type::Void,
        "label" => Type::Label,
        "token" => Type::Token,
        "metadata" => Type::Metadata,
        "x86_amx" | "x86_mmx" => Type::Other(word.into()),
        _ => {
            if let Some(kind) = FloatKind::ALL.into_iter().find(|kind| kind.name() == word) {
                return Some(Type::Float(kind));
            }
            let digits = word.strip_prefix(['i', 'b'])?;
            if digits.is_empty()
                || digits.len() > 8
                || !digits.bytes().all(|it| it.is_ascii_digit())
            {
                return None;
            }
            match word.starts_with('i') {
                true => Type::Int(digits.parse().ok().filter(|width| *width > 0)?),
                false => Type::Other(word.into()),
            }
        }
    };
    Some(ty)
}

impl Parser<'_, '_> {
    /// Whether the current token begins a type.
    pub(super) fn is_type(&self) -> bool {
        match self.token() {
            Token::Word(word) => word == "ptr" || word == "target" || primitive(word).is_some(),
            Token::Local(_) | Token::Mark(b'[' | b'<' | b'{') => true,
            _ => false,
        }
    }

    pub(super) fn ty(&mut self) -> Read<Type> {
        let mut ty = self.nested(Self::base)?;
        let mut stars = 0;
        loop {
            match self.token() {
                Token::Mark(b'*') => {
                    self.advance();
                    ty = Type::Pointer { space: 0, to: Some(Arc::new(ty)) };
                }
                Token::Word("addrspace") if self.is_typed_pointer() => {
                    let space = self.address_space()?;
                    self.expect(b'*')?;
                    ty = Type::Pointer { space, to: Some(Arc::new(ty)) };
                }
                Token::Mark(b'(') => ty = self.nested(|parser| parser.function_type(ty))?,
                _ => return Ok(ty),
            }
            stars += 1;
            self.check_depth(stars)?;
        }
    }

    /// Whether `addrspace(N)` is followed by a star.
    fn is_typed_pointer(&self) -> bool {
        let mut lexer = self.lexer.clone();
        lexer.advance();
        lexer.skip_brackets() && lexer.token == Token::Mark(b'*')
    }

    fn base(&mut self) -> Read<Type> {
        match self.token() {
            Token::Word("ptr") => {
                self.advance();
                let space = if self.is_word("addrspace") { self.address_space()? } else { 0 };
                Ok(Type::Pointer { space, to: None })
            }
            Token::Word("target") => {
                let start = self.lexer.start;
                self.advance();
                if !self.is(b'(') || !self.lexer.skip_brackets() {
                    return fail("type");
                }
                Ok(Type::Other(self.since(start)))
            }
            Token::Word(word) => {
                let Some(ty) = primitive(word) else { return fail("type") };
                self.advance();
                Ok(ty)
            }
            Token::Local(key) => {
                self.advance();
                Ok(Type::Named(self.context.name(key)))
            }
            Token::Mark(b'[') => {
                self.advance();
                let length = self.number()?;
                self.expect_word("x")?;
                let of = Arc::new(self.ty()?);
                self.expect(b']')?;
                Ok(Type::Array { length, of })
            }
            Token::Mark(b'{') => self.fields(false),
            Token::Mark(b'<') => {
                self.advance();
                if self.is(b'{') {
                    let ty = self.fields(true)?;
                    self.expect(b'>')?;
                    return Ok(ty);
                }
                let scalable = self.accept_word("vscale");
                if scalable {
                    self.expect_word("x")?;
                }
                let lanes = self.number()?;
                self.expect_word("x")?;
                let of = Arc::new(self.ty()?);
                self.expect(b'>')?;
                Ok(Type::Vector { lanes, scalable, of })
            }
            _ => fail("type"),
        }
    }

    fn fields(&mut self, packed: bool) -> Read<Type> {
        self.advance();
        let mut fields = vec![];
        while !self.accept(b'}') {
            if !fields.is_empty() {
                self.expect(b',')?;
            }
            fields.push(self.ty()?);
        }
        Ok(Type::Struct { fields: fields.into(), packed })
    }

    fn function_type(&mut self, returns: Type) -> Read<Type> {
        self.advance();
        let (mut parameters, mut variadic) = (vec![], false);
        while !self.accept(b')') {
            if variadic || !parameters.is_empty() {
                self.expect(b',')?;
            }
            if self.token() == Token::Ellipsis {
                self.advance();
                variadic = true;
            } else {
                parameters.push(self.ty()?);
            }
        }
        Ok(Type::Function { returns: Arc::new(returns), parameters: parameters.into(), variadic })
    }
}
