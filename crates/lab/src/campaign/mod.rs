//! The hunt: workers take cases from a source, show them to targets, judge, and follow up what broke its
//! promise.
//!
//! ```text
//! Source ──cases──▶ Case ──observe──▶ [Observation] ──judge──▶ Verdict
//!                                                                │ Broken
//!          Finding ◀── complete ◀── record ◀── diagnose ◀────────┘
//!          (reduced, located)      (confirmed, in the store)
//! ```
//!
//! `source.rs` says where work comes from, `tickets.rs` is the source of drawn cases, `suspect.rs` turns a
//! broken promise into a finding, `pending.rs` has the findings that wait to be completed (which is for
//! `triage::complete`), `tally.rs` counts. A finding is in the store before anyone is told of it, and every
//! step can be cut short by `kill -9`: what was not stored is done again.

mod choice;
mod pending;
mod rehearsed;
mod shard;
mod source;
mod sources;
mod suspect;
mod tally;
mod tickets;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use forge::{Case, Feedback, Method, Reason};
use thiserror::Error;

use crate::event::{Ended, Event, Listener, Started, StartedLine, Summary, Work};
use crate::finding::Exhibit;
use crate::oracle;
use crate::rehearsal::Rehearsal;
use crate::signature::without_scratch;
use crate::stop::Stop;
use crate::store::{LineKey, Store, StoreError};
use crate::target::{Bench, Target, batch};
use crate::triage::complete::{Completed, Completion};
use crate::triage::known::KnownBugs;
use crate::verdict::{Skipped, Verdict};

pub use choice::Choice;
use pending::Pending;
pub use shard::{Shard, ShardError};
pub use source::{Report, Source, SourceProgress};
use sources::{Claim, Sources};
use tally::Counters;

/// One method and the targets of its language that it is pointed at.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "a method has nothing to show")]
pub struct Line {
    pub method: Arc<dyn Method>,
    pub targets: Vec<Arc<dyn Target>>,
    /// Where its cases come from, if not from tickets.
    pub source: Option<Arc<dyn Source>>,
}

impl Line {
    /// A line whose cases are drawn from tickets.
    pub fn drawn(method: Arc<dyn Method>, targets: Vec<Arc<dyn Target>>) -> Self {
        Self { method, targets, source: None }
    }
}

#[derive(Clone, Debug)]
pub struct Options {
    pub seed: u64,
    /// How long to hunt.
    pub time: Option<Duration>,
    /// How long following up what was found may go on after that. Then everything ends.
    pub grace: Duration,
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
    pub store: &'a dyn Store,
    /// The output folder.
    pub out: PathBuf,
    pub bench: Bench,
    pub known: KnownBugs,
    pub listeners: Vec<&'a dyn Listener>,
    pub stop: Stop,
}

/// A hunt that is under way.
struct Hunt<'a> {
    campaign: &'a Campaign<'a>,
    sources: Sources<'a>,
    pending: Pending,
    counters: Counters,
    /// By the name of the method.
    rehearsals: BTreeMap<String, Rehearsal>,
    /// Held while a failure is stored and told, so that listeners hear of a finding in the order in which
    /// it changed: a folder would otherwise be rendered twice at a time, or end with what is out of date.
    order: Mutex<()>,
}

