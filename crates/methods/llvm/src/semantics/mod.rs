//! What instructions mean: one description of every operation (its value, when the value is poison, when
//! its behaviour is undefined), written once over an abstract [`Domain`]. The interpreter instantiates it
//! with numbers, the prover with wires of a circuit, so that the two cannot disagree about an operation.
//!
//! [`binary`], [`compare`] and [`cast`] are the integer instructions, [`Intrinsic`] is the table of integer
//! intrinsics. They take operands that are not poison; [`Lane`] adds what poison operands do, and
//! [`poison_in`] says it for every instruction. Undef is for the caller: it stands for any value.

mod cast;
mod concrete;
mod domain;
mod integer;
mod intrinsic;
mod lane;
mod poison;
mod words;

#[cfg(test)]
mod tests;

pub use cast::cast;
pub use concrete::{Bits, Concrete};
pub use domain::{Domain, Effect};
pub use integer::{binary, compare};
pub use intrinsic::{Answer, Intrinsic, Reduction};
pub use lane::{Lane, binary_lanes, cast_lane, compare_lanes, intrinsic_lanes, select_lanes};
pub use poison::{PoisonOperand, poison_in};
pub use words::Words;
