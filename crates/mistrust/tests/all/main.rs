//! Tests of the binary, with a fake compiler with planted bugs, and with the real C compiler and rustc of the machine.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "this is all test code")]

mod blame;
mod configuration;
mod corpora;
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
