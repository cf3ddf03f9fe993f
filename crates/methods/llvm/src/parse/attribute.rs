//! Attributes, their groups, and calling conventions.

use super::constant::is_constant_word;
use super::lexer::Token;
use super::parser::{Parser, Read, fail};
use crate::ir::{Attribute, Attributes};

/// Attributes whose argument is a type.
const TYPED: [&str; 6] = ["byval", "sret", "elementtype", "preallocated", "inalloca", "byref"];

/// Whether a word is a calling convention. Unknown ones that new versions add mostly end in `cc` too.
pub(super) fn is_convention(word: &str) -> bool {
    const PREFIXES: [&str; 6] = ["amdgpu_", "ptx_", "spir_", "aarch64_", "x86_", "riscv_"];
    let is_type = matches!(word, "x86_fp80" | "x86_amx" | "x86_mmx");
    word.ends_with("cc") || (PREFIXES.iter().any(|prefix| word.starts_with(prefix)) && !is_type)
}

impl<'a> Parser<'a, '_> {
    /// `fastcc`, `cc 10` or nothing.
    pub(super) fn convention(&mut self) -> Read<Option<std::sync::Arc<str>>> {
        let Token::Word(word) = self.token() else { return Ok(None) };
        let start = self.lexer.start;
        if word == "cc" {
            self.advance();
            self.number::<u32>()?;
        } else if is_convention(word) {
            self.advance();
            if self.is(b'(') && !self.lexer.skip_brackets() {
                return fail("calling convention");
            }
        } else {
            return Ok(None);
        }
        Ok(Some(self.since(start)))
    }

    /// Attributes of a result, up to its type.
    pub(super) fn return_attributes(&mut self) -> Read<Attributes> {
        let mut attributes = Attributes::default();
        while !self.is_type() && !self.is_word("addrspace") && self.attribute(&mut attributes)? {}
        Ok(attributes)
    }

    /// Attributes of a parameter or an argument, up to its name or value.
    pub(super) fn parameter_attributes(&mut self) -> Read<Attributes> {
        let mut attributes = Attributes::default();
        loop {
            match self.token() {
                Token::Word(word) if is_constant_word(word) => return Ok(attributes),
                Token::Word(_) | Token::Text(_) => {
                    self.attribute(&mut attributes)?;
                }
                _ => return Ok(attributes),
            }
        }
    }

    /// One attribute or group, if there is one.
    pub(super) fn attribute(&mut self, attributes: &mut Attributes) -> Read<bool> {
        let start = self.lexer.start;
        match self.token() {
            Token::Group(key) => {
                if let Some(group) = self.context.groups.get(key) {
                    attributes.0.extend_from_slice(&group.0);
                }
                self.advance();
                return Ok(true);
            }
            Token::Text(_) => {
                self.advance();
                if self.accept(b'=') {
                    let Token::Text(_) = self.token() else { return fail("attribute") };
                    self.advance();
                }
            }
            Token::Word(word) if TYPED.contains(&word) && self.lexer.is_followed_by(b'(') => {
                self.advance();
                self.advance();
                let ty = self.ty()?;
                self.expect(b')')?;
                let name = self.context.string(word);
                attributes.0.push(Attribute::Typed(name, ty));
                return Ok(true);
            }
            Token::Word(word) => {
                self.advance();
                if self.is(b'(') && !self.lexer.skip_brackets() {
                    return fail("attribute");
                }
                match self.token() {
                    // Groups write `alignstack=8` for `alignstack(8)`.
                    Token::Mark(b'=') => {
                        self.advance();
                        let value: u64 = self.number()?;
                        attributes.add(&format!("{word}({value})"));
                        return Ok(true);
                    }
                    Token::Number(_) if word == "align" => self.advance(),
                    _ => {}
                }
            }
            _ => return Ok(false),
        }
        let text = self.since(start);
        attributes.0.push(Attribute::Text(text));
        Ok(true)
    }

    /// `attributes #0 = { … }`
    pub(super) fn group(&mut self) -> Read<(&'a str, Attributes)> {
        self.expect_word("attributes")?;
        let Token::Group(key) = self.token() else { return fail("attributes") };
        self.advance();
        self.expect(b'=')?;
        self.expect(b'{')?;
        let mut attributes = Attributes::default();
        while self.attribute(&mut attributes)? {}
        self.expect(b'}')?;
        Ok((key, attributes))
    }
}
