//! Provers: each finds a certificate of a goal, or finds none. Nothing here is trusted.

pub mod cases;
pub mod compose;
pub mod confirm;
pub mod establish;
pub mod lemma;
pub mod ring;
#[cfg(test)]
pub(crate) mod sample;
pub mod sat;
pub mod size;
pub mod slices;
