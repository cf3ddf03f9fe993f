//! Executes an order on the calling thread, from the start of the process to the end of its whole process tree.
//! The steps are left to the other files: see the overview in `exec`.

use std::path::PathBuf;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use nix::sys::prctl;
use nix::sys::resource::{UsageWho, getrusage};

use super::capture::Recorder;
use super::ending::{self, OomCounter};
use super::gauge::{self, Gauge};
use super::launch::Launch;
use super::leader::{End, Leader};
use super::mark::Marks;
use super::pipes::Stream;
use super::sandbox::Sandbox;
use super::spawner::Spawner;
use super::starved;
use super::syscall::{self, Usage};
use super::{
    Confinement, Ending, ExecError, Meter, Order, Resource, Run, SandboxPolicy, Scratch, View,
};
use crate::stop::Stop;

/// Starts processes. Cheap to clone; clones share the meter and the scratch root.
#[derive(Clone, Debug)]
pub struct Runner {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    root: PathBuf,
    scratches: AtomicU64,
    marks: Marks,
    sandbox: Sandbox,
    meter: Meter,
    oom: OomCounter,
    spawner: Mutex<Option<Spawner>>,
    /// No run starts or goes on after this.
    stop: OnceLock<Stop>,
}

impl Runner {
    /// A runner whose scratch directories are in `scratch_root`, which is created if necessary.
    ///
    /// This makes our process the *subreaper* of all its descendants, permanently: orphans become our children
    /// instead of those of init, so that they can be found and reaped.
    pub fn new(
        scratch_root: impl Into<PathBuf>,
        policy: SandboxPolicy,
    ) -> Result<Runner, ExecError> {
        Runner::with_view(scratch_root, policy, &View::default())
    }

    /// A runner that also decides which files programs see, where the system permits that.
    pub fn with_view(
        scratch_root: impl Into<PathBuf>,
        policy: SandboxPolicy,
        view: &View,
    ) -> Result<Runner, ExecError> {
        let scratch_root = scratch_root.into();
        let unusable = |error| ExecError::scratch(&scratch_root, error);
        std::fs::create_dir_all(&scratch_root).map_err(unusable)?;
        let root = scratch_root.canonicalize().map_err(unusable)?;
        let scratches = AtomicU64::new(0);
        let trial = Scratch::new(&root, &scratches).map_err(unusable)?;
        prctl::set_child_subreaper(true)
            .map_err(|error| ExecError::io("become a subreaper")(error.into()))?;
        syscall::keep_ended_children();
        let sandbox = Sandbox::probe(policy, view, &trial, &root);
        let inner = Inner {
            root,
            scratches,
            marks: Marks::new(),
            sandbox,
            meter: Meter::default(),
            oom: OomCounter::new(),
            spawner: Mutex::new(None),
            stop: OnceLock::new(),
        };
        Ok(Runner { inner: Arc::new(inner) })
    }

    /// A new, empty scratch directory.
    pub fn scratch(&self) -> Result<Scratch, ExecError> {
        let Inner { root, scratches, sandbox, .. } = &*self.inner;
        let made = match sandbox.isolation() {
            Some(isolation) => Scratch::in_memory(isolation),
            None => Scratch::new(root, scratches),
        };
        made.map_err(|error| ExecError::scratch(root, error))
    }

    /// What the sandbox confines, as determined by probing.
    pub fn confinement(&self) -> &Confinement {
        self.inner.sandbox.confinement()
    }

    /// As soon as it is late for this, nothing is started any more, and what runs is ended: [`ExecError::Late`]. It can be
    /// set once. Loops of runs, such as the search for the case of a batch that fails, end soon after it.
    pub fn end_with(&self, stop: &Stop) {
        let _ = self.inner.stop.set(stop.clone());
    }

    /// Whether nothing is to run any more.
    pub(super) fn is_late(&self) -> bool {
        self.inner.stop.get().is_some_and(Stop::is_late)
    }

    pub fn meter(&self) -> &Meter {
        &self.inner.meter
    }

