//! Judges `Agrees`: on each program and input, all settings behave the same. Which of them is right is
//! unknown; the first in the order of the target, usually the one that optimises least, is the reference.
//!
//! A timeout at run time is not a breach here: the program may really be slow, and settings differ in speed.

use forge::Observation;

use super::{compiles, distinct, miscompilation, survives, undecided};
use crate::verdict::Verdict;

pub(super) fn judge(observations: &[Observation]) -> Verdict {
    if let Some(breach) = survives::breach(observations) {
        return Verdict::Broken(breach);
    }
    if let Some(breach) = compiles::rejection(observations) {
        let accepts = |observation: &&Observation| {
            observation.program == breach.program && observation.outcome.is_accepted()
        };
        return match observations.iter().find(accepts) {
            Some(accepted) => {
                let expected = Some(format!("accepted under {}", accepted.setting));
                Verdict::Broken(crate::verdict::Breach { expected, ..breach })
            }
            None => Verdict::Skipped(undecided("rejected under every setting")),
        };
    }
    if let Some(overrun) = survives::overrun(observations, forge::Stage::Run) {
        return Verdict::Skipped(undecided(overrun.message));
    }
    if distinct(observations.iter()).len() < 2 {
        return Verdict::Skipped(undecided("the target has only one setting"));
    }
    for reference in observations {
        let Some(expected) = reference.outcome.behaviour() else { continue };
        let wrong: Vec<&Observation> = observations
            .iter()
            .filter(|other| other.program == reference.program && other.input == reference.input)
            .filter(|other| other.outcome.behaviour().is_some_and(|actual| actual != expected))
            .collect();
        if let Some(breach) = miscompilation(expected, &wrong) {
            return Verdict::Broken(breach);
        }
    }
    Verdict::Kept
}
