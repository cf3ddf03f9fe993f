//! Metadata: attachments, operands of calls, numbered nodes. All of it remains text.

use super::lexer::Token;
use super::parser::{Parser, Read, fail};
use crate::ir::{Attachment, Value};

impl Parser<'_, '_> {
    /// `!name !7`
    pub(super) fn attachment(&mut self) -> Read<Attachment> {
        let Token::MetadataName(name) = self.token() else { return fail("metadata") };
        self.advance();
        let name = self.context.string(name);
        let node = match self.token() {
            Token::Node(reference) => {
                self.advance();
                self.context.node(reference)
            }
            _ => {
                let start = self.lexer.start;
                self.node_text()?;
                self.since(start)
            }
        };
        Ok(Attachment { name, node })
    }

    /// Steps over a node that is written in place.
    pub(super) fn node_text(&mut self) -> Read<()> {
        match self.token() {
            Token::Node(_) => self.advance(),
            Token::MetadataName(_) => {
                self.advance();
                if !self.is(b'(') || !self.lexer.skip_brackets() {
                    return fail("metadata");
                }
            }
            Token::Mark(b'!') => {
                self.advance();
                match self.token() {
                    Token::Text(_) => self.advance(),
                    Token::Mark(b'{') if self.lexer.skip_brackets() => {}
                    _ => return fail("metadata"),
                }
            }
            _ => return fail("metadata"),
        }
        Ok(())
    }

    /// An operand of type `metadata`.
    pub(super) fn metadata(&mut self) -> Read<Value> {
        let start = self.lexer.start;
        if self.is_type() {
            let ty = self.ty()?;
            if matches!(self.token(), Token::Local(_)) {
                return fail("local metadata");
            }
            self.constant(&ty)?;
        } else {
            self.node_text()?;
        }
        Ok(Value::Metadata(self.since(start)))
    }
}
