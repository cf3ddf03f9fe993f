//! Without names for debuggers: hardly any bug needs them.

use super::super::program::Program;
use super::Source;

#[derive(Clone, Copy)]
pub(super) enum Edit {
    /// None at all.
    All,
    /// None in a function.
    Function(usize),
    /// Function, and which one.
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
