//! Messages of code generators about what they document not to support. A function that gets one is skipped.
//!
//! A message is listed if LLVM's documents or the backend itself say that the feature is absent, or that an earlier
//! stage must have removed it. "Cannot select" of a plain operation is not listed: it is a bug. Each row begins with
//! the word that LLVM writes before its own messages, so that no word of an assertion, a stack dump or a printed
//! instruction is taken for one.

pub(super) const LIMITS: &[&str] = &[
    // Features of some targets.
    r"(LLVM ERROR|error): .*(does not support|not supported|[Uu]nsupported|not implemented|unimplemented)",
    r"(LLVM ERROR|error): .*(requires the .* feature|without the .* feature|not available)",
    // What earlier passes or front ends must lower.
    r"(LLVM ERROR|error): .*(should have been lowered|must be lowered|was not lowered)",
    r"LLVM ERROR: Cannot select: intrinsic",
    // A size that instructions cannot encode.
    r"(LLVM ERROR|error): .*(too large|out of range|exceeds limit|too many registers|stack frame size)",
];

#[cfg(test)]
mod tests {
    use forge::{Outcome, Reason};

    use super::*;
    use crate::target::failure::Classifier;

    #[test]
    fn a_limit_is_told_from_a_crash_that_uses_its_words() {
        let limits: Vec<String> = LIMITS.iter().map(|&it| it.to_owned()).collect();
        let classifier = Classifier::new(&[], &limits).unwrap();
        for limit in [
            "LLVM ERROR: Cannot select: intrinsic %llvm.x86.sse2.pause",
            "error: <unknown>:0:0: in function f i32 (): unsupported call to variadic function",
            "LLVM ERROR: 128-bit atomics are not supported",
            "LLVM ERROR: fixup value out of range",
        ] {
            let outcome = classifier.failed(limit, Some(6));
            assert!(matches!(outcome, Outcome::Unobserved(Reason::Limit(_))), "{outcome:?}");
        }
        for crash in [
            "llc: lib/X.cpp:1: Assertion `I < size() && \"index out of range\"' failed.",
            "unsupported type\nUNREACHABLE executed at lib/X.cpp:2!",
            "LLVM ERROR: Cannot select: t7: i32 = shl t3, t5",
            "LLVM ERROR: unable to legalize instruction: %1:_(s8) = G_FREEZE %0:_(s8)",
            "PLEASE submit a bug report\nStack dump:\n0.\tProgram arguments: llc too large\n",
        ] {
            let outcome = classifier.failed(crash, Some(6));
            assert!(matches!(outcome, Outcome::Crashed { .. }), "{crash}: {outcome:?}");
        }
    }
}
