//! Functions: headers, bodies, and the text of bodies that cannot be read.

use std::fmt::Write as _;
use std::sync::Arc;

use super::lexer::Token;
use super::parser::{Failure, Parser, Read, fail};
use crate::ir::{Attributes, Block, Body, Code, Function, Header, Parameter};

/// What may stand between `define` and the result, besides calling conventions.
pub(super) const LINKAGE: [&str; 18] = [
    "private",
    "internal",
    "available_externally",
    "linkonce",
    "linkonce_odr",
    "weak",
    "weak_odr",
    "common",
    "appending",
    "extern_weak",
    "external",
    "dso_local",
    "dso_preemptable",
    "default",
    "hidden",
    "protected",
    "dllimport",
    "dllexport",
];

/// What begins the part of a header behind the attributes.
const SUFFIXES: [&str; 9] = [
    "section",
    "partition",
    "comdat",
    "align",
    "gc",
    "prefix",
    "prologue",
    "personality",
    "prefalign",
];

impl<'a> Parser<'a, '_> {
    /// A function from `define` to its brace.
    pub(super) fn function(&mut self) -> Read<Function> {
        self.expect_word("define")?;
        let (mut header, names) = self.header()?;
        header.metadata = vec![];
        while let Token::MetadataName(_) = self.token() {
            header.metadata.push(self.attachment()?);
        }
        let brace = self.lexer.start;
        if !self.is(b'{') {
            return fail("header");
        }
        let body = match self.code(&header, &names) {
            Ok(code) => Body::Code(code),
            Err(Failure(why)) => self.opaque(brace, &names, &why),
        };
        Ok(Function { header, body })
    }

    /// A declaration.
    pub(super) fn declaration(&mut self) -> Read<Header> {
        self.expect_word("declare")?;
        let mut metadata = vec![];
        while let Token::MetadataName(_) = self.token() {
            metadata.push(self.attachment()?);
        }
        let (mut header, _) = self.header()?;
        header.metadata = metadata;
        if self.token() == Token::End { Ok(header) } else { fail("declaration") }
    }

    /// The header without its metadata, and the names of its parameters.
    fn header(&mut self) -> Read<(Header, Vec<Option<&'a str>>)> {
        let start = self.lexer.start;
        while matches!(self.token(), Token::Word(word) if LINKAGE.contains(&word)) {
            self.advance();
        }
        self.convention()?;
        let prefix =
            if self.lexer.start == start { self.context.string("") } else { self.since(start) };
        let return_attributes = self.return_attributes()?;
        let returns = self.ty()?;
        let Token::Global(key) = self.token() else { return fail("header") };
        self.advance();
        let name = self.context.name(key);
        self.expect(b'(')?;
        let (mut parameters, mut names, mut variadic) = (vec![], vec![], false);
        while !self.accept(b')') {
            if variadic || !parameters.is_empty() {
                self.expect(b',')?;
            }
            if self.token() == Token::Ellipsis {
                self.advance();
                variadic = true;
                continue;
            }
            let ty = self.ty()?;
            let attributes = self.parameter_attributes()?;
            parameters.push(Parameter { ty, attributes });
            names.push(match self.token() {
                Token::Local(key) => {
                    self.advance();
                    Some(key)
                }
                _ => None,
            });
        }
        let start = self.lexer.start;
        loop {
            match self.token() {
                Token::Word("unnamed_addr" | "local_unnamed_addr") => self.advance(),
                Token::Word("addrspace") => {
                    self.address_space()?;
                }
                _ => break,
            }
        }
        let address =
            if self.lexer.start == start { self.context.string("") } else { self.since(start) };
        let mut attributes = Attributes::default();
        while !matches!(self.token(), Token::Word(word) if SUFFIXES.contains(&word))
            && self.attribute(&mut attributes)?
        {}
        let suffix = self.header_suffix()?;
        let header = Header {
            name,
            prefix,
            return_attributes,
            returns,
            parameters,
            variadic,
            address,
            attributes,
            suffix,
            metadata: vec![],
        };
        Ok((header, names))
    }

    fn header_suffix(&mut self) -> Read<Arc<str>> {
        let start = self.lexer.start;
        while let Token::Word(word) = self.token() {
            self.advance();
            match word {
                "section" | "partition" | "gc" => {
                    let Token::Text(_) = self.token() else { return fail("header") };
                    self.advance();
                }
                "comdat" | "prefalign" => {
                    if self.is(b'(') && !self.lexer.skip_brackets() {
                        return fail("header");
                    }
                }
                "align" => {
                    self.number::<u64>()?;
                }
                "prefix" | "prologue" | "personality" => {
                    self.constant_operand()?;
                }
                _ => return fail("header"),
            }
        }
        Ok(if self.lexer.start == start { self.context.string("") } else { self.since(start) })
    }

    fn code(&mut self, header: &Header, names: &[Option<&'a str>]) -> Read<Code> {
        for (parameter, name) in header.parameters.iter().zip(names) {
            self.scope.define(*name, &parameter.ty, self.context)?;
        }
        self.expect(b'{')?;
        let mut blocks = vec![];
        while !self.accept(b'}') {
            let label = self.lexer.label();
            let name = self.scope.place(label, self.context)?;
            let mut instructions = vec![];
            loop {
                if self.is(b'}') {
                    return fail("block without terminator");
                }
                let Some(instruction) = self.instruction()? else { continue };
                let is_last = instruction.op.is_terminator();
                instructions.push(instruction);
                if is_last {
                    break;
                }
            }
            blocks.push(Block { name, instructions });
        }
        if blocks.is_empty() || self.token() != Token::End {
            return fail("syntax");
        }
        self.scope.finish(&mut blocks)?;
        Ok(Code { locals: std::mem::take(&mut self.scope.locals), blocks })
    }

    /// The body as text. Everything in it that has a number gets a name, because the printer numbers
    /// nothing.
    fn opaque(&mut self, brace: usize, names: &[Option<&'a str>], why: &str) -> Body {
        let mut next = 0_u32;
        let mut parameters = vec![];
        for name in names {
            parameters.push(match name {
                Some(key) => self.context.name(key),
                None => self.context.numbered(next),
            });
            let is_unnamed = name.is_none_or(|key| key.starts_with(|it: char| it.is_ascii_digit()));
            next += u32::from(is_unnamed);
        }
        let source = self.lexer.source;
        let text = self.lexer.slice(brace, source.len());
        let mut named = String::with_capacity(text.len() + 16);
        let mut has_entry = false;
        let is_record = |line: &&str| line.trim_start().starts_with("#dbg_");
        for line in text.split_inclusive('\n').filter(|line| !is_record(line)) {
            let line = &*self.context.text(line);
            let is_label = |line: &str| {
                let end = line.find(|it: char| !it.is_ascii_digit()).unwrap_or(line.len());
                end > 0 && line[end..].starts_with(':')
            };
            let is_code = !line.trim().is_empty() && line.trim() != "{" && !line.starts_with(';');
            if is_code && !has_entry {
                has_entry = true;
                if line.starts_with([' ', '\t']) {
                    let _ = writeln!(named, "{}:", self.context.numbered(next));
                }
            }
            if is_label(line) {
                let number: u32 = line.split(':').next().unwrap_or("").parse().unwrap_or(0);
                named.push_str(&self.context.numbered(number));
                named.push_str(&line[line.find(':').unwrap_or(0)..]);
            } else {
                named.push_str(line);
            }
        }
        Body::Opaque { parameters, text: named.into(), why: why.into() }
    }
}
