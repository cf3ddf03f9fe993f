//! Mutations of one function: the small changes that turn a test for an optimisation into a test for its
//! preconditions. A table of them with weights; each is a function that changes a copy or finds nothing to
//! change. Whoever applies them verifies the result: a mutation may propose what is no valid IR.

mod constants;
mod flags;
mod operands;
mod operators;
mod parameters;
mod poison;
mod uses;
mod widths;

use forge::Entropy;

use crate::ir::{Function, Module};

pub use widths::resize;

/// What a mutation works on: a function of a module, and the version of LLVM whose IR it is.
#[derive(Debug)]
pub struct Subject<'a> {
    /// For looking things up, and for declarations that a mutation adds.
    pub module: &'a mut Module,
    pub function: Function,
    /// The major version.
    pub version: u32,
}

/// Changes the function; false if there is nothing that it could change.
type Change = fn(&mut Subject<'_>, &mut Entropy) -> Option<()>;

/// A mutation: its name, its weight, and what it does.
#[derive(Debug)]
pub struct Mutation {
    pub name: &'static str,
    weight: u64,
    change: Change,
}

/// All mutations.
pub const MUTATIONS: &[Mutation] = &[
    Mutation { name: "change a constant", weight: 12, change: constants::change },
    Mutation { name: "toggle a flag", weight: 12, change: flags::toggle },
    Mutation { name: "change a predicate", weight: 5, change: operators::change_predicate },
    Mutation { name: "change an operator", weight: 7, change: operators::change_operator },
    Mutation { name: "exchange operands", weight: 5, change: operators::exchange_operands },
    Mutation { name: "logical to bitwise or back", weight: 4, change: operators::change_logic },
    Mutation { name: "replace an operand", weight: 8, change: operands::replace },
    Mutation {
        name: "replace an operand by a parameter",
        weight: 4,
        change: parameters::from_constant,
    },
    Mutation {
        name: "replace a parameter by a constant",
        weight: 3,
        change: parameters::to_constant,
    },
    Mutation { name: "insert freeze", weight: 3, change: poison::insert_freeze },
    Mutation { name: "remove freeze", weight: 3, change: poison::remove_freeze },
    Mutation { name: "toggle an attribute", weight: 4, change: poison::toggle_attribute },
    Mutation { name: "add a use", weight: 5, change: uses::add_use },
    Mutation { name: "remove an instruction", weight: 2, change: uses::bypass },
    Mutation { name: "change a width", weight: 4, change: widths::change },
];

/// Applies a mutation that was drawn by its weight. Says which, or none if it found nothing to change.
pub fn mutate(subject: &mut Subject<'_>, entropy: &mut Entropy) -> Option<&'static str> {
    let total: u64 = MUTATIONS.iter().map(|mutation| mutation.weight).sum();
    let mut drawn = entropy.below(total);
    let mutation = MUTATIONS.iter().find(|mutation| {
        let is_it = drawn < mutation.weight;
        drawn = drawn.saturating_sub(mutation.weight);
        is_it
    })?;
    (mutation.change)(subject, entropy)?;
    Some(mutation.name)
}
