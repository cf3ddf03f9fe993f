//! Compilers that are JavaScript or Python libraries: an embedded script loads the library and answers requests,
//! one per line. This manages the processes; the meaning of requests and answers is left to the targets.

use std::sync::{Mutex, PoisonError};

use forge::{Outcome, Resource, Stage};
use serde_json::Value;

use super::Bench;
use super::failure::{Classifier, not_observed};
use crate::exec::{Ending, Host, HostFailure, HostOrder};

/// A host is restarted after this many requests, to bound memory leaks.
const REQUESTS_PER_LIFE: u32 = 400;

/// The wall-clock limit of a request, as a multiple of the compile limit. CPU time is the effective limit; the
/// first request to a process also waits until the library is loaded.
const WALL_FACTOR: u32 = 4;

#[derive(Debug)]
pub(super) struct Scripted {
    argv: Vec<String>,
    /// Hosts without a request in progress.
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
            let answer = host.ask(request, bench.compile.wall * WALL_FACTOR);
            // A crash may have corrupted the library's memory, so the process is not used again.
            if has_crashed(&answer) {
                host.restart();
            }
            answer
        };
        let mut answer = ask();
        // An earlier request may have caused the crash, so it is tried again in a new process.
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
