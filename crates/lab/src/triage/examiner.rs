//! Examines one case: observes, judges and signs it under the relevant settings.

use std::sync::Arc;

use forge::{Case, Observation, Promise};

use crate::finding::Exhibit;
use crate::oracle;
use crate::setting::Setting;
use crate::signature::Signature;
use crate::stop::Stop;
use crate::target::{Bench, PassId, Target, batch};
use crate::verdict::{Breach, BreachKind, Verdict};

/// Observes and judges single cases on one target.
#[derive(Clone, Debug)]
pub struct Examiner {
    pub target: Arc<dyn Target>,
    pub bench: Bench,
    /// Once it is set, nothing is observed any more, so that all work that uses the examiner ends. Results of such
    /// interrupted work are discarded.
    pub stop: Stop,
    /// Whether crashes are compared without their messages, because these differ from run to run.
    pub unstable: bool,
}

impl Examiner {
    pub fn new(target: Arc<dyn Target>, bench: Bench, stop: Stop) -> Self {
        Self { target, bench, stop, unstable: false }
    }

    /// The same with five times the wall-clock time. A compiler that computes for ever is still stopped by the limit on
    /// its CPU time.
    #[must_use]
    pub fn patient(&self) -> Self {
        let mut patient = self.clone();
        for limits in [&mut patient.bench.compile, &mut patient.bench.run] {
            limits.wall = limits.wall.saturating_mul(5);
        }
        patient
    }

    pub fn observe(&self, case: &Case, settings: &[Setting]) -> Vec<Observation> {
        if self.stop.is_set() {
            return vec![];
        }
        let mut sightings = batch::observe(self.target.as_ref(), &[case], settings, &self.bench);
        sightings.observations.pop().unwrap_or_default()
    }

    /// The case as the compiler got it, with the breach and the observations; `None` if the promise is kept.
    pub fn exhibit(&self, case: &Case, settings: &[Setting]) -> Option<Exhibit> {
        self.judged(case, self.observe(case, settings))
    }

    /// The same for several cases, which share the runs of the compiler.
    pub fn exhibits(&self, cases: &[&Case], settings: &[Setting]) -> Vec<Option<Exhibit>> {
        if self.stop.is_set() {
            return vec![None; cases.len()];
        }
        let sightings = batch::observe(self.target.as_ref(), cases, settings, &self.bench);
        let each = cases.iter().zip(sightings.observations);
        each.map(|(case, observations)| self.judged(case, observations)).collect()
    }

    fn judged(&self, case: &Case, observations: Vec<Observation>) -> Option<Exhibit> {
        match oracle::judge(case, &observations) {
            Verdict::Broken(mut breach) => {
                breach.unstable = self.unstable && breach.kind == BreachKind::Crash;
                let case = self.target.shown(case, &self.bench);
                Some(Exhibit { case, breach, observations })
            }
            Verdict::Kept | Verdict::Skipped(_) => None,
        }
    }

    /// The signature of a breach without culprits.
    pub fn sign(&self, case: &Case, breach: &Breach) -> Signature {
        let family = &self.target.name().family;
        Signature::of(family, &case.promise, &self.setting(breach), breach)
    }

    /// The setting that broke the promise.
    pub fn setting(&self, breach: &Breach) -> Setting {
        setting(self.target.as_ref(), breach)
    }

    /// All settings under which a breach is examined: those of the target, and the one that found it.
    pub fn settings(&self, breach: &Breach) -> Vec<Setting> {
        let mut settings = self.target.spec().settings.clone();
        if settings.iter().all(|setting| setting.name != breach.setting) {
            settings.extend(self.target.spec().setting(&breach.setting).cloned());
        }
        settings
    }

    /// The settings under which only this pass runs, if there are any.
    pub fn alone(&self, pass: &PassId) -> Vec<Setting> {
        let alone = self.target.passes().map(|passes| passes.alone(pass));
        alone.unwrap_or_default().into_iter().cloned().collect()
    }

    /// The setting without a pass, if the pass can be left out.
    pub fn without(&self, setting: &Setting, pass: &PassId) -> Option<Setting> {
        self.target.passes()?.without(setting, pass)
    }

    /// The fewest settings that show the breach.
    pub fn relevant(&self, exhibit: &Exhibit) -> Vec<Setting> {
        relevant(self.target.as_ref(), exhibit)
    }

    /// The same case with the weakest promise that a single setting can break. If settings were compared, the
    /// behaviour under the reference becomes the expected one.
    pub fn pointwise(&self, exhibit: &Exhibit) -> Case {
        let case = exhibit.case.clone();
        let breach = &exhibit.breach;
        match breach.kind {
            BreachKind::Crash | BreachKind::NoArtifact => {
                return Case { promise: Promise::Survives, ..case };
            }
            // The compiler hangs or exceeds a limit, not the program.
            BreachKind::Hang | BreachKind::Exhaustion if breach.input.is_none() => {
                return Case { promise: Promise::Survives, ..case };
            }
            BreachKind::Rejection => return Case { promise: Promise::Compiles, ..case },
            BreachKind::Hang
            | BreachKind::Exhaustion
            | BreachKind::Acceptance
            | BreachKind::Miscompilation
            | BreachKind::Contradiction => {}
        }
        if case.promise != Promise::Agrees {
            return case;
        }
        let program = exhibit.breach.program;
        let reference = self.target.spec().reference().map(|setting| setting.name.as_str());
        let behaviour = |input: usize| {
            let of_reference = |observation: &&Observation| {
                observation.program == program
                    && observation.input == Some(input)
                    && Some(observation.setting.as_str()) == reference
            };
            let observation = exhibit.observations.iter().find(of_reference)?;
            observation.outcome.behaviour().cloned()
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

/// The setting that broke the promise.
pub(super) fn setting(target: &dyn Target, breach: &Breach) -> Setting {
    target.spec().setting(&breach.setting).cloned().unwrap_or_else(Setting::plain)
}

/// The fewest settings that show the breach: the one that broke the promise and, if settings are compared with
/// each other, its counterpart.
pub(super) fn relevant(target: &dyn Target, exhibit: &Exhibit) -> Vec<Setting> {
    let wrong = setting(target, &exhibit.breach);
    let compared = exhibit.case.promise.compares_settings() && exhibit.breach.expected.is_some();
    let mut settings: Vec<Setting> =
        compared.then(|| counterpart(target, exhibit)).flatten().into_iter().collect();
    if settings.iter().all(|setting| setting.name != wrong.name) {
        settings.push(wrong);
    } else {
        // The reference itself rejects or fails, so it is compared with the next setting.
        settings.extend(target.spec().settings.get(1).cloned());
    }
    settings
}

/// The counterpart of the failing setting: the first that shows the breach together with it. It need not be the
/// reference, which may have given no result; and any two answers of an analyser can contradict each other.
fn counterpart(target: &dyn Target, exhibit: &Exhibit) -> Option<Setting> {
    let shows = |other: &&Setting| {
        let pair = [&other.name, &exhibit.breach.setting];
        let seen = exhibit.observations.iter().filter(|it| pair.contains(&&it.setting));
        let seen: Vec<Observation> = seen.cloned().collect();
        matches!(oracle::judge(&exhibit.case, &seen), Verdict::Broken(_))
    };
    let spec = target.spec();
    spec.settings.iter().find(shows).or(spec.reference()).cloned()
}
