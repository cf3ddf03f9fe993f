//! Completes a finding: reduces it, examines the result under every setting, locates the culprit, restates it in
//! other forms, and merges it with a finding that turns out to be the same bug.

use std::sync::Arc;
use std::time::{Duration, Instant};

use forge::Method;

use super::diagnosis::Diagnosis;
use super::examiner::Examiner;
use super::known::KnownBugs;
use super::locate;
use super::reduce::{Goal, ReductionEnd, reduce};
use super::restate::restate;
use super::verifier_alias::verifier_alias;
use super::versions::locate_version;
use crate::alive2::AliveTv;
use crate::culprit::{self, Culprit};
use crate::event::{Event, Work};
use crate::finding::{CutShort, Exhibit, Finding, Progress, Step};
use crate::signature::Signature;
use crate::stop::Stop;
use crate::store::{Store, StoreError};
use crate::target::{PassId, Target};

/// The share of the remaining time that is kept for the steps after a reduction.
const AFTERWARDS: f64 = 0.25;

/// What is needed to complete a finding.
#[expect(missing_debug_implementations, reason = "a method has nothing to show")]
pub struct Completion<'a> {
    pub store: &'a dyn Store,
    pub method: &'a dyn Method,
    pub examiner: Examiner,
    /// Other versions of the compiler.
    pub relatives: &'a [Arc<dyn Target>],
    pub known: &'a KnownBugs,
    /// Every sighting is a separate finding.
    pub all_findings: bool,
    /// How many candidates are tried at a time.
    pub jobs: usize,
    /// How long the reduction may take.
    pub reduce_time: Duration,
    /// Is asked about refinement failures.
    pub alive_tv: Option<&'a AliveTv>,
    pub stop: &'a Stop,
    /// Receives events.
    pub tell: &'a dyn Fn(&Event),
    /// Receives the current work of the worker.
    pub working: &'a dyn Fn(Work),
}

/// What became of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Completed {
    /// It is complete, or unfinished because time ran out.
    Kept,
    /// This many findings were merged into another.
    Merged(u64),
}

