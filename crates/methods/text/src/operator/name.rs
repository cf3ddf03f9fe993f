//! A name becomes another name of the same program, which may be of another type or out of scope.

use std::collections::BTreeSet;

use forge::Entropy;

use super::{Edit, Scene};
use crate::token::{Kind, Token};

pub(super) fn edits(scene: &Scene<'_>, entropy: &mut Entropy) -> Option<Vec<Edit>> {
    let is_name =
        |token: &&Token| token.kind == Kind::Word && !scene.corpus.is_common(scene.word(token));
    let names: Vec<&Token> = scene.tokens.iter().filter(is_name).collect();
    let token = entropy.pick(&names)?;
    let different: BTreeSet<&str> = names.iter().map(|it| scene.word(it)).collect();
    let own = scene.word(token);
    let others: Vec<&str> = different.into_iter().filter(|it| *it != own).collect();
    let other = *entropy.pick(&others)?;
    // One use, or all of them.
    let everywhere = entropy.chance(1, 4);
    let chosen = names.iter().filter(|it| match everywhere {
        true => scene.word(it) == own,
        false => it.range == token.range,
    });
    Some(chosen.map(|it| (it.range.clone(), other.to_owned())).collect())
}
