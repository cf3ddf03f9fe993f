//! A function prepared for many runs: types resolved to shapes, names to numbers, attributes to checks.
//! `lower` makes it, [`super::Interpreter`] runs it.

use std::sync::Arc;

use super::lane::{Kind, LaneOp};
use super::memory::{Byte, Memory};
use super::shape::{Layout, Shape};
use super::stop::{Reason, Stop};
use super::value::Value;
use super::vector::VectorOp;
use crate::ir::Flags;
use crate::semantics::{Intrinsic, Reduction};

/// A module, prepared for runs.
#[derive(Debug)]
pub struct Program {
    pub(crate) layout: Layout,
    /// The function under test comes first, then those that it may call.
    pub(crate) functions: Vec<Lowered>,
    /// Globals and functions that are mentioned, initialised.
    pub(crate) memory: Memory,
    /// Functions that are mentioned and have a body.
    pub(crate) defined: Vec<Arc<str>>,
    /// Callees that are named, and whether they have a body.
    pub(crate) called: Vec<(Arc<str>, bool)>,
    /// Why it cannot be run at all.
    pub(crate) unsupported: Option<Reason>,
}

#[derive(Debug, Default)]
pub(crate) struct Lowered {
    pub parameters: Vec<(Shape, Guard)>,
    pub returns: Option<(Shape, Guard)>,
    /// Constant expressions, computed on entry.
    pub prologue: Vec<Step>,
    pub blocks: Vec<LoweredBlock>,
    pub registers: usize,
    pub never_returns: bool,
    /// Promises of the function that are not checked.
    pub narrowed: Option<&'static str>,
    /// Whether subnormal numbers may be taken for zeros.
    pub flushes: bool,
}

#[derive(Debug, Default)]
pub(crate) struct LoweredBlock {
    pub phis: Vec<Phi>,
    pub steps: Vec<Step>,
}

#[derive(Debug)]
pub(crate) struct Phi {
    pub result: u32,
    pub incoming: Vec<(u32, Source)>,
}

#[derive(Debug)]
pub(crate) struct Step {
    /// The register, or [`Step::NOTHING`].
    pub result: u32,
    pub operands: Vec<Source>,
    pub action: Action,
}

impl Step {
    pub(crate) const NOTHING: u32 = u32::MAX;
}

#[derive(Clone, Debug)]
pub(crate) enum Source {
    Register(u32),
    Constant(Value),
}

/// What attributes and metadata promise about a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Guard {
    pub noundef: bool,
    pub nonnull: bool,
    pub align: Option<u64>,
    pub dereferenceable: Option<u64>,
    pub dereferenceable_or_null: Option<u64>,
    /// Pairs of first and one past the last.
    pub ranges: Vec<(u128, u128)>,
    /// Classes of floats that are poison.
    pub classes: u32,
    pub is_noalias: bool,
    /// Whether a callee may compare or keep the address.
    pub is_captured: bool,
    /// Unknown callees do not reach what it points to unless they get the pointer.
    pub is_hidden: bool,
    /// Nobody looks at what it points to after the function.
    pub is_dead_after: bool,
    /// `byval`: the callee gets a copy of so many bytes.
    pub copied: Option<u64>,
    /// `readonly`, `writeonly`, `readnone`, which only some accesses obey.
    pub is_restricted: bool,
    pub reads: bool,
    pub writes: bool,
    pub unsupported: Option<&'static str>,
    pub narrowed: Option<&'static str>,
}

