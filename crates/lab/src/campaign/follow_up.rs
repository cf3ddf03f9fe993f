//! Turns a broken promise into a finding in the store: it is recognised as a duplicate, or located, confirmed
//! and recorded. Reducing it is left to `triage::complete`.

use std::sync::Arc;

use forge::{Case, Outcome, Resource, Stage};

use super::{Campaign, Hunt, Line};
use crate::event::{Event, Work};
use crate::finding::{Exhibit, Finding, Flaky, KnownAs, Progress};
use crate::signature::Signature;
use crate::store::{Recorded, Sighted, StoreError, now};
use crate::target::Target;
use crate::target::batch::Unexplained;
use crate::triage::confirm::{Confirmation, TIMES, confirm};
use crate::triage::diagnosis::Diagnosis;
use crate::triage::examiner::Examiner;
use crate::triage::locate;

impl Hunt<'_> {
    /// Returns the key of the signature that the failure shows at first.
    pub(super) fn follow_up(
        &self,
        worker: usize,
        line: &Line,
        target: &Arc<dyn Target>,
        exhibit: Exhibit,
    ) -> Result<String, StoreError> {
        let campaign = self.campaign;
        // Continues after an interrupt, so that the case is done; only the deadline stops it.
        let examiner = Examiner { stop: campaign.stop.clock(), ..campaign.examiner(target) };
        self.working(worker, || Work::Diagnosing { origin: exhibit.case.origin.to_string() });
        let diagnosis = Diagnosis::of(&examiner, exhibit);
        let first = diagnosis.first.key();
        self.follow_up_diagnosis(line, target, examiner, diagnosis)?;
        Ok(first)
    }

    fn follow_up_diagnosis(
        &self,
        line: &Line,
        target: &Arc<dyn Target>,
        examiner: Examiner,
        diagnosis: Diagnosis,
    ) -> Result<(), StoreError> {
        let campaign = self.campaign;
        // Most failures are duplicates, and recognising one is cheaper than locating a new failure.
        if let Some(id) = self.recognise(&examiner, &diagnosis)? {
            return self.add_sighting(line, &id, &diagnosis.exhibit, target);
        }
        let diagnosis = diagnosis.located(&examiner);
        let signature = campaign.signature(diagnosis.signature(), &diagnosis.exhibit);
        if let Some(finding) = campaign.store.finding_of(&signature.key())?
            && !finding.is_better_represented_by(&diagnosis.exhibit.case.origin)
        {
            return self.add_sighting(line, &finding.id, &diagnosis.exhibit, target);
        }
        let confirmation = confirm(&examiner, &diagnosis);
        if campaign.stop.is_late() || self.has_other_compilers() {
            // It was interrupted, or is not about the compiler that was seen to fail. The case will be repeated.
            return Ok(());
        }
        match confirmation {
            Confirmation::Confirmed(exhibit) => {
                self.record(line, target, signature, Diagnosis { exhibit, ..diagnosis })
            }
            Confirmation::Unstable(exhibit) => {
                // Memory corruption crashes with varying messages: crashes of one pass on programs of one shape are one
                // bug.
                let examiner = Examiner { unstable: true, ..examiner };
                let mut exhibit = exhibit;
                exhibit.breach.unstable = true;
                let diagnosis = Diagnosis::of(&examiner, exhibit).located(&examiner);
                let signature = campaign.signature(diagnosis.signature(), &diagnosis.exhibit);
                if let Some(id) = self.same_shape(line, &signature, &diagnosis.exhibit)? {
                    return self.add_sighting(line, &id, &diagnosis.exhibit, target);
                }
                // Until it is reduced, it is one bug only with programs that look just like it.
                let shape = diagnosis.exhibit.shape(line.method.as_ref()).fingerprint();
                self.record(line, target, Signature { shape: Some(shape), ..signature }, diagnosis)
            }
            Confirmation::Flaky { seen, tries } => {
                self.flaky(&diagnosis.exhibit, target, seen, tries)
            }
        }
    }

    /// Whether the findings of this run still show when it ends. If one does not, whatever changed meanwhile may have caused
    /// others as well, so that the hunt has failed.
    pub(super) fn confirm_again(&self, earlier: &[Finding]) -> Result<(), StoreError> {
        let campaign = self.campaign;
        let is_new = |finding: &Finding| earlier.iter().all(|other| other.id != finding.id);
        for finding in campaign.store.findings()?.into_iter().filter(is_new) {
            let Some(line) = campaign.line_of(&finding).map(|line| &campaign.lines[line]) else {
                continue;
            };
            let is_its = |target: &&Arc<dyn Target>| target.name().to_string() == finding.target;
            let Some(target) = line.targets.iter().find(is_its) else { continue };
            let examiner = campaign.examiner(target);
            let settings = examiner.relevant(&finding.original);
            let case = &finding.original.case;
            let shows = |_| examiner.exhibit(case, &settings).is_some();
            let still_shows = (0..TIMES).any(shows);
            if campaign.stop.is_asked() || campaign.stop.is_late() {
                // What was ended says nothing.
                return Ok(());
            }
            if !still_shows {
                self.counters.fail(format!(
                    "finding {id} was confirmed when it was found, but no longer shows: the compiler or this machine has \
                     changed during the hunt, so that its findings may be wrong; see `mistrust replay {id}`",
                    id = finding.id
                ));
            }
        }
        Ok(())
    }

    /// Follows up a failure of a batch that none of its parts reproduces: combined into one case, if the
    /// method can do that and the combination reproduces it. Otherwise it only emits a warning.
    pub(super) fn follow_up_batch(
        &self,
        worker: usize,
        line: &Line,
        target: &Arc<dyn Target>,
        cases: &[Case],
        unexplained: &Unexplained,
    ) -> Result<(), StoreError> {
        if self.has_other_compilers() {
            return Ok(());
        }
        let Unexplained { outcome, setting, cases: range } = unexplained;
        let stack = Outcome::Exhausted { stage: Stage::Compile, resource: Resource::Stack };
        let combined = (matches!(outcome, Outcome::Crashed { .. }) || *outcome == stack)
            .then(|| line.method.crowd(&cases[range.clone()]))
            .flatten();
        let examiner = self.campaign.examiner(target);
        let exhibit =
            combined.and_then(|case| examiner.exhibit(&case, std::slice::from_ref(setting)));
        let Some(exhibit) = exhibit else {
            let name = target.name();
            self.campaign
                .warn(format!("{name}: a batch failed, but none of its parts does: {outcome}"));
            return Ok(());
        };
        self.counters.broken();
        self.follow_up(worker, line, target, exhibit).map(|_| ())
    }

    /// The stored finding that a failure duplicates, unless the failure is to become its representative. A crash
    /// is recognised by its message, a miscompile by a pass that is known to cause one by itself.
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
        let stored = campaign.store.finding_of(&signature.key())?;
        let stored = stored.filter(|it| !it.is_better_represented_by(&exhibit.case.origin));
        Ok(stored.map(|finding| finding.id))
    }

    /// The finding of a crash without a stable message: the same pass is at fault, and the program contains the shape
    /// of the reduced one. A crash without such a finding is reduced, and compared then.
    fn same_shape(
        &self,
        line: &Line,
        signature: &Signature,
        exhibit: &Exhibit,
    ) -> Result<Option<String>, StoreError> {
        let method = line.method.as_ref();
        let shape = exhibit.shape(method);
        let is_it = |finding: &Finding| {
            let its = Signature { shape: None, ..finding.signature.clone() };
            let complete = finding.progress == Progress::Complete && its == *signature;
            complete && shape.contains(&finding.best().shape(method))
        };
        let mut findings = self.campaign.store.findings()?.into_iter();
        Ok(findings.find(is_it).map(|finding| finding.id))
    }

    /// Stores a confirmed failure: as a new finding, as a better representative of a stored one, or as another
    /// sighting.
    fn record(
        &self,
        line: &Line,
        target: &Arc<dyn Target>,
        signature: Signature,
        diagnosis: Diagnosis,
    ) -> Result<(), StoreError> {
        let campaign = self.campaign;
        let known = campaign.known.matching(&signature);
        let known = known.or_else(|| known_by_corpus(line, &diagnosis.exhibit));
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
            known: known.clone(),
            culprits: diagnosis.culprits,
            verifier_aliases: vec![],
            original: diagnosis.exhibit,
            reduced: None,
            restated: vec![],
            third_opinion: None,
        };
        let _in_order = self.in_order();
        match campaign.store.record(&finding)? {
            Recorded::New => {
                self.counters.found(finding.known.is_some());
                campaign.emit(&Event::Found { finding: finding.clone() });
            }
            Recorded::Represents { id, sighted } => {
                finding = campaign.store.finding(&id)?;
                self.mark_known(line, &mut finding, &known)?;
                campaign.emit(&Event::Advanced { finding: finding.clone() });
                self.report_sighting(&id, &finding.original, sighted);
            }
            Recorded::Again { id, sighted } => {
                let mut stored = campaign.store.finding(&id)?;
                self.mark_known(line, &mut stored, &known)?;
                self.report_sighting(&id, &finding.original, sighted);
                return Ok(());
            }
        }
        let to_be_completed = finding.known.is_none() || campaign.options.all_findings;
        if to_be_completed && let Some(line) = campaign.line_of(&finding) {
            self.pending.add(&finding, line);
        }
        Ok(())
    }

    /// A finding that a program of the corpus shows as it is becomes known.
    fn mark_known(
        &self,
        line: &Line,
        finding: &mut Finding,
        known: &Option<KnownAs>,
    ) -> Result<(), StoreError> {
        let is_news = finding.known.is_none() && !self.campaign.options.all_findings;
        let by_corpus = known.as_ref().filter(|it| it.by_corpus);
        let Some(known) = by_corpus.filter(|_| is_news && line.grows) else { return Ok(()) };
        finding.known = Some(known.clone());
        finding.progress = Progress::Complete;
        self.campaign.store.update(finding)?;
        self.pending.remove(&finding.id);
        self.counters.known();
        self.campaign.emit(&Event::Advanced { finding: finding.clone() });
        Ok(())
    }

    /// Stores another sighting of a stored finding.
    fn add_sighting(
        &self,
        line: &Line,
        id: &str,
        exhibit: &Exhibit,
        target: &Arc<dyn Target>,
    ) -> Result<(), StoreError> {
        let (origin, name) = (&exhibit.case.origin, target.name().to_string());
        let _in_order = self.in_order();
        let sighted = self.campaign.store.add_sighting(id, origin, &name)?;
        let known = known_by_corpus(line, exhibit);
        if known.is_some() {
            self.mark_known(line, &mut self.campaign.store.finding(id)?, &known)?;
        }
        self.report_sighting(id, exhibit, sighted);
        Ok(())
    }

    fn report_sighting(&self, id: &str, exhibit: &Exhibit, sighted: Sighted) {
        if sighted.new {
            self.counters.duplicate();
            self.campaign.emit(&Event::Again {
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
        self.campaign.emit(&Event::Flaky { flaky });
        Ok(())
    }
}

/// A program of the corpus that fails as it is was known to fail, and is no finding of this hunt.
fn known_by_corpus(line: &Line, exhibit: &Exhibit) -> Option<KnownAs> {
    let lineage = line.method.lineage(&exhibit.case).filter(|_| line.grows)?;
    let name = exhibit.case.trail.first().filter(|_| lineage.is_seed())?;
    // A mutant whose edits were all taken back is the program, too.
    let name = name.split(", as it is").next().unwrap_or(name);
    Some(KnownAs { name: format!("corpus: {name}"), link: None, by_corpus: true })
}

impl Campaign<'_> {
    pub(super) fn examiner(&self, target: &Arc<dyn Target>) -> Examiner {
        Examiner::new(Arc::clone(target), self.bench.clone(), self.stop.clone())
    }

    /// With `--all-findings`, the origin is part of the signature, so that nothing is a duplicate.
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
