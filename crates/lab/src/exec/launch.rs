//! Starts a process with a clean environment, its own process group, limits and the sandbox, in namespaces of its own
//! where the system permits that. Limits that Linux enforces are in `ceilings`; those that it cannot enforce are left to
//! `gauge`.

use std::ffi::OsString;
use std::io;
use std::os::fd::OwnedFd;
use std::thread::sleep;
use std::time::Duration;

use nix::sys::prctl;
use nix::sys::resource::{Resource as Limit, setrlimit};
use nix::sys::signal::Signal;
use nix::unistd::{Pid, getppid};

use super::ceilings::Ceilings;
use super::clone;
use super::gauge;
use super::image::Image;
use super::isolation;
use super::leader::Leader;
use super::mark::{self, Mark};
use super::pipes::Pipes;
use super::sandbox::Cell;
use super::{ExecError, Limits, Scratch, syscall};

/// A file that was just written cannot be executed (ETXTBSY) while a child of another thread, between fork and
/// exec, still holds it open for writing (<https://github.com/golang/go/issues/22315>).
const BUSY_ATTEMPTS: u32 = 20;
const BUSY_PAUSE: Duration = Duration::from_millis(5);

/// What is needed to start one process.
#[derive(Debug)]
pub(super) struct Launch<'a> {
    pub(super) argv: &'a [OsString],
    pub(super) env: &'a [(OsString, OsString)],
    pub(super) limits: &'a Limits,
    /// Whether Linux limits the CPU time of each process.
    pub(super) limit_cpu: bool,
    /// Whether there is any input.
    pub(super) stdin: bool,
    /// Whether its addresses are not randomised.
    pub(super) is_steady: bool,
    /// Whether it shares our System V shared memory.
    pub(super) shares_memory: bool,
    pub(super) scratch: &'a Scratch,
}

impl Launch<'_> {
    /// Starts the process. The calling thread must outlive it: Linux sends the parent-death signal when
    /// that thread ends.
    pub(super) fn start(&self, cell: &Cell, mark: Mark) -> Result<Leader, ExecError> {
        let program = self.argv.first().ok_or(ExecError::NoProgram)?;
        let cwd = self.scratch.path();
        let failed = |error| ExecError::start(program.display().to_string(), cwd, error);
        let image = Image::new(self.argv, &self.environment(&mark), cwd).map_err(failed)?;
        let (pipes, theirs) = Pipes::new(self.stdin).map_err(failed)?;
        let streams = theirs.each_ref();
        let mut attempt = 1;
        loop {
            let started = match cell.isolation() {
                Some(isolation) => self.isolated(isolation, &image, streams, cell),
                None => self.clone(&image, streams, cell, &mark),
            };
            match started {
                Err(error)
                    if error.kind() == io::ErrorKind::ExecutableFileBusy
                        && attempt < BUSY_ATTEMPTS =>
                {
                    sleep(BUSY_PAUSE);
                    attempt += 1;
                }
                Err(error) => return Err(failed(error)),
                Ok(Begun::Alone(pid, pidfd)) => return Ok(Leader::new(pid, pidfd, pipes, mark)),
                Ok(Begun::InNamespace(started)) => {
                    return Ok(Leader::of_namespace(started, pipes));
                }
            }
        }
    }

    fn ceilings(&self) -> Ceilings {
        Ceilings::of(self.limits, self.limit_cpu, self.is_steady)
    }

    fn isolated(
        &self,
        isolation: &isolation::Isolation,
        image: &Image,
        streams: [&OwnedFd; 3],
        cell: &Cell,
    ) -> io::Result<Begun> {
        let started = isolation.start(&isolation::Start {
            image,
            streams,
            rules: cell.rules(),
            ceilings: self.ceilings(),
            room: self.scratch.room(),
            size: gauge::space(self.limits),
            shares_memory: self.shares_memory,
        })?;
        Ok(Begun::InNamespace(started))
    }

    /// Of our own environment, only the search path is passed on.
    fn environment(&self, mark: &Mark) -> Vec<(OsString, OsString)> {
        let here = self.scratch.path().as_os_str();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut environment: Vec<(OsString, OsString)> = vec![
            ("PATH".into(), path),
            ("HOME".into(), here.into()),
            ("TMPDIR".into(), here.into()),
            ("LANG".into(), "C.UTF-8".into()),
            (mark::VARIABLE.into(), mark.text()),
        ];
        environment.extend_from_slice(self.env);
        environment
    }

    #[expect(unsafe_code, reason = "limits and the sandbox are applied in the child")]
    fn clone(
        &self,
        image: &Image,
        streams: [&OwnedFd; 3],
        cell: &Cell,
        mark: &Mark,
    ) -> io::Result<Begun> {
        let parent = Pid::this();
        let mark = mark.limit();
        let ceilings = self.ceilings();
        let prepare = || {
            syscall::close_the_rest_on_exec();
            // If this fails, the mark in the environment is used.
            if let Some(mark) = mark {
                let _ = setrlimit(Limit::RLIMIT_LOCKS, mark, mark);
            }
            ceilings.apply()?;
            cell.enter()?;
            // Entering a user namespace clears the parent-death signal, so it is set last.
            prctl::set_pdeathsig(Signal::SIGKILL)?;
            if getppid() != parent {
                // Our process died before the signal was set, so it will not be sent.
                return Err(io::Error::from_raw_os_error(libc::ESRCH));
            }
            Ok(())
        };
        // SAFETY: `prepare` makes system calls through thin wrappers and nothing else.
        let (pid, pidfd) = unsafe { clone::start(image, streams, &prepare) }?;
        Ok(Begun::Alone(pid, pidfd))
    }
}

/// A process that was started.
enum Begun {
    /// With its id.
    Alone(i32, OwnedFd),
    InNamespace(isolation::Started),
}
