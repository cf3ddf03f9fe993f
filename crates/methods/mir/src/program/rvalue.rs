//! Rvalues: the right-hand sides of assignments, and the operators that they use.

use serde::{Deserialize, Serialize};

use super::place::{Operand, Place};
use crate::types::TypeId;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Rvalue {
    Use(Operand),
    Not(Operand),
    Negate(Operand),
    Binary(Operator, Operand, Operand),
    /// `+`, `-` or `*`: a pair of the wrapped result and whether it overflowed.
    Checked(Operator, Operand, Operand),
    /// `as`: between integers and floats, from `bool` and `char` to integers, from `u8` to `char`, between raw
    /// pointers, and between thin raw pointers and `usize`. Never to the same type.
    Cast(Operand, TypeId),
    /// Between types of equal size that have a fixed layout, or that differ only by `ManuallyDrop`.
    Transmute(Operand, TypeId),
    /// Between thin raw pointers.
    PointerCast(Operand, TypeId),
    /// Unsizing coercion. Of a reference or raw pointer: from an array to a slice. Of a reference, raw pointer or box:
    /// from a type that implements a trait to the trait object.
    Unsize(Operand, TypeId),
    /// The length of the slice that a wide raw pointer points to.
    Length(Operand),
    /// Pointer arithmetic: a raw pointer, and by how many elements it is moved (`usize` or `isize`). The result must be
    /// in bounds.
    Offset(Operand, Operand),
    /// A tuple, array, struct, enum or union. The number is the variant of an enum, the initialised field of a union,
    /// and 0 for all others.
    Aggregate(TypeId, usize, Vec<Operand>),
    Repeat(Operand, u64),
    /// `[operand; N]` for a const parameter `N`: [`Kind::Constant`].
    RepeatOf(Operand, TypeId),
    /// `&raw mut` or `&raw const`.
    AddressOf(bool, Place),
    /// `&mut` or `&`.
    Reference(bool, Place),
    Discriminant(Place),
    /// `*mut T` to a mutable static, `&T` to an immutable one.
    Static(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Operator {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    BitAnd,
    BitOr,
    BitXor,
    Shl,
    Shr,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Operator {
    pub(crate) fn compares(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }

    pub(crate) fn shifts(self) -> bool {
        matches!(self, Self::Shl | Self::Shr)
    }

    pub(crate) fn symbol(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Rem => "%",
            Self::BitAnd => "&",
            Self::BitOr => "|",
            Self::BitXor => "^",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Eq => "==",
            Self::Ne => "!=",
            Self::Lt => "<",
            Self::Le => "<=",
            Self::Gt => ">",
            Self::Ge => ">=",
        }
    }
}

impl Rvalue {
    pub(crate) fn operands(&self) -> Vec<&Operand> {
        match self {
            Self::Use(one)
            | Self::Not(one)
            | Self::Negate(one)
            | Self::Cast(one, _)
            | Self::Transmute(one, _)
            | Self::PointerCast(one, _)
            | Self::Unsize(one, _)
            | Self::Length(one)
            | Self::Repeat(one, _)
            | Self::RepeatOf(one, _) => vec![one],
            Self::Binary(_, left, right)
            | Self::Checked(_, left, right)
            | Self::Offset(left, right) => vec![left, right],
            Self::Aggregate(_, _, parts) => parts.iter().collect(),
            Self::AddressOf(..) | Self::Reference(..) | Self::Discriminant(_) | Self::Static(_) => {
                vec![]
            }
        }
    }

    /// Whether it only copies its operands, unchanged or reinterpreted as another type.
    pub(crate) fn copies(&self) -> bool {
        matches!(
            self,
            Self::Use(_)
                | Self::Cast(..)
                | Self::Transmute(..)
                | Self::PointerCast(..)
                | Self::Unsize(..)
                | Self::Aggregate(..)
                | Self::Repeat(..)
                | Self::RepeatOf(..)
        )
    }

    /// The place that it uses without an operand.
    pub(crate) fn place(&self) -> Option<&Place> {
        match self {
            Self::AddressOf(_, place) | Self::Reference(_, place) | Self::Discriminant(place) => {
                Some(place)
            }
            _ => None,
        }
    }
}
