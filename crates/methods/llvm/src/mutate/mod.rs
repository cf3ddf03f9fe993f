//! Mutations of one function: the small changes that turn a test for an optimisation into a test for its
//! preconditions. A table of them with weights; each is a function that changes a copy or finds nothing to
//! change. Whoever applies them verifies the result: a mutation may propose what is no valid IR.

mod attributes;
mod casts;
mod constants;
mod declare;
mod flags;
mod floats;
mod identities;
mod intrinsics;
mod known;
mod metadata;
mod operands;
mod operators;
mod order;
mod parameters;
mod poison;
mod uses;
mod vectors;
mod widths;
mod wrap;

use forge::Entropy;

use crate::ir::{Function, Module};

pub use vectors::with_lanes;
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
    Mutation { name: "cast there and back", weight: 4, change: casts::there_and_back },
    Mutation { name: "insert freeze", weight: 3, change: poison::insert_freeze },
    Mutation { name: "remove freeze", weight: 3, change: poison::remove_freeze },
    Mutation { name: "toggle an attribute", weight: 5, change: attributes::toggle },
    Mutation { name: "toggle metadata", weight: 3, change: metadata::toggle },
    Mutation { name: "insert a sign", weight: 3, change: floats::insert_sign },
    Mutation { name: "change an intrinsic", weight: 5, change: intrinsics::change },
    Mutation { name: "exchange instructions", weight: 2, change: order::exchange },
    Mutation { name: "apply identities", weight: 4, change: identities::apply },
    Mutation { name: "scalars to vectors or back", weight: 4, change: vectors::change },
    Mutation { name: "put into a condition", weight: 2, change: wrap::in_condition },
    Mutation { name: "put into a loop", weight: 2, change: wrap::in_loop },
    Mutation { name: "insert dead code", weight: 2, change: known::insert_dead_code },
    Mutation { name: "insert an equal value", weight: 2, change: known::insert_equal_value },
    Mutation { name: "insert an assumption", weight: 3, change: known::insert_assumption },
    Mutation { name: "add true flags", weight: 3, change: known::add_true_flags },
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What a mutation makes of the first function of a module, as text, for so many entropies. Everything
    /// that it makes is valid.
    pub(super) fn all_of(text: &str, version: u32, count: u64, change: Change) -> Vec<String> {
        let mut all = vec![];
        for key in 0..count {
            let mut module = Module::parse(text).unwrap();
            let function = module.functions[0].clone();
            let mut subject = Subject { module: &mut module, function, version };
            if change(&mut subject, &mut Entropy::keyed(key)).is_some() {
                let function = subject.function;
                module.functions[0] = function;
                assert_eq!(module.verify(), Ok(()), "{}", module.text());
                all.push(module.text());
            }
        }
        assert!(!all.is_empty(), "nothing was changed");
        all
    }

    const SIMPLE: &str = "declare void @g(i8)\ndefine i8 @f(i8 %x, i8 %y) {\n  %a = add i8 %x, 7\n  \
                          %e = xor i8 %y, 1\n  %b = icmp ult i8 %a, %e\n  %c = select i1 %b, i8 %a, i8 %y\n  %d = freeze i8 \
                          %c\n  call void @g(i8 %d)\n  ret i8 %d\n}\n";

    #[test]
    fn every_mutation_changes_some_function() {
        let float = "declare float @llvm.minnum.f32(float, float)\ndefine float @f(float %x, ptr %p) {\n  \
                     %a = load float, ptr %p, align 4\n  %b = call float @llvm.minnum.f32(float %x, float \
                     %a)\n  ret float %b\n}\n";
        for mutation in MUTATIONS {
            let changes = |text: &str| {
                (0..60).any(|key| {
                    let mut module = Module::parse(text).unwrap();
                    let function = module.functions[0].clone();
                    let mut subject = Subject { module: &mut module, function, version: 19 };
                    (mutation.change)(&mut subject, &mut Entropy::keyed(key)).is_some()
                })
            };
            let logic = "define i1 @f(i1 %x, i1 %y) {\n  %a = and i1 %x, %y\n  ret i1 %a\n}\n";
            assert!([SIMPLE, float, logic].into_iter().any(changes), "{}", mutation.name);
        }
    }
}
