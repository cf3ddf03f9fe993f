//! The process table as `/proc` shows it. The list of a process's children is not to be relied on (the
//! kernel may be built without it, and it may miss one while another ends), so that whoever has to find everyone
//! looks at every process id there is; whoever only wants to know about how much there is asks for the children,
//! which costs the same on a machine with thousands of processes as on an empty one.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;
use std::time::Duration;

use nix::unistd::{SysconfVar, sysconf};

/// Every process id that is in use. Processes come and go while it is read.
pub(super) fn all() -> impl Iterator<Item = i32> {
    let entries = fs::read_dir("/proc").into_iter().flatten();
    entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
}

/// The children of a process, nearly always all of them; none if it is gone, or if the kernel has no such list.
pub(super) fn children(pid: i32) -> Option<Vec<i32>> {
    let mut children = vec![];
    for thread in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        // A thread may have ended since.
        let Ok(list) = fs::read_to_string(thread.path().join("children")) else { continue };
        children.extend(list.split_ascii_whitespace().filter_map(|id| id.parse::<i32>().ok()));
    }
    Some(children)
}

/// Whether the kernel has lists of children.
pub(super) fn lists_children() -> bool {
    static LISTS: LazyLock<bool> = LazyLock::new(|| {
        let own = std::process::id();
        Path::new(&format!("/proc/{own}/task/{own}/children")).exists()
    });
    *LISTS
}

/// What one process is doing.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stat {
    pub(super) zombie: bool,
    pub(super) parent: i32,
    /// With the children that it has waited for.
    pub(super) cpu: Duration,
    /// Bytes.
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

    /// What the process is doing, unless it is gone.
    pub(super) fn stat(self, pid: i32) -> Option<Stat> {
        self.parse(&fs::read(format!("/proc/{pid}/stat")).ok()?)
    }

    fn parse(self, line: &[u8]) -> Option<Stat> {
        // The name is in parentheses and may hold anything, also blanks and parentheses.
        let end = line.iter().rposition(|&byte| byte == b')')?;
        let fields = std::str::from_utf8(line.get(end + 2..)?).ok()?;
        // The fields are counted from 3 in proc(5), which is the first here.
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

    #[test]
    fn a_name_with_parentheses_and_blanks_does_not_confuse() {
        let line = b"7 (a) Z (b) S 5 7 7 0 -1 0 0 0 0 0 100 20 3 2 20 0 1 0 99 4096 3 18446744073709551615 1";
        let stat = Units { ticks_per_second: 100, page: 4096 }.parse(line).unwrap();
        assert_eq!((stat.zombie, stat.parent, stat.resident), (false, 5, 3 * 4096));
        assert_eq!(stat.cpu, Duration::from_millis(1250));
    }

    #[test]
    fn a_child_is_among_the_children_until_it_is_reaped() {
        let own = i32::try_from(std::process::id()).unwrap();
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let id = i32::try_from(child.id()).unwrap();
        assert_eq!(children(own).unwrap().contains(&id), lists_children());
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!children(own).unwrap().contains(&id));
        assert!(children(id).is_none());
    }

    #[test]
    fn this_process_is_in_the_table_and_uses_memory() {
        let own = i32::try_from(std::process::id()).unwrap();
        assert!(all().any(|pid| pid == own));
        assert!(Units::of_this_system().stat(own).unwrap().resident > 0);
    }
}
