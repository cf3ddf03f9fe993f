//! All settings behave alike on each program and input. Which of them is right is not known; the first
//! in the order of the target, usually the one that optimises least, is taken as the reference.
//!
//! A run without an end says nothing here: the program may really be slow, and settings differ in
//! speed.

use forge::{Observation, Outcome};

use super::{compiles, distinct, miscompilation, survives};
use crate::verdict::Verdict;

pub(super) fn judge(observations: &[Observation]) -> Verdict {
    if let Some(breach) = survives::breach(observations) {
        return Verdict::Broken(breach);
    }
    if let Some(breach) = compiles::rejection(observations) {
        let accepts = |observation: &&Observation| {
            observation.program == breach.program && is_accepted(&observation.outcome)
        };
        return match observations.iter().find(accepts) {
            Some(accepted) => {
                let expected = Some(format!("accepted under {}", accepted.setting));
                Verdict::Broken(crate::verdict::Breach { expected, ..breach })
            }
            None => Verdict::Skipped("rejected under every setting".to_owned()),
        };
    }
    if let Some(overrun) = survives::overrun(observations, forge::Stage::Run) {
        return Verdict::Skipped(overrun.message);
    }
    if distinct(observations.iter()).len() < 2 {
        return Verdict::Skipped("the target has only one setting".to_owned());
    }
    for reference in observations {
        let Outcome::Ran(expected) = &reference.outcome else { continue };
        let wrong: Vec<&Observation> = observations
            .iter()
            .filter(|other| other.program == reference.program && other.input == reference.input)
            .filter(|other| matches!(&other.outcome, Outcome::Ran(actual) if actual != expected))
            .collect();
        if let Some(breach) = miscompilation(expected, &wrong) {
            return Verdict::Broken(breach);
        }
    }
    Verdict::Kept
}

fn is_accepted(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Accepted | Outcome::Ran(_) | Outcome::Hung { .. })
}
