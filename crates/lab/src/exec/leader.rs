//! A started process with its pipes, until its end. Dropping a [`Leader`] kills and reaps its whole process
//! tree, also when a run is left by an error or a panic. Starting it is left to `launch`; finding the other
//! processes to `tree`.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use super::ExecError;
use super::isolation::{Reports, Started};
use super::mark::Mark;
use super::pipes::{Pipes, Stream};
use super::processes::Processes;
use super::syscall::{self, Reaped, Usage};
use super::tree::ProcessTree;

/// How long to wait for a killed leader. A loaded machine needs a while to end a process, so this is only
/// reached by one that hangs in a system call.
const PATIENCE: Duration = Duration::from_secs(60);

/// How long the first process of a namespace may take to kill all others, before it is killed itself.
const ASKED: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Leader {
    processes: Processes,
    pidfd: OwnedFd,
    pipes: Pipes,
    /// What the first process of a namespace tells about the program that it started.
    reports: Option<Reports>,
    end: Option<End>,
}

/// The leader's wait status, and the resource usage of the process tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) status: i32,
    pub(super) usage: Usage,
}

impl Leader {
    /// Takes charge of the child `pid`, which leads its own process group.
    pub(super) fn new(pid: i32, pidfd: OwnedFd, pipes: Pipes, mark: Mark) -> Leader {
        let processes = Processes::Marked(ProcessTree::new(pid, mark));
        Leader { processes, pidfd, pipes, reports: None, end: None }
    }

    /// Takes charge of a program in a process namespace of its own.
    pub(super) fn of_namespace(started: Started, pipes: Pipes) -> Leader {
        let Started { pid, pidfd, reports } = started;
        let processes = Processes::Namespace(pid);
        Leader { processes, pidfd, pipes, reports: Some(reports), end: None }
    }

    pub(super) fn processes(&self) -> &Processes {
        &self.processes
    }

    pub(super) fn close_stdin(&mut self) {
        self.pipes.close_stdin();
    }

    /// See [`Pipes::unread`].
    pub(super) fn unread(&self) -> usize {
        self.pipes.unread()
    }

    /// See [`Pipes::turn`].
    pub(super) fn turn(
        &mut self,
        timeout: Duration,
        input: &mut &[u8],
        sink: &mut dyn FnMut(Stream, &[u8]),
    ) -> io::Result<bool> {
        self.pipes.turn(self.pidfd.as_fd(), timeout, input, sink)
    }

    /// Kills and reaps the whole process tree, and passes the rest of its output to `sink`.
    pub(super) fn end(&mut self, sink: &mut dyn FnMut(Stream, &[u8])) -> Result<End, ExecError> {
        if let Some(end) = self.end {
            return Ok(end);
        }
        // The order matters: as long as the leader is not reaped, its id cannot pass to another group.
        self.processes.kill(&self.pidfd);
        let reaped = self.reap(sink);
        // Also if the leader could not be reaped: nothing else would kill the processes that left its group.
        let swept = self.processes.sweep();
        let mut end = reaped?;
        end.usage.add(swept?);
        if let Some(status) = self.reports.as_mut().and_then(Reports::ended) {
            end.status = status;
        }
        self.end = Some(end);
        self.pipes.drain(sink);
        Ok(end)
    }

    fn reap(&mut self, sink: &mut dyn FnMut(Stream, &[u8])) -> Result<End, ExecError> {
        let pid = self.processes.leader();
        let start = Instant::now();
        let deadline = start + PATIENCE;
        loop {
            if start.elapsed() > ASKED {
                self.processes.kill_leader(&self.pidfd);
            }
            match syscall::reap(pid) {
                Reaped::Ended { status, usage } => return Ok(End { status, usage }),
                Reaped::Running if Instant::now() < deadline => {
                    self.turn(Duration::from_millis(100), &mut &[][..], sink)
                        .map_err(ExecError::io("wait for a process"))?;
                }
                Reaped::Running => return Err(ExecError::Unkillable { pid }),
                // Other code in this process has reaped our child; how it ended is lost.
                Reaped::NoChild => {
                    let source = io::Error::from_raw_os_error(libc::ECHILD);
                    return Err(ExecError::Io { doing: "wait for a process", source });
                }
            }
        }
    }
}

impl Drop for Leader {
    fn drop(&mut self) {
        let _ = self.end(&mut |_, _| {});
    }
}
