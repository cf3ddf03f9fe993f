//! Applies proven rules to programs: matches modulo commutativity, fires at any subterm, stacks rules
//! so that they interact, and keeps the trail. That a rule holds was shown elsewhere; what has to be
//! right here is that it still does with terms in place of its variables.
//!
//! # Why a firing keeps what a program does
//!
//! A proof is about variables that have values. An operand of a program may *stop* instead: trap, or be
//! undefined. Terms have no other effects, so that evaluating one twice is the same as once. Let `L → R`
//! be a direction of a rule that is proven exact, let `M` be the operands that may stop (too many rather
//! than too few, by `Stops`), and take any inputs of the program.
//!
//! *Exchanged operands.* A commutative operator gives the same for both orders, and stops alike; but it
//! is the first operand whose stop is seen. Orders are exchanged in a match only if one operand cannot
//! stop or both stop in the same one way. So the program's term does what `L` with its operands does.
//!
//! *No operand stops.* Then the proof applies. Operands that `R` alone has are chosen such that they
//! cannot stop.
//!
//! *Some operand stops.* Firing is allowed in two cases:
//!
//! 1. Both sides evaluate `M` in the same order, before any operator of their own can stop and before
//!    any branch is taken. Then the first that stops is the same on both sides, and is what is seen.
//! 2. Both sides evaluate every operand in `M` for certain (not in one branch of an `Ite` alone), and
//!    all stops that the term and its replacement can show are of one kind. Then both stop, and alike.
//!
//! An operand that is dropped is not evaluated by `R` at all, so that in `M` it meets neither case.
//!
//! *Where nothing but being undefined can happen*, a program that stops is no program, and less is asked:
//! where the term has a value, the replacement has the same. So rules that are proven in one direction
//! serve in that direction. If `L` has a value, then so have the operands that it evaluates for certain.
//! Those of `M` that `R` uses have to be among these. The others of `M`, as far as `L` did not evaluate
//! them, may as well have had any value, for which the proof applies.
//!
//! Numbers that stand for constant expressions are computed under the semantics of the program, and where
//! one has no value, the rule does not fire.

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
