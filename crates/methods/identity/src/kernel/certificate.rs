//! Certificates: what a prover hands over, and the checker accepts or rejects. Where a certificate has
//! nothing inside, the checker can afford to do all of the work again.

use super::lemma::Step;
use super::term::TermId;
use super::theorem::Rewriting;

#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Certificate {
    /// Both sides have the same normal form in the ring of integers over AND-monomials (`ring.rs`).
    Ring,
    /// The goal is an invariant of reading all words bit by bit; these are the states (`slices.rs`).
    Slices(Vec<Vec<u8>>),
    /// A linear combination of bitwise terms is 0 on its truth table, bit by bit (`linear.rs`).
    Linear,
    /// The circuit of the goal is the constant 1 (`circuit.rs`).
    Circuit,
    /// The clauses of the circuit and of its negated output are refuted by an LRAT proof (`lrat.rs`).
    Refutation(Vec<u8>),
    /// A variable takes each of the values in turn; the last certificate covers all other values.
    Cases { variable: u16, of: CaseSplit, each: Vec<Certificate> },
    /// A flag of the goal is clear, and is set (`halves.rs`).
    Split { flag: TermId, each: Box<[Certificate; 2]> },
    /// Facts that are assumed, and a certificate of the goal where they hold (`lemma.rs`).
    Lemmas { steps: Vec<Step>, rest: Box<Certificate> },
    /// Equals put for equals by theorems, and a certificate of what the goal is then (`theorem.rs`).
    Composed { steps: Vec<Rewriting>, rest: Box<Certificate> },
}

/// Which values a case split enumerates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum CaseSplit {
    /// 0, 1, … up to the width of the variable less one.
    Amounts,
    /// 1, 2, 4, …
    Powers,
}
