//! Removes everything that is unreachable or unused at once: blocks, functions, locals, statics, types.

use super::super::object::Trait;
use super::super::program::{Function, Program, Statement};
use super::super::types::{Kind, TypeId, Types};
use super::super::visit::{Mention, MentionMut, change, read};
use super::{Source, retype};

/// What is removed. A compiler may fail on code that never runs, so there are also partial sweeps.
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

/// The new numbers of the items that are kept.
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

/// The reachable blocks.
fn reachable(function: &Function) -> Vec<bool> {
    let mut reachable = vec![false; function.blocks.len()];
    let mut open = vec![0];
    while let Some(block) = open.pop() {
        if !std::mem::replace(&mut reachable[block], true) {
            open.extend(function.blocks[block].terminator.targets());
        }
    }
    reachable
}

/// Whether all blocks are reachable.
pub(super) fn all_reachable(function: &Function) -> bool {
    reachable(function).into_iter().all(|it| it)
}

pub(super) fn drop_blocks(function: &mut Function) {
    let reachable = reachable(function);
    let numbers = renumbered(&reachable);
    retain(&mut function.blocks, &reachable);
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

/// Removes unused locals with their storage markers.
fn drop_locals(function: &mut Function) {
    let mut used = vec![false; function.locals.len()];
    used[..=function.parameters].fill(true);
    let mut mark = |mention: Mention<'_>| {
        if let Mention::Local(local) = mention {
            used[*local] = true;
        }
    };
    for block in &function.blocks {
        let real = block.statements.iter().filter(|it| is_marker(it).is_none());
        real.for_each(|it| read::statement(it, &mut mark));
        read::terminator(&block.terminator, &mut mark);
    }
    function.debug.iter().for_each(|it| read::named(it, &mut mark));
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

/// The items that are found to be used, and a worklist of functions.
struct Used<'a> {
    types: &'a Types,
    functions: Vec<bool>,
    traits: Vec<bool>,
    objects: &'a [Trait],
    open: Vec<usize>,
    used_types: Vec<bool>,
}

impl Used<'_> {
    fn mark_function(&mut self, number: usize) {
        if !std::mem::replace(&mut self.functions[number], true) {
            self.open.push(number);
        }
    }

    /// A trait with its implementations.
    fn mark_trait(&mut self, which: usize) {
        let used = self.traits.get_mut(which);
        if used.is_none_or(|used| std::mem::replace(used, true)) {
            return;
        }
        let it = &self.objects[which];
        read::object(it, &mut |mention| self.mention(&mention));
    }

    fn mark_type(&mut self, of: TypeId) {
        if std::mem::replace(&mut self.used_types[of.0 as usize], true) {
            return;
        }
        let types = self.types;
        match types.kind(of) {
            Kind::Tuple(parts) => parts.iter().for_each(|part| self.mark_type(*part)),
            Kind::Array(part, _)
            | Kind::ArrayOf(part, _)
            | Kind::Constant(_, part)
            | Kind::Value(part, _)
            | Kind::Slice(part)
            | Kind::Heap(part)
            | Kind::Manual(part) => self.mark_type(*part),
            Kind::Pointer { to, .. } | Kind::Reference { to, .. } => self.mark_type(*to),
            Kind::Function { parameters, returns } => {
                parameters.iter().chain([returns]).for_each(|part| self.mark_type(*part));
            }
            Kind::Object(which) => self.mark_trait(*which),
            Kind::Adt(index) => {
                let adt = &types.adts[*index];
                adt.parts().for_each(|part| self.mark_type(part));
                if let Some(destructor) = adt.destructor {
                    self.mark_function(destructor);
                }
            }
            _ => {}
        }
    }

    fn mention(&mut self, mention: &Mention<'_>) {
        match mention {
            Mention::Type(of) => self.mark_type(**of),
            Mention::Function(number) => self.mark_function(**number),
            _ => {}
        }
    }
}

/// The functions, types and traits that are reachable from some functions.
fn used(program: &Program, from: std::ops::Range<usize>) -> (Vec<bool>, Vec<bool>, Vec<bool>) {
    let mut used = Used {
        types: &program.types,
        functions: vec![false; program.functions.len()],
        traits: vec![false; program.traits.len()],
        objects: &program.traits,
        open: vec![],
        used_types: vec![false; program.types.len()],
    };
    if from.len() == program.functions.len() {
        (0..program.traits.len()).for_each(|which| used.mark_trait(which));
    }
    from.for_each(|number| used.mark_function(number));
    program.statics.iter().for_each(|it| used.mark_type(it.of));
    while let Some(number) = used.open.pop() {
        read::function(&program.functions[number], &mut |mention| used.mention(&mention));
    }
    (used.functions, used.used_types, used.traits)
}

/// Removes unused functions. Unused types lose their destructors, and unused traits become empty.
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

/// Removes functions that are not used any more.
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
