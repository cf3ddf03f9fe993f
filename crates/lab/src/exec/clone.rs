//! Makes a child process without copying our memory.
//!
//! `std::process::Command` forks as soon as there is something to do between fork and exec, and a
//! fork copies page tables: with half a gigabyte of our own, that costs 35 ms for each run. So the
//! child is made as `posix_spawn` makes it: it borrows our memory, on a stack of its own, while the
//! thread that started it stands still until the child has executed its program.

use std::ffi::c_void;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};

use nix::sys::signal::{SigSet, SigmaskHow, pthread_sigmask};
use nix::sys::wait::{WaitPidFlag, waitpid};
use nix::unistd::Pid;

use super::image::Image;

/// Enough for a few system calls in a debug build.
const STACK: usize = 64 << 10;

/// What the child needs; it lives on the stack of the thread that stands still.
struct Plan<'a> {
    image: &'a Image,
    argv: Vec<*const libc::c_char>,
    env: Vec<*const libc::c_char>,
    /// Becomes stdin, stdout and stderr.
    streams: [RawFd; 3],
    prepare: &'a dyn Fn() -> io::Result<()>,
    /// Written by the child when it fails.
    error: i32,
}

/// Starts `image` as the leader of a new session and group, with these standard streams. The child calls
/// `prepare` just before it executes the program.
///
/// # Safety
///
/// `prepare` runs in the child while other threads of ours go on in the same memory. It may only
/// make system calls: it must not allocate, take a lock, panic, or change anything in memory.
#[expect(unsafe_code, reason = "no crate we use makes a child without a fork")]
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
    // A handler that ran in the child would do so in our memory.
    let mut mask = SigSet::empty();
    pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&SigSet::all()), Some(&mut mask))?;
    // SAFETY: the stack is large enough, aligned, used by nobody else, and grows down from its end.
    // Because of CLONE_VFORK it and the plan outlive the child's use of them, and nobody else looks
    // at them meanwhile. `child` does not return and does not unwind.
    let pid = unsafe {
        let end = stack.as_mut_ptr().add(STACK);
        let top = end.sub(end.addr() % 16).cast::<c_void>();
        let plan = (&raw mut plan).cast::<c_void>();
        libc::clone(child, top, flags, plan, &raw mut pidfd)
    };
    let failure = io::Error::last_os_error();
    // This can't fail: the mask is one that was in force.
    let _ = pthread_sigmask(SigmaskHow::SIG_SETMASK, Some(&mask), None);
    if pid < 0 {
        return Err(failure);
    }
    // SAFETY: the kernel has just made this descriptor (close-on-exec), and nobody owns it yet.
    let pidfd = unsafe { OwnedFd::from_raw_fd(pidfd) };
    // SAFETY: `plan` is a live local. The read is volatile, for the compiler does not know that the
    // child writes to it.
    let error = unsafe { (&raw const plan.error).read_volatile() };
    if error != 0 {
        let _ = waitpid(Pid::from_raw(pid), Some(WaitPidFlag::__WALL));
        return Err(io::Error::from_raw_os_error(error));
    }
    Ok((pid, pidfd))
}

/// What the child does. It must only make system calls.
#[expect(unsafe_code, reason = "this is the other side of `clone`")]
extern "C" fn child(plan: *mut c_void) -> libc::c_int {
    // SAFETY: the pointer is that to the plan that `start` passed, and the thread there stands
    // still, so that it is ours alone. All calls are system calls with arguments from the plan,
    // whose strings and arrays end with zeros.
    unsafe {
        let plan = &mut *plan.cast::<Plan<'_>>();
        let error = become_image(plan);
        (&raw mut plan.error).write_volatile(error);
        libc::_exit(127)
    }
}

/// Returns only if that fails, with the reason.
///
/// # Safety
///
/// To be called in a child that `start` made, with its plan.
#[expect(unsafe_code, reason = "the wrappers for these calls are not made for such a child")]
unsafe fn become_image(plan: &Plan<'_>) -> i32 {
    // SAFETY: see `child`.
    unsafe {
        let errno = || *libc::__errno_location();
        // A new session is a new group, too. Moreover it has no terminal that the program could
        // write to, and the scheduler (where it groups by sessions) gives a thousand processes of
        // one session no more than us, so that a fork bomb delays us less.
        if libc::setsid() < 0 {
            return errno();
        }
        for (target, &stream) in (0..).zip(&plan.streams) {
            // The two are never the same: std sees to it that 0, 1 and 2 are always taken.
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
        // Rust ignores SIGPIPE, and we have blocked all signals; a program expects neither.
        libc::signal(libc::SIGPIPE, libc::SIG_DFL);
        let mut none = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
        libc::execve(plan.image.program.as_ptr(), plan.argv.as_ptr(), plan.env.as_ptr());
        errno()
    }
}
