//! The checker: accepts or rejects a certificate for a goal. This file only dispatches; each kind
//! of certificate is checked in its own file.

use super::certificate::Certificate;
use super::circuit::{Blaster, Circuit, Wire};
use super::flag_split::flag_cases;
use super::goal::{Goal, Scope};
use super::rejection::Rejection;
use super::term::{TermId, Terms};
use super::theorem::{Theorem, rewritten};
use super::{cases, lemma, linear, lrat, ring, slices};

pub fn check(goal: &Goal, certificate: &Certificate) -> Result<(), Rejection> {
    check_with(goal, certificate, &[])
}

/// Like [`check`], with theorems that `Certificate::Composed` may use.
pub fn check_with(
    goal: &Goal,
    certificate: &Certificate,
    theorems: &[Theorem],
) -> Result<(), Rejection> {
    match certificate {
        Certificate::Ring => ring::check(goal),
        Certificate::Slices(states) => slices::check(goal, states),
        Certificate::Lemmas { steps, rest } => {
            check_with(&lemma::assume(goal, steps)?, rest, theorems)
        }
        Certificate::Composed { steps, rest } => {
            check_with(&rewritten(goal, steps, theorems)?, rest, theorems)
        }
        Certificate::Split { flag, each } => {
            let cases = flag_cases(goal, *flag)?;
            let mut cases = cases.iter().zip(&**each);
            cases.try_for_each(|(case, certificate)| check_with(case, certificate, theorems))
        }
        Certificate::Linear => linear::check(goal),
        Certificate::Circuit if Circuit::of(goal)?.is_true() => Ok(()),
        Certificate::Circuit => Err(Rejection("the circuit is not constant".into())),
        Certificate::Refutation(bytes) => lrat::check(&Circuit::of(goal)?.clauses(), bytes),
        Certificate::Cases { .. } => {
            let Scope::At(_) = goal.scope else {
                return Err(Rejection("a case split needs a goal at one width".into()));
            };
            let mut cases = Cases {
                terms: goal.terms.clone(),
                scope: goal.scope,
                theorems,
                blaster: Blaster::default(),
            };
            cases.check(goal.holds, certificate)
        }
    }
}

/// Nested cases share an arena and a circuit, so that each pays only for what differs.
struct Cases<'a> {
    terms: Terms,
    scope: Scope,
    theorems: &'a [Theorem],
    blaster: Blaster,
}

impl Cases<'_> {
    fn check(&mut self, holds: TermId, certificate: &Certificate) -> Result<(), Rejection> {
        match certificate {
            Certificate::Circuit if self.blaster.flag(&self.terms, holds)? == Wire::TRUE => Ok(()),
            Certificate::Circuit => Err(Rejection("the circuit of a case is not constant".into())),
            Certificate::Cases { variable, of, each } => {
                let flags = cases::split(&mut self.terms, holds, *variable, *of)?;
                if flags.len() != each.len() {
                    return Err(Rejection(format!(
                        "expected {} cases, found {}",
                        flags.len(),
                        each.len()
                    )));
                }
                let mut pairs = flags.into_iter().zip(each);
                pairs.try_for_each(|(flag, certificate)| self.check(flag, certificate))
            }
            other => {
                check_with(&standalone_goal(&self.terms, holds, self.scope), other, self.theorems)
            }
        }
    }
}

/// One case as a goal with an arena of its own.
pub fn standalone_goal(terms: &Terms, holds: TermId, scope: Scope) -> Goal {
    let mut own = Terms::new();
    let holds = own.import(terms, holds, &mut |_, _| None);
    Goal { terms: own, holds, scope }
}
