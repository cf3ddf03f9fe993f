//! Classifies the end of a run that we did not stop: the program ended by itself, or Linux enforced a
//! limit, possibly on a child whose death the leader only reported. Runs that exceed a limit of `gauge` are
//! classified there; what an ending means for a compiler is left to the targets.

use std::fs;

use super::{Capture, Ending, Resource};

/// What programs print when an allocation fails, in lower case.
const OUT_OF_MEMORY: [&str; 9] = [
    "std::bad_alloc",
    "out of memory",
    "out-of-memory",
    "outofmemoryerror",
    "virtual memory exhausted",
    "cannot allocate memory",
    "memory exhausted",
    "memoryerror",
    "killed signal terminated program",
];

/// What programs that ignore SIGXFSZ print, in lower case.
const FILE_TOO_LARGE: &str = "file too large";

/// A shell reports a child that was killed by a signal by this exit code plus the signal number.
const SHELL_SIGNAL: i32 = 128;

/// Detects whether Linux's OOM killer has killed a process since this was created.
#[derive(Debug)]
pub(super) struct OomCounter {
    at_start: Option<u64>,
}

impl OomCounter {
    pub(super) fn new() -> OomCounter {
        OomCounter { at_start: oom_kills() }
    }

    fn has_risen(&self) -> bool {
        oom_kills() > self.at_start
    }
}

fn oom_kills() -> Option<u64> {
    let table = fs::read_to_string("/proc/vmstat").ok()?;
    table.lines().find_map(|line| line.strip_prefix("oom_kill "))?.trim().parse().ok()
}

/// The ending of a leader with this wait status and stderr. If it failed and `out_of_time` is set, the limit
/// on CPU time is assumed to be the reason.
pub(super) fn name(status: i32, out_of_time: bool, stderr: &Capture, oom: &OomCounter) -> Ending {
    let (ending, signal) = if libc::WIFSIGNALED(status) {
        let signal = libc::WTERMSIG(status);
        (Ending::Signalled(signal), signal)
    } else {
        let code = libc::WEXITSTATUS(status);
        (Ending::Exited(code), code - SHELL_SIGNAL)
    };
    if ending.success() {
        return ending;
    }
    // Linux counts whole seconds, and sends SIGKILL to a process that ignores SIGXCPU.
    if signal == libc::SIGXCPU || out_of_time {
        return Ending::TimedOut;
    }
    let text = stderr.bytes.to_ascii_lowercase();
    if signal == libc::SIGXFSZ || says(&text, FILE_TOO_LARGE) {
        return Ending::Exceeded(Resource::FileSize);
    }
    let memory = says_out_of_memory(&text) || (signal == libc::SIGKILL && oom.has_risen());
    if memory { Ending::Exceeded(Resource::Memory) } else { ending }
}

fn says_out_of_memory(text: &[u8]) -> bool {
    // Rust's message contains a number.
    let rust = text.split(|&byte| byte == b'\n').any(|line| {
        says(line, "memory allocation of ") && line.trim_ascii_end().ends_with(b"bytes failed")
    });
    rust || OUT_OF_MEMORY.iter().any(|message| says(text, message))
}

fn says(text: &[u8], message: &str) -> bool {
    text.windows(message.len()).any(|window| window == message.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: i32, stderr: &str) -> Ending {
        let stderr = Capture { bytes: stderr.into(), total: 0 };
        name(status, false, &stderr, &OomCounter::new())
    }

    const EXIT_1: i32 = 1 << 8;

    #[test]
    fn out_of_memory_is_distinguished_from_a_crash() {
        assert_eq!(of(libc::SIGABRT, ""), Ending::Signalled(libc::SIGABRT));
        let memory = Ending::Exceeded(Resource::Memory);
        assert_eq!(of(libc::SIGABRT, "memory allocation of 99 bytes failed\n"), memory);
        assert_eq!(of(libc::SIGABRT, "what():  std::bad_alloc"), memory);
        assert_eq!(of(EXIT_1, "LLVM ERROR: out of memory"), memory);
        assert_eq!(of(0, "LLVM ERROR: out of memory"), Ending::Exited(0));
        assert_eq!(of(EXIT_1, "error: memory allocation of blocks"), Ending::Exited(1));
    }

    #[test]
    fn a_limit_on_the_child_of_a_shell_is_recognised() {
        assert_eq!(of((128 + libc::SIGXCPU) << 8, ""), Ending::TimedOut);
        assert_eq!(of((128 + libc::SIGXFSZ) << 8, ""), Ending::Exceeded(Resource::FileSize));
        assert_eq!(of(EXIT_1, "OSError: File too large"), Ending::Exceeded(Resource::FileSize));
    }
}
