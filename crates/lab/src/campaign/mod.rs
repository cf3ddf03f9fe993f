//! The hunt loop: workers take cases from a source, compile and run them on targets, judge the observations,
//! and follow up broken promises.
//!
//! ```text
//! Source ──cases──▶ Case ──observe──▶ [Observation] ──judge──▶ Verdict
//!                                                                │ Broken
//!          Finding ◀── complete ◀── record ◀── diagnose ◀────────┘
//!          (reduced, located)      (confirmed, in the store)
//! ```
//!
//! `source.rs` defines where work comes from, `tickets.rs` is the source of generated cases, `generations/` that of a
//! corpus that grows by feedback, `follow_up.rs`
//! turns a broken promise into a finding, `pending.rs` queues findings for `triage::complete`, `tally.rs`
//! counts. A finding is stored before its event is emitted. A `kill -9` is safe at any point: work that was
//! not stored is repeated.

mod choice;
mod compilers;
mod follow_up;
pub mod generations;
mod pending;
mod rehearsed;
mod shard;
mod source;
mod sources;
mod tally;
mod tickets;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use forge::{Case, Feedback, Method, Reason};
use thiserror::Error;

use crate::alive2::AliveTv;
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
use compilers::Compilers;
use pending::Pending;
pub use shard::{Shard, ShardError};
pub use source::{Fate, Report, Source, SourceProgress};
use sources::{Assignment, Sources};
use tally::Counters;

/// One method and the targets that its cases are compiled with.
#[derive(Clone)]
#[expect(missing_debug_implementations, reason = "methods do not implement Debug")]
pub struct Line {
    pub method: Arc<dyn Method>,
    pub targets: Vec<Arc<dyn Target>>,
    /// The source of its cases, if not tickets.
    pub source: Option<Arc<dyn Source>>,
    /// Whether its cases may be derived from earlier ones, where the target measures coverage.
    pub grows: bool,
}

impl Line {
    /// A line whose cases are generated from tickets.
    pub fn drawn(method: Arc<dyn Method>, targets: Vec<Arc<dyn Target>>) -> Self {
        Self { method, targets, source: None, grows: false }
    }

    /// A line of a method with a corpus, which grows where the target measures coverage.
    pub fn grown(method: Arc<dyn Method>, target: Arc<dyn Target>) -> Self {
        Self { grows: true, ..Self::drawn(method, vec![target]) }
    }
}

/// What a user can choose about a hunt.
#[derive(Clone, Debug)]
pub struct Options {
    pub seed: u64,
    /// The time budget for hunting.
    pub time: Option<Duration>,
    /// How long the follow-up of findings may continue after the time budget.
    pub grace: Duration,
    /// The number of cases per line to reach, including those of earlier runs.
    pub cases: Option<u64>,
    pub jobs: usize,
    pub shard: Shard,
    /// The settings to use.
    pub choice: Choice,
    /// Do not deduplicate, and complete known bugs like new ones.
    pub all_findings: bool,
    /// The time limit for reducing one finding.
    pub reduce_time: Duration,
    /// Is asked about refinement failures, where a user named one.
    pub alive_tv: Option<AliveTv>,
    /// The command line, for the record.
    pub command: String,
}

/// Why a hunt failed.
#[derive(Debug, Error)]
pub enum CampaignError {
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A hunt: its lines of work, its options and its store.
#[expect(missing_debug_implementations, reason = "methods do not implement Debug")]
pub struct Campaign<'a> {
    pub lines: Vec<Line>,
    /// Other versions of the compilers, for bisection.
    pub relatives: Vec<Arc<dyn Target>>,
    /// The version texts that the compilers print, by target name.
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

/// A running hunt.
struct Hunt<'a> {
    campaign: &'a Campaign<'a>,
    sources: Sources<'a>,
    compilers: Compilers,
    pending: Pending,
    counters: Counters,
    /// By the name of the method.
    rehearsals: BTreeMap<String, Rehearsal>,
    /// Held while a failure is stored and its event is emitted, so that listeners get the events of a finding
    /// in the order of its changes. Otherwise a folder could be rendered concurrently, or end up outdated.
    order: Mutex<()>,
}

