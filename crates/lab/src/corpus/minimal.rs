//! A part of a corpus that reaches as many blocks of a compiler as the whole. For each block, the smallest program that
//! reaches it stays, if no other one that stays does.

use std::collections::{BTreeSet, HashMap, HashSet};

use forge::Case;
use thiserror::Error;

use crate::oracle;
use crate::target::{Bench, Target, batch};
use crate::verdict::Verdict;

/// What is left of a corpus.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Minimal {
    /// The numbers of the cases that stay, in order.
    pub kept: Vec<usize>,
    /// Those that fail or were not observed, which never stay.
    pub left_out: Vec<usize>,
    /// How many blocks all cases reach.
    pub covered: usize,
}

/// The target does not tell what a program reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the target measures no coverage, so nothing tells which programs are needed")]
pub struct NotMeasured;

/// Compiles all cases and decides which ones stay.
pub fn minimal(
    cases: &[Case],
    target: &dyn Target,
    bench: &Bench,
    progress: &dyn Fn(usize, usize),
) -> Result<Minimal, NotMeasured> {
    let settings = &target.spec().settings[..1];
    let (mut left_out, mut reached) = (vec![], vec![]);
    let mut number = 0;
    for portion in batch::portions(target, cases) {
        let all: Vec<&Case> = portion.iter().collect();
        let seen = batch::observe(target, &all, settings, bench);
        for ((case, observations), feedback) in
            all.iter().zip(&seen.observations).zip(seen.feedback)
        {
            match (oracle::judge(case, observations), feedback) {
                (Verdict::Kept, Some(feedback)) => {
                    let blocks: BTreeSet<u64> = feedback.features.into_iter().collect();
                    reached.push((case.size().0, number, blocks));
                }
                (Verdict::Kept, None) => return Err(NotMeasured),
                (Verdict::Skipped(_) | Verdict::Broken(_), _) => left_out.push(number),
            }
            number += 1;
        }
        progress(number, cases.len());
    }
    let covered: HashSet<u64> = reached.iter().flat_map(|it| it.2.iter().copied()).collect();
    let covered = covered.len();
    Ok(Minimal { kept: cover(reached), left_out, covered })
}

/// The numbers of the programs that are needed, the smaller ones of equal worth.
fn cover(mut all: Vec<(usize, usize, BTreeSet<u64>)>) -> Vec<usize> {
    all.sort_by_key(|(size, number, _)| (*size, *number));
    let mut smallest: HashMap<u64, usize> = HashMap::new();
    for (at, (_, _, blocks)) in all.iter().enumerate() {
        for block in blocks {
            smallest.entry(*block).or_insert(at);
        }
    }
    // The larger ones first: their own blocks are the rarest, and they reach much besides.
    let mut needed: Vec<usize> =
        smallest.values().copied().collect::<BTreeSet<_>>().into_iter().collect();
    needed.reverse();
    let (mut done, mut kept) = (HashSet::new(), vec![]);
    for at in needed {
        let (_, number, blocks) = &all[at];
        if blocks.iter().any(|block| !done.contains(block) && smallest.get(block) == Some(&at)) {
            done.extend(blocks.iter().copied());
            kept.push(*number);
        }
    }
    kept.sort_unstable();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_reaches_all_and_nothing_stays_in_vain() {
        let of = |size, number, blocks: &[u64]| (size, number, blocks.iter().copied().collect());
        let all = vec![
            of(10, 0, &[1, 2]),
            of(20, 1, &[1, 2, 3, 4]),
            of(30, 2, &[4]),
            of(5, 3, &[1]),
            of(40, 4, &[9]),
        ];
        assert_eq!(cover(all), [1, 4]);
        assert_eq!(cover(vec![]), Vec::<usize>::new());
    }
}
