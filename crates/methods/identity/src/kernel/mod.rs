//! The trusted kernel: the semantics of terms, the goal that an equation gives rise to, and the
//! checker that accepts or rejects a certificate for it. Everything trusted about identities is in
//! this folder. Provers, the synthesiser and rule files are outside; a bug there at worst yields a
//! certificate that is rejected.

mod automaton;
mod bytes;
mod cases;
mod certificate;
mod check;
pub mod circuit;
mod extent;
mod flag_split;
mod flags;
mod gates;
mod goal;
mod lemma;
mod linear;
mod lrat;
mod meaning;
mod op;
mod polynomial;
mod rejection;
mod residue;
mod ring;
mod semantics;
mod slices;
mod term;
#[cfg(test)]
mod tests;
mod theorem;

pub(crate) use automaton::{Automaton, State};
pub(crate) use bytes::{Reader, put_number};
pub use cases::split;
pub use certificate::{CaseSplit, Certificate};
pub use check::{check, check_with, standalone_goal};
pub use circuit::{Blaster, Circuit, Clauses, Gate, Graph, Input, Wire};
pub use extent::Extent;
pub(crate) use flag_split::flag_cases;
pub use goal::{Equation, Goal, Relation, Scope};
pub(crate) use lemma::assume;
pub use lemma::{Lemma, Step};
pub use lrat::{put_step, refutation_text};
pub use meaning::{Inexpressible, Meaning, Outcome};
pub use op::Op;
pub use rejection::Rejection;
pub(crate) use ring::check as check_ring;
pub use semantics::{Overflow, OversizedShift, SEMANTICS, Semantics, Trap, WORDS, ZeroDivision};
pub(crate) use slices::encode;
pub use term::{NONE, Node, TermId, Terms};
pub use theorem::{Rewriting, Theorem, rewritten};
