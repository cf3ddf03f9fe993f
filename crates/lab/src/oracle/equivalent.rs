//! Judges `Equivalent`: under each setting and on each input, all programs of the case behave the same. The
//! first is the base; the variants were made from it by semantics-preserving steps.

use forge::Observation;

use super::{compiles, miscompilation, survives, undecided};
use crate::verdict::{Breach, Verdict};

pub(super) fn judge(observations: &[Observation]) -> Verdict {
    if let Some(breach) = survives::breach(observations) {
        return Verdict::Broken(breach);
    }
    if let Some(breach) = compiles::rejection(observations) {
        let accepts = |observation: &&Observation| {
            observation.setting == breach.setting && observation.outcome.is_accepted()
        };
        return match observations.iter().find(accepts) {
            Some(accepted) => {
                let expected = Some(format!("accepted, as program {} is", accepted.program));
                Verdict::Broken(Breach { expected, ..breach })
            }
            None => Verdict::Skipped(undecided("every program is rejected")),
        };
    }
    if let Some(overrun) = survives::overrun(observations, forge::Stage::Run) {
        return Verdict::Skipped(undecided(overrun.message));
    }
    for base in observations.iter().filter(|observation| observation.program == 0) {
        let Some(expected) = base.outcome.behaviour() else { continue };
        let wrong: Vec<&Observation> = observations
            .iter()
            .filter(|other| other.input == base.input && other.setting == base.setting)
            .filter(|other| other.outcome.behaviour().is_some_and(|actual| actual != expected))
            .collect();
        if let Some(breach) = miscompilation(expected, &wrong) {
            return Verdict::Broken(breach);
        }
    }
    Verdict::Kept
}
