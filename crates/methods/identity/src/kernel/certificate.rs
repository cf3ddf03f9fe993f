//! Certificates: what a prover produces and the checker accepts or rejects. A certificate without
//! contents names a decision procedure that is cheap enough for the checker to run itself.

use super::lemma::Step;
use super::term::TermId;
use super::theorem::Rewriting;

/// A proof that the checker can verify.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Certificate {
    /// The goal's normal form in the ring of integers over AND-monomials is 1 (`ring.rs`).
    Ring,
    /// An inductive invariant of the automaton that reads all words bit by bit: its set of states
    /// (`slices.rs`).
    Slices(Vec<Vec<u8>>),
    /// A linear combination of bitwise terms is 0 on every row of its truth table, at every bit
    /// position (`linear.rs`).
    Linear,
    /// Structural hashing reduces the circuit of the goal to the constant 1 (`circuit/`).
    Circuit,
    /// An LRAT refutation of the clauses of the circuit and its negated output (`lrat.rs`).
    Refutation(Vec<u8>),
    /// A case split on a variable (`cases.rs`): one certificate per value, and a last one for all
    /// other values.
    Cases { variable: u16, of: CaseSplit, each: Vec<Certificate> },
    /// A case split on a flag of the goal: first clear, then set (`flag_split.rs`).
    Split { flag: TermId, each: Box<[Certificate; 2]> },
    /// Instances of lemmas, and a certificate for the goal under these assumptions (`lemma.rs`).
    Lemmas { steps: Vec<Step>, rest: Box<Certificate> },
    /// Rewrites by theorems, and a certificate for the resulting goal (`theorem.rs`).
    Composed { steps: Vec<Rewriting>, rest: Box<Certificate> },
}

/// The values that a case split enumerates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum CaseSplit {
    /// 0, 1, …, width − 1.
    Amounts,
    /// 1, 2, 4, …, 2^(width − 1).
    Powers,
}
