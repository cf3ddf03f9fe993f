//! The reduction driver: tries the smaller cases that a method proposes, several at a time, and goes on
//! from the first that fails in the same way, until none does.
//!
//! Which candidate is taken does not depend on how many are tried at a time: of those that fail alike,
//! always the one that the method proposed first. So one worker and four end at the same case.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use forge::{Candidates, Case, Fingerprint, Method};

use super::examiner::Examiner;
use super::locate;
use crate::finding::{Exhibit, Step};
use crate::signature::Signature;
use crate::stop::Stop;
use crate::target::PassId;
use crate::verdict::BreachKind;

/// A candidate gets this many times what the slowest failing one took, and never less than the floor.
const PATIENCE: u32 = 5;
const FLOOR: Duration = Duration::from_secs(2);
/// How many times as long it may take on a machine that does other work, too.
const LOAD: u32 = 5;
/// So many candidates share a run of the compiler at most.
const TOGETHER: usize = 16;

/// What has to stay the same, and what may be used.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "a method has nothing to show")]
pub struct Goal<'a> {
    pub method: &'a dyn Method,
    pub examiner: &'a Examiner,
    /// As signed before the culprit was known.
    pub signature: &'a Signature,
    /// The pass that has to stay the culprit, so that the reduction does not slide to another bug.
    pub pass: Option<&'a PassId>,
    /// The passes that it requires, where it is harmless alone. Then neither it nor any of them may fail
    /// alone as long as there is another way to go on, or the reduction would slide to any other bug that
    /// they have. Where a program cannot be made smaller otherwise, and one of them fails alone in one
    /// that is an edit away, that one is to blame.
    pub with: &'a [PassId],
    /// How many candidates are tried at a time.
    pub jobs: usize,
    /// Where in the list of candidates the last step was taken, if it goes on after one.
    pub cursor: usize,
    pub deadline: Option<Instant>,
}

#[derive(Clone, Debug)]
pub struct Reduction {
    pub exhibit: Exhibit,
    pub steps: u64,
    pub tries: u64,
    pub ended: ReductionEnd,
}

/// Why a reduction ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReductionEnd {
    /// No smaller case fails alike.
    Finished,
    /// Its deadline was reached.
    Late,
    /// It was asked to stop.
    Stopped,
}

/// Reduces. Each step is handed to `record` before it counts; an error of that ends the reduction.
pub fn reduce<E>(
    goal: &Goal<'_>,
    start: Exhibit,
    stop: &Stop,
    mut record: impl FnMut(&Step, &Exhibit) -> Result<(), E>,
) -> Result<Reduction, E> {
    let began = Instant::now();
    let mut patience = Patience::new(&start);
    // The pass that fails alone, and has to go on doing so.
    let mut alone = goal.pass.filter(|pass| locate::fails_alone(goal.examiner, &start, pass));
    let mut seen: HashSet<Fingerprint> = HashSet::from([start.case.fingerprint()]);
    let mut reduction =
        Reduction { exhibit: start, steps: 0, tries: 0, ended: ReductionEnd::Stopped };
    // Where in the list of candidates the last one was taken. The ones before it failed a moment ago
    // and come last.
    let mut cursor = goal.cursor;
    let mut width = Width::new(goal);
    loop {
        let base = reduction.exhibit.case.clone();
        let candidates = || goal.candidates(&base).enumerate();
        let mut stream = candidates().skip(cursor).chain(candidates().take(cursor));
        let mut last_resort = None;
        let accepted = loop {
            let late = goal.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if stop.is_set() || late {
                reduction.ended =
                    if stop.is_set() { ReductionEnd::Stopped } else { ReductionEnd::Late };
                return Ok(reduction);
            }
            let mut round: Vec<(usize, Case)> = vec![];
            while round.len() < width.now
                && let Some((at, case)) = stream.next()
            {
                if let Some(case) = case
                    && seen.insert(case.fingerprint())
                {
                    round.push((at, case));
                }
            }
            if round.is_empty() {
                let Some((at, exhibit, pass)) = last_resort.take() else {
                    reduction.ended = ReductionEnd::Finished;
                    return Ok(reduction);
                };
                alone = Some(pass);
                break (at, exhibit);
            }
            reduction.tries += round.len() as u64;
            let tried = first_failing(goal, alone, &reduction.exhibit, &round, &mut patience);
            match tried {
                Tried::Taken(at, exhibit) => break (at, exhibit),
                Tried::Otherwise(at, exhibit, pass) => {
                    last_resort = last_resort.or(Some((at, exhibit, pass)));
                }
                Tried::None => {}
            }
            width.widen();
        };
        width = Width::new(goal);
        cursor = accepted.0;
        reduction.exhibit = accepted.1;
        reduction.steps += 1;
        let step = Step {
            step: reduction.steps,
            tries: reduction.tries,
            bytes: reduction.exhibit.case.size().0,
            seconds: began.elapsed().as_secs_f64(),
            cursor,
        };
        record(&step, &reduction.exhibit)?;
    }
}

/// How many candidates are tried at a time. Where it is the program that fails, and programs can share a run of
/// the compiler, a dozen cost little more than one: the longer none is taken, the more are tried.
struct Width {
    now: usize,
    most: usize,
}

impl Width {
    fn new(goal: &Goal<'_>) -> Self {
        let now = goal.jobs.max(1);
        let together = if goal.shares() { TOGETHER.min(goal.batch()) } else { 1 };
        Self { now, most: together.max(now) }
    }

