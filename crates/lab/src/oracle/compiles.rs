//! Judges `Compiles`: the program is valid by construction, so the compiler must accept it.

use forge::{Observation, Outcome};

use super::{first_breach, survives};
use crate::verdict::{Breach, BreachKind, Verdict};

pub(super) fn judge(observations: &[Observation]) -> Verdict {
    breach(observations).map_or(Verdict::Kept, Verdict::Broken)
}

pub(super) fn breach(observations: &[Observation]) -> Option<Breach> {
    survives::breach(observations).or_else(|| rejection(observations))
}

pub(super) fn rejection(observations: &[Observation]) -> Option<Breach> {
    first_breach(observations, |outcome| match outcome {
        Outcome::Rejected { message } => Some((BreachKind::Rejection, message.clone(), vec![])),
        Outcome::Accepted
        | Outcome::Ran(_)
        | Outcome::Crashed { .. }
        | Outcome::Hung { .. }
        | Outcome::Exhausted { .. }
        | Outcome::NoArtifact
        | Outcome::Unrunnable { .. }
        | Outcome::Checked(_)
        | Outcome::Analysed(_)
        | Outcome::Unobserved(_) => None,
    })
}
