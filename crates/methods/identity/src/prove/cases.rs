//! Case splits on a variable that occurs in a shift amount or an exponent, or is assumed to be a
//! power of two. Structural hashing closes most cases; the others are split again, or left to
//! another prover.

use std::collections::BTreeSet;

use super::size;
use crate::kernel::{
    Blaster, CaseSplit, Certificate, Goal, Op, Scope, TermId, Terms, Wire, check, split,
    standalone_goal,
};

/// Limit on the number of nested cases.
const MOST_CASES: usize = 300;

/// Cases that are neither constant nor split again are passed to `other`. The search fails if a
/// case needs more than about `gates` gates.
pub fn prove(
    goal: &Goal,
    gates: usize,
    other: &mut dyn FnMut(&Goal) -> Option<Certificate>,
) -> Option<Certificate> {
    let Scope::At(_) = goal.scope else { return None };
    candidates(&goal.terms, goal.holds).into_iter().find_map(|candidate| {
        let mut splitter = Splitter {
            terms: goal.terms.clone(),
            scope: goal.scope,
            blaster: Blaster::default(),
            split: Vec::new(),
            gates,
            other: &mut *other,
        };
        splitter.cases(goal.holds, candidate, 1)
    })
}

/// A certificate accepted by the checker in which structural hashing closes every case. The checker
/// does the work, and nothing is searched for.
pub fn by_hashing(goal: &Goal, gates: usize) -> Option<Certificate> {
    let candidate = *candidates(&goal.terms, goal.holds).first()?;
    let (mut terms, variable, of) = (goal.terms.clone(), candidate.variable, candidate.kind());
    let flags = split(&mut terms, goal.holds, variable, of).ok()?;
    // Two samples, the middle case and the last one, tell whether it is worth a try.
    let looked_at = [flags.get(flags.len() / 2), flags.last()];
    if looked_at.into_iter().flatten().any(|&flag| !is_constant(&terms, flag, gates)) {
        return None;
    }
    let each = vec![Certificate::Circuit; flags.len()];
    let certificate = Certificate::Cases { variable, of, each };
    check(goal, &certificate).is_ok().then_some(certificate)
}

fn is_constant(terms: &Terms, flag: TermId, gates: usize) -> bool {
    size::gates(terms, flag) <= gates && Blaster::default().flag(terms, flag) == Ok(Wire::TRUE)
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// Powers sort first: a split on amounts rarely closes a goal about powers of two.
    amounts: bool,
    variable: u16,
    width: u16,
}

impl Candidate {
    fn kind(self) -> CaseSplit {
        if self.amounts { CaseSplit::Amounts } else { CaseSplit::Powers }
    }
}

/// The variables that are worth a split, and the kind of split.
fn candidates(terms: &Terms, holds: TermId) -> BTreeSet<Candidate> {
    let mut found = BTreeSet::new();
    for term in terms.in_order(&[holds]) {
        let args = terms.args(term);
        let (root, powers) = match terms.op(term) {
            Op::Shl | Op::Lshr | Op::Ashr | Op::Exp => (args[1], false),
            // Without the condition that it is a power of two, the last case would contain almost
            // all values.
            Op::Power => (args[0], true),
            _ => continue,
        };
        for leaf in terms.in_order(&[root]) {
            if let (Op::Variable(variable), Some(width)) =
                (terms.op(leaf), terms.width(leaf).as_fixed())
            {
                found.insert(Candidate { amounts: !powers, variable, width });
            }
        }
    }
    found
}

struct Splitter<'a> {
    terms: Terms,
    scope: Scope,
    blaster: Blaster,
    /// The variables that are already split in this case.
    split: Vec<u16>,
    gates: usize,
    other: &'a mut dyn FnMut(&Goal) -> Option<Certificate>,
}

impl Splitter<'_> {
    fn cases(&mut self, holds: TermId, of: Candidate, so_far: usize) -> Option<Certificate> {
        let count = so_far * (usize::from(of.width) + 1);
        let kind = of.kind();
        let flags = split(&mut self.terms, holds, of.variable, kind).ok()?;
        self.split.push(of.variable);
        let each: Option<Vec<Certificate>> =
            flags.into_iter().map(|flag| self.case(flag, count)).collect();
        self.split.pop();
        Some(Certificate::Cases { variable: of.variable, of: kind, each: each? })
    }

    fn case(&mut self, holds: TermId, count: usize) -> Option<Certificate> {
        if size::gates(&self.terms, holds) > self.gates {
            return None;
        }
        if self.blaster.flag(&self.terms, holds).ok()? == Wire::TRUE {
            return Some(Certificate::Circuit);
        }
        for next in candidates(&self.terms, holds) {
            let cases = count * (usize::from(next.width) + 1);
            if cases <= MOST_CASES && !self.split.contains(&next.variable) {
                let found = self.cases(holds, next, count);
                if found.is_some() {
                    return found;
                }
            }
        }
        (self.other)(&standalone_goal(&self.terms, holds, self.scope))
    }
}

#[cfg(test)]
mod tests;
