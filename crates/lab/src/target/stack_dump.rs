//! What LLVM's tools print when they fail by themselves: a message that is not on the line which announces the
//! failure, a verifier's complaint about what a pass left, and a stack dump that names the pass.

use std::sync::LazyLock;

use nix::libc;
use regex::Regex;

use super::failure::signal_name;

/// LLVM prints at most 256 frames. A stack with so many is one of endless recursion.
const DEEP: usize = 240;

/// Messages of functions that everything calls.
const GENERAL: [&str; 3] = [
    "Possible incorrect use of MVT::getVectorNumElements",
    "Cannot implicitly convert a scalable size to a fixed-width size",
    "Invalid size request on a scalable vector",
];

/// `2. Running pass "instcombine<no-verify-fixpoint>" on function "f"`
static RUNNING: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"^\d+\.\s+Running pass ["'](?<pass>.*?)["'] on "#).ok());

/// Whether the stack is so deep that it must have been exhausted.
pub(super) fn is_overflow(text: &str, signal: Option<i32>) -> bool {
    let is_frame = |line: &&str| {
        let line = line.trim_start();
        line.strip_prefix('#').is_some_and(|it| it.starts_with(|c: char| c.is_ascii_digit()))
    };
    signal == Some(libc::SIGSEGV) && text.lines().filter(is_frame).count() >= DEEP
}

/// A better message than the line that announces the failure, which is at `at`.
pub(super) fn message(lines: &[&str], at: usize, signal: Option<i32>) -> Option<String> {
    let line = lines[at].trim();
    let before = || {
        let before = lines[..at].iter().map(|line| line.trim()).rev();
        let mut before = before.filter(|line| !line.is_empty());
        before.next().filter(|line| !line.to_lowercase().contains("warning"))
    };
    // The verifier says first what it found, then shows the instructions.
    if line.contains("Broken module found") || line.contains("Broken function found") {
        let mut said = lines[..at].iter().map(|line| line.trim());
        let complaint =
            said.find(|line| line.ends_with(['!', '.']) && !line.starts_with(['%', ';']));
        let complaint = complaint.map(|it| format!(": {it}")).unwrap_or_default();
        let pass = last_pass(lines).map(|pass| format!(", left by {pass}")).unwrap_or_default();
        return Some(format!("invalid IR{pass}{complaint}"));
    }
    // Many bugs have this message, so the pass is a part of it.
    if GENERAL.iter().any(|general| line.contains(general)) {
        let pass = last_pass(lines).map(|pass| format!(" in pass {pass}")).unwrap_or_default();
        return Some(format!("{line}{pass}"));
    }
    if line.starts_with("UNREACHABLE executed") {
        return before().map(|text| format!("{text}\n{line}"));
    }
    if line.starts_with("PLEASE submit a bug report") || line.starts_with("Stack dump:") {
        let killed =
            signal.map_or("crash".to_owned(), |it| format!("killed by {}", signal_name(it)));
        return match (before(), last_pass(lines)) {
            (Some(text), _) => Some(text.to_owned()),
            (None, Some(pass)) => Some(format!("{killed} in pass {pass}")),
            (None, None) => Some(killed),
        };
    }
    None
}

/// The innermost pass of a stack dump, without its parameters.
fn last_pass(lines: &[&str]) -> Option<String> {
    let running = RUNNING.as_ref()?;
    let name = |line: &&str| Some(running.captures(line)?["pass"].to_owned());
    let name = lines.iter().rev().find_map(name)?;
    Some(name.split(['<', '(']).next().unwrap_or(&name).to_owned())
}

#[cfg(test)]
mod tests {
    use forge::Outcome;

    use super::super::failure::{Classifier, overflow};
    use super::*;

    fn message(text: &str, signal: Option<i32>) -> String {
        match Classifier::default().failed(text, signal) {
            Outcome::Crashed { message, .. } => message,
            other => panic!("{other}"),
        }
    }

    const DUMP: &str = "PLEASE submit a bug report to https://example.test and include the crash backtrace.\n\
        Stack dump:\n0.\tProgram arguments: opt -passes=sroa in.ll\n\
        1.\tRunning pass \"function(sroa<modify-cfg>)\" on module \"in.ll\"\n\
        2.\tRunning pass \"sroa<modify-cfg>\" on function \"f\"\n \
        #0 0x00007f21 llvm::sys::PrintStackTrace(llvm::raw_ostream&, int) (/usr/lib/libLLVM.so+0x1)\n \
        #5 0x00007f22 llvm::SROAPass::runImpl(llvm::Function&) (/usr/lib/libLLVM.so+0x2)\n";

    #[test]
    fn a_crash_without_a_message_is_known_by_its_signal_and_pass() {
        assert_eq!(message(DUMP, Some(11)), "killed by SIGSEGV in pass sroa");
        let legacy = DUMP.replace("\"sroa<modify-cfg>\" on", "'SROA' on").replace("\"f\"", "'@f'");
        assert_eq!(message(&legacy, Some(6)), "killed by SIGABRT in pass SROA");
        assert_eq!(
            message("PLEASE submit a bug report\nStack dump:\n", Some(4)),
            "killed by SIGILL"
        );
    }

    #[test]
    fn a_message_that_many_bugs_have_names_the_pass() {
        let said = "LLVM ERROR: Invalid size request on a scalable vector.";
        assert_eq!(message(&format!("{said}\n{DUMP}"), Some(6)), format!("{said} in pass sroa"));
        let broken = "LLVM ERROR: Broken module found, compilation aborted!";
        let expected = "invalid IR, left by sroa";
        assert_eq!(message(&format!("{broken}\n{DUMP}"), Some(6)), expected);
    }

    #[test]
    fn what_is_said_before_a_stack_dump_is_the_message() {
        for said in [
            "opt: lib/IR/Value.cpp:503: Assertion `New->getType() == getType()' failed.",
            "LLVM ERROR: Cannot select: t1: i8",
            "fatal error: out of registers",
        ] {
            assert_eq!(message(&format!("{said}\n{DUMP}"), Some(6)), said);
        }
        let unreachable = format!("Invalid cast!\nUNREACHABLE executed at lib/X.cpp:12!\n{DUMP}");
        let expected = "Invalid cast!\nUNREACHABLE executed at lib/X.cpp:12!";
        assert_eq!(message(&unreachable, Some(6)), expected);
    }

    #[test]
    fn invalid_ir_that_a_pass_leaves_is_named_by_the_complaint() {
        let text = "Instruction does not dominate all uses!\n  %x = add i8 %a, 1\n  %y = add i8 %x, 1\n\
                    LLVM ERROR: Broken module found, compilation aborted!\n";
        assert_eq!(message(text, Some(6)), "invalid IR: Instruction does not dominate all uses!");
        let dumped = format!("{text}{DUMP}").replace("sroa<modify-cfg>", "licm");
        let expected = "invalid IR, left by licm: Instruction does not dominate all uses!";
        assert_eq!(message(&dumped, Some(6)), expected);
    }

    #[test]
    fn a_stack_of_hundreds_of_frames_is_a_stack_overflow() {
        let frames: String =
            (0..256).map(|at| format!(" #{at} 0x00007f llvm::fold(llvm::Value*)\n")).collect();
        let text = format!("{DUMP}{frames}");
        assert_eq!(Classifier::default().failed(&text, Some(11)), overflow());
        // An assertion that is found deep in a recursion is not.
        assert!(!is_overflow(&text, Some(6)) && !is_overflow(DUMP, Some(11)));
    }
}
