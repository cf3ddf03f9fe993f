//! Compares what a family uses with its limits, now and then.
//!
//! The kernel's own limits hold per process, so that memory, processes and processor time of a
//! whole family have to be added up from the process table. The first look is only after a while,
//! for a quick run shall not pay for it, and looking never takes more than a small share of time.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::family::Family;
use super::kernel::{self, Reaped};
use super::process::Units;
use super::{Ending, Limits, Resource};

const FIRST_LOOK: Duration = Duration::from_millis(5);
const SLOWEST_LOOK: Duration = Duration::from_millis(50);
const DISK_LOOK: Duration = Duration::from_millis(250);
/// A look is followed by a pause of at least so many times its own duration, within reason.
const SHARE: u32 = 20;
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// How much larger than one file the scratch directory may be.
const FILES: u64 = 4;

#[derive(Debug)]
pub(super) struct Gauge {
    limits: Limits,
    scratch: PathBuf,
    units: Units,
    interval: Duration,
    family_due: Instant,
    disk_due: Instant,
    /// Processor time of orphans that were reaped meanwhile.
    reaped: Duration,
    /// Processor time that was already used when the measuring began.
    earlier: Option<Duration>,
    peak: u64,
}

impl Gauge {
    /// A gauge for a family that starts now.
    pub(super) fn new(limits: &Limits, scratch: &Path) -> Gauge {
        let now = Instant::now();
        Gauge {
            limits: limits.clone(),
            scratch: scratch.to_owned(),
            units: Units::of_this_system(),
            interval: FIRST_LOOK,
            family_due: now + FIRST_LOOK,
            disk_due: now + DISK_LOOK,
            reaped: Duration::ZERO,
            earlier: Some(Duration::ZERO),
            peak: 0,
        }
    }

    /// Starts afresh with an old family: what it used of the processor before the next look does
    /// not count any more.
    pub(super) fn restart(&mut self) {
        let now = Instant::now();
        self.interval = FIRST_LOOK;
        self.family_due = now + FIRST_LOOK;
        self.disk_due = self.disk_due.max(now + FIRST_LOOK);
        self.earlier = None;
    }

    /// When `look` should be called next.
    pub(super) fn due(&self) -> Instant {
        self.family_due.min(self.disk_due)
    }

    /// The highest sum of resident memory seen, in bytes.
    pub(super) fn peak(&self) -> u64 {
        self.peak
    }

    /// Processor time of orphans that were reaped while looking.
    pub(super) fn reaped(&self) -> Duration {
        self.reaped
    }

    /// Looks at whatever is due. A limit that is exceeded gives the ending that the run deserves.
    pub(super) fn look(&mut self, family: &Family) -> Option<Ending> {
        let start = Instant::now();
        if start >= self.family_due {
            let ending = self.look_at(family);
            let now = Instant::now();
            self.family_due = now + self.interval.max(pause_after(now - start));
            self.interval = (self.interval * 3 / 2).min(SLOWEST_LOOK);
            if ending.is_some() {
                return ending;
            }
        }
        let start = Instant::now();
        if start >= self.disk_due {
            let used = bytes_below(&self.scratch);
            let now = Instant::now();
            self.disk_due = now + DISK_LOOK.max(pause_after(now - start));
            if used > self.limits.file_size.saturating_mul(FILES) {
                return Some(Ending::Exceeded(Resource::Disk));
            }
        }
        None
    }

    fn look_at(&mut self, family: &Family) -> Option<Ending> {
        let own = std::process::id().cast_signed();
        let (mut memory, mut processes, mut cpu) = (0, 0, Duration::ZERO);
        // What is subtracted from now on has to be known exactly.
        let members = if self.earlier.is_none() { family.members() } else { family.kin() };
        for pid in members {
            // The dead count as long as they are in the process table, and so do those that are gone
            // a moment later: a fork bomb has to be stopped even if none of it lives for long.
            processes += 1;
            if processes > self.limits.processes {
                return Some(Ending::Exceeded(Resource::Processes));
            }
            let Some(stat) = self.units.stat(pid) else { continue };
            if stat.zombie && stat.parent == own && pid != family.leader() {
                // An orphan that came to us and has ended: nobody else will reap it.
                if let Reaped::Ended { toll, .. } = kernel::reap(pid) {
                    self.reaped += toll.cpu;
                }
                continue;
            }
            memory += stat.resident;
            cpu += stat.cpu;
        }
        cpu += self.reaped;
        self.peak = self.peak.max(memory);
        let cpu = cpu.saturating_sub(*self.earlier.get_or_insert(cpu));
        if memory > self.limits.memory {
            Some(Ending::Exceeded(Resource::Memory))
        } else if cpu > self.limits.cpu {
            Some(Ending::TimedOut)
        } else {
            None
        }
    }
}

fn pause_after(look: Duration) -> Duration {
    (look * SHARE).min(LONGEST_PAUSE)
}

/// The bytes on disk of all files below a directory. What vanishes or can't be read counts nothing.
fn bytes_below(directory: &Path) -> u64 {
    use std::os::unix::fs::MetadataExt;
    let mut sum = 0;
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
            let Ok(metadata) = entry.metadata() else { continue };
            sum += metadata.blocks() * 512;
            if metadata.is_dir() {
                directories.push(entry.path());
            }
        }
    }
    sum
}
