//! A goal at a fixed width as a circuit of AND and XOR gates: `graph.rs` has the gates, `word.rs` makes
//! words of them, `blast.rs` goes from terms to words and says what each core operator means, and
//! `clause.rs` turns what hashing leaves open into clauses.

mod blast;
mod clause;
mod graph;
#[cfg(test)]
mod tests;
mod word;

pub use blast::{Blaster, Circuit};
pub use clause::{Clauses, Input};
pub use graph::{Graph, Wire};
