//! Identities: rewrites of bit-vector terms that are proven to keep what a program does. `kernel/` is
//! what is trusted; the rest finds proofs, reads and writes rules, and applies them.

pub mod apply;
pub mod evaluate;
pub mod export;
pub mod kernel;
mod ledger;
mod library;
pub mod parse;
pub mod print;
pub mod prove;
pub mod refute;
mod rule;
mod sealed;
mod standing;
mod synth;
pub mod valuations;
pub mod word;

pub use ledger::{Illegible, Ledger};
pub use library::{Entry, Library, SOURCES, Source, Spoilt};
pub use prove::confirm::confirm;
pub use prove::establish::{Effort, establish, establish_in};
pub use rule::{Category, Claim, Handling, Rule, Variable, WIDEST, Widths};
pub use sealed::{open, seal};
pub use standing::{Proven, Route, Standing, WIDTHS};
pub use synth::{FAR, Grader, Synthesis};
