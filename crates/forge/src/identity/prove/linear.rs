//! There is nothing to be found: the checker looks at all rows of the truth tables.

use crate::identity::kernel::{Certificate, Goal, check_linear};

pub fn prove(goal: &Goal) -> Option<Certificate> {
    check_linear(goal).is_ok().then_some(Certificate::Linear)
}