impl Campaign<'_> {
    /// Hunts until the time is up, the cases are done or somebody asks to stop.
    pub fn run(&self) -> Result<Summary, CampaignError> {
        self.recognise_known()?;
        let sources = Sources::new(self)?;
        if let Some(time) = self.options.time {
            self.stop.set_deadline(Instant::now() + time + self.options.grace);
        }
        let pending = Pending::new(self)?;
        let run = self.store.begin_run(&self.options.command)?;
        self.tell(&Event::Started(self.started(&sources)));
        let counters = Counters::new(&self.bench, self.options.jobs, &self.store.findings()?);
        let rehearsal = |line: &Line| {
            let method = line.method.as_ref();
            (method.name().to_owned(), Rehearsal::new(method, self.options.seed))
        };
        let rehearsals = self.lines.iter().map(rehearsal).collect();
        let order = Mutex::default();
        let hunt = Hunt { campaign: self, sources, pending, counters, rehearsals, order };
        let failure = hunt.work_in_threads(run);
        let summary = hunt.summary(run, failure)?;
        self.tell(&Event::Finished(summary.clone()));
        Ok(summary)
    }

    /// Applies the known bugs to what earlier runs found.
    fn recognise_known(&self) -> Result<(), StoreError> {
        for mut finding in self.store.findings()? {
            if self.known.apply(&mut finding) {
                self.store.update(&finding)?;
                self.tell(&Event::Advanced { finding });
            }
        }
        Ok(())
    }

    fn tell(&self, event: &Event) {
        self.listeners.iter().for_each(|listener| listener.hear(event));
    }

    fn warn(&self, message: String) {
        self.tell(&Event::Warning { message });
    }

    fn started(&self, sources: &Sources<'_>) -> Started {
        let line = |(number, line): (usize, &Line)| StartedLine {
            method: line.method.name().to_owned(),
            targets: line.targets.iter().map(|target| target.name().to_string()).collect(),
            done_before: sources.of(number).progress().done_before,
            goal: sources.of(number).progress().goal,
        };
        Started {
            lines: self.lines.iter().enumerate().map(line).collect(),
            seed: self.options.seed,
            shard: self.options.shard.to_string(),
            jobs: self.options.jobs,
            out: self.out.clone(),
            time: self.options.time,
            grace: self.options.grace,
            cases: self.options.cases,
        }
    }

    fn line_key(&self, line: &Line) -> LineKey {
        let mut targets: Vec<String> =
            line.targets.iter().map(|target| target.name().to_string()).collect();
        targets.sort();
        LineKey {
            method: format!("{}.{}", line.method.name(), line.method.revision()),
            seed: self.options.seed,
            shard: self.options.shard.to_string(),
            targets,
        }
    }
}

