//! What instructions mean: one description of every operation (its value, when the value is poison, when
//! its behaviour is undefined), written once over an abstract [`Domain`]. The interpreter instantiates it
//! with numbers, the prover with wires of a circuit, so that the two cannot disagree about an operation.

mod domain;

pub use domain::{Domain, Effect};
