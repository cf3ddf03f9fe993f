//! The hunt: workers claim ranges of tickets, make cases, show them to targets, judge, and follow up
//! what broke its promise.
//!
//! ```text
//! Ticket ──make──▶ Case ──observe──▶ [Observation] ──judge──▶ Verdict
//!                                                               │ Broken
//!          Finding ◀── complete ◀── record ◀── suspect ◀────────┘
//!          (reduced, bisected)     (confirmed, on disk)
//! ```
//!
//! `claims.rs` hands out tickets, `suspect.rs` turns a broken promise into a finding, `complete.rs`
//! reduces and bisects it, `tally.rs` counts. A finding is on disk before anyone is told of it, and
//! every step can be cut short by `kill -9`: what was not written is done again.

mod choice;
mod claims;
mod complete;
mod docket;
mod shard;
mod suspect;
mod tally;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forge::{Case, Method, Ticket};
use thiserror::Error;

use crate::event::{Ended, Event, Listener, Started, StartedLine, Summary};
use crate::finding::Exhibit;
use crate::stop::Stop;
use crate::store::{LineKey, Store, StoreError};
use crate::target::failure::is_limit;
use crate::target::{Bench, Target};
use crate::triage::known::KnownBugs;
use crate::verdict::Verdict;
use crate::{batch, oracle};

pub use choice::Choice;
use claims::{Claim, Claims};
use docket::Docket;
pub use shard::{Shard, ShardError};
use tally::Counters;

/// One method and the targets of its language that it is pointed at.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "a method has nothing to show")]
pub struct Line {
    pub method: Arc<dyn Method>,
    pub targets: Vec<Arc<dyn Target>>,
}

#[derive(Clone, Debug)]
pub struct Options {
    pub seed: u64,
    /// How long to hunt; following up what was found is not cut off by it.
    pub time: Option<Duration>,
    /// How many cases of each line there are to be in the end, earlier runs included.
    pub cases: Option<u64>,
    pub jobs: usize,
    pub shard: Shard,
    /// The settings to hunt under.
    pub choice: Choice,
    /// Make every sighting a finding of its own, and treat known bugs like others.
    pub all_findings: bool,
    /// How long the reduction of one finding may take.
    pub reduce_time: Duration,
    /// What the user typed, for the record.
    pub command: String,
    /// Complete no finding but this one.
    pub only: Option<String>,
}

#[derive(Debug, Error)]
pub enum CampaignError {
    #[error(transparent)]
    Store(#[from] StoreError),
}

#[expect(missing_debug_implementations, reason = "a method has nothing to show")]
pub struct Campaign<'a> {
    pub lines: Vec<Line>,
    /// Other versions of the compilers, for bisection.
    pub relatives: Vec<Arc<dyn Target>>,
    /// What the compilers say of their versions, by the name of the target.
    pub versions: BTreeMap<String, String>,
    pub options: Options,
    pub store: &'a Store,
    pub bench: Bench,
    pub known: KnownBugs,
    pub listeners: Vec<&'a dyn Listener>,
    pub stop: Stop,
}

/// A hunt that is under way.
struct Hunt<'a> {
    campaign: &'a Campaign<'a>,
    claims: Claims,
    docket: Docket,
    counters: Counters,
}

impl Campaign<'_> {
    /// Hunts until the time is up, the cases are done or somebody asks to stop.
    pub fn run(&self) -> Result<Summary, CampaignError> {
        let claims = Claims::new(self)?;
        let docket = Docket::new(self)?;
        let run = self.store.begin_run(&self.options.command)?;
        self.tell(&Event::Started(self.started(&claims)));
        let counters = Counters::new(&self.bench, self.options.jobs, &self.store.findings()?);
        let hunt = Hunt { campaign: self, claims, docket, counters };
        let failure = hunt.work_in_threads(run);
        let summary = hunt.summary(run, failure)?;
        self.tell(&Event::Finished(summary.clone()));
        Ok(summary)
    }

    fn tell(&self, event: &Event) {
        self.listeners.iter().for_each(|listener| listener.hear(event));
    }

    fn warn(&self, message: String) {
        self.tell(&Event::Warning { message });
    }

    fn started(&self, claims: &Claims) -> Started {
        let line = |(number, line): (usize, &Line)| StartedLine {
            method: line.method.name().to_owned(),
            targets: line.targets.iter().map(|target| target.name().to_string()).collect(),
            done_before: claims.done_before(number),
            goal: claims.goal(number),
        };
        Started {
            lines: self.lines.iter().enumerate().map(line).collect(),
            seed: self.options.seed,
            shard: self.options.shard.to_string(),
            jobs: self.options.jobs,
            out: self.store.out().to_owned(),
            time: self.options.time,
            cases: self.options.cases,
        }
    }

    fn line_key(&self, line: &Line) -> LineKey {
        let mut targets: Vec<String> =
            line.targets.iter().map(|target| target.name().to_string()).collect();
        targets.sort();
        LineKey {
            method: line.method.name().to_owned(),
            seed: self.options.seed,
            shard: self.options.shard.to_string(),
            targets,
        }
    }
}

