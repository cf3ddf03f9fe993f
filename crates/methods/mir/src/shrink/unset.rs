//! Locals that are looked at somewhere and set nowhere. On paths that are never taken that is defined, but
//! whoever reads a report will doubt it: no candidate has more of them than what it is made from.

use std::collections::BTreeSet;

use super::super::program::{Function, Local, Place, Program, Projection, Rvalue};
use super::super::program::{Statement, Terminator};
use super::super::visit::{self, Mention};

pub(super) fn unset(program: &Program) -> usize {
    program.functions.iter().map(of_function).sum()
}

fn of_function(function: &Function) -> usize {
    let (mut set, mut mentioned) = (BTreeSet::new(), BTreeSet::new());
    let mut sets = |place: &Place| {
        if place.projections.first() != Some(&Projection::Deref) {
            set.insert(place.local);
        }
    };
    let mut mentions = |mention: Mention<'_>| {
        if let Mention::Local(local) = mention {
            mentioned.insert(*local);
        }
    };
    for block in &function.blocks {
        for statement in &block.statements {
            match statement {
                // What has an address can be set through it.
                Statement::Assign(to, Rvalue::AddressOf(_, of) | Rvalue::Reference(_, of)) => {
                    sets(to);
                    sets(of);
                }
                Statement::Assign(to, _) | Statement::SetDiscriminant(to, _) => sets(to),
                Statement::StorageLive(_) | Statement::StorageDead(_) => continue,
                Statement::Retag(_) | Statement::Assume(_) => {}
            }
            visit::read::statement(statement, &mut mentions);
        }
        if let Terminator::Call { destination, .. } = &block.terminator {
            sets(destination);
        }
        visit::read::terminator(&block.terminator, &mut mentions);
    }
    let given = |local: &Local| *local <= function.parameters;
    mentioned.difference(&set).filter(|local| !given(local)).count()
}
