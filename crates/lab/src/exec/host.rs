//! A persistent child process that answers many requests, one JSON value per line on stdin and stdout, so
//! that a compiler's start-up is paid for once. It is restarted after a failure, and after a number of
//! requests, so that leaks and left-over state do not accumulate. If it dies, only the current request fails.
//! One process from start to end is left to `life`.

use std::ffi::OsString;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::life::{Life, NoAnswer};
use super::starved;
use super::{Ending, ExecError, Limits, Resource, Runner};

/// How much of a line that is not JSON is reported, in characters.
const QUOTE: usize = 200;

/// How to start a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostOrder {
    pub argv: Vec<OsString>,
    pub env: Vec<(OsString, OsString)>,
    /// CPU time and output are limited per request. `wall` is not used: each request has its own timeout.
    pub limits: Limits,
    /// The process is replaced after this many answers; zero means never.
    pub requests_per_life: u32,
}

/// Why there is no answer. The next request starts a new process.
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

/// A persistent child process, started by the first request and killed when this is dropped.
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

    /// How often the process was started.
    pub fn lives(&self) -> u64 {
        self.lives
    }

    /// Whether the next request is the first of its process.
    pub fn is_fresh(&self) -> bool {
        self.life.as_ref().is_none_or(|life| life.answered() == 0)
    }

    /// The number of the process that gets the next request, counted from 1.
    pub fn next_life(&mut self) -> u64 {
        self.lives + u64::from(!self.can_go_on())
    }

    /// Ends the current process. The next request starts a new one.
    pub fn restart(&mut self) {
        self.life = None;
    }

    /// The working directory of the current process, the only place where it can write.
    pub fn scratch(&self) -> Option<&Path> {
        self.life.as_ref().map(Life::scratch)
    }

    /// Sends `request` and waits up to `wall` for the answer. The first request to a process also waits for its
    /// start.
    pub fn ask(&mut self, request: &Value, wall: Duration) -> Result<Value, HostFailure> {
        // JSON text contains no raw line breaks, so a value is always one line.
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
                // This cannot repeat: only a process that has answered before ends like this.
                Err(NoAnswer::DiedBefore) => continue,
                Err(NoAnswer::Late) => Err(ExecError::Late.into()),
                Err(NoAnswer::Failed(Ending::TimedOut)) => Err(HostFailure::TimedOut),
                Err(NoAnswer::Failed(ending)) => {
                    let (peak, limit) = (life.peak_memory(), self.order.limits.memory);
                    let stderr = life.stderr();
                    match (starved::lack(ending, &[stderr.as_bytes()], peak, limit), ending) {
                        (Some(what), _) => {
                            let program = self.order.argv.first();
                            let program = program.map(|it| it.display().to_string());
                            let program = program.unwrap_or_default();
                            Err(ExecError::Starved { program, what }.into())
                        }
                        (None, Ending::Exceeded(resource)) => Err(HostFailure::Exceeded(resource)),
                        (None, ending) => Err(HostFailure::Died { ending, stderr }),
                    }
                }
            };
        }
    }

    /// Whether the current process can be asked again.
    fn can_go_on(&mut self) -> bool {
        let bound = self.order.requests_per_life;
        let is_old = |life: &Life| bound > 0 && life.answered() >= bound;
        self.life.as_mut().is_some_and(|life| !is_old(life) && life.is_ready())
    }

    /// The current process if it can be asked again, otherwise a new one.
    fn life(&mut self) -> Result<Life, ExecError> {
        if self.can_go_on()
            && let Some(life) = self.life.take()
        {
            return Ok(life);
        }
        self.life = None;
        self.lives += 1;
        Life::begin(&self.runner, &self.order)
    }
}

fn garbled(line: &[u8]) -> HostFailure {
    HostFailure::Garbled {
        line: String::from_utf8_lossy(line).trim_end().chars().take(QUOTE).collect(),
    }
}