/// Ends the hunt when a worker panics, instead of when the others are done.
struct StopOnPanic<'a>(&'a Stop);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.set();
        }
    }
}

impl Hunt<'_> {
    /// What a worker does: it completes what was found before it looks for more.
    fn work(&self, worker: usize) -> Result<(), StoreError> {
        while !self.campaign.stop.is_set() {
            if let Some(finding) = self.docket.next(&self.claims) {
                self.complete(worker, &finding)?;
            } else if let Some(claim) = self.claims.next() {
                self.hunt(worker, &claim)?;
            } else if !self.docket.wait(&self.claims) {
                break;
            }
        }
        Ok(())
    }

    /// Hunts over a range of tickets, batch by batch. A range that is cut short is done so far.
    fn hunt(&self, worker: usize, claim: &Claim) -> Result<(), StoreError> {
        let line = &self.campaign.lines[claim.line];
        self.working(worker, || format!("{} {}", line.method.name(), claim.range.start));
        let mut skipped: BTreeMap<String, u64> = BTreeMap::new();
        let mut done = claim.range.start;
        while done < claim.range.end && !self.is_over() {
            let end = claim.range.end.min(done + self.claims.batch_size(claim.line) as u64);
            let tickets = (done..end).map(|index| self.ticket(line, index));
            let cases: Vec<Case> = tickets.filter_map(|ticket| line.method.make(&ticket)).collect();
            let mut reached = end;
            for target in &line.targets {
                for batch in batch::portions(target.as_ref(), &cases) {
                    let judged = self.judge(line, target, batch, &mut skipped)?;
                    if let Some(left) = batch.get(judged) {
                        reached = reached.min(left.ticket.index);
                        break;
                    }
                }
            }
            self.counters.cases(reached - done);
            done = reached;
        }
        let skipped: Vec<(String, u64)> = skipped.into_iter().collect();
        self.claims.finish(self.campaign.store, claim, done, &skipped)?;
        self.docket.wake();
        Ok(())
    }

    /// Shows a batch to a target and follows up what broke its promise. Says how many cases were judged:
    /// all of them, or those before the first that was left when the time was up.
    fn judge(
        &self,
        line: &Line,
        target: &Arc<dyn Target>,
        cases: &[Case],
        skipped: &mut BTreeMap<String, u64>,
    ) -> Result<usize, StoreError> {
        let shown: Vec<&Case> = cases.iter().collect();
        let bench = &self.campaign.bench;
        let settings = self.campaign.options.choice.settings_for(target.as_ref(), cases);
        let is_over = || self.is_over();
        let sightings = batch::observe_until(&is_over, target.as_ref(), &shown, &settings, bench);
        for unexplained in &sightings.unexplained {
            self.crowd(line, target, cases, unexplained)?;
        }
        let complete = sightings.complete;
        for (case, observations) in cases.iter().zip(sightings.observations).take(complete) {
            match oracle::judge(case, &observations) {
                Verdict::Kept => {
                    self.counters.observed(target);
                    self.counters.kept();
                }
                Verdict::Skipped(why) => {
                    self.skip(target, &why, &observations);
                    *skipped.entry(why).or_default() += 1;
                }
                Verdict::Broken(breach) => {
                    self.counters.observed(target);
                    self.counters.broken();
                    let exhibit = Exhibit { case: case.clone(), breach, observations };
                    self.suspect(line, target, &exhibit)?;
                }
            }
        }
        Ok(complete)
    }

    fn ticket(&self, line: &Line, index: u64) -> Ticket {
        Ticket::new(line.method.name(), self.campaign.options.seed, index)
    }

    fn is_over(&self) -> bool {
        self.campaign.stop.is_set() || self.claims.is_late()
    }

    fn working(&self, worker: usize, what: impl FnOnce() -> String) {
        self.campaign.tell(&Event::Working { worker, what: what() });
    }

    /// Counts a case that says nothing. A target of which nothing can be learnt any more ends the hunt:
    /// going on would look like work and be none.
    fn skip(&self, target: &Arc<dyn Target>, why: &str, observations: &[forge::Observation]) {
        self.counters.skipped();
        let unobserved = |observation: &forge::Observation| {
            matches!(observation.outcome, forge::Outcome::Unobserved { .. })
        };
        if !observations.iter().all(unobserved) {
            return self.counters.observed(target);
        }
        let name = target.name().to_string();
        // The summary has what is beyond a compiler's limits; that is nothing to warn of.
        if self.counters.unobserved(&name, why) && !is_limit(why) {
            self.campaign.warn(format!("{name}: nothing could be observed: {why}"));
        }
        if self.counters.is_hopeless(&name) {
            self.counters.fail(format!("{name} cannot be observed any more: {why}"));
            self.campaign.stop.set();
        }
    }

    /// Starts the workers and the clock, and waits for them. Says why it failed, if it did.
    fn work_in_threads(&self, run: i64) -> Option<StoreError> {
        let (finished, is_finished) = crossbeam_channel::bounded::<()>(0);
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..self.campaign.options.jobs)
                .map(|worker| {
                    scope.spawn(move || {
                        let _stop = StopOnPanic(&self.campaign.stop);
                        let result = self.work(worker);
                        if result.is_err() {
                            self.campaign.stop.set();
                            self.docket.wake();
                        }
                        result
                    })
                })
                .collect();
            let clock = scope.spawn(move || self.keep_time(run, &is_finished));
            let mut failure = None;
            let mut panic = None;
            for worker in workers {
                match worker.join() {
                    Ok(result) => failure = failure.or(result.err()),
                    Err(payload) => panic = Some(payload),
                }
            }
            drop(finished);
            let clock = clock.join();
            if let Some(payload) = panic.or(clock.as_ref().err().map(|_| Box::new("clock") as _)) {
                std::panic::resume_unwind(payload);
            }
            failure.or(clock.ok().flatten())
        })
    }

    /// Tells twice a second how far it is, and writes it down every other second.
    fn keep_time(
        &self,
        run: i64,
        finished: &crossbeam_channel::Receiver<()>,
    ) -> Option<StoreError> {
        let mut written = Instant::now();
        let mut failure = None;
        while finished.recv_timeout(Duration::from_millis(500))
            == Err(crossbeam_channel::RecvTimeoutError::Timeout)
        {
            let tally = self.tally();
            self.campaign.tell(&Event::Progress(tally.clone()));
            if written.elapsed() >= Duration::from_secs(2) && failure.is_none() {
                written = Instant::now();
                failure = self.campaign.store.sample(run, &tally).err();
            }
            // Those who wait look whether the time is up.
            self.docket.wake();
        }
        failure
    }

    fn tally(&self) -> crate::event::Tally {
        self.counters.tally(self.docket.len() as u64, self.claims.left(&self.counters))
    }

    fn summary(&self, run: i64, failure: Option<StoreError>) -> Result<Summary, CampaignError> {
        let store = self.campaign.store;
        let tally = self.tally();
        let failure = failure.map(|error| error.to_string()).or(self.counters.failure());
        let ended = match failure {
            Some(why) => Ended::Failed(why),
            None if self.campaign.stop.is_set() => Ended::Interrupted,
            None => self.claims.ended(),
        };
        let written = store.end_run(run, &tally, &ended);
        if !matches!(ended, Ended::Failed(_)) {
            // After a failure it is no news that nothing can be written.
            written?;
        }
        Ok(Summary {
            tally,
            ended,
            skipped: store.skipped()?,
            findings: store.findings()?,
            flaky: store.flaky()?,
        })
    }
}
