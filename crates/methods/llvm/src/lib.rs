//! LLVM IR: the model of textual IR, its parser, printer and verifier; the semantics of instructions and
//! the two oracles that read them, an interpreter and a prover; crossovers and mutations of functions.
//!
//! Nothing here reads files or runs `opt`: corpora are handed in as text, and compilers are for `lab`.

pub mod block;
pub mod cfg;
pub mod check;
pub mod corpus;
pub mod crossover;
mod debug_info;
pub mod draft;
pub mod execute;
mod extract;
pub mod interpret;
pub mod ir;
pub mod library;
mod library_calls;
pub mod merge;
pub mod method;
pub mod mutate;
mod names;
pub mod parse;
pub mod passes;
pub mod pipeline;
pub mod print;
pub mod prove;
pub mod reach;
pub mod refine;
pub mod refusal;
pub mod semantics;
mod shrink;
pub mod verify;
