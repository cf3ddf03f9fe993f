//! The processes of one run, whichever way they are kept together: by a mark that they inherit, or by a process namespace
//! whose first process is ours. Finding marked ones is left to `tree`.

use std::fs;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use super::syscall::{self, Usage};
use super::tree::ProcessTree;
use super::{ExecError, isolation, process};

#[derive(Debug)]
pub(super) enum Processes {
    Marked(ProcessTree),
    /// The first process of their namespace. It is ours, so it is not limited.
    Namespace(i32),
}

impl Processes {
    /// The process that has to be reaped. All others are its descendants, or marked.
    pub(super) fn leader(&self) -> i32 {
        match self {
            Processes::Marked(tree) => tree.leader(),
            Processes::Namespace(first) => *first,
        }
    }

    /// Whether it is a process of ours.
    pub(super) fn is_ours(&self, pid: i32) -> bool {
        matches!(self, Processes::Namespace(first) if *first == pid)
    }

    /// All processes of the run, and our own. To be called only while the leader is not reaped.
    pub(super) fn members(&self) -> io::Result<Vec<i32>> {
        match self {
            Processes::Marked(tree) => tree.members(),
            Processes::Namespace(first) => in_namespace_of(*first),
        }
    }

    /// Like `members`, but a process that was started since `known` was determined may be missing.
    pub(super) fn estimated_members(&self, known: &[i32]) -> Vec<i32> {
        match self {
            Processes::Marked(tree) => tree.estimated_members(known),
            Processes::Namespace(first) if process::lists_children() => descendants(*first),
            Processes::Namespace(_) => self.members().unwrap_or_else(|_| known.to_vec()),
        }
    }

    /// Whether it is a process of this run that only we can reap.
    pub(super) fn is_orphan(&self, pid: i32) -> bool {
        match self {
            Processes::Marked(tree) => pid != tree.leader() && tree.is_member(pid),
            Processes::Namespace(_) => false,
        }
    }

    /// Kills the leader and most of the others.
    pub(super) fn kill(&self, pidfd: &OwnedFd) {
        match self {
            Processes::Marked(tree) => tree.kill_group(),
            Processes::Namespace(_) => isolation::end(pidfd),
        }
    }

    /// Kills the leader for good: it could not be asked to end.
    pub(super) fn kill_leader(&self, pidfd: &OwnedFd) {
        if let Processes::Namespace(_) = self {
            // Linux kills all others in the namespace.
            syscall::kill(pidfd.as_fd());
        }
    }

    /// Kills and reaps what is left once the leader is reaped.
    pub(super) fn sweep(&self) -> Result<Usage, ExecError> {
        match self {
            Processes::Marked(tree) => tree.sweep(),
            // Linux reaps the first process of a namespace only after all others have ended.
            Processes::Namespace(_) => Ok(Usage::default()),
        }
    }
}

/// A process and all that descend from it: whoever loses its parent there becomes its child.
fn descendants(first: i32) -> Vec<i32> {
    let mut all = vec![first];
    let mut next = 0;
    while let Some(&pid) = all.get(next) {
        next += 1;
        for child in process::children(pid).unwrap_or_default() {
            if !all.contains(&child) {
                all.push(child);
            }
        }
    }
    all
}

fn in_namespace_of(first: i32) -> io::Result<Vec<i32>> {
    let namespace = |pid: i32| fs::read_link(format!("/proc/{pid}/ns/pid_for_children"));
    // That of the first process cannot be read by an ordinary user, but its children have it.
    let Some(theirs) = descendants(first).into_iter().find_map(|pid| namespace(pid).ok()) else {
        return Ok(vec![first]);
    };
    let mut members = vec![first];
    process::visit_all(&mut |pid| {
        if pid != first && namespace(pid).is_ok_and(|its| its == theirs) {
            members.push(pid);
        }
    })?;
    Ok(members)
}
