//! Structs, unions and enums, as a program declares them.

use serde::{Deserialize, Serialize};

use super::number::Int;
use super::types::TypeId;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Adt {
    pub(crate) shape: Shape,
    pub(crate) repr: Repr,
    /// Its destructor: a function that takes a `&mut` of the type and returns `()`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) destructor: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Shape {
    Struct(Vec<TypeId>),
    /// All fields alias, at offset 0. A program can read the bytes of one field through another, so all fields are
    /// readable types and the union is `repr(C)`.
    Union(Vec<TypeId>),
    /// At least one variant.
    Enum(Vec<Variant>),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Variant {
    pub(crate) fields: Vec<TypeId>,
    /// `= N` after the variant. Otherwise one more than the discriminant of the previous variant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) discriminant: Option<i128>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Repr {
    /// rustc chooses the layout.
    Rust,
    C,
    /// Structs with one field.
    Transparent,
    /// `repr(C, packed)`; structs.
    Packed,
    /// `repr(C, packed(N))`; structs.
    PackedTo(u64),
    /// `repr(packed(N))`, where rustc chooses the layout; structs.
    RustPacked(u64),
    /// `repr(C, align(N))`; structs.
    Align(u64),
    /// `repr(align(N))`, where rustc chooses the layout; structs and enums.
    RustAlign(u64),
    /// `repr(u8)` and so on; enums.
    Int(Int),
    /// `repr(C, u8)` and so on; enums.
    CInt(Int),
}

impl Repr {
    /// The maximum alignment of a field.
    pub(crate) fn packing(self) -> Option<u64> {
        match self {
            Self::Packed => Some(1),
            Self::PackedTo(most) | Self::RustPacked(most) => Some(most),
            _ => None,
        }
    }

    /// The minimum alignment of the type.
    pub(crate) fn alignment(self) -> Option<u64> {
        match self {
            Self::Align(least) | Self::RustAlign(least) => Some(least),
            _ => None,
        }
    }

    /// The tag type of an enum, if the `repr` names one.
    pub(crate) fn int(self) -> Option<Int> {
        match self {
            Self::Int(int) | Self::CInt(int) => Some(int),
            _ => None,
        }
    }

    /// Whether rustc chooses the layout.
    pub(crate) fn is_free(self) -> bool {
        matches!(self, Self::Rust | Self::RustPacked(_) | Self::RustAlign(_))
    }
}

impl Adt {
    /// All fields, of all variants.
    pub(crate) fn parts(&self) -> impl Iterator<Item = TypeId> + '_ {
        let (fields, variants): (&[TypeId], &[Variant]) = match &self.shape {
            Shape::Struct(fields) | Shape::Union(fields) => (fields, &[]),
            Shape::Enum(variants) => (&[], variants),
        };
        fields.iter().chain(variants.iter().flat_map(|variant| &variant.fields)).copied()
    }
}
