//! Completes a finding: reduces it, looks at the result under every setting, bisects, signs it again,
//! tells it in other ways, and merges it with another if that shows that they are one.

use std::sync::Arc;
use std::time::Instant;

use super::Hunt;
use crate::event::Event;
use crate::finding::{Culprit, Exhibit, Finding, Progress};
use crate::store::StoreError;
use crate::target::Target;
use crate::triage::culprit;
use crate::triage::examiner::Examiner;
use crate::triage::face::face;
use crate::triage::reduce::{Goal, reduce};
use crate::triage::replay::replay;
use crate::triage::retell::retell;
use crate::triage::versions::locate_version;

impl Hunt<'_> {
    pub(super) fn complete(&self, worker: usize, id: &str) -> Result<(), StoreError> {
        let result = self.complete_one(worker, id);
        self.docket.close();
        result
    }

    fn complete_one(&self, worker: usize, id: &str) -> Result<(), StoreError> {
        let campaign = self.campaign;
        let mut finding = campaign.store.finding(id)?;
        if finding.id != id {
            // It has become a part of another while it waited.
            return Ok(());
        }
        let Some(line) = campaign.line_of(&finding).map(|line| &campaign.lines[line]) else {
            return Ok(());
        };
        let is_its = |target: &&Arc<dyn Target>| target.name().to_string() == finding.target;
        let Some(target) = line.targets.iter().find(is_its) else { return Ok(()) };
        let examiner = campaign.examiner(target);
        self.working(worker, || format!("reducing {id}"));
        if !self.reduce(line.method.as_ref(), &examiner, &mut finding)? {
            return Ok(());
        }
        self.working(worker, || format!("bisecting {id}"));
        let culprits = self.locate(&examiner, &mut finding);
        let first = {
            let best = finding.best();
            examiner.sign(&best.case, &best.breach)
        };
        let blamed = culprit::blamed(&culprits);
        finding.signature = campaign.signature(&first, &finding.original, blamed.as_deref());
        if !campaign.options.all_findings {
            finding.faces = face(&examiner, finding.best(), &culprits).into_iter().collect();
        }
        finding.culprits = culprits;
        self.working(worker, || format!("retelling {id}"));
        finding.retold = retell(line.method.as_ref(), &examiner, finding.best());
        finding.progress = Progress::Complete;
        self.conclude(&examiner, finding)
    }

    /// Makes the case as small as it gets. False if it was stopped before that; what was reached is kept.
    fn reduce(
        &self,
        method: &dyn forge::Method,
        examiner: &Examiner,
        finding: &mut Finding,
    ) -> Result<bool, StoreError> {
        let campaign = self.campaign;
        let start = campaign.store.last_step(finding).unwrap_or_else(|| finding.original.clone());
        let signature = examiner.sign(&finding.original.case, &finding.original.breach);
        let pass = culprit::pass(&finding.culprits).map(str::to_owned);
        let with = culprit::needed(&finding.culprits).to_vec();
        let goal = Goal {
            method,
            examiner,
            signature: &signature,
            pass: pass.as_deref(),
            with: &with,
            jobs: self.docket.hands(campaign.options.jobs, &self.claims),
            deadline: Some(Instant::now() + campaign.options.reduce_time),
        };
        let about = finding.clone();
        let reduction = reduce(&goal, start, &campaign.stop, |step, exhibit| {
            campaign.store.write_step(&about, step, exhibit)?;
            campaign.tell(&Event::Reducing {
                id: about.id.clone(),
                bytes: step.bytes,
                steps: step.step,
                tries: step.tries,
            });
            Ok::<(), StoreError>(())
        })?;
        finding.reduced = Some(reduction.exhibit);
        if !reduction.finished && campaign.stop.is_set() {
            campaign.store.write_folder(finding, &replay(examiner, finding))?;
            campaign.store.update_finding(finding)?;
            return Ok(false);
        }
        Ok(true)
    }

    /// Looks at the smallest case under every setting, and bisects what can be bisected.
    fn locate(&self, examiner: &Examiner, finding: &mut Finding) -> Vec<Culprit> {
        let settings = examiner.settings(&finding.best().breach);
        let fresh = examiner.exhibit(&finding.best().case, &settings);
        if let (Some(fresh), Some(reduced)) = (fresh, &mut finding.reduced) {
            *reduced = Exhibit { case: reduced.case.clone(), ..fresh };
        }
        let mut culprits = culprit::locate(examiner, finding.best());
        // A pass that was to blame and goes on doing harm alone stays to blame, whichever else does harm, too.
        let shared = culprit::is_shared(&finding.culprits);
        let before = culprit::pass(&finding.culprits).filter(|_| !shared);
        if let Some(pass) = before.filter(|pass| culprit::pass(&culprits) != Some(pass))
            && let Some(alone) = examiner.target.alone(pass)
            && let Some(seen) = examiner.exhibit(&finding.best().case, std::slice::from_ref(alone))
        {
            let located = culprit::locate(examiner, &seen);
            culprits = if located.is_empty() { culprits } else { located };
        }
        let relatives = &self.campaign.relatives;
        culprits.extend(locate_version(examiner, finding.best(), relatives));
        culprits
    }

    /// Writes the finished finding, or makes it a part of one that turned out to be the same.
    fn conclude(&self, examiner: &Examiner, mut finding: Finding) -> Result<(), StoreError> {
        let campaign = self.campaign;
        let _writing = self.docket.writing();
        if campaign.store.finding(&finding.id)?.id != finding.id {
            return Ok(());
        }
        let twin = campaign.store.finding_of(&finding.signature.key())?;
        if let Some(twin) = twin.filter(|twin| twin.id != finding.id) {
            self.counters.merged();
            let twin = campaign.store.finding(&twin.id)?;
            if stays_before(&twin, &finding) {
                campaign.store.update_finding(&finding)?;
                return self.merge(&finding.id, &twin.id);
            }
            self.merge(&twin.id, &finding.id)?;
        }
        // Whichever was seen first: a wrong program says more than that a check rejects it.
        for face in &finding.faces {
            let other = campaign.store.finding_of(&face.key())?;
            if let Some(other) = other.filter(|other| other.id != finding.id) {
                self.counters.merged();
                self.merge(&other.id, &finding.id)?;
            }
        }
        finding.known = campaign.known.matching(&finding.signature);
        campaign.store.write_folder(&finding, &replay(examiner, &finding))?;
        campaign.store.update_finding(&finding)?;
        let finding = campaign.store.finding(&finding.id)?;
        campaign.tell(&Event::Advanced { finding });
        Ok(())
    }

    fn merge(&self, id: &str, into: &str) -> Result<(), StoreError> {
        self.campaign.store.merge(id, into)?;
        self.campaign.tell(&Event::Merged { id: id.to_owned(), into: into.to_owned() });
        Ok(())
    }
}

/// Whether a finding stays where another is the same bug: the one with the first ticket does, whichever was completed
/// first, unless the other was reduced to less than half of it.
fn stays_before(one: &Finding, other: &Finding) -> bool {
    let is_first = (one.ticket(), &one.id) < (other.ticket(), &other.id);
    let (first, second) = if is_first { (one, other) } else { (other, one) };
    let complete = [first, second].iter().all(|it| it.progress == Progress::Complete);
    let size = |finding: &Finding| finding.best().case.size().0;
    let is_better = complete && size(second) < size(first) / 2;
    is_first != is_better
}
