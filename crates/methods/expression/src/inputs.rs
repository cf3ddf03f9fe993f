//! Inputs: the extremes of each width, those that reach an edge case of this program that no input before reaches, and a few
//! random ones. The evaluator reports what an input reaches.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::constants;
use super::edge_cases::EdgeCases;
use super::places::literals;
use super::program::{Body, width};
use super::run::{Arithmetic, Fate, Runs, run};
use super::targeted_inputs::targeted;
use forge::Entropy;
use identity::kernel::{Op, Terms};

/// How many inputs are evaluated, of which those are chosen that reach a new edge case.
const POOL: usize = 68;
/// How many of them are targeted at one operator each.
const TARGETED: usize = 14;
/// How many more are drawn near those that were chosen.
const AROUND: usize = 16;

/// Some inputs with the result that all bodies have on them. None is undefined or ambiguous.
pub(super) fn choose(
    terms: &Terms,
    bodies: &[&Body],
    parameters: &[u16],
    arithmetic: Arithmetic,
    count: usize,
    entropy: &mut Entropy,
) -> Option<Vec<(Vec<BigInt>, Fate)>> {
    let mut rows = fixed(parameters);
    let certain = if parameters.is_empty() { 1 } else { rows.len().min(count / 2) };
    let mut near: Vec<BigInt> = Vec::new();
    for (_, value) in literals(terms, bodies) {
        near.extend([&value - 1, value.clone(), value + 1]);
    }
    rows.extend(targeted(terms, bodies, parameters, &near, TARGETED, entropy));
    while rows.len() < POOL && !parameters.is_empty() {
        let tied = parameters.len() > 1 && entropy.chance(1, 4);
        rows.push(if tied {
            tie(parameters, &near, entropy)
        } else {
            row(parameters, &near, entropy)
        });
    }
    let mut search = Search::new(bodies.len());
    search.add(terms, bodies, rows, arithmetic)?;
    search.take_first(certain);
    // The last two are random.
    let most = count.saturating_sub(2);
    search.take(most);
    if search.chosen.len() < most && !parameters.is_empty() {
        let around = search.around(parameters, entropy);
        search.add(terms, bodies, around, arithmetic)?;
        search.take(most);
        // There is room: every edge case again, by other inputs.
        search.reached = vec![EdgeCases::default(); bodies.len()];
        search.take(most);
    }
    search.chosen.extend(search.left.iter().rev().take(2));
    let Search { rows, all, chosen, .. } = search;
    let fates = &all.first()?.fates;
    let told = chosen.into_iter().map(|index| (rows[index].clone(), fates[index].clone()));
    Some(told.collect()).filter(|told: &Vec<_>| !told.is_empty())
}

/// Inputs, the results of bodies on them, and which were chosen so far.
struct Search {
    rows: Vec<Vec<BigInt>>,
    /// For each body.
    all: Vec<Runs>,
    reached: Vec<EdgeCases>,
    chosen: Vec<usize>,
    /// Those that may be chosen.
    left: Vec<usize>,
}

impl Search {
    fn new(bodies: usize) -> Self {
        let none = Runs { fates: vec![], edge_cases: vec![] };
        Self {
            rows: vec![],
            all: vec![none; bodies],
            reached: vec![EdgeCases::default(); bodies],
            chosen: vec![],
            left: vec![],
        }
    }

    fn add(
        &mut self,
        terms: &Terms,
        bodies: &[&Body],
        rows: Vec<Vec<BigInt>>,
        arithmetic: Arithmetic,
    ) -> Option<()> {
        let before = self.rows.len();
        for (body, runs) in bodies.iter().zip(&mut self.all) {
            let more = run(terms, body, &rows, arithmetic, true)?;
            runs.fates.extend(more.fates);
            runs.edge_cases.extend(more.edge_cases);
        }
        self.rows.extend(rows);
        debug_assert_eq!(
            contradiction(&self.all),
            None,
            "a rule changed the result of the program"
        );
        self.left.extend((before..self.rows.len()).filter(|&index| {
            let fate = &self.all[0].fates[index];
            let told = self.all.iter().all(|runs| runs.fates[index] == *fate);
            told && !matches!(fate, Fate::Undefined | Fate::Ambiguous)
        }));
        Some(())
    }

    fn choose(&mut self, index: usize) {
        for (reached, runs) in self.reached.iter_mut().zip(&self.all) {
            reached.join(&runs.edge_cases[index]);
        }
        self.chosen.push(index);
    }

    /// Takes those of the first inputs that have a known result.
    fn take_first(&mut self, count: usize) {
        let first: Vec<usize> = self.left.iter().copied().filter(|&index| index < count).collect();
        self.left.retain(|&index| index >= count);
        first.into_iter().for_each(|index| self.choose(index));
    }

    /// Takes inputs as long as one of them reaches a new edge case, up to this many in all.
    fn take(&mut self, most: usize) {
        while self.chosen.len() < most {
            let gain = |index: usize| -> u32 {
                let pairs = self.all.iter().zip(&self.reached);
                pairs.map(|(runs, reached)| runs.edge_cases[index].beyond(reached)).sum()
            };
            // The first of the best, so that the choice is deterministic.
            let gains = self.left.iter().enumerate().map(|(at, &index)| (gain(index), at));
            let best = gains.max_by_key(|&(more, at)| (more, usize::MAX - at));
            let Some((1.., best)) = best else { break };
            let best = self.left.remove(best);
            self.choose(best);
        }
    }

