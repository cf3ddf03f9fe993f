//! Values at run time: lanes, and vectors and aggregates of them.

use std::sync::Arc;

use super::lane::LaneOp;

/// A scalar, or an element of a vector.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Lane {
    Poison,
    /// Every use chooses a value.
    Undef,
    /// An integer, or the bits of a floating-point number, zero-extended.
    Bits(u128),
    Pointer(Pointer),
    /// Computed from undef: every use computes it again, with choices of its own.
    Varying(Arc<Recipe>),
}

/// An operation with operands some of which are undef or varying.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Recipe {
    pub(crate) op: LaneOp,
    pub(crate) operands: Vec<Lane>,
}

/// An address with provenance. Packed, so that a byte of memory, which may be a part of one, has 16 bytes and not 24.
#[repr(Rust, packed(4))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pointer {
    /// The index of the block in [`super::Memory`], or [`Pointer::NOWHERE`].
    pub block: u32,
    pub address: u64,
}

impl Pointer {
    /// No provenance: null, or an integer that was cast.
    pub const NOWHERE: u32 = u32::MAX;
    pub const NULL: Self = Self { block: Self::NOWHERE, address: 0 };

    /// Whatever its provenance.
    pub fn is_null(self) -> bool {
        self.address == 0
    }
}

/// A value at run time.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Lane(Lane),
    /// The elements of a vector, array or struct.
    Many(Box<[Value]>),
}

impl Value {
    pub const POISON: Self = Self::Lane(Lane::Poison);

    pub fn bits(value: u128) -> Self {
        Self::Lane(Lane::Bits(value))
    }

    /// The element of a vector; of a scalar, itself.
    pub(crate) fn lane(&self, index: usize) -> &Lane {
        match self {
            Self::Lane(lane) => lane,
            Self::Many(elements) => match elements.get(index) {
                Some(Self::Lane(lane)) => lane,
                _ => &Lane::Poison,
            },
        }
    }

    /// Every lane in it, in order.
    pub fn lanes(&self) -> Vec<&Lane> {
        match self {
            Self::Lane(lane) => vec![lane],
            Self::Many(elements) => elements.iter().flat_map(Self::lanes).collect(),
        }
    }

    pub(crate) fn any(&self, test: &impl Fn(&Lane) -> bool) -> bool {
        match self {
            Self::Lane(lane) => test(lane),
            Self::Many(elements) => elements.iter().any(|element| element.any(test)),
        }
    }
}

impl From<Lane> for Value {
    fn from(lane: Lane) -> Self {
        Self::Lane(lane)
    }
}
