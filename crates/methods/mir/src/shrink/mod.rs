//! Candidates for reduction. Each is valid, has a lower weight than its source, so that reduction ends, and has no
//! more reads of unassigned locals and no more self-copies. Its behaviour is not computed here: the caller interprets
//! every candidate.
//!
//! A pass lists small edits, and applies one, or many together, when a candidate is requested.

mod assumptions;
mod debug;
mod flow;
mod functions;
mod generic;
mod inline;
mod manually_drop;
mod object;
mod parameters;
mod retype;
mod self_copies;
mod statements;
mod sweep;
#[cfg(test)]
mod tests;
mod types;
mod unassigned;
mod values;
mod weight;

use std::collections::HashMap;
use std::sync::Arc;

use super::interpret;
use super::program::Program;
use super::validate::validate;

pub(crate) use self_copies::self_copies;
pub(crate) use weight::weight;

/// The most statements of all candidates that are interpreted to find a set of edits that keeps the program defined;
/// and the least number of candidates.
const EFFORT: usize = 200_000;
const LEAST_EFFORT: usize = 16;

/// Scalars that had the same value in every execution, as their bits. The terminator of a block counts as the
/// statement after its last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observed {
    /// Assigned values: function, block, statement.
    pub(crate) assigned: HashMap<(usize, usize, usize), u128>,
    /// Operands: function, block, statement, and the operand's position in it.
    pub(crate) operands: HashMap<(usize, usize, usize, usize), u128>,
}

/// A candidate that is built on request; none if the edit is not applicable.
pub(crate) type Proposal = Box<dyn FnOnce() -> Option<Program> + Send>;

type Proposals = Box<dyn Iterator<Item = Proposal> + Send>;

/// Candidates, the largest edits first. Values in `observed` can become constants. Where several edits are made at
/// once, programs that exceed the fuel count as undefined.
pub(crate) fn proposals(
    program: &Program,
    observed: Observed,
    fuel: u64,
) -> impl Iterator<Item = Proposal> + Send + use<> {
    let (own_weight, unassigned, self_copies) =
        (weight(program), unassigned::unassigned(program), self_copies(program));
    let defined = interpret::run(program, fuel).is_ok();
    let all_reachable = program.functions.iter().all(sweep::all_reachable);
    let program = program.clone();
    let source = Source {
        program,
        observed,
        own_weight,
        unassigned,
        self_copies,
        fuel,
        defined,
        all_reachable,
    };
    let source = Arc::new(source);
    let passes = [
        pass(&source, debug::list, debug::apply),
        pass(&source, sweep::list, sweep::apply),
        pass(&source, functions::list, functions::apply),
        pass(&source, flow::skippable, flow::skip),
        together(&source, statements::list, statements::remove),
        together(&source, flow::constant_switches, flow::set_goto),
        together(&source, flow::ends, flow::end),
        together(&source, values::observed_rvalues, values::set_rvalue),
        together(&source, values::observed_operands, values::set_operand),
        // Many assignments may be unused now.
        together(&source, statements::list, statements::remove),
        pass(&source, flow::block_edits, flow::edit_blocks),
        each(&source, statements::list, statements::remove),
        pass(&source, flow::terminators, flow::replace_terminator),
        pass(&source, inline::list, inline::apply),
        pass(&source, parameters::list, parameters::apply),
        pass(&source, statements::propagatable, statements::substitute),
        pass(&source, values::calls, values::replace_call),
        each(&source, values::rvalues, values::set_rvalue),
        each(&source, values::operands, values::set_operand),
        pass(&source, assumptions::list, assumptions::apply),
        pass(&source, object::list, object::apply),
        pass(&source, types::list, types::apply),
        pass(&source, functions::details, functions::apply_detail),
    ];
    passes.into_iter().flatten()
}

/// The program to shrink.
struct Source {
    program: Program,
    observed: Observed,
    own_weight: u64,
    unassigned: usize,
    self_copies: usize,
    fuel: u64,
    /// Whether it is defined.
    defined: bool,
    /// Whether all blocks are reachable, so that an unreachable block cannot matter to the bug.
    all_reachable: bool,
}

