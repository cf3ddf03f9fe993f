//! Judges `Survives`: the compiler does not crash, hang, exceed resource limits, or report success without
//! writing its output.

use forge::{Observation, Outcome, Resource, Stage};

use super::first_breach;
use crate::verdict::{Breach, BreachKind, STACK_OVERFLOW, Verdict};

pub(super) fn judge(observations: &[Observation]) -> Verdict {
    breach(observations).map_or(Verdict::Kept, Verdict::Broken)
}

pub(super) fn breach(observations: &[Observation]) -> Option<Breach> {
    first_breach(observations, crash)
        .or_else(|| overrun(observations, Stage::Compile))
        .or_else(|| first_breach(observations, no_artifact))
}

type Read = Option<(BreachKind, String, Vec<String>)>;

fn crash(outcome: &Outcome) -> Read {
    match outcome {
        Outcome::Crashed { message, frames, .. } => {
            Some((BreachKind::Crash, message.clone(), frames.clone()))
        }
        Outcome::Accepted
        | Outcome::Ran(_)
        | Outcome::Rejected { .. }
        | Outcome::Hung { .. }
        | Outcome::Exhausted { .. }
        | Outcome::NoArtifact
        | Outcome::Unrunnable { .. }
        | Outcome::Checked(_)
        | Outcome::Analysed(_)
        | Outcome::Unobserved(_) => None,
    }
}

fn no_artifact(outcome: &Outcome) -> Read {
    let message = match outcome {
        Outcome::NoArtifact => "reported success and wrote no output file",
        Outcome::Unrunnable { .. } => {
            "reported success and wrote an output file that cannot be started"
        }
        Outcome::Accepted
        | Outcome::Ran(_)
        | Outcome::Rejected { .. }
        | Outcome::Crashed { .. }
        | Outcome::Hung { .. }
        | Outcome::Exhausted { .. }
        | Outcome::Checked(_)
        | Outcome::Analysed(_)
        | Outcome::Unobserved(_) => return None,
    };
    Some((BreachKind::NoArtifact, message.to_owned(), vec![]))
}

/// A stage that exceeded its time or another limit.
pub(super) fn overrun(observations: &[Observation], at: Stage) -> Option<Breach> {
    first_breach(observations, |outcome| match outcome {
        Outcome::Hung { stage, .. } if *stage == at => {
            Some((BreachKind::Hang, format!("{stage} does not end"), vec![]))
        }
        Outcome::Exhausted { stage, resource: Resource::Stack } if *stage == at => {
            Some((BreachKind::Exhaustion, STACK_OVERFLOW.to_owned(), vec![]))
        }
        Outcome::Exhausted { stage, resource } if *stage == at => {
            Some((BreachKind::Exhaustion, format!("too much {resource} at {stage}"), vec![]))
        }
        Outcome::Accepted
        | Outcome::Ran(_)
        | Outcome::Rejected { .. }
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
