//! The model of a module of LLVM IR. It covers what the oracles and the mutations work on; what they do
//! not need (linkage, sections, debug info, most attributes) is kept as text, so that a function prints
//! back as it was read. A function that the parser cannot read keeps its whole text ([`Body::Opaque`]).
//!
//! Operands are uniform: each has its type and is either a local value or a constant, and every
//! instruction keeps its operands in one list, so that renaming, substitution, crossovers and reduction
//! need no case per instruction. What is no value (blocks, predicates, masks, types) is in [`Op`].

mod attribute;
mod constant;
mod flags;
mod float;
mod function;
mod instruction;
mod module;
mod names;
mod op;
mod result;
mod types;

pub use attribute::{Attribute, Attributes};
pub use constant::{Constant, ConstantExpression};
pub use flags::Flags;
pub use function::{Block, BlockId, Body, Code, Function, Header, Local, LocalId, Parameter};
pub use instruction::{Attachment, Instruction, Operand, Value};
pub use module::{Alias, Declaration, Global, Module, NamedType};
pub use op::{
    BinaryOp, Call, CastOp, Clause, FloatBinaryOp, FloatPredicate, Memory, Op, Predicate,
};
pub use result::{Definitions, field};
pub use types::{FloatKind, Type};
