//! The reduction driver: tries the smaller cases that a method proposes, several at a time, and continues with the
//! first that fails in the same way, until none does.
//!
//! The result does not depend on how many candidates are tried at a time: of those that fail in the same way, the
//! one that the method proposed first is taken. So one worker and four end at the same case.

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

/// The time limit of a candidate is this multiple of the slowest failing one, but at least the floor.
const PATIENCE: u32 = 5;
const FLOOR: Duration = Duration::from_secs(2);
/// The factor between the limits of wall-clock time and CPU time, for loaded machines.
const LOAD: u32 = 5;
/// The maximal number of candidates that share a run of the compiler.
const TOGETHER: usize = 16;

/// What a reduction must preserve, and what it may use.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "a method has nothing to show")]
pub struct Goal<'a> {
    pub method: &'a dyn Method,
    pub examiner: &'a Examiner,
    /// The signature without culprits.
    pub signature: &'a Signature,
    /// The pass that must remain the culprit, so that the reduction does not slide to another bug.
    pub pass: Option<&'a PassId>,
    /// The passes that it requires, if it does not fail alone. Candidates in which one of these passes fails alone
    /// are avoided, because they may show another bug of that pass. If no other candidate fails, the first of them
    /// is taken, and its pass becomes the culprit.
    pub with: &'a [PassId],
    /// How many candidates are tried at a time.
    pub jobs: usize,
    /// The position of the last step in the list of candidates, if a reduction is continued.
    pub cursor: usize,
    pub deadline: Option<Instant>,
}

/// The result of a reduction.
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
    /// No smaller case fails in the same way.
    Finished,
    /// Its deadline was reached.
    Late,
    /// It was asked to stop.
    Stopped,
}

/// Reduces. Each step is passed to `record` before it takes effect. An error of `record` ends the reduction.
pub fn reduce<E>(
    goal: &Goal<'_>,
    start: Exhibit,
    stop: &Stop,
    mut record: impl FnMut(&Step, &Exhibit) -> Result<(), E>,
) -> Result<Reduction, E> {
    let began = Instant::now();
    let mut patience = Patience::new(&start);
    // The pass that fails alone, and must continue to.
    let mut alone = goal.pass.filter(|pass| locate::fails_alone(goal.examiner, &start, pass));
    let mut seen: HashSet<Fingerprint> = HashSet::from([start.case.fingerprint()]);
    let mut reduction =
        Reduction { exhibit: start, steps: 0, tries: 0, ended: ReductionEnd::Stopped };
    // The position of the last candidate that was taken. Those before it were just tried without success, so they
    // are tried last.
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

/// How many candidates are tried at a time. If the program fails, not the compiler, and programs can share a run of
/// the compiler, a dozen cost little more than one. The number doubles after each round without success.
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

    /// Whether candidates can share a run of the compiler. A crash of the compiler would affect all of them.
    fn shares(&self) -> bool {
        self.signature.is_of_program() && self.batch() > 1
    }

    /// The cases to try. After a stack overflow, or memory corruption that a stack overflow may have caused, those with
    /// less nesting come first.
    fn candidates<'c>(&'c self, case: &'c Case) -> Candidates<'c> {
        let smaller = self.method.smaller(case);
        if self.signature.is_deep() {
            return Box::new(self.method.shallower(case).chain(smaller));
        }
        smaller
    }

    /// Whether a failure is the one in question. The behaviour of a miscompiled program may change as long as the
    /// culprit is the same and a refinement fails in the same sort. A pass that failed alone must still do so.
    fn likeness(
        &self,
        alone: Option<&PassId>,
        examiner: &Examiner,
        exhibit: &Exhibit,
    ) -> Likeness<'a> {
        let signature = examiner.sign(&exhibit.case, &exhibit.breach);
        let any_way = self.pass.is_some() && self.signature.may_be_as(&signature);
        if signature != *self.signature && !any_way {
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
    /// The culprit required other passes, and now one of them fails alone.
    Alone(&'a PassId),
    Other,
}

/// The result of a round of candidates.
enum Tried<'a> {
    Taken(usize, Exhibit),
    /// No candidate failed in the same way. In this one, a pass fails alone.
    Otherwise(usize, Exhibit, &'a PassId),
    None,
}

/// Tries a round of candidates. Returns the first that fails in the same way.
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

/// The CPU time limit of a candidate. A candidate that takes much longer than its predecessor behaves differently,
/// and waiting for the full limit each time would dominate a reduction. The wall-clock limit is several times as
/// long, because the load of the machine must not affect which candidate is taken.
struct Patience {
    slowest: Option<Duration>,
    /// A hang is detected only after the full limit, so the limit stays fixed.
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
