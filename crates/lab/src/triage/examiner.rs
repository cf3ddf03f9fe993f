//! Looks at one case by itself: observes, judges and signs it, under the settings that matter.

use std::sync::Arc;

use forge::{Case, Observation, Outcome, Promise};

use super::signature::Signature;
use crate::finding::Exhibit;
use crate::setting::Setting;
use crate::target::{Bench, Target};
use crate::verdict::{Breach, BreachKind, Verdict};
use crate::{batch, oracle};

#[derive(Clone, Debug)]
pub struct Examiner {
    pub target: Arc<dyn Target>,
    pub bench: Bench,
}

impl Examiner {
    pub fn observe(&self, case: &Case, settings: &[Setting]) -> Vec<Observation> {
        let mut sightings = batch::observe(self.target.as_ref(), &[case], settings, &self.bench);
        sightings.observations.pop().unwrap_or_default()
    }

    /// The case, as the compiler was shown it, with what shows that its promise is broken; none where it
    /// is kept.
    pub fn exhibit(&self, case: &Case, settings: &[Setting]) -> Option<Exhibit> {
        self.judged(case, self.observe(case, settings))
    }

    /// The same for several cases, which share the runs of the compiler.
    pub fn exhibits(&self, cases: &[&Case], settings: &[Setting]) -> Vec<Option<Exhibit>> {
        let sightings = batch::observe(self.target.as_ref(), cases, settings, &self.bench);
        let each = cases.iter().zip(sightings.observations);
        each.map(|(case, observations)| self.judged(case, observations)).collect()
    }

    fn judged(&self, case: &Case, observations: Vec<Observation>) -> Option<Exhibit> {
        match oracle::judge(case, &observations) {
            Verdict::Broken(breach) => {
                let case = self.target.fitted(case, &self.bench);
                Some(Exhibit { case, breach, observations })
            }
            Verdict::Kept | Verdict::Skipped(_) => None,
        }
    }

    /// What can be said of a breach before its culprit is known.
    pub fn sign(&self, case: &Case, breach: &Breach) -> Signature {
        let family = &self.target.name().family;
        Signature::of(family, &case.promise, &self.setting(breach), breach)
    }

    /// The setting that broke the promise.
    pub fn setting(&self, breach: &Breach) -> Setting {
        self.target.setting(&breach.setting).cloned().unwrap_or_else(Setting::plain)
    }

    /// All settings that a breach is looked at under: those of the target, and the one that showed it.
    pub fn settings(&self, breach: &Breach) -> Vec<Setting> {
        let mut settings = self.target.settings().to_vec();
        if settings.iter().all(|setting| setting.name != breach.setting) {
            settings.extend(self.target.setting(&breach.setting).cloned());
        }
        settings
    }

    /// Whether a case is shown to the compiler under some of the settings only.
    pub fn takes_turns(&self, case: &Case) -> bool {
        let shown = self.target.settings_for(std::slice::from_ref(case)).len();
        shown < self.target.settings().len()
    }

    /// The fewest settings that show the breach: the one that broke the promise and, where settings are
    /// compared with each other, the one that it is compared with.
    pub fn relevant(&self, exhibit: &Exhibit) -> Vec<Setting> {
        let wrong = self.setting(&exhibit.breach);
        let compared = exhibit.case.promise == Promise::Agrees && exhibit.breach.expected.is_some();
        let reference = self.target.settings().first().filter(|_| compared).cloned();
        let mut settings: Vec<Setting> = reference.into_iter().collect();
        if settings.iter().all(|setting| setting.name != wrong.name) {
            settings.push(wrong);
        } else {
            // The reference itself rejects or fails: the next setting is what it is compared with.
            settings.extend(self.target.settings().get(1).cloned());
        }
        settings
    }

    /// The same case with the weakest promise that one setting alone can break: where settings were
    /// compared, the behaviour under the reference becomes what is expected.
    pub fn pointwise(&self, exhibit: &Exhibit) -> Case {
        let case = exhibit.case.clone();
        let breach = &exhibit.breach;
        match breach.kind {
            BreachKind::Crash | BreachKind::NoArtifact => {
                return Case { promise: Promise::Survives, ..case };
            }
            // A compiler that does not end, unlike a program that does not.
            BreachKind::Hang | BreachKind::Exhaustion if breach.input.is_none() => {
                return Case { promise: Promise::Survives, ..case };
            }
            BreachKind::Rejection => return Case { promise: Promise::Compiles, ..case },
            _ if case.promise != Promise::Agrees => return case,
            _ => {}
        }
        let program = exhibit.breach.program;
        let reference = self.target.settings().first().map(|setting| setting.name.as_str());
        let behaviour = |input: usize| {
            let of_reference = |observation: &&Observation| {
                observation.program == program
                    && observation.input == Some(input)
                    && Some(observation.setting.as_str()) == reference
            };
            match &exhibit.observations.iter().find(of_reference)?.outcome {
                Outcome::Ran(behaviour) => Some(behaviour.clone()),
                _ => None,
            }
        };
        match (0..case.inputs.len()).map(behaviour).collect::<Option<Vec<_>>>() {
            Some(expected) => Case {
                promise: Promise::Yields(expected),
                programs: vec![case.programs[program].clone()],
                ..case
            },
            None => case,
        }
    }
}