/// What was learnt from some cases, besides failures.
#[derive(Default)]
struct Judged {
    skipped: BTreeMap<String, u64>,
    feedback: Vec<(Case, Feedback)>,
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
            if let Some(finding) = self.pending.next(&self.sources) {
                self.complete(worker, &finding)?;
            } else if let Some(claim) = self.sources.next() {
                self.hunt(worker, &claim)?;
            } else {
                self.working(worker, || Work::Idle);
                if !self.pending.wait(&self.sources) {
                    break;
                }
            }
            let failures = self.campaign.listeners.iter().filter_map(|it| it.failure());
            if let Some(why) = failures.into_iter().next() {
                self.counters.fail(why);
                self.campaign.stop.set();
            }
        }
        Ok(())
    }

    /// Completes a finding that waits for it.
    fn complete(&self, worker: usize, id: &str) -> Result<(), StoreError> {
        let result = self.complete_one(worker, id);
        self.pending.close();
        result
    }

    fn complete_one(&self, worker: usize, id: &str) -> Result<(), StoreError> {
        let campaign = self.campaign;
        let finding = campaign.store.finding(id)?;
        let Some(line) = campaign.line_of(&finding).map(|line| &campaign.lines[line]) else {
            return Ok(());
        };
        let is_its = |target: &&Arc<dyn Target>| target.name().to_string() == finding.target;
        let Some(target) = line.targets.iter().find(is_its) else { return Ok(()) };
        let completion = Completion {
            store: campaign.store,
            method: line.method.as_ref(),
            examiner: campaign.examiner(target),
            relatives: &campaign.relatives,
            known: &campaign.known,
            all_findings: campaign.options.all_findings,
            jobs: self.pending.hands(campaign.options.jobs, &self.sources),
            reduce_time: campaign.options.reduce_time,
            stop: &campaign.stop,
            tell: &|event| campaign.tell(event),
            working: &|work| self.working(worker, || work.clone()),
        };
        match completion.complete(id)? {
            Completed::Kept => {}
            Completed::Merged(findings) => self.counters.merged(findings),
        }
        Ok(())
    }

    /// Hunts over some work, batch by batch. Work that is cut short is done so far.
    fn hunt(&self, worker: usize, claim: &Claim) -> Result<(), StoreError> {
        let line = &self.campaign.lines[claim.line];
        let source = self.sources.of(claim.line);
        let mut judged = Judged::default();
        let mut done = claim.range.start;
        while done < claim.range.end && !self.is_over() {
            self.working(worker, || Work::Hunting {
                method: line.method.name().to_owned(),
                number: done,
            });
            let end = claim.range.end.min(done + self.sources.batch(claim.line) as u64);
            let cases = source.cases(done..end);
            let mut reached = end;
            for target in &line.targets {
                for batch in batch::portions(target.as_ref(), &cases) {
                    let count = self.judge(worker, line, target, batch, &mut judged)?;
                    if let Some(left) = batch.get(count) {
                        reached = reached.min(left.origin.number());
                        break;
                    }
                }
            }
            self.counters.cases(reached - done);
            done = reached;
            if reached < end {
                break;
            }
        }
        let skipped = judged.skipped.into_iter().collect();
        source.learn(&claim.range, Report { done, skipped, feedback: judged.feedback })?;
        self.pending.wake();
        Ok(())
    }

    /// Shows a batch to a target and follows up what broke its promise. Says how many cases were judged:
    /// all of them, or those before the first that was left when the time was up.
    fn judge(
        &self,
        worker: usize,
        line: &Line,
        target: &Arc<dyn Target>,
        cases: &[Case],
        judged: &mut Judged,
    ) -> Result<usize, StoreError> {
        let shown: Vec<&Case> = cases.iter().collect();
        let bench = &self.campaign.bench;
        let settings = self.campaign.options.choice.settings_for(target.as_ref(), cases);
        let settings = match self.rehearsed(line, target, settings) {
            Ok(settings) => settings,
            Err(why) => {
                cases.iter().for_each(|_| self.counters.skipped());
                *judged.skipped.entry(why).or_default() += cases.len() as u64;
                return Ok(cases.len());
            }
        };
        let is_over = || self.is_over();
        let sightings = batch::observe_until(&is_over, target.as_ref(), &shown, &settings, bench);
        for unexplained in &sightings.unexplained {
            self.crowd(worker, line, target, cases, unexplained)?;
        }
        let complete = sightings.complete;
        let each = cases.iter().zip(sightings.observations).zip(sightings.feedback);
        for (number, ((case, observations), feedback)) in each.take(complete).enumerate() {
            if let Some(feedback) = feedback {
                judged.feedback.push((case.clone(), feedback));
            }
            match oracle::judge(case, &observations) {
                Verdict::Kept => {
                    self.counters.observed(target);
                    self.counters.kept();
                }
                Verdict::Skipped(why) => {
                    self.skip(target, &why, &observations);
                    *judged.skipped.entry(without_scratch(&why.to_string())).or_default() += 1;
                }
                Verdict::Broken(breach) => {
                    let exhibit = Exhibit { case: case.clone(), breach, observations };
                    self.suspect(worker, line, target, exhibit)?;
                    if self.campaign.stop.is_late() {
                        return Ok(number);
                    }
                    self.counters.observed(target);
                    self.counters.broken();
                }
            }
        }
        Ok(complete)
    }

    fn in_order(&self) -> MutexGuard<'_, ()> {
        self.order.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self) -> bool {
        self.campaign.stop.is_set() || self.sources.is_late()
    }

    fn working(&self, worker: usize, work: impl FnOnce() -> Work) {
        self.campaign.tell(&Event::Working { worker, work: work() });
    }

    /// Counts a case that says nothing. A target of which nothing can be observed any more ends the hunt:
    /// going on would look like work and be none.
    fn skip(&self, target: &Arc<dyn Target>, why: &Skipped, observations: &[forge::Observation]) {
        self.counters.skipped();
        if observations.iter().any(|observation| observation.outcome.reason().is_none()) {
            return self.counters.observed(target);
        }
        let name = target.name().to_string();
        let shown = without_scratch(&why.to_string());
        let news = self.counters.unobserved(&name, &shown);
        // The summary has what is beyond a compiler's limits; that is nothing to warn of.
        let is_limit = matches!(why, Skipped::Unobserved(Reason::Limit(_)));
        if news && !is_limit {
            self.campaign.warn(format!("{name}: nothing could be observed: {shown}"));
        }
        if self.counters.is_hopeless(&name) {
            self.counters.fail(format!("{name} cannot be observed any more: {shown}"));
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
                            self.pending.wake();
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
            self.pending.wake();
        }
        failure
    }

    fn tally(&self) -> crate::event::Tally {
        self.counters.tally(
            self.pending.len() as u64,
            self.sources.left(&self.counters),
            self.campaign.stop.left(),
        )
    }

    fn summary(&self, run: i64, failure: Option<StoreError>) -> Result<Summary, CampaignError> {
        let store = self.campaign.store;
        let tally = self.tally();
        let failure = failure.map(|error| error.to_string()).or(self.counters.failure());
        let ended = match failure {
            Some(why) => Ended::Failed(why),
            None if self.campaign.stop.is_asked() => Ended::Interrupted,
            None => self.sources.ended(),
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
