//! The processes of one run: the leader, its descendants, and those that left its process group. Finds them,
//! kills them, reaps them. It never touches a process that is neither in the leader's process group nor
//! carries the run's mark. How scans are repeated is left to `sweep`; comparing what the processes use with
//! the limits to `gauge`.

use std::io;

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::{Pid, getpgid};

use super::mark::Mark;
use super::sweep::{self, Incomplete, Scan, Wait};
use super::syscall::{self, Reaped, Usage};
use super::{ExecError, process};

#[derive(Debug)]
pub(super) struct ProcessTree {
    /// The process that was started; also the id of its process group.
    leader: i32,
    mark: Mark,
    /// Whether the leader carries the mark as its resource limit, as opposed to its environment.
    marked: bool,
}

impl ProcessTree {
    /// To be called before the leader is reaped.
    pub(super) fn new(leader: i32, mark: Mark) -> ProcessTree {
        let marked = mark.limits(leader);
        ProcessTree { leader, mark, marked }
    }

    pub(super) fn leader(&self) -> i32 {
        self.leader
    }

    /// All processes of this run, including the leader and those that left its process group. To be called
    /// only while the leader is not reaped: afterwards another process group may have its id.
    pub(super) fn members(&self) -> io::Result<Vec<i32>> {
        let mut members = vec![];
        process::visit_all(&mut |pid| {
            if self.is_member(pid) {
                members.push(pid);
            }
        })?;
        Ok(members)
    }

    /// Like `members`, but at a cost that does not depend on the number of processes on the machine. A process
    /// that was started since `known` was determined may be missing; see [`process::children`]. For measuring,
    /// not for killing.
    pub(super) fn estimated_members(&self, known: &[i32]) -> Vec<i32> {
        if !process::lists_children() {
            return self.members().unwrap_or_else(|_| known.to_vec());
        }
        self.reachable(known, &mut |pid| process::children(pid).unwrap_or_default())
    }

    /// The leader, our own children that belong to this run (orphans, since we are their subreaper), the members
    /// among `known`, and all descendants of these.
    fn reachable(&self, known: &[i32], children: &mut dyn FnMut(i32) -> Vec<i32>) -> Vec<i32> {
        let own = std::process::id().cast_signed();
        let mut reachable = vec![self.leader];
        for pid in children(own).into_iter().chain(known.iter().copied()) {
            if !reachable.contains(&pid) && self.is_member(pid) {
                reachable.push(pid);
            }
        }
        let mut next = 0;
        while let Some(&pid) = reachable.get(next) {
            next += 1;
            for child in children(pid) {
                if !reachable.contains(&child) {
                    reachable.push(child);
                }
            }
        }
        reachable
    }

    /// Whether the process belongs to this run. As with `members`, only while the leader is not reaped.
    pub(super) fn is_member(&self, pid: i32) -> bool {
        getpgid(Some(Pid::from_raw(pid))) == Ok(Pid::from_raw(self.leader))
            || self.carries_mark(pid)
    }

    /// Kills the process group. Only while the leader, or another child of ours in the group, is not reaped.
    pub(super) fn kill_group(&self) {
        // An error means that there is no process left to kill.
        let _ = killpg(Pid::from_raw(self.leader), Signal::SIGKILL);
    }

    /// Reaps what is left of the killed process group, then kills and reaps the processes that had left it. To
    /// be called once the leader is reaped.
    pub(super) fn sweep(&self) -> Result<Usage, ExecError> {
        self.sweep_by(&mut |visit| {
            // We are the subreaper, so the processes that left the group are our children by now, or have an
            // ancestor that is. Without any child, scanning the process table is not necessary.
            if have_children() { process::visit_all(visit) } else { Ok(()) }
        })
    }

    fn sweep_by(&self, scan: Scan<'_>) -> Result<Usage, ExecError> {
        let mut usage = self.reap_group();
        let mut killed = vec![];
        let swept = sweep::sweep(scan, &mut |pid| {
            self.carries_mark(pid) && self.kill_and_reap(pid, &mut usage, &mut killed)
        });
        self.reap_killed(killed, &mut usage);
        match swept {
            Ok(()) => Ok(usage),
            Err(Incomplete::Unreadable(source)) => {
                Err(ExecError::Io { doing: "read the process table", source })
            }
            Err(Incomplete::Found(pids)) => {
                match pids.into_iter().find(|&pid| process::is_alive(pid)) {
                    Some(pid) => Err(ExecError::Unkillable { pid }),
                    // All of them have ended, and only their parents can reap them.
                    None => Ok(usage),
                }
            }
        }
    }

    /// Reaps our children in the killed process group until there is none.
    fn reap_group(&self) -> Usage {
        let mut usage = Usage::default();
        let mut wait = Wait::new();
        loop {
            // The id of the group is not reused as long as a process is in it, not even one that has ended, so
            // this cannot reap a child in another group.
            match syscall::reap(-self.leader) {
                Reaped::Ended { usage: more, .. } => {
                    usage.add(more);
                    wait = Wait::new();
                }
                Reaped::Running => {
                    // It may have joined the group again after the group was killed.
                    self.kill_group();
                    if !wait.pause() {
                        break;
                    }
                }
                Reaped::NoChild => break,
            }
        }
        usage
    }

    /// Kills a process that carries the mark. Returns false if nothing is left to do about it.
    fn kill_and_reap(&self, pid: i32, usage: &mut Usage, killed: &mut Vec<i32>) -> bool {
        sweep::kill_if(pid, || self.carries_mark(pid));
        if !self.marked {
            // Once it has ended it has no environment any more, so no scan will find it.
            if !killed.contains(&pid) {
                killed.push(pid);
            }
            return true;
        }
        match syscall::reap(pid) {
            Reaped::Ended { usage: more, .. } => usage.add(more),
            Reaped::Running => {}
            // The child of another process of this run, which is killed, too. Once that has ended, this one
            // becomes our child, if its parent has not reaped it.
            Reaped::NoChild => return process::is_alive(pid),
        }
        true
    }

