//! Structs, unions and enums, as a program declares them.

use serde::{Deserialize, Serialize};

use super::number::Int;
use super::types::TypeId;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Adt {
    pub(crate) shape: Shape,
    pub(crate) repr: Repr,
    /// The function that is its destructor: it takes one `&mut` of the type and returns `()`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) destructor: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Shape {
    Struct(Vec<TypeId>),
    /// All fields begin at the same byte. Their bytes can be looked at, so they are solid types, and the
    /// union is `repr(C)`.
    Union(Vec<TypeId>),
    /// At least one variant.
    Enum(Vec<Variant>),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Variant {
    pub(crate) fields: Vec<TypeId>,
    /// `= N` after the variant; else one more than the previous one has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) discriminant: Option<i128>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Repr {
    /// Laid out as rustc likes.
    Rust,
    C,
    /// Structs of one field.
    Transparent,
    /// `repr(C, packed)`; structs.
    Packed,
    /// `repr(C, packed(N))`; structs.
    PackedTo(u64),
    /// `repr(packed(N))`, else laid out as rustc likes; structs.
    RustPacked(u64),
    /// `repr(C, align(N))`; structs.
    Align(u64),
    /// `repr(align(N))`, else laid out as rustc likes; structs and enums.
    RustAlign(u64),
    /// `repr(u8)` and so on; enums.
    Int(Int),
    /// `repr(C, u8)` and so on; enums.
    CInt(Int),
}

impl Repr {
    /// What no field is aligned to more than.
    pub(crate) fn packing(self) -> Option<u64> {
        match self {
            Self::Packed => Some(1),
            Self::PackedTo(most) | Self::RustPacked(most) => Some(most),
            _ => None,
        }
    }

    /// What the whole is aligned to at least.
    pub(crate) fn alignment(self) -> Option<u64> {
        match self {
            Self::Align(least) | Self::RustAlign(least) => Some(least),
            _ => None,
        }
    }

    /// The type of the tag of an enum, where that is written down.
    pub(crate) fn int(self) -> Option<Int> {
        match self {
            Self::Int(int) | Self::CInt(int) => Some(int),
            _ => None,
        }
    }

    /// Whether rustc lays it out as it likes.
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
