//! LLVM IR: the model of textual IR, its parser, printer and verifier; the semantics of instructions and
//! the two oracles that read them, an interpreter and a prover; crossovers and mutations of functions.
//!
//! Nothing here reads files or runs `opt`: corpora are handed in as text, and compilers are for `lab`.

pub mod interpret;
pub mod ir;
pub mod parse;
pub mod print;
pub mod refine;
pub mod semantics;
