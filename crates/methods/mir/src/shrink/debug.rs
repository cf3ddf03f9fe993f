//! Removes debug variables, which few bugs need.

use super::super::program::Program;
use super::Source;

#[derive(Clone, Copy)]
pub(super) enum Edit {
    /// Removes all.
    All,
    /// Removes those of a function.
    Function(usize),
    /// Removes one: function, index.
    One(usize, usize),
}

pub(super) fn list(source: &Source) -> Vec<Edit> {
    let functions = || source.program.functions.iter().enumerate();
    let named = || functions().filter(|(_, it)| !it.debug.is_empty());
    let all = named().next().map(|_| Edit::All);
    let each = named().map(|(number, _)| Edit::Function(number));
    let one = |(number, count): (usize, usize)| (0..count).map(move |it| Edit::One(number, it));
    let ones = named().map(|(number, it)| (number, it.debug.len())).flat_map(one);
    all.into_iter().chain(each).chain(ones).collect()
}

pub(super) fn apply(source: &Source, edit: Edit) -> Option<Program> {
    let mut smaller = source.program.clone();
    match edit {
        Edit::All => smaller.functions.iter_mut().for_each(|it| it.debug.clear()),
        Edit::Function(number) => smaller.functions[number].debug.clear(),
        Edit::One(number, which) => {
            smaller.functions[number].debug.remove(which);
        }
    }
    Some(smaller)
}
