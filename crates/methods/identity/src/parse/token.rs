//! Splits a line of a rule file into tokens, each with its column.

use num_bigint::BigInt;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    Name(String),
    Number(BigInt),
    Text(String),
    Symbol(&'static str),
}

#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) token: Token,
    /// Counted from 1, in characters.
    pub(super) column: usize,
}

/// Longest first, so that `<=u` is not read as `<`.
const SYMBOLS: &[&str] = &[
    "<=u", ">=u", "<=s", ">=s", ">>u", ">>s", "**", "<<", "==", "!=", "<u", ">u", "<s", ">s", "/u",
    "/s", "/f", "%u", "%s", "%f", ">=", "<=", "+", "-", "*", "/", "%", "&", "|", "^", "~", "?",
    ":", ",", "(", ")", "=",
];

pub(super) fn tokens(line: &str) -> Result<Vec<Placed>, (usize, String)> {
    let characters: Vec<char> = line.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let column = at + 1;
        let c = characters[at];
        if c.is_whitespace() {
            at += 1;
            continue;
        }
        if c == '#' {
            break;
        }
        let rest = &characters[at..];
        let token = if c.is_ascii_alphabetic() || c == '_' {
            // A name token has no hyphens, so that `a-1` is a difference; `hyphenated` joins the
            // names of rules.
            let name: String =
                rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '_').collect();
            at += name.len();
            Token::Name(name)
        } else if c.is_ascii_digit() {
            let digits: String =
                rest.iter().take_while(|c| c.is_ascii_alphanumeric() || **c == '_').collect();
            at += digits.len();
            number(&digits)
                .map(Token::Number)
                .ok_or((column, format!("`{digits}` is not a number")))?
        } else if c == '"' {
            let text: String = rest[1..].iter().take_while(|c| **c != '"').collect();
            if rest.get(text.chars().count() + 1) != Some(&'"') {
                return Err((column, "unterminated string".into()));
            }
            at += text.chars().count() + 2;
            Token::Text(text)
        } else {
            let symbol = SYMBOLS.iter().find(|symbol| is_symbol(symbol, rest));
            let Some(symbol) = symbol else {
                return Err((column, format!("unexpected character `{c}`")));
            };
            at += symbol.len();
            Token::Symbol(symbol)
        };
        tokens.push(Placed { token, column });
    }
    Ok(tokens)
}

/// A symbol that ends in a letter must not be modelled by a word character: `a /unit` is an error,
/// not `a /u nit`.
fn is_symbol(symbol: &str, rest: &[char]) -> bool {
    let matches = symbol.chars().zip(rest).all(|(a, b)| a == *b) && rest.len() >= symbol.len();
    let letter = symbol.ends_with(|c: char| c.is_ascii_alphabetic());
    matches
        && !(letter
            && rest.get(symbol.len()).is_some_and(|c| c.is_ascii_alphanumeric() || *c == '_'))
}

fn number(digits: &str) -> Option<BigInt> {
    let plain = digits.replace('_', "");
    match plain.strip_prefix("0x") {
        Some(hex) => BigInt::parse_bytes(hex.as_bytes(), 16),
        None => BigInt::parse_bytes(plain.as_bytes(), 10),
    }
}
