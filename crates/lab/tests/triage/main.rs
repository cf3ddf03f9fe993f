//! Tests of reduction, bisection, splitting and merging, with a compiler in the test process (`inline.rs`).

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "this is all test code")]

mod batches;
mod blame;
mod cases;
mod findings;
mod hunts;
mod inline;
mod reduction;
mod rehearsals;
mod restatements;
mod unstable;
