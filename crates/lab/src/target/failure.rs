//! The one place where the ending of a process becomes an outcome: a rejection, crash, timeout or exceeded limit
//! of a compiler, and the behaviour of a compiled program. What LLVM's tools print is read by `stack_dump`.

use std::sync::LazyLock;

use forge::{Behaviour, Outcome, Reason, Resource, Stage};
use nix::sys::signal::Signal;
use regex::Regex;

use super::stack_dump;
use crate::exec::{Ending, ExecError, Limits, Run};

/// Patterns of internal compiler errors.
const CRASHES: &[&str] = &[
    r"internal compiler error",
    r"panicked at",
    r"LLVM ERROR",
    r"Assertion [`'].*failed",
    r"Assertion failed",
    r"UNREACHABLE executed",
    r"PLEASE submit a bug report",
    r"Stack dump:",
    r"ICE:|internal error:",
    r"AddressSanitizer|UndefinedBehaviorSanitizer|\.(c|cc|cpp|h|hpp):\d+:\d+: runtime error:",
    r"Segmentation fault|Illegal instruction|Aborted \(core dumped\)",
];

/// What runtimes print when a compiler exhausts its stack.
const OVERFLOWS: &[&str] = &[
    // Rust's runtime, and rustc of itself.
    r"overflowed its stack",
    // JavaScript and WebAssembly in V8, SpiderMonkey and elsewhere; Emscripten's own check.
    r"Maximum call stack size exceeded|InternalError: too much recursion|call stack exhausted",
    r"^[Ss]tack overflow\b|Aborted\([Ss]tack overflow|Stack overflow! ",
    // Python, Java, .NET, Go, Ruby, OCaml.
    r"RecursionError: |StackOverflowError|StackOverflowException|[Ff]atal error: stack overflow",
    r"goroutine stack exceeds|stack level too deep|Stack_overflow",
    // It knows the guard page.
    r"AddressSanitizer: stack-overflow",
];

/// A warning of Clang. It may survive; if it does not, this is the cause.
const NEARLY: &str = "stack nearly exhausted";

static OVERFLOW: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!("(?m){}", OVERFLOWS.join("|"))).ok());

/// Messages about what a program does while it is evaluated at compile time, such as a panic of its own.
const EVALUATED: &[&str] = &["evaluation panicked", "evaluation of constant value failed"];

/// Exit codes with which shells and Rust's runtime report a crash.
const CRASH_CODES: [i32; 6] = [101, 128 + 4, 128 + 6, 128 + 7, 128 + 8, 128 + 11];

/// The maximal number of lines of a message.
const MESSAGE_LINES: usize = 12;

/// Stack frames that occur in every crash.
static GENERIC_FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(concat!(
        r"^(std|core|alloc|backtrace|test)::|^<(std|core|alloc)|rust_begin_unwind|__rustc|rust_panic",
        r"|^_?_?(abort|raise|libc_start|restore_rt|assert_fail|pthread_kill|GI_)|^_start|^main$",
        r"|llvm::sys::|PrintStackTrace|SignalHandler|report_fatal_error|llvm_unreachable|^clone|^start_thread",
        r"|panic_fmt|unwrap_failed|expect_failed|panic_bounds_check|catch_unwind|^\?\?$|^\(",
    ))
    .ok()
});

static FRAME: LazyLock<Option<Regex>> = LazyLock::new(|| {
    // `  4: rustc_mir::f`, `  4: 0x7f.. - rustc_mir::f`, ` #4 0x55d1 in llvm::f(int)`, ` #4 0x55 llvm::f`
    Regex::new(r"^\s*(?:#\d+|\d+:)\s+(?:0x[0-9a-fA-F]+\s+(?:- |in )?)?(?<frame>[^\s(][^(]*)").ok()
});

/// Classifies failures of a compiler.
#[derive(Clone, Debug)]
pub struct Classifier {
    crash: Vec<Regex>,
    limit: Vec<Regex>,
}

impl Default for Classifier {
    /// With the built-in patterns only. A test checks that they are valid.
    fn default() -> Self {
        Self::new(&[], &[]).unwrap_or(Self { crash: vec![], limit: vec![] })
    }
}

impl Classifier {
    /// With the target's own patterns before the built-in ones. The error names the invalid pattern.
    pub fn new(crash: &[String], limit: &[String]) -> Result<Self, String> {
        let compile = |what: &str, patterns: &mut dyn Iterator<Item = &str>| {
            let regexes = patterns.map(|pattern| {
                Regex::new(pattern).map_err(|error| format!("{what} pattern `{pattern}`: {error}"))
            });
            regexes.collect::<Result<Vec<Regex>, String>>()
        };
        let mut crashes = crash.iter().map(String::as_str).chain(CRASHES.iter().copied());
        Ok(Self {
            crash: compile("crash", &mut crashes)?,
            limit: compile("limit", &mut limit.iter().map(String::as_str))?,
        })
    }

