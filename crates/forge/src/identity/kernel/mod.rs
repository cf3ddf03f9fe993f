//! EVERYTHING THAT IS TRUSTED about identities is in this folder: what terms mean, what is claimed of an
//! equation, and the checker that accepts or rejects a certificate of it. Provers, the synthesiser and
//! rule files stand outside; the worst that a mistake there can do is a certificate that is rejected.

mod certificate;
mod claim;
mod extent;
mod gates;
mod lemma;
mod machine;
mod meaning;
mod op;
mod polynomial;
mod rejection;
mod ring;
mod semantics;
mod slices;
mod term;
#[cfg(test)]
mod tests;

pub use certificate::{CaseSplit, Certificate};
pub use claim::{Equation, Goal, Relation, Scope};
pub use extent::Extent;
pub(in crate::identity) use lemma::assume;
pub use lemma::{Lemma, Step};
pub(in crate::identity) use machine::Machine;
pub use meaning::{Meaning, Outcome, Unsayable};
pub use op::Op;
pub use rejection::Rejection;
pub(in crate::identity) use ring::check as check_ring;
pub use semantics::{Overflow, OversizedShift, SEMANTICS, Semantics, Trap, WORDS, ZeroDivision};
pub(in crate::identity) use slices::encode;
pub use term::{NONE, Node, TermId, Terms};
