//! Identities: rewrites of bit-vector terms that are proven to keep what a program does. `kernel/` is
//! what is trusted; the rest finds proofs, reads and writes rules, and applies them.

pub mod evaluate;
pub mod kernel;
pub mod refute;
pub mod valuations;
pub mod word;
