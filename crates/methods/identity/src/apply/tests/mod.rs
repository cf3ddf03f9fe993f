//! Mutants behave like their originals under every semantics, and forbidden firings do not happen.

mod laws;
mod programs;
mod single;
