//! Smaller programs. Each is valid and weighs less than the program that it is made from, so that reduction
//! ends, and looks at no more locals that nothing sets. Whether it has a behaviour, and which, is found out by
//! whoever asks: every one is interpreted.
//!
//! A pass lists small edits, and makes a program of one, or of many together, when it is asked to.

mod bare;
mod debug;
mod flow;
mod functions;
mod generic;
mod idle;
mod inline;
mod object;
mod parameters;
mod retype;
mod show;
mod statements;
mod sweep;
#[cfg(test)]
mod tests;
mod types;
mod unset;
mod values;
mod weight;

use std::collections::HashMap;
use std::sync::Arc;

use super::interpret;
use super::program::Program;
use super::validate::validate;

pub(crate) use idle::idle;
pub(crate) use weight::weight;

/// So many statements are looked at, at most, to find out which edits of many can be made; and so many programs
/// at least.
const EFFORT: usize = 200_000;
const LEAST_EFFORT: usize = 16;

/// What was seen while a program ran: scalars that were the same each time, as their bits. The terminator
/// of a block counts as the statement after its last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observed {
    /// What was assigned: function, block, statement.
    pub(crate) assigned: HashMap<(usize, usize, usize), u128>,
    /// The operands: function, block, statement, and the operand's position in it.
    pub(crate) operands: HashMap<(usize, usize, usize, usize), u128>,
}

/// A smaller program, made when it is asked for; none if it comes to nothing.
pub(crate) type Proposal = Box<dyn FnOnce() -> Option<Program> + Send>;

type Proposals = Box<dyn Iterator<Item = Proposal> + Send>;

/// Programs that are smaller, the boldest first; with constants for what was the same each time. Where several
/// edits are made at once, what takes more than so many steps is not looked at.
pub(crate) fn proposals(
    program: &Program,
    observed: Observed,
    fuel: u64,
) -> impl Iterator<Item = Proposal> + Send + use<> {
    let (most, unset, idle) = (weight(program), unset::unset(program), idle(program));
    let defined = interpret::run(program, fuel).is_ok();
    let tidy = program.functions.iter().all(sweep::has_ways);
    let program = program.clone();
    let source = Source { program, observed, most, unset, idle, fuel, defined, tidy };
    let source = Arc::new(source);
    let passes = [
        pass(&source, debug::list, debug::apply),
        pass(&source, sweep::list, sweep::apply),
        pass(&source, functions::list, functions::apply),
        pass(&source, flow::jumps, flow::skip),
        together(&source, statements::list, statements::remove),
        together(&source, flow::ways, flow::go),
        together(&source, flow::ends, flow::end),
        together(&source, values::computed, values::set_rvalue),
        together(&source, values::used, values::set_operand),
        // Much of what was computed may not be used any more.
        together(&source, statements::list, statements::remove),
        pass(&source, flow::joints, flow::join),
        each(&source, statements::list, statements::remove),
        pass(&source, flow::turns, flow::turn),
        pass(&source, inline::list, inline::apply),
        pass(&source, parameters::list, parameters::apply),
        pass(&source, statements::copies, statements::substitute),
        pass(&source, values::calls, values::replace_call),
        each(&source, values::rvalues, values::set_rvalue),
        each(&source, values::operands, values::set_operand),
        pass(&source, show::list, show::apply),
        pass(&source, object::list, object::apply),
        pass(&source, types::list, types::apply),
        pass(&source, functions::details, functions::change),
    ];
    passes.into_iter().flatten()
}

/// The program to be shrunk.
struct Source {
    program: Program,
    observed: Observed,
    most: u64,
    unset: usize,
    idle: usize,
    fuel: u64,
    /// Whether it has a behaviour to lose.
    defined: bool,
    /// Whether something leads to each of its blocks, so that none can matter to which nothing does.
    tidy: bool,
}

impl Source {
    /// Whether a program may stand for this one.
    fn allows(&self, program: &Program) -> bool {
        unset::unset(program) <= self.unset
            && idle(program) <= self.idle
            && validate(program).is_ok()
    }

    fn proposal(
        self: &Arc<Self>,
        make: impl FnOnce(&Self) -> Option<Program> + Send + 'static,
    ) -> Proposal {
        let source = Arc::clone(self);
        Box::new(move || make(&source).filter(|it| weight(it) < source.most && source.allows(it)))
    }

    fn is_defined(&self, program: &Program) -> bool {
        !self.defined || interpret::run(program, self.fuel).is_ok()
    }

    /// Makes as many of some edits as leave the program a behaviour: all of them or, where it has none then,
    /// what can be made of the later half, and of the earlier one. What comes later uses what comes earlier.
    fn edited<E>(&self, edits: &[E], edit: fn(&mut Program, &E)) -> Program {
        let mut program = self.program.clone();
        let mut open = vec![edits];
        // What is large is first cut coarsely.
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
        if self.tidy {
            program.functions.iter_mut().for_each(sweep::drop_blocks);
        }
        program
    }
}

/// One kind of edits. They are listed when the first is asked for.
fn pass<E: Send + 'static>(
    source: &Arc<Source>,
    list: fn(&Source) -> Vec<E>,
    apply: fn(&Source, E) -> Option<Program>,
) -> Proposals {
    let (lister, source) = (Arc::clone(source), Arc::clone(source));
    let edits = std::iter::once_with(move || list(&lister)).flatten();
    Box::new(edits.map(move |edit| source.proposal(move |source| apply(source, edit))))
}

/// Edits that can be made in any number, if the later ones are made first; here one at a time.
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

/// The same edits many at a time: all, halves, quarters, down to pairs. To interpret a program costs next to
/// nothing against compiling it, so those that can't be made are found out here.
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
        source.proposal(move |source| Some(source.edited(&edits[range], edit)))
    }))
}

/// Runs of things: all of them, then halves, down to single ones; each as start and length.
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
