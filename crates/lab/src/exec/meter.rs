//! Counts the runs of a runner and the time that child processes took, as opposed to our own. Reporting it is
//! left to the campaign.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// Sums over all runs and requests of one runner. It can be read while runs are in progress.
#[derive(Debug, Default)]
pub struct Meter {
    wall: AtomicU64,
    cpu: AtomicU64,
    runs: AtomicU64,
}

impl Meter {
    /// Wall-clock time spent waiting for children, summed over threads.
    pub fn wall(&self) -> Duration {
        Duration::from_nanos(self.wall.load(Relaxed))
    }

    /// CPU time of children that have ended. That of a host is added when its process ends.
    pub fn cpu(&self) -> Duration {
        Duration::from_nanos(self.cpu.load(Relaxed))
    }

    /// The number of runs; each request to a host counts as one.
    pub fn runs(&self) -> u64 {
        self.runs.load(Relaxed)
    }

    pub(super) fn add_run(&self, wall: Duration) {
        self.runs.fetch_add(1, Relaxed);
        self.wall.fetch_add(nanoseconds(wall), Relaxed);
    }

    pub(super) fn add_cpu(&self, cpu: Duration) {
        self.cpu.fetch_add(nanoseconds(cpu), Relaxed);
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
