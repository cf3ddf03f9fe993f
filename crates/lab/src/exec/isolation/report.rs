//! What the first process of a run tells us through a pipe: that the program was started, or why not, and how it ended.

use std::fs::File;
use std::io::{self, Read};
use std::os::fd::OwnedFd;

use super::wire::{pair, unpair};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Report {
    Started,
    /// With an `errno`.
    Failed(i32),
    /// With a wait status.
    Ended(i32),
}

impl Report {
    pub(super) fn bytes(self) -> [u8; 8] {
        match self {
            Report::Started => pair(1, 0),
            Report::Failed(errno) => pair(2, errno),
            Report::Ended(status) => pair(3, status),
        }
    }

    fn of(bytes: [u8; 8]) -> Option<Report> {
        match unpair(bytes) {
            (1, _) => Some(Report::Started),
            (2, errno) => Some(Report::Failed(errno)),
            (3, status) => Some(Report::Ended(status)),
            _ => None,
        }
    }
}

/// Our end of the pipe.
#[derive(Debug)]
pub(in super::super) struct Reports(File);

impl Reports {
    pub(super) fn new(pipe: OwnedFd) -> Reports {
        Reports(File::from(pipe))
    }

    /// Waits for the program to be started.
    pub(super) fn started(&mut self) -> io::Result<()> {
        match self.next() {
            Some(Report::Failed(errno)) => Err(io::Error::from_raw_os_error(errno)),
            Some(_) => Ok(()),
            None => Err(io::Error::other("its first process was killed")),
        }
    }

    /// The wait status of the program, once its first process has ended; nothing if that was killed.
    pub(in super::super) fn ended(&mut self) -> Option<i32> {
        match self.next() {
            Some(Report::Ended(status)) => Some(status),
            _ => None,
        }
    }

    fn next(&mut self) -> Option<Report> {
        let mut bytes = [0; 8];
        self.0.read_exact(&mut bytes).ok()?;
        Report::of(bytes)
    }
}
