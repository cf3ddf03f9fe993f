//! Judges `Refines`: the compiler's output refines its input. The target checks that itself, for all inputs at
//! once; this only interprets the results. A check that gave up is undecided.

use forge::{Check, Observation, Outcome};

use super::{compiles, distinct, undecided};
use crate::verdict::{Breach, BreachKind, Verdict};

pub(super) fn judge(observations: &[Observation]) -> Verdict {
    if let Some(breach) = compiles::breach(observations) {
        return Verdict::Broken(breach);
    }
    let checks =
        observations.iter().filter_map(|observation| Some((observation, check(observation)?)));
    let checks: Vec<(&Observation, &Check)> = checks.collect();
    let fails = |(observation, check): &(&Observation, &Check)| match check {
        Check::Fails { excess, counterexample, .. } => Some(Breach {
            kind: BreachKind::Miscompilation,
            setting: observation.setting.clone(),
            settings: distinct(failing(&checks)),
            message: format!("does not refine its source: {excess}"),
            frames: vec![],
            unstable: false,
            program: observation.program,
            input: observation.input,
            expected: None,
            actual: counterexample.clone(),
        }),
        Check::Holds | Check::Unknown { .. } => None,
    };
    if let Some(breach) = checks.iter().find_map(fails) {
        return Verdict::Broken(breach);
    }
    let unknown = checks.iter().find_map(|(_, check)| match check {
        Check::Unknown { why } => Some(why),
        Check::Holds | Check::Fails { .. } => None,
    });
    match unknown {
        Some(why) => Verdict::Skipped(undecided(format!("refinement not decided: {why}"))),
        None if checks.is_empty() => Verdict::Skipped(undecided("refinement was not checked")),
        None => Verdict::Kept,
    }
}

fn failing<'a>(checks: &'a [(&Observation, &Check)]) -> impl Iterator<Item = &'a Observation> {
    let fails = checks.iter().filter(|(_, check)| matches!(check, Check::Fails { .. }));
    fails.map(|(observation, _)| *observation)
}

fn check(observation: &Observation) -> Option<&Check> {
    match &observation.outcome {
        Outcome::Checked(check) => Some(check),
        Outcome::Accepted
        | Outcome::Ran(_)
        | Outcome::Rejected { .. }
        | Outcome::Crashed { .. }
        | Outcome::Hung { .. }
        | Outcome::Exhausted { .. }
        | Outcome::NoArtifact
        | Outcome::Unrunnable { .. }
        | Outcome::Analysed(_)
        | Outcome::Unobserved(_) => None,
    }
}
