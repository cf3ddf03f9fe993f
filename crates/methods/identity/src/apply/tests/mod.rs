//! Mutants do what their originals do, under every semantics; and what may not fire does not.

mod laws;
mod programs;
mod single;
