//! Command lines with placeholders: `["mycc", "-O{opt}", "-o", "{out}"]`.

use thiserror::Error;

/// A placeholder is `{name}`, where the name consists of letters, digits, `_` and `-`. Other braces are literal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    words: Vec<Vec<Piece>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Placeholder(String),
}

#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{{{placeholder}}}` in `{word}` is not defined: the placeholders are {known}")]
pub(super) struct UnknownPlaceholder {
    placeholder: String,
    word: String,
    known: String,
}

impl Template {
    /// Parses a command line in which only these placeholders may occur.
    pub(super) fn new(words: &[String], known: &[&str]) -> Result<Self, UnknownPlaceholder> {
        let words = words.iter().map(|word| {
            let pieces = pieces(word);
            for piece in &pieces {
                if let Piece::Placeholder(placeholder) = piece
                    && !known.contains(&placeholder.as_str())
                {
                    let known: Vec<String> =
                        known.iter().map(|name| format!("`{{{name}}}`")).collect();
                    return Err(UnknownPlaceholder {
                        placeholder: placeholder.clone(),
                        word: word.clone(),
                        known: known.join(", "),
                    });
                }
            }
            Ok(pieces)
        });
        Ok(Self { words: words.collect::<Result<_, _>>()? })
    }

    pub(super) fn mentions(&self, placeholder: &str) -> bool {
        let is_it =
            |piece: &Piece| matches!(piece, Piece::Placeholder(name) if name == placeholder);
        self.words.iter().flatten().any(is_it)
    }

    pub(super) fn fill(&self, value: impl Fn(&str) -> String) -> Vec<String> {
        let fill_word = |pieces: &Vec<Piece>| {
            pieces
                .iter()
                .map(|piece| match piece {
                    Piece::Text(text) => text.clone(),
                    Piece::Placeholder(name) => value(name),
                })
                .collect()
        };
        self.words.iter().map(fill_word).collect()
    }
}

fn pieces(word: &str) -> Vec<Piece> {
    let mut pieces = vec![];
    let mut rest = word;
    while let Some(open) = rest.find('{') {
        let after = &rest[open + 1..];
        let is_name = |name: &&str| {
            !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '-')
        };
        let name = after.split_once('}').map(|(name, _)| name).filter(is_name);
        let end = name.map_or(open + 1, |name| open + name.len() + 2);
        match name {
            Some(name) => {
                pieces.push(Piece::Text(rest[..open].to_owned()));
                pieces.push(Piece::Placeholder(name.to_owned()));
            }
            None => pieces.push(Piece::Text(rest[..end].to_owned())),
        }
        rest = &rest[end..];
    }
    pieces.push(Piece::Text(rest.to_owned()));
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(word: &str) -> String {
        let template = Template::new(&[word.to_owned()], &["opt", "in"]).unwrap();
        template.fill(|placeholder| placeholder.to_uppercase()).remove(0)
    }

    #[test]
    fn placeholders_are_filled_and_other_braces_are_literal() {
        assert_eq!(fill("-O{opt}"), "-OOPT");
        assert_eq!(fill("{in}{opt}x"), "INOPTx");
        assert_eq!(fill("a{}b{ c }{"), "a{}b{ c }{");
        assert_eq!(fill("{\"json\": {opt}}"), "{\"json\": OPT}");
        assert_eq!(fill(""), "");
    }

    #[test]
    fn an_unknown_placeholder_is_reported_with_the_known_ones() {
        let error = Template::new(&["-O{optt}".to_owned()], &["opt", "in"]).unwrap_err();
        let text = error.to_string();
        assert_eq!(
            text,
            "`{optt}` in `-O{optt}` is not defined: the placeholders are `{opt}`, `{in}`"
        );
    }
}