    /// Executes `order` with `scratch` as working directory and the only place to write to. When this returns
    /// `Ok`, all processes that were started have ended.
    pub fn run(&self, order: &Order, scratch: &Scratch) -> Result<Run, ExecError> {
        let start = Instant::now();
        let mut leader = self.start(&Launch {
            argv: &order.argv,
            env: &order.env,
            limits: &order.limits,
            limit_cpu: true,
            stdin: !order.stdin.is_empty(),
            is_steady: order.is_steady,
            shares_memory: order.shares_memory,
            scratch,
        })?;
        let mut gauge = Gauge::new(&order.limits, scratch);
        let mut record = Record::default();
        let watched = watch(&mut leader, order, start, &mut gauge, &mut record, self)
            .map_err(ExecError::io("watch a process"))?;
        let breach = match watched {
            Watched::Ended => None,
            Watched::Broke(ending) => Some(ending),
            Watched::Late => return Err(ExecError::Late),
        };
        let wall = start.elapsed();
        let end = leader.end(&mut |stream, bytes| record.add(stream, bytes))?;
        let cpu = end.usage.cpu + gauge.reaped();
        self.inner.meter.add_run(wall);
        self.inner.meter.add_cpu(cpu);

        let breach = breach.or(record.breach(order.limits.output));
        let (stdout, stderr) = (record.stdout.finish(), record.stderr.finish());
        let out_of_time = cpu >= order.limits.cpu;
        // A program may have been told so, and ended before we looked.
        let full = |end: End| {
            let used = scratch.folder().map(gauge::used);
            let failed = !libc::WIFEXITED(end.status) || libc::WEXITSTATUS(end.status) != 0;
            let is_full = failed && used.is_some_and(|used| gauge::is_full(used, &order.limits));
            is_full.then_some(Ending::Exceeded(Resource::Disk))
        };
        let ending = breach
            .or_else(|| full(end))
            .unwrap_or_else(|| ending::name(end.status, out_of_time, &stderr, self.oom()));
        let peak_memory = peak(&gauge, end.usage);
        let printed = [&stderr.bytes[..], &stdout.bytes[..]];
        if let Some(what) = starved::lack(ending, &printed, gauge.peak(), order.limits.memory) {
            // There is nothing else that it could write to.
            if what == starved::SPACE && scratch.folder().is_some() {
                let ending = Ending::Exceeded(Resource::Disk);
                return Ok(Run { ending, stdout, stderr, wall, cpu, peak_memory });
            }
            let program = order.argv.first().map(|it| it.display().to_string()).unwrap_or_default();
            return Err(ExecError::Starved { program, what });
        }
        Ok(Run { ending, stdout, stderr, wall, cpu, peak_memory })
    }

    /// Starts a process. The calling thread has to outlive it.
    pub(super) fn start(&self, launch: &Launch<'_>) -> Result<Leader, ExecError> {
        if self.is_late() {
            return Err(ExecError::Late);
        }
        let path = launch.scratch.path();
        let cell = self.inner.sandbox.cell(path).map_err(|source| match path.is_dir() {
            true => ExecError::Io { doing: "prepare the sandbox", source },
            false => ExecError::scratch(path, source),
        })?;
        launch.start(&cell, self.inner.marks.next())
    }

    pub(super) fn oom(&self) -> &OomCounter {
        &self.inner.oom
    }

    /// The thread that starts hosts, which is started if necessary.
    pub(super) fn spawner(&self) -> Result<Spawner, ExecError> {
        // A panic while the lock is held cannot leave the value in an invalid state.
        let mut spawner = self.inner.spawner.lock().unwrap_or_else(PoisonError::into_inner);
        match &*spawner {
            Some(spawner) => Ok(spawner.clone()),
            None => {
                let new = Spawner::new().map_err(ExecError::io("start a thread"))?;
                Ok(spawner.insert(new).clone())
            }
        }
    }
}

/// Why a run is not watched any more.
enum Watched {
    Ended,
    /// It exceeded a limit.
    Broke(Ending),
    Late,
}

/// Waits until the leader has ended, or a limit is exceeded, in which case the ending is returned.
fn watch(
    leader: &mut Leader,
    order: &Order,
    start: Instant,
    gauge: &mut Gauge,
    record: &mut Record,
    runner: &Runner,
) -> std::io::Result<Watched> {
    let deadline = start.checked_add(order.limits.wall);
    let mut input = &order.stdin[..];
    loop {
        let now = Instant::now();
        if deadline.is_some_and(|deadline| now >= deadline) {
            return Ok(Watched::Broke(Ending::TimedOut));
        }
        if runner.is_late() {
            return Ok(Watched::Late);
        }
        if now >= gauge.due()
            && let Some(ending) = gauge.look(leader.processes())
        {
            return Ok(Watched::Broke(ending));
        }
        let next = deadline.map_or(gauge.due(), |deadline| deadline.min(gauge.due()));
        let timeout = next.saturating_duration_since(now);
        let ended =
            leader.turn(timeout, &mut input, &mut |stream, bytes| record.add(stream, bytes))?;
        if input.is_empty() {
            leader.close_stdin();
        }
        if let Some(ending) = record.breach(order.limits.output) {
            return Ok(Watched::Broke(ending));
        }
        if ended {
            return Ok(Watched::Ended);
        }
    }
}

/// What the process has printed so far.
#[derive(Debug, Default)]
struct Record {
    stdout: Recorder,
    stderr: Recorder,
}

impl Record {
    fn add(&mut self, stream: Stream, bytes: &[u8]) {
        match stream {
            Stream::Out => self.stdout.record(bytes),
            Stream::Err => self.stderr.record(bytes),
        }
    }

    fn breach(&self, limit: u64) -> Option<Ending> {
        let printed = self.stdout.total() + self.stderr.total();
        (printed > limit).then_some(Ending::Exceeded(Resource::Output))
    }
}

/// The peak memory of the process tree. The figure that Linux reports for a child starts with our own size, because the
/// child shares our memory until `execve`, so it is only meaningful if it is larger than that.
fn peak(gauge: &Gauge, usage: Usage) -> u64 {
    let own = getrusage(UsageWho::RUSAGE_SELF).map_or(0, |usage| usage.max_rss());
    let own = u64::try_from(own).unwrap_or(0) << 10;
    if usage.peak > own || gauge.peak() == 0 { usage.peak.max(gauge.peak()) } else { gauge.peak() }
}
