//! Reads the process table from `/proc`: process ids, lists of children, and `stat` lines. Deciding which
//! processes belong to a run is left to `tree`; killing them to `sweep`.
//!
//! There are two ways to find processes, and they differ in what they guarantee:
//!
//! - [`visit_all`] lists `/proc`. Linux lists it in the order of process ids, so a process that exists
//!   during the whole read is always reported. Whatever kills processes uses this one.
//! - [`children`] reads `/proc/<pid>/task/<tid>/children`. Its cost does not depend on the number of processes
//!   on the machine, but a read can miss a child: when a thread ends, its children move to another thread,
//!   whose list may have been read already, and when a child ends, its successor in the list can be skipped
//!   (see proc_pid_task(5)). A Linux without `CONFIG_PROC_CHILDREN` has no such lists. It is used for
//!   measuring only.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use nix::unistd::{SysconfVar, sysconf};

/// Calls `visit` with every process id. After an error the visit was incomplete, which is different from
/// there being no further process.
pub(super) fn visit_all(visit: &mut dyn FnMut(i32)) -> io::Result<()> {
    for entry in fs::read_dir("/proc")? {
        // The other entries are files such as `/proc/meminfo`.
        if let Some(pid) = entry?.file_name().to_str().and_then(|name| name.parse().ok()) {
            visit(pid);
        }
    }
    Ok(())
}

/// The children of a process, possibly without some of them; `None` if the process is gone.
pub(super) fn children(pid: i32) -> Option<Vec<i32>> {
    let mut children = vec![];
    for thread in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        // The thread may have ended since the directory was read.
        let Ok(list) = fs::read_to_string(thread.path().join("children")) else { continue };
        children.extend(list.split_ascii_whitespace().filter_map(|id| id.parse::<i32>().ok()));
    }
    Some(children)
}

/// Whether Linux provides lists of children.
pub(super) fn lists_children() -> bool {
    static LISTS: LazyLock<bool> = LazyLock::new(|| {
        let own = std::process::id();
        Path::new(&format!("/proc/{own}/task/{own}/children")).exists()
    });
    *LISTS
}

/// Whether the process exists and has not ended.
pub(super) fn is_alive(pid: i32) -> bool {
    Units::of_this_system().stat(pid).is_some_and(|stat| !stat.zombie)
}

/// The fields of `/proc/<pid>/stat` that are used.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stat {
    pub(super) zombie: bool,
    pub(super) parent: i32,
    /// CPU time, including that of the children that it has waited for.
    pub(super) cpu: Duration,
    /// Resident memory in bytes.
    pub(super) resident: u64,
}

/// The units of `/proc/<pid>/stat`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Units {
    ticks_per_second: u64,
    page: u64,
}

impl Units {
    pub(super) fn of_this_system() -> Units {
        let ask = |variable, otherwise| match sysconf(variable) {
            Ok(Some(value)) => u64::try_from(value).unwrap_or(otherwise),
            _ => otherwise,
        };
        Units {
            ticks_per_second: ask(SysconfVar::CLK_TCK, 100).max(1),
            page: ask(SysconfVar::PAGE_SIZE, 4096),
        }
    }

    /// The process's `stat` line, or `None` if the process is gone.
    pub(super) fn stat(self, pid: i32) -> Option<Stat> {
        self.parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    fn parse(self, line: &[u8]) -> Option<Stat> {
        // The process name is in parentheses and may itself contain blanks and parentheses.
        let end = line.iter().rposition(|&byte| byte == b')')?;
        let fields = std::str::from_utf8(line.get(end + 2..)?).ok()?;
        // proc_pid_stat(5) counts the fields from 1; the first one after the name is field 3.
        let fields: Vec<&str> = fields.split_ascii_whitespace().collect();
        let number = |field: usize| fields.get(field - 3)?.parse::<i64>().ok();
        let positive = |field| number(field).map(|n| u64::try_from(n).unwrap_or(0));
        let ticks = positive(14)? + positive(15)? + positive(16)? + positive(17)?;
        Some(Stat {
            zombie: matches!(*fields.first()?, "Z" | "X"),
            parent: i32::try_from(number(4)?).ok()?,
            cpu: Duration::from_millis(ticks * 1000 / self.ticks_per_second),
            resident: positive(24)? * self.page,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own() -> i32 {
        i32::try_from(std::process::id()).unwrap()
    }

    #[test]
    fn stat_parses_a_name_with_parentheses_and_blanks() {
        let line = b"7 (a) Z (b) S 5 7 7 0 -1 0 0 0 0 0 100 20 3 2 20 0 1 0 99 4096 3 18446744073709551615 1";
        let stat = Units { ticks_per_second: 100, page: 4096 }.parse(line).unwrap();
        assert_eq!((stat.zombie, stat.parent, stat.resident), (false, 5, 3 * 4096));
        assert_eq!(stat.cpu, Duration::from_millis(1250));
    }

    #[test]
    fn children_lists_a_child_until_it_is_reaped() {
        let mut child = std::process::Command::new("sleep").arg("86400").spawn().unwrap();
        let id = i32::try_from(child.id()).unwrap();
        // One read may miss the child, because threads of other tests end meanwhile.
        while lists_children() && !children(own()).unwrap().contains(&id) {
            std::thread::yield_now();
        }
        assert!(is_alive(id));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!children(own()).unwrap().contains(&id));
        assert!(children(id).is_none() && !is_alive(id));
    }

    #[test]
    fn an_unreaped_child_is_not_alive() {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let id = i32::try_from(child.id()).unwrap();
        while is_alive(id) {
            std::thread::yield_now();
        }
        assert!(Units::of_this_system().stat(id).unwrap().zombie);
        child.wait().unwrap();
    }

    #[test]
    fn the_process_table_contains_this_process() {
        let mut pids = vec![];
        visit_all(&mut |pid| pids.push(pid)).unwrap();
        assert!(pids.contains(&own()));
        assert!(Units::of_this_system().stat(own()).unwrap().resident > 0);
    }
}
