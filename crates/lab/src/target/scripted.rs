//! Compilers that are JavaScript or Python libraries: an embedded script loads the library and answers requests,
//! one per line. This manages the processes; the meaning of requests and answers is left to the targets.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use forge::{Feedback, Outcome, Resource, Stage};
use serde_json::{Value, json};

use super::Bench;
use super::failure::{Classifier, not_observed};
use crate::coverage::{Coverage, Maker, Measure, Start, Unmeasured};
use crate::exec::{Ending, Host, HostFailure, HostOrder};

/// A host is restarted after this many requests, to bound memory leaks.
const REQUESTS_PER_LIFE: u32 = 400;

/// The wall-clock limit of a request, as a multiple of the compile limit. CPU time is the effective limit; the
/// first request to a process also waits until the library is loaded.
const WALL_FACTOR: u32 = 4;

#[derive(Debug)]
pub(super) struct Scripted {
    start: Start,
    /// Hosts without a request in progress.
    idle: Mutex<Vec<Host>>,
    maker: Option<Box<dyn Maker>>,
    /// Hosts that measure coverage.
    measuring: Mutex<Vec<Measuring>>,
}

/// A host that measures coverage, and keeps a copy of the known blocks.
#[derive(Debug)]
struct Measuring {
    host: Host,
    /// Whose known blocks it has.
    coverage: Weak<Coverage>,
    /// How many of them it has, and in which life.
    knows: usize,
    life: u64,
}

impl Scripted {
    pub(super) fn new(argv: Vec<String>) -> Self {
        Self {
            start: Start::of(argv.into_iter().map(Into::into).collect(), None),
            idle: Mutex::default(),
            maker: None,
            measuring: Mutex::default(),
        }
    }

    /// The same, with a maker that measures coverage.
    pub(super) fn measured_by(self, maker: impl Maker + 'static) -> Self {
        Self { maker: Some(Box::new(maker)), ..self }
    }

    /// How coverage is measured, or why it is not.
    pub(super) fn coverage(&self, bench: &Bench) -> Result<Measure, Unmeasured> {
        let maker = self
            .maker
            .as_ref()
            .ok_or_else(|| Unmeasured("nothing measures that of this compiler".into()))?;
        maker.prepare(bench)
    }

    /// The answer to a request, or how the compiler failed instead.
    pub(super) fn ask(&self, request: &Value, bench: &Bench) -> Result<Value, Outcome> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut host = idle.unwrap_or_else(|| self.host(self.start.clone(), bench));
        let answer = ask(&mut host, |_| request.clone(), bench);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(host);
        answer.map_err(|failure| outcome(failure, bench))
    }

    /// The same, with the coverage of the request if the bench asks for it and it can be measured. A failure has none.
    pub(super) fn ask_measured(
        &self,
        request: &Value,
        bench: &Bench,
    ) -> (Result<Value, Outcome>, Option<Feedback>) {
        let (Some(coverage), Some(maker)) = (&bench.coverage, &self.maker) else {
            return (self.ask(request, bench), None);
        };
        let mut start = self.start.clone();
        let measure = maker.prepare(bench);
        let measure = measure.and_then(|it| maker.equip(&mut start, bench).map(|()| it));
        let Ok(measure) = measure else { return (self.ask(request, bench), None) };
        let measuring = || self.measuring.lock().unwrap_or_else(PoisonError::into_inner);
        let mut its = measuring().pop().unwrap_or_else(|| {
            let host = self.host(start, bench);
            Measuring { host, coverage: Weak::new(), knows: 0, life: 0 }
        });
        // A host cannot forget.
        if !its.coverage.upgrade().is_some_and(|its| Arc::ptr_eq(&its, coverage)) {
            its.host.restart();
            its.coverage = Arc::downgrade(coverage);
        }
        let (mut knows, mut life) = (its.knows, its.life);
        let told = |host: &mut Host| {
            let next = host.next_life();
            if life != next {
                (knows, life) = (0, next);
            }
            let news = coverage.since(measure.tag, knows);
            knows += news.len();
            json!({ "known": news, "request": request })
        };
        let answer = ask(&mut its.host, told, bench);
        (its.knows, its.life) = (knows, life);
        measuring().push(its);
        match answer {
            Ok(mut answer) => {
                let blocks = answer.get("blocks").and_then(Value::as_array).into_iter().flatten();
                let blocks = blocks.filter_map(|it| u32::try_from(it.as_u64()?).ok());
                let blocks: Vec<u32> = blocks.collect();
                // A host that was replaced meanwhile did not get all known blocks.
                let feedback = Feedback { features: coverage.unknown(measure.tag, &blocks) };
                let feedback = answer.get("blocks").map(|_| feedback);
                let answer = answer.get_mut("answer").map_or(Value::Null, Value::take);
                (Ok(answer), feedback)
            }
            Err(failure) => (Err(outcome(failure, bench)), None),
        }
    }

    fn host(&self, start: Start, bench: &Bench) -> Host {
        let order = HostOrder {
            argv: start.argv,
            env: start.env,
            limits: bench.compile.clone(),
            requests_per_life: REQUESTS_PER_LIFE,
        };
        Host::new(&bench.runner, order)
    }
}

/// Asks a host. A crash may have corrupted the library's memory, so the process is not used again. An earlier request may
/// have caused the crash, so it is tried again in a new process.
fn ask(
    host: &mut Host,
    mut request: impl FnMut(&mut Host) -> Value,
    bench: &Bench,
) -> Result<Value, HostFailure> {
    let used = !host.is_fresh();
    let mut ask = || {
        let request = request(host);
        let answer = host.ask(&request, bench.compile.wall * WALL_FACTOR);
        if has_crashed(&answer) {
            host.restart();
        }
        answer
    };
    let answer = ask();
    if used && has_crashed(&answer) { ask() } else { answer }
}

fn has_crashed(answer: &Result<Value, HostFailure>) -> bool {
    match answer {
        Ok(answer) => answer.get("answer").unwrap_or(answer).get("threw").is_some(),
        Err(HostFailure::Died { .. }) => true,
        Err(
            HostFailure::TimedOut
            | HostFailure::Exceeded(_)
            | HostFailure::Garbled { .. }
            | HostFailure::Exec(_),
        ) => false,
    }
}

fn outcome(failure: HostFailure, bench: &Bench) -> Outcome {
    let stage = Stage::Compile;
    match failure {
        HostFailure::TimedOut => {
            Outcome::Hung { stage, seconds: bench.compile.wall.as_secs() * u64::from(WALL_FACTOR) }
        }
        HostFailure::Exceeded(resource) => Outcome::Exhausted { stage, resource },
        HostFailure::Died { stderr, .. } if stderr.contains("heap out of memory") => {
            Outcome::Exhausted { stage, resource: Resource::Memory }
        }
        HostFailure::Died { ending, stderr } => {
            let signal = match ending {
                Ending::Signalled(signal) => Some(signal),
                _ => None,
            };
            Classifier::default().failed(&stderr, signal)
        }
        HostFailure::Garbled { line } => {
            Outcome::unobserved(format!("the host's answer is not JSON: {line}"))
        }
        HostFailure::Exec(error) => not_observed(&error),
    }
}
