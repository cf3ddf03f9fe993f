//! The interpreter: the behaviour of a program, or that it is undefined. `run` executes a whole program. The generator
//! drives the same interpreter statement by statement. Bytes and aliasing rules are in `memory.rs` and `borrows.rs`.

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

use super::borrows::{Access, Protector, Tree};
use super::memory::{Memory, Pointer};
use super::program::{Program, Statement};
use super::types::{Kind, TypeId, Types};
use place::{Source, Spot};

pub(crate) use execute::{run, run_logged};
pub(crate) use observe::observe;

/// The result of a step, if it is defined.
pub(crate) type Check<T = ()> = Result<T, Undefined>;

/// Why a program has no known behaviour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undefined {
    /// Access to memory that was freed or never allocated.
    Dangling,
    OutOfBounds,
    Misaligned,
    Uninitialised,
    /// The result would depend on the address of an allocation, or an integer would gain provenance.
    Address,
    /// The result would depend on the bits of a NaN.
    Nondeterministic,
    /// The result would depend on a layout that rustc chooses.
    Layout,
    /// The bits are not a valid value of the type.
    InvalidValue,
    Arithmetic,
    /// The source and the destination of a copy or move overlap.
    Overlap,
    /// The callee accessed the return destination, or a place that was moved into the call.
    Protected,
    /// The aliasing model forbids the access: the tag of the pointer has lost its permission.
    Borrow,
    /// A false `Assume`, or an `Unreachable` terminator.
    Unreachable,
    /// A panic that must not unwind further.
    Panic,
    /// A function pointer was called with a signature that differs from the function's.
    Signature,
    /// A limit of the interpreter was exceeded: steps, call depth, memory.
    Limit,
    /// The program is not well-formed.
    IllFormed,
}

/// The output of one `Record`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// The location of the `Record`.
    pub(crate) function: usize,
    pub(crate) block: usize,
    pub(crate) words: [u64; super::program::RECORDED],
}

/// The output of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Output {
    pub(crate) hash: u64,
    pub(crate) steps: u64,
    /// Only of a logged run.
    pub(crate) entries: Vec<Entry>,
}

/// The types that a statement uses. In a generic function the types of the locals are those of the instance.
#[derive(Clone, Copy)]
pub(crate) struct Scope<'a> {
    pub(crate) types: &'a Types,
    pub(crate) locals: &'a [TypeId],
}

/// The value of a place, as [`Interpreter::look`] sees it without changing the interpreter's state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Seen {
    /// The bits of a scalar, the index of an enum's active variant, or the address of a pointer without provenance.
    Bits(u128),
    Nan,
    /// An initialised pointer, reference, box or function pointer, or an integer that was cast from a pointer.
    Pointer,
    /// Any other valid value.
    Whole,
}

/// The location of a terminator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At {
    pub(crate) function: usize,
    pub(crate) block: usize,
}

/// The state of the interpreter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interpreter {
    pub(crate) fuel: u64,
    pub(crate) hash: u64,
    memory: Memory,
    /// The slots of the statics.
    statics: Vec<u32>,
    /// The return destinations of the active calls, and the places that were moved into them. Their callees must not
    /// access these bytes.
    protected: Vec<Span>,
    depth: usize,
    /// The nesting depth of the boxes that are being dropped.
    boxes: usize,
    unwinding: bool,
    /// An error in a function that cannot return one. The next step returns it.
    deferred_error: Option<Undefined>,
    entries: Option<Vec<Entry>>,
    trace: Option<Box<observe::Trace>>,
    /// An empty buffer, kept to avoid allocations.
    sources: Vec<Source>,
}

/// The stack frame of an active call.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frame {
    /// The generic arguments. A caller that drives the frame statement by statement sets them.
    pub(crate) generics: Vec<TypeId>,
    /// The slots of the locals.
    locals: Vec<u32>,
    /// The references and boxes with a protector of this call.
    protectors: Vec<Pointer>,
    /// The length of [`Interpreter::protected`] before the call.
    protected: usize,
    /// The type of the return place.
    returns: TypeId,
    destination: Option<Destination>,
}

