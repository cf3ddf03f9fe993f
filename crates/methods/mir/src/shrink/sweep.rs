//! Without what nothing leads to: blocks, functions, locals, statics, types; all at once.

use super::super::object::Trait;
use super::super::program::{Function, Program, Statement};
use super::super::types::{Kind, TypeId, Types};
use super::super::visit::{Mention, MentionMut, change, read};
use super::{Source, retype};

/// What goes. A compiler may fail on something that is never run, so not all goes in every one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Sweep {
    All,
    AllButTypes,
    Blocks,
    Locals,
    Statics,
    Types,
}

pub(super) fn list(_: &Source) -> Vec<Sweep> {
    use Sweep::{All, AllButTypes, Blocks, Locals, Statics, Types};
    vec![All, AllButTypes, Blocks, Locals, Statics, Types]
}

pub(super) fn apply(source: &Source, what: Sweep) -> Option<Program> {
    let mut smaller = source.program.clone();
    let all = matches!(what, Sweep::All | Sweep::AllButTypes);
    if all || what == Sweep::Blocks {
        smaller.functions.iter_mut().for_each(drop_blocks);
    }
    if all || what == Sweep::Locals {
        smaller.functions.iter_mut().for_each(drop_locals);
    }
    if all {
        drop_functions(&mut smaller);
    }
    if all || what == Sweep::Statics {
        drop_statics(&mut smaller);
    }
    if matches!(what, Sweep::All | Sweep::Types) {
        drop_types(&mut smaller);
    }
    Some(smaller)
}

/// The new numbers of those that are kept.
pub(super) fn renumbered(keep: &[bool]) -> Vec<usize> {
    let mut next = 0;
    let number = |kept: &bool| {
        let own = next;
        next += usize::from(*kept);
        own
    };
    keep.iter().map(number).collect()
}

pub(super) fn retain<T>(all: &mut Vec<T>, keep: &[bool]) {
    let mut keep = keep.iter();
    all.retain(|_| keep.next().copied().unwrap_or(true));
}

/// The blocks that something leads to.
fn reached(function: &Function) -> Vec<bool> {
    let mut reached = vec![false; function.blocks.len()];
    let mut open = vec![0];
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut reached[block], true) {
            open.extend(function.blocks[block].terminator.targets());
        }
    }
    reached
}

/// Whether something leads to every block.
pub(super) fn has_ways(function: &Function) -> bool {
    reached(function).into_iter().all(|it| it)
}

pub(super) fn drop_blocks(function: &mut Function) {
    let reached = reached(function);
    let numbers = renumbered(&reached);
    retain(&mut function.blocks, &reached);
    for block in &mut function.blocks {
        for target in block.terminator.targets_mut() {
            *target = numbers[*target];
        }
    }
}

fn is_marker(statement: &Statement) -> Option<usize> {
    match statement {
        Statement::StorageLive(local) | Statement::StorageDead(local) => Some(*local),
        _ => None,
    }
}

/// A local that has nothing but storage markers goes with them.
fn drop_locals(function: &mut Function) {
    let mut used = vec![false; function.locals.len()];
    used[..=function.parameters].fill(true);
    let mut note = |mention: Mention<'_>| {
        if let Mention::Local(local) = mention {
            used[*local] = true;
        }
    };
    for block in &function.blocks {
        let real = block.statements.iter().filter(|it| is_marker(it).is_none());
        real.for_each(|it| read::statement(it, &mut note));
        read::terminator(&block.terminator, &mut note);
    }
    function.debug.iter().for_each(|it| read::named(it, &mut note));
    for block in &mut function.blocks {
        block.statements.retain(|it| is_marker(it).is_none_or(|local| used[local]));
    }
    let numbers = renumbered(&used);
    retain(&mut function.locals, &used);
    change::function(function, &mut |mention| {
        if let MentionMut::Local(local) = mention {
            *local = numbers[*local];
        }
    });
}

/// What is found to be used, and what of it was not looked into yet.
struct Used<'a> {
    types: &'a Types,
    functions: Vec<bool>,
    traits: Vec<bool>,
    objects: &'a [Trait],
    open: Vec<usize>,
    of: Vec<bool>,
}

