//! Proven identities on integer subexpressions of a program. An operator with its operands becomes a term, rules that are
//! proven for the arithmetic of its block (checked or not, signed or not) rewrite the term, and the term becomes an
//! expression again, so what the program does stays the same. What the rules are and why they hold is left to `identity`.

mod book;
mod reading;
mod sites;
#[cfg(test)]
mod tests;
mod writing;

use std::sync::Arc;

use forge::Entropy;

use crate::method::Recipe;
use crate::model::{Expression, Type};
use crate::template::{Space, type_bit};
use crate::view::View;

use reading::Reading;
use sites::Site;
use writing::Writing;

/// The most expressions of a program that are rewritten.
const SITES: u64 = 4;

/// The most rewrites of one expression.
const FIRINGS: u64 = 3;

/// The most nodes of a rewritten term, and how deep it may be: operands wait on a stack of which 16 words can be reached.
const NODES: u32 = 24;
const DEPTH: u32 = 6;

/// The recipe with rewritten expressions; `None` if it has none that rules apply to.
pub(crate) fn rewritten(recipe: &Recipe, entropy: &mut Entropy) -> Option<Recipe> {
    let mut view = View::new(&recipe.template, &recipe.solution, recipe.salt);
    let count = sites::count(&view);
    if count == 0 {
        return None;
    }
    let mut template = (*recipe.template).clone();
    let mut space = (*recipe.space).clone();
    let mut identities = recipe.identities.clone();
    for _ in 0..entropy.between(1, SITES) {
        let at = entropy.below(count as u64) as usize;
        sites::edit(&view, &mut template, at, |types, expression, site| {
            let Some(made) = rewrite(&view, types, expression, site, entropy) else { return };
            if pin(&view, &mut space, recipe, &made.pinned) {
                *expression = made.expression;
                identities.extend(made.told);
            }
        });
        // The types that the new expression needs are no variables.
        let known = view.types.len();
        view.types.extend_from_slice(&template.types[known..]);
    }
    if identities.len() == recipe.identities.len() {
        return None;
    }
    let (template, space) = (Arc::new(template), Arc::new(space));
    Some(Recipe { template, space, identities, ..recipe.clone() })
}

/// A rewritten expression.
struct Rewritten {
    expression: Expression,
    /// Types that it depends on.
    pinned: Vec<u16>,
    /// The rules, as text.
    told: Vec<String>,
}

fn rewrite(
    view: &View<'_>,
    types: &mut Vec<Type>,
    expression: &Expression,
    site: Site,
    entropy: &mut Entropy,
) -> Option<Rewritten> {
    let (width, signed) = integer(view.ty(expression.ty))?;
    let book = book::of(view.version(), site.checked, signed)?;
    let mut reading = Reading::new(view, signed);
    let root = reading.term(expression, width, reading::DEPTH)?;
    let (terms, leaves) = (reading.terms, reading.leaves);
    let mut material = book.material(terms);
    let firings = entropy.between(1, FIRINGS) as usize;
    let mutant = book.stack(&mut material, root, firings, NODES, entropy);
    if mutant.root == root {
        return None;
    }
    let told = mutant.trail.iter().map(|firing| book.told(firing)).collect();
    let terms = material.into_terms();
    if !writing::is_written(&terms, mutant.root, view, DEPTH) {
        return None;
    }
    let mut pinned: Vec<u16> = leaves.iter().map(|leaf| leaf.ty).collect();
    pinned.push(expression.ty);
    let mut writing = Writing { types, terms: &terms, leaves: &leaves, signed };
    let mut expression_made = writing.value(mutant.root)?;
    // The type of the declaration or operator that it stands for.
    expression_made.ty = expression.ty;
    Some(Rewritten { expression: expression_made, pinned, told })
}

/// Demands that types stay what they are, since terms have fixed widths: a smaller case keeps them.
fn pin(view: &View<'_>, space: &mut Space, recipe: &Recipe, types: &[u16]) -> bool {
    types.iter().all(|id| match recipe.template.types.get(usize::from(*id)) {
        Some(Type::Variable(variable)) => space.restrict(*variable, type_bit(view.ty(*id))),
        _ => true,
    })
}

/// The width of an integer type, and whether it is signed.
fn integer(ty: Type) -> Option<(u16, bool)> {
    match ty {
        Type::Uint(width) => Some((width, false)),
        Type::Int(width) => Some((width, true)),
        _ => None,
    }
}
