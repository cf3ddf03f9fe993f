//! The input and the result of a run: plain data. Executing an order is left to `runner`.

use std::ffi::OsString;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use forge::Resource;

use super::{Capture, Limits};

/// One program to start, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Order {
    /// The program, looked up in `PATH` unless it contains a slash, and its arguments.
    pub argv: Vec<OsString>,
    /// Variables that are added to the clean environment. If a name occurs twice, the last value is used.
    pub env: Vec<(OsString, OsString)>,
    pub stdin: Vec<u8>,
    pub limits: Limits,
    /// Without address randomisation: a compiler that orders by address does the same in each run.
    pub is_steady: bool,
    /// Sharing System V shared memory with our process: AFL's protocol wants it.
    pub shares_memory: bool,
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

/// How a run ended. Exceeding a limit is distinguished from what the program did by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ending {
    Exited(i32),
    /// Killed by a signal that we did not send.
    Signalled(i32),
    /// It exceeded its wall-clock or CPU time.
    TimedOut,
    Exceeded(Resource),
}

impl Ending {
    /// Whether the program exited with code zero.
    pub fn success(self) -> bool {
        self == Ending::Exited(0)
    }
}

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    pub ending: Ending,
    pub stdout: Capture,
    pub stderr: Capture,
    /// Wall-clock time from the start to the end of the leader.
    pub wall: Duration,
    /// CPU time of the leader and of all other processes that were reaped.
    pub cpu: Duration,
    /// The peak resident memory that was measured, in bytes. For a run that was too short to be measured and
    /// used less than our own process, this is only an upper bound.
    pub peak_memory: u64,
}
