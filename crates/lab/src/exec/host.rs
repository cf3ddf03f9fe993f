//! A persistent child that answers many requests, one JSON value per line on stdin and stdout, so
//! that a compiler's start-up is paid once. It is restarted after a failure, and after so many
//! requests, lest leaks and left-over state add up. Its death costs only the request in flight.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::life::{Life, NoAnswer};
use super::{Ending, ExecError, Limits, Resource, Runner};

/// How much of a garbled line is reported, in characters.
const QUOTE: usize = 200;

/// How to start a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostOrder {
    pub argv: Vec<OsString>,
    pub env: Vec<(OsString, OsString)>,
    /// Processor time and output are limited per request; `wall` is not used, for each request is
    /// given its own.
    pub limits: Limits,
    /// After so many answers it is replaced; zero means never.
    pub requests_per_life: u32,
}

/// Why there is no answer. The next request gets a new life.
#[derive(Debug, thiserror::Error)]
pub enum HostFailure {
    #[error("the host did not answer in time")]
    TimedOut,
    #[error("the host died ({ending:?}) instead of answering: {stderr}")]
    Died { ending: Ending, stderr: String },
    #[error("the host answered something that is not JSON: {line}")]
    Garbled { line: String },
    #[error("the host used too much: {0:?}")]
    Exceeded(Resource),
    #[error(transparent)]
    Exec(#[from] ExecError),
}

/// A persistent child, started when it is first asked, and ended when this is dropped.
#[derive(Debug)]
pub struct Host {
    runner: Runner,
    order: HostOrder,
    life: Option<Life>,
    lives: u64,
}

impl Host {
    pub fn new(runner: &Runner, order: HostOrder) -> Host {
        Host { runner: runner.clone(), order, life: None, lives: 0 }
    }

    /// How often it was started.
    pub fn lives(&self) -> u64 {
        self.lives
    }

    /// The working directory of the present life, the only place where it can write.
    pub fn scratch(&self) -> Option<&Path> {
        self.life.as_ref().map(Life::scratch)
    }

    /// Sends `request` and waits up to `wall` for the answer. The first request of a life also waits
    /// for the start.
    pub fn ask(&mut self, request: &Value, wall: Duration) -> Result<Value, HostFailure> {
        // JSON text holds no raw line breaks, so that a value is always one line.
        let line = format!("{request}\n");
        loop {
            let start = Instant::now();
            let mut life = self.life()?;
            let answer = life.ask(line.as_bytes(), wall, self.order.limits.output);
            self.runner.meter().add_run(start.elapsed());
            return match answer {
                Ok(line) => {
                    let answer = serde_json::from_slice(&line).map_err(|_| garbled(&line))?;
                    self.life = Some(life);
                    Ok(answer)
                }
                // It can't happen again: this is only said of lives that have answered before.
                Err(NoAnswer::DiedBefore) => continue,
                Err(NoAnswer::Failed(Ending::TimedOut)) => Err(HostFailure::TimedOut),
                Err(NoAnswer::Failed(Ending::Exceeded(resource))) => {
                    Err(HostFailure::Exceeded(resource))
                }
                Err(NoAnswer::Failed(ending)) => {
                    Err(HostFailure::Died { ending, stderr: life.last_words() })
                }
            };
        }
    }

    /// The present life if it can go on, or else a new one.
    fn life(&mut self) -> Result<Life, ExecError> {
        let bound = self.order.requests_per_life;
        if let Some(mut life) = self.life.take()
            && (bound == 0 || life.answered() < bound)
            && life.is_ready()
        {
            return Ok(life);
        }
        self.lives += 1;
        Life::begin(&self.runner, &self.order)
    }
}

fn garbled(line: &[u8]) -> HostFailure {
    HostFailure::Garbled {
        line: String::from_utf8_lossy(line).trim_end().chars().take(QUOTE).collect(),
    }
}