/// The return destination of a call.
#[derive(Clone, Copy, Debug)]
struct Destination {
    spot: Spot,
    /// A bit set: which of the enclosing enums are complete again after the call.
    complete: u8,
    /// Of `catch_unwind`: the destination gets whether there was a panic, instead of the return value.
    catches: bool,
    /// Whether references and boxes in the return value are retagged.
    retags: bool,
}

/// A range of bytes of an allocation.
#[derive(Clone, Copy, Debug)]
struct Span {
    slot: u32,
    serial: u32,
    lo: u32,
    hi: u32,
}

/// The maximum call depth.
const MAX_DEPTH: usize = 64;
/// The maximum size of the memory in bytes.
const MAX_MEMORY: usize = 1 << 26;

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

impl Interpreter {
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
                self.write_static(&program.types, start, item.of, &mut value);
            }
        }
    }

    /// Writes the initial scalars of a static, in order.
    fn write_static<'a>(
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
                    self.write_static(types, index + number * size, *element, value);
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
                    self.write_static(types, index + offset, *field, value);
                }
            }
        }
    }

    /// Appends a local to a frame. If it is not `stored`, it is dead until `StorageLive`.
    pub(crate) fn add_local(&mut self, types: &Types, frame: &mut Frame, of: TypeId, stored: bool) {
        let layout = types.layout(of);
        let slot = self.memory.allocate(layout.size, layout.align);
        frame.locals.push(slot);
        if !stored && let Err(undefined) = self.memory.kill(slot) {
            self.deferred_error = Some(undefined);
        }
    }

    /// Appends the return place and the parameters. They may share addresses with places of the caller.
    fn add_signature(&mut self, types: &Types, frame: &mut Frame, signature: &[TypeId]) {
        for of in signature {
            self.add_local(types, frame, *of, true);
        }
        for slot in &frame.locals {
            self.memory.set_ambiguous_address(*slot);
        }
    }

    fn consume_fuel(&mut self) -> Check {
        if let Some(undefined) = self.deferred_error {
            return Err(undefined);
        }
        self.memory.collect_if_due();
        self.fuel = self.fuel.checked_sub(1).ok_or(Undefined::Limit)?;
        Ok(())
    }

    /// Executes a statement. If it is undefined, nothing changes, except permissions that its reads have reduced.
    pub(crate) fn statement(
        &mut self,
        scope: Scope<'_>,
        frame: &mut Frame,
        statement: &Statement,
    ) -> Check {
        self.consume_fuel()?;
        match statement {
            Statement::Assign(place, rvalue) => self.assign(scope, frame, place, rvalue),
            Statement::StorageLive(local) => self.memory.revive(frame.slot(*local)?),
            Statement::StorageDead(local) => self.memory.kill(frame.slot(*local)?),
            Statement::SetDiscriminant(place, variant) => {
                self.set_discriminant(scope, frame, place, *variant)
            }
            Statement::Assume(operand) => match self.take_operand(scope, frame, operand)? {
                (value::Value::Bits(1), Types::BOOL) => Ok(()),
                (_, Types::BOOL) => Err(Undefined::Unreachable),
                _ => Err(Undefined::IllFormed),
            },
            Statement::Retag(place) => self.retag_place(scope, frame, place),
        }
    }

    /// Checks an access without performing it. Returns the index in the arena.
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

    /// Checks an access and updates the permissions. Returns the index in the arena.
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

    /// Derives a new reference to `size` bytes from a pointer.
    fn retag(
        &mut self,
        at: &Pointer,
        size: usize,
        mutable: bool,
        protector: Protector,
    ) -> Check<Pointer> {
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
                return Err(Undefined::Limit);
            }
        }
        let allocation = self.memory.allocation_mut(at.slot).ok_or(Undefined::Dangling)?;
        let tree = allocation.tree.get_or_insert_with(|| Rc::new(Tree::new()));
        let tag = Rc::make_mut(tree).add(at.tag, bounded.lo, bounded.hi, mutable, protector);
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