    /// Reaps killed processes. One of them can be the child of another until that one is reaped.
    fn reap_killed(&self, mut killed: Vec<i32>, usage: &mut Usage) {
        let mut wait = Wait::new();
        while !killed.is_empty() {
            let (mut reaped, mut running) = (false, false);
            killed.retain(|&pid| match syscall::reap(pid) {
                Reaped::Ended { usage: more, .. } => {
                    usage.add(more);
                    reaped = true;
                    false
                }
                Reaped::Running => {
                    running = true;
                    true
                }
                Reaped::NoChild => true,
            });
            if !reaped && (!running || !wait.pause()) {
                break;
            }
        }
    }

    fn carries_mark(&self, pid: i32) -> bool {
        if self.marked { self.mark.limits(pid) } else { self.mark.in_environment_of(pid) }
    }
}

/// Whether this process has any child, alive or not. No child is reaped.
fn have_children() -> bool {
    let look =
        WaitPidFlag::WEXITED | WaitPidFlag::WNOHANG | WaitPidFlag::WNOWAIT | WaitPidFlag::__WALL;
    waitid(Id::All, look) != Err(Errno::ECHILD)
}

#[cfg(test)]
#[expect(unsafe_code, reason = "the mark is set between fork and exec")]
mod tests {
    use std::os::unix::process::CommandExt;
    use std::process::{Child, Command, Stdio};

    use nix::sys::resource::{Resource, setrlimit};
    use nix::sys::signal::kill;

    use super::super::mark::{self, Marks};
    use super::*;

    /// Starts a process in a process group of its own, with the mark in its limits or in its environment.
    fn start(argv: [&str; 2], mark: &Mark, as_limit: bool) -> (i32, Child) {
        let mut command = Command::new(argv[0]);
        command.arg(argv[1]).process_group(0);
        // If a test fails, the process must not keep the output of the test runner open.
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        if as_limit {
            let limit = mark.limit().unwrap();
            // SAFETY: the closure makes one system call.
            unsafe {
                command.pre_exec(move || Ok(setrlimit(Resource::RLIMIT_LOCKS, limit, limit)?));
            }
        } else {
            command.env(mark::VARIABLE, mark.text());
        }
        let child = command.spawn().unwrap();
        (i32::try_from(child.id()).unwrap(), child)
    }

    /// The tree of a run whose leader has ended, and a process of that run in another process group.
    fn tree_with_stray(as_limit: bool) -> (ProcessTree, i32) {
        let mark = Marks::new().next();
        let (stray, _) = start(["sleep", "86400"], &mark, as_limit);
        let (leader, mut child) = start(["true", ""], &mark, as_limit);
        let tree = ProcessTree::new(leader, mark);
        assert_eq!(tree.marked, as_limit);
        child.wait().unwrap();
        (tree, stray)
    }

    /// Fails if the process exists, alive or not. Kills it then, so that it does not outlive the test.
    fn assert_gone(pid: i32, as_limit: bool) {
        let gone = kill(Pid::from_raw(pid), Signal::SIGKILL) == Err(Errno::ESRCH);
        assert!(gone, "the process is left; mark as limit: {as_limit}");
    }

    /// Where our own limit on file locks is low, there is only the environment.
    fn ways_to_mark() -> impl Iterator<Item = bool> {
        [false, true]
            .into_iter()
            .filter(|&as_limit| !as_limit || Marks::new().next().limit().is_some())
    }

    #[test]
    fn a_process_that_left_the_group_is_killed_and_reaped() {
        for as_limit in ways_to_mark() {
            let (tree, stray) = tree_with_stray(as_limit);
            tree.sweep().unwrap();
            assert_gone(stray, as_limit);
        }
    }

    #[test]
    fn a_process_missed_by_one_scan_is_killed_and_reaped() {
        for as_limit in ways_to_mark() {
            let (tree, stray) = tree_with_stray(as_limit);
            let mut scans = 0;
            let scan = &mut |visit: &mut dyn FnMut(i32)| {
                scans += 1;
                process::visit_all(&mut |pid| {
                    if scans != 1 || pid != stray {
                        visit(pid);
                    }
                })
            };
            tree.sweep_by(scan).unwrap();
            assert_gone(stray, as_limit);
        }
    }

    #[test]
    fn a_process_is_killed_and_reaped_although_the_process_table_was_unreadable_at_first() {
        for as_limit in ways_to_mark() {
            let (tree, stray) = tree_with_stray(as_limit);
            let mut scans = 0;
            let scan = &mut |visit: &mut dyn FnMut(i32)| {
                scans += 1;
                if scans < 3 { Err(Errno::EMFILE.into()) } else { process::visit_all(visit) }
            };
            tree.sweep_by(scan).unwrap();
            assert_gone(stray, as_limit);
        }
    }

    #[test]
    fn a_known_process_is_measured_although_a_list_of_children_misses_it() {
        for as_limit in ways_to_mark() {
            let (tree, stray) = tree_with_stray(as_limit);
            let mut complete = |pid| if pid == tree.leader { vec![stray] } else { vec![] };
            let known = tree.reachable(&[], &mut complete);
            assert_eq!(known, [tree.leader, stray]);
            assert_eq!(tree.reachable(&known, &mut |_| vec![]), [tree.leader, stray]);
            tree.sweep().unwrap();
            assert_eq!(tree.reachable(&known, &mut |_| vec![]), [tree.leader]);
        }
    }
}
