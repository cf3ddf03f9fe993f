//! Bit-blasting: a goal at a fixed width as a circuit of AND and XOR gates. `graph.rs` holds the
//! gates, `word.rs` builds words from them, `blast.rs` lowers terms to words and defines each core
//! operator, and `clause.rs` turns what structural hashing does not settle into clauses.

mod blast;
mod clause;
mod graph;
#[cfg(test)]
mod tests;
pub mod word;

pub use blast::{Blaster, Circuit};
pub use clause::{Clauses, Input};
pub use graph::{Gate, Graph, Wire};
pub use word::Direction;
