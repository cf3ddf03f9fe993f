//! EVERYTHING THAT IS TRUSTED about identities is in this folder: what terms mean, what is claimed of an
//! equation, and the checker that accepts or rejects a certificate of it. Provers, the synthesiser and
//! rule files stand outside; the worst that a mistake there can do is a certificate that is rejected.

mod certificate;
mod claim;
mod extent;
mod meaning;
mod op;
mod semantics;
mod term;

pub use certificate::{CaseSplit, Certificate, Step};
pub use claim::{Equation, Goal, Relation, Scope};
pub use extent::Extent;
pub use meaning::{Meaning, Outcome, Unsayable};
pub use op::Op;
pub use semantics::{Overflow, OversizedShift, SEMANTICS, Semantics, Trap, WORDS, ZeroDivision};
pub use term::{NONE, Node, TermId, Terms};
