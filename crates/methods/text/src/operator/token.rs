//! Changes of single tokens. A token that takes the place of another is of the same kind and occurs in the corpus.

use forge::Entropy;

use super::{Edit, Scene, swapped};
use crate::token::{Kind, Token};

/// The kinds that a token can be inserted of, and how often.
const INSERTED: &[Kind] = &[Kind::Word, Kind::Word, Kind::Word, Kind::Operator, Kind::Number];

pub(super) fn edits(scene: &Scene<'_>, entropy: &mut Entropy) -> Option<Vec<Edit>> {
    let code: Vec<&Token> = scene.tokens.iter().filter(|it| it.is_code()).collect();
    let at = entropy.below(code.len().max(1) as u64) as usize;
    let token = code.get(at)?;
    // A bracket is changed together with its partner by other operators.
    let is_bracket = matches!(token.kind, Kind::Open | Kind::Close);
    match entropy.below(8) {
        0..=3 if !is_bracket => {
            let with = entropy.pick(scene.corpus.tokens(token.kind))?;
            Some(vec![(token.range.clone(), with.clone())])
        }
        4 | 5 => {
            let kind = entropy.pick(INSERTED)?;
            let word = entropy.pick(scene.corpus.tokens(*kind))?;
            Some(vec![(token.range.end..token.range.end, format!(" {word} "))])
        }
        6 if !is_bracket => {
            let next = code[at + 1..].iter().find(|it| it.kind == token.kind)?;
            swapped(scene.text, &token.range, &next.range)
        }
        _ if !is_bracket => Some(vec![(token.range.clone(), String::new())]),
        _ => None,
    }
}
