//! Types, in a table of the template and referred to by number. Two numbers may stand for the same type.

use serde::{Deserialize, Serialize};

use super::{FunctionId, VariableId};

/// The number of a type within the template.
pub type TypeId = u16;

/// A type of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Type {
    Uint(u16),
    Int(u16),
    FixedBytes(u8),
    Bool,
    Address,
    Enum(u8),
    /// A user-defined value type.
    Wrapper(u8),
    /// A fixed-point number: one of [`FIXED_POINTS`]. No code is generated for them.
    Fixed(u8),
    Contract(u8),
    Bytes,
    String,
    Array(TypeId, Length),
    Struct(u8),
    Mapping(TypeId, TypeId),
    /// The type of a function, as an internal pointer or an external one. Only local variables have it.
    Function(FunctionId, bool),
    /// A value type that a solution decides.
    Variable(VariableId),
}

/// The length of an array type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Length {
    Dynamic,
    Fixed(u16),
    Variable(VariableId),
}

pub const UINT256: TypeId = 0;
pub const BOOL: TypeId = 1;
pub const BYTES: TypeId = 2;
pub const STRING: TypeId = 3;
pub const BYTES32: TypeId = 4;
pub const ADDRESS: TypeId = 5;

/// The names of fixed-point types.
pub const FIXED_POINTS: [&str; 4] = ["fixed128x18", "ufixed128x18", "fixed64x7", "ufixed16x1"];

/// The types at the start of every table.
pub fn base_types() -> Vec<Type> {
    vec![
        Type::Uint(256),
        Type::Bool,
        Type::Bytes,
        Type::String,
        Type::FixedBytes(32),
        Type::Address,
    ]
}

impl Type {
    pub fn is_value(self) -> bool {
        !self.is_reference()
    }

    /// Whether declarations of it have a data location.
    pub fn is_reference(self) -> bool {
        matches!(
            self,
            Self::Bytes | Self::String | Self::Array(..) | Self::Struct(_) | Self::Mapping(..)
        )
    }

    pub fn is_bytes_like(self) -> bool {
        matches!(self, Self::Bytes | Self::String)
    }

    pub fn is_integer(self) -> bool {
        matches!(self, Self::Uint(_) | Self::Int(_))
    }
}
