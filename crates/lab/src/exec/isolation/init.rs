//! The first process of a run's process namespace. It makes the mounts of the run, gives up all rights, starts the program,
//! reaps whatever has no other parent, and reports how the program ended. When it ends, Linux kills everything in its
//! namespace; and it ends with us. Creating it is left to `keeper`.

use std::ffi::CString;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;

use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::prctl;
use nix::sys::signal::{SigSet, Signal, kill};
use nix::unistd::Pid;

use super::super::image::Image;
use super::super::sandbox::Cell;
use super::super::{clone, syscall};
use super::keeper::{Plan, SOCKET, quit};
use super::mounts::{self, READ_ONLY};
use super::report::Report;
use super::wire::Request;

/// Asks the process to kill all others and to end. A program that sends it ends its own run.
pub(super) const END: Signal = Signal::SIGTERM;

/// Does not return: the process ends.
pub(super) fn main(request: &Request, fds: Vec<OwnedFd>, plan: &Plan) -> ! {
    let _ = run(request, fds, plan);
    quit()
}

fn run(request: &Request, fds: Vec<OwnedFd>, plan: &Plan) -> io::Result<()> {
    let mut fds = fds.into_iter();
    let (Some(stdin), Some(stdout), Some(stderr), Some(report)) =
        (fds.next(), fds.next(), fds.next(), fds.next())
    else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let rules = fds.next();
    let mut report = File::from(report);
    prctl::set_pdeathsig(Signal::SIGKILL)?;
    if is_abandoned(&report)? {
        return Ok(());
    }
    syscall::close(SOCKET);
    // A blocked signal reaches the first process of a namespace without a handler.
    awaited().thread_set_mask()?;
    let streams = [stdin, stdout, stderr];
    let started = start(request, &streams, rules, plan);
    // Otherwise nobody would see that the program has closed them.
    drop(streams);
    let program = match started {
        Ok(program) => program,
        Err(error) => {
            let errno = error.raw_os_error().unwrap_or(libc::EIO);
            return report.write_all(&Report::Failed(errno).bytes());
        }
    };
    report.write_all(&Report::Started.bytes())?;
    let status = reap(program)?;
    report.write_all(&Report::Ended(status).bytes())
}

/// What it waits for: the end of a child, and our request to end.
fn awaited() -> SigSet {
    let mut awaited = SigSet::empty();
    awaited.add(Signal::SIGCHLD);
    awaited.add(END);
    awaited
}

/// Reaps all processes of the namespace, so that Linux adds up what they have used. Those that are left when the program has
/// ended are killed. Returns the wait status of the program.
fn reap(program: i32) -> io::Result<i32> {
    let mut status = None;
    loop {
        loop {
            match syscall::wait_for_any() {
                Ok(None) => break,
                Ok(Some((pid, its))) if pid == program => {
                    status = Some(its);
                    kill_all();
                }
                Ok(Some(_)) => {}
                // There are no children any more.
                Err(_) => return status.ok_or_else(|| io::ErrorKind::NotFound.into()),
            }
        }
        if awaited().wait()? == END {
            kill_all();
        }
    }
}

/// Kills all other processes of the namespace.
fn kill_all() {
    // An error means that there is none.
    let _ = kill(Pid::from_raw(-1), Signal::SIGKILL);
}

/// Whether nobody reads the report any more: we have ended before Linux was told to end this process with us.
fn is_abandoned(report: &File) -> io::Result<bool> {
    let mut asked = [PollFd::new(report.as_fd(), PollFlags::empty())];
    poll(&mut asked, PollTimeout::ZERO)?;
    Ok(asked[0].revents().is_some_and(|it| it.intersects(PollFlags::POLLERR | PollFlags::POLLHUP)))
}

#[expect(unsafe_code, reason = "the program is started in a child that shares memory")]
fn start(
    request: &Request,
    streams: &[OwnedFd; 3],
    rules: Option<OwnedFd>,
    plan: &Plan,
) -> io::Result<i32> {
    let mut texts = request.texts.iter().cloned();
    let (Some(program), Some(scratch)) = (texts.next(), texts.next()) else {
        return Err(io::ErrorKind::InvalidData.into());
    };
    let arguments: Vec<CString> = texts.by_ref().take(request.arguments).collect();
    confine(request, &scratch, plan).map_err(|_| super::super::error::confinement_failed())?;
    let image = Image { program, cwd: scratch, argv: arguments, env: texts.collect() };
    let cell = Cell::inner(rules, plan.filter.as_ref().map(Arc::clone));
    let prepare = || {
        syscall::close_the_rest_on_exec();
        request.ceilings.apply()?;
        cell.enter()
    };
    // SAFETY: `prepare` makes system calls through thin wrappers and nothing else.
    let (pid, _) = unsafe { clone::start(&image, streams.each_ref(), &prepare) }?;
    Ok(pid)
}

/// The mounts of this run, then no rights any more.
fn confine(request: &Request, scratch: &CString, plan: &Plan) -> io::Result<()> {
    if request.has_table {
        mounts::process_table()?;
    }
    // All scratch directories may be read, because compilers share some; only its own may be written to.
    mounts::change(&plan.root, true, READ_ONLY, 0)?;
    mounts::change(scratch, false, 0, READ_ONLY)?;
    if let Some(size) = request.size {
        let options = CString::new(format!("size={size}"))?;
        // It may contain more than that already; then the run is stopped as soon as that is seen.
        let _ = mounts::resize(scratch, &options);
    }
    syscall::drop_all_capabilities()
}
