//! How much of the machine one run may use. Who enforces each limit, and how a breach is reported,
//! is written in `launch` (what the kernel enforces) and `gauge` (what we watch ourselves).

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What one run, with everything that it starts, may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Time on the clock. A host is given its own per request, and this one is not used.
    pub wall: Duration,
    /// Processor time of the whole family; of one request where a host is concerned.
    pub cpu: Duration,
    /// Bytes of resident memory, summed over the whole family. Shared pages count once per process.
    pub memory: u64,
    /// Bytes in one file. The scratch directory as a whole may hold four times as much.
    pub file_size: u64,
    /// Processes alive at one time.
    pub processes: u32,
    /// Bytes printed on stdout and stderr together.
    pub output: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            wall: Duration::from_secs(30),
            cpu: Duration::from_secs(30),
            memory: 4 << 30,
            file_size: 1 << 30,
            processes: 256,
            output: 64 << 20,
        }
    }
}
