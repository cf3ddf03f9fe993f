//! Stacks rewrites on a program and records the trail: which rule fired where. Most firings are
//! inside or just around the previous one, since optimisers tend to mishandle interacting patterns.

use std::fmt::Write;

use num_bigint::BigInt;

use super::arm::Direction;
use super::book::Rulebook;
use super::invention::Invention;
use super::material::Material;
use crate::kernel::{Op, TermId};
use forge::Entropy;

/// Attempts to find a place and a rule that fires.
const ATTEMPTS: usize = 48;
/// Arms tried per place.
const PROBES: usize = 4;

/// One application of a rule.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Firing {
    /// The index of the rule in the library.
    pub rule: u32,
    pub direction: Direction,
    /// Operand indices from the root.
    pub path: Vec<u8>,
    /// The bindings of variables that occur only in the target: terms of the same material.
    pub invented: Vec<(u8, TermId)>,
    arm: u32,
    turns: u32,
}

/// A rewritten program, and the rules that were applied.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mutant {
    pub root: TermId,
    pub trail: Vec<Firing>,
}

/// The place of an attempt, and the ancestors of the term there. It is reused, since most attempts
/// fail.
#[derive(Default, Debug)]
struct Site {
    path: Vec<u8>,
    around: Vec<TermId>,
}

impl Rulebook {
    /// The program after up to `count` firings. It has at most `limit` nodes, or no more than
    /// before if that is larger. No firing returns to an earlier form of the program.
    pub fn stack(
        &self,
        material: &mut Material,
        root: TermId,
        count: usize,
        limit: u32,
        entropy: &mut Entropy,
    ) -> Mutant {
        let limit = limit.max(material.size(root));
        let mut mutant = Mutant { root, trail: Vec::with_capacity(count) };
        let (mut seen, mut site) = (vec![root], Site::default());
        for _ in 0..count {
            let fired = (0..ATTEMPTS).find_map(|_| {
                self.place(material, &mutant, entropy, &mut site.path);
                self.attempt(material, mutant.root, &mut site, limit, &seen, entropy)
            });
            let Some((root, firing)) = fired else { break };
            seen.push(root);
            mutant.root = root;
            mutant.trail.push(firing);
        }
        mutant
    }

    /// Replays the firings that still match, in order, at their paths. Bindings are not drawn
    /// again, so that the whole trail of a mutant reproduces it. Where the widths have changed, a
    /// rule fires at the new width.
    pub fn replay(&self, material: &mut Material, root: TermId, trail: &[Firing]) -> Mutant {
        let mut mutant = Mutant { root, trail: Vec::new() };
        let mut around = Vec::new();
        for firing in trail {
            let Some(term) = material.descend(mutant.root, &firing.path, &mut around) else {
                continue;
            };
            let value = |&(slot, term): &(u8, TermId)| {
                Some((slot, material.terms().literal_value(term)?.clone()))
            };
            let numbers: Vec<(u8, BigInt)> = firing.invented.iter().filter_map(value).collect();
            let again = self.candidate_arms(firing).into_iter().find_map(|number| {
                let arm = self.arms.get(number as usize)?;
                let mut invention = Invention::Given(&firing.invented, &numbers);
                let fired =
                    self.fire(material, arm, term, firing.turns, u32::MAX, &mut invention)?;
                Some((number, fired))
            });
            if let Some((arm, fired)) = again {
                mutant.root = material.replace(&around, &firing.path, fired.term);
                mutant.trail.push(Firing { arm, ..firing.clone() });
            }
        }
        mutant
    }

    /// The arms that can repeat a firing: its own first, then those of the same rule and direction
    /// at other widths. The arms of a rule are contiguous.
    fn candidate_arms(&self, firing: &Firing) -> Vec<u32> {
        let first = self.arms.partition_point(|arm| arm.rule < firing.rule);
        let count = self.arms[first..].iter().take_while(|arm| arm.rule == firing.rule).count();
        let fits = |&number: &usize| self.arms[number].direction == firing.direction;
        let mut all: Vec<u32> =
            (first..first + count).filter(fits).map(|number| number as u32).collect();
        all.sort_by_key(|&number| number != firing.arm);
        all
    }

