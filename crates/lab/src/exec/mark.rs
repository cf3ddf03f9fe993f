//! A number that every process of one run carries and passes on to its children, however they
//! leave: by `setsid`, by forking twice, by clearing their environment.
//!
//! The number is the limit on file locks, `RLIMIT_LOCKS`. Linux has not enforced it since 2.4.25,
//! but it is inherited through `fork` and `execve`, an ordinary process can't raise it, and anyone
//! with the same user id can read it with one cheap system call. Where it can't be set (our own
//! limit is already lower), the environment variable `MISTRUST_RUN` has to do.

use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use nix::sys::resource::{Resource, getrlimit};

use super::kernel;

pub(super) const VARIABLE: &str = "MISTRUST_RUN";

/// Below the sign, since all bits set would be "no limit".
const HIGHEST: u32 = 62;
/// With 32 for the counter, this leaves 24 random ones.
const FEWEST_BITS: u32 = 56;

#[derive(Clone, Debug)]
pub(super) struct Mark {
    number: u64,
    can_limit: bool,
}

impl Mark {
    /// What `MISTRUST_RUN` is set to.
    pub(super) fn text(&self) -> OsString {
        format!("{}-{:x}", std::process::id(), self.number).into()
    }

    /// The limit to set, if there is room for it.
    pub(super) fn limit(&self) -> Option<u64> {
        self.can_limit.then_some(self.number)
    }

    /// Whether the process carries this mark as its limit.
    pub(super) fn limits(&self, pid: i32) -> bool {
        self.can_limit && kernel::locks_limit(pid) == Some(self.number)
    }

    /// Whether the process carries this mark in the environment that it was started with.
    pub(super) fn in_environment_of(&self, pid: i32) -> bool {
        let Ok(environment) = std::fs::read(format!("/proc/{pid}/environ")) else { return false };
        let text = self.text();
        environment
            .split(|&byte| byte == 0)
            .filter_map(|entry| entry.strip_prefix(VARIABLE.as_bytes())?.strip_prefix(b"="))
            .any(|value| value == text.as_bytes())
    }
}

/// Hands out marks: a bit that says how deeply we are nested in runs, random bits that no other
/// runner has, and a counter.
#[derive(Debug)]
pub(super) struct Marks {
    upper: u64,
    can_limit: bool,
    counter: AtomicU32,
}

impl Marks {
    pub(super) fn new() -> Marks {
        // We may be limited ourselves, perhaps by the mark of a run that we are part of, and must
        // stay below. With few bits left, two runners could draw the same mark and kill each
        // other's processes: then there is none.
        let (_, ceiling) = getrlimit(Resource::RLIMIT_LOCKS).unwrap_or((0, 0));
        let highest = ceiling.checked_ilog2().unwrap_or(0).saturating_sub(1);
        let can_limit = highest >= FEWEST_BITS;
        let bit = 1 << if can_limit { highest } else { HIGHEST };
        let random = RandomState::new().hash_one(std::process::id());
        let upper = bit | (random & (bit - 1) & !u64::from(u32::MAX));
        Marks { upper, can_limit, counter: AtomicU32::new(0) }
    }

    pub(super) fn next(&self) -> Mark {
        let number = self.upper | u64::from(self.counter.fetch_add(1, Relaxed));
        Mark { number, can_limit: self.can_limit }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_marks_are_the_same() {
        let makers: Vec<Marks> = (0..100).map(|_| Marks::new()).collect();
        let marks = makers.iter().flat_map(|marks| [marks.next(), marks.next()]);
        let numbers: std::collections::HashSet<u64> = marks.map(|mark| mark.number).collect();
        assert_eq!(numbers.len(), 200);
        assert!(!numbers.contains(&u64::MAX));
    }
}
