//! Provers: each searches for a certificate of a goal. Nothing here is trusted; `kernel/` checks
//! what they find.

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
