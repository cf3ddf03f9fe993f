//! One process of a host, from its start to its end: sends requests, collects answers, applies limits. When it
//! is replaced, and whether an answer is valid JSON, is left to `host`.

use std::path::Path;
use std::time::{Duration, Instant};

use super::capture::Recorder;
use super::ending;
use super::gauge::Gauge;
use super::host::HostOrder;
use super::launch::Launch;
use super::leader::Leader;
use super::pipes::Stream;
use super::{Ending, ExecError, Resource, Runner, Scratch};

#[derive(Debug)]
pub(super) struct Life {
    /// Declared before the scratch directory, so that the process is killed before that is removed.
    leader: Leader,
    gauge: Gauge,
    output: Output,
    answered: u32,
    /// Whether the last request was written completely before its answer came.
    in_step: bool,
    runner: Runner,
    scratch: Scratch,
}

/// Why there is no answer.
#[derive(Debug)]
pub(super) enum NoAnswer {
    Failed(Ending),
    /// Nothing is to run any more.
    Late,
    /// The process died after an earlier answer, before it read any part of this request.
    DiedBefore,
}

/// What the process printed and was not taken yet.
#[derive(Debug, Default)]
struct Output {
    stdout: Vec<u8>,
    /// This many bytes of `stdout` are known to contain no end of a line.
    searched: usize,
    stderr: Recorder,
    printed: u64,
}

impl Life {
    pub(super) fn begin(runner: &Runner, order: &HostOrder) -> Result<Life, ExecError> {
        let scratch = runner.scratch()?;
        let (starter, order) = (runner.clone(), order.clone());
        let start = move || {
            let leader = starter.start(&Launch {
                argv: &order.argv,
                env: &order.env,
                limits: &order.limits,
                // The limit is per request, but Linux would count all requests together.
                limit_cpu: false,
                stdin: true,
                is_steady: false,
                shares_memory: false,
                scratch: &scratch,
            })?;
            Ok((leader, Gauge::new(&order.limits, &scratch), scratch))
        };
        let (leader, gauge, scratch) =
            runner.spawner()?.perform(start).map_err(ExecError::io("start a host"))??;
        let (output, runner) = (Output::default(), runner.clone());
        Ok(Life { leader, gauge, output, answered: 0, in_step: true, runner, scratch })
    }

    pub(super) fn answered(&self) -> u32 {
        self.answered
    }

    pub(super) fn scratch(&self) -> &Path {
        self.scratch.path()
    }

    /// Whether it is alive, has read the last request completely, and has printed nothing since its answer.
    /// Otherwise an answer could be attributed to the wrong request.
    pub(super) fn is_ready(&mut self) -> bool {
        let output = &mut self.output;
        let ended = self.leader.turn(Duration::ZERO, &mut &[][..], &mut |stream, bytes| {
            output.add(stream, bytes);
        });
        matches!(ended, Ok(false)) && self.in_step && output.stdout.is_empty()
    }

    /// Sends one line and waits for one line. After an `Err`, the process cannot be used any more.
    pub(super) fn ask(
        &mut self,
        request: &[u8],
        wall: Duration,
        output_limit: u64,
    ) -> Result<Vec<u8>, NoAnswer> {
        let deadline = Instant::now().checked_add(wall);
        let mut input = request;
        self.output.printed = 0;
        if self.answered > 0 {
            self.gauge.restart();
        }
        loop {
            if let Some(line) = self.output.take_line() {
                self.answered += 1;
                self.in_step = input.is_empty();
                return Ok(line);
            }
            if self.output.printed > output_limit {
                return Err(NoAnswer::Failed(Ending::Exceeded(Resource::Output)));
            }
            let now = Instant::now();
            if deadline.is_some_and(|deadline| now >= deadline) {
                return Err(NoAnswer::Failed(Ending::TimedOut));
            }
            if self.runner.is_late() {
                return Err(NoAnswer::Late);
            }
            if now >= self.gauge.due()
                && let Some(ending) = self.gauge.look(self.leader.processes())
            {
                return Err(NoAnswer::Failed(ending));
            }
            let next = deadline.map_or(self.gauge.due(), |time| time.min(self.gauge.due()));
            let timeout = next.saturating_duration_since(now);
            let output = &mut self.output;
            let ended = self
                .leader
                .turn(timeout, &mut input, &mut |stream, bytes| output.add(stream, bytes));
            if !matches!(ended, Ok(false)) {
                let untouched = input.len() + self.leader.unread() == request.len();
                let ending = self.end();
                // It may have answered just before it ended.
                return match self.output.take_line() {
                    Some(line) => Ok(line),
                    None if untouched && self.answered > 0 => Err(NoAnswer::DiedBefore),
                    None => Err(NoAnswer::Failed(ending)),
                };
            }
        }
    }

    /// Kills what is left of it, and returns how it ended.
    fn end(&mut self) -> Ending {
        let output = &mut self.output;
        let end = self.leader.end(&mut |stream, bytes| output.add(stream, bytes));
        let Ok(end) = end else { return Ending::Signalled(libc::SIGKILL) };
        let stderr = self.output.stderr.clone().finish();
        // Its CPU time is that of many requests, so it cannot be compared with the limit.
        ending::name(end.status, false, &stderr, self.runner.oom())
    }

    pub(super) fn peak_memory(&self) -> u64 {
        self.gauge.peak()
    }

    /// What it has printed on stderr.
    pub(super) fn stderr(mut self) -> String {
        std::mem::take(&mut self.output.stderr).finish().text()
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        if let Ok(end) = self.leader.end(&mut |_, _| {}) {
            self.runner.meter().add_cpu(end.usage.cpu + self.gauge.reaped());
        }
    }
}

impl Output {
    fn add(&mut self, stream: Stream, bytes: &[u8]) {
        self.printed += bytes.len() as u64;
        match stream {
            Stream::Out => self.stdout.extend_from_slice(bytes),
            Stream::Err => self.stderr.record(bytes),
        }
    }

    fn take_line(&mut self) -> Option<Vec<u8>> {
        let end = self.stdout[self.searched..].iter().position(|&byte| byte == b'\n');
        let Some(end) = end.map(|end| self.searched + end) else {
            self.searched = self.stdout.len();
            return None;
        };
        let rest = self.stdout.split_off(end + 1);
        self.searched = 0;
        Some(std::mem::replace(&mut self.stdout, rest))
    }
}
