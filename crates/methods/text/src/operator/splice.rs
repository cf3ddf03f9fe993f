//! Splices: the content of brackets is exchanged, so that the text stays balanced.

use forge::Entropy;

use super::{Edit, Scene, applied};
use crate::bracket::pairs;
use crate::corpus::Corpus;

/// The most holes of a template that are filled.
const HOLES: u64 = 10;

/// The content of a bracket becomes a fragment that was found in the same context.
pub(super) fn in_context(scene: &Scene<'_>, entropy: &mut Entropy) -> Option<Vec<Edit>> {
    let pairs = pairs(scene.text, &scene.tokens, &|word| scene.corpus.is_common(word));
    let pair = entropy.pick(&pairs)?;
    let fragment = entropy.pick(scene.corpus.fragments(&pair.context))?;
    Some(vec![(pair.inside.clone(), scene.corpus.text(fragment).to_owned())])
}

/// The content of a bracket becomes any fragment.
pub(super) fn anywhere(scene: &Scene<'_>, entropy: &mut Entropy) -> Option<Vec<Edit>> {
    let pairs = pairs(scene.text, &scene.tokens, &|_| false);
    let pair = entropy.pick(&pairs)?;
    let fragment = entropy.pick(&scene.corpus.any_fragment)?;
    Some(vec![(pair.inside.clone(), scene.corpus.text(fragment).to_owned())])
}

/// A program with up to ten of its brackets filled with any fragments.
pub(super) fn template(corpus: &Corpus, entropy: &mut Entropy) -> Option<String> {
    let base = entropy.pick(&corpus.entries)?.text.as_str();
    let scene = Scene::new(corpus, base);
    let mut free = pairs(base, &scene.tokens, &|_| false);
    let mut edits: Vec<Edit> = vec![];
    for _ in 0..entropy.between(1, HOLES) {
        let Some(pair) = entropy.pick(&free).cloned() else { break };
        let fragment = entropy.pick(&corpus.any_fragment)?;
        free.retain(|it| it.inside.end < pair.inside.start || it.inside.start > pair.inside.end);
        edits.push((pair.inside, corpus.text(fragment).to_owned()));
    }
    let changed = applied(base, edits);
    (changed != base).then_some(changed)
}
