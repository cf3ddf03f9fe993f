//! Proposes smaller recipes: fewer statements (a half, a quarter, … down to single ones), fewer inputs and
//! parameters, simpler operands. Uses of a removed value become the constant that the value had on the
//! first input, so that most of the computation is unchanged.

use super::recipe::{Operand, Promised, Recipe};

pub(super) fn candidates(recipe: Recipe) -> impl Iterator<Item = Recipe> + Send {
    let count = recipe.statements.len();
    let runs = std::iter::successors(Some(count / 2), |&length| Some(length / 2))
        .take_while(|&length| length > 0)
        .flat_map(move |length| (0..count).step_by(length).map(move |start| (start, length)));
    let fewer_statements = {
        let recipe = recipe.clone();
        runs.filter_map(move |(start, length)| without_statements(&recipe, start, length))
    };
    let fewer_inputs = {
        let recipe = recipe.clone();
        let many = recipe.inputs.len() > 1;
        (0..recipe.inputs.len()).filter(move |_| many).map(move |index| {
            let mut smaller = recipe.clone();
            smaller.inputs.remove(index);
            smaller
        })
    };
    let simpler_operands = {
        let recipe = recipe.clone();
        (0..2 * count).flat_map(move |slot| simpler_operand(&recipe, slot / 2, slot % 2))
    };
    let fewer_parameters = {
        let parameters = recipe.parameters;
        (0..parameters).rev().filter_map(move |parameter| without_parameter(&recipe, parameter))
    };
    fewer_statements
        .chain(fewer_inputs)
        .chain(simpler_operands)
        .chain(fewer_parameters)
        .filter(|smaller| smaller.promise == Promised::Survives || smaller.is_valid())
}

fn without_statements(recipe: &Recipe, start: usize, length: usize) -> Option<Recipe> {
    let end = (start + length).min(recipe.statements.len());
    if end - start == recipe.statements.len() {
        return None;
    }
    let values = recipe.values(recipe.inputs.first()?);
    let mut smaller = recipe.clone();
    smaller.statements.drain(start..end);
    for statement in &mut smaller.statements {
        for operand in [&mut statement.left, &mut statement.right] {
            if let Operand::Value(index) = *operand {
                *operand = match index {
                    _ if index < start => Operand::Value(index),
                    _ if index < end => Operand::Constant(values[index]),
                    _ => Operand::Value(index - (end - start)),
                };
            }
        }
    }
    Some(smaller)
}

/// Replaces an operand by its value on the first input, and a constant by 0 or 1.
fn simpler_operand(recipe: &Recipe, statement: usize, side: usize) -> Vec<Recipe> {
    let operand = recipe.statements[statement].operands()[side];
    let values = recipe.inputs.first().map(|input| (input, recipe.values(input)));
    let simpler = match (operand, values) {
        (Operand::Constant(0), _) => vec![],
        (Operand::Constant(1), _) => vec![0],
        (Operand::Constant(_), _) => vec![0, 1],
        (Operand::Parameter(index), Some((input, _))) => {
            input.get(index).copied().into_iter().collect()
        }
        (Operand::Value(index), Some((_, values))) => {
            values.get(index).copied().into_iter().collect()
        }
        (_, None) => vec![],
    };
    let with = |word| {
        let mut smaller = recipe.clone();
        let statement = &mut smaller.statements[statement];
        let slot = if side == 0 { &mut statement.left } else { &mut statement.right };
        *slot = Operand::Constant(word);
        smaller
    };
    simpler.into_iter().map(with).collect()
}

fn without_parameter(recipe: &Recipe, parameter: usize) -> Option<Recipe> {
    let mut smaller = recipe.clone();
    for statement in &mut smaller.statements {
        for operand in [&mut statement.left, &mut statement.right] {
            match operand {
                Operand::Parameter(index) if *index == parameter => return None,
                Operand::Parameter(index) if *index > parameter => *index -= 1,
                _ => {}
            }
        }
    }
    smaller.parameters -= 1;
    smaller.inputs.iter_mut().for_each(|input| {
        input.remove(parameter);
    });
    Some(smaller)
}
