//! The program model: functions made of basic blocks and statements. Its parts are in `program/`, the types in
//! `types.rs`. Which models are well-formed is left to `validate/`, what they do to `interpret/`.

mod encoding;
mod place;
mod rvalue;
mod terminator;

use serde::{Deserialize, Serialize};

use self::encoding::{is_default, is_zero, numbers};
pub(crate) use self::place::{Constant, MAX_ADDRESS, Operand, Place, Projection};
pub(crate) use self::rvalue::{Operator, Rvalue};
pub(crate) use self::terminator::{Callee, RECORDED, Reason, Terminator, Unwind};
use crate::object::Trait;
use crate::types::{Kind, Shape, TypeId, Types};

/// A local of a function: 0 is the return place, then come the parameters, then all others.
pub(crate) type Local = usize;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Program {
    pub(crate) types: Types,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) statics: Vec<Static>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) traits: Vec<Trait>,
    /// The first is called by `main` with `arguments`, whose values are hidden from the optimiser. Its return value
    /// is ignored: the output of a program consists of its `Record`s.
    pub(crate) functions: Vec<Function>,
    pub(crate) arguments: Vec<Constant>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Static {
    pub(crate) mutable: bool,
    /// Contains scalars only: a scalar, or a tuple, array or struct of such types.
    pub(crate) of: TypeId,
    /// The initial values of its scalars, in order.
    #[serde(with = "numbers")]
    pub(crate) value: Vec<u128>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Function {
    /// The number of generic parameters: first the type parameters, each bounded by `Copy`, then the const parameters.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) generics: usize,
    /// The types of the const parameters: integers of at most 64 bits, `bool` or `char`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) constants: Vec<TypeId>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) inlining: Inlining,
    pub(crate) locals: Vec<TypeId>,
    pub(crate) parameters: usize,
    /// The first is the entry.
    pub(crate) blocks: Vec<Block>,
    /// Debug info, for variables `v0`, `v1` and so on. It has no effect at run time, but passes must maintain it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) debug: Vec<Named>,
}

/// The value of a variable in the debug info.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Named {
    /// Without `Index` projections.
    Place(Place),
    Constant(Constant),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Inlining {
    #[default]
    Free,
    Never,
    Always,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Block {
    /// Runs only while a panic unwinds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) cleanup: bool,
    pub(crate) statements: Vec<Statement>,
    pub(crate) terminator: Terminator,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Statement {
    Assign(Place, Rvalue),
    StorageLive(Local),
    StorageDead(Local),
    /// An enum's place, and the index of the variant.
    SetDiscriminant(Place, usize),
    /// Undefined behaviour unless the operand is true.
    Assume(Operand),
    /// Of a reference. It is stripped for versions of rustc without `Retag`, which does not change the behaviour.
    Retag(Place),
}

impl Function {
    /// The number of type parameters.
    pub(crate) fn type_parameters(&self) -> usize {
        self.generics.saturating_sub(self.constants.len())
    }

    /// The type of a const parameter, by its index among all generic parameters.
    pub(crate) fn constant_parameter(&self, index: usize) -> Option<TypeId> {
        let number = index.checked_sub(self.type_parameters())?;
        self.constants.get(number).copied()
    }

    pub(crate) fn returns(&self) -> TypeId {
        self.locals[0]
    }

    pub(crate) fn parameter_types(&self) -> &[TypeId] {
        &self.locals[1..=self.parameters]
    }

    /// Statements and terminators.
    pub(crate) fn size(&self) -> usize {
        self.blocks.iter().map(|block| block.statements.len() + 1).sum()
    }
}

impl Program {
    /// Statements and terminators.
    pub(crate) fn size(&self) -> usize {
        self.functions.iter().map(Function::size).sum()
    }

    /// The types of the scalars that a type contains, in order. `None` if it contains anything that is not a scalar.
    pub(crate) fn scalars(types: &Types, of: TypeId) -> Option<Vec<TypeId>> {
        match types.kind(of) {
            _ if types.is_scalar(of) => Some(vec![of]),
            Kind::Tuple(parts) => {
                let parts = parts.iter().map(|part| Self::scalars(types, *part));
                parts.collect::<Option<Vec<_>>>().map(|parts| parts.concat())
            }
            Kind::Array(element, length) => {
                let element = Self::scalars(types, *element)?;
                Some(element.repeat(*length as usize))
            }
            Kind::Adt(index) => match &types.adts[*index].shape {
                Shape::Struct(parts) => {
                    let parts = parts.iter().map(|part| Self::scalars(types, *part));
                    parts.collect::<Option<Vec<_>>>().map(|parts| parts.concat())
                }
                _ => None,
            },
            _ => None,
        }
    }
}