impl Completion<'_> {
    pub fn complete(&self, id: &str) -> Result<Completed, StoreError> {
        let mut finding = self.store.finding(id)?;
        let unstable = finding.original.breach.unstable;
        if unstable && !self.examiner.unstable {
            let examiner = Examiner { unstable, ..self.examiner.clone() };
            return Completion { examiner, ..*self }.complete(id);
        }
        if finding.id != id {
            // It was merged into another finding while it was pending.
            return Ok(Completed::Kept);
        }
        let cut = self.reduce(&mut finding)?;
        if self.stop.is_set() {
            return self.leave(finding);
        }
        (self.working)(Work::Locating { id: id.to_owned() });
        let culprits = self.locate(&mut finding);
        let alias =
            (!self.all_findings).then(|| verifier_alias(&self.examiner, finding.best(), &culprits));
        (self.working)(Work::Restating { id: id.to_owned() });
        let restated = restate(self.method, &self.examiner, finding.best());
        let opinion = self.alive_tv.and_then(|it| it.ask(finding.best(), &self.examiner.bench));
        let shared = self.shared(&finding)?;
        if self.stop.is_set() {
            // The last results may be incomplete, so they are discarded.
            return self.leave(finding);
        }
        let best = Diagnosis::of(&self.examiner, finding.best().clone());
        let best = Diagnosis { culprits, ..best };
        let unstable = best.exhibit.breach.unstable;
        let shape = unstable.then(|| best.exhibit.shape(self.method).fingerprint());
        let passes = shared.unwrap_or_else(|| culprit::blamed(&best.culprits));
        let signature = Signature { shape, ..best.first.with_passes(&passes) };
        finding.signature = self.signature(signature, &finding);
        finding.culprits = best.culprits;
        finding.verifier_aliases = alias.flatten().into_iter().collect();
        finding.restated = restated;
        finding.third_opinion = opinion;
        finding.progress = cut.map_or(Progress::Complete, Progress::Unfinished);
        self.known.apply(&mut finding);
        self.conclude(&finding)
    }

    /// The pass of another stack overflow, if this program overflows the stack in that pass, too: both are one bug.
    fn shared(&self, finding: &Finding) -> Result<Option<Vec<PassId>>, StoreError> {
        let best = finding.best();
        if !best.breach.is_stack_overflow() || self.all_findings {
            return Ok(None);
        }
        let own = &finding.signature;
        let is_like = |other: &Finding| {
            let (its, id) = (&other.signature, &other.id);
            *id != finding.id
                && (&its.target, its.kind, &its.detail) == (&own.target, own.kind, &own.detail)
                && its.passes.len() == 1
                && locate::recognise(&self.examiner, best, &its.passes).is_some()
        };
        let other = self.store.findings()?.into_iter().find(is_like);
        Ok(other.map(|other| other.signature.passes))
    }

    /// If every sighting is a separate finding, the signature contains the origin.
    fn signature(&self, signature: Signature, finding: &Finding) -> Signature {
        let only = self.all_findings.then(|| finding.original.case.origin.clone());
        Signature { only, ..signature }
    }

    /// Stores the intermediate result when the hunt ends.
    fn leave(&self, mut finding: Finding) -> Result<Completed, StoreError> {
        let why = if self.stop.is_asked() { CutShort::Interrupted } else { CutShort::HuntTime };
        finding.progress = Progress::Unfinished(why);
        self.store.update(&finding)?;
        (self.tell)(&Event::Advanced { finding });
        Ok(Completed::Kept)
    }

    /// Reduces the case until it is minimal or time runs out. Returns why it stopped early, if it did.
    fn reduce(&self, finding: &mut Finding) -> Result<Option<CutShort>, StoreError> {
        let before = self.store.last_step(&finding.id)?;
        let (first, start) = match before {
            Some((step, exhibit)) => (step, exhibit),
            None => (Step::default(), finding.best().clone()),
        };
        let id = finding.id.clone();
        (self.working)(Work::Reducing { id: id.clone(), from: start.case.size().0 });
        let original = &finding.original;
        let signature = self.examiner.sign(&original.case, &original.breach);
        let pass = culprit::pass(&finding.culprits);
        let share = self.stop.left().map(|left| left.mul_f64(1.0 - AFTERWARDS));
        let hunt_ends_first = share.is_some_and(|share| share < self.reduce_time);
        let time = share.unwrap_or(self.reduce_time).min(self.reduce_time);
        let goal = Goal {
            method: self.method,
            examiner: &self.examiner,
            signature: &signature,
            pass: pass.map(|pass| &pass.bad),
            with: pass.map(|pass| pass.with.as_slice()).unwrap_or_default(),
            jobs: self.jobs,
            cursor: first.cursor,
            deadline: Some(Instant::now() + time),
        };
        let reduction = reduce(&goal, start, self.stop, |step, exhibit| {
            let step = first.plus(step);
            self.store.add_step(&id, &step, exhibit)?;
            (self.tell)(&Event::Reducing { id: id.clone(), step });
            Ok::<(), StoreError>(())
        })?;
        finding.reduced = Some(reduction.exhibit);
        Ok(match reduction.ended {
            ReductionEnd::Finished => None,
            ReductionEnd::Stopped if self.stop.is_asked() => Some(CutShort::Interrupted),
            ReductionEnd::Stopped => Some(CutShort::HuntTime),
            ReductionEnd::Late if hunt_ends_first => Some(CutShort::HuntTime),
            ReductionEnd::Late => Some(CutShort::ReduceTime),
        })
    }

    /// Examines the smallest case under every setting, and bisects passes, options and versions.
    fn locate(&self, finding: &mut Finding) -> Vec<Culprit> {
        let examiner = &self.examiner;
        let settings = examiner.settings(&finding.best().breach);
        let fresh = examiner.exhibit(&finding.best().case, &settings);
        if let (Some(fresh), Some(reduced)) = (fresh, &mut finding.reduced) {
            *reduced = Exhibit { case: reduced.case.clone(), ..fresh };
        }
        let mut culprits = locate::locate(examiner, finding.best());
        // An earlier culprit that still fails alone remains the culprit, even if another pass fails, too.
        let before = culprit::pass(&finding.culprits).filter(|pass| pass.with.is_empty());
        let now = culprit::pass(&culprits).map(|pass| &pass.bad);
        if let Some(before) = before.filter(|before| now != Some(&before.bad)) {
            let alone = examiner.alone(&before.bad).into_iter();
            let mut seen = alone.filter_map(|it| examiner.exhibit(&finding.best().case, &[it]));
            let located = seen.next().map(|seen| locate::locate(examiner, &seen));
            culprits = located.filter(|located| !located.is_empty()).unwrap_or(culprits);
        }
        culprits.extend(locate_version(examiner, finding.best(), self.relatives));
        culprits
    }

    /// Stores the finding, or merges it with one that turned out to be the same bug.
    fn conclude(&self, finding: &Finding) -> Result<Completed, StoreError> {
        let concluded = self.store.conclude(finding, &stays_before)?;
        for (id, into) in &concluded.merged {
            (self.tell)(&Event::Merged { id: id.clone(), into: into.clone() });
        }
        if let Some(finding) = concluded.finding {
            (self.tell)(&Event::Advanced { finding: *finding });
        }
        Ok(match concluded.merged.len() as u64 {
            0 => Completed::Kept,
            merged => Completed::Merged(merged),
        })
    }
}

/// Whether a finding is kept when another is the same bug. The one with the earlier origin is kept, whichever was
/// completed first, unless the other was reduced to less than half its size.
fn stays_before(one: &Finding, other: &Finding) -> bool {
    let is_first = (one.origin(), &one.id) < (other.origin(), &other.id);
    let (first, second) = if is_first { (one, other) } else { (other, one) };
    let complete = [first, second].iter().all(|it| it.progress == Progress::Complete);
    let size = |finding: &Finding| finding.best().case.size().0;
    let is_better = complete && size(second) < size(first) / 2;
    is_first != is_better
}