    /// Adapts a stored firing to this rulebook, in which its rule may have another index. `None` if
    /// the rulebook lacks the rule.
    pub fn recall(&self, name: &str, firing: &Firing) -> Option<Firing> {
        let fits = |number: usize| {
            let arm = self.arms.get(number)?;
            (arm.direction == firing.direction && self.name(arm.rule) == name).then(|| Firing {
                rule: arm.rule,
                arm: number as u32,
                ..firing.clone()
            })
        };
        fits(firing.arm as usize).or_else(|| (0..self.arms.len()).find_map(fits))
    }

    /// A firing as text: `mul-by-power → at 0.1`.
    pub fn told(&self, firing: &Firing) -> String {
        let arrow = match firing.direction {
            Direction::LeftToRight => '→',
            Direction::RightToLeft => '←',
        };
        let mut text = format!("{} {arrow} at ", self.name(firing.rule));
        for (index, step) in firing.path.iter().enumerate() {
            let _ = write!(text, "{}{step}", if index > 0 { "." } else { "" });
        }
        if firing.path.is_empty() {
            text.push_str("the root");
        }
        text
    }

    fn attempt(
        &self,
        material: &mut Material,
        root: TermId,
        site: &mut Site,
        limit: u32,
        seen: &[TermId],
        entropy: &mut Entropy,
    ) -> Option<(TermId, Firing)> {
        let term = material.descend(root, &site.path, &mut site.around)?;
        let room = limit - (material.size(root) - material.size(term));
        let anywhere = entropy.chance(1, 8);
        let width = material.node(term).width.as_fixed()?;
        let anywhere = if anywhere { self.index.anywhere(width) } else { &[] };
        let candidates = self.index.candidates(material, term);
        let total = if anywhere.is_empty() { candidates.total() } else { anywhere.len() };
        for _ in 0..PROBES.min(total) {
            let nth = entropy.below(total as u64) as usize;
            let number = if anywhere.is_empty() { candidates.get(nth)? } else { anywhere[nth] };
            let arm = &self.arms[number as usize];
            let turns = entropy.word() as u32;
            let mut invention = Invention::Drawn { root, entropy };
            let fired = self.fire(material, arm, term, turns, room, &mut invention);
            let Some(fired) = fired else { continue };
            let root = material.replace(&site.around, &site.path, fired.term);
            if seen.contains(&root) {
                continue;
            }
            let firing = Firing {
                rule: arm.rule,
                direction: arm.direction,
                path: site.path.clone(),
                invented: fired.invented,
                arm: number,
                turns,
            };
            return Some((root, firing));
        }
        None
    }

    /// Picks a place: with probability 3/4 near the last firing.
    fn place(
        &self,
        material: &Material,
        mutant: &Mutant,
        entropy: &mut Entropy,
        path: &mut Vec<u8>,
    ) {
        path.clear();
        match mutant.trail.last() {
            Some(last) if entropy.chance(3, 4) => {
                path.extend_from_slice(&last.path);
                let made = self.arms[last.arm as usize].target;
                let inner = self.operators(made);
                if inner == 0 || entropy.chance(1, 3) {
                    let up = entropy.between(1, 2) as usize;
                    path.truncate(path.len().saturating_sub(up));
                } else {
                    let nth = entropy.below(u64::from(inner)) as u32;
                    self.nth_operator(made, nth, path);
                }
            }
            _ => {
                let nth = entropy.below(u64::from(material.size(mutant.root))) as u32;
                material.nth(mutant.root, nth, path);
            }
        }
    }

    /// The number of operators of a target.
    fn operators(&self, target: TermId) -> u32 {
        match self.patterns.op(target) {
            Op::Variable(_) | Op::Literal(_) => 0,
            _ => 1 + self.patterns.args(target).iter().map(|&arg| self.operators(arg)).sum::<u32>(),
        }
    }

    fn nth_operator(&self, target: TermId, mut nth: u32, path: &mut Vec<u8>) {
        if nth == 0 {
            return;
        }
        nth -= 1;
        for (step, &arg) in self.patterns.args(target).iter().enumerate() {
            let inside = self.operators(arg);
            if nth < inside {
                path.push(step as u8);
                return self.nth_operator(arg, nth, path);
            }
            nth -= inside;
        }
    }
}
