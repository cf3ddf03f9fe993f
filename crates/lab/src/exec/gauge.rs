//! Periodically compares the resource usage of a process tree with its limits. Stopping a run that exceeds
//! one is left to `runner` and `life`.
//!
//! Linux enforces limits per process, so memory, number of processes and CPU time of a whole process
//! tree have to be summed up from the process table. The first look comes only after a delay, so that a short
//! run does not pay for it, and looking never takes more than a small share of the time.
//!
//! A look may miss a process (see `process::children`). That delays the enforcement of a limit until the next
//! look; it never stops a run that is within its limits.

use std::fs;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use nix::sys::stat::fstat;
use nix::sys::statvfs::fstatvfs;

use super::held::held;
use super::process::Units;
use super::processes::Processes;
use super::syscall::{self, Reaped};
use super::{Ending, Limits, Resource, Scratch};

const FIRST_LOOK: Duration = Duration::from_millis(5);
const SLOWEST_LOOK: Duration = Duration::from_millis(50);
const DISK_LOOK: Duration = Duration::from_millis(250);
/// A look is followed by a pause of at least this many times its own duration, but not more than
/// `LONGEST_PAUSE`.
const SHARE: u32 = 20;
const LONGEST_PAUSE: Duration = Duration::from_secs(1);
/// The limit on the scratch directory, as a multiple of the limit on one file.
const FILES: u64 = 4;
/// What a program could not use of a file system that is full: less than a page per processor.
const NEARLY: u64 = 64 << 10;

#[derive(Debug)]
pub(super) struct Gauge {
    limits: Limits,
    space: Space,
    units: Units,
    interval: Duration,
    tree_due: Instant,
    disk_due: Instant,
    /// The processes that the last look found.
    known: Vec<i32>,
    /// CPU time of orphans that were reaped while looking.
    reaped: Duration,
    /// CPU time that was already used when the measurement began; `None` until the first look.
    earlier: Option<Duration>,
    peak: u64,
    /// Bytes of files that have no name any more.
    nameless: u64,
}

/// How the size of the scratch directory is measured.
#[derive(Debug)]
enum Space {
    /// By adding up all files.
    Files(PathBuf),
    /// By asking the file system that it is. It has this device number.
    FileSystem { folder: Option<OwnedFd>, device: u64 },
}

impl Space {
    fn of(scratch: &Scratch) -> Space {
        match scratch.folder() {
            Some(folder) => Space::FileSystem {
                device: fstat(folder).map_or(0, |it| it.st_dev),
                folder: folder.try_clone().ok(),
            },
            None => Space::Files(scratch.path().to_owned()),
        }
    }
}

/// The bytes that a scratch directory may contain.
pub(super) fn space(limits: &Limits) -> u64 {
    limits.file_size.saturating_mul(FILES)
}

/// Whether no more than a few pages are left of it.
pub(super) fn is_full(used: u64, limits: &Limits) -> bool {
    used.saturating_add(NEARLY) >= space(limits)
}

impl Gauge {
    /// A gauge for a process tree that starts now.
    pub(super) fn new(limits: &Limits, scratch: &Scratch) -> Gauge {
        let now = Instant::now();
        Gauge {
            limits: limits.clone(),
            space: Space::of(scratch),
            units: Units::of_this_system(),
            interval: FIRST_LOOK,
            tree_due: now + FIRST_LOOK,
            disk_due: now + DISK_LOOK,
            known: vec![],
            reaped: Duration::ZERO,
            earlier: Some(Duration::ZERO),
            peak: 0,
            nameless: 0,
        }
    }

    /// Starts a new measurement of the same process tree: CPU time that it uses before the next look no longer
    /// counts.
    pub(super) fn restart(&mut self) {
        let now = Instant::now();
        self.interval = FIRST_LOOK;
        self.tree_due = now + FIRST_LOOK;
        self.disk_due = self.disk_due.max(now + FIRST_LOOK);
        self.earlier = None;
    }

    /// When `look` is to be called next.
    pub(super) fn due(&self) -> Instant {
        self.tree_due.min(self.disk_due)
    }

    /// The highest sum of resident memory that a look found, in bytes.
    pub(super) fn peak(&self) -> u64 {
        self.peak
    }

    /// CPU time of orphans that were reaped while looking.
    pub(super) fn reaped(&self) -> Duration {
        self.reaped
    }

    /// Looks at whatever is due. Returns the run's ending if a limit is exceeded.
    pub(super) fn look(&mut self, tree: &Processes) -> Option<Ending> {
        let start = Instant::now();
        if start >= self.tree_due {
            let ending = self.look_at(tree);
            let now = Instant::now();
            self.tree_due = now + self.interval.max(pause_after(now - start));
            self.interval = (self.interval * 3 / 2).min(SLOWEST_LOOK);
            if ending.is_some() {
                return ending;
            }
        }
        let start = Instant::now();
        if start >= self.disk_due {
            let is_full = match &self.space {
                Space::Files(folder) => {
                    bytes_below(folder).saturating_add(self.nameless) > space(&self.limits)
                }
                Space::FileSystem { folder, .. } => {
                    folder.as_ref().is_some_and(|folder| is_full(used(folder), &self.limits))
                }
            };
            let now = Instant::now();
            self.disk_due = now + DISK_LOOK.max(pause_after(now - start));
            if is_full {
                return Some(Ending::Exceeded(Resource::Disk));
            }
        }
        None
    }

    fn look_at(&mut self, tree: &Processes) -> Option<Ending> {
        let own = std::process::id().cast_signed();
        let (mut memory, mut processes, mut cpu) = (0, 0, Duration::ZERO);
        self.known = if self.earlier.is_none() {
            // This look determines what is subtracted from later ones: CPU time that it missed would be counted
            // against the limit. If the process table cannot be read now, the next look tries again.
            tree.members().ok()?
        } else {
            tree.estimated_members(&self.known)
        };
        for &pid in &self.known {
            if tree.is_ours(pid) {
                // It has waited for what ended in its namespace.
                cpu += self.units.stat(pid).map_or(Duration::ZERO, |stat| stat.cpu);
                continue;
            }
            // Processes that have ended count as long as they were listed: a fork bomb has to be stopped even
            // if each of its processes ends soon.
            processes += 1;
            if processes > self.limits.processes {
                return Some(Ending::Exceeded(Resource::Processes));
            }
            let Some(stat) = self.units.stat(pid) else { continue };
            if stat.zombie && stat.parent == own && tree.is_orphan(pid) {
                // An orphan that was reparented to us and has ended: we have to reap it.
                if let Reaped::Ended { usage, .. } = syscall::reap(pid) {
                    self.reaped += usage.cpu;
                }
                continue;
            }
            memory += stat.resident;
            cpu += stat.cpu;
        }
        cpu += self.reaped;
        let counted = match &self.space {
            Space::Files(_) => None,
            Space::FileSystem { device, .. } => Some(*device),
        };
        let held = held(&self.known, counted);
        memory += held.memory;
        self.nameless = held.disk;
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

/// The bytes in a file system, also those of files that have no name any more.
pub(super) fn used(folder: &OwnedFd) -> u64 {
    fstatvfs(folder).map_or(0, |it| {
        it.blocks().saturating_sub(it.blocks_free()).saturating_mul(it.fragment_size())
    })
}

/// The bytes on disk of all files below a directory. Files that vanish or cannot be read are not counted.
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