impl Campaign<'_> {
    /// Hunts until the time is up, the cases are done or the user interrupts.
    pub fn run(&self) -> Result<Summary, CampaignError> {
        self.apply_known_bugs()?;
        let sources = Sources::new(self)?;
        if let Some(time) = self.options.time {
            let deadline = Instant::now() + time + self.options.grace;
            self.stop.set_deadline(deadline);
        }
        self.bench.runner.end_with(&self.stop);
        let pending = Pending::new(self)?;
        let run = self.store.begin_run(&self.options.command)?;
        self.emit(&Event::Started(self.started(&sources)));
        let earlier = self.store.findings()?;
        let counters = Counters::new(&self.bench, self.options.jobs, &earlier);
        let rehearsal = |line: &Line| {
            let method = line.method.as_ref();
            (method.name().to_owned(), Rehearsal::new(method, self.options.seed))
        };
        let rehearsals = self.lines.iter().map(rehearsal).collect();
        let order = Mutex::default();
        let compilers = Compilers::of(&self.lines);
        let hunt =
            Hunt { campaign: self, sources, compilers, pending, counters, rehearsals, order };
        let mut failure = hunt.work_in_threads(run);
        if !hunt.has_other_compilers() && failure.is_none() {
            failure = hunt.confirm_again(&earlier).err();
        }
        let summary = hunt.summary(run, failure)?;
        self.emit(&Event::Finished(summary.clone()));
        Ok(summary)
    }

    /// Applies the known-bug entries to the findings of earlier runs.
    fn apply_known_bugs(&self) -> Result<(), StoreError> {
        for mut finding in self.store.findings()? {
            if self.known.apply(&mut finding) {
                self.store.update(&finding)?;
                self.emit(&Event::Advanced { finding });
            }
        }
        Ok(())
    }

    fn emit(&self, event: &Event) {
        self.listeners.iter().for_each(|listener| listener.hear(event));
    }

    fn warn(&self, message: String) {
        self.emit(&Event::Warning { message });
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

/// Results of judged cases, other than failures.
#[derive(Default)]
struct Judged {
    skipped: BTreeMap<String, u64>,
    feedback: Vec<(Case, Feedback)>,
    /// Only for sources with a pool.
    fates: Vec<(Case, Fate)>,
}

/// Whether a compiler accepted the program.
fn is_accepted(outcome: &forge::Outcome) -> bool {
    matches!(
        outcome,
        forge::Outcome::Accepted | forge::Outcome::Ran(_) | forge::Outcome::Checked(_)
    )
}

/// Stops the other workers as soon as one panics.
struct StopOnPanic<'a>(&'a Stop);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.set();
        }
    }
}

