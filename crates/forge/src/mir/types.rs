//! The types of the model, and how they are written.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Type {
    Bool,
    Char,
    Int(Int),
    Tuple(Vec<Type>),
    Array(Box<Type>, u64),
    /// A struct or union of the program.
    Adt(usize),
    /// `*mut T`, or `*const T`.
    Pointer(bool, Box<Type>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Int {
    pub(super) signed: bool,
    pub(super) width: Width,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Width {
    W8,
    W16,
    W32,
    W64,
    W128,
    Size,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Adt {
    pub(super) kind: Kind,
    pub(super) fields: Vec<Type>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Kind {
    Struct,
    /// All fields begin at the same byte. Their bytes are observable, so they have no padding.
    Union,
}

impl Int {
    pub(super) const USIZE: Self = Self { signed: false, width: Width::Size };
    pub(super) const U64: Self = Self { signed: false, width: Width::W64 };

    pub(super) fn all() -> impl Iterator<Item = Self> {
        use Width::{Size, W8, W16, W32, W64, W128};
        [W8, W16, W32, W64, W128, Size]
            .into_iter()
            .flat_map(|width| [false, true].map(|signed| Self { signed, width }))
    }

    pub(super) fn bits(self) -> u32 {
        match self.width {
            Width::W8 => 8,
            Width::W16 => 16,
            Width::W32 => 32,
            Width::W64 | Width::Size => 64,
            Width::W128 => 128,
        }
    }

    pub(super) fn name(self) -> String {
        let letter = if self.signed { 'i' } else { 'u' };
        match self.width {
            Width::Size => format!("{letter}size"),
            _ => format!("{letter}{}", self.bits()),
        }
    }
}

impl Type {
    /// Whether a value of it is one number.
    pub(super) fn is_scalar(&self) -> bool {
        matches!(self, Self::Bool | Self::Char | Self::Int(_))
    }

    pub(super) fn name(&self, adts: &[Adt]) -> String {
        match self {
            Self::Bool => "bool".to_owned(),
            Self::Char => "char".to_owned(),
            Self::Int(int) => int.name(),
            Self::Tuple(parts) => {
                let names: String = parts.iter().map(|part| part.name(adts) + ", ").collect();
                format!("({})", names.trim_end())
            }
            Self::Array(element, length) => format!("[{}; {length}]", element.name(adts)),
            Self::Adt(index) => adt_name(adts, *index),
            Self::Pointer(true, to) => format!("*mut {}", to.name(adts)),
            Self::Pointer(false, to) => format!("*const {}", to.name(adts)),
        }
    }

    /// The parts of an aggregate; of a union, the views of it.
    pub(super) fn fields<'a>(&'a self, adts: &'a [Adt]) -> &'a [Type] {
        match self {
            Self::Tuple(parts) => parts,
            Self::Adt(index) => &adts[*index].fields,
            _ => &[],
        }
    }

    pub(super) fn is_union(&self, adts: &[Adt]) -> bool {
        matches!(self, Self::Adt(index) if adts[*index].kind == Kind::Union)
    }
}

pub(super) fn adt_name(adts: &[Adt], index: usize) -> String {
    match adts[index].kind {
        Kind::Struct => format!("S{index}"),
        Kind::Union => format!("U{index}"),
    }
}
