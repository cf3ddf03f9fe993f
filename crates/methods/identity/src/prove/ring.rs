//! There is nothing to be found: either the checker's normal form of the goal is 1, or it is not.

use crate::kernel::{self, Certificate, Goal};

pub fn prove(goal: &Goal) -> Option<Certificate> {
    kernel::check_ring(goal).is_ok().then_some(Certificate::Ring)
}
