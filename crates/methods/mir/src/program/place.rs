//! Places and operands: where a statement writes, and what it reads. How values are computed from them is left to
//! `rvalue.rs`.

use serde::{Deserialize, Serialize};

use super::Local;
use super::encoding::number;
use crate::types::{Kind, TypeId, Types};

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) local: Local,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) projections: Vec<Projection>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Projection {
    /// Of a raw pointer or reference. Only as the first projection.
    Deref,
    /// Of a tuple, struct or union.
    Field(usize),
    /// An element of an array or slice. The index is in a local of type `usize`.
    Index(Local),
    /// Of an enum: a variant, and a field of it.
    Variant(usize, usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Operand {
    Copy(Place),
    Move(Place),
    Constant(Constant),
    /// A function pointer: the function, and the type of the pointer.
    Function(usize, TypeId),
    /// A const parameter of the function: [`Kind::Constant`].
    Parameter(TypeId),
}

/// The greatest address of a pointer without provenance.
pub(crate) const MAX_ADDRESS: u128 = 0x7fff_ffff;

/// The bits of a scalar, or `()`. As an operand also a thin raw pointer without provenance: its address, which is at
/// most [`MAX_ADDRESS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Constant {
    pub(crate) of: TypeId,
    #[serde(with = "number")]
    pub(crate) bits: u128,
}

impl Projection {
    /// The type of this projection of a value of type `of`. `None` if there is no such part.
    pub(crate) fn type_of(self, of: TypeId, types: &Types) -> Option<TypeId> {
        match self {
            Self::Deref => types.pointee(of),
            Self::Field(field) => types.fields(of).get(field).copied(),
            Self::Index(_) => match types.kind(of) {
                Kind::Array(element, _) | Kind::ArrayOf(element, _) | Kind::Slice(element) => {
                    Some(*element)
                }
                _ => None,
            },
            Self::Variant(variant, field) => {
                types.variants(of).get(variant)?.fields.get(field).copied()
            }
        }
    }
}

impl Place {
    pub(crate) fn local(local: Local) -> Self {
        Self { local, projections: vec![] }
    }

    pub(crate) fn deref(local: Local) -> Self {
        Self { local, projections: vec![Projection::Deref] }
    }

    pub(crate) fn then(&self, projection: Projection) -> Self {
        let mut place = self.clone();
        place.projections.push(projection);
        place
    }

    /// The type of the place. `None` if it does not exist.
    pub(crate) fn type_in(&self, locals: &[TypeId], types: &Types) -> Option<TypeId> {
        let first = *locals.get(self.local)?;
        self.projections.iter().try_fold(first, |of, projection| projection.type_of(of, types))
    }

    /// Whether another place is this one or a part of it. What a pointer in this place points to is not a part of it.
    pub(crate) fn contains(&self, part: &Self) -> bool {
        let rest = part.projections.strip_prefix(self.projections.as_slice());
        self.local == part.local && rest.is_some_and(|rest| !rest.contains(&Projection::Deref))
    }

    pub(crate) fn is_deref(&self) -> bool {
        self.projections.first() == Some(&Projection::Deref)
    }
}

impl Operand {
    pub(crate) fn place(&self) -> Option<&Place> {
        match self {
            Self::Copy(place) | Self::Move(place) => Some(place),
            Self::Constant(_) | Self::Function(..) | Self::Parameter(_) => None,
        }
    }

    pub(crate) fn type_in(&self, locals: &[TypeId], types: &Types) -> Option<TypeId> {
        match self {
            Self::Constant(constant) => Some(constant.of),
            Self::Function(_, of) => Some(*of),
            Self::Parameter(it) => match types.kind(*it) {
                Kind::Constant(_, of) => Some(*of),
                _ => None,
            },
            Self::Copy(place) | Self::Move(place) => place.type_in(locals, types),
        }
    }

    pub(crate) fn constant(of: TypeId, bits: u128) -> Self {
        Self::Constant(Constant { of, bits })
    }

    pub(crate) fn local(local: Local) -> Self {
        Self::Copy(Place::local(local))
    }
}
