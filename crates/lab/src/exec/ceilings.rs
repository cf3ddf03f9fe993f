//! The limits that Linux enforces on each process of a run, and its other settings, as the child applies them to itself
//! between fork and exec. Limits of whole runs are left to `gauge`.

use std::io;

use nix::sys::resource::{Resource as Limit, getrlimit, setrlimit};

use super::{Limits, syscall};

/// More files than a compiler opens at a time. Each can hold memory that belongs to no process: a pipe, for example.
const FILES: u64 = 4096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ceilings {
    /// CPU time of each process, in seconds; without a limit for hosts, which answer many requests.
    pub(super) cpu: Option<u64>,
    pub(super) file_size: u64,
    /// Only for processes that grow faster than `gauge` looks. RLIMIT_AS would not do, because some compilers reserve
    /// far more address space than they use.
    pub(super) data: u64,
    /// Whether addresses are not randomised.
    pub(super) is_steady: bool,
}

impl Ceilings {
    pub(super) fn of(limits: &Limits, limit_cpu: bool, is_steady: bool) -> Ceilings {
        let seconds = limit_cpu.then(|| limits.cpu.as_nanos().div_ceil(1_000_000_000));
        Ceilings {
            cpu: seconds.map(|seconds| u64::try_from(seconds).unwrap_or(u64::MAX - 1)),
            file_size: limits.file_size,
            data: limits.memory.saturating_mul(2),
            is_steady,
        }
    }

    /// Makes system calls only.
    pub(super) fn apply(&self) -> io::Result<()> {
        lower(Limit::RLIMIT_CORE, 0, 0)?;
        lower(Limit::RLIMIT_NOFILE, FILES, FILES)?;
        lower(Limit::RLIMIT_FSIZE, self.file_size, self.file_size)?;
        lower(Limit::RLIMIT_DATA, self.data, self.data)?;
        if let Some(seconds) = self.cpu {
            lower(Limit::RLIMIT_CPU, seconds, seconds.saturating_add(1))?;
        }
        if self.is_steady {
            syscall::keep_addresses()?;
        }
        Ok(())
    }
}

/// Sets a limit, except where the limit is lower already. Makes system calls only.
fn lower(limit: Limit, soft: u64, hard: u64) -> io::Result<()> {
    let (_, ceiling) = getrlimit(limit)?;
    setrlimit(limit, soft.min(ceiling), hard.min(ceiling))?;
    Ok(())
}