    /// Why the compiler failed; `None` if it reported success.
    pub fn compile_failure(&self, run: &Run, limits: &Limits) -> Option<Outcome> {
        let text = || format!("{}\n{}", run.stderr.text(), run.stdout.text());
        match run.ending {
            Ending::Exited(0) => None,
            Ending::TimedOut => {
                Some(Outcome::Hung { stage: Stage::Compile, seconds: limits.wall.as_secs() })
            }
            Ending::Exceeded(resource) => {
                Some(Outcome::Exhausted { stage: Stage::Compile, resource })
            }
            Ending::Signalled(signal) => Some(self.failed(&text(), Some(signal))),
            Ending::Exited(code) => {
                let text = text();
                let died = CRASH_CODES.contains(&code);
                let signal = (died && code > 128).then_some(code - 128);
                if died || overflows(&text) || self.crash_line(&text).is_some() {
                    Some(self.failed(&text, signal))
                } else {
                    Some(self.rejected(&text, code))
                }
            }
        }
    }

    /// The same for a program of any text: a compiler that exits with an ordinary code and only quotes the program, or a
    /// message of a program that it evaluated, has not crashed.
    pub fn failure_on_text(&self, run: &Run, limits: &Limits, source: &str) -> Option<Outcome> {
        let failure = self.compile_failure(run, limits)?;
        let text = || format!("{}\n{}", run.stderr.text(), run.stdout.text());
        match (&failure, run.ending) {
            (Outcome::Crashed { .. }, Ending::Exited(code)) if !CRASH_CODES.contains(&code) => {
                match self.reports_crash(&text(), source) {
                    true => Some(failure),
                    false => Some(self.rejected(&text(), code)),
                }
            }
            _ => Some(failure),
        }
    }

    /// Whether a line is about a crash of the compiler, and is neither quoted from the program nor about its evaluation.
    fn reports_crash(&self, text: &str, source: &str) -> bool {
        let is_own =
            |found: regex::Match<'_>| !source.contains(found.as_str().trim_end_matches(':'));
        let is_evaluated = |line: &str| EVALUATED.iter().any(|it| line.contains(it));
        text.lines()
            .filter(|line| !is_evaluated(line))
            .any(|line| self.crash.iter().filter_map(|crash| crash.find(line)).any(is_own))
    }

    /// The crash that an output describes, or a documented limit.
    pub fn failed(&self, text: &str, signal: Option<i32>) -> Outcome {
        if let Some(line) = self.limit_line(text) {
            return Outcome::Unobserved(Reason::Limit(line.trim().to_owned()));
        }
        if overflows(text) || text.contains(NEARLY) || stack_dump::is_overflow(text, signal) {
            return overflow();
        }
        let lines: Vec<&str> = text.lines().collect();
        let at = self.crash_line(text);
        let of_dump = at.and_then(|at| stack_dump::message(&lines, at, signal));
        let message = match (at, signal) {
            _ if of_dump.is_some() => of_dump.unwrap_or_default(),
            // Rust prints the location of a panic on one line and the message on the next.
            (Some(at), _) if lines[at].contains("panicked at") => {
                lines[at..].iter().take(2).copied().collect::<Vec<_>>().join("\n")
            }
            (Some(at), _) => lines[at].to_owned(),
            (None, Some(signal)) => format!("killed by {}", signal_name(signal)),
            // The last lines are more likely to describe the failure than warnings at the beginning.
            (None, None) => last_lines(text),
        };
        Outcome::Crashed { signal, message, frames: frames(text) }
    }

    /// The rejection that an output describes, or a documented limit.
    pub fn rejected(&self, text: &str, code: i32) -> Outcome {
        if let Some(line) = self.limit_line(text) {
            return Outcome::Unobserved(Reason::Limit(line.trim().to_owned()));
        }
        let message = head(text);
        let silent = message.is_empty();
        let message = if silent { format!("exit code {code}, no message") } else { message };
        Outcome::Rejected { message }
    }

    /// The first line that matches the earliest matching pattern of the list.
    fn crash_line(&self, text: &str) -> Option<usize> {
        self.crash.iter().find_map(|crash| text.lines().position(|line| crash.is_match(line)))
    }

    fn limit_line<'a>(&self, text: &'a str) -> Option<&'a str> {
        text.lines().find(|line| self.limit.iter().any(|limit| limit.is_match(line)))
    }
}

/// The failure that a message of a compiler describes: a stack overflow or another crash.
pub fn crashed(message: String, frames: Vec<String>) -> Outcome {
    if overflows(&message) {
        return overflow();
    }
    Outcome::Crashed { signal: None, message, frames }
}

/// A stack overflow of the compiler. The message is not kept: it differs from program to program, and with memory
/// corruption from run to run.
pub fn overflow() -> Outcome {
    Outcome::Exhausted { stage: Stage::Compile, resource: Resource::Stack }
}

/// Whether a runtime reports an exhausted stack.
fn overflows(text: &str) -> bool {
    OVERFLOW.as_ref().is_some_and(|pattern| pattern.is_match(text))
}

