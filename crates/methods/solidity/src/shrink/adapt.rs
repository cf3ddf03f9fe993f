//! Edits that change types, and with them the calldata of transactions.

use std::sync::Arc;

use ruint::aliases::U256;

use crate::abi::{Data, decode, encode};
use crate::method::{Recipe, under_test};
use crate::model::{AbiKind, Kind, Length, Statement, Type, TypeId, VariableId};
use crate::template::{Space, VariableKind};
use crate::view::View;
use crate::word::{is_clean, wrap};

/// How simple a value of a variable is; smaller is simpler.
pub(super) fn rank(space: &Space, id: VariableId, value: u8) -> u8 {
    match space.kind(id) {
        // `uint256` first, then what is wide.
        VariableKind::Type => match value {
            31 => 0,
            63 => 1,
            95 => 2,
            96 => 3,
            _ => 4,
        },
        // Blocks are checked, getters are public.
        VariableKind::Checked => 1 - value.min(1),
        _ => value,
    }
}

/// The recipe with another value of a variable and all that are equal to it.
pub(super) fn with_value(recipe: &Recipe, id: usize, value: u8) -> Option<Recipe> {
    let mut smaller = recipe.clone();
    for other in 0..recipe.space.len() {
        if usize::from(recipe.space.class(other as VariableId)) == id {
            *smaller.solution.get_mut(other)? = value;
        }
    }
    recipe.space.admits(&smaller.solution).then(|| carried_over(recipe, smaller))
}

/// Encodes the arguments of all calls again for the types of the new recipe.
fn carried_over(old: &Recipe, mut new: Recipe) -> Recipe {
    let (from, to) = (View::new(&old.template, &old.solution, old.salt), new.clone());
    let to = View::new(&to.template, &to.solution, to.salt);
    let contract = under_test(&new.template);
    let (before, after) = (from.entries(contract), to.entries(contract));
    let constructor = |view: &View<'_>| {
        let id = view.template.contracts.get(usize::from(contract)).and_then(|it| it.constructor);
        id.map_or_else(Vec::new, |id| view.template.functions[usize::from(id)].parameter_types())
    };
    for sequence in &mut new.sequences {
        for (index, transaction) in sequence.iter_mut().enumerate() {
            if index == 0 {
                let (before, after) = (constructor(&from), constructor(&to));
                if let Ok(values) = decode(&from, &before, &transaction.data) {
                    transaction.data = encode(&to, &after, &adapted(&to, &after, &values));
                }
                continue;
            }
            let Some((selector, rest)) = transaction.data.split_first_chunk::<4>() else {
                continue;
            };
            let Some(entry) = before.iter().find(|it| it.selector == *selector) else { continue };
            let Some(other) = after.iter().find(|it| it.callee == entry.callee) else { continue };
            let Ok(values) = decode(&from, &entry.parameters, rest) else { continue };
            let mut data = other.selector.to_vec();
            data.extend(encode(&to, &other.parameters, &adapted(&to, &other.parameters, &values)));
            transaction.data = data;
        }
    }
    new
}

fn adapted(view: &View<'_>, types: &[TypeId], values: &[Data]) -> Vec<Data> {
    types.iter().zip(values).map(|(id, value)| adapt(view, *id, value)).collect()
}

fn adapt(view: &View<'_>, id: TypeId, value: &Data) -> Data {
    match (view.ty(id), value) {
        (Type::Bytes | Type::String, value) => value.clone(),
        (Type::Array(element, length), Data::List(items)) => {
            let mut items: Vec<Data> =
                items.iter().map(|item| adapt(view, element, item)).collect();
            if let Length::Fixed(length) = length {
                items.resize(usize::from(length), view.zero(element));
            }
            Data::List(items)
        }
        (Type::Struct(which), Data::List(items)) => {
            Data::List(adapted(view, view.fields(which), items))
        }
        (ty, value) => {
            let ty = view.underlying(ty);
            let word = wrap(value.word(), ty);
            let clean = is_clean(word, ty, &view.template.enums);
            Data::Word(if clean { word } else { U256::ZERO })
        }
    }
}

/// The recipe with zeros as the arguments of a transaction.
pub(super) fn with_zeros(recipe: &Recipe, sequence: usize, index: usize) -> Option<Recipe> {
    let mut smaller = recipe.clone();
    let transaction = smaller.sequences.get_mut(sequence)?.get_mut(index)?;
    let view = View::new(&recipe.template, &recipe.solution, recipe.salt);
    let contract = under_test(&recipe.template);
    let entries = view.entries(contract);
    let zeros = |types: &[TypeId]| {
        let values: Vec<Data> = types.iter().map(|id| view.zero(*id)).collect();
        encode(&view, types, &values)
    };
    let data = if index == 0 {
        let id = recipe.template.contracts.get(usize::from(contract))?.constructor?;
        zeros(&recipe.template.functions[usize::from(id)].parameter_types())
    } else {
        let selector = transaction.data.first_chunk::<4>()?;
        let entry = entries.iter().find(|it| it.selector == *selector)?;
        [&entry.selector[..], &zeros(&entry.parameters)].concat()
    };
    if data == transaction.data && transaction.value == 0 {
        return None;
    }
    transaction.data = data;
    transaction.value = 0;
    Some(smaller)
}

