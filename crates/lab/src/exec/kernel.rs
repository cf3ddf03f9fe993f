//! The few system calls that no crate we use wraps. The rest of the `unsafe` in this module is
//! where children are made: `clone`, `launch`, and the trials in `sandbox` and `namespace`.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

/// What a process that was reaped had cost, with those of its children that it had waited for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Toll {
    pub(super) cpu: Duration,
    /// The largest resident size of any single one, in bytes.
    pub(super) peak: u64,
}

impl Toll {
    pub(super) fn add(&mut self, other: Toll) {
        self.cpu += other.cpu;
        self.peak = self.peak.max(other.peak);
    }
}

/// What asking for a child's end gave.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reaped {
    /// The wait status is as `wait4` gives it.
    Ended {
        status: i32,
        toll: Toll,
    },
    Running,
    /// We have no such child.
    NoChild,
}

/// Reaps the child `id`, or any child in the group `-id` when `id` is negative, without waiting.
#[expect(unsafe_code, reason = "nix has no wait4, and only wait4 tells what a child has cost")]
pub(super) fn reap(id: i32) -> Reaped {
    debug_assert!(id != -1 && id != 0, "other code in this process has children, too");
    let mut status = 0;
    // SAFETY: an all-zero `rusage` is valid; both pointers are to live locals of the right type.
    let (result, usage) = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        (libc::wait4(id, &raw mut status, libc::WNOHANG | libc::__WALL, &raw mut usage), usage)
    };
    match result {
        0 => Reaped::Running,
        pid if pid > 0 => Reaped::Ended {
            status,
            toll: Toll {
                cpu: duration(usage.ru_utime) + duration(usage.ru_stime),
                peak: u64::try_from(usage.ru_maxrss).unwrap_or(0) << 10,
            },
        },
        _ => Reaped::NoChild,
    }
}

fn duration(time: libc::timeval) -> Duration {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    Duration::from_secs(seconds) + Duration::from_micros(u64::try_from(time.tv_usec).unwrap_or(0))
}

/// Sees to it that children can be waited for. Whoever started us may have had SIGCHLD ignored, which
/// is inherited and makes the kernel forget children as soon as they end.
#[expect(unsafe_code, reason = "nix can't ask for a disposition without setting one")]
pub(super) fn keep_ended_children() {
    // SAFETY: an all-zero `sigaction` is valid; a null pointer leaves the disposition alone. The
    // default, which is set only over "ignore", runs no code.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let asked = libc::sigaction(libc::SIGCHLD, std::ptr::null(), &raw mut action);
        if asked == 0 && action.sa_sigaction == libc::SIG_IGN {
            libc::signal(libc::SIGCHLD, libc::SIG_DFL);
        }
    }
}

/// A descriptor that stands for the process and becomes readable when it ends.
#[expect(unsafe_code, reason = "neither std nor nix opens a pidfd for a known process id")]
pub(super) fn open_pidfd(pid: i32) -> io::Result<OwnedFd> {
    // SAFETY: the call takes two numbers. What it returns is a new descriptor that nobody owns yet;
    // it is close-on-exec from the start.
    unsafe {
        let fd = libc::syscall(libc::SYS_pidfd_open, pid, 0);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // A descriptor is an `int`, so that nothing is lost.
        Ok(OwnedFd::from_raw_fd(fd as RawFd))
    }
}

/// Sends SIGKILL to the process that `pidfd` stands for, and to no later one with the same id.
#[expect(unsafe_code, reason = "neither std nor nix sends a signal through a pidfd")]
pub(super) fn kill(pidfd: BorrowedFd<'_>) {
    // SAFETY: the descriptor is borrowed and so open; a null `siginfo` means a plain signal.
    // That the process is gone already is what we wanted.
    unsafe {
        let no_info = std::ptr::null::<libc::siginfo_t>();
        libc::syscall(libc::SYS_pidfd_send_signal, pidfd.as_raw_fd(), libc::SIGKILL, no_info, 0);
    }
}

/// The soft limit on file locks of another process: see `mark`.
#[expect(unsafe_code, reason = "nix has no prlimit")]
pub(super) fn locks_limit(pid: i32) -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: nothing is set, and what is read goes to a live local of the right type.
    let result =
        unsafe { libc::prlimit(pid, libc::RLIMIT_LOCKS, std::ptr::null(), &raw mut limit) };
    (result == 0).then_some(limit.rlim_cur)
}

/// How much was written to a pipe and not read yet.
#[expect(unsafe_code, reason = "nix has no ioctl to ask this")]
pub(super) fn bytes_in_pipe(pipe: BorrowedFd<'_>) -> usize {
    let mut bytes: libc::c_int = 0;
    // SAFETY: the descriptor is borrowed and so open; the answer goes to a live `int`.
    unsafe {
        libc::ioctl(pipe.as_raw_fd(), libc::FIONREAD, &raw mut bytes);
    }
    usize::try_from(bytes).unwrap_or(0)
}

/// Marks every descriptor but the standard three as close-on-exec. Safe between fork and exec.
#[expect(unsafe_code, reason = "nix has no close_range")]
pub(super) fn close_the_rest_on_exec() {
    const CLOEXEC: libc::c_uint = 1 << 2;
    // SAFETY: the call takes three numbers and closes nothing now. An old kernel without it leaves
    // us where we were: all our own descriptors are close-on-exec anyway.
    unsafe {
        libc::syscall(libc::SYS_close_range, 3 as libc::c_uint, libc::c_uint::MAX, CLOEXEC);
    }
}

/// Confines the calling thread by a landlock ruleset. Safe between fork and exec, which the
/// crate's own way, consuming the ruleset, does not promise to be.
#[expect(unsafe_code, reason = "the landlock crate can't be called between fork and exec")]
pub(super) fn restrict_self(ruleset: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the descriptor is borrowed and so open; the call takes numbers only.
    match unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The version of landlock that the kernel offers.
#[expect(unsafe_code, reason = "the landlock crate does not tell the number")]
pub(super) fn landlock_abi() -> io::Result<u32> {
    const VERSION: libc::c_uint = 1;
    // SAFETY: with this flag, a null pointer and size zero ask for the version and make nothing.
    let abi = unsafe {
        let no_attributes = std::ptr::null::<libc::c_void>();
        libc::syscall(libc::SYS_landlock_create_ruleset, no_attributes, 0usize, VERSION)
    };
    u32::try_from(abi).map_err(|_| io::Error::last_os_error())
}
