//! Where the locals of a function are declared in plain Rust.

use super::super::program::{
    Block, Callee, Function, Local, Operand, Place, Projection, Rvalue, Statement, Terminator,
};
use super::flow::Node;

/// How a local is declared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Declared {
    Unused,
    /// By its first assignment.
    AtFirstWrite,
    /// At the start of the function, without a value.
    AtStart,
    /// At the start of the function, with a placeholder value.
    AtStartWithValue,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// An assignment to the whole local.
    Write(Local),
    /// Any other use.
    Use(Local),
    Borrow {
        local: Local,
        mutable: bool,
    },
}

/// The uses of a local, as far as its declaration depends on them.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    /// The path to the nested code with its first use, and the common prefix of the paths to all uses.
    first_path: Option<Vec<usize>>,
    common_path: Vec<usize>,
    starts_by_write: bool,
    borrowed: bool,
    writes: usize,
    changed_otherwise: bool,
    maybe_uninitialised: bool,
}

impl Facts {
    pub(super) fn declared(&self) -> Declared {
        match &self.first_path {
            None => Declared::Unused,
            // A borrowed local must live until the function returns.
            Some(first)
                if self.starts_by_write
                    && *first == self.common_path
                    && (!self.borrowed || first.len() <= 1) =>
            {
                Declared::AtFirstWrite
            }
            Some(_) if self.maybe_uninitialised => Declared::AtStartWithValue,
            Some(_) => Declared::AtStart,
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
    find_uninitialised(function, &mut all);
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
                each_event(&function.blocks[*block], &mut |event| add_event(event, path, all));
            }
            Node::Match { on, arms, otherwise } => {
                each_in_operand(on, &mut |event| add_event(event, path, all));
                for (_, arm) in arms {
                    walk(function, arm, path, next, all);
                }
                walk(function, otherwise, path, next, all);
            }
            Node::Label(_, inside) | Node::Loop(_, inside) => {
                walk(function, inside, path, next, all);
            }
            Node::Return => add_event(Event::Use(0), path, all),
            _ => {}
        }
    }
    path.pop();
}

fn add_event(event: Event, path: &[usize], all: &mut [Facts]) {
    let (Event::Write(local) | Event::Use(local) | Event::Borrow { local, .. }) = event;
    let facts = &mut all[local];
    if facts.first_path.is_none() {
        facts.first_path = Some(path.to_vec());
        facts.common_path = path.to_vec();
        facts.starts_by_write = matches!(event, Event::Write(_));
    }
    let common =
        facts.common_path.iter().zip(path).take_while(|(left, right)| left == right).count();
    facts.common_path.truncate(common);
    match event {
        Event::Write(_) => facts.writes += 1,
        Event::Use(_) => {}
        Event::Borrow { mutable, .. } => {
            facts.borrowed = true;
            facts.changed_otherwise |= mutable;
        }
    }
}

/// Finds the locals that may be used while uninitialised, by a forward dataflow analysis.
fn find_uninitialised(function: &Function, all: &mut [Facts]) {
    let mut initialised: Vec<Option<Vec<bool>>> = vec![None; function.blocks.len()];
    let parameters =
        (0..function.locals.len()).map(|local| (1..=function.parameters).contains(&local));
    initialised[0] = Some(parameters.collect());
    let mut open = vec![0];
    while let Some(block) = open.pop() {
        let Some(mut now) = initialised[block].clone() else {
            continue;
        };
        each_event(&function.blocks[block], &mut |event| match event {
            Event::Write(local) => now[local] = true,
            Event::Use(local) | Event::Borrow { local, .. } => {
                all[local].maybe_uninitialised |= !now[local];
            }
        });
        match &function.blocks[block].terminator {
            Terminator::Return => all[0].maybe_uninitialised |= !now[0],
            Terminator::Switch { on, .. } => each_in_operand(on, &mut |event| {
                if let Event::Use(local) = event {
                    all[local].maybe_uninitialised |= !now[local];
                }
            }),
            _ => {}
        }
        for target in function.blocks[block].terminator.targets() {
            let Some(state) = &mut initialised[target] else {
                initialised[target] = Some(now.clone());
                open.push(target);
                continue;
            };
            let mut changed = false;
            for (entry, here) in state.iter_mut().zip(&now) {
                changed |= *entry && !here;
                *entry &= here;
            }
            if changed {
                open.push(target);
            }
        }
    }
}

/// The uses of locals in a block, in order, without the operand of a switch.
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
            // A partial write.
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
