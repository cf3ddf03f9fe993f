//! What the tickets of a block share: a group of tests, a machine and a pipeline, so that a batch of cases is
//! one module and one run of `opt`.

use std::sync::Arc;

use forge::Entropy;

use crate::corpus::{Corpus, Group};
use crate::{passes, pipeline};

/// So many tickets share a block: as many as share a run of `opt`.
pub const TICKETS: u64 = 800;

/// Fewer destinations than this are joined by those of the family that are for no machine.
const FEW: usize = 24;

/// What consecutive tickets share.
#[derive(Clone, Debug)]
pub struct Block {
    pub group: usize,
    pub family: usize,
    pub triple: Option<Arc<str>>,
    pub data_layout: Option<Arc<str>>,
    pub passes: String,
}

impl Block {
    /// Two of three blocks are drawn by the number of seeds, so that every test has the same chance; the others
    /// by folder, so that small folders have one.
    pub fn draw(corpus: &Corpus, entropy: &mut Entropy) -> Option<Self> {
        let seed = if entropy.chance(2, 3) {
            corpus.all.draw(entropy)?
        } else {
            let families: Vec<_> =
                corpus.families.iter().filter(|it| !it.seeds.is_empty()).collect();
            let family = entropy.pick(&families)?;
            *entropy.pick(&family.seeds)?
        };
        let number = corpus.seeds[seed].group;
        let group = &corpus.groups[number];
        let (triple, data_layout) = machine(group, entropy);
        let own = corpus.test(seed).passes.iter().map(|it| &**it);
        let own: Vec<&str> = own.filter(|it| passes::is_for_any_function(it)).collect();
        let own = entropy.pick(&own).copied();
        let passes = draw_passes(corpus, own.unwrap_or("default<O2>"), entropy);
        Some(Self { group: number, family: group.family, triple, data_layout, passes })
    }

    /// A destination.
    pub fn seed(&self, corpus: &Corpus, entropy: &mut Entropy) -> Option<usize> {
        let group = &corpus.groups[self.group];
        if group.seeds.len() < FEW && entropy.chance(1, 2) {
            let plain = corpus.groups.iter().find(|it| {
                it.family == self.family && it.triple.is_none() && it.data_layout.is_none()
            });
            if let Some(seed) = plain.and_then(|it| it.seeds.draw(entropy)) {
                return Some(seed);
            }
        }
        group.seeds.draw(entropy)
    }
}

type Text = Option<Arc<str>>;

/// The machine of the tests; now and then without the triple, so that passes know no costs.
fn machine(group: &Group, entropy: &mut Entropy) -> (Text, Text) {
    let triple = group.triple.clone().filter(|_| !entropy.chance(1, 8));
    (triple, group.data_layout.clone())
}

/// Mostly the passes of the test; else with others around them, a sequence of passes, or a whole pipeline.
fn draw_passes(corpus: &Corpus, own: &str, entropy: &mut Entropy) -> String {
    let other = |entropy: &mut Entropy| entropy.pick(&corpus.passes).copied();
    let (before, after) = match entropy.below(20) {
        0..=12 => return own.to_owned(),
        13 => (0, 1),
        14 => (1, 0),
        15 => (1, 1),
        16 => (2, 1),
        17 => {
            let default = entropy.pick(&passes::defaults(corpus.version)).copied();
            return default.unwrap_or(own).to_owned();
        }
        _ => {
            let count = entropy.between(3, 8);
            let drawn: Vec<&str> = (0..count).filter_map(|_| other(entropy)).collect();
            return passes::joined(&drawn).filter(|it| !it.is_empty()).unwrap_or(own.to_owned());
        }
    };
    let mut all: Vec<&str> = (0..before).filter_map(|_| other(entropy)).collect();
    all.extend(pipeline::split(own));
    all.extend((0..after).filter_map(|_| other(entropy)));
    passes::joined(&all).unwrap_or_else(|| own.to_owned())
}
