//! Divides cases into batches, and shows a batch to a target, setting by setting. Where one thing befalls the whole batch, it
//! is split until the culprit stands alone.

use forge::{Case, Observation, Outcome};

use crate::setting::Setting;
use crate::target::{Attempt, Bench, Target};

/// What was observed, and what was lost on the way.
#[derive(Clone, Debug, Default)]
pub struct Sightings {
    /// For each case, in order.
    pub observations: Vec<Vec<Observation>>,
    /// Failures of a batch that none of its parts shows: real, but not to be had from one case.
    pub unexplained: Vec<Outcome>,
}

/// The cases in batches that are as large as the target wants them, by number and by bytes.
pub fn portions<'a>(target: &dyn Target, cases: &'a [Case]) -> Vec<&'a [Case]> {
    let (most, bytes) = (target.batch_size().max(1), target.batch_bytes());
    let mut portions = vec![];
    let (mut first, mut weight) = (0, 0);
    for (at, case) in cases.iter().enumerate() {
        let size = case.size().0;
        if at > first && (at - first == most || weight + size > bytes) {
            portions.push(&cases[first..at]);
            (first, weight) = (at, 0);
        }
        weight += size;
    }
    if first < cases.len() {
        portions.push(&cases[first..]);
    }
    portions
}

pub fn observe(
    target: &dyn Target,
    cases: &[&Case],
    settings: &[Setting],
    bench: &Bench,
) -> Sightings {
    let mut sightings = Sightings { observations: vec![vec![]; cases.len()], unexplained: vec![] };
    for setting in settings {
        split(target, cases, 0, setting, bench, &mut sightings);
    }
    sightings
}

/// Observes the cases, which begin at `first` in the batch. Says whether anything befell them together.
fn split(
    target: &dyn Target,
    cases: &[&Case],
    first: usize,
    setting: &Setting,
    bench: &Bench,
    sightings: &mut Sightings,
) -> bool {
    let outcome = match target.attempt(cases, setting, bench) {
        Attempt::Each(each) => {
            for (offset, observations) in each.into_iter().enumerate().take(cases.len()) {
                sightings.observations[first + offset].extend(observations);
            }
            return false;
        }
        Attempt::Together(outcome) => outcome,
    };
    // What could not be observed will not be observed better in parts.
    if cases.len() == 1 || matches!(outcome, Outcome::Unobserved { .. }) {
        for observations in &mut sightings.observations[first..first + cases.len()] {
            observations.push(Observation {
                program: 0,
                setting: setting.name.clone(),
                input: None,
                outcome: outcome.clone(),
            });
        }
        return true;
    }
    let (left, right) = cases.split_at(cases.len() / 2);
    let in_left = split(target, left, first, setting, bench, sightings);
    let in_right = split(target, right, first + left.len(), setting, bench, sightings);
    if !in_left && !in_right {
        sightings.unexplained.push(outcome);
    }
    true
}
