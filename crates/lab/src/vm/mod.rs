//! Virtual machines that execute the output of compilers in this process: interpreters in safe Rust, fast enough
//! that the run time of the compiler dominates. What the results mean is left to the targets.

pub mod chain;
pub mod evm;
pub mod polka;
pub mod wasm;