/// The behaviour of a compiled program.
pub fn behaviour(run: &Run, limits: &Limits) -> Outcome {
    let output = || run.stdout.text();
    match run.ending {
        Ending::Exited(0) => Outcome::Ran(Behaviour::Value(output())),
        Ending::Exited(code) => {
            Outcome::Ran(Behaviour::Trap { code: format!("exit {code}"), output: output() })
        }
        Ending::Signalled(signal) => {
            Outcome::Ran(Behaviour::Trap { code: signal_name(signal), output: output() })
        }
        Ending::TimedOut => Outcome::Hung { stage: Stage::Run, seconds: limits.wall.as_secs() },
        Ending::Exceeded(resource) => Outcome::Exhausted { stage: Stage::Run, resource },
    }
}

/// A process that could not be started or monitored is not evidence about the compiler.
pub fn not_observed(error: &ExecError) -> Outcome {
    Outcome::unobserved(error.to_string())
}

pub fn signal_name(signal: i32) -> String {
    Signal::try_from(signal)
        .map_or_else(|_| format!("signal {signal}"), |it| it.as_str().to_owned())
}

fn head(text: &str) -> String {
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.take(MESSAGE_LINES).collect::<Vec<_>>().join("\n")
}

/// Whether a line says nothing about a failure.
pub(super) fn is_remark(line: &str) -> bool {
    line.to_lowercase().contains("warning") || line.contains("remark: ")
}

/// The last lines that are not warnings; the first lines if all are.
fn last_lines(text: &str) -> String {
    let lines = text.lines().map(str::trim_end).filter(|line| !line.is_empty());
    let plain: Vec<&str> = lines.filter(|line| !is_remark(line)).collect();
    if plain.is_empty() {
        return head(text);
    }
    plain[plain.len().saturating_sub(MESSAGE_LINES)..].join("\n")
}

/// The frames of a backtrace, without generic ones.
fn frames(text: &str) -> Vec<String> {
    let (Some(frame), Some(generic)) = (FRAME.as_ref(), GENERIC_FRAME.as_ref()) else {
        return vec![];
    };
    text.lines()
        .filter_map(|line| Some(frame.captures(line)?.name("frame")?.as_str().trim().to_owned()))
        .filter(|name| !generic.is_match(name))
        .take(8)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str, signal: Option<i32>) -> String {
        match Classifier::default().failed(text, signal) {
            Outcome::Crashed { message, .. } => message,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn the_message_of_a_crash_is_the_one_of_the_failure() {
        let warnings = "x.c:1: warning: unused variable\nx.c:2: warning: this overflows\n";
        let fatal = format!("{warnings}x.c:3: internal compiler error: in fold\nSee the manual.\n");
        assert_eq!(message(&fatal, None), "x.c:3: internal compiler error: in fold");
        // Without a line that is known for it, what was said last counts, and warnings do not.
        let plain = format!("compiling\n{warnings}cannot go on\n");
        assert_eq!(message(&plain, None), "compiling\ncannot go on");
        assert_eq!(message(warnings, Some(11)), "killed by SIGSEGV");
    }

    #[test]
    fn a_stack_overflow_is_recognised_where_the_runtime_tells() {
        for text in [
            "thread 'rustc' (123) has overflowed its stack\nfatal runtime error: stack overflow",
            "error: rustc interrupted by SIGSEGV\nnote: rustc unexpectedly overflowed its stack!",
            "RangeError: Maximum call stack size exceeded\n    at walk (a.js:1:2)",
            "RuntimeError: Aborted(stack overflow (Attempt to set SP to 0x1))",
            "Stack overflow! Stack cookie has been overwritten",
            "Traceback (most recent call last):\nRecursionError: maximum recursion depth exceeded",
            "Exception in thread \"main\" java.lang.StackOverflowError",
            "runtime: goroutine stack exceeds 1000000000-byte limit\nfatal error: stack overflow",
            "==1==ERROR: AddressSanitizer: stack-overflow on address 0x7ffc",
            "x.c:1:2: warning: stack nearly exhausted; crashes are likely\nStack dump:\n0.\tx",
        ] {
            let outcome = Classifier::default().failed(text, Some(11));
            assert_eq!(outcome, overflow(), "{text}");
        }
        let others = ["Stack too deep inside the stack", "Assertion `stack overflow' failed.", "x"];
        for text in others {
            let outcome = crashed(text.to_owned(), vec![]);
            assert!(matches!(outcome, Outcome::Crashed { .. }), "{text}");
        }
    }

    /// A program of a corpus may contain the words of a crash, and diagnostics quote it.
    #[test]
    fn a_quoted_program_is_no_crash() {
        let of = |text: &str, source: &str| Classifier::default().reports_crash(text, source);
        let quoted = "x.c:1: error: expected `;`\n 1 | puts(\"Assertion failed\")";
        assert!(!of(quoted, "puts(\"Assertion failed\")"));
        assert!(of(quoted, "assert(0)"));
        assert!(of("error: internal compiler error: x", "fn main() {}"));
        let evaluated =
            "error[E0080]: evaluation panicked: internal error: entered unreachable code";
        assert!(!of(evaluated, "const A: () = unreachable!();"));
    }

    #[test]
    fn every_pattern_is_one() {
        assert!(OVERFLOW.is_some() && GENERIC_FRAME.is_some() && FRAME.is_some());
        assert_eq!(Classifier::default().crash.len(), CRASHES.len());
    }
}
