//! What a program does, or that it has no behaviour. The generator drives the same machine statement by
//! statement; `run` executes a whole program.

mod assign;
mod build;
mod call;
mod compute;
mod drop;
mod execute;
mod generic;
mod intrinsic;
mod look;
mod object;
mod observe;
mod place;
#[cfg(test)]
mod tests;
mod value;

use std::rc::Rc;

use super::borrows::{Access, Guard, Tree};
use super::memory::{Memory, Pointer};
use super::program::{Program, Statement};
use super::types::{Kind, TypeId, Types};
use place::{Source, Spot};

pub(crate) use execute::{run, run_logged};
pub(crate) use observe::observe;

/// What a step gives, if it is defined.
pub(crate) type Check<T = ()> = Result<T, Undefined>;

/// What must not happen, and what a program that does it does not have: a behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undefined {
    /// Memory that is gone, or never was.
    Dangling,
    OutOfBounds,
    Misaligned,
    Uninitialised,
    /// The address of something would become visible, or a number become an address.
    Address,
    /// The bits of a NaN would become visible, or the like.
    Nondeterministic,
    /// Where rustc puts it is not fixed.
    Layout,
    /// Bits that are no value of the type.
    InvalidValue,
    Arithmetic,
    /// What is written overlaps what is read.
    Overlap,
    /// What is being returned into, or was moved into a call, was touched from within the call.
    Protected,
    /// A pointer or reference was used that another access has made useless.
    Borrow,
    /// An assumption that does not hold, or a place in the program that must not be reached.
    Unreachable,
    /// A panic that nobody may catch.
    Panic,
    /// A function pointer was called as something that it is not.
    Signature,
    /// It takes more steps, or calls deeper, than is allowed.
    Endless,
    /// The program is not well-formed.
    IllFormed,
}

/// What the places of one `Record` held.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Where the `Record` is.
    pub(crate) function: usize,
    pub(crate) block: usize,
    pub(crate) words: [u64; super::program::RECORDED],
}

/// What a program shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) hash: u64,
    /// How many steps it took.
    pub(crate) steps: u64,
    /// Only if it was asked for.
    pub(crate) entries: Vec<Entry>,
}

/// What a statement needs to know of where it stands. In a generic function the types are those that it was
/// called with.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) types: &'a Types,
    pub(crate) locals: &'a [TypeId],
}

/// What a look at a place, which changes nothing, sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Seen {
    /// A scalar, as its bits; of an enum, the number of the variant that it is at present.
    Bits(u128),
    /// A float that is not a number.
    Nan,
    /// A pointer, reference, box, function pointer (or an integer that was one) that is initialised.
    Pointer,
    /// Anything else that could be copied as a whole.
    Whole,
}

/// Where a terminator stands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) function: usize,
    pub(crate) block: usize,
}

/// The memory and all else that changes while a program runs.
#[derive(Clone, Debug, Default)]
pub(crate) struct Machine {
    pub(crate) fuel: u64,
    pub(crate) hash: u64,
    memory: Memory,
    /// Where the statics are.
    statics: Vec<u32>,
    /// What calls that are under way return into, or were given in place.
    protected: Vec<Span>,
    depth: usize,
    /// Boxes that are being dropped, one in the other.
    boxes: usize,
    unwinding: bool,
    /// Something went wrong where there was nobody to tell.
    poison: Option<Undefined>,
    entries: Option<Vec<Entry>>,
    sightings: Option<Box<observe::Sightings>>,
    /// Nothing, but memory for it.
    sources: Vec<Source>,
}

/// A call that is under way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// What the type parameters of the function stand for; who drives a frame by hand sets it.
    pub(crate) generics: Vec<TypeId>,
    /// The slots of the locals.
    locals: Vec<u32>,
    /// The references that it protects.
    guards: Vec<Pointer>,
    /// How much was protected before.
    protected: usize,
    /// What the return place is.
    returns: TypeId,
    destination: Option<Destination>,
}

/// What a call returns into.
#[derive(Clone, Copy, Debug)]
struct Destination {
    spot: Spot,
    /// Which of the enums that it is in, as bits, are whole again after the call.
    whole: u8,
    /// Whether it gets to know if there was a panic, instead of what is returned.
    catches: bool,
    /// Whether a box that is returned is as good as new.
    fresh: bool,
}

/// Some bytes of an allocation.
#[derive(Clone, Copy, Debug)]
struct Span {
    slot: u32,
    serial: u32,
    lo: u32,
    hi: u32,
}

/// How deep calls can be.
const DEEPEST: usize = 64;
/// How much memory there can be.
const LARGEST: usize = 1 << 26;

impl Span {
    fn of(at: &Pointer, size: usize) -> Self {
        Self { slot: at.slot, serial: at.serial, lo: at.offset, hi: at.offset + size as u32 }
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.slot == other.slot
            && self.serial == other.serial
            && self.lo.max(other.lo) < self.hi.min(other.hi)
    }
}

impl Machine {
    pub(crate) fn new(fuel: u64) -> Self {
        Self { fuel, ..Self::default() }
    }

    /// Allocates the statics that are not allocated yet.
    pub(crate) fn set_statics(&mut self, program: &Program) {
        for item in program.statics.iter().skip(self.statics.len()) {
            let layout = program.types.layout(item.of);
            let slot = self.memory.allocate(layout.size, layout.align);
            self.statics.push(slot);
            if let Some(allocation) = self.memory.allocation_mut(slot) {
                allocation.constant = !item.mutable;
                let start = allocation.start;
                let mut value = item.value.iter();
                self.lay_out(&program.types, start, item.of, &mut value);
            }
        }
    }

