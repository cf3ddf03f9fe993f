//! Divides cases into batches, and compiles and runs a batch under each setting. If the whole batch fails
//! together, it is split until the failing case is alone.

use std::ops::Range;

use forge::{Case, Feedback, Observation, Outcome};

use super::{Attempt, Bench, Seen, Target};
use crate::setting::Setting;

/// The observations of a batch.
#[derive(Clone, Debug, Default)]
pub struct Sightings {
    /// Per case, in order.
    pub observations: Vec<Vec<Observation>>,
    /// The coverage of each case, over all settings.
    pub feedback: Vec<Option<Feedback>>,
    /// The first `complete` cases were observed under all settings. The others were not finished when the time
    /// was up.
    pub complete: usize,
    /// Failures of a batch that none of its parts reproduces.
    pub unexplained: Vec<Unexplained>,
}

/// A failure of several cases together that neither half of them reproduces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unexplained {
    pub outcome: Outcome,
    pub setting: Setting,
    /// The indices of the cases.
    pub cases: Range<usize>,
}

/// Divides the cases into batches, within the target's limits on number and bytes.
pub fn portions<'a>(target: &dyn Target, cases: &'a [Case]) -> Vec<&'a [Case]> {
    let Some(first) = cases.first() else { return vec![] };
    let batch = target.spec().batch_of(first);
    let (most, bytes) = (batch.cases.max(1), batch.bytes);
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

/// Observes all cases, without a time limit.
pub fn observe(
    target: &dyn Target,
    cases: &[&Case],
    settings: &[Setting],
    bench: &Bench,
) -> Sightings {
    observe_until(&|| false, target, cases, settings, bench)
}

/// Observes the cases, but stops splitting once `is_over` returns true: with a slow compiler, splitting takes long.
pub fn observe_until(
    is_over: &dyn Fn() -> bool,
    target: &dyn Target,
    cases: &[&Case],
    settings: &[Setting],
    bench: &Bench,
) -> Sightings {
    let sightings = Sightings {
        observations: vec![vec![]; cases.len()],
        feedback: vec![None; cases.len()],
        complete: cases.len(),
        ..Sightings::default()
    };
    let mut split = Split { is_over, target, bench, sightings };
    for setting in settings {
        let left = split.sightings.complete;
        if left > 0 {
            split.observe(&cases[..left], 0, setting);
        }
    }
    split.sightings
}

struct Split<'a> {
    is_over: &'a dyn Fn() -> bool,
    target: &'a dyn Target,
    bench: &'a Bench,
    sightings: Sightings,
}

impl Split<'_> {
    /// Observes the cases, which start at index `first` of the batch. Returns whether they failed together.
    fn observe(&mut self, cases: &[&Case], first: usize, setting: &Setting) -> bool {
        let outcome = match self.target.attempt(cases, setting, self.bench) {
            Attempt::Each(each) => {
                for (offset, seen) in each.into_iter().enumerate().take(cases.len()) {
                    self.keep(first + offset, seen);
                }
                return false;
            }
            Attempt::TooMuch(reason) if cases.len() == 1 => Outcome::Unobserved(reason),
            Attempt::TooMuch(_) => {
                self.split(cases, first, setting);
                return true;
            }
            Attempt::Together(outcome) => outcome,
        };
        // Splitting does not help if nothing could be observed.
        if cases.len() == 1 || outcome.reason().is_some() {
            for observations in &mut self.sightings.observations[first..first + cases.len()] {
                observations.push(Observation {
                    program: 0,
                    setting: setting.name.clone(),
                    input: None,
                    outcome: outcome.clone(),
                });
            }
            return true;
        }
        if self.split(cases, first, setting) == Some(false) {
            let (setting, cases) = (setting.clone(), first..first + cases.len());
            self.sightings.unexplained.push(Unexplained { outcome, setting, cases });
        }
        true
    }

    fn keep(&mut self, at: usize, seen: Seen) {
        self.sightings.observations[at].extend(seen.observations);
        if let Some(feedback) = seen.feedback {
            let all = self.sightings.feedback[at].get_or_insert_default();
            all.features.extend(feedback.features);
        }
    }

    /// Observes the two halves separately. Returns whether one of them failed, or `None` if the time was up.
    fn split(&mut self, cases: &[&Case], first: usize, setting: &Setting) -> Option<bool> {
        let (left, right) = cases.split_at(cases.len() / 2);
        let mut found = false;
        for (part, first) in [(left, first), (right, first + left.len())] {
            if (self.is_over)() {
                self.sightings.complete = self.sightings.complete.min(first);
                return None;
            }
            found |= self.observe(part, first, setting);
        }
        Some(found)
    }
}
