//! Messages of code generators about what they document not to support. A function that gets one is skipped.
//!
//! A message is listed if LLVM's documents or the backend itself say that the feature is absent, or that an earlier
//! stage must have removed it. "Cannot select" of a plain operation is not listed: it is a bug.

pub(super) const LIMITS: &[&str] = &[
    // Tail calls are a promise that a backend may refuse.
    r"failed to perform tail call elimination on a call site marked musttail",
    // Features of some targets.
    r"does not support|is not supported|not supported|[Uu]nsupported|not implemented|unimplemented",
    r"requires the .* feature|without the .* feature|not available",
    // What earlier passes or front ends must lower.
    r"should have been lowered|must be lowered|was not lowered|Cannot select: intrinsic",
    // A size that instructions cannot encode.
    r"too large|out of range|exceeds limit|too many registers|stack frame size",
    // Inline assembly and registers that a machine does not have.
    r"couldn't allocate (input|output) reg|invalid operand in inline asm|Invalid register name",
    r"scalable vector|vscale",
];
