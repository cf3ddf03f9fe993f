//! Exports rules: JSON for programs, and SMT-LIB, Lean and LRAT for independent checking.

mod json;
mod lean;
mod lrat;
mod smt;
#[cfg(test)]
mod tests;

pub use json::{entry as json_entry, term as json_term};
pub use lean::{Lean, project as lean_project};
pub use lrat::{Refutation, refutations};
pub use smt::{problem as smt_problem, script as smt_script};
