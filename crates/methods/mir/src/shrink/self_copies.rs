//! Counts assignments that copy a value onto itself, also through pointers. The interpreter checks only code that
//! runs; in dead code the effect of such a copy is not settled upstream. So no candidate has more of them than its
//! source.

use std::collections::BTreeMap;

use super::super::program::{
    Function, Local, Place, Program, Projection, Rvalue, Statement, Terminator,
};
use super::super::types::Types;

pub(crate) fn self_copies(program: &Program) -> usize {
    program.functions.iter().map(|function| of_function(&program.types, function)).sum()
}

fn of_function(types: &Types, function: &Function) -> usize {
    let pointees = pointees(function);
    let resolved = |place: &Place| match pointees.get(&place.local) {
        Some(Some(to)) if place.is_deref() => {
            let rest = place.projections[1..].iter();
            let projections = to.projections.iter().chain(rest).copied().collect();
            Place { local: to.local, projections }
        }
        _ => place.clone(),
    };
    // Zero-sized values do not overlap.
    let is_zero_sized = |place: &Place| {
        let of = place.type_in(&function.locals, types);
        of.is_some_and(|of| !types.is_generic(of) && types.size(of) == 0)
    };
    let overlap = |to: &Place, from: &Place| {
        let (one, other) = (resolved(to), resolved(from));
        (one.contains(&other) || other.contains(&one)) && !is_zero_sized(from)
    };
    let is_self_copy = |statement: &&Statement| match statement {
        Statement::Assign(to, rvalue) if rvalue.copies() => {
            let operands = rvalue.operands();
            operands.iter().filter_map(|it| it.place()).any(|from| overlap(to, from))
        }
        _ => false,
    };
    function.blocks.iter().flat_map(|block| &block.statements).filter(is_self_copy).count()
}

/// The places that pointers assigned only once point to; none if that is unknown. Places with an index are left out,
/// since the index may change.
fn pointees(function: &Function) -> BTreeMap<Local, Option<Place>> {
    let mut pointees: BTreeMap<Local, Option<Place>> = BTreeMap::new();
    let mut set = |local: Local, to: Option<&Place>| {
        let again = pointees.contains_key(&local);
        let indexed =
            |place: &Place| place.projections.iter().any(|it| matches!(it, Projection::Index(_)));
        pointees.insert(local, to.filter(|to| !again && !indexed(to)).cloned());
    };
    (1..=function.parameters).for_each(|local| set(local, None));
    for block in &function.blocks {
        for statement in &block.statements {
            match statement {
                Statement::Assign(place, Rvalue::AddressOf(_, to) | Rvalue::Reference(_, to))
                    if place.projections.is_empty() =>
                {
                    set(place.local, Some(to));
                }
                Statement::Assign(place, _) if !place.is_deref() => set(place.local, None),
                _ => {}
            }
        }
        if let Terminator::Call { destination, .. } = &block.terminator
            && !destination.is_deref()
        {
            set(destination.local, None);
        }
    }
    pointees
}
