//! Judges `Yields`: every program has the expected behaviour under every setting. A timeout at run time is a
//! breach, because the model of the program terminated.

use forge::{Behaviour, Observation, Stage};

use super::{compiles, miscompilation, survives, undecided};
use crate::verdict::Verdict;

pub(super) fn judge(expected: &[Behaviour], observations: &[Observation]) -> Verdict {
    if let Some(breach) = compiles::breach(observations) {
        return Verdict::Broken(breach);
    }
    for (input, expected) in expected.iter().enumerate() {
        let wrong: Vec<&Observation> = observations
            .iter()
            .filter(|observation| observation.input == Some(input))
            .filter(|observation| observation.outcome.behaviour().is_some_and(|it| it != expected))
            .collect();
        if let Some(breach) = miscompilation(expected, &wrong) {
            return Verdict::Broken(breach);
        }
    }
    if let Some(breach) = survives::overrun(observations, Stage::Run) {
        return Verdict::Broken(breach);
    }
    let ran = |observation: &Observation| observation.outcome.behaviour().is_some();
    if !observations.is_empty() && !observations.iter().any(ran) {
        return Verdict::Skipped(undecided("the target does not run what it compiles"));
    }
    Verdict::Kept
}