impl Used<'_> {
    fn function(&mut self, number: usize) {
        if !std::mem::replace(&mut self.functions[number], true) {
            self.open.push(number);
        }
    }

    /// A trait with all that has it.
    fn object(&mut self, which: usize) {
        let there = self.traits.get_mut(which);
        if there.is_none_or(|used| std::mem::replace(used, true)) {
            return;
        }
        let it = &self.objects[which];
        read::object(it, &mut |mention| self.mention(&mention));
    }

    fn of(&mut self, of: TypeId) {
        if std::mem::replace(&mut self.of[of.0 as usize], true) {
            return;
        }
        let types = self.types;
        match types.kind(of) {
            Kind::Tuple(parts) => parts.iter().for_each(|part| self.of(*part)),
            Kind::Array(part, _)
            | Kind::ArrayOf(part, _)
            | Kind::Constant(_, part)
            | Kind::Value(part, _)
            | Kind::Slice(part)
            | Kind::Heap(part)
            | Kind::Manual(part) => self.of(*part),
            Kind::Pointer { to, .. } | Kind::Reference { to, .. } => self.of(*to),
            Kind::Function { parameters, returns } => {
                parameters.iter().chain([returns]).for_each(|part| self.of(*part));
            }
            Kind::Object(which) => self.object(*which),
            Kind::Adt(index) => {
                let adt = &types.adts[*index];
                adt.parts().for_each(|part| self.of(part));
                if let Some(destructor) = adt.destructor {
                    self.function(destructor);
                }
            }
            _ => {}
        }
    }

    fn mention(&mut self, mention: &Mention<'_>) {
        match mention {
            Mention::Type(of) => self.of(**of),
            Mention::Function(number) => self.function(**number),
            _ => {}
        }
    }
}

/// The functions, types and traits that some functions lead to.
fn used(program: &Program, from: std::ops::Range<usize>) -> (Vec<bool>, Vec<bool>, Vec<bool>) {
    let mut used = Used {
        types: &program.types,
        functions: vec![false; program.functions.len()],
        traits: vec![false; program.traits.len()],
        objects: &program.traits,
        open: vec![],
        of: vec![false; program.types.len()],
    };
    if from.len() == program.functions.len() {
        (0..program.traits.len()).for_each(|which| used.object(which));
    }
    from.for_each(|number| used.function(number));
    program.statics.iter().for_each(|it| used.of(it.of));
    while let Some(number) = used.open.pop() {
        read::function(&program.functions[number], &mut |mention| used.mention(&mention));
    }
    (used.functions, used.of, used.traits)
}

/// Destructors of types that are not used are no destructors any more, and traits that are not used are empty.
fn drop_functions(program: &mut Program) {
    let (keep, _, traits) = used(program, 0..1);
    for (it, _) in program.traits.iter_mut().zip(traits).filter(|(_, used)| !used) {
        *it = Trait::default();
    }
    for adt in &mut program.types.adts {
        adt.destructor = adt.destructor.filter(|number| keep[*number]);
    }
    remove_functions(program, &keep);
}

/// Without some functions that nothing mentions any more.
pub(super) fn remove_functions(program: &mut Program, keep: &[bool]) {
    let numbers = renumbered(keep);
    retain(&mut program.functions, keep);
    change::program(program, &mut |mention| {
        if let MentionMut::Function(number) = mention {
            *number = numbers[*number];
        }
    });
}

fn drop_statics(program: &mut Program) {
    let mut keep = vec![false; program.statics.len()];
    read::program(program, &mut |mention| {
        if let Mention::Static(number) = mention {
            keep[*number] = true;
        }
    });
    let numbers = renumbered(&keep);
    retain(&mut program.statics, &keep);
    change::program(program, &mut |mention| {
        if let MentionMut::Static(number) = mention {
            *number = numbers[*number];
        }
    });
}

fn drop_types(program: &mut Program) {
    let (_, keep, _) = used(program, 0..program.functions.len());
    let keeps = |of: TypeId| keep[of.0 as usize];
    retype::rebuild(program, &keeps, &|_, kind| kind.clone(), &|_, adt| adt.clone());
}
