//! Proofs by normal form. No search is needed: the checker computes the normal form itself.

use crate::kernel::{self, Certificate, Goal};

pub fn prove(goal: &Goal) -> Option<Certificate> {
    kernel::check_ring(goal).is_ok().then_some(Certificate::Ring)
}
