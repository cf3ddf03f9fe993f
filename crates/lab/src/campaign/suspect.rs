//! From a broken promise to a finding in the store: recognised, or located, confirmed and recorded.

use std::sync::Arc;

use forge::{Case, Outcome, Resource, Stage};

use super::{Campaign, Hunt, Line};
use crate::event::{Event, Work};
use crate::finding::{Exhibit, Finding, Flaky, Progress};
use crate::signature::Signature;
use crate::store::{Recorded, Sighted, StoreError, now};
use crate::target::Target;
use crate::target::batch::Unexplained;
use crate::triage::confirm::{Confirmation, confirm};
use crate::triage::diagnosis::Diagnosis;
use crate::triage::examiner::Examiner;
use crate::triage::locate;

impl Hunt<'_> {
    pub(super) fn suspect(
        &self,
        worker: usize,
        line: &Line,
        target: &Arc<dyn Target>,
        exhibit: Exhibit,
    ) -> Result<(), StoreError> {
        let campaign = self.campaign;
        // An interrupt lets it finish, so that the case is done.
        let examiner = Examiner { stop: campaign.stop.clock(), ..campaign.examiner(target) };
        self.working(worker, || Work::Diagnosing { origin: exhibit.case.origin.to_string() });
        let diagnosis = Diagnosis::of(&examiner, exhibit);
        // Most failures were seen before, and that is cheaper to find out than what a new one is.
        if let Some(id) = self.recognise(&examiner, &diagnosis)? {
            return self.again(&id, &diagnosis.exhibit, target);
        }
        let diagnosis = diagnosis.located(&examiner);
        let signature = campaign.signature(diagnosis.signature(), &diagnosis.exhibit);
        if let Some(finding) = campaign.store.finding_of(&signature.key())?
            && !finding.is_better_represented_by(&diagnosis.exhibit.case.origin)
        {
            return self.again(&finding.id, &diagnosis.exhibit, target);
        }
        let confirmation = confirm(&examiner, &diagnosis);
        if campaign.stop.is_late() {
            // It was cut short. The case is not done, and will be looked at again.
            return Ok(());
        }
        match confirmation {
            Confirmation::Confirmed(exhibit) => {
                self.record(target, signature, Diagnosis { exhibit, ..diagnosis })
            }
            Confirmation::Unstable(exhibit) => {
                // Corrupted memory shows itself in many ways: what the same pass makes of programs that look alike is one.
                let examiner = Examiner { unstable: true, ..examiner };
                let mut exhibit = exhibit;
                exhibit.breach.unstable = true;
                let diagnosis = Diagnosis::of(&examiner, exhibit).located(&examiner);
                let signature = campaign.signature(diagnosis.signature(), &diagnosis.exhibit);
                if let Some(id) = self.alike(line, &signature, &diagnosis.exhibit)? {
                    return self.again(&id, &diagnosis.exhibit, target);
                }
                self.record(target, signature, diagnosis)
            }
            Confirmation::Flaky { seen, tries } => {
                self.flaky(&diagnosis.exhibit, target, seen, tries)
            }
        }
    }

    /// Follows up a failure that only several cases together show: as one case, if they can be put together
    /// and that shows it, too. Otherwise it is only told.
    pub(super) fn crowd(
        &self,
        worker: usize,
        line: &Line,
        target: &Arc<dyn Target>,
        cases: &[Case],
        unexplained: &Unexplained,
    ) -> Result<(), StoreError> {
        let Unexplained { outcome, setting, cases: range } = unexplained;
        let stack = Outcome::Exhausted { stage: Stage::Compile, resource: Resource::Stack };
        let crowd = (matches!(outcome, Outcome::Crashed { .. }) || *outcome == stack)
            .then(|| line.method.crowd(&cases[range.clone()]))
            .flatten();
        let examiner = self.campaign.examiner(target);
        let exhibit =
            crowd.and_then(|crowd| examiner.exhibit(&crowd, std::slice::from_ref(setting)));
        let Some(exhibit) = exhibit else {
            let name = target.name();
            self.campaign.warn(format!("{name}: a batch failed, its parts do not: {outcome}"));
            return Ok(());
        };
        self.counters.broken();
        self.suspect(worker, line, target, exhibit)
    }

    /// The finding that a failure surely belongs to, and represents no better than what does: a crash by
    /// its message, wrong behaviour by a pass that alone is to blame for it.
    fn recognise(
        &self,
        examiner: &Examiner,
        diagnosis: &Diagnosis,
    ) -> Result<Option<String>, StoreError> {
        let (campaign, exhibit) = (self.campaign, &diagnosis.exhibit);
        let signature = if diagnosis.first.is_precise() {
            diagnosis.first.clone()
        } else {
            let passes = campaign.store.blamed(&diagnosis.first.target)?;
            let Some(pass) = locate::recognise(examiner, exhibit, &passes) else {
                return Ok(None);
            };
            diagnosis.first.with_passes(std::slice::from_ref(pass))
        };
        let signature = campaign.signature(signature, exhibit);
        let there = campaign.store.finding_of(&signature.key())?;
        let there = there.filter(|it| !it.is_better_represented_by(&exhibit.case.origin));
        Ok(there.map(|there| there.id))
    }

    /// The finding that a crash without a stable message belongs to: the same pass is to blame, and the program has
    /// all that the reduced one has. What has not that is reduced, and compared then.
    fn alike(
        &self,
        line: &Line,
        signature: &Signature,
        exhibit: &Exhibit,
    ) -> Result<Option<String>, StoreError> {
        let method = line.method.as_ref();
        let shape = exhibit.shape(method);
        let is_it = |finding: &Finding| {
            let its = Signature { shape: None, ..finding.signature.clone() };
            let complete = finding.signature.shape.is_some() && its == *signature;
            complete && shape.contains(&finding.best().shape(method))
        };
        let mut findings = self.campaign.store.findings()?.into_iter();
        Ok(findings.find(is_it).map(|finding| finding.id))
    }

    /// Writes a confirmed failure down: as a new finding, as a better representative of one that is
    /// there, or as another sighting.
    fn record(
        &self,
        target: &Arc<dyn Target>,
        signature: Signature,
        diagnosis: Diagnosis,
    ) -> Result<(), StoreError> {
        let campaign = self.campaign;
        let known = campaign.known.matching(&signature);
        let to_be_completed = known.is_none() || campaign.options.all_findings;
        let name = target.name().to_string();
        let mut finding = Finding {
            id: signature.key()[..8].to_owned(),
            progress: if to_be_completed { Progress::Confirmed } else { Progress::Complete },
            version: campaign.versions.get(&name).cloned().unwrap_or_default(),
            first_seen: now(),
            sightings: 1,
            signature,
            target: name,
            known,
            culprits: diagnosis.culprits,
            verifier_aliases: vec![],
            original: diagnosis.exhibit,
            reduced: None,
            restated: vec![],
        };
        let _in_order = self.in_order();
        match campaign.store.record(&finding)? {
            Recorded::New => {
                self.counters.found(finding.known.is_some());
                campaign.tell(&Event::Found { finding: finding.clone() });
            }
            Recorded::Represents { id, sighted } => {
                finding = campaign.store.finding(&id)?;
                campaign.tell(&Event::Advanced { finding: finding.clone() });
                self.sighted(&id, &finding.original, sighted);
            }
            Recorded::Again { id, sighted } => {
                self.sighted(&id, &finding.original, sighted);
                return Ok(());
            }
        }
        if to_be_completed && let Some(line) = campaign.line_of(&finding) {
            self.pending.add(&finding, line);
        }
        Ok(())
    }

    /// Another sighting of a finding that is there.
    fn again(
        &self,
        id: &str,
        exhibit: &Exhibit,
        target: &Arc<dyn Target>,
    ) -> Result<(), StoreError> {
        let (origin, name) = (&exhibit.case.origin, target.name().to_string());
        let _in_order = self.in_order();
        let sighted = self.campaign.store.add_sighting(id, origin, &name)?;
        self.sighted(id, exhibit, sighted);
        Ok(())
    }

    fn sighted(&self, id: &str, exhibit: &Exhibit, sighted: Sighted) {
        if sighted.new {
            self.counters.duplicate();
            self.campaign.tell(&Event::Again {
                id: id.to_owned(),
                origin: exhibit.case.origin.to_string(),
                sightings: sighted.sightings,
            });
        }
    }

    fn flaky(
        &self,
        exhibit: &Exhibit,
        target: &Arc<dyn Target>,
        seen: u32,
        tries: u32,
    ) -> Result<(), StoreError> {
        let flaky = Flaky {
            origin: exhibit.case.origin.clone(),
            target: target.name().to_string(),
            kind: exhibit.breach.kind.to_string(),
            message: exhibit.breach.message.clone(),
            seen,
            tries,
        };
        self.campaign.store.add_flaky(&flaky)?;
        self.counters.flaky();
        self.campaign.tell(&Event::Flaky { flaky });
        Ok(())
    }
}

impl Campaign<'_> {
    pub(super) fn examiner(&self, target: &Arc<dyn Target>) -> Examiner {
        Examiner::new(Arc::clone(target), self.bench.clone(), self.stop.clone())
    }

    /// Where every sighting is to be a finding of its own, its signature has its origin.
    fn signature(&self, signature: Signature, exhibit: &Exhibit) -> Signature {
        let only = self.options.all_findings.then(|| exhibit.case.origin.clone());
        Signature { only, ..signature }
    }

    /// The line of this campaign that a finding belongs to.
    pub(super) fn line_of(&self, finding: &Finding) -> Option<usize> {
        self.lines.iter().position(|line| {
            line.method.name() == finding.origin().method()
                && line.targets.iter().any(|target| target.name().to_string() == finding.target)
        })
    }
}
