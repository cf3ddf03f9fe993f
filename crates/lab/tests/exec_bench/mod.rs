//! Shared by the tests of `lab::exec`: a runner with its own directory, and checks for leftovers.

#![allow(clippy::allow_attributes, reason = "what is unused differs from binary to binary")]
#![allow(dead_code, unreachable_pub, reason = "each test binary uses another part")]
#![expect(clippy::unwrap_used, reason = "this is all test code")]

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering::Relaxed, Ordering::SeqCst};
use std::time::Duration;

use lab::exec::{Limits, Order, Run, Runner, SandboxPolicy};

pub struct Bench {
    pub runner: Runner,
    pub root: tempfile::TempDir,
    /// Dropped last.
    ended: Ended,
}

/// The runner's own process is a zombie for a moment while the runner is dropped.
impl Drop for Bench {
    fn drop(&mut self) {
        RUNNING.fetch_add(1, SeqCst);
    }
}

struct Ended;

impl Drop for Ended {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, SeqCst);
    }
}

impl Bench {
    pub fn new() -> Bench {
        Bench::with(SandboxPolicy::BestEffort)
    }

    pub fn with(policy: SandboxPolicy) -> Bench {
        let root = tempfile::tempdir().unwrap();
        Bench { runner: Runner::new(root.path(), policy).unwrap(), root, ended: Ended }
    }

    /// Runs a shell script and checks that it left no process and no directory.
    pub fn shell(&self, script: &str, limits: Limits) -> Run {
        self.run(&Order::new(["/bin/sh", "-c", script]).limits(limits))
    }

    pub fn run(&self, order: &Order) -> Run {
        let scratch = self.runner.scratch().unwrap();
        let running = Running::begin();
        let run = self.runner.run(order, &scratch).unwrap();
        drop((running, scratch));
        self.assert_no_scratch();
        assert_no_zombie();
        run
    }

    pub fn assert_no_scratch(&self) {
        let left: Vec<_> = fs::read_dir(self.root.path()).unwrap().collect();
        assert!(left.is_empty(), "scratch directories are left: {left:?}");
    }
}

/// Limits that a well-behaved program does not reach, even on a busy machine.
pub fn limits() -> Limits {
    Limits { wall: Duration::from_secs(60), ..Limits::default() }
}

/// A number of seconds that no other process sleeps, so that the process can be found.
pub fn unique_sleep() -> String {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    format!("{}.{:06}", 86_400 + std::process::id(), COUNTER.fetch_add(1, Relaxed))
}

/// How many processes have `word` among their arguments.
pub fn count_with_argument(word: &str) -> usize {
    let processes = fs::read_dir("/proc").unwrap();
    let commands = processes.filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok());
    commands
        .filter(|line| line.split(|&byte| byte == 0).any(|part| part == word.as_bytes()))
        .count()
}

pub fn assert_gone(word: &str) {
    assert_eq!(count_with_argument(word), 0, "processes with {word} are left");
}

/// How many tests have processes at the moment.
static RUNNING: AtomicUsize = AtomicUsize::new(0);

/// Held while a test has processes. Their zombies are reaped by that test, sooner or later.
pub struct Running(());

impl Running {
    pub fn begin() -> Running {
        RUNNING.fetch_add(1, SeqCst);
        Running(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, SeqCst);
    }
}

/// Fails if a child of ours is a zombie that no test can be about to reap. There is no deadline, which a loaded
/// machine could miss: as long as another test has processes, the zombie may be one of them.
pub fn assert_no_zombie() {
    for pid in zombies() {
        loop {
            // Asked first: who has no processes now has no zombie later.
            let others = RUNNING.load(SeqCst);
            if !zombies().contains(&pid) {
                break;
            }
            assert!(others > 0, "{pid} stays a zombie");
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

pub fn zombies() -> Vec<u32> {
    let own = std::process::id();
    children()
        .into_iter()
        .filter(|(_, state, parent)| *state == 'Z' && *parent == own)
        .map(|c| c.0)
        .collect()
}

/// Process id, state and parent of every process.
pub fn children() -> Vec<(u32, char, u32)> {
    let processes = fs::read_dir("/proc").unwrap();
    let stat = |path: &Path| {
        let line = fs::read_to_string(path.join("stat")).ok()?;
        let pid = line.split(' ').next()?.parse().ok()?;
        let mut rest = line[line.rfind(')')? + 2..].split(' ');
        Some((pid, rest.next()?.chars().next()?, rest.next()?.parse().ok()?))
    };
    processes.filter_map(|entry| stat(&entry.ok()?.path())).collect()
}
