//! Constants. Their type is that of the operand, element or field that they stand in, so that only the
//! operands of constant expressions carry one.

use std::sync::Arc;

use super::{Flags, Operand, Type};

/// A constant without its type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Constant {
    /// An integer of at most 128 bits, zero-extended. Wider ones are [`Constant::Text`].
    Int(u128),
    /// The bits of a floating-point number, in the format of its type, zero-extended.
    Float(u128),
    Null,
    Undef,
    Poison,
    /// `zeroinitializer`
    Zero,
    /// The token `none`.
    None,
    /// A vector, element by element.
    Vector(Arc<[Constant]>),
    /// All lanes alike: `splat (i32 7)`, and the only way to write most scalable vectors.
    Splat(Arc<Constant>),
    Array(Arc<[Constant]>),
    Struct(Arc<[Constant]>),
    /// `c"…"`
    Bytes(Arc<[u8]>),
    /// A global variable, function or alias, without its `@`.
    Global(Arc<str>),
    Expression(Arc<ConstantExpression>),
    /// Anything else (`blockaddress`, `dso_local_equivalent`, integers above 128 bits, …), as written.
    Text(Arc<str>),
}

/// An instruction over constants: `getelementptr`, a cast, or an operator that this version still has.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConstantExpression {
    /// The keyword, with a predicate for comparisons: `ptrtoint`, `icmp eq`.
    pub op: Arc<str>,
    pub flags: Flags,
    /// What stands between the flags and the operands: `inrange(-8, 16)`.
    pub modifier: Arc<str>,
    /// The source element type of `getelementptr`.
    pub element: Option<Type>,
    /// All of them constants.
    pub operands: Vec<Operand>,
}

impl Constant {
    pub fn int(value: u128, width: u32) -> Self {
        Self::Int(if width < 128 { value & ((1 << width) - 1) } else { value })
    }

    /// The value of an integer.
    pub fn as_int(&self) -> Option<u128> {
        match self {
            Self::Int(value) => Some(*value),
            _ => None,
        }
    }

    pub const TRUE: Self = Self::Int(1);
    pub const FALSE: Self = Self::Int(0);

    /// The constant of each lane of a vector with so many lanes; of a scalar, itself.
    pub fn lane(&self, lane: usize) -> Option<&Self> {
        match self {
            Self::Vector(lanes) => lanes.get(lane),
            Self::Splat(constant) => Some(constant),
            Self::Expression(_) | Self::Text(_) => None,
            _ => Some(self),
        }
    }
}