impl Source {
    /// Whether a program is acceptable as a candidate, weight aside.
    fn allows(&self, program: &Program) -> bool {
        unassigned::unassigned(program) <= self.unassigned
            && self_copies(program) <= self.self_copies
            && validate(program).is_ok()
    }

    fn proposal(
        self: &Arc<Self>,
        make: impl FnOnce(&Self) -> Option<Program> + Send + 'static,
    ) -> Proposal {
        let source = Arc::clone(self);
        Box::new(move || {
            make(&source).filter(|it| weight(it) < source.own_weight && source.allows(it))
        })
    }

    fn is_defined(&self, program: &Program) -> bool {
        !self.defined || interpret::run(program, self.fuel).is_ok()
    }

    /// Applies as many edits as leave the program defined, by bisection: all of them or, if that is undefined, the
    /// later half and then the earlier one. Later statements depend on earlier ones.
    fn apply_many<E>(&self, edits: &[E], edit: fn(&mut Program, &E)) -> Program {
        let mut program = self.program.clone();
        let mut open = vec![edits];
        // Large programs get fewer attempts.
        for _ in 0..(EFFORT / self.program.size()).max(LEAST_EFFORT) {
            let Some(part) = open.pop() else { break };
            let mut next = program.clone();
            part.iter().rev().for_each(|it| edit(&mut next, it));
            if self.allows(&next) && self.is_defined(&next) {
                program = next;
            } else if part.len() > 1 {
                let (earlier, later) = part.split_at(part.len() / 2);
                open.extend([earlier, later]);
            }
        }
        if self.all_reachable {
            program.functions.iter_mut().for_each(sweep::drop_blocks);
        }
        program
    }
}

/// One kind of edits. They are listed when the first candidate is requested.
fn pass<E: Send + 'static>(
    source: &Arc<Source>,
    list: fn(&Source) -> Vec<E>,
    apply: fn(&Source, E) -> Option<Program>,
) -> Proposals {
    let (lister, source) = (Arc::clone(source), Arc::clone(source));
    let edits = std::iter::once_with(move || list(&lister)).flatten();
    Box::new(edits.map(move |edit| source.proposal(move |source| apply(source, edit))))
}

/// Edits that can be combined if the later ones are applied first; here one at a time.
fn each<E: Send + 'static>(
    source: &Arc<Source>,
    list: fn(&Source) -> Vec<E>,
    edit: fn(&mut Program, &E),
) -> Proposals {
    let (lister, source) = (Arc::clone(source), Arc::clone(source));
    let edits = std::iter::once_with(move || list(&lister)).flatten();
    Box::new(edits.map(move |it| {
        source.proposal(move |source| {
            let mut smaller = source.program.clone();
            edit(&mut smaller, &it);
            Some(smaller)
        })
    }))
}

/// The same edits many at a time: all, halves, quarters, down to pairs, as in delta debugging. Interpreting a program
/// is far cheaper than compiling it, so inapplicable edits are found here.
fn together<E: Send + Sync + 'static>(
    source: &Arc<Source>,
    list: fn(&Source) -> Vec<E>,
    edit: fn(&mut Program, &E),
) -> Proposals {
    let (lister, source) = (Arc::clone(source), Arc::clone(source));
    let parts = move || {
        let edits = Arc::new(list(&lister));
        let several = runs(edits.len()).into_iter().filter(|(_, length)| *length > 1);
        several.map(move |(start, length)| (Arc::clone(&edits), start..start + length))
    };
    let parts = std::iter::once_with(parts).flatten();
    Box::new(parts.map(move |(edits, range)| {
        source.proposal(move |source| Some(source.apply_many(&edits[range], edit)))
    }))
}

/// Ranges of a list: all of it, then halves, down to single items; each as start and length.
fn runs(count: usize) -> Vec<(usize, usize)> {
    std::iter::successors(Some(count), |length| Some(length / 2))
        .take_while(|length| *length > 0)
        .flat_map(|length| {
            (0..count).step_by(length).map(move |start| (start, length.min(count - start)))
        })
        .collect()
}

/// All blocks of a program: function, block.
fn blocks(program: &Program) -> impl Iterator<Item = (usize, usize)> + '_ {
    let each = program.functions.iter().enumerate();
    each.flat_map(|(function, body)| (0..body.blocks.len()).map(move |block| (function, block)))
}
