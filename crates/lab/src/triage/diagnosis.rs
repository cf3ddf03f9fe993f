//! A failure with all that is known of it: what shows it, how it is recognised, what is to blame. It is
//! made once and travels from the oracle to the store.

use super::examiner::Examiner;
use super::locate;
use crate::culprit::{self, Culprit};
use crate::finding::Exhibit;
use crate::signature::Signature;

#[derive(Clone, Debug, PartialEq)]
pub struct Diagnosis {
    pub exhibit: Exhibit,
    /// As far as it is known without a culprit.
    pub first: Signature,
    pub culprits: Vec<Culprit>,
}

impl Diagnosis {
    /// What can be said at once.
    pub fn of(examiner: &Examiner, exhibit: Exhibit) -> Self {
        let first = examiner.sign(&exhibit.case, &exhibit.breach);
        Self { exhibit, first, culprits: vec![] }
    }

    /// How the failure is recognised, with what is to blame.
    pub fn signature(&self) -> Signature {
        self.first.with_passes(&culprit::blamed(&self.culprits))
    }

    /// The failure where it is seen best, with what is to blame. A crash is recognised by its message.
    /// Everything else looks like everything else as long as nothing is to blame: it has to be located
    /// before it is compared.
    #[must_use]
    pub fn located(self, examiner: &Examiner) -> Self {
        let turns = examiner.target.spec().schedule.takes_turns();
        if turns && !self.first.is_precise() {
            let culprits = locate::locate(examiner, &self.exhibit);
            // Where the pass runs alone, it is seen best, and a reduction cannot slide to another.
            if let Some(pass) = culprit::pass(&culprits) {
                let alone = examiner.alone(&pass.bad).into_iter();
                let mut alone = alone.filter_map(|it| examiner.exhibit(&self.exhibit.case, &[it]));
                let exhibit = alone.next().unwrap_or(self.exhibit);
                return Self { culprits, ..Self::of(examiner, exhibit) };
            }
        }
        // Where the settings take turns, the one whose turn it was says nothing about the bug: the first
        // of all that show it does. Where none of them does, it is an occasional one that showed it.
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
