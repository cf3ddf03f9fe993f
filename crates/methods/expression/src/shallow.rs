//! Shallower programs: for a compiler whose stack is too small, how deep expressions are nested is all that counts.
//! Each body alone is cut from its leaves up. `shrink.rs` does the rest.

use std::collections::BTreeMap;

use super::pair::Pair;
use super::program::Body;
use super::shrink::rebuilt;
use identity::kernel::{TermId, Terms};

/// The bodies, each alone and with less nesting, the least first.
pub(super) fn candidates(pair: Pair) -> impl Iterator<Item = Pair> + Send {
    let mut plans: Vec<(usize, Body)> = vec![];
    let bodies: Vec<Body> = pair.bodies().into_iter().cloned().collect();
    let deepest = bodies.iter().map(|body| depth(&pair.terms, body)).max().unwrap_or_default();
    let cuts = std::iter::successors(Some(deepest / 2), |cut| Some(cut / 2));
    let cuts =
        std::iter::once(deepest.saturating_sub(1)).chain(cuts.skip_while(|cut| cut + 1 >= deepest));
    for cut in cuts.take_while(|cut| *cut > 0) {
        plans.extend(bodies.iter().map(|body| (cut, body.clone())));
    }
    plans.into_iter().filter_map(move |(cut, body)| {
        let mut shallower = pair.clone();
        shallower.alone(Some(body));
        shallower.flatten(cut);
        shallower.tidy()?;
        Some(shallower)
    })
}

/// How deep operators are nested in a body.
pub(super) fn depth(terms: &Terms, body: &Body) -> usize {
    let heights = heights(terms, &body.sites());
    body.sites().iter().map(|site| heights[site]).max().unwrap_or_default()
}

/// How many operators are above each other in each term; a leaf has none.
fn heights(terms: &Terms, roots: &[TermId]) -> BTreeMap<TermId, usize> {
    let mut heights = BTreeMap::new();
    for term in terms.in_order(roots) {
        let below = terms.args(term).iter().map(|arg| heights[arg] + 1).max();
        heights.insert(term, below.unwrap_or_default());
    }
    heights
}

impl Pair {
    /// Every term that is no higher becomes a leaf of its own, or the number one.
    fn flatten(&mut self, height: usize) {
        let from = self.terms.clone();
        let heights = heights(&from, &self.base.sites());
        for slot in self.base.sites_mut() {
            *slot = rebuilt(&mut self.terms, &from, *slot, &mut |terms, term, node| {
                let is_low = (1..=height).contains(&heights[&term]);
                let is_leaf = |it: &TermId| heights[it] == 0 && from.width(*it) == node.width;
                is_low.then(|| {
                    let leaf = from.in_order(&[term]).into_iter().find(is_leaf);
                    leaf.unwrap_or_else(|| terms.literal(1, node.width))
                })
            });
        }
    }
}
