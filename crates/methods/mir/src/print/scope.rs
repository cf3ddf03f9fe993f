//! Where plain Rust declares the locals of a function.

use super::super::program::{
    Block, Callee, Function, Local, Operand, Place, Projection, Rvalue, Statement, Terminator,
};
use super::flow::Node;

/// How a local is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    Never,
    /// By its first assignment.
    There,
    /// At the beginning, without a value.
    First,
    /// At the beginning, with some value.
    Filled,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// As a whole.
    Write(Local),
    /// In any other way.
    Use(Local),
    Borrow {
        local: Local,
        mutable: bool,
    },
}

/// What the declarations of a function need to know of a local.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The nested code that it first occurs in, and the innermost one that all of it is in.
    first: Option<Vec<usize>>,
    around: Vec<usize>,
    starts_by_write: bool,
    borrowed: bool,
    writes: usize,
    changed_otherwise: bool,
    maybe_unset: bool,
}

impl Facts {
    pub(super) fn declared(&self) -> Declared {
        match &self.first {
            None => Declared::Never,
            // What is pointed to must not end before the function does.
            Some(first)
                if self.starts_by_write
                    && *first == self.around
                    && (!self.borrowed || first.len() <= 1) =>
            {
                Declared::There
            }
            Some(_) if self.maybe_unset => Declared::Filled,
            Some(_) => Declared::First,
        }
    }

    pub(super) fn is_borrowed(&self) -> bool {
        self.borrowed
    }

    pub(super) fn is_mutable(&self, parameter: bool) -> bool {
        self.changed_otherwise || self.writes > usize::from(!parameter)
    }
}

pub(super) fn facts(function: &Function, nodes: &[Node<'_>]) -> Vec<Facts> {
    let mut all = vec![Facts::default(); function.locals.len()];
    let mut next = 0;
    walk(function, nodes, &mut vec![], &mut next, &mut all);
    unset(function, &mut all);
    all
}

fn walk(
    function: &Function,
    nodes: &[Node<'_>],
    path: &mut Vec<usize>,
    next: &mut usize,
    all: &mut [Facts],
) {
    path.push(*next);
    *next += 1;
    for node in nodes {
        match node {
            Node::Block(block) => {
                each_event(&function.blocks[*block], &mut |event| note(event, path, all));
            }
            Node::Match { on, arms, otherwise } => {
                each_in_operand(on, &mut |event| note(event, path, all));
                for (_, arm) in arms {
                    walk(function, arm, path, next, all);
                }
                walk(function, otherwise, path, next, all);
            }
            Node::Label(_, inside) | Node::Loop(_, inside) => {
                walk(function, inside, path, next, all);
            }
            Node::Return => note(Event::Use(0), path, all),
            _ => {}
        }
    }
    path.pop();
}

fn note(event: Event, path: &[usize], all: &mut [Facts]) {
    let (Event::Write(local) | Event::Use(local) | Event::Borrow { local, .. }) = event;
    let facts = &mut all[local];
    if facts.first.is_none() {
        facts.first = Some(path.to_vec());
        facts.around = path.to_vec();
        facts.starts_by_write = matches!(event, Event::Write(_));
    }
    let common = facts.around.iter().zip(path).take_while(|(left, right)| left == right).count();
    facts.around.truncate(common);
    match event {
        Event::Write(_) => facts.writes += 1,
        Event::Use(_) => {}
        Event::Borrow { mutable, .. } => {
            facts.borrowed = true;
            facts.changed_otherwise |= mutable;
        }
    }
}

/// Finds the locals that may be used before they have a value.
fn unset(function: &Function, all: &mut [Facts]) {
    let mut set: Vec<Option<Vec<bool>>> = vec![None; function.blocks.len()];
    let parameters =
        (0..function.locals.len()).map(|local| (1..=function.parameters).contains(&local));
    set[0] = Some(parameters.collect());
    let mut open = vec![0];
    while let Some(block) = open.pop() {
        let Some(mut now) = set[block].clone() else {
            continue;
        };
        each_event(&function.blocks[block], &mut |event| match event {
            Event::Write(local) => now[local] = true,
            Event::Use(local) | Event::Borrow { local, .. } => {
                all[local].maybe_unset |= !now[local];
            }
        });
        match &function.blocks[block].terminator {
            Terminator::Return => all[0].maybe_unset |= !now[0],
            Terminator::Switch { on, .. } => each_in_operand(on, &mut |event| {
                if let Event::Use(local) = event {
                    all[local].maybe_unset |= !now[local];
                }
            }),
            _ => {}
        }
        for target in function.blocks[block].terminator.targets() {
            let Some(there) = &mut set[target] else {
                set[target] = Some(now.clone());
                open.push(target);
                continue;
            };
            let mut less = false;
            for (there, here) in there.iter_mut().zip(&now) {
                less |= *there && !here;
                *there &= here;
            }
            if less {
                open.push(target);
            }
        }
    }
}

/// What a block does to locals, in order; what it switches on is left out.
pub(super) fn each_event(block: &Block, visit: &mut impl FnMut(Event)) {
    for statement in &block.statements {
        match statement {
            Statement::Assign(place, rvalue) => {
                for operand in rvalue.operands() {
                    each_in_operand(operand, visit);
                }
                match rvalue {
                    Rvalue::AddressOf(mutable, of) | Rvalue::Reference(mutable, of) => {
                        if of.is_deref() {
                            each_in_place(of, visit);
                        } else {
                            visit(Event::Borrow { local: of.local, mutable: *mutable });
                            each_index(of, visit);
                        }
                    }
                    Rvalue::Discriminant(of) => each_in_place(of, visit),
                    _ => {}
                }
                each_in_target(place, visit);
            }
            Statement::SetDiscriminant(place, _) => each_in_target(place, visit),
            Statement::Assume(operand) => each_in_operand(operand, visit),
            Statement::StorageLive(_) | Statement::StorageDead(_) | Statement::Retag(_) => {}
        }
    }
    match &block.terminator {
        Terminator::Call { callee, arguments, destination, .. } => {
            if let Callee::Pointer(place) = callee {
                each_in_place(place, visit);
            }
            for argument in arguments {
                each_in_operand(argument, visit);
            }
            each_in_target(destination, visit);
        }
        Terminator::Record { values, .. } => {
            for value in values {
                each_in_place(value, visit);
            }
        }
        _ => {}
    }
}

fn each_in_target(place: &Place, visit: &mut impl FnMut(Event)) {
    each_index(place, visit);
    if place.projections.is_empty() {
        visit(Event::Write(place.local));
    } else {
        visit(Event::Use(place.local));
        if !place.is_deref() {
            // It is changed in part.
            visit(Event::Write(place.local));
        }
    }
}

fn each_in_operand(operand: &Operand, visit: &mut impl FnMut(Event)) {
    if let Some(place) = operand.place() {
        each_in_place(place, visit);
    }
}

fn each_in_place(place: &Place, visit: &mut impl FnMut(Event)) {
    visit(Event::Use(place.local));
    each_index(place, visit);
}

fn each_index(place: &Place, visit: &mut impl FnMut(Event)) {
    for projection in &place.projections {
        if let Projection::Index(local) = projection {
            visit(Event::Use(*local));
        }
    }
}
