//! Integer and float types.

use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Int {
    pub(crate) signed: bool,
    pub(crate) width: Width,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Width {
    W8,
    W16,
    W32,
    W64,
    W128,
    Size,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) enum Float {
    F32,
    F64,
}

impl Int {
    pub(crate) const USIZE: Self = Self { signed: false, width: Width::Size };
    pub(crate) const ISIZE: Self = Self { signed: true, width: Width::Size };
    pub(crate) const U64: Self = Self { signed: false, width: Width::W64 };
    pub(crate) const U32: Self = Self { signed: false, width: Width::W32 };
    pub(crate) const U8: Self = Self { signed: false, width: Width::W8 };
    pub(crate) const I32: Self = Self { signed: true, width: Width::W32 };
    /// C's `int`, the tag type of a `repr(C)` enum.
    pub(crate) const C: Self = Self::I32;

    pub(crate) fn all() -> impl Iterator<Item = Self> {
        use Width::{Size, W8, W16, W32, W64, W128};
        [W8, W16, W32, W64, W128, Size]
            .into_iter()
            .flat_map(|width| [false, true].map(|signed| Self { signed, width }))
    }

    pub(crate) fn bits(self) -> u32 {
        match self.width {
            Width::W8 => 8,
            Width::W16 => 16,
            Width::W32 => 32,
            Width::W64 | Width::Size => 64,
            Width::W128 => 128,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match (self.signed, self.width) {
            (false, Width::W8) => "u8",
            (false, Width::W16) => "u16",
            (false, Width::W32) => "u32",
            (false, Width::W64) => "u64",
            (false, Width::W128) => "u128",
            (false, Width::Size) => "usize",
            (true, Width::W8) => "i8",
            (true, Width::W16) => "i16",
            (true, Width::W32) => "i32",
            (true, Width::W64) => "i64",
            (true, Width::W128) => "i128",
            (true, Width::Size) => "isize",
        }
    }
}

impl Float {
    pub(crate) fn bits(self) -> u32 {
        match self {
            Self::F32 => 32,
            Self::F64 => 64,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }
}
