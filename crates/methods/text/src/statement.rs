//! Where the statements of a text are, by brackets and separators or by lines and indentation.

use std::ops::Range;

use crate::syntax::Syntax;
use crate::token::{Kind, Token};

/// The statements of a text, at any depth.
pub(crate) fn statements(text: &str, tokens: &[Token], syntax: &Syntax) -> Vec<Range<usize>> {
    let separated = if syntax.is_indented { vec![] } else { separated(text, tokens) };
    // Languages without separators write a statement per line.
    if separated.is_empty() { blocks(text) } else { separated }
}

/// A statement ends with a semicolon, or with a brace that ends its block, at the depth where it began.
fn separated(text: &str, tokens: &[Token]) -> Vec<Range<usize>> {
    let mut statements = vec![];
    // Where the statement of each depth began, and whether its bracket is a brace.
    let mut starts: Vec<(Option<usize>, bool)> = vec![(None, true)];
    for token in tokens.iter().filter(|it| it.is_code()) {
        let word = &text[token.range.clone()];
        let depth = starts.len();
        let Some((start, in_block)) = starts.last_mut() else { break };
        if token.kind != Kind::Close {
            start.get_or_insert(token.range.start);
        }
        match (token.kind, word) {
            (Kind::Open, _) => starts.push((None, word == "{")),
            (Kind::Close, _) if depth > 1 => {
                starts.pop();
                if let Some((start, true)) = starts.last_mut()
                    && word == "}"
                    && let Some(begun) = start.take()
                {
                    statements.push(begun..token.range.end);
                }
            }
            (_, ";") if *in_block => {
                if let Some(begun) = start.take() {
                    statements.push(begun..token.range.end);
                }
            }
            _ => {}
        }
    }
    statements
}

/// A line with all lines after it that are indented more.
fn blocks(text: &str) -> Vec<Range<usize>> {
    let mut lines = vec![];
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let indent = line.len() - line.trim_start().len();
        if !line.trim().is_empty() {
            lines.push((at..at + line.len(), indent));
        }
        at += line.len();
    }
    let end = |number: usize| {
        let (own, indent) = &lines[number];
        let inner = lines[number + 1..].iter().take_while(|it| it.1 > *indent);
        inner.last().map_or(own.end, |it| it.0.end)
    };
    (0..lines.len()).map(|number| lines[number].0.start..end(number)).collect()
}

#[cfg(test)]
mod tests {
    use forge::Language;

    use super::*;
    use crate::token::tokens;

    fn found<'a>(language: &str, text: &'a str) -> Vec<&'a str> {
        let syntax = Syntax::of(&Language::new(language));
        statements(text, &tokens(text, &syntax), &syntax).into_iter().map(|it| &text[it]).collect()
    }

    #[test]
    fn statements_of_braces_and_of_indentation_are_found() {
        let text = "int f(int a) { for (;;) { a = 1; } g(a); }";
        let expected = ["a = 1;", "for (;;) { a = 1; }", "g(a);", text];
        assert_eq!(found("c", text), expected);
        assert_eq!(found("a-new-language", "set a 1\nset b 2\n"), ["set a 1\n", "set b 2\n"]);
        let text = "def f():\n    if a:\n        b = 1\n    c = 2\nd = 3\n";
        let expected = [
            "def f():\n    if a:\n        b = 1\n    c = 2\n",
            "    if a:\n        b = 1\n",
            "        b = 1\n",
            "    c = 2\n",
            "d = 3\n",
        ];
        assert_eq!(found("vyper", text), expected);
    }
}
