//! Kills every process that a predicate selects, including those that are forked while it works. What
//! selects them is left to the callers: `tree` for the processes of a run, `scratch` for the orphans of a
//! killed runner.
//!
//! One scan of the process table proves nothing: it may fail half-way, and a process may fork a child with a
//! lower id, which the scan has passed already, and then end before the scan reaches it. So scans are
//! repeated until [`CLEAN_SCANS`] complete scans in a row find no process.

use std::io;
use std::os::fd::AsFd;
use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::syscall;

/// How many complete scans in a row have to find nothing.
const CLEAN_SCANS: u32 = 2;

/// How long to wait for killed processes without any change. A loaded machine needs a while to end a process,
/// so this is only reached by one that hangs in a system call.
const PATIENCE: Duration = Duration::from_secs(60);

/// Reports every process id, as [`visit_all`](super::process::visit_all) does. Tests pass one that misses
/// processes or fails.
pub(super) type Scan<'a> = &'a mut dyn FnMut(&mut dyn FnMut(i32)) -> io::Result<()>;

/// Why a sweep was given up.
#[derive(Debug)]
pub(super) enum Incomplete {
    /// These processes were still found.
    Found(Vec<i32>),
    /// The process table could not be read.
    Unreadable(io::Error),
}

/// Scans until nothing is found. `visit` gets each process id, kills the process if it is to be killed, and
/// returns whether the process counts as found.
pub(super) fn sweep(scan: Scan<'_>, visit: &mut dyn FnMut(i32) -> bool) -> Result<(), Incomplete> {
    let mut wait = Wait::new();
    let (mut clean, mut before) = (0, vec![]);
    while clean < CLEAN_SCANS {
        let mut found = vec![];
        let scanned = scan(&mut |pid| {
            if visit(pid) {
                found.push(pid);
            }
        });
        if scanned.is_ok() && found.is_empty() {
            clean += 1;
            continue;
        }
        clean = 0;
        if found != before {
            wait = Wait::new();
        }
        if !wait.pause() {
            return Err(match scanned {
                Err(error) if found.is_empty() => Incomplete::Unreadable(error),
                _ => Incomplete::Found(found),
            });
        }
        before = found;
    }
    Ok(())
}

/// Sends SIGKILL to the process if `is_selected` still holds once the signal can only reach that process.
pub(super) fn kill_if(pid: i32, is_selected: impl Fn() -> bool) {
    match syscall::open_pidfd(pid) {
        // The id may have been reused since it was listed, but a pidfd keeps referring to one process.
        Ok(pidfd) if is_selected() => syscall::kill(pidfd.as_fd()),
        Ok(_) => {}
        // Out of descriptors, or forbidden by a seccomp filter. Ids are assigned in ascending order, so that
        // this one is not reused between these two system calls.
        Err(_) if is_selected() => {
            let _ = kill(Pid::from_raw(pid), Signal::SIGKILL);
        }
        Err(_) => {}
    }
}

/// Increasing pauses, up to [`PATIENCE`] in total.
pub(super) struct Wait {
    next: Duration,
    end: Instant,
}

impl Wait {
    pub(super) fn new() -> Wait {
        Wait { next: Duration::from_micros(50), end: Instant::now() + PATIENCE }
    }

    /// Sleeps, and returns false once the patience is exhausted.
    pub(super) fn pause(&mut self) -> bool {
        sleep(self.next);
        self.next = (self.next * 2).min(Duration::from_millis(10));
        Instant::now() < self.end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A process table per scan; after the last one it is empty.
    fn sweep_over(tables: &[io::Result<&[i32]>]) -> (Vec<i32>, usize) {
        let (mut killed, mut scans) = (vec![], 0);
        let mut scan = |visit: &mut dyn FnMut(i32)| {
            let table = tables.get(scans);
            scans += 1;
            match table {
                Some(Ok(pids)) => pids.iter().for_each(|&pid| visit(pid)),
                Some(Err(error)) => return Err(error.kind().into()),
                None => {}
            }
            Ok(())
        };
        let mut visit = |pid| {
            killed.push(pid);
            true
        };
        sweep(&mut scan, &mut visit).unwrap();
        (killed, scans)
    }

    #[test]
    fn a_process_missed_by_one_scan_is_found_by_the_next() {
        assert_eq!(sweep_over(&[Ok(&[]), Ok(&[7])]).0, [7]);
        assert_eq!(sweep_over(&[Ok(&[5]), Ok(&[]), Ok(&[7])]).0, [5, 7]);
    }

    #[test]
    fn a_failed_scan_is_not_an_empty_process_table() {
        let failed = || Err(io::ErrorKind::OutOfMemory.into());
        assert_eq!(sweep_over(&[Ok(&[]), failed(), Ok(&[]), Ok(&[7])]).0, [7]);
        assert_eq!(sweep_over(&[failed(), failed(), failed()]), (vec![], 5));
    }

    #[test]
    fn an_empty_process_table_is_scanned_twice() {
        assert_eq!(sweep_over(&[]), (vec![], 2));
    }
}
