//! From a broken promise to a finding on disk: located, compared with what is there, confirmed, written.

use std::sync::Arc;

use forge::{Case, Outcome};

use super::{Campaign, Hunt, Line};
use crate::batch::Unexplained;
use crate::event::Event;
use crate::finding::{Culprit, Exhibit, Finding, Flaky, Progress};
use crate::store::{Brief, StoreError, now};
use crate::target::Target;
use crate::triage::confirm::{Confirmation, confirm};
use crate::triage::culprit;
use crate::triage::examiner::Examiner;
use crate::triage::replay::replay;
use crate::triage::signature::Signature;

impl Hunt<'_> {
    pub(super) fn suspect(
        &self,
        line: &Line,
        target: &Arc<dyn Target>,
        exhibit: &Exhibit,
    ) -> Result<(), StoreError> {
        let examiner = self.campaign.examiner(target);
        // Most failures were seen before, and that is cheaper to find out than what a new one is.
        if let Some(id) = self.recognise(&examiner, exhibit)? {
            return self.again(&id, exhibit, target);
        }
        let (exhibit, culprits) = located(&examiner, exhibit);
        let exhibit = &exhibit;
        let first = examiner.sign(&exhibit.case, &exhibit.breach);
        let blamed = culprit::blamed(&culprits);
        let signature = self.campaign.signature(&first, exhibit, blamed.as_deref());
        if let Some(finding) = self.campaign.store.finding_of(&signature.key())?
            && !is_better_told_by(&finding, exhibit)
        {
            return self.again(&finding.id, exhibit, target);
        }
        let exhibit = match confirm(&examiner, exhibit, &first) {
            Confirmation::Confirmed(exhibit) => exhibit,
            Confirmation::Flaky { seen, tries } => {
                return self.flaky(exhibit, target, seen, tries);
            }
        };
        let exhibit = Exhibit { case: line.method.whole(&exhibit.case), ..exhibit };
        self.record(target, &examiner, signature, culprits, exhibit)
    }

    /// Follows up a failure that only several cases together show: as one case, if they can be put together
    /// and that shows it, too. Otherwise it is only told.
    pub(super) fn crowd(
        &self,
        line: &Line,
        target: &Arc<dyn Target>,
        cases: &[Case],
        unexplained: &Unexplained,
    ) -> Result<(), StoreError> {
        let Unexplained { outcome, setting, cases: range } = unexplained;
        let crowd = matches!(outcome, Outcome::Crashed { .. })
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
        self.suspect(line, target, &exhibit)
    }

    /// The finding that a failure surely belongs to, and represents no better than what does: a crash by its
    /// message, wrong behaviour by a pass that alone is to blame for it.
    fn recognise(
        &self,
        examiner: &Examiner,
        exhibit: &Exhibit,
    ) -> Result<Option<String>, StoreError> {
        let first = examiner.sign(&exhibit.case, &exhibit.breach);
        let signature = if first.is_precise() {
            self.campaign.signature(&first, exhibit, None)
        } else {
            let passes = self.campaign.store.culprits(&first.target)?;
            let passes = passes.iter().map(String::as_str);
            let Some(pass) = culprit::recognise(examiner, exhibit, passes) else {
                return Ok(None);
            };
            self.campaign.signature(&first, exhibit, Some(pass))
        };
        let known = self.campaign.store.finding_of(&signature.key())?;
        Ok(known.filter(|known| !is_better_told_by(known, exhibit)).map(|known| known.id))
    }

    /// Writes a confirmed failure down: as a new finding, as a better representative of one that is
    /// there, or as another sighting.
    fn record(
        &self,
        target: &Arc<dyn Target>,
        examiner: &Examiner,
        signature: Signature,
        culprits: Vec<crate::finding::Culprit>,
        exhibit: Exhibit,
    ) -> Result<(), StoreError> {
        let campaign = self.campaign;
        let _writing = self.docket.writing();
        let existing = campaign.store.finding_of(&signature.key())?;
        if let Some(finding) = &existing
            && !is_better_told_by(finding, &exhibit)
        {
            return self.again(&finding.id, &exhibit, target);
        }
        let existing = existing.map(|brief| campaign.store.finding(&brief.id)).transpose()?;
        let known = campaign.known.matching(&signature);
        let to_be_completed = known.is_none() || campaign.options.all_findings;
        let name = target.name().to_string();
        let finding = Finding {
            id: existing
                .as_ref()
                .map_or_else(|| signature.key()[..8].to_owned(), |it| it.id.clone()),
            progress: if to_be_completed { Progress::Confirmed } else { Progress::Complete },
            version: campaign.versions.get(&name).cloned().unwrap_or_default(),
            first_seen: existing.as_ref().map_or_else(now, |it| it.first_seen),
            sightings: 1,
            signature,
            target: name,
            known,
            culprits,
            faces: vec![],
            original: exhibit,
            reduced: None,
            retold: vec![],
        };
        campaign.store.write_folder(&finding, &replay(examiner, &finding))?;
        if existing.is_some() {
            campaign.store.update_finding(&finding)?;
            self.again(&finding.id, &finding.original, target)?;
        } else {
            campaign.store.add_finding(&finding)?;
            self.counters.found(finding.known.is_some());
            campaign.tell(&Event::Found { finding: finding.clone() });
        }
        if to_be_completed && let Some(line) = campaign.line_of(&finding) {
            self.docket.add(&finding, line);
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
        let ticket = &exhibit.case.ticket;
        let name = target.name().to_string();
        let sighted = self.campaign.store.add_sighting(id, ticket, &name)?;
        if sighted.new {
            self.counters.duplicate();
            self.campaign.tell(&Event::Again {
                id: id.to_owned(),
                ticket: ticket.to_string(),
                sightings: sighted.sightings,
            });
        }
        Ok(())
    }

    fn flaky(
        &self,
        exhibit: &Exhibit,
        target: &Arc<dyn Target>,
        seen: u32,
        tries: u32,
    ) -> Result<(), StoreError> {
        let flaky = Flaky {
            ticket: exhibit.case.ticket.clone(),
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
        Examiner { target: Arc::clone(target), bench: self.bench.clone() }
    }

    pub(super) fn signature(
        &self,
        first: &Signature,
        exhibit: &Exhibit,
        pass: Option<&str>,
    ) -> Signature {
        let only = self.options.all_findings.then(|| exhibit.case.ticket.clone());
        Signature { only, ..first.with_culprit(pass) }
    }

    /// The line of this campaign that a finding belongs to.
    pub(super) fn line_of(&self, finding: &Finding) -> Option<usize> {
        self.lines.iter().position(|line| {
            line.method.name() == finding.ticket().method
                && line.targets.iter().any(|target| target.name().to_string() == finding.target)
        })
    }
}

/// A failure where it is seen best, and its culprits as far as they are known by then. A crash is recognised by
/// its message. Everything else is, as long as its culprit is unknown, the same as anything else: it has to be
/// located before it is compared.
fn located(examiner: &Examiner, exhibit: &Exhibit) -> (Exhibit, Vec<Culprit>) {
    let precise = |exhibit: &Exhibit| examiner.sign(&exhibit.case, &exhibit.breach).is_precise();
    let culprits = |exhibit: &Exhibit| {
        if precise(exhibit) { vec![] } else { culprit::locate(examiner, exhibit) }
    };
    let turns = examiner.takes_turns(&exhibit.case);
    if turns && !precise(exhibit) {
        let culprits = culprits(exhibit);
        // Where the culprit works alone, it can be seen best, and a reduction cannot slide to another.
        if let Some(pass) = culprit::pass(&culprits) {
            let alone = examiner.target.alone(pass).cloned();
            let alone = alone.and_then(|alone| examiner.exhibit(&exhibit.case, &[alone]));
            return (alone.unwrap_or_else(|| exhibit.clone()), culprits);
        }
    }
    // Where the settings take turns, the one whose turn it was says nothing about the bug: the first of all
    // that show it does. Where none of them does, it is an occasional one that showed it.
    let whole = turns
        .then(|| {
            let all = examiner.exhibit(&exhibit.case, examiner.target.settings());
            all.or_else(|| examiner.exhibit(&exhibit.case, &examiner.relevant(exhibit)))
        })
        .flatten();
    let exhibit = whole.unwrap_or_else(|| exhibit.clone());
    let culprits = culprits(&exhibit);
    (exhibit, culprits)
}

/// The representative of a finding is the first ticket that shows it. As long as it is not reduced, an
/// earlier ticket takes its place.
fn is_better_told_by(finding: &Brief, exhibit: &Exhibit) -> bool {
    let (old, new) = (&finding.ticket, &exhibit.case.ticket);
    finding.replaceable
        && (&old.method, old.seed) == (&new.method, new.seed)
        && new.index < old.index
}
