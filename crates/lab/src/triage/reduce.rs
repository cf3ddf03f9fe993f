//! The reduction driver: tries the smaller cases that a method proposes, several at a time, and goes on
//! from the first that fails in the same way, until none does.
//!
//! Which candidate is taken does not depend on how many are tried at a time: of those that fail alike,
//! always the one that the method proposed first. So one worker and four end at the same case.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use forge::{Case, Method};
use serde::{Deserialize, Serialize};

use super::culprit;
use super::examiner::Examiner;
use super::signature::Signature;
use crate::finding::Exhibit;
use crate::stop::Stop;
use crate::verdict::BreachKind;

/// A candidate gets this many times what the slowest failing one took, and never less than the floor.
const PATIENCE: u32 = 5;
const FLOOR: Duration = Duration::from_secs(2);

/// What has to stay the same, and what may be used.
#[derive(Clone, Copy)]
#[expect(missing_debug_implementations, reason = "a method has nothing to show")]
pub struct Goal<'a> {
    pub method: &'a dyn Method,
    pub examiner: &'a Examiner,
    /// As signed before the culprit was known.
    pub signature: &'a Signature,
    /// The pass that has to stay the culprit, so that the reduction does not slide to another bug.
    pub pass: Option<&'a str>,
    /// How many candidates are tried at a time.
    pub jobs: usize,
    pub deadline: Option<Instant>,
}

/// A line of the step log.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    pub step: u64,
    /// Candidates tried so far.
    pub tries: u64,
    pub bytes: usize,
    pub seconds: f64,
}

#[derive(Clone, Debug)]
pub struct Reduction {
    pub exhibit: Exhibit,
    pub steps: u64,
    pub tries: u64,
    /// Whether nothing helped any more; otherwise it was stopped.
    pub finished: bool,
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
    let mut seen: HashSet<[u8; 32]> = HashSet::from([start.case.fingerprint()]);
    let mut reduction = Reduction { exhibit: start, steps: 0, tries: 0, finished: false };
    // Where in the list of candidates the last one was taken. The ones before it failed a moment ago
    // and come last.
    let mut cursor = 0;
    loop {
        let base = reduction.exhibit.case.clone();
        let candidates = || goal.method.smaller(&base).enumerate();
        let mut stream = candidates().skip(cursor).chain(candidates().take(cursor));
        let accepted = loop {
            let late = goal.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            if stop.is_set() || late {
                return Ok(reduction);
            }
            let mut round: Vec<(usize, Case)> = vec![];
            while round.len() < goal.jobs.max(1)
                && let Some((at, case)) = stream.next()
            {
                if seen.insert(case.fingerprint()) {
                    round.push((at, case));
                }
            }
            if round.is_empty() {
                reduction.finished = true;
                return Ok(reduction);
            }
            reduction.tries += round.len() as u64;
            if let Some(accepted) = first_failing(goal, &reduction.exhibit, &round, &mut patience) {
                break accepted;
            }
        };
        cursor = accepted.0;
        reduction.exhibit = accepted.1;
        reduction.steps += 1;
        let step = Step {
            step: reduction.steps,
            tries: reduction.tries,
            bytes: reduction.exhibit.case.size().0,
            seconds: began.elapsed().as_secs_f64(),
        };
        record(&step, &reduction.exhibit)?;
    }
}

/// Tries a round of candidates at a time; of those that fail alike, the first.
fn first_failing(
    goal: &Goal<'_>,
    best: &Exhibit,
    round: &[(usize, Case)],
    patience: &mut Patience,
) -> Option<(usize, Exhibit)> {
    let mut examiner = goal.examiner.clone();
    patience.apply(&mut examiner);
    let settings = examiner.relevant(best);
    let attempt = |case: &Case| {
        let began = Instant::now();
        let exhibit = examiner.exhibit(case, &settings)?;
        let took = began.elapsed();
        let same_failure = examiner.sign(case, &exhibit.breach) == *goal.signature;
        let same_culprit =
            || goal.pass.is_none_or(|pass| culprit::is_culprit(&examiner, &exhibit, pass));
        (same_failure && same_culprit()).then_some((exhibit, took))
    };
    let results: Vec<Option<(Exhibit, Duration)>> = match round {
        [(_, case)] => vec![attempt(case)],
        _ => std::thread::scope(|scope| {
            let attempt = &attempt;
            let spawned: Vec<_> =
                round.iter().map(|(_, case)| scope.spawn(move || attempt(case))).collect();
            let join = |handle: std::thread::ScopedJoinHandle<'_, _>| match handle.join() {
                Ok(result) => result,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            spawned.into_iter().map(join).collect()
        }),
    };
    let (at, (exhibit, took)) =
        round.iter().zip(results).find_map(|((at, _), result)| Some((*at, result?)))?;
    patience.learn(took);
    Some((at, exhibit))
}

/// How long a candidate may take. A candidate that takes much longer than what it came from has become
/// another program; waiting for the full limit each time would be most of a reduction.
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
        let wall = (slowest * PATIENCE).max(FLOOR);
        for limits in [&mut examiner.bench.compile, &mut examiner.bench.run] {
            limits.wall = limits.wall.min(wall);
        }
    }
}
