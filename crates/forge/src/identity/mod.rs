//! Identities: rewrites of bit-vector terms that are proven to keep what a program does. `kernel/` is
//! what is trusted; the rest finds proofs, reads and writes rules, and applies them.

pub mod kernel;
pub mod parse;
pub mod print;
pub mod prove;
mod rule;

pub use rule::{Category, Claim, Handling, Rule, Variable, WIDEST, Widths};
pub mod prove;
