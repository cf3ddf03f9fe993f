//! Compilers that are libraries of JavaScript or Python: a small script of ours, which is a part of this
//! program, holds the library and answers requests line by line. This keeps the processes; what requests
//! and answers mean is for the targets.

use std::sync::{Mutex, PoisonError};

use forge::{Outcome, Resource, Stage};
use serde_json::Value;

use super::Bench;
use super::failure::{Classifier, not_observed};
use crate::exec::{Ending, Host, HostFailure, HostOrder};

/// A host is started anew after this many requests, so that a leak never grows large.
const REQUESTS_PER_LIFE: u32 = 400;

/// A request may take so many times the usual on the clock: its processor time is what is limited, and
/// the first request of a life waits for the library to be loaded.
const PATIENCE: u32 = 4;

#[derive(Debug)]
pub(super) struct Scripted {
    argv: Vec<String>,
    /// Hosts that nobody is asking at the moment.
    idle: Mutex<Vec<Host>>,
}

impl Scripted {
    pub(super) fn new(argv: Vec<String>) -> Self {
        Self { argv, idle: Mutex::new(vec![]) }
    }

    /// The answer to a request, or how the compiler failed instead.
    pub(super) fn ask(&self, request: &Value, bench: &Bench) -> Result<Value, Outcome> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut host = idle.unwrap_or_else(|| {
            let order = HostOrder {
                argv: self.argv.iter().map(Into::into).collect(),
                env: vec![],
                limits: bench.compile.clone(),
                requests_per_life: REQUESTS_PER_LIFE,
            };
            Host::new(&bench.runner, order)
        });
        let used = !host.is_fresh();
        let mut ask = || {
            let answer = host.ask(request, bench.compile.wall * PATIENCE);
            // A crash may have corrupted the memory of the library: nothing else is judged by it.
            if has_crashed(&answer) {
                host.restart();
            }
            answer
        };
        let mut answer = ask();
        // The crash may be the doing of an earlier request, so a new process has the last word.
        if used && has_crashed(&answer) {
            answer = ask();
        }
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(host);
        answer.map_err(|failure| outcome(failure, bench))
    }
}

fn has_crashed(answer: &Result<Value, HostFailure>) -> bool {
    match answer {
        Ok(answer) => answer.get("threw").is_some(),
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
            Outcome::Hung { stage, seconds: bench.compile.wall.as_secs() * u64::from(PATIENCE) }
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
            Outcome::unobserved(format!("the host answered no JSON: {line}"))
        }
        HostFailure::Exec(error) => not_observed(&error),
    }
}
