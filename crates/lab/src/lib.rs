//! The half of Mistrust that touches the world.

pub mod exec;
