//! The checker: a goal and a certificate, accepted or rejected. Which file decides about which kind of
//! certificate is said here.

use super::certificate::Certificate;
use super::circuit::{Blaster, Circuit, Wire};
use super::claim::{Goal, Scope};
use super::halves::halves;
use super::rejection::Rejection;
use super::term::{TermId, Terms};
use super::{cases, lemma, linear, lrat, ring, slices};

pub fn check(goal: &Goal, certificate: &Certificate) -> Result<(), Rejection> {
    match certificate {
        Certificate::Ring => ring::check(goal),
        Certificate::Slices(states) => slices::check(goal, states),
        Certificate::Lemmas { steps, rest } => check(&lemma::assume(goal, steps)?, rest),
        Certificate::Split { flag, each } => {
            let cases = halves(goal, *flag)?;
            cases.iter().zip(&**each).try_for_each(|(case, certificate)| check(case, certificate))
        }
        Certificate::Linear => linear::check(goal),
        Certificate::Circuit if Circuit::of(goal)?.is_true() => Ok(()),
        Certificate::Circuit => Err(Rejection("the circuit is not constant".into())),
        Certificate::Refutation(bytes) => lrat::check(&Circuit::of(goal)?.clauses(), bytes),
        Certificate::Cases { .. } => {
            let Scope::At(_) = goal.scope else {
                return Err(Rejection("cases are of one width, and the goal has many".into()));
            };
            let mut terms = goal.terms.clone();
            let mut blaster = Blaster::default();
            check_case(&mut terms, goal.holds, goal.scope, &mut blaster, certificate)
        }
    }
}

/// Cases share an arena and a circuit, so that each costs only what is different about it.
fn check_case(
    terms: &mut Terms,
    holds: TermId,
    scope: Scope,
    blaster: &mut Blaster,
    certificate: &Certificate,
) -> Result<(), Rejection> {
    match certificate {
        Certificate::Circuit if blaster.flag(terms, holds)? == Wire::TRUE => Ok(()),
        Certificate::Circuit => Err(Rejection("the circuit of a case is not constant".into())),
        Certificate::Cases { variable, of, each } => {
            let flags = cases::split(terms, holds, *variable, *of)?;
            if flags.len() != each.len() {
                return Err(Rejection(format!("{} cases, and not {}", flags.len(), each.len())));
            }
            for (flag, certificate) in flags.into_iter().zip(each) {
                check_case(terms, flag, scope, blaster, certificate)?;
            }
            Ok(())
        }
        other => check(&alone(terms, holds, scope), other),
    }
}

/// One case as a goal of its own.
pub fn alone(terms: &Terms, holds: TermId, scope: Scope) -> Goal {
    let mut own = Terms::new();
    let holds = own.import(terms, holds, &mut |_, _| None);
    Goal { terms: own, holds, scope }
}
