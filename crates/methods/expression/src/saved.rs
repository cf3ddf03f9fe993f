//! The model of a case as it is stored. Files may be corrupt, so that everything read is checked.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use super::dialect::Dialect;
use super::folding::Folding;
use super::pair::{Fired, Pair};
use super::places::{Place, Places};
use super::program::{Body, Step, width};
use identity::apply::{Firing, Rulebook};
use identity::kernel::{Extent, Op, TermId, Terms};

#[derive(serde::Serialize, serde::Deserialize)]
pub(super) struct Saved {
    pub(super) style: String,
    parameters: Vec<u16>,
    nodes: Vec<(Op, Vec<TermId>, u16)>,
    literals: Vec<BigInt>,
    base: Body,
    mutant: Option<Body>,
    trail: Vec<SavedFiring>,
    places: Vec<(u16, BigInt, Place)>,
    inputs: Vec<Vec<BigInt>>,
    #[serde(default)]
    folding: Folding,
}

#[derive(serde::Serialize, serde::Deserialize)]
struct SavedFiring {
    site: usize,
    rule: String,
    firing: Firing,
}

impl Saved {
    pub(super) fn of(pair: &Pair, book: &Rulebook) -> Self {
        let mut roots: Vec<TermId> = pair.bodies().iter().flat_map(|body| body.sites()).collect();
        for fired in &pair.trail {
            roots.extend(fired.firing.invented.iter().map(|(_, term)| *term));
        }
        // Only the terms in use, renumbered.
        let mut numbers: BTreeMap<TermId, TermId> = BTreeMap::new();
        let (mut nodes, mut literals) = (vec![], vec![]);
        for term in pair.terms.in_order(&roots) {
            let node = pair.terms.node(term);
            let op = match node.op {
                Op::Literal(index) => {
                    literals.push(pair.terms.integer(index).clone());
                    Op::Literal(literals.len() as u32 - 1)
                }
                op => op,
            };
            let args = node.args().iter().map(|arg| numbers[arg]).collect();
            numbers.insert(term, TermId(nodes.len() as u32));
            nodes.push((op, args, width(&pair.terms, term)));
        }
        let renumbered = |body: &Body| {
            let mut body = body.clone();
            for term in body.sites_mut() {
                *term = numbers[term];
            }
            body
        };
        let firing = |fired: &Fired| {
            let mut firing = fired.firing.clone();
            for (_, term) in &mut firing.invented {
                *term = numbers[term];
            }
            let rule = book.name(firing.rule).to_owned();
            SavedFiring { site: fired.site, rule, firing }
        };
        let places = pair.places.0.iter();
        Self {
            style: pair.style.name.to_owned(),
            parameters: pair.parameters.clone(),
            nodes,
            literals,
            base: renumbered(&pair.base),
            mutant: pair.mutant.as_ref().map(renumbered),
            trail: pair.trail.iter().map(firing).collect(),
            places: places.map(|((width, value), at)| (*width, value.clone(), *at)).collect(),
            inputs: pair.inputs.clone(),
            folding: pair.folding,
        }
    }

    /// Nothing if this is not a model of the language.
    pub(super) fn pair(self, dialect: &Dialect, book: &Rulebook) -> Option<Pair> {
        let style = dialect.style(&self.style)?;
        let widths = self.parameters.iter().chain(self.places.iter().map(|(width, ..)| width));
        if widths.into_iter().any(|width| !WIDTHS.contains(width)) {
            return None;
        }
        let mut terms = Terms::new();
        let mut here: Vec<TermId> = vec![];
        for (op, args, width) in &self.nodes {
            let own = Extent::fixed(*width);
            if !WIDTHS.contains(width) || args.len() != op.arity() {
                return None;
            }
            if let Op::Bits(extent) | Op::Extract(extent) = op
                && extent.over == 0
            {
                return None;
            }
            let args: Vec<TermId> =
                args.iter().map(|arg| here.get(arg.0 as usize).copied()).collect::<Option<_>>()?;
            here.push(match op {
                Op::Literal(index) => {
                    terms.literal(self.literals.get(*index as usize)?.clone(), own)
                }
                op => terms.apply_at(*op, &args, own),
            });
        }
        let at = |term: TermId| here.get(term.0 as usize).copied();
        let renumbered = |mut body: Body| {
            for term in body.sites_mut() {
                *term = at(*term)?;
            }
            Some(body)
        };
        let base = renumbered(self.base)?;
        let mutant = match self.mutant {
            Some(mutant) => Some(renumbered(mutant)?),
            None => None,
        };
        if self.inputs.iter().any(|row| row.len() != self.parameters.len()) {
            return None;
        }
        let recalled = |saved: SavedFiring| {
            let mut firing = book.recall(&saved.rule, &saved.firing)?;
            for (_, term) in &mut firing.invented {
                *term = at(*term)?;
            }
            Some(Fired { site: saved.site, firing })
        };
        let places = self.places.into_iter().map(|(width, value, at)| ((width, value), at));
        Some(Pair {
            style,
            traps: dialect.traps,
            terms,
            parameters: self.parameters,
            base,
            mutant,
            trail: self.trail.into_iter().filter_map(recalled).collect(),
            places: Places(places.collect()),
            inputs: self.inputs,
            folding: self.folding,
        })
        .filter(|pair| pair.bodies().iter().all(|body| body.steps.iter().all(is_short)))
    }
}

/// The widths that a file can ask for.
const WIDTHS: std::ops::RangeInclusive<u16> = 1..=512;

/// Bounds the iterations that a file can ask for.
fn is_short(step: &Step) -> bool {
    !matches!(step, Step::Loop { times, .. } if *times > 64)
}
