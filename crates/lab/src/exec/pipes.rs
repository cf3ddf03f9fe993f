//! The pipes to the three standard streams of a child, served by one thread with non-blocking I/O. What is done
//! with the output is left to the callers.

use std::fs::File;
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::Duration;

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::unistd::pipe2;

use super::syscall;

/// The default capacity of a pipe.
const CHUNK: usize = 64 << 10;
/// More chunks than a pipe can contain once no process writes to it.
const LEFTOVER_CHUNKS: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    Out,
    Err,
}

#[derive(Debug)]
pub(super) struct Pipes {
    stdin: Option<File>,
    stdout: Option<File>,
    stderr: Option<File>,
    buffer: Vec<u8>,
}

impl Pipes {
    /// Creates the pipes: our ends, and the child's stdin, stdout and stderr. Without `stdin`, the child's is
    /// `/dev/null`.
    pub(super) fn new(stdin: bool) -> io::Result<(Pipes, [OwnedFd; 3])> {
        let (their_stdin, our_stdin) = if stdin {
            let (theirs, ours) = pipe2(OFlag::O_CLOEXEC)?;
            (theirs, Some(ours))
        } else {
            (File::open("/dev/null")?.into(), None)
        };
        let (our_stdout, their_stdout) = pipe2(OFlag::O_CLOEXEC)?;
        let (our_stderr, their_stderr) = pipe2(OFlag::O_CLOEXEC)?;
        let pipes = Pipes {
            stdin: our_stdin.map(do_not_block).transpose()?,
            stdout: Some(do_not_block(our_stdout)?),
            stderr: Some(do_not_block(our_stderr)?),
            buffer: vec![0; CHUNK],
        };
        Ok((pipes, [their_stdin, their_stdout, their_stderr]))
    }

    pub(super) fn close_stdin(&mut self) {
        self.stdin = None;
    }

    /// The number of bytes that were written to stdin and that the child has not read.
    pub(super) fn unread(&self) -> usize {
        self.stdin.as_ref().map_or(0, |pipe| syscall::bytes_in_pipe(pipe.as_fd()))
    }

    /// Waits until a pipe is ready, the process of `pidfd` has ended, or `timeout` has passed. Writes what it can
    /// of `input` to the child, and passes the child's output to `sink`. Returns whether the process has ended.
    pub(super) fn turn(
        &mut self,
        pidfd: BorrowedFd<'_>,
        timeout: Duration,
        input: &mut &[u8],
        sink: &mut dyn FnMut(Stream, &[u8]),
    ) -> io::Result<bool> {
        let mut ready = [false; 4];
        {
            let stdin = self.stdin.as_ref().filter(|_| !input.is_empty());
            let fds = [
                Some((pidfd, PollFlags::POLLIN)),
                self.stdout.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::POLLIN)),
                self.stderr.as_ref().map(|pipe| (pipe.as_fd(), PollFlags::POLLIN)),
                stdin.map(|pipe| (pipe.as_fd(), PollFlags::POLLOUT)),
            ];
            let mut places = Vec::with_capacity(fds.len());
            let mut polled = Vec::with_capacity(fds.len());
            for (place, fd) in fds.into_iter().enumerate() {
                if let Some((fd, flags)) = fd {
                    places.push(place);
                    polled.push(PollFd::new(fd, flags));
                }
            }
            match poll(&mut polled, rounded_up(timeout)) {
                Ok(_) | Err(nix::errno::Errno::EINTR) => {}
                Err(error) => return Err(error.into()),
            }
            for (place, fd) in places.into_iter().zip(&polled) {
                ready[place] = fd.any().unwrap_or(true);
            }
        }
        let [ended, stdout, stderr, stdin] = ready;
        if stdin {
            self.feed(input);
        }
        if stdout {
            move_chunk(&mut self.stdout, &mut self.buffer, |bytes| sink(Stream::Out, bytes));
        }
        if stderr {
            move_chunk(&mut self.stderr, &mut self.buffer, |bytes| sink(Stream::Err, bytes));
        }
        Ok(ended)
    }

    /// Passes what is left in the pipes to `sink`, without waiting for more.
    pub(super) fn drain(&mut self, sink: &mut dyn FnMut(Stream, &[u8])) {
        for _ in 0..LEFTOVER_CHUNKS {
            let out =
                move_chunk(&mut self.stdout, &mut self.buffer, |bytes| sink(Stream::Out, bytes));
            let err =
                move_chunk(&mut self.stderr, &mut self.buffer, |bytes| sink(Stream::Err, bytes));
            if !out && !err {
                break;
            }
        }
    }

    fn feed(&mut self, input: &mut &[u8]) {
        let Some(stdin) = &mut self.stdin else { return };
        match stdin.write(input) {
            Ok(written) => *input = &input[written..],
            Err(error) if waits(&error) => {}
            // A child need not read all of its input.
            Err(_) => self.stdin = None,
        }
    }
}

/// Reads once. Closes a stream at its end. Returns whether there may be more.
fn move_chunk(pipe: &mut Option<impl Read>, buffer: &mut [u8], sink: impl FnOnce(&[u8])) -> bool {
    let Some(stream) = pipe else { return false };
    match stream.read(buffer) {
        Ok(0) => *pipe = None,
        Ok(length) => {
            sink(&buffer[..length]);
            return true;
        }
        Err(error) if waits(&error) => {}
        Err(_) => *pipe = None,
    }
    false
}

fn waits(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted)
}

fn do_not_block(pipe: OwnedFd) -> io::Result<File> {
    // The two ends of a pipe have separate flags, so the child's end stays blocking.
    fcntl(&pipe, FcntlArg::F_SETFL(OFlag::O_NONBLOCK))?;
    Ok(pipe.into())
}

fn rounded_up(timeout: Duration) -> PollTimeout {
    let milliseconds = timeout.as_nanos().div_ceil(1_000_000);
    PollTimeout::try_from(milliseconds).unwrap_or(PollTimeout::MAX)
}
