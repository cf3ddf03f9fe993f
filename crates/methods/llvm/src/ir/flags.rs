//! The flags of instructions, as a set of bits: those that make results poison, and fast-math flags.

use std::ops::{BitOr, BitOrAssign};

/// The flags of an instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(u32);

impl Flags {
    pub const NONE: Self = Self(0);
    pub const NUW: Self = Self(1);
    pub const NSW: Self = Self(1 << 1);
    pub const EXACT: Self = Self(1 << 2);
    pub const DISJOINT: Self = Self(1 << 3);
    pub const NNEG: Self = Self(1 << 4);
    pub const SAMESIGN: Self = Self(1 << 5);
    pub const INBOUNDS: Self = Self(1 << 6);
    pub const NUSW: Self = Self(1 << 7);
    pub const REASSOC: Self = Self(1 << 8);
    pub const NNAN: Self = Self(1 << 9);
    pub const NINF: Self = Self(1 << 10);
    pub const NSZ: Self = Self(1 << 11);
    pub const ARCP: Self = Self(1 << 12);
    pub const CONTRACT: Self = Self(1 << 13);
    pub const AFN: Self = Self(1 << 14);
    /// All fast-math flags, printed as `fast`.
    pub const FAST: Self = Self(0x7f << 8);

    /// Every single flag with its keyword, in the order in which LLVM prints them.
    pub const WORDS: [(Self, &'static str); 15] = [
        (Self::REASSOC, "reassoc"),
        (Self::NNAN, "nnan"),
        (Self::NINF, "ninf"),
        (Self::NSZ, "nsz"),
        (Self::ARCP, "arcp"),
        (Self::CONTRACT, "contract"),
        (Self::AFN, "afn"),
        (Self::INBOUNDS, "inbounds"),
        (Self::NUSW, "nusw"),
        (Self::NUW, "nuw"),
        (Self::NSW, "nsw"),
        (Self::EXACT, "exact"),
        (Self::DISJOINT, "disjoint"),
        (Self::NNEG, "nneg"),
        (Self::SAMESIGN, "samesign"),
    ];

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    #[must_use]
    pub fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The single flags that are set.
    pub fn iter(self) -> impl Iterator<Item = Self> {
        Self::WORDS.iter().map(|(flag, _)| *flag).filter(move |flag| self.has(*flag))
    }
}

impl BitOr for Flags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Flags {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}
