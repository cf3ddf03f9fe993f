//! Provers: each finds a certificate of a goal, or finds none. Nothing here is trusted.

pub mod lemma;
pub mod ring;
pub mod slices;
