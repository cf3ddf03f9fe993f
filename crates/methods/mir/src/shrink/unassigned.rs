//! Counts locals that are read somewhere and assigned nowhere. In dead code that is defined, but a reader of the
//! report will doubt it. So no candidate has more of them than its source.

use std::collections::BTreeSet;

use super::super::program::{Function, Local, Place, Program, Projection, Rvalue};
use super::super::program::{Statement, Terminator};
use super::super::visit::{self, Mention};

pub(super) fn unassigned(program: &Program) -> usize {
    program.functions.iter().map(of_function).sum()
}

fn of_function(function: &Function) -> usize {
    let (mut assigned, mut mentioned) = (BTreeSet::new(), BTreeSet::new());
    let mut assign = |place: &Place| {
        if place.projections.first() != Some(&Projection::Deref) {
            assigned.insert(place.local);
        }
    };
    let mut mention_local = |mention: Mention<'_>| {
        if let Mention::Local(local) = mention {
            mentioned.insert(*local);
        }
    };
    for block in &function.blocks {
        for statement in &block.statements {
            match statement {
                // A local whose address is taken can be assigned through it.
                Statement::Assign(to, Rvalue::AddressOf(_, of) | Rvalue::Reference(_, of)) => {
                    assign(to);
                    assign(of);
                }
                Statement::Assign(to, _) | Statement::SetDiscriminant(to, _) => assign(to),
                Statement::StorageLive(_) | Statement::StorageDead(_) => continue,
                Statement::Retag(_) | Statement::Assume(_) => {}
            }
            visit::read::statement(statement, &mut mention_local);
        }
        if let Terminator::Call { destination, .. } = &block.terminator {
            assign(destination);
        }
        visit::read::terminator(&block.terminator, &mut mention_local);
    }
    let is_parameter = |local: &Local| *local <= function.parameters;
    mentioned.difference(&assigned).filter(|local| !is_parameter(local)).count()
}
