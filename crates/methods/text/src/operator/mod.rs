//! Operators: each proposes one change of a text, or none where it does not apply. Their weights are in `mix.rs`.

mod havoc;
mod literal;
mod name;
mod splice;
mod statement;
mod strings;
mod token;

use std::ops::Range;

use forge::Entropy;

use crate::corpus::Corpus;
use crate::token::{Token, tokens};

/// A way to change a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    /// The content of a bracket becomes that of another with the same bracket and the same context.
    Bracket,
    /// The content of a bracket becomes that of any other.
    AnyBracket,
    /// A template of a program with up to ten fragments in its holes.
    Template,
    /// One of the string operators of mutation testing.
    Strings,
    /// A token is replaced, inserted, deleted or swapped.
    Token,
    /// A name becomes another name of the program.
    Name,
    /// A statement is deleted, duplicated, moved or taken from another program.
    Statement,
    /// A literal becomes an edge value.
    Literal,
    /// Bytes are changed without regard to tokens.
    Havoc,
}

impl Operator {
    pub const ALL: [Self; 9] = [
        Self::Bracket,
        Self::AnyBracket,
        Self::Template,
        Self::Strings,
        Self::Token,
        Self::Name,
        Self::Statement,
        Self::Literal,
        Self::Havoc,
    ];

    /// As trails and statistics call it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Bracket => "bracket in context",
            Self::AnyBracket => "any bracket",
            Self::Template => "template",
            Self::Strings => "string",
            Self::Token => "token",
            Self::Name => "name",
            Self::Statement => "statement",
            Self::Literal => "literal",
            Self::Havoc => "bytes",
        }
    }

    /// The changed text, if the operator applies and changes anything.
    pub(crate) fn apply(self, scene: &Scene<'_>, entropy: &mut Entropy) -> Option<String> {
        let edits = match self {
            Self::Bracket => splice::in_context(scene, entropy)?,
            Self::AnyBracket => splice::anywhere(scene, entropy)?,
            Self::Template => return splice::template(scene.corpus, entropy),
            Self::Strings => strings::edits(scene.text, entropy)?,
            Self::Token => token::edits(scene, entropy)?,
            Self::Name => name::edits(scene, entropy)?,
            Self::Statement => statement::edits(scene, entropy)?,
            Self::Literal => literal::edits(scene, entropy)?,
            Self::Havoc => havoc::edits(scene.text, entropy)?,
        };
        let changed = applied(scene.text, edits);
        (changed != scene.text).then_some(changed)
    }
}

/// What an operator sees.
pub(crate) struct Scene<'a> {
    pub(crate) corpus: &'a Corpus,
    pub(crate) text: &'a str,
    pub(crate) tokens: Vec<Token>,
}

impl<'a> Scene<'a> {
    pub(crate) fn new(corpus: &'a Corpus, text: &'a str) -> Self {
        Self { corpus, text, tokens: tokens(text, &corpus.syntax) }
    }

    fn word(&self, token: &Token) -> &'a str {
        &self.text[token.range.clone()]
    }
}

/// A range of the text and what it becomes.
type Edit = (Range<usize>, String);

/// The text after some edits, which must not overlap.
fn applied(text: &str, mut edits: Vec<Edit>) -> String {
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    let mut changed = String::with_capacity(text.len() + 64);
    let mut at = 0;
    for (range, with) in edits {
        changed.push_str(&text[at..range.start]);
        changed.push_str(&with);
        at = range.end;
    }
    changed.push_str(&text[at..]);
    changed
}

/// The edits that exchange two ranges.
fn swapped(text: &str, first: &Range<usize>, second: &Range<usize>) -> Option<Vec<Edit>> {
    let apart = first.end <= second.start || second.end <= first.start;
    let edit = |to: &Range<usize>, from: &Range<usize>| (to.clone(), text[from.clone()].to_owned());
    apart.then(|| vec![edit(first, second), edit(second, first)])
}

#[cfg(test)]
mod tests;