impl Hunt<'_> {
    /// The loop of a worker. It completes pending findings before it takes new cases.
    fn work(&self, worker: usize) -> Result<(), StoreError> {
        while !self.campaign.stop.is_set() {
            if let Some(finding) = self.pending.next(&self.sources) {
                self.complete(worker, &finding)?;
            } else if let Some(assignment) = self.sources.next() {
                self.hunt(worker, &assignment)?;
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

    /// Completes a pending finding.
    fn complete(&self, worker: usize, id: &str) -> Result<(), StoreError> {
        let result = self.complete_one(worker, id);
        self.pending.close();
        result
    }

    fn complete_one(&self, worker: usize, id: &str) -> Result<(), StoreError> {
        let campaign = self.campaign;
        if self.has_other_compilers() {
            return Ok(());
        }
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
            jobs: self.pending.available_workers(campaign.options.jobs, &self.sources),
            reduce_time: campaign.options.reduce_time,
            alive_tv: campaign.options.alive_tv.as_ref(),
            stop: &campaign.stop,
            tell: &|event| campaign.emit(event),
            working: &|work| {
                // What another compiler does with smaller programs is no reduction. It ends as unfinished.
                self.has_other_compilers();
                self.working(worker, || work.clone());
            },
        };
        match completion.complete(id)? {
            Completed::Kept => {}
            Completed::Merged(findings) => self.counters.merged(findings),
        }
        Ok(())
    }

    /// Works through an assignment, batch by batch. If it is interrupted, the judged cases count as done.
    fn hunt(&self, worker: usize, assignment: &Assignment) -> Result<(), StoreError> {
        let line = &self.campaign.lines[assignment.line];
        let source = self.sources.of(assignment.line);
        let mut judged = Judged::default();
        let mut done = assignment.range.start;
        while done < assignment.range.end && !self.is_over() {
            self.working(worker, || Work::Hunting {
                method: line.method.name().to_owned(),
                number: done,
            });
            let batch = self.sources.batch(assignment.line) as u64;
            let end = assignment.range.end.min(done + batch);
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
        let (feedback, judged) = (judged.feedback, judged.fates);
        source.learn(&assignment.range, Report { done, skipped, feedback, judged })?;
        self.pending.wake();
        Ok(())
    }

    /// Compiles and runs a batch on a target and follows up broken promises. Returns how many cases were
    /// judged: all, or those before the first one that was left over when the time was up.
    fn judge(
        &self,
        worker: usize,
        line: &Line,
        target: &Arc<dyn Target>,
        cases: &[Case],
        judged: &mut Judged,
    ) -> Result<usize, StoreError> {
        let batch: Vec<&Case> = cases.iter().collect();
        let bench = &self.campaign.bench;
        let settings = self.campaign.options.choice.settings_for(target.as_ref(), cases);
        let settings = match self.rehearsed(line, target, settings) {
            Ok(settings) => settings,
            Err(_) if self.campaign.stop.is_late() => return Ok(0),
            Err(why) => {
                cases.iter().for_each(|_| self.counters.skipped());
                *judged.skipped.entry(why).or_default() += cases.len() as u64;
                return Ok(cases.len());
            }
        };
        let is_over = || self.is_over();
        let sightings = batch::observe_until(&is_over, target.as_ref(), &batch, &settings, bench);
        if self.campaign.stop.is_late() || self.has_other_compilers() {
            // Some of it was not run any more, or by another compiler. It will be repeated.
            return Ok(0);
        }
        for unexplained in &sightings.unexplained {
            self.follow_up_batch(worker, line, target, cases, unexplained)?;
        }
        let complete = sightings.complete;
        let batch_number = self.counters.batch();
        let each = cases.iter().zip(sightings.observations).zip(sightings.feedback);
        for (number, ((case, observations), feedback)) in each.take(complete).enumerate() {
            if let Some(feedback) = feedback {
                judged.feedback.push((case.clone(), feedback));
            }
            let fate = match oracle::judge(case, &observations) {
                Verdict::Kept => {
                    self.counters.observed(target);
                    self.counters.kept();
                    match observations.iter().any(|it| is_accepted(&it.outcome)) {
                        true => Fate::Accepted,
                        false => Fate::Rejected,
                    }
                }
                Verdict::Skipped(why) => {
                    self.skip(target, batch_number, &why, &observations);
                    *judged.skipped.entry(without_scratch(&why.to_string())).or_default() += 1;
                    Fate::Skipped
                }
                // The case is not done.
                Verdict::Broken(_) if self.has_other_compilers() => return Ok(number),
                Verdict::Broken(breach) => {
                    let exhibit = Exhibit { case: case.clone(), breach, observations };
                    let signature = self.follow_up(worker, line, target, exhibit)?;
                    if self.campaign.stop.is_late() || self.has_other_compilers() {
                        return Ok(number);
                    }
                    self.counters.observed(target);
                    self.counters.broken();
                    Fate::Failed(signature)
                }
            };
            if line.grows {
                judged.fates.push((case.clone(), fate));
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
        self.campaign.emit(&Event::Working { worker, work: work() });
    }

    /// Whether a compiler was replaced since the hunt began. If so, the hunt ends.
    fn has_other_compilers(&self) -> bool {
        let Some(why) = self.compilers.changed() else { return false };
        self.counters.fail(why);
        self.campaign.stop.set();
        true
    }

    /// Counts a skipped case. Ends the hunt if the target can no longer be observed at all: continuing would
    /// test nothing.
    fn skip(
        &self,
        target: &Arc<dyn Target>,
        batch: u64,
        why: &Skipped,
        observations: &[forge::Observation],
    ) {
        self.counters.skipped();
        if observations.iter().any(|observation| observation.outcome.reason().is_none()) {
            return self.counters.observed(target);
        }
        let name = target.name().to_string();
        let reason = without_scratch(&why.to_string());
        // A version may lack what a whole batch needs, and still have all that the next one needs.
        let is_environment = matches!(why, Skipped::Unobserved(Reason::Environment(_)));
        let is_new = self.counters.unobserved(&name, batch, &reason, is_environment);
        // Documented limits of a compiler are in the summary and need no warning.
        let is_limit = matches!(why, Skipped::Unobserved(Reason::Limit(_)));
        if is_new && !is_limit {
            self.campaign.warn(format!("{name}: a case is skipped: {reason}"));
        }
        if self.counters.is_unobservable(&name) {
            self.counters.fail(format!("{name} cannot be observed any more: {reason}"));
            self.campaign.stop.set();
        }
    }

    /// Starts the workers and the timer, and waits for them. Returns the first error of the store.
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
            let timer = scope.spawn(move || self.report_progress(run, &is_finished));
            let mut failure = None;
            let mut panic = None;
            for worker in workers {
                match worker.join() {
                    Ok(result) => failure = failure.or(result.err()),
                    Err(payload) => panic = Some(payload),
                }
            }
            drop(finished);
            let timer = timer.join();
            if let Some(payload) = panic.or(timer.as_ref().err().map(|_| Box::new("timer") as _)) {
                std::panic::resume_unwind(payload);
            }
            failure.or(timer.ok().flatten())
        })
    }

    /// Emits the progress twice a second, and stores it every two seconds.
    fn report_progress(
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
            self.campaign.emit(&Event::Progress(tally.clone()));
            if written.elapsed() >= Duration::from_secs(2) && failure.is_none() {
                written = Instant::now();
                failure = self.campaign.store.sample(run, &tally).err();
            }
            // Waiting workers check whether the time is up.
            self.pending.wake();
        }
        failure
    }

    fn tally(&self) -> crate::event::Tally {
        self.counters.tally(
            self.pending.len() as u64,
            self.sources.left(&self.counters),
            self.campaign.stop.left(),
            self.sources.growth(),
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
            // After a failure, a second error while writing adds nothing.
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
