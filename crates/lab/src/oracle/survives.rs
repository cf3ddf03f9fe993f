//! The compiler neither crashes, hangs, uses up the machine, nor claims a success that is none.

use forge::{Observation, Outcome, Stage};

use super::first_breach;
use crate::verdict::{Breach, BreachKind, Verdict};

pub(super) fn judge(observations: &[Observation]) -> Verdict {
    breach(observations).map_or(Verdict::Kept, Verdict::Broken)
}

pub(super) fn breach(observations: &[Observation]) -> Option<Breach> {
    first_breach(observations, |outcome| match outcome {
        Outcome::Crashed { message, frames, .. } => {
            Some((BreachKind::Crash, message.clone(), frames.clone()))
        }
        _ => None,
    })
    .or_else(|| overrun(observations, Stage::Compile))
    .or_else(|| {
        first_breach(observations, |outcome| match outcome {
            Outcome::NoArtifact => {
                let message = "reported success and wrote no output file".to_owned();
                Some((BreachKind::NoArtifact, message, vec![]))
            }
            _ => None,
        })
    })
}

/// A stage that went over its time or another limit.
pub(super) fn overrun(observations: &[Observation], at: Stage) -> Option<Breach> {
    first_breach(observations, |outcome| match outcome {
        Outcome::Hung { stage, .. } if *stage == at => {
            Some((BreachKind::Hang, format!("no end of {stage}"), vec![]))
        }
        Outcome::Exhausted { stage, resource } if *stage == at => {
            Some((BreachKind::Exhaustion, format!("too much {resource} at {stage}"), vec![]))
        }
        _ => None,
    })
}
