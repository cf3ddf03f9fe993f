//! An interpreter of functions that knows undefined behaviour, poison and undef. A function is prepared
//! once ([`Program`]) and run on many inputs. Arbitrary values are drawn from [`Choices`], so that a
//! caller can enumerate what a function may do. Whatever has no model ends a run as unsupported: the
//! interpreter never guesses.
//!
//! A run can be *narrowed*: the function may do more on this input than its runs show, for example because
//! an attribute is not checked or a flag allows other results. A caller must not conclude that something
//! is impossible from such a run.

mod access;
mod arithmetic;
mod call;
mod check;
mod choices;
mod float;
mod interpreter;
mod lane;
mod lower;
mod memory;
mod outcome;
mod program;
mod settle;
mod shape;
mod spread;
mod step;
mod stop;
mod value;
mod vector;

#[cfg(test)]
mod tests;

pub use choices::Choices;
pub(crate) use float::class as float_class;
pub use interpreter::{Interpreter, Limits};
pub(crate) use lower::{effects, may_access};
pub use memory::{Block, BlockKey, Byte, Bytes, Memory};
pub use outcome::{Event, Input, InputBlock, Outcome, Run};
pub(crate) use program::Effects;
pub use program::Program;
pub(crate) use shape::{Layout, Shape};
pub use stop::{Reason, Stop};
pub use value::{Lane, Pointer, Recipe, Value};
