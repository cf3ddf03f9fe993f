//! Smaller recipes: fewer transactions, functions, statements and declarations, simpler expressions and attributes.
//! A candidate that is not a valid program is left out here; what it does is found by the interpreter again.

mod adapt;
mod check;
mod edit;

use std::sync::Arc;

use crate::method::Recipe;
use crate::model::{FunctionKind, Template};

/// A change of a recipe.
#[derive(Clone, Copy, Debug)]
enum Edit {
    OnlySequence(usize),
    /// Drops transactions from this one on, but never the creation.
    Transactions(usize, usize, usize),
    Function(usize),
    Constructor(usize),
    /// Drops statements by their number in the order of the text.
    Statements(usize, usize),
    Unwrap(usize),
    State(usize),
    /// Simplifies the expression with this number in one of several ways.
    Expression(usize, u8),
    Argument(usize, usize),
    Modifiers(usize),
    Variable(usize, u8),
    Zero(usize, usize),
}

/// Smaller recipes, the largest cuts first.
pub(crate) fn candidates(recipe: Recipe) -> impl Iterator<Item = Recipe> + Send {
    let edits = edits(&recipe);
    edits.into_iter().filter_map(move |edit| apply(&recipe, edit))
}

fn edits(recipe: &Recipe) -> Vec<Edit> {
    let template = &recipe.template;
    let mut edits = vec![];
    if recipe.sequences.len() > 1 {
        edits.extend((0..recipe.sequences.len()).map(Edit::OnlySequence));
    }
    for (index, sequence) in recipe.sequences.iter().enumerate() {
        halves(sequence.len().saturating_sub(1), |from, count| {
            edits.push(Edit::Transactions(index, from + 1, count));
        });
    }
    edits.extend((0..template.functions.len()).map(Edit::Function));
    edits.extend((0..template.contracts.len()).map(Edit::Constructor));
    halves(edit::count_statements(template), |from, count| {
        edits.push(Edit::Statements(from, count));
    });
    edits.extend((0..template.functions.len()).map(Edit::Modifiers));
    edits.extend((0..edit::count_statements(template)).map(Edit::Unwrap));
    edits.extend((0..template.states.len()).map(Edit::State));
    for way in 0..3 {
        edits.extend((0..edit::count_expressions(template)).map(|it| Edit::Expression(it, way)));
    }
    for (id, function) in template.functions.iter().enumerate() {
        edits.extend((0..usize::from(function.parameters)).map(|it| Edit::Argument(id, it)));
    }
    for id in 0..recipe.space.len() {
        for value in crate::template::values(recipe.space.domain(id as u16)).take(128) {
            let simpler = adapt::rank(&recipe.space, id as u16, value)
                < adapt::rank(
                    &recipe.space,
                    id as u16,
                    recipe.solution.get(id).copied().unwrap_or(0),
                );
            if simpler && recipe.space.class(id as u16) == id as u16 {
                edits.push(Edit::Variable(id, value));
            }
        }
    }
    for (index, sequence) in recipe.sequences.iter().enumerate() {
        edits.extend((0..sequence.len()).map(|it| Edit::Zero(index, it)));
    }
    edits
}

/// Ranges of a length, from the whole down to single items.
fn halves(length: usize, mut range: impl FnMut(usize, usize)) {
    let mut size = length;
    while size > 0 {
        for from in (0..length).step_by(size) {
            range(from, size.min(length - from));
        }
        size /= 2;
    }
}

fn apply(recipe: &Recipe, edit: Edit) -> Option<Recipe> {
    let mut smaller = recipe.clone();
    match edit {
        Edit::OnlySequence(index) => smaller.sequences = vec![recipe.sequences.get(index)?.clone()],
        Edit::Transactions(index, from, count) => {
            let sequence = smaller.sequences.get_mut(index)?;
            let end = (from + count).min(sequence.len());
            if from >= end {
                return None;
            }
            sequence.drain(from..end);
        }
        Edit::Variable(id, value) => return adapt::with_value(recipe, id, value),
        Edit::Zero(sequence, index) => return adapt::with_zeros(recipe, sequence, index),
        Edit::Argument(function, index) => {
            return adapt::without_parameter(recipe, function, index);
        }
        edit => {
            let template = Arc::make_mut(&mut smaller.template);
            if !change(template, edit) || !check::is_valid(template) {
                return None;
            }
        }
    }
    Some(smaller)
}

fn change(template: &mut Template, edit: Edit) -> bool {
    match edit {
        Edit::Function(id) => {
            let id = id as u16;
            let free = template.functions[usize::from(id)].kind == FunctionKind::Free;
            let mut found = free && !template.functions[usize::from(id)].is_abstract;
            for contract in &mut template.contracts {
                let before = contract.functions.len() + contract.modifiers.len();
                contract.functions.retain(|it| *it != id);
                contract.modifiers.retain(|it| *it != id);
                found |= contract.functions.len() + contract.modifiers.len() < before;
            }
            if found {
                let function = &mut template.functions[usize::from(id)];
                function.body.clear();
                function.modifiers.clear();
                function.is_abstract |= free;
                template.operators.retain(|(_, _, it)| *it != id);
            }
            found
        }
        Edit::Constructor(contract) => {
            let contract = &mut template.contracts[contract];
            let free = contract
                .constructor
                .is_some_and(|id| template.functions[usize::from(id)].parameters == 0);
            if free {
                let id = contract.constructor.take();
                if let Some(id) = id {
                    template.functions[usize::from(id)].body.clear();
                }
            }
            free
        }
        Edit::Statements(from, count) => edit::without_statements(template, from, count),
        Edit::Unwrap(at) => edit::unwrapped(template, at),
        Edit::State(id) => {
            let id = id as u16;
            let mut found = false;
            for contract in &mut template.contracts {
                let before = contract.states.len();
                contract.states.retain(|it| *it != id);
                found |= contract.states.len() < before;
            }
            found
        }
        Edit::Expression(at, way) => edit::simpler_expression(template, at, way),
        Edit::Modifiers(id) => {
            let function = &mut template.functions[id];
            let had = !function.modifiers.is_empty();
            function.modifiers.clear();
            had
        }
        Edit::OnlySequence(_)
        | Edit::Transactions(..)
        | Edit::Argument(..)
        | Edit::Variable(..)
        | Edit::Zero(..) => false,
    }
}
