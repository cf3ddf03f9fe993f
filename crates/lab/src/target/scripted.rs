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

    /// The answer to a request, or what befell the compiler instead.
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
        let answer = host.ask(request, bench.compile.wall * PATIENCE);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(host);
        answer.map_err(|failure| outcome(failure, bench))
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
            Outcome::Unobserved { why: format!("the host answered no JSON: {line}") }
        }
        HostFailure::Exec(error) => not_observed(&error),
    }
}
