//! Instructions and their operands.

use std::sync::Arc;

use super::{Constant, Flags, LocalId, Op, Type};

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// The local that it defines, unless its type is void.
    pub result: Option<LocalId>,
    pub op: Op,
    pub flags: Flags,
    /// The values that it reads, in an order that [`Op`] documents.
    pub operands: Vec<Operand>,
    pub metadata: Vec<Attachment>,
}

/// A value with its type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Operand {
    pub ty: Type,
    pub value: Value,
}

/// The value of an operand.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    Local(LocalId),
    Constant(Constant),
    /// A metadata operand of a call, as written.
    Metadata(Arc<str>),
}

/// `!range !{i8 0, i8 2}`: the name without `!`, and the node as text. Small acyclic nodes are written in
/// place; others are references (`!7`) to [`super::Module::nodes`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attachment {
    pub name: Arc<str>,
    pub node: Arc<str>,
}

impl Operand {
    pub fn local(ty: Type, local: LocalId) -> Self {
        Self { ty, value: Value::Local(local) }
    }

    pub fn constant(ty: Type, constant: Constant) -> Self {
        Self { ty, value: Value::Constant(constant) }
    }

    pub fn int(width: u32, value: u128) -> Self {
        Self::constant(Type::Int(width), Constant::int(value, width))
    }

    pub fn as_local(&self) -> Option<LocalId> {
        match self.value {
            Value::Local(local) => Some(local),
            Value::Constant(_) | Value::Metadata(_) => None,
        }
    }

    pub fn as_constant(&self) -> Option<&Constant> {
        match &self.value {
            Value::Constant(constant) => Some(constant),
            Value::Local(_) | Value::Metadata(_) => None,
        }
    }
}

impl Instruction {
    /// An instruction without flags and metadata.
    pub fn new(result: Option<LocalId>, op: Op, operands: Vec<Operand>) -> Self {
        Self { result, op, flags: Flags::NONE, operands, metadata: vec![] }
    }

    #[must_use]
    pub fn with(mut self, flags: Flags) -> Self {
        self.flags |= flags;
        self
    }

    pub fn is_phi(&self) -> bool {
        matches!(self.op, Op::Phi(_))
    }

    pub fn attachment(&self, name: &str) -> Option<&str> {
        self.metadata.iter().find(|it| &*it.name == name).map(|it| &*it.node)
    }

    /// The name of the function that it calls directly.
    pub fn callee(&self) -> Option<&str> {
        let (Op::Call(_) | Op::Invoke { .. }) = &self.op else { return None };
        match self.operands.last()?.as_constant()? {
            Constant::Global(name) => Some(name),
            _ => None,
        }
    }
}
