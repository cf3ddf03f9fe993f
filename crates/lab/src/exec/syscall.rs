//! System calls of Linux that no crate we use wraps, each behind a safe function. The other
//! `unsafe` code of `exec` is where child processes are made: `clone`, `launch`, and the probes in `sandbox`
//! and `namespace`.

use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::time::Duration;

/// The resource usage of a reaped process, including the children that it had waited for.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Usage {
    pub(super) cpu: Duration,
    /// The largest resident size of any single process, in bytes.
    pub(super) peak: u64,
}

impl Usage {
    pub(super) fn add(&mut self, other: Usage) {
        self.cpu += other.cpu;
        self.peak = self.peak.max(other.peak);
    }
}

/// The result of trying to reap a child.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reaped {
    /// With the wait status of `wait4`.
    Ended {
        status: i32,
        usage: Usage,
    },
    Running,
    /// We have no such child.
    NoChild,
}

/// Reaps the child `id`, or any child in the process group `-id` if `id` is negative, without waiting.
#[expect(unsafe_code, reason = "nix has no wait4, and only wait4 returns resource usage")]
pub(super) fn reap(id: i32) -> Reaped {
    debug_assert!(id != -1 && id != 0, "would reap children of other code in this process");
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
            usage: Usage {
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

/// Makes sure that children can be waited for. Our parent may have ignored SIGCHLD; that is inherited, and
/// makes Linux reap children as soon as they end.
#[expect(unsafe_code, reason = "nix cannot query a signal disposition without setting one")]
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

/// Turns off address randomisation for the program that the calling process executes next.
#[expect(unsafe_code, reason = "nix has it behind a feature that we do not use otherwise")]
pub(super) fn keep_addresses() -> io::Result<()> {
    // SAFETY: the call changes a flag of the calling process and reads no memory.
    let before = unsafe { libc::personality(libc::ADDR_NO_RANDOMIZE as libc::c_ulong) };
    if before == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// A pidfd: a descriptor that refers to the process and becomes readable when it ends.
#[expect(unsafe_code, reason = "neither std nor nix opens a pidfd for a known process id")]
pub(super) fn open_pidfd(pid: i32) -> io::Result<OwnedFd> {
    // SAFETY: the call takes two numbers. It returns a new close-on-exec descriptor that has no owner yet.
    unsafe {
        let fd = libc::syscall(libc::SYS_pidfd_open, pid, 0);
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // A descriptor is an `int`, so the cast does not truncate.
        Ok(OwnedFd::from_raw_fd(fd as RawFd))
    }
}

/// Sends SIGKILL to the process that `pidfd` refers to, never to a later one with the same id.
pub(super) fn kill(pidfd: BorrowedFd<'_>) {
    signal(pidfd, libc::SIGKILL);
}

/// Sends a signal to the process that `pidfd` refers to.
#[expect(unsafe_code, reason = "neither std nor nix sends a signal through a pidfd")]
pub(super) fn signal(pidfd: BorrowedFd<'_>, signal: i32) {
    // SAFETY: the descriptor is borrowed and so open; a null `siginfo` means a plain signal. An error means
    // that the process has ended already.
    unsafe {
        let no_info = std::ptr::null::<libc::siginfo_t>();
        libc::syscall(libc::SYS_pidfd_send_signal, pidfd.as_raw_fd(), signal, no_info, 0);
    }
}

/// Reaps any child that has ended, and returns its id and its wait status. An error means that there is no child.
#[expect(unsafe_code, reason = "nix does not return the status as Linux has it")]
pub(super) fn wait_for_any() -> io::Result<Option<(i32, i32)>> {
    let mut status = 0;
    // SAFETY: the pointer is to a live local of the right type.
    match unsafe { libc::waitpid(-1, &raw mut status, libc::__WALL | libc::WNOHANG) } {
        -1 => Err(io::Error::last_os_error()),
        0 => Ok(None),
        pid => Ok(Some((pid, status))),
    }
}

/// Closes a descriptor that nothing in this process owns.
#[expect(unsafe_code, reason = "the descriptor was inherited as a number")]
pub(super) fn close(fd: RawFd) {
    // SAFETY: see above; an error means that it is closed already.
    unsafe {
        libc::close(fd);
    }
}

/// Ends the process at once.
#[expect(
    unsafe_code,
    reason = "std runs handlers first, which are those of the process that was copied"
)]
pub(super) fn exit_now() -> ! {
    // SAFETY: the call does not return.
    unsafe { libc::_exit(0) }
}

/// Gives up all capabilities of the calling process for good, also those that a program could get by being executed.
#[expect(unsafe_code, reason = "no crate we use sets capabilities")]
pub(super) fn drop_all_capabilities() -> io::Result<()> {
    #[repr(C)]
    struct Header {
        version: u32,
        pid: i32,
    }
    const VERSION_3: u32 = 0x2008_0522;
    // SAFETY: the calls take numbers, and pointers to a header and to two zeroed sets of three words each, as version 3
    // wants them.
    unsafe {
        // The first number that Linux does not know ends the loop.
        for capability in 0..libc::c_ulong::from(u64::BITS) {
            if libc::prctl(libc::PR_CAPBSET_DROP, capability, 0, 0, 0) != 0 {
                break;
            }
        }
        let header = Header { version: VERSION_3, pid: 0 };
        let none = [0_u32; 6];
        match libc::syscall(libc::SYS_capset, &raw const header, none.as_ptr()) {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

/// The soft limit on file locks of another process: see `mark`.
#[expect(unsafe_code, reason = "nix has no prlimit")]
pub(super) fn locks_limit(pid: i32) -> Option<u64> {
    let mut limit = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: the limit is only read, into a live local of the right type.
    let result =
        unsafe { libc::prlimit(pid, libc::RLIMIT_LOCKS, std::ptr::null(), &raw mut limit) };
    (result == 0).then_some(limit.rlim_cur)
}

/// The number of bytes that were written to a pipe and not read yet.
#[expect(unsafe_code, reason = "nix has no wrapper for FIONREAD")]
pub(super) fn bytes_in_pipe(pipe: BorrowedFd<'_>) -> usize {
    let mut bytes: libc::c_int = 0;
    // SAFETY: the descriptor is borrowed and so open; the result goes to a live `int`.
    unsafe {
        libc::ioctl(pipe.as_raw_fd(), libc::FIONREAD, &raw mut bytes);
    }
    usize::try_from(bytes).unwrap_or(0)
}

/// Marks every descriptor except the three standard streams as close-on-exec. Safe between fork and exec.
#[expect(unsafe_code, reason = "nix has no close_range")]
pub(super) fn close_the_rest_on_exec() {
    const CLOEXEC: libc::c_uint = 1 << 2;
    // SAFETY: the call takes three numbers and closes nothing now. On old versions of Linux it fails, which is harmless:
    // all our own descriptors are close-on-exec anyway.
    unsafe {
        libc::syscall(libc::SYS_close_range, 3 as libc::c_uint, libc::c_uint::MAX, CLOEXEC);
    }
}

/// Restricts the calling thread by a landlock ruleset. Safe between fork and exec, which the corresponding
/// function of the landlock crate does not guarantee.
#[expect(unsafe_code, reason = "the landlock crate cannot be called between fork and exec")]
pub(super) fn restrict_self(ruleset: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the descriptor is borrowed and so open; the call takes numbers only.
    match unsafe { libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The landlock ABI version of Linux.
#[expect(unsafe_code, reason = "the landlock crate does not expose the number")]
pub(super) fn landlock_abi() -> io::Result<u32> {
    const VERSION: libc::c_uint = 1;
    // SAFETY: with this flag, a null pointer and size zero query the version and create nothing.
    let abi = unsafe {
        let no_attributes = std::ptr::null::<libc::c_void>();
        libc::syscall(libc::SYS_landlock_create_ruleset, no_attributes, 0usize, VERSION)
    };
    u32::try_from(abi).map_err(|_| io::Error::last_os_error())
}
