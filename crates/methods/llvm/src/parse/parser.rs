//! The state of the parser and its smallest steps: expecting tokens, numbers, captured text.

use std::sync::Arc;

use super::context::Context;
use super::lexer::{Lexer, Token};
use super::scope::Scope;
use crate::ir::Flags;

/// Why something could not be read: a short class, the same for equal causes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Failure(pub(super) Box<str>);

pub(super) type Read<T> = Result<T, Failure>;

pub(super) fn fail<T>(why: &str) -> Read<T> {
    Err(Failure(why.into()))
}

/// How deep types and constants may be nested.
const NESTING: u32 = 100;

#[derive(Debug)]
pub(super) struct Parser<'a, 'c> {
    pub(super) lexer: Lexer<'a>,
    pub(super) context: &'c mut Context<'a>,
    pub(super) scope: Scope<'a>,
    depth: u32,
}

impl<'a, 'c> Parser<'a, 'c> {
    pub(super) fn new(source: &'a str, context: &'c mut Context<'a>) -> Self {
        Self { lexer: Lexer::new(source), context, scope: Scope::default(), depth: 0 }
    }

    pub(super) fn token(&self) -> Token<'a> {
        self.lexer.token
    }

    pub(super) fn advance(&mut self) {
        self.lexer.advance();
    }

    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Read<T>) -> Read<T> {
        if self.depth == NESTING {
            return fail("nesting");
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Whether a pointer type may be put around a type that is nested so deep already.
    pub(super) fn check_depth(&self, stars: u32) -> Read<()> {
        if self.depth + stars > NESTING { fail("nesting") } else { Ok(()) }
    }

    pub(super) fn is(&self, mark: u8) -> bool {
        self.lexer.token == Token::Mark(mark)
    }

    pub(super) fn accept(&mut self, mark: u8) -> bool {
        let accepted = self.is(mark);
        if accepted {
            self.advance();
        }
        accepted
    }

    pub(super) fn expect(&mut self, mark: u8) -> Read<()> {
        if self.accept(mark) {
            return Ok(());
        }
        fail(match mark {
            b'(' => "expected (",
            b')' => "expected )",
            b',' => "expected ,",
            b'=' => "expected =",
            b'[' => "expected [",
            b']' => "expected ]",
            b'}' => "expected }",
            b'>' => "expected >",
            _ => "syntax",
        })
    }

    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self.lexer.token, Token::Word(it) if it == word)
    }

    pub(super) fn accept_word(&mut self, word: &str) -> bool {
        let accepted = self.is_word(word);
        if accepted {
            self.advance();
        }
        accepted
    }

    pub(super) fn expect_word(&mut self, word: &str) -> Read<()> {
        if self.accept_word(word) { Ok(()) } else { fail("syntax") }
    }

    pub(super) fn word(&mut self) -> Read<&'a str> {
        let Token::Word(word) = self.lexer.token else { return fail("syntax") };
        self.advance();
        Ok(word)
    }

    pub(super) fn number<N: std::str::FromStr>(&mut self) -> Read<N> {
        let Token::Number(digits) = self.lexer.token else { return fail("expected a number") };
        let Ok(number) = digits.parse() else { return fail("number") };
        self.advance();
        Ok(number)
    }

    /// A comma that attachments do not follow.
    pub(super) fn comma(&mut self) -> bool {
        let is_comma = self.is(b',') && !self.lexer.is_followed_by(b'!');
        if is_comma {
            self.advance();
        }
        is_comma
    }

    /// The text from a position to the last token that was read, as it is kept.
    pub(super) fn since(&mut self, start: usize) -> Arc<str> {
        let text = self.lexer.slice(start, self.lexer.prior);
        self.context.text(text)
    }

    /// `addrspace(N)`, where it is the current word.
    pub(super) fn address_space(&mut self) -> Read<u32> {
        self.expect_word("addrspace")?;
        self.expect(b'(')?;
        let space = self.number()?;
        self.expect(b')')?;
        Ok(space)
    }

    pub(super) fn flags(&mut self) -> Flags {
        let mut flags = Flags::NONE;
        while let Token::Word(word) = self.lexer.token {
            match Flags::WORDS.iter().find(|(_, it)| *it == word) {
                Some((flag, _)) => flags |= *flag,
                None if word == "fast" => flags |= Flags::FAST,
                None => break,
            }
            self.advance();
        }
        flags
    }
}
