//! Smaller programs. Each candidate is valid and weighs less than the program that it is made from, so
//! that reduction ends, and looks at no more locals that nothing sets. Whether it has a behaviour, and which, is found out by whoever asks: every one is
//! interpreted.
//!
//! A pass lists small edits, and makes a program of each when it is asked for the next one.

mod flow;
mod functions;
mod inline;
mod parameters;
mod retype;
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

use super::program::Program;
use super::validate::validate;

pub(crate) use weight::weight;

/// What was seen while a program ran: scalars that were the same each time, as their bits. The terminator
/// of a block counts as the statement after its last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observed {
    /// What was assigned: function, block, statement.
    pub(crate) assigned: HashMap<(usize, usize, usize), u128>,
    /// The operands: function, block, statement, and the operand's position in it.
    pub(crate) operands: HashMap<(usize, usize, usize, usize), u128>,
}

/// Programs that are smaller, the boldest first; with constants for what was the same each time.
pub(crate) fn candidates(
    program: &Program,
    observed: Observed,
) -> impl Iterator<Item = Program> + Send + use<> {
    let (most, unset) = (weight(program), unset::unset(program));
    let source = Arc::new(Source { program: program.clone(), observed });
    let passes = [
        pass(&source, sweep::list, sweep::apply),
        pass(&source, functions::list, functions::apply),
        pass(&source, flow::jumps, flow::skip),
        pass(&source, statements::list, statements::apply),
        pass(&source, flow::turns, flow::turn),
        pass(&source, flow::joints, flow::join),
        pass(&source, inline::list, inline::apply),
        pass(&source, parameters::list, parameters::apply),
        pass(&source, statements::copies, statements::substitute),
        pass(&source, values::calls, values::replace_call),
        pass(&source, values::rvalues, values::replace_rvalue),
        pass(&source, values::operands, values::replace_operand),
        pass(&source, types::list, types::apply),
        pass(&source, functions::details, functions::change),
    ];
    passes
        .into_iter()
        .flatten()
        .filter(move |it| weight(it) < most && unset::unset(it) <= unset && validate(it).is_ok())
}

/// The program to be shrunk.
struct Source {
    program: Program,
    observed: Observed,
}

type Programs = Box<dyn Iterator<Item = Program> + Send>;

/// One kind of edits. They are listed when the first is asked for.
fn pass<E: Send + 'static>(
    source: &Arc<Source>,
    list: fn(&Source) -> Vec<E>,
    apply: fn(&Source, E) -> Option<Program>,
) -> Programs {
    let (lister, source) = (Arc::clone(source), Arc::clone(source));
    let edits = std::iter::once_with(move || list(&lister)).flatten();
    Box::new(edits.filter_map(move |edit| apply(&source, edit)))
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
