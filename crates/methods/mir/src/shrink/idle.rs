//! Statements that copy something onto itself, also where only somebody who sees through a pointer can tell. What runs is
//! looked at by the interpreter; what does not run is only read by compilers, and nobody has settled what they may make of
//! it: no candidate has more of them than what it is made from.

use std::collections::BTreeMap;

use super::super::program::{
    Function, Local, Place, Program, Projection, Rvalue, Statement, Terminator,
};
use super::super::types::Types;

pub(crate) fn idle(program: &Program) -> usize {
    program.functions.iter().map(|function| of_function(&program.types, function)).sum()
}

fn of_function(types: &Types, function: &Function) -> usize {
    let led = led(function);
    let through = |place: &Place| match led.get(&place.local) {
        Some(Some(to)) if place.is_deref() => {
            let rest = place.projections[1..].iter();
            let projections = to.projections.iter().chain(rest).copied().collect();
            Place { local: to.local, projections }
        }
        _ => place.clone(),
    };
    // What has no size lies nowhere.
    let is_nothing = |place: &Place| {
        let of = place.type_in(&function.locals, types);
        of.is_some_and(|of| !types.is_generic(of) && types.size(of) == 0)
    };
    let overlap = |to: &Place, from: &Place| {
        let (one, other) = (through(to), through(from));
        (one.contains(&other) || other.contains(&one)) && !is_nothing(from)
    };
    let is_idle = |statement: &&Statement| match statement {
        Statement::Assign(to, rvalue) if rvalue.copies() => {
            let operands = rvalue.operands();
            operands.iter().filter_map(|it| it.place()).any(|from| overlap(to, from))
        }
        _ => false,
    };
    function.blocks.iter().flat_map(|block| &block.statements).filter(is_idle).count()
}

/// Where the locals lead that are set once: to a place, or nobody can tell. An index may be another one by then.
fn led(function: &Function) -> BTreeMap<Local, Option<Place>> {
    let mut led: BTreeMap<Local, Option<Place>> = BTreeMap::new();
    let mut set = |local: Local, to: Option<&Place>| {
        let again = led.contains_key(&local);
        let indexed =
            |place: &Place| place.projections.iter().any(|it| matches!(it, Projection::Index(_)));
        led.insert(local, to.filter(|to| !again && !indexed(to)).cloned());
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
    led
}
