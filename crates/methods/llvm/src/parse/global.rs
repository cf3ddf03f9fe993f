//! Global variables, aliases and named types.

use std::sync::Arc;

use super::function::LINKAGE;
use super::lexer::Token;
use super::parser::{Parser, Read, fail};
use crate::ir::{Alias, Attributes, Global, NamedType};

/// What a line that begins with `@` defines.
pub(super) enum Named {
    Global(Global),
    Alias(Alias),
}

impl<'a> Parser<'a, '_> {
    /// `@name = …`. Whatever is neither a variable nor an alias that can be read is kept as text.
    pub(super) fn global_item(&mut self) -> Read<Named> {
        let Token::Global(key) = self.token() else { return fail("global") };
        let name = self.context.name(key);
        self.advance();
        self.expect(b'=')?;
        let start = self.lexer.clone();
        if let Ok(global) = self.global(name.clone()) {
            return Ok(Named::Global(global));
        }
        self.lexer = start;
        Ok(Named::Alias(Alias { name, text: self.rest() }))
    }

    /// Everything up to the end of the item, as text.
    pub(super) fn rest(&mut self) -> Arc<str> {
        let start = self.lexer.start;
        while self.token() != Token::End {
            self.advance();
        }
        self.since(start)
    }

    fn global(&mut self, name: Arc<str>) -> Read<Global> {
        let mut prefix: Vec<&'a str> = vec![];
        let mut space = 0;
        let is_constant = loop {
            let Token::Word(word) = self.token() else { return fail("global") };
            let start = self.lexer.start;
            match word {
                "addrspace" => {
                    space = self.address_space()?;
                    continue;
                }
                "global" | "constant" => {
                    self.advance();
                    break word == "constant";
                }
                "thread_local" => {
                    self.advance();
                    if self.is(b'(') && !self.lexer.skip_brackets() {
                        return fail("global");
                    }
                }
                "unnamed_addr" | "local_unnamed_addr" | "externally_initialized" => self.advance(),
                _ if LINKAGE.contains(&word) => self.advance(),
                _ => return fail("global"),
            }
            prefix.push(self.lexer.slice(start, self.lexer.prior));
        };
        let is_declaration = prefix.iter().any(|word| matches!(*word, "external" | "extern_weak"));
        let ty = self.ty()?;
        let initialiser = if is_declaration || self.is(b',') || self.token() == Token::End {
            None
        } else {
            Some(self.constant_or_text(&ty)?)
        };
        let (align, suffix) = self.global_suffix()?;
        let prefix = prefix.join(" ").into();
        Ok(Global { name, prefix, is_constant, ty, space, initialiser, align, suffix })
    }

    /// The alignment, and everything else behind the initialiser, with its commas.
    fn global_suffix(&mut self) -> Read<(Option<u64>, Arc<str>)> {
        let (mut align, mut suffix) = (None, String::new());
        while self.accept(b',') {
            if self.accept_word("align") {
                align = Some(self.number()?);
                continue;
            }
            suffix.push_str(", ");
            if let Token::MetadataName(_) = self.token() {
                let attachment = self.attachment()?;
                suffix.push_str(&format!("!{} {}", attachment.name, attachment.node));
                continue;
            }
            let start = self.lexer.start;
            while !self.is(b',') && !matches!(self.token(), Token::End | Token::Group(_)) {
                if self.is(b'(') {
                    if !self.lexer.skip_brackets() {
                        return fail("global");
                    }
                } else {
                    self.advance();
                }
            }
            suffix.push_str(&self.since(start));
        }
        let mut attributes = Attributes::default();
        while self.attribute(&mut attributes)? {}
        if self.token() != Token::End {
            return fail("global");
        }
        if !attributes.is_empty() {
            suffix.push(' ');
            suffix.push_str(&crate::print::attributes(&attributes));
        }
        Ok((align, suffix.into()))
    }

    /// `%name = type …`
    pub(super) fn named_type(&mut self) -> Read<NamedType> {
        let Token::Local(key) = self.token() else { return fail("type") };
        self.advance();
        self.expect(b'=')?;
        self.expect_word("type")?;
        let name = self.context.name(key);
        let definition = if self.accept_word("opaque") { None } else { Some(self.ty()?) };
        if self.token() == Token::End { Ok(NamedType { name, definition }) } else { fail("type") }
    }
}
