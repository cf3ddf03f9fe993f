//! A failure and everything known about it: exhibit, signature and culprits. It is created once and passed on
//! from the oracle to the store.

use super::examiner::Examiner;
use super::locate;
use crate::culprit::{self, Culprit};
use crate::finding::Exhibit;
use crate::signature::Signature;

/// A failure with its signature and culprits.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    pub exhibit: Exhibit,
    /// The signature without culprits.
    pub first: Signature,
    pub culprits: Vec<Culprit>,
}

impl Diagnosis {
    /// The diagnosis before bisection.
    pub fn of(examiner: &Examiner, exhibit: Exhibit) -> Self {
        let first = examiner.sign(&exhibit.case, &exhibit.breach);
        Self { exhibit, first, culprits: vec![] }
    }

    /// The signature, including the culprits.
    pub fn signature(&self) -> Signature {
        self.first.with_passes(&culprit::blamed(&self.culprits))
    }

    /// The failure under the most specific setting, with its culprits. A crash is recognised by its message. Other
    /// failures cannot be distinguished without a culprit, so they are located before they are compared.
    #[must_use]
    pub fn located(self, examiner: &Examiner) -> Self {
        let turns = examiner.target.spec().schedule.takes_turns();
        if turns && !self.first.is_precise() {
            let culprits = locate::locate(examiner, &self.exhibit);
            // A setting that runs only this pass is the most specific: a reduction cannot slide to another pass.
            if let Some(pass) = culprit::pass(&culprits) {
                let alone = examiner.alone(&pass.bad).into_iter();
                let mut alone = alone.filter_map(|it| examiner.exhibit(&self.exhibit.case, &[it]));
                let exhibit = alone.next().unwrap_or(self.exhibit);
                return Self { culprits, ..Self::of(examiner, exhibit) };
            }
        }
        // If settings take turns, the one that found the failure is arbitrary, so the first that reproduces it is
        // used. If none does, an occasional setting found it.
        let whole = turns
            .then(|| {
                let all = examiner.exhibit(&self.exhibit.case, &examiner.target.spec().settings);
                all.or_else(|| {
                    examiner.exhibit(&self.exhibit.case, &examiner.relevant(&self.exhibit))
                })
            })
            .flatten();
        let whole = Self::of(examiner, whole.unwrap_or(self.exhibit));
        if whole.first.is_precise() {
            return whole;
        }
        Self { culprits: locate::locate(examiner, &whole.exhibit), ..whole }
    }
}
