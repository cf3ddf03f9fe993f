//! Bit-vector identities: rewrite rules that are proven to preserve the behaviour of a program
//! under a given semantics. Only `kernel/` is trusted. The rest parses and prints rules, searches
//! for proofs, synthesises rules and applies them.

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

pub use ledger::{Ledger, MalformedLedger};
pub use library::{Entry, Library, LibraryError, SOURCES, Source};
pub use prove::confirm::confirm;
pub use prove::establish::{Effort, establish, establish_in};
pub use rule::{Category, Claim, Handling, Rule, Variable, WIDEST, Widths};
pub use sealed::{open, seal};
pub use standing::{Proven, Route, Standing, WIDTHS};
pub use synth::{FAR, Grader, Synthesis};
