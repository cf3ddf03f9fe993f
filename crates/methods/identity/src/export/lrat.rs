//! The refutations inside a certificate, each as DIMACS clauses and an LRAT proof, for checkers
//! that share no code with ours.

use crate::kernel::{
    Certificate, Circuit, Goal, Rejection, assume, flag_cases, refutation_text, rewritten, split,
    standalone_goal,
};
use crate::prove::compose::theorems;

/// The input of `lrat-check FILE.cnf FILE.lrat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refutation {
    pub clauses: String,
    pub proof: String,
}

/// All refutations in the order of the cases; none for certificates of other kinds.
pub fn refutations(goal: &Goal, certificate: &Certificate) -> Result<Vec<Refutation>, Rejection> {
    let mut found = Vec::new();
    collect(goal, certificate, &mut found)?;
    Ok(found)
}

fn collect(
    goal: &Goal,
    certificate: &Certificate,
    found: &mut Vec<Refutation>,
) -> Result<(), Rejection> {
    match certificate {
        Certificate::Refutation(bytes) => {
            let clauses = Circuit::of(goal)?.clauses();
            let proof = refutation_text(&clauses, bytes)?;
            found.push(Refutation { clauses: clauses.dimacs(), proof });
        }
        Certificate::Cases { variable, of, each } => {
            let mut terms = goal.terms.clone();
            let flags = split(&mut terms, goal.holds, *variable, *of)?;
            for (flag, certificate) in flags.into_iter().zip(each) {
                collect(&standalone_goal(&terms, flag, goal.scope), certificate, found)?;
            }
        }
        Certificate::Split { flag, each } => {
            for (case, certificate) in flag_cases(goal, *flag)?.iter().zip(&**each) {
                collect(case, certificate, found)?;
            }
        }
        Certificate::Lemmas { steps, rest } => collect(&assume(goal, steps)?, rest, found)?,
        Certificate::Composed { steps, rest } => {
            collect(&rewritten(goal, steps, theorems())?, rest, found)?;
        }
        Certificate::Ring | Certificate::Slices(_) | Certificate::Linear | Certificate::Circuit => {
        }
    }
    Ok(())
}
