//! The binary as a user meets it, with a fake compiler whose bugs are planted and, where a real one is
//! needed, with the C compiler that every machine that builds Rust has.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "this is all test code")]

mod configuration;
mod environment;
mod golden;
mod hostile;
mod hunting;
mod real;
mod resuming;
mod rules;
mod toolchain;
mod truth;
mod world;
