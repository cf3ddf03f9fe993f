//! Applies proven rules to programs: matches modulo commutativity (without an e-graph), rewrites at
//! any subterm, stacks rewrites so that they interact, and records the trail. Proofs are left to
//! `prove/`; this module must ensure that a rule stays valid with terms in place of its variables.
//!
//! # Why a firing preserves the behaviour of a program
//!
//! A proof is about variables that have values. An operand of a program may *stop* instead: trap,
//! or be undefined. Terms have no other effects, so evaluating one twice equals evaluating it once.
//! Let `L → R` be a direction of a rule that is proven exact, let `M` be the operands that may stop
//! (an over-approximation by `Stops`), and take any inputs of the program.
//!
//! *Swapped operands.* A commutative operator gives the same result for both orders and stops
//! alike, but the first operand's stop is the observable one. A match swaps operands only if one of
//! them cannot stop, or if both can stop only in the same single way. So the program's term behaves
//! like the instance of `L`.
//!
//! *No operand stops.* Then the proof applies. Operands that occur only in `R` are chosen so that
//! they cannot stop.
//!
//! *Some operand stops.* Firing is allowed in two cases:
//!
//! 1. Both sides evaluate `M` in the same order, before any operator of their own can stop and
//!    before any branch. Then the first stop is the same on both sides, and is the observable one.
//! 2. Both sides are strict in every operand of `M` (evaluate it on all paths), and all stops of the
//!    term and of its replacement are of one kind. Then both stop, and alike.
//!
//! `R` does not evaluate a dropped operand, so that one in `M` satisfies neither case.
//!
//! *If undefined behaviour is the only possible stop*, a program that stops has no meaning, and
//! refinement suffices: where the term has a value, the replacement has the same. So rules proven
//! in one direction may be used in that direction. If `L` has a value, so have the operands in
//! which it is strict; the operands of `M` that `R` uses must be among these. Other operands of `M`
//! that `L` did not evaluate may be assumed to have any value, for which the proof applies.
//!
//! Constant expressions are evaluated under the semantics of the program. If one has no value, the
//! rule does not fire.

mod arm;
mod book;
mod class;
mod fire;
mod index;
mod invention;
mod matching;
mod material;
mod numbers;
mod order;
mod stack;
mod stops;
#[cfg(test)]
mod tests;

pub use arm::Direction;
pub use book::Rulebook;
pub use invention::number;
pub use material::Material;
pub use stack::{Firing, Mutant};
pub use stops::Stops;
