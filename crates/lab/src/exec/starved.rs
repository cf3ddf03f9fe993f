//! Whether a failed run lacked something that the machine should have provided: space, memory, files, processes. Such a
//! run says nothing about the program that was started. Limits of ours are left to `gauge` and `ending`.

use std::fs;

use super::{Ending, Resource};

/// What is missing if a disk is full.
pub(super) const SPACE: &str = "space on a device";

/// What the C library prints for the errors of a machine that has run out of something.
const MESSAGES: [(&str, &str); 6] = [
    ("No space left on device", SPACE),
    ("Disk quota exceeded", "disk quota"),
    ("Too many open files", "open files"),
    ("Read-only file system", "a file system that can be written to"),
    ("Resource temporarily unavailable", "processes or threads"),
    ("Transport endpoint is not connected", "a file system that is mounted"),
];

/// What was missing, if the machine is to blame. `peak` is the memory that the run has used, `limit` what it may use.
pub(super) fn lack(ending: Ending, text: &[&[u8]], peak: u64, limit: u64) -> Option<String> {
    match ending {
        Ending::Exited(0) | Ending::TimedOut => None,
        // A run that stayed below its limit, on a machine that could not give it as much.
        Ending::Exceeded(Resource::Memory) => {
            let free = available_memory()?;
            let is_short = peak < limit && free.saturating_add(peak) < limit;
            is_short.then(|| format!("memory: {} MiB are free", free >> 20))
        }
        Ending::Exceeded(_) => None,
        Ending::Exited(_) | Ending::Signalled(_) => {
            let says = |message: &str| {
                let mut windows = text.iter().flat_map(|text| text.windows(message.len()));
                windows.any(|window| window == message.as_bytes())
            };
            let found = MESSAGES.iter().find(|(message, _)| says(message));
            found.map(|(_, what)| (*what).to_owned())
        }
    }
}

/// The memory that programs can still get, in bytes.
fn available_memory() -> Option<u64> {
    let table = fs::read_to_string("/proc/meminfo").ok()?;
    let line = table.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse::<u64>().ok().map(|kib| kib << 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_machine_is_not_the_fault_of_a_program() {
        let of = |ending, text: &str| lack(ending, &[text.as_bytes()], 0, 1 << 30);
        let failed = Ending::Exited(1);
        let full = "ld: final link failed: No space left on device";
        assert_eq!(of(failed, full).as_deref(), Some("space on a device"));
        assert_eq!(of(Ending::Signalled(6), full).as_deref(), Some("space on a device"));
        assert!(of(failed, "fork: Resource temporarily unavailable").is_some());
        assert_eq!(of(Ending::Exited(0), full), None);
        assert_eq!(of(failed, "error: no space before `(`"), None);
    }

    #[test]
    fn memory_counts_against_a_program_only_if_the_machine_has_it() {
        let memory = Ending::Exceeded(Resource::Memory);
        let free = available_memory().unwrap();
        // The limit is far above what this machine can give, or far below.
        assert!(lack(memory, &[], 1 << 20, free * 4).is_some());
        assert_eq!(lack(memory, &[], 1 << 20, free / 4), None);
        assert_eq!(lack(memory, &[], free * 5, free * 4), None);
    }
}
