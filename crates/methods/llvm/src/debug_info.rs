//! Removes debug information: attachments and elements of nodes that refer to nodes of the classes `!DI…`.
//! Without it, parts of a module need no compile unit.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::ir::{Attachment, Body, Function, Global, Header};
use crate::parse::lexer::{Lexer, Token};

/// Knows which nodes are debug information.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DebugInfo<'m>(pub(crate) &'m BTreeMap<u32, Arc<str>>);

impl DebugInfo<'_> {
    fn is_node(self, reference: &str) -> bool {
        let node = reference.get(1..).and_then(|number| self.0.get(&number.parse().ok()?));
        node.is_some_and(|text| text.strip_prefix("distinct ").unwrap_or(text).starts_with("!DI"))
    }

    fn is_debug(self, node: &str) -> bool {
        node.starts_with("!DI") || self.is_node(node)
    }

    fn strip_attachments(self, attachments: &mut Vec<Attachment>) {
        attachments.retain(|it| !self.is_debug(&it.node));
    }

    pub(crate) fn strip_header(self, header: &mut Header) {
        self.strip_attachments(&mut header.metadata);
    }

    pub(crate) fn strip_function(self, function: &mut Function) {
        self.strip_header(&mut function.header);
        match &mut function.body {
            Body::Code(code) => {
                for instruction in code.instructions_mut() {
                    if !instruction.metadata.is_empty() {
                        self.strip_attachments(&mut instruction.metadata);
                    }
                }
            }
            Body::Opaque { text, .. } => self.strip_text(text),
        }
    }

    pub(crate) fn strip_global(self, global: &mut Global) {
        self.strip_text(&mut global.suffix);
    }

    /// Removes `, !name !7` and, in nodes, `, !7`, where 7 is debug information.
    pub(crate) fn strip_text(self, text: &mut Arc<str>) {
        if !text.contains('!') {
            return;
        }
        let source = text.clone();
        let (mut kept, mut written) = (String::new(), 0);
        let mut lexer = Lexer::new(&source);
        while lexer.token != Token::End {
            if lexer.token == Token::Mark(b',') {
                let from = lexer.start;
                lexer.advance();
                if let Token::MetadataName(name) = lexer.token
                    && !name.starts_with("DI")
                {
                    lexer.advance();
                }
                if let Token::Node(node) = lexer.token
                    && self.is_node(node)
                {
                    kept.push_str(lexer.slice(written, from));
                    written = lexer.end;
                    lexer.advance();
                }
                continue;
            }
            lexer.advance();
        }
        if written > 0 {
            kept.push_str(lexer.slice(written, source.len()));
            *text = kept.into();
        }
    }
}
