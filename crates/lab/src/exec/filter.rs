//! A filter of system calls. It forbids those that change other processes or the system, and those that leave behind what
//! nobody removes. Which files may be written to is left to `landlock`; a filter cannot see paths.
//!
//! A forbidden call fails with EPERM, as without the right to make it. Programs of another architecture than ours, such as
//! 32-bit ones, are killed, because their calls have other numbers.

use std::collections::BTreeMap;
use std::io;

use libc::c_long;
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

/// The rules for one system call. Without any, it is always forbidden.
type Rules = Vec<SeccompRule>;

#[derive(Debug)]
pub(super) struct Filter {
    program: BpfProgram,
    /// Calls that are answered as by an older Linux, so that programs use an older call.
    unknown: BpfProgram,
}

/// Its flags are in memory, where a filter cannot see them. Programs use `clone` instead.
const UNKNOWN: [c_long; 1] = [libc::SYS_clone3];

/// Namespaces that a new process could be given.
const NAMESPACES: [i32; 7] = [
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Always forbidden, because no compiler needs them.
const FORBIDDEN: &[c_long] = &[
    // What is left in memory until the system is restarted.
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Large parts of Linux that programs can do without.
    libc::SYS_bpf,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    // Other namespaces and file systems.
    libc::SYS_setns,
    libc::SYS_unshare,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fsconfig,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    // The system itself, if we are root.
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
];

/// Calls whose argument of this index is a process. Zero, the caller itself, is permitted.
const ON_A_PROCESS: &[(c_long, u8)] = &[
    (libc::SYS_prlimit64, 0),
    (libc::SYS_setpriority, 1),
    (libc::SYS_ioprio_set, 1),
    (libc::SYS_sched_setaffinity, 0),
    (libc::SYS_sched_setscheduler, 0),
    (libc::SYS_sched_setparam, 0),
    (libc::SYS_sched_setattr, 0),
    (libc::SYS_migrate_pages, 0),
    (libc::SYS_move_pages, 0),
];

/// Controls of devices and files: input typed into a terminal, and flags such as "immutable".
const CONTROLS: &[u64] = &[0x5412, 0x541c, 0x4008_6602, 0x4004_6602, 0x401c_5820];

/// The types of block and character devices in the mode of a new file.
const DEVICES: [u64; 2] = [libc::S_IFBLK as u64, libc::S_IFCHR as u64];

impl Filter {
    pub(super) fn new() -> io::Result<Self> {
        let compile = |rules, errno: i32| -> Result<BpfProgram, seccompiler::BackendError> {
            let action = SeccompAction::Errno(errno as u32);
            let architecture = std::env::consts::ARCH.try_into()?;
            SeccompFilter::new(rules, SeccompAction::Allow, action, architecture)?.try_into()
        };
        let rules = rules().map_err(io::Error::other)?;
        let unknown = UNKNOWN.iter().map(|call| (*call, vec![])).collect();
        Ok(Self {
            program: compile(rules, libc::EPERM).map_err(io::Error::other)?,
            unknown: compile(unknown, libc::ENOSYS).map_err(io::Error::other)?,
        })
    }

    /// Applies the filter to the calling process for good. Safe between fork and exec.
    pub(super) fn enter(&self) -> io::Result<()> {
        for program in [&self.unknown, &self.program] {
            seccompiler::apply_filter(program)
                .map_err(|_| io::Error::from_raw_os_error(libc::EPERM))?;
        }
        Ok(())
    }
}

fn rules() -> Result<BTreeMap<c_long, Rules>, seccompiler::BackendError> {
    let mut all: BTreeMap<c_long, Rules> = FORBIDDEN.iter().map(|call| (*call, vec![])).collect();
    let mut add = |call: c_long, conditions: Vec<SeccompCondition>| {
        all.entry(call).or_default().push(SeccompRule::new(conditions)?);
        Ok(())
    };
    for (call, at) in ON_A_PROCESS {
        add(*call, vec![number(*at, SeccompCmpOp::Ne, 0)?])?;
    }
    // Our mark of a run is a limit that no program uses.
    let locks = u64::from(libc::RLIMIT_LOCKS);
    let sets = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?;
    add(libc::SYS_prlimit64, vec![number(1, SeccompCmpOp::Eq, locks)?, sets])?;
    add(libc::SYS_setrlimit, vec![number(0, SeccompCmpOp::Eq, locks)?])?;
    // Pairs of sockets are another call.
    for family in [libc::AF_UNIX, libc::AF_ALG, libc::AF_VSOCK, libc::AF_PACKET] {
        add(libc::SYS_socket, vec![number(0, SeccompCmpOp::Eq, family as u64)?])?;
    }
    for flag in NAMESPACES {
        let flag = flag as u64;
        add(libc::SYS_clone, vec![number(0, SeccompCmpOp::MaskedEq(flag), flag)?])?;
    }
    // What a pipe holds counts as memory; larger ones would not be noticed.
    add(libc::SYS_fcntl, vec![number(1, SeccompCmpOp::Eq, libc::F_SETPIPE_SZ as u64)?])?;
    for control in CONTROLS {
        add(libc::SYS_ioctl, vec![number(1, SeccompCmpOp::Eq, *control)?])?;
    }
    let mask = u64::from(libc::S_IFMT);
    for device in DEVICES {
        add(libc::SYS_mknodat, vec![number(2, SeccompCmpOp::MaskedEq(mask), device)?])?;
        #[cfg(target_arch = "x86_64")]
        add(libc::SYS_mknod, vec![number(1, SeccompCmpOp::MaskedEq(mask), device)?])?;
    }
    Ok(all)
}

/// A condition on a 32-bit argument.
fn number(
    at: u8,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompCondition, seccompiler::BackendError> {
    SeccompCondition::new(at, SeccompCmpArgLen::Dword, operator, value)
}
