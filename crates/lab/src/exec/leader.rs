//! A started process and its end. However a run is left, by an error or a panic too, dropping its
//! leader ends the whole family.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::time::{Duration, Instant};

use super::ExecError;
use super::family::Family;
use super::kernel::{self, Reaped, Toll};
use super::mark::Mark;
use super::pipes::{Pipes, Stream};

/// How long a killed leader is waited for. Only one that hangs in the kernel takes that long.
const PATIENCE: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct Leader {
    family: Family,
    pidfd: OwnedFd,
    pipes: Pipes,
    end: Option<End>,
}

/// The leader's wait status, and what the family has cost.
#[derive(Clone, Copy, Debug)]
pub(super) struct End {
    pub(super) status: i32,
    pub(super) toll: Toll,
}

impl Leader {
    /// Takes charge of the child `pid`, which leads its own group.
    pub(super) fn new(pid: i32, pidfd: OwnedFd, pipes: Pipes, mark: Mark) -> Leader {
        Leader { family: Family::new(pid, mark), pidfd, pipes, end: None }
    }

    pub(super) fn family(&self) -> &Family {
        &self.family
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

    /// Kills and reaps the whole family, and moves its last words to `sink`.
    pub(super) fn end(&mut self, sink: &mut dyn FnMut(Stream, &[u8])) -> Result<End, ExecError> {
        if let Some(end) = self.end {
            return Ok(end);
        }
        // The order matters: until the leader is reaped, its id can't pass to another group.
        self.family.kill_group();
        let mut end = self.reap(sink)?;
        end.toll.add(self.family.sweep());
        self.end = Some(end);
        self.pipes.drain(sink);
        Ok(end)
    }

    fn reap(&mut self, sink: &mut dyn FnMut(Stream, &[u8])) -> Result<End, ExecError> {
        let pid = self.family.leader();
        let deadline = Instant::now() + PATIENCE;
        loop {
            match kernel::reap(pid) {
                Reaped::Ended { status, toll } => return Ok(End { status, toll }),
                Reaped::Running if Instant::now() < deadline => {
                    self.turn(Duration::from_millis(100), &mut &[][..], sink)
                        .map_err(ExecError::io("wait for a process"))?;
                }
                Reaped::Running => return Err(ExecError::Unkillable { pid }),
                // Somebody reaped our child behind our back; how it ended is lost.
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
