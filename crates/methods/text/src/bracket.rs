//! Pairs of brackets and the context that they stand in.

use std::ops::Range;

use crate::token::{Kind, Token};

/// A pair of brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Pair {
    /// What is between the brackets.
    pub(crate) inside: Range<usize>,
    pub(crate) context: Context,
}

/// What a fragment has to share with the hole that it is put into: the bracket, and what comes before it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Context {
    pub(crate) bracket: char,
    /// A common word, an operator or a bracket; empty for a name or a literal, and at the start.
    pub(crate) before: String,
}

/// The pairs of a text, in the order of their ends. Brackets that do not match are passed over.
pub(crate) fn pairs(text: &str, tokens: &[Token], is_common: &dyn Fn(&str) -> bool) -> Vec<Pair> {
    let mut open: Vec<(usize, char)> = vec![];
    let mut pairs = vec![];
    for (at, token) in tokens.iter().enumerate() {
        let Some(bracket) = text[token.range.clone()].chars().next() else { continue };
        match token.kind {
            Kind::Open => open.push((at, bracket)),
            Kind::Close => {
                let opened = match bracket {
                    ')' => '(',
                    ']' => '[',
                    _ => '{',
                };
                let Some(place) = open.iter().rposition(|it| it.1 == opened) else { continue };
                let (start, bracket) = open[place];
                open.truncate(place);
                let before = before(text, &tokens[..start], bracket, is_common);
                pairs.push(Pair {
                    inside: tokens[start].range.end..token.range.start,
                    context: Context { bracket, before },
                });
            }
            _ => {}
        }
    }
    pairs
}

/// What comes before a bracket: for braces the first common word of the statement, such as `function` or `if`; for
/// others the token itself.
fn before(text: &str, tokens: &[Token], bracket: char, is_common: &dyn Fn(&str) -> bool) -> String {
    let word = |token: &Token| &text[token.range.clone()];
    let mut code = tokens.iter().rev().filter(|it| it.is_code());
    if bracket == '{' {
        let ends = |token: &&Token| matches!(word(token), ";" | "{" | "}");
        let header = code.take_while(|token| !ends(token));
        let words = header.filter(|it| it.kind == Kind::Word).map(word).filter(|it| is_common(it));
        return words.last().unwrap_or_default().to_owned();
    }
    match code.next() {
        Some(token) if token.kind == Kind::Word && is_common(word(token)) => word(token).to_owned(),
        Some(token) if token.kind == Kind::Word => "name".to_owned(),
        Some(token) if matches!(token.kind, Kind::Operator | Kind::Open | Kind::Close) => {
            word(token).to_owned()
        }
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use forge::Language;

    use super::*;
    use crate::syntax::Syntax;
    use crate::token::tokens;

    #[test]
    fn a_pair_knows_what_comes_before_it() {
        let text = "function f(uint a) public { if (a > [1][0]) { g(a); } }";
        let tokens = tokens(text, &Syntax::of(&Language::new("solidity")));
        let common = |word: &str| ["function", "if", "public"].contains(&word);
        let found: Vec<(&str, char, String)> = pairs(text, &tokens, &common)
            .into_iter()
            .map(|it| (&text[it.inside], it.context.bracket, it.context.before))
            .collect();
        let row = |inside, bracket, before: &str| (inside, bracket, before.to_owned());
        let expected = [
            row("uint a", '(', "name"),
            row("1", '[', ">"),
            row("0", '[', "]"),
            row("a > [1][0]", '(', "if"),
            row("a", '(', "name"),
            row(" g(a); ", '{', "if"),
            row(" if (a > [1][0]) { g(a); } ", '{', "function"),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn brackets_that_do_not_match_are_passed_over() {
        let text = ") ( [ ) } {";
        let tokens = tokens(text, &Syntax::of(&Language::new("c")));
        let found = pairs(text, &tokens, &|_| false);
        assert_eq!(found.iter().map(|it| &text[it.inside.clone()]).collect::<Vec<_>>(), [" [ "]);
    }
}