    fn widen(&mut self) {
        self.now = (self.now * 2).min(self.most);
    }
}

impl<'a> Goal<'a> {
    /// How many programs can share a run of the compiler.
    fn batch(&self) -> usize {
        self.examiner.target.spec().batch(self.method.interface()).cases
    }

    /// Whether candidates can be tried in one run of the compiler: a crash would be that of all.
    fn shares(&self) -> bool {
        self.signature.is_of_program() && self.batch() > 1
    }

    /// The cases to try. Where the compiler's stack was too small, or its memory was corrupted, which may come of
    /// that, those with less nesting come first.
    fn candidates<'c>(&'c self, case: &'c Case) -> Candidates<'c> {
        let smaller = self.method.smaller(case);
        if self.signature.is_deep() {
            return Box::new(self.method.shallower(case).chain(smaller));
        }
        smaller
    }

    /// Whether a failure is the one in question. How a program fails that was compiled wrongly may change,
    /// as long as the pass that is to blame stays the same; and one that did harm alone still has to.
    fn likeness(
        &self,
        alone: Option<&PassId>,
        examiner: &Examiner,
        exhibit: &Exhibit,
    ) -> Likeness<'a> {
        let signature = examiner.sign(&exhibit.case, &exhibit.breach);
        let any_way = self.pass.is_some() && self.signature.is_of_program();
        if signature != *self.signature && !(any_way && signature.is_of_program()) {
            return Likeness::Other;
        }
        let Some(pass) = self.pass else { return Likeness::Same };
        if let Some(alone) = alone {
            let still = locate::fails_alone(examiner, exhibit, alone);
            return if still { Likeness::Same } else { Likeness::Other };
        }
        if !self.with.is_empty() {
            let mut chain = std::iter::once(pass).chain(self.with);
            if let Some(pass) = chain.find(|it| locate::fails_alone(examiner, exhibit, it)) {
                return Likeness::Alone(pass);
            }
        }
        if locate::is_culprit(examiner, exhibit, pass) { Likeness::Same } else { Likeness::Other }
    }
}

enum Likeness<'a> {
    Same,
    /// A pass that required others, or one of these, fails alone.
    Alone(&'a PassId),
    Other,
}

/// What came of a round of candidates.
enum Tried<'a> {
    Taken(usize, Exhibit),
    /// None was like what is wanted, and this one differs in that a pass fails alone.
    Otherwise(usize, Exhibit, &'a PassId),
    None,
}

/// Tries a round of candidates at a time; of those that fail alike, the first.
fn first_failing<'a>(
    goal: &Goal<'a>,
    alone: Option<&PassId>,
    best: &Exhibit,
    round: &[(usize, Case)],
    patience: &mut Patience,
) -> Tried<'a> {
    let mut examiner = goal.examiner.clone();
    patience.apply(&mut examiner);
    let settings = examiner.relevant(best);
    let began = Instant::now();
    let cases: Vec<&Case> = round.iter().map(|(_, case)| case).collect();
    let exhibits: Vec<Option<Exhibit>> = match cases[..] {
        [case] => vec![examiner.exhibit(case, &settings)],
        _ if goal.shares() => examiner.exhibits(&cases, &settings),
        _ => std::thread::scope(|scope| {
            let (examiner, settings) = (&examiner, &settings);
            let spawned: Vec<_> = cases
                .iter()
                .map(|case| scope.spawn(move || examiner.exhibit(case, settings)))
                .collect();
            let join = |handle: std::thread::ScopedJoinHandle<'_, _>| match handle.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            spawned.into_iter().map(join).collect()
        }),
    };
    let took = began.elapsed();
    let mut tried = Tried::None;
    for ((at, _), exhibit) in round.iter().zip(exhibits) {
        let Some(exhibit) = exhibit else { continue };
        match goal.likeness(alone, &examiner, &exhibit) {
            Likeness::Same => {
                patience.learn(took);
                return Tried::Taken(*at, exhibit);
            }
            Likeness::Alone(pass) if matches!(tried, Tried::None) => {
                tried = Tried::Otherwise(*at, exhibit, pass);
            }
            Likeness::Alone(_) | Likeness::Other => {}
        }
    }
    tried
}

/// How much CPU time a candidate may take. A candidate that takes much longer than what it came from has become
/// another program; waiting for the full limit each time would be most of a reduction. The wall-clock limit is
/// several times as long, because a loaded machine must not decide which candidate is taken.
struct Patience {
    slowest: Option<Duration>,
    /// A hang is only known by waiting for the whole limit.
    fixed: bool,
}

impl Patience {
    fn new(start: &Exhibit) -> Self {
        Self { slowest: None, fixed: start.breach.kind == BreachKind::Hang }
    }

    fn learn(&mut self, took: Duration) {
        self.slowest = Some(self.slowest.unwrap_or_default().max(took));
    }

    fn apply(&self, examiner: &mut Examiner) {
        let Some(slowest) = self.slowest.filter(|_| !self.fixed) else { return };
        let cpu = (slowest * PATIENCE).max(FLOOR);
        for limits in [&mut examiner.bench.compile, &mut examiner.bench.run] {
            limits.cpu = limits.cpu.min(cpu);
            limits.wall = limits.wall.min(cpu * LOAD);
        }
    }
}
