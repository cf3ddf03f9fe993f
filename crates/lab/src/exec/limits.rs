//! The resource limits of a run. Enforcing them is left to `launch` (limits that Linux enforces) and
//! `gauge` (limits that are monitored).

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// What one run, with all its processes, may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Wall-clock time. Not used for hosts, whose requests have their own timeouts.
    pub wall: Duration,
    /// CPU time of the whole process tree; for a host, per request.
    pub cpu: Duration,
    /// Bytes of resident memory, summed over the whole process tree. Shared pages count once per process.
    pub memory: u64,
    /// Bytes in one file. The scratch directory may contain four times as much in total.
    pub file_size: u64,
    /// Number of processes at any one time.
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