#[derive(Debug)]
pub(crate) enum Action {
    /// Lane by lane, in so many lanes, or once for scalars.
    Lanes(LaneOp, Option<u32>),
    WithOverflow(Intrinsic, u32, Option<u32>),
    /// One condition for a whole vector or aggregate.
    SelectWhole,
    Freeze(Shape),
    CastSpace,
    Move,
    BitCast(Shape, Shape),
    Offset(Box<Offset>),
    ExtractElement(u32),
    InsertElement(u32),
    Shuffle(Arc<[Option<u32>]>, u32),
    ExtractValue(Arc<[u32]>),
    InsertValue(Arc<[u32]>),
    Load(Box<Access>),
    Store(Box<Access>),
    /// The width of the number of elements, if one is given. With lifetime markers it starts dead.
    Alloca {
        size: u64,
        align: u64,
        count: Option<u32>,
        starts_dead: bool,
    },
    ReadModifyWrite(Box<Access>, Rmw),
    CompareExchange(Box<Access>),
    Copy {
        may_overlap: bool,
        aligns: (u64, u64),
        volatile: bool,
    },
    Fill {
        align: u64,
        volatile: bool,
    },
    Lifetime {
        starts: bool,
    },
    Assume(Vec<(Promise, usize)>),
    Reduce(Reduction, u32, u32),
    Vector(VectorOp),
    Call(Box<CallStep>),
    /// Continue at the block after the call.
    Invoke(Box<CallStep>, u32),
    Return,
    Branch(u32),
    CondBranch(u32, u32),
    Switch {
        width: u32,
        default: u32,
        cases: Vec<(u128, u32)>,
    },
    Unreachable,
    Trap,
    Nothing,
    Narrow(&'static str),
    Unsupported(Reason),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rmw {
    Exchange,
    Binary(crate::ir::BinaryOp),
    Nand,
    Extreme(Intrinsic),
}

/// What the bundles of `llvm.assume` promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Promise {
    Align,
    NonNull,
    NoUndef,
    Dereferenceable,
    Other,
}

#[derive(Debug)]
pub(crate) struct Access {
    pub shape: Shape,
    pub align: u64,
    pub volatile: bool,
    pub guard: Guard,
}

/// `getelementptr`: the base, then terms that are added one after the other.
#[derive(Debug)]
pub(crate) struct Offset {
    pub flags: Flags,
    pub terms: Vec<Term>,
    pub lanes: Option<u32>,
}

#[derive(Debug)]
pub(crate) enum Term {
    /// A field.
    Fixed(u64),
    /// Index operand with its width, times a size.
    Scaled { operand: usize, width: u32, size: u64 },
}

#[derive(Debug)]
pub(crate) struct CallStep {
    pub callee: Callee,
    /// Why optimisers know more about the callee than the interpreter does.
    pub opaque: Option<Arc<str>>,
    pub arguments: Vec<(Shape, Guard)>,
    /// What the callee itself promises about its parameters: what it does must not depend on the call.
    pub parameters: Vec<Guard>,
    pub returns: (Shape, Guard),
    /// What the callee itself promises about its result: its answers must not depend on the call.
    pub promised: Guard,
    /// Blocks of the functions that a call through a pointer may call, if `!callees` names them.
    pub callees: Option<Vec<u32>>,
    /// The argument that is returned.
    pub returned: Option<usize>,
    pub effects: Effects,
    pub never_returns: bool,
    pub is_tail: bool,
}

#[derive(Debug)]
pub(crate) enum Callee {
    /// An index in [`Program::functions`].
    Defined(usize),
    Unknown(Arc<str>),
    /// The last argument is the address.
    Pointer,
}

/// What an unknown callee may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Effects {
    pub reads_arguments: bool,
    pub writes_arguments: bool,
    pub reads_others: bool,
    pub writes_others: bool,
    /// Whether removing, repeating or reordering it can be observed.
    pub is_event: bool,
}

impl Shape {
    /// What a lane of it is.
    pub(crate) fn kind(&self, layout: &Layout) -> Kind {
        match self.lane() {
            Self::Pointer => Kind::Pointer,
            lane => Kind::Bits(lane.lane_bits(layout).max(1)),
        }
    }
}

impl Program {
    /// Attributes that one version of a function has must not change what unknown callees do in the other.
    pub(crate) fn hide_as(&mut self, other: &mut Self) {
        let (Some(one), Some(other)) = (self.functions.first_mut(), other.functions.first_mut())
        else {
            return;
        };
        for ((_, a), (_, b)) in one.parameters.iter_mut().zip(&mut other.parameters) {
            let is_hidden = a.is_hidden || b.is_hidden;
            (a.is_hidden, b.is_hidden) = (is_hidden, is_hidden);
        }
    }

    /// Whether globals that both mention start with the same bytes: constructors may have been run.
    pub(crate) fn starts_as(&self, other: &Self) -> bool {
        self.memory.blocks.iter().all(|block| {
            let same = other.memory.blocks.iter().find(|it| it.key == block.key);
            same.is_none_or(|it| {
                it.bytes.len() == block.bytes.len() && {
                    let mut pairs = it.bytes.iter().zip(block.bytes.iter());
                    pairs.all(|pair| match pair {
                        (Byte::Fragment(..), Byte::Fragment(..)) => true,
                        (a, b) => a == b,
                    })
                }
            })
        })
    }

    /// Whether no callee has a body in one program, and is unknown in the other.
    pub(crate) fn has_callees_of(&self, other: &Self) -> bool {
        let clash = |one: &Self, other: &Self| {
            one.called.iter().any(|(name, is_defined)| {
                *is_defined && other.called.iter().any(|(it, known)| it == name && !known)
            })
        };
        !clash(self, other) && !clash(other, self)
    }

    /// Why no run can say anything, if that is known beforehand.
    pub fn unsupported(&self) -> Option<Stop> {
        self.unsupported.clone().map(Stop::Unsupported)
    }
}
