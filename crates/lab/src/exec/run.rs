//! What is asked of the runner and what comes back: plain data, no effects.

use std::ffi::OsString;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use forge::Resource;

use super::{Capture, Limits};

/// One program to start, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The program, looked up on `PATH` unless it holds a slash, and its arguments.
    pub argv: Vec<OsString>,
    /// What is added to the clean environment; the last of two equal names wins.
    pub env: Vec<(OsString, OsString)>,
    pub stdin: Vec<u8>,
    pub limits: Limits,
}

impl Order {
    pub fn new<I>(argv: I) -> Order
    where
        I: IntoIterator,
        I::Item: Into<OsString>,
    {
        Order { argv: argv.into_iter().map(Into::into).collect(), ..Order::default() }
    }

    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Order {
        self.env.push((name.into(), value.into()));
        self
    }

    #[must_use]
    pub fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Order {
        self.stdin = bytes.into();
        self
    }

    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Order {
        self.limits = limits;
        self
    }
}

/// How a run ended. That a limit was exceeded is told apart from what the program did by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ending {
    Exited(i32),
    /// By a signal that did not come from us.
    Signalled(i32),
    /// It used up its time on the clock or on the processor.
    TimedOut,
    Exceeded(Resource),
}

impl Ending {
    /// Whether the program ended by itself, with exit code zero.
    pub fn success(self) -> bool {
        self == Ending::Exited(0)
    }
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub ending: Ending,
    pub stdout: Capture,
    pub stderr: Capture,
    /// From the start to the leader's end.
    pub wall: Duration,
    /// Processor time of the leader and of everything of its family that was reaped.
    pub cpu: Duration,
    /// Bytes of resident memory at the highest point that was seen. For a run that was too short to
    /// be sampled and smaller than our own process, this is only an upper bound.
    pub peak_memory: u64,
}
