//! The counters of a hunt. Everything here is cheap enough to be called for every case.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::event::Tally;
use crate::exec::Runner;
use crate::finding::Finding;
use crate::growth::Growth;
use crate::target::{Bench, Target};

/// The hunt ends if a target could not be observed in this many consecutive cases.
const MAX_UNOBSERVED: u64 = 50;

/// They must be of so many batches: a batch has up to hundreds of cases, and one that is lost as a whole says nothing
/// about the next.
const MIN_BATCHES: u64 = 2;

/// Consecutive cases of a target in which nothing was observed.
#[derive(Clone, Copy, Default)]
struct Streak {
    cases: u64,
    /// How many batches they are of.
    batches: u64,
    /// The number of the last of these.
    batch: u64,
}

impl Streak {
    fn add(&mut self, batch: u64) {
        self.cases += 1;
        self.batches += u64::from(self.batch != batch);
        self.batch = batch;
    }

    fn ends_hunt(self) -> bool {
        self.cases >= MAX_UNOBSERVED && self.batches >= MIN_BATCHES
    }
}

pub(super) struct Counters {
    began: Instant,
    jobs: usize,
    runner: Runner,
    /// The figures of the runner's meter before this hunt.
    runs_before: u64,
    waiting_before: Duration,
    cases: AtomicU64,
    kept: AtomicU64,
    skipped: AtomicU64,
    broken: AtomicU64,
    duplicates: AtomicU64,
    flaky: AtomicU64,
    known: AtomicU64,
    findings: AtomicU64,
    /// Of each target.
    unobserved: Mutex<BTreeMap<String, Streak>>,
    batches: AtomicU64,
    /// Targets and reasons that were already reported.
    reported: Mutex<BTreeSet<(String, String)>>,
    failure: Mutex<Option<String>>,
    /// When this run last found something new.
    last_found: Mutex<Option<Instant>>,
}

impl Counters {
    pub(super) fn new(bench: &Bench, jobs: usize, findings: &[Finding]) -> Self {
        let known = findings.iter().filter(|finding| finding.known.is_some()).count();
        let meter = bench.runner.meter();
        Self {
            began: Instant::now(),
            jobs,
            runs_before: meter.runs(),
            waiting_before: meter.wall(),
            runner: bench.runner.clone(),
            cases: AtomicU64::new(0),
            kept: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
            broken: AtomicU64::new(0),
            duplicates: AtomicU64::new(0),
            flaky: AtomicU64::new(0),
            known: AtomicU64::new(known as u64),
            findings: AtomicU64::new(findings.len() as u64),
            unobserved: Mutex::default(),
            batches: AtomicU64::new(0),
            reported: Mutex::default(),
            failure: Mutex::default(),
            last_found: Mutex::default(),
        }
    }

    pub(super) fn cases(&self, count: u64) {
        self.cases.fetch_add(count, Ordering::Relaxed);
    }

    pub(super) fn kept(&self) {
        self.kept.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn skipped(&self) {
        self.skipped.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn broken(&self) {
        self.broken.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn duplicate(&self) {
        self.duplicates.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn flaky(&self) {
        self.flaky.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn found(&self, known: bool) {
        *self.last_found.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        self.findings.fetch_add(1, Ordering::Relaxed);
        if known {
            self.known.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// A finding turned out to be known.
    pub(super) fn known(&self) {
        self.known.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn merged(&self, findings: u64) {
        self.findings.fetch_sub(findings, Ordering::Relaxed);
    }

    /// A case of this target was observed.
    pub(super) fn observed(&self, target: &Arc<dyn Target>) {
        let mut unobserved = self.unobserved.lock().unwrap_or_else(PoisonError::into_inner);
        if !unobserved.is_empty() {
            unobserved.remove(&target.name().to_string());
        }
    }

    /// The number of a new batch.
    pub(super) fn batch(&self) -> u64 {
        1 + self.batches.fetch_add(1, Ordering::Relaxed)
    }

    /// Nothing was observed in a case of this target and batch, by a fault of the environment or not. Returns whether
    /// the reason is new.
    pub(super) fn unobserved(
        &self,
        target: &str,
        batch: u64,
        why: &str,
        is_environment: bool,
    ) -> bool {
        if is_environment {
            let mut unobserved = self.unobserved.lock().unwrap_or_else(PoisonError::into_inner);
            unobserved.entry(target.to_owned()).or_default().add(batch);
        }
        let mut reported = self.reported.lock().unwrap_or_else(PoisonError::into_inner);
        reported.insert((target.to_owned(), why.to_owned()))
    }

    /// Whether too many consecutive cases of this target could not be observed.
    pub(super) fn is_unobservable(&self, target: &str) -> bool {
        let unobserved = self.unobserved.lock().unwrap_or_else(PoisonError::into_inner);
        unobserved.get(target).is_some_and(|streak| streak.ends_hunt())
    }

    pub(super) fn fail(&self, why: String) {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(why);
    }

    pub(super) fn failure(&self) -> Option<String> {
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The remaining time until `goal` cases are done, at the rate so far.
    pub(super) fn time_for(&self, goal: u64) -> Option<Duration> {
        let done = self.cases.load(Ordering::Relaxed);
        let elapsed = self.began.elapsed();
        if done == 0 {
            return None;
        }
        let rest = goal.saturating_sub(done) as f64;
        Some(elapsed.mul_f64(rest / done as f64))
    }

    pub(super) fn tally(
        &self,
        unfinished: u64,
        left: Option<Duration>,
        hard_end: Option<Duration>,
        growth: Option<Growth>,
    ) -> Tally {
        let last_found = *self.last_found.lock().unwrap_or_else(PoisonError::into_inner);
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let elapsed = self.began.elapsed();
        let meter = self.runner.meter();
        Tally {
            elapsed,
            cases: read(&self.cases),
            kept: read(&self.kept),
            skipped: read(&self.skipped),
            broken: read(&self.broken),
            duplicates: read(&self.duplicates),
            flaky: read(&self.flaky),
            known: read(&self.known),
            findings: read(&self.findings),
            unfinished,
            runs: meter.runs() - self.runs_before,
            in_compilers: meter.wall().saturating_sub(self.waiting_before),
            in_workers: elapsed * self.jobs as u32,
            left,
            at_most: hard_end,
            since_found: last_found.map(|at| at.elapsed()),
            growth,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_lost_batch_does_not_end_a_hunt_whatever_its_size() {
        let mut streak = Streak::default();
        (0..800).for_each(|_| streak.add(1));
        assert!(!streak.ends_hunt());
        streak.add(2);
        assert!(streak.ends_hunt());
        let mut short = Streak::default();
        (1..50).for_each(|batch| short.add(batch));
        assert!(!short.ends_hunt());
    }
}
