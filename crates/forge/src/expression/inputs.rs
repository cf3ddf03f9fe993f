//! Inputs: the corners that everything is tried on, those that reach a corner of *this* program that the
//! ones before miss, and a few at random. The evaluator tells what an input reaches.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::corners::Corners;
use super::menu;
use super::places::literals;
use super::program::{Body, width};
use super::run::{Fate, Runs, run};
use crate::Entropy;
use crate::identity::kernel::{Op, Semantics, Terms};

/// From how many inputs those are chosen that reach something new.
const POOL: usize = 72;

/// Some inputs on which all bodies end in one and the same known way, with that way. None of the fates is
/// undefined or ambiguous.
pub(super) fn choose(
    terms: &Terms,
    bodies: &[&Body],
    parameters: &[u16],
    semantics: &Semantics,
    count: usize,
    entropy: &mut Entropy,
) -> Option<Vec<(Vec<BigInt>, Fate)>> {
    let mut rows = fixed(parameters);
    let certain = if parameters.is_empty() { 1 } else { rows.len().min(count / 2) };
    let mut near: Vec<BigInt> = Vec::new();
    for (_, value) in literals(terms, bodies) {
        near.extend([&value - 1, value.clone(), value + 1]);
    }
    while rows.len() < POOL && !parameters.is_empty() {
        rows.push(row(parameters, &near, entropy));
    }
    let all: Vec<Runs> = bodies
        .iter()
        .map(|body| run(terms, body, &rows, semantics, true))
        .collect::<Option<_>>()?;
    let known = |index: usize| {
        let fate = &all[0].fates[index];
        let told = all.iter().all(|runs| runs.fates[index] == *fate);
        told && !matches!(fate, Fate::Undefined | Fate::Ambiguous)
    };
    debug_assert_eq!(contradiction(&all), None, "a rule did not keep what the program does");
    let mut left: Vec<usize> = (0..rows.len()).filter(|&index| known(index)).collect();
    let mut chosen: Vec<usize> = left.iter().copied().filter(|&index| index < certain).collect();
    let mut reached = vec![Corners::default(); all.len()];
    let reach = |reached: &mut Vec<Corners>, index: usize| {
        reached.iter_mut().zip(&all).for_each(|(it, runs)| it.join(&runs.corners[index]));
    };
    chosen.iter().for_each(|&index| reach(&mut reached, index));
    left.retain(|index| *index >= certain);
    while chosen.len() < count.saturating_sub(2) {
        let gain = |index: usize| -> u32 {
            all.iter().zip(&reached).map(|(runs, it)| runs.corners[index].beyond(it)).sum()
        };
        // The first of the best, so that the choice depends on nothing else.
        let gains = left.iter().enumerate().map(|(at, &index)| (gain(index), at));
        let Some((more, best)) = gains.max_by_key(|&(more, at)| (more, usize::MAX - at)) else {
            break;
        };
        if more == 0 {
            break;
        }
        let best = left.remove(best);
        reach(&mut reached, best);
        chosen.push(best);
    }
    // What is left of the pool is as good as random.
    chosen.extend(left.iter().rev().take(2));
    if chosen.is_empty() {
        return None;
    }
    let fates = &all[0].fates;
    Some(chosen.into_iter().map(|index| (rows[index].clone(), fates[index].clone())).collect())
}

/// The first input on which two bodies come to different ends that are both known, and these ends. Rules
/// are proven, so that there is none. What is undefined before a rule may be defined after it.
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

/// All parameters at one corner, and each corner against each for two of them.
fn fixed(parameters: &[u16]) -> Vec<Vec<BigInt>> {
    let corner = |n: usize, width: u16| menu::corners(width)[n].clone();
    let mut rows: Vec<Vec<BigInt>> =
        (0..5).map(|n| parameters.iter().map(|&width| corner(n, width)).collect()).collect();
    if parameters.len() > 1 {
        let pairs = (0..5).flat_map(|a| (0..5).map(move |b| (a, b))).filter(|(a, b)| a != b);
        rows.extend(pairs.map(|(a, b)| {
            let at = |n: usize| if n.is_multiple_of(2) { a } else { b };
            parameters.iter().enumerate().map(|(n, &width)| corner(at(n), width)).collect()
        }));
    }
    rows.dedup();
    rows
}

fn row(parameters: &[u16], near: &[BigInt], entropy: &mut Entropy) -> Vec<BigInt> {
    let mut row: Vec<BigInt> = Vec::with_capacity(parameters.len());
    let small = entropy.chance(1, 4);
    for &width in parameters {
        let modulus = BigInt::from(1) << width;
        let before = entropy.pick(&row).cloned();
        let value = match (entropy.below(8), before) {
            (0 | 1, _) if small => BigInt::from(entropy.below(17)),
            (0, Some(other)) => other,
            (1, Some(other)) => other + 1,
            (2, Some(other)) => -other,
            (3 | 4, _) if !near.is_empty() => entropy.pick(near).cloned().unwrap_or_default(),
            (5, _) => BigInt::from(entropy.below(u64::from(width) + 2)),
            _ => menu::draw(entropy, width),
        };
        let word: BigInt = value % &modulus;
        row.push(if word < BigInt::ZERO { word + modulus } else { word });
    }
    row
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
