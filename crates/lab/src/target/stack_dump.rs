//! What LLVM's tools print when they fail by themselves: a message that is not on the line which announces the
//! failure, a verifier's complaint about what a pass left, and a stack dump that names the pass.

use std::sync::LazyLock;

use nix::libc;
use regex::Regex;

use super::failure::{is_remark, signal_name};

/// LLVM prints at most 256 frames. A stack with so many is one of endless recursion.
const DEEP: usize = 240;

/// Messages of functions that everything calls.
const GENERAL: [&str; 3] = [
    "VT::getVectorNumElements() for scalable vector",
    "annot implicitly convert a scalable size to a fixed-width size",
    "Invalid size request on a scalable vector",
];

/// `2. Running pass "instcombine<no-verify-fixpoint>" on function "f"`
static RUNNING: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"^\d+\.\s+Running pass ["'](?<pass>.*?)["'] on "#).ok());

/// `LLVM ERROR: Broken function found after pass "InstSimplifyPass", compilation aborted!`
static AFTER: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"found after pass "(?<pass>\w+?)(?:Pass)?""#).ok());

/// `#9 0x00007f22 llvm::SROAPass::run(llvm::Function&, …)`
static FRAME: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"llvm::(?<pass>\w+?)Pass::run\w*\(").ok());

/// Passes that only run others.
const WRAPPERS: [&str; 4] = ["Repeated", "DevirtSCCRepeated", "ModuleInlinerWrapper", "Verifier"];

