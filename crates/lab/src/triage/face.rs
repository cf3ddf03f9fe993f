//! The other face of a program that was compiled wrongly: the compiler's own check may reject what the pass to blame
//! makes of it. What the check says is a crash with a message, and elsewhere it is all that is seen of the same bug.

use forge::{Case, Promise};

use super::culprit;
use super::examiner::Examiner;
use super::signature::Signature;
use crate::finding::{Culprit, Exhibit};

/// What the check says of a wrong program, if it rejects what just the pass to blame makes of it.
pub fn face(examiner: &Examiner, exhibit: &Exhibit, culprits: &[Culprit]) -> Option<Signature> {
    let pass = culprit::pass(culprits).filter(|_| !culprit::is_shared(culprits))?;
    // Where it is the compiler that fails, there is no other side to it.
    exhibit.breach.input?;
    let case = Case { promise: Promise::Survives, ..exhibit.case.clone() };
    let target = &examiner.target;
    let settings = [target.alone(pass).cloned(), Some(examiner.setting(&exhibit.breach))];
    settings.into_iter().flatten().find_map(|setting| {
        let rejected = examiner.exhibit(&case, &[target.checked(&setting)?])?;
        let breaker = target.breaker(&rejected.breach.message)?;
        target.is_one_pass(&breaker, pass).then(|| examiner.sign(&rejected.case, &rejected.breach))
    })
}
