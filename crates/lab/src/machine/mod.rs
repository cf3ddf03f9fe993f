//! Machines that run in this process what compilers emit for them: safe, in pure Rust, and so fast that the
//! compiler is all that costs.

pub mod evm;
pub mod polka;
pub mod wasm;