/// Passes that only run others, in pipelines.
const MANAGERS: [&str; 5] = ["cgscc", "function", "loop", "loop-mssa", "module"];

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
        before.next().filter(|line| !is_remark(line))
    };
    // The verifier says first what it found, then shows the instructions.
    if line.contains("Broken module found") || line.contains("Broken function found") {
        let said = || lines[..at].iter().map(|line| line.trim());
        let is_sentence = |line: &&str| line.ends_with(['!', '.']) && !line.starts_with(['%', ';']);
        // Some complaints end without a point.
        let is_begun = |line: &&str| line.starts_with(|it: char| it == '\'' || it.is_uppercase());
        let complaint = said().find(is_sentence).or_else(|| said().find(is_begun));
        let complaint = complaint.map(|it| format!(": {it}")).unwrap_or_default();
        // The verifier itself is a pass, too: the one that is meant is any before it. Managers say nothing.
        let after = || Some(AFTER.as_ref()?.captures(line)?["pass"].to_owned());
        let is_pass = |pass: &String| pass != "verify" && !MANAGERS.contains(&pass.as_str());
        let pass = after().or_else(|| last_pass(lines).filter(is_pass));
        let pass = pass.map(|pass| format!(", left by {pass}")).unwrap_or_default();
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

/// The innermost pass of a stack dump, without its parameters. Up to 17 the dump of a release does not name passes, and
/// managers of call graphs do not name the one that they ran: then it is the one whose frame is innermost.
fn last_pass(lines: &[&str]) -> Option<String> {
    let running = RUNNING.as_ref()?;
    let name = |line: &&str| Some(running.captures(line)?["pass"].to_owned());
    let named = lines.iter().rev().find_map(name);
    if let Some(pass) = named.as_deref().and_then(only_pass) {
        return Some(pass);
    }
    let frame = |line: &&str| {
        let found = FRAME.as_ref()?.captures_iter(line);
        let mut names = found.map(|it| it["pass"].to_owned());
        names.find(|name| !WRAPPERS.contains(&name.as_str()))
    };
    // Frames of the handler of the crash come first, and are of no pass.
    let of_frame = lines.iter().find_map(frame);
    of_frame.or_else(|| Some(without_parameters(&named?).to_owned()))
}

/// The one pass that stands in a text like `cgscc(devirt<4>(attributor-cgscc))`, if there is only one.
fn only_pass(text: &str) -> Option<String> {
    let parts = llvm::pipeline::split(text);
    let [part] = parts[..] else { return None };
    // The bracket of a manager stands behind its parameters.
    let depth = |at: usize| {
        let before = &part.as_bytes()[..at];
        let count = |letter: u8| before.iter().filter(|it| **it == letter).count();
        count(b'<') - count(b'>').min(count(b'<'))
    };
    match part.char_indices().find(|(at, letter)| *letter == '(' && depth(*at) == 0) {
        Some((at, _)) => only_pass(part[at + 1..].strip_suffix(')')?),
        None => Some(without_parameters(part).to_owned()),
    }
}

fn without_parameters(pass: &str) -> &str {
    pass.split(['<', '(']).next().unwrap_or(pass).trim()
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

    /// A crash of the Attributor was said to be one of `cgscc`.
    #[test]
    fn a_manager_is_not_the_pass_that_crashed() {
        let dump = |running: &str| {
            format!(
                "Stack dump:\n1.\tRunning pass \"{running}\" on module \"in.ll\"\n \
                 #4 0x00007f21 llvm::AttributorCGSCCPass::run(llvm::LazyCallGraph::SCC&) (/usr/lib/libLLVM.so+0x1)\n \
                 #6 0x00007f22 llvm::DevirtSCCRepeatedPass::run(llvm::LazyCallGraph::SCC&) (/usr/lib/libLLVM.so+0x2)\n"
            )
        };
        let of = |running: &str| message(&dump(running), Some(11));
        assert_eq!(of("cgscc(attributor-cgscc)"), "killed by SIGSEGV in pass attributor-cgscc");
        let nested = "cgscc(devirt<4>(function<eager-inv>(sroa<modify-cfg>)))";
        assert_eq!(of(nested), "killed by SIGSEGV in pass sroa");
        let several = "cgscc(inline<only-mandatory>,attributor-cgscc)";
        assert_eq!(of(several), "killed by SIGSEGV in pass AttributorCGSCC");
        assert_eq!(of("gvn<memdep;pre>"), "killed by SIGSEGV in pass gvn");
        // LLVM 17 names no pass.
        let unnamed = dump("x").replace("1.\tRunning pass \"x\" on module \"in.ll\"\n", "");
        assert_eq!(message(&unnamed, Some(11)), "killed by SIGSEGV in pass AttributorCGSCC");
    }

    #[test]
    fn a_remark_is_not_the_message_of_a_crash() {
        let remark = "remark: <unknown>:0:0: loop not vectorized: value is used outside the loop";
        let crash = format!("{remark}\n{DUMP}");
        assert_eq!(message(&crash, Some(11)), "killed by SIGSEGV in pass sroa");
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
        let unpunctuated = "'allocsize' element size argument is out of bounds\nptr @f\n\
                            LLVM ERROR: Broken module found, compilation aborted!\n";
        let expected = "invalid IR: 'allocsize' element size argument is out of bounds";
        assert_eq!(message(unpunctuated, Some(6)), expected);
        let dumped = format!("{text}{DUMP}").replace("sroa<modify-cfg>", "licm");
        let expected = "invalid IR, left by licm: Instruction does not dominate all uses!";
        assert_eq!(message(&dumped, Some(6)), expected);
        // The verifier at the end of a pipeline left nothing.
        let last = "1.\tRunning pass \"verify\" on module \"in.ll\"\n \
                    #3 0x00007f21 llvm::VerifierPass::run(llvm::Module&) (/usr/lib/libLLVM.so+0x1)\n";
        let of_end = format!("{text}Stack dump:\n{last}");
        assert_eq!(
            message(&of_end, Some(6)),
            "invalid IR: Instruction does not dominate all uses!"
        );
        let after = "Broken function found after pass \"LICMPass\", compilation aborted!";
        let in_loop = format!("{text}1.\tRunning pass \"loop(indvars,licm)\" on function \"f\"\n");
        assert_eq!(
            message(&in_loop, Some(6)),
            "invalid IR: Instruction does not dominate all uses!"
        );
        let of_each = text.replace("Broken module found, compilation aborted!", after);
        let expected = "invalid IR, left by LICM: Instruction does not dominate all uses!";
        assert_eq!(message(&of_each, Some(6)), expected);
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