    /// Writes the scalars of a static in order.
    fn lay_out<'a>(
        &mut self,
        types: &Types,
        index: usize,
        of: TypeId,
        value: &mut impl Iterator<Item = &'a u128>,
    ) {
        match types.kind(of) {
            Kind::Array(element, length) => {
                let size = types.size(*element);
                for number in 0..*length as usize {
                    self.lay_out(types, index + number * size, *element, value);
                }
            }
            _ if types.is_scalar(of) => {
                let constant = value.next().and_then(|bits| value::constant(types, of, *bits).ok());
                if let Some(value) = constant {
                    self.store(types, index, of, value);
                }
            }
            _ => {
                for (number, field) in types.fields(of).iter().enumerate() {
                    let offset = types.layout(of).fields[0][number];
                    self.lay_out(types, index + offset, *field, value);
                }
            }
        }
    }

    /// A new local at the end of a frame; without storage it is dead until `StorageLive`.
    pub(crate) fn add_local(&mut self, types: &Types, frame: &mut Frame, of: TypeId, stored: bool) {
        let layout = types.layout(of);
        let slot = self.memory.allocate(layout.size, layout.align);
        frame.locals.push(slot);
        if !stored && let Err(undefined) = self.memory.kill(slot) {
            self.poison = Some(undefined);
        }
    }

    /// The return place and the parameters: they may be where the caller's places are.
    fn add_passed(&mut self, types: &Types, frame: &mut Frame, signature: &[TypeId]) {
        for of in signature {
            self.add_local(types, frame, *of, true);
        }
        for slot in &frame.locals {
            self.memory.doubt(*slot);
        }
    }

    fn burn(&mut self) -> Check {
        if let Some(undefined) = self.poison {
            return Err(undefined);
        }
        self.memory.tidy();
        self.fuel = self.fuel.checked_sub(1).ok_or(Undefined::Endless)?;
        Ok(())
    }

    /// All or nothing, except that reads may already have weakened other borrows.
    pub(crate) fn statement(
        &mut self,
        scope: Scope<'_>,
        frame: &mut Frame,
        statement: &Statement,
    ) -> Check {
        self.burn()?;
        match statement {
            Statement::Assign(place, rvalue) => self.assign(scope, frame, place, rvalue),
            Statement::StorageLive(local) => self.memory.revive(frame.slot(*local)?),
            Statement::StorageDead(local) => self.memory.kill(frame.slot(*local)?),
            Statement::SetDiscriminant(place, variant) => {
                self.set_discriminant(scope, frame, place, *variant)
            }
            Statement::Assume(operand) => match self.one(scope, frame, operand)? {
                (value::Value::Bits(1), Types::BOOL) => Ok(()),
                (_, Types::BOOL) => Err(Undefined::Unreachable),
                _ => Err(Undefined::IllFormed),
            },
            Statement::Retag(place) => self.retag_place(scope, frame, place),
        }
    }

    /// What an access needs, except that nothing changes by it; and where in the arena it is.
    #[inline]
    fn allows(&self, at: &Pointer, size: usize, write: bool) -> Check<usize> {
        let (index, allocation) = self.memory.locate_in(at, size)?;
        if write && allocation.constant {
            return Err(Undefined::Borrow);
        }
        if !self.protected.is_empty() {
            let span = Span::of(at, size);
            if self.protected.iter().any(|protected| protected.overlaps(&span)) {
                return Err(Undefined::Protected);
            }
        }
        if let Some(tree) = &allocation.tree {
            tree.allows(access(at, size, write))?;
        }
        Ok(index)
    }

    /// An access to some bytes; where in the arena they are.
    #[inline]
    fn access(&mut self, at: &Pointer, size: usize, write: bool) -> Check<usize> {
        let index = self.allows(at, size, write)?;
        if let Some(allocation) = self.memory.allocation_mut(at.slot)
            && let Some(tree) = &mut allocation.tree
        {
            Rc::make_mut(tree).apply(access(at, size, write));
        }
        Ok(index)
    }

    /// A new reference to some bytes that a pointer points to.
    fn retag(&mut self, at: &Pointer, size: usize, mutable: bool, guard: Guard) -> Check<Pointer> {
        self.access(at, size, false)?;
        let bounded = at.bounded(size);
        if size == 0 {
            return Ok(bounded);
        }
        let full = |allocation: &super::memory::Allocation| {
            allocation.tree.as_ref().is_some_and(|tree| tree.is_full())
        };
        if self.memory.target(at).is_ok_and(full) {
            self.memory.prune(at.slot, at.tag);
            if self.memory.target(at).is_ok_and(full) {
                return Err(Undefined::Endless);
            }
        }
        let allocation = self.memory.allocation_mut(at.slot).ok_or(Undefined::Dangling)?;
        let tree = allocation.tree.get_or_insert_with(|| Rc::new(Tree::new()));
        let tag = Rc::make_mut(tree).add(at.tag, bounded.lo, bounded.hi, mutable, guard);
        Ok(Pointer { tag, ..bounded })
    }
}

fn access(at: &Pointer, size: usize, write: bool) -> Access {
    Access { tag: at.tag, lo: at.offset, hi: at.offset + size as u32, write }
}

impl Frame {
    fn slot(&self, local: usize) -> Check<u32> {
        self.locals.get(local).copied().ok_or(Undefined::IllFormed)
    }
}
