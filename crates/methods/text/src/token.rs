//! Splits a text of any language into tokens, without loss: their ranges cover the whole text. It never fails: what is
//! not closed ends with the text.

use std::ops::Range;

use crate::syntax::Syntax;

/// What a token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Kind {
    Space,
    Comment,
    Word,
    Number,
    Text,
    Open,
    Close,
    Operator,
}

/// A token: its kind and its place in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    pub(crate) kind: Kind,
    pub(crate) range: Range<usize>,
}

impl Token {
    pub(crate) fn is_code(&self) -> bool {
        !matches!(self.kind, Kind::Space | Kind::Comment)
    }
}

/// Operators of several characters, the longest first.
const OPERATORS: &[&str] = &[
    ">>>=", "<<=", ">>=", "...", "..=", ">>>", "**=", "->", "=>", "::", "==", "!=", "<=", ">=",
    "&&", "||", "<<", ">>", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "++", "--", "**", "..",
    ":=",
];

pub(crate) fn tokens(text: &str, syntax: &Syntax) -> Vec<Token> {
    let mut tokens = vec![];
    let mut at = 0;
    while at < text.len() {
        let (kind, length) = next(&text[at..], syntax);
        tokens.push(Token { kind, range: at..at + length });
        at += length;
    }
    tokens
}

/// The kind and the length of the first token of a text that is not empty.
fn next(text: &str, syntax: &Syntax) -> (Kind, usize) {
    let run = |is: fn(char) -> bool| text.find(|it| !is(it)).unwrap_or(text.len());
    let first = text.chars().next().unwrap_or_default();
    if first.is_whitespace() {
        return (Kind::Space, run(char::is_whitespace));
    }
    if let Some((open, close)) = syntax.block_comments.iter().find(|it| text.starts_with(it.0)) {
        let end = text[open.len()..].find(close).map(|at| open.len() + at + close.len());
        return (Kind::Comment, end.unwrap_or(text.len()));
    }
    if syntax.line_comments.iter().any(|it| text.starts_with(it)) {
        return (Kind::Comment, text.find('\n').unwrap_or(text.len()));
    }
    if let Some(quote) = syntax.quotes.iter().find(|it| text.starts_with(**it)) {
        if let Some(length) = quoted(text, quote, syntax) {
            return (Kind::Text, length);
        }
        if syntax.has_lifetimes && *quote == "'" {
            let name = text[1..].find(|it: char| !is_of_word(it)).map_or(text.len(), |end| end + 1);
            return (Kind::Word, name);
        }
    }
    match first {
        '(' | '[' | '{' => (Kind::Open, 1),
        ')' | ']' | '}' => (Kind::Close, 1),
        '0'..='9' => (Kind::Number, number(text)),
        _ if is_of_word(first) => (Kind::Word, run(is_of_word)),
        _ => {
            let known = OPERATORS.iter().find(|it| text.starts_with(**it));
            (Kind::Operator, known.map_or(first.len_utf8(), |it| it.len()))
        }
    }
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

/// Digits with a point and an exponent, as in `1_000`, `0x1f`, `1.5e-3` and `7u32`.
fn number(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    let mut end = 1;
    while let Some(byte) = bytes.get(end) {
        let previous = bytes[end - 1];
        let follows = bytes.get(end + 1).is_some_and(u8::is_ascii_digit);
        let is_sign = matches!(byte, b'+' | b'-') && matches!(previous, b'e' | b'E') && follows;
        let goes_on = byte.is_ascii_alphanumeric()
            || *byte == b'_'
            || (*byte == b'.' && follows)
            || (is_sign && !is_hexadecimal);
        if !goes_on {
            break;
        }
        end += 1;
    }
    end
}

/// The length of a string that begins with `quote`; `None` if it is none.
fn quoted(text: &str, quote: &str, syntax: &Syntax) -> Option<usize> {
    let is_long = quote.len() > 1;
    let mut escaped = false;
    let mut length = 0;
    for (at, character) in text.char_indices().skip(quote.len()) {
        if escaped {
            escaped = false;
        } else if character == '\\' {
            escaped = true;
        } else if text[at..].starts_with(quote) {
            return Some(at + quote.len());
        } else if character == '\n' && !is_long {
            return (!(syntax.has_lifetimes && quote == "'")).then_some(at);
        }
        length += 1;
        // A character of Rust is one, or an escape; anything else is a lifetime.
        if syntax.has_lifetimes && quote == "'" && length > 1 && !text.starts_with("'\\") {
            return None;
        }
    }
    (!(syntax.has_lifetimes && quote == "'")).then_some(text.len())
}

#[cfg(test)]
mod tests {
    use forge::Language;
    use proptest::prelude::*;

    use super::*;

    fn split<'a>(language: &str, text: &'a str) -> Vec<(Kind, &'a str)> {
        let tokens = tokens(text, &Syntax::of(&Language::new(language)));
        let code = tokens.into_iter().filter(|it| it.kind != Kind::Space);
        code.map(|it| (it.kind, &text[it.range])).collect()
    }

    #[test]
    fn comments_and_strings_hide_brackets() {
        use Kind::{Close, Comment, Open, Operator, Text, Word};
        let found = split("c", "f(\"a)\\\")\" /* ( */) // }\n;");
        let expected = [
            (Word, "f"),
            (Open, "("),
            (Text, "\"a)\\\")\""),
            (Comment, "/* ( */"),
            (Close, ")"),
            (Comment, "// }"),
            (Operator, ";"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn lifetimes_and_characters_of_rust_are_distinguished() {
        use Kind::{Operator, Text, Word};
        let found = split("rust", "&'a x: 'b' '\\n' 'static");
        let expected = [
            (Operator, "&"),
            (Word, "'a"),
            (Word, "x"),
            (Operator, ":"),
            (Text, "'b'"),
            (Text, "'\\n'"),
            (Word, "'static"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn numbers_keep_their_parts() {
        let found = split("c", "0x1F+1.5e-3 1..2 7u32");
        let numbers: Vec<&str> =
            found.iter().filter(|it| it.0 == Kind::Number).map(|it| it.1).collect();
        assert_eq!(numbers, ["0x1F", "1.5e-3", "1", "2", "7u32"]);
    }

    proptest! {
        #[test]
        fn tokens_cover_any_text(text in "(\\PC|[\n\"'(){}/*#\\\\])*", language in "c|rust|vyper|wasm|x") {
            let tokens = tokens(&text, &Syntax::of(&Language::new(language)));
            let mut end = 0;
            for token in tokens {
                prop_assert_eq!(token.range.start, end);
                prop_assert!(token.range.end > end && text.is_char_boundary(token.range.end));
                end = token.range.end;
            }
            prop_assert_eq!(end, text.len());
        }
    }
}
