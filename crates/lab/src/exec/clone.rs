//! Creates a child process without copying our page tables. What the child does before `execve` is left to
//! `launch`.
//!
//! `std::process::Command` forks if there is anything to do between fork and exec, and a fork copies page
//! tables: with 512 MiB of our own memory, that costs 35 ms per run. So the child is created as `posix_spawn`
//! does it: it shares our memory, on a stack of its own, and the thread that created it is suspended until the
//! child has called `execve` or ended.

use std::ffi::c_void;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use nix::sys::signal::{SigSet, SigmaskHow, pthread_sigmask};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;

use super::image::Image;

/// Enough for a few system calls in a debug build.
const STACK: usize = 64 << 10;

/// What the child needs; it is on the stack of the suspended thread.
struct Plan<'a> {
    image: &'a Image,
    argv: Vec<*const libc::c_char>,
    env: Vec<*const libc::c_char>,
    /// These become stdin, stdout and stderr.
    streams: [RawFd; 3],
    prepare: &'a dyn Fn() -> io::Result<()>,
    /// The `errno` of a failure, written by the child.
    error: i32,
}

/// Starts `image` as the leader of a new session and process group, with these standard streams. The child
/// calls `prepare` just before it executes the program.
///
/// # Safety
///
/// `prepare` runs in the child while our other threads run in the same memory. It may only make system calls:
/// it must not allocate, take a lock, panic, or change anything in memory.
#[expect(unsafe_code, reason = "no crate we use creates a child without a fork")]
pub(super) unsafe fn start(
    image: &Image,
    streams: [&OwnedFd; 3],
    prepare: &dyn Fn() -> io::Result<()>,
) -> io::Result<(i32, OwnedFd)> {
    let (argv, env) = image.pointers();
    let streams = streams.map(AsRawFd::as_raw_fd);
    let mut plan = Plan { image, argv, env, streams, prepare, error: 0 };
    let mut stack = Vec::<u8>::with_capacity(STACK);
    let mut pidfd: RawFd = -1;
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PIDFD | libc::SIGCHLD;
    // A signal handler in the child would run in our memory.
    let mut mask = SigSet::empty();
    pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::all()), Some(&mut mask))?;
    // SAFETY: the stack is large enough, aligned, not used otherwise, and grows down from its end. Because of
    // CLONE_VFORK the stack and the plan outlive the child's use of them, and nothing else accesses them
    // meanwhile. `child` does not return and does not unwind.
    let pid = unsafe {
        let end = stack.as_mut_ptr().add(STACK);
        let top = end.sub(end.addr() % 16).cast::<c_void>();
        let plan = (&raw mut plan).cast::<c_void>();
        libc::clone(child, top, flags, plan, &raw mut pidfd)
    };
    let failure = io::Error::last_os_error();
    // This cannot fail: the mask is one that was in force.
    let _ = pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&mask), None);
    if pid < 0 {
        return Err(failure);
    }
    // SAFETY: Linux has just created this descriptor (close-on-exec), and it has no owner yet.
    let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
    // SAFETY: `plan` is a live local. The read is volatile because the compiler does not know that the child
    // writes to it.
    let error = unsafe { (&raw const plan.error).read_volatile() };
    if error != 0 {
        let _ = waitpid(Pid::from_raw(pid), Some(WaitPidFlag::__WALL));
        return Err(io::Error::from_raw_os_error(error));
    }
    Ok((pid, pidfd))
}

/// The entry point of the child. It must only make system calls.
#[expect(unsafe_code, reason = "this is the entry point passed to `clone`")]
extern "C" fn child(plan: *mut c_void) -> libc::c_int {
    // SAFETY: the pointer is the one to the plan that `start` passed. That thread is suspended, so access is
    // exclusive. All calls are system calls with arguments from the plan, whose strings and arrays are
    // null-terminated.
    unsafe {
        let plan = &mut *plan.cast::<Plan<'_>>();
        let error = become_image(plan);
        (&raw mut plan.error).write_volatile(error);
        libc::_exit(127)
    }
}

/// Executes the program. Returns only if that fails, with the `errno`.
///
/// # Safety
///
/// To be called in a child that `start` created, with its plan.
#[expect(unsafe_code, reason = "the safe wrappers may allocate, which this child must not")]
unsafe fn become_image(plan: &Plan<'_>) -> i32 {
    // SAFETY: see `child`.
    unsafe {
        let errno = || *libc::__errno_location();
        // A new session is also a new process group. It has no controlling terminal that the program could
        // write to, and where the scheduler groups by sessions (autogroup), a fork bomb gets no more CPU time
        // than we do.
        if libc::setsid() < 0 {
            return errno();
        }
        for (target, &stream) in (0..).zip(&plan.streams) {
            // The two are never equal: std makes sure that 0, 1 and 2 are open.
            if libc::dup2(stream, target) < 0 {
                return errno();
            }
        }
        if libc::chdir(plan.image.cwd.as_ptr()) != 0 {
            return errno();
        }
        if let Err(error) = (plan.prepare)() {
            return error.raw_os_error().unwrap_or(libc::EIO);
        }
        // Rust ignores SIGPIPE, and `start` has blocked all signals; a program expects neither.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        let mut none = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
        libc::execve(plan.image.program.as_ptr(), plan.argv.as_ptr(), plan.env.as_ptr());
        errno()
    }
}
