//! A number that identifies the processes of one run. Every process of the run carries it and passes it on to
//! its children, even after `setsid`, a double fork, or clearing the environment. Searching for marked
//! processes is left to `tree` and `scratch`.
//!
//! The number is the process's limit on file locks, `RLIMIT_LOCKS`. Linux has not enforced that limit since
//! 2.4.25, but it is inherited through `fork` and `execve`, an unprivileged process cannot raise it, and any
//! process of the same user can read it with one cheap system call, also that of a zombie. Where it cannot be
//! set (our own limit is already lower), the environment variable `MISTRUST_RUN` is used instead.

use std::ffi::OsString;
use std::hash::{BuildHasher, RandomState};
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use nix::sys::resource::{Resource, getrlimit};

use super::syscall;

pub(super) const VARIABLE: &str = "MISTRUST_RUN";

/// The highest bit that is used. All 64 bits set would mean "no limit".
const HIGHEST: u32 = 62;
/// The highest bit has to be at least this one, which leaves 24 random bits besides the counter's 32.
const FEWEST_BITS: u32 = 56;

#[derive(Clone, Debug)]
pub(super) struct Mark {
    number: u64,
    can_limit: bool,
}

impl Mark {
    /// The value of `MISTRUST_RUN`.
    pub(super) fn text(&self) -> OsString {
        format!("{}-{:x}", std::process::id(), self.number).into()
    }

    /// The mark in a value of `MISTRUST_RUN`, of any process, if it may have been set as a limit.
    pub(super) fn parse(text: &[u8]) -> Option<Mark> {
        let (_, number) = std::str::from_utf8(text).ok()?.split_once('-')?;
        let number = u64::from_str_radix(number, 16).ok()?;
        let is_genuine = (FEWEST_BITS..=HIGHEST).contains(&number.checked_ilog2()?);
        is_genuine.then_some(Mark { number, can_limit: true })
    }

    /// The limit to set, if our own limit permits it.
    pub(super) fn limit(&self) -> Option<u64> {
        self.can_limit.then_some(self.number)
    }

    /// Whether the process carries this mark as its limit.
    pub(super) fn limits(&self, pid: i32) -> bool {
        self.can_limit && syscall::locks_limit(pid) == Some(self.number)
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

/// Generates marks. A mark consists of a bit that depends on how deeply runs are nested, random bits that
/// differ between runners, and a counter.
#[derive(Debug)]
pub(super) struct Marks {
    upper: u64,
    can_limit: bool,
    counter: AtomicU32,
}

impl Marks {
    pub(super) fn new() -> Marks {
        // Our own limit, which may be the mark of a run that we are part of, cannot be exceeded. With too few
        // bits left, two runners could get the same mark and kill each other's processes, so that no limit
        // is set then.
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
    fn marks_are_distinct() {
        let makers: Vec<Marks> = (0..100).map(|_| Marks::new()).collect();
        let marks = makers.iter().flat_map(|marks| [marks.next(), marks.next()]);
        let numbers: std::collections::HashSet<u64> = marks.map(|mark| mark.number).collect();
        assert_eq!(numbers.len(), 200);
        assert!(!numbers.contains(&u64::MAX));
    }

    #[test]
    fn a_mark_is_parsed_from_the_environment_variable() {
        let mark = Marks::new().next();
        assert_eq!(Mark::parse(mark.text().as_bytes()).unwrap().number, mark.number);
        // Too small to be one: an unrelated process may have such a limit.
        assert!(Mark::parse(b"7-abc").is_none());
        assert!(Mark::parse(b"7-ffffffffffffffff").is_none());
        assert!(Mark::parse(b"7").is_none());
    }
}
