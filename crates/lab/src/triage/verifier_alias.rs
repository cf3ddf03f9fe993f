//! Verifier aliases. The compiler's own IR verifier may reject a miscompiled program after the culprit pass. This is
//! a crash with a message. In other programs it may be the only symptom of the same bug.

use forge::{Case, Promise};

use super::examiner::Examiner;
use crate::culprit::{self, Culprit};
use crate::finding::Exhibit;
use crate::signature::Signature;
use crate::verdict::Fault;

/// The signature of the verifier's message, if it rejects the output of the culprit pass alone.
pub fn verifier_alias(
    examiner: &Examiner,
    exhibit: &Exhibit,
    culprits: &[Culprit],
) -> Option<Signature> {
    let pass = culprit::pass(culprits).filter(|pass| pass.with.is_empty())?;
    if exhibit.breach.fault() == Fault::Compiler {
        return None;
    }
    let passes = examiner.target.passes()?;
    let case = Case { promise: Promise::Survives, ..exhibit.case.clone() };
    let alone = examiner.alone(&pass.bad);
    let settings = alone.into_iter().chain([examiner.setting(&exhibit.breach)]);
    settings.into_iter().find_map(|setting| {
        let rejected = examiner.exhibit(&case, &[passes.verified(&setting)?])?;
        let after = passes.rejected_after(&rejected.breach.message)?;
        let is_it = after.is_same_pass(&pass.bad);
        is_it.then(|| examiner.sign(&rejected.case, &rejected.breach))
    })
}
