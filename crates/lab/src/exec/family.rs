//! Everything that one run started: finding it, killing it, reaping it. Never more than that: a
//! process is only touched if it is in the group that we made or carries the mark that we gave.

use std::thread::sleep;
use std::time::{Duration, Instant};

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::{Pid, getpgid};

use super::kernel::{self, Reaped, Toll};
use super::mark::Mark;
use super::process;
use std::os::fd::AsFd;

/// How long killed processes are waited for. Only one that hangs in the kernel takes that long.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Family {
    /// The process that we started; also the id of its group.
    leader: i32,
    mark: Mark,
    /// Whether the leader does carry the mark as its limit.
    marked: bool,
}

impl Family {
    pub(super) fn new(leader: i32, mark: Mark) -> Family {
        let marked = mark.limits(leader);
        Family { leader, mark, marked }
    }

    pub(super) fn leader(&self) -> i32 {
        self.leader
    }

    /// All processes of this run, the leader and those that left its group among them. To be asked
    /// only while the leader is not reaped, since its id, which is the group's, is ours until then.
    pub(super) fn members(&self) -> Vec<i32> {
        process::all().filter(|&pid| self.is_member(pid)).collect()
    }

    /// Nearly always the same, for less: the leader with its descendants, and the orphans, who have come to us.
    pub(super) fn kin(&self) -> Vec<i32> {
        if !process::lists_children() {
            return self.members();
        }
        let own = std::process::id().cast_signed();
        let orphans = process::children(own).unwrap_or_default();
        let mut kin = vec![self.leader];
        kin.extend(orphans.into_iter().filter(|&pid| pid != self.leader && self.is_member(pid)));
        let mut next = 0;
        while let Some(&pid) = kin.get(next) {
            next += 1;
            // Whoever comes to us meanwhile would be there twice.
            for child in process::children(pid).unwrap_or_default() {
                if !kin.contains(&child) {
                    kin.push(child);
                }
            }
        }
        kin
    }

    fn is_member(&self, pid: i32) -> bool {
        getpgid(Some(Pid::from_raw(pid))) == Ok(Pid::from_raw(self.leader))
            || self.carries_mark(pid)
    }

    /// Kills the group. As with `members`, only while the leader is not reaped.
    pub(super) fn kill_group(&self) {
        // That there is nobody left to kill is fine.
        let _ = killpg(Pid::from_raw(self.leader), Signal::SIGKILL);
    }

    /// Reaps what is left of the killed group, then kills and reaps those that had left it. To be
    /// called once the leader is reaped.
    pub(super) fn sweep(&self) -> Toll {
        let mut toll = Toll::default();
        let mut pause = Pause::new();
        // The id of a group stays taken as long as one process is in it, so that until there is no
        // such child this can't meet another group.
        loop {
            match kernel::reap(-self.leader) {
                Reaped::Ended { toll: more, .. } => toll.add(more),
                Reaped::Running if pause.take() => {}
                Reaped::Running | Reaped::NoChild => break,
            }
        }
        let mut pause = Pause::new();
        let mut killed = Vec::new();
        // We are the subreaper: whoever left the group has us as parent by now, or an ancestor that
        // has. Without any child we need not look through the process table.
        while have_children() {
            let found = self.kill_strays(&mut killed);
            killed.retain(|&pid| match kernel::reap(pid) {
                Reaped::Ended { toll: more, .. } => {
                    toll.add(more);
                    false
                }
                Reaped::Running => true,
                // As long as there are others, one of them may be its parent.
                Reaped::NoChild => found,
            });
            if (!found && killed.is_empty()) || !pause.take() {
                break;
            }
        }
        toll
    }

    /// Kills everyone who carries the mark, and says whether there was anyone, dead or alive.
    fn kill_strays(&self, killed: &mut Vec<i32>) -> bool {
        let mut found = false;
        for pid in process::all().filter(|&pid| self.carries_mark(pid)) {
            found = true;
            if let Ok(pidfd) = kernel::open_pidfd(pid) {
                // Between the look and the opening, the id may have passed to somebody else.
                if self.carries_mark(pid) {
                    kernel::kill(pidfd.as_fd());
                }
            }
            if !killed.contains(&pid) {
                killed.push(pid);
            }
        }
        found
    }

    fn carries_mark(&self, pid: i32) -> bool {
        if self.marked { self.mark.limits(pid) } else { self.mark.in_environment_of(pid) }
    }
}

/// Whether this process has any child at all. It only looks: nobody's child is reaped.
fn have_children() -> bool {
    let look =
        WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT | WaitPidFlag::__WALL;
    waitid(Id::All, look) != Err(Errno::ECHILD)
}

/// Ever longer pauses, until patience runs out.
struct Pause {
    next: Duration,
    end: Instant,
}

impl Pause {
    fn new() -> Pause {
        Pause { next: Duration::from_micros(50), end: Instant::now() + PATIENCE }
    }

    /// Sleeps and says whether to go on.
    fn take(&mut self) -> bool {
        sleep(self.next);
        self.next = (self.next * 2).min(Duration::from_millis(10));
        Instant::now() < self.end
    }
}
