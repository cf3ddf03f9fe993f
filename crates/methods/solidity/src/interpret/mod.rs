//! The reference interpreter: what a program does on a sequence of transactions.
//!
//! It executes the model, not code: storage is raw slots that are read and written through the storage layout, memory is
//! objects with identity, calldata is decoded strictly. What compilers may order as they like is executed in an order
//! that the caller chooses.

mod access;
mod assembly;
mod call;
mod create;
mod evaluate;
mod execute;
mod frame;
mod getter;
mod message;
mod place;
mod planted;
mod run;
mod storage;
#[cfg(test)]
mod tests;
mod value;
mod world;

pub use frame::{Order, Stop};
pub use planted::Planted;
pub(crate) use run::Hex;
pub use run::{Transaction, run, run_planted};
pub use value::Value;
