//! LLVM IR: the model of textual IR, its parser, printer and verifier; the semantics of instructions and
//! the two oracles that read them, an interpreter and a prover; crossovers and mutations of functions.
//!
//! Nothing here reads files or runs `opt`: corpora are handed in as text, and compilers are for `lab`.

pub mod cfg;
mod debug_info;
mod extract;
pub mod ir;
pub mod library;
pub mod merge;
mod names;
pub mod parse;
pub mod print;
pub mod semantics;
pub mod verify;