    /// Inputs near those that were chosen: edge cases are often next to each other.
    fn around(&self, parameters: &[u16], entropy: &mut Entropy) -> Vec<Vec<BigInt>> {
        let near = |entropy: &mut Entropy| {
            let mut row = self.rows[*entropy.pick(&self.chosen)?].clone();
            let at = entropy.below(parameters.len() as u64) as usize;
            let width = parameters[at];
            let value = match (entropy.below(5), entropy.pick(&row).cloned()) {
                (0, _) => &row[at] + 1,
                (1, _) => &row[at] - 1,
                (2, Some(other)) => other,
                (3, _) => -&row[at],
                _ => &row[at] ^ (BigInt::from(1) << entropy.below(u64::from(width))),
            };
            row[at] = word(value, width);
            Some(row)
        };
        (0..AROUND).filter_map(|_| near(entropy)).collect()
    }
}

/// A number as a word of a width.
pub(super) fn word(value: BigInt, width: u16) -> BigInt {
    let modulus = BigInt::from(1) << width;
    let word: BigInt = value % &modulus;
    if word < BigInt::ZERO { word + modulus } else { word }
}

/// The first input on which two bodies have different known results, and these. There is none, since rules are proven. A
/// rule may make an undefined program defined.
fn contradiction(all: &[Runs]) -> Option<(usize, Fate, Fate)> {
    let count = all.first()?.fates.len();
    (0..count).find_map(|index| {
        let told = |runs: &Runs| {
            let fate = runs.fates[index].clone();
            (!matches!(fate, Fate::Undefined | Fate::Ambiguous)).then_some(fate)
        };
        let first = told(&all[0])?;
        let other = all.iter().filter_map(told).find(|fate| *fate != first)?;
        Some((index, first, other))
    })
}

/// All parameters at one extreme, and all pairs of extremes for even and odd parameters.
fn fixed(parameters: &[u16]) -> Vec<Vec<BigInt>> {
    let extreme = |n: usize, width: u16| constants::extremes(width)[n].clone();
    let mut rows: Vec<Vec<BigInt>> =
        (0..5).map(|n| parameters.iter().map(|&width| extreme(n, width)).collect()).collect();
    if parameters.len() > 1 {
        let pairs = (0..5).flat_map(|a| (0..5).map(move |b| (a, b))).filter(|(a, b)| a != b);
        rows.extend(pairs.map(|(a, b)| {
            let at = |n: usize| if n.is_multiple_of(2) { a } else { b };
            parameters.iter().enumerate().map(|(n, &width)| extreme(at(n), width)).collect()
        }));
    }
    rows.dedup();
    rows
}

pub(super) fn row(parameters: &[u16], near: &[BigInt], entropy: &mut Entropy) -> Vec<BigInt> {
    let mut row: Vec<BigInt> = Vec::with_capacity(parameters.len());
    let small = entropy.chance(1, 4);
    for &width in parameters {
        let before = entropy.pick(&row).cloned();
        let value = match (entropy.below(8), before) {
            (0 | 1, _) if small => BigInt::from(entropy.below(17)),
            (0, Some(other)) => other,
            (1, Some(other)) => other + 1,
            (2, Some(other)) => -other,
            (3 | 4, _) if !near.is_empty() => entropy.pick(near).cloned().unwrap_or_default(),
            (5, _) => BigInt::from(entropy.below(u64::from(width) + 2)),
            _ => constants::draw(entropy, width),
        };
        row.push(word(value, width));
    }
    row
}

/// Arguments that are all near each other, or near the negative of each other: dividends just below or above their divisors,
/// and sums, differences and quotients near their extremes.
fn tie(parameters: &[u16], near: &[BigInt], entropy: &mut Entropy) -> Vec<BigInt> {
    let widest = parameters.iter().copied().max().unwrap_or(1);
    let value = match entropy.below(3) {
        0 if !near.is_empty() => entropy.pick(near).cloned().unwrap_or_default(),
        1 => constants::long(entropy, widest),
        _ => constants::draw(entropy, widest),
    };
    let mut beside = |&width: &u16| {
        let beside = match entropy.below(8) {
            0..3 => value.clone(),
            3..6 => &value - 1,
            6 => &value + 1,
            _ => -&value,
        };
        word(beside, width)
    };
    parameters.iter().map(&mut beside).collect()
}

/// The widths of the parameters that some bodies use, by variable; unused ones are dropped by a reduction.
pub(super) fn used(terms: &Terms, bodies: &[&Body]) -> BTreeSet<(u16, u16)> {
    let roots: Vec<_> = bodies.iter().flat_map(|body| body.sites()).collect();
    let order = terms.in_order(&roots);
    let variables = order.into_iter().filter_map(|term| match terms.op(term) {
        Op::Variable(index) => Some((index, width(terms, term))),
        _ => None,
    });
    variables.collect()
}
