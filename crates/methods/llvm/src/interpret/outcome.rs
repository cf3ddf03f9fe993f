//! What goes into a run and what comes out of it.

use std::sync::Arc;

use super::memory::{BlockKey, Byte, Bytes, Memory};
use super::stop::Reason;
use super::value::Value;

/// Arguments and the memory that they point to. A pointer argument names a block of the input by its
/// index, and its address is an offset.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    pub arguments: Vec<Value>,
    pub blocks: Vec<InputBlock>,
    /// What unknown callees do: the same number, the same answers.
    pub answers: u64,
}

/// Memory that an argument points to.
#[derive(Clone, Debug, PartialEq)]
pub struct InputBlock {
    pub bytes: Bytes,
    pub align: u64,
}

impl Input {
    pub fn has_undef(&self) -> bool {
        let bytes = self.blocks.iter().flat_map(|block| block.bytes.iter());
        let is_undef = |value: &Value| value.any(&|lane| *lane == super::Lane::Undef);
        self.arguments.iter().any(is_undef)
            || bytes.into_iter().any(|byte| *byte == Byte::Uninitialised)
    }
}

/// A call of an unknown function, or a volatile access.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    pub name: Arc<str>,
    pub arguments: Vec<Value>,
    /// Which of them are addresses that the callee cannot look at, only through.
    pub uncaptured: u64,
    /// The memory that the callee can read.
    pub memory: Vec<(BlockKey, Bytes)>,
}

/// The result of a run, and what limits its use.
#[derive(Clone, Debug, PartialEq)]
pub struct Run {
    pub outcome: Outcome,
    /// Why the function may do more on this input than its runs show, if it may.
    pub narrowed: Option<&'static str>,
    /// A callee that optimisers know more about than the interpreter, if one was called.
    pub opaque: Option<Arc<str>>,
    /// Whether an operation returned a NaN, whose bits are arbitrary.
    pub made_nan: bool,
    /// Whether an integer was loaded of which only some bytes are poison.
    pub mixed_poison: bool,
    /// Whether lanes of which only some are poison were cast to one integer.
    pub cast_mixed_poison: bool,
    pub has_loaded: bool,
    /// Whether an unknown callee was called, which answers by the input.
    pub has_asked: bool,
    /// How many it took.
    pub steps: u32,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Returned {
        value: Option<Value>,
        memory: Memory,
        events: Vec<Event>,
    },
    /// It ends in a trap or in a callee that does not return.
    Ends {
        reason: Reason,
        memory: Memory,
        events: Vec<Event>,
    },
    Undefined(Reason),
    Unsupported(Reason),
    OutOfSteps,
}