/// The recipe without a parameter that nothing reads, of a function that nothing calls.
pub(super) fn without_parameter(recipe: &Recipe, function: usize, index: usize) -> Option<Recipe> {
    let mut smaller = recipe.clone();
    let template = Arc::make_mut(&mut smaller.template);
    let called = template.functions.iter().any(|it| calls(&it.body, function as u16));
    let own = &template.functions[function];
    let related = !own.overrides.is_empty()
        || template.functions.iter().any(|it| it.overrides.contains(&(function as u16)));
    if called || related || reads(&own.body, index as u16) || !own.modifiers.is_empty() {
        return None;
    }
    let own = &mut template.functions[function];
    own.locals.remove(index);
    own.parameters -= 1;
    renumber(&mut own.body, index as u16);
    // The arguments of calls lose theirs.
    let (old, new) = (recipe, smaller);
    let from = View::new(&old.template, &old.solution, old.salt);
    let copy = new.clone();
    let to = View::new(&copy.template, &copy.solution, copy.salt);
    let contract = under_test(&new.template);
    let (before, after) = (from.entries(contract), to.entries(contract));
    let mut new = new;
    let constructor = old.template.contracts.get(usize::from(contract))?.constructor;
    for sequence in &mut new.sequences {
        for (position, transaction) in sequence.iter_mut().enumerate() {
            if position == 0 {
                if constructor == Some(function as u16) {
                    let types = old.template.functions[function].parameter_types();
                    let mut values = decode(&from, &types, &transaction.data).ok()?;
                    values.remove(index);
                    transaction.data =
                        encode(&to, &new.template.functions[function].parameter_types(), &values);
                }
                continue;
            }
            let Some((selector, rest)) = transaction.data.split_first_chunk::<4>() else {
                continue;
            };
            let Some(entry) = before.iter().find(|it| it.selector == *selector) else { continue };
            let Some(other) = after.iter().find(|it| it.callee == entry.callee) else { continue };
            if other.parameters.len() == entry.parameters.len() {
                continue;
            }
            let mut values = decode(&from, &entry.parameters, rest).ok()?;
            values.remove(index);
            transaction.data =
                [&other.selector[..], &encode(&to, &other.parameters, &values)].concat();
        }
    }
    Some(new)
}

fn calls(body: &[Statement], function: u16) -> bool {
    body.iter().any(|statement| {
        let mut found = false;
        for expression in statement.expressions() {
            expression.each(&mut |it| {
                found |= matches!(&it.kind, Kind::Call { function: id, .. } | Kind::CallOn { function: id, .. } if *id == function);
                found |= matches!(&it.kind, Kind::Function(id, _) | Kind::Selector(id) | Kind::SelectorOf(id, _) if *id == function);
                found |= matches!(&it.kind, Kind::Abi(AbiKind::WithSelector(id) | AbiKind::WithSignature(id) | AbiKind::Call(id), _) if *id == function);
            });
        }
        found || statement.bodies().into_iter().any(|body| calls(body, function))
    })
}

fn reads(body: &[Statement], local: u16) -> bool {
    body.iter().any(|statement| {
        let mut found = false;
        for expression in statement.expressions() {
            expression.each(&mut |it| found |= matches!(it.kind, Kind::Local(id) if id == local));
        }
        // Assembly is left alone: its variables are not numbered again.
        found |= matches!(statement, Statement::Assembly(_));
        found || statement.bodies().into_iter().any(|body| reads(body, local))
    })
}

/// Numbers all locals after a dropped one again.
fn renumber(body: &mut [Statement], dropped: u16) {
    use crate::model::{CatchKind, Expression};
    fn expression(it: &mut Expression, dropped: u16) {
        if let Kind::Local(id) = &mut it.kind {
            *id -= u16::from(*id > dropped);
        }
        for part in it.parts_mut() {
            expression(part, dropped);
        }
    }
    let lower = |id: &mut u16| *id -= u16::from(*id > dropped);
    for statement in body {
        match statement {
            Statement::Let(id, _)
            | Statement::For { counter: id, .. }
            | Statement::While { counter: id, .. } => {
                lower(id);
            }
            Statement::LetMany(ids, _) => ids.iter_mut().flatten().for_each(lower),
            Statement::Try { results, catches, .. } => {
                results.iter_mut().for_each(lower);
                for (kind, _) in catches {
                    match kind {
                        CatchKind::Error(id) | CatchKind::Panic(id) | CatchKind::Data(id) => {
                            lower(id);
                        }
                        CatchKind::All => {}
                    }
                }
            }
            _ => {}
        }
        for it in statement.expressions_mut() {
            expression(it, dropped);
        }
        for inner in statement.bodies_mut() {
            renumber(inner, dropped);
        }
    }
}
