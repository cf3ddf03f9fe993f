//! Symbolic values: what a local holds for all inputs at once.

use identity::kernel::Wire;

use super::wires::Wires;
use super::{Encoding, Unencodable};
use crate::ir::{FloatKind, Module, Type};
use crate::semantics::{self, Domain, Effect};

/// A scalar, or the elements of a vector or aggregate.
#[derive(Clone, Debug)]
pub(super) enum Symbol {
    Lane(Lane),
    Many(Vec<Symbol>),
}

#[derive(Clone, Debug)]
pub(super) struct Lane {
    /// Meaningless where it is poison or undef.
    pub(super) word: Vec<Wire>,
    pub(super) poison: Wire,
    /// Any value, and another one at each use.
    pub(super) undef: Wire,
}

/// The width of an address, the number of regions, and the width of a pointer: its address, then a wire for
/// each region that it may be into, at most one of which is set. No integer is that wide.
pub(super) const ADDRESS: usize = 64;
pub(super) const REGIONS: usize = 65;
pub(super) const POINTER: usize = ADDRESS + REGIONS;

impl From<Effect<Vec<Wire>, Wire>> for Lane {
    fn from(effect: Effect<Vec<Wire>, Wire>) -> Self {
        Self { word: effect.value, poison: effect.poison, undef: Wire::FALSE }
    }
}

impl Lane {
    /// A lane that is not undef, as the table of semantics takes it.
    pub(super) fn strict(&self) -> semantics::Lane<Vec<Wire>, Wire> {
        semantics::Lane { value: self.word.clone(), poison: self.poison }
    }

    pub(super) fn of(word: Vec<Wire>) -> Self {
        Self { word, poison: Wire::FALSE, undef: Wire::FALSE }
    }

    /// A pointer into no region.
    pub(super) fn pointer(mut address: Vec<Wire>) -> Self {
        address.resize(POINTER, Wire::FALSE);
        Self::of(address)
    }

    pub(super) fn poison(width: u32) -> Self {
        let word = vec![Wire::FALSE; width as usize];
        Self { word, poison: Wire::TRUE, undef: Wire::FALSE }
    }

    pub(super) fn undef(width: u32) -> Self {
        let word = vec![Wire::FALSE; width as usize];
        Self { word, poison: Wire::FALSE, undef: Wire::TRUE }
    }
}

impl Symbol {
    /// The lanes in order, those of nested elements as well.
    pub(super) fn lanes(&self) -> Vec<&Lane> {
        match self {
            Self::Lane(lane) => vec![lane],
            Self::Many(all) => all.iter().flat_map(Self::lanes).collect(),
        }
    }

    pub(super) fn lane(&self) -> Encoding<&Lane> {
        match self {
            Self::Lane(lane) => Ok(lane),
            Self::Many(_) => Err(Unencodable::new("aggregate where a scalar was expected")),
        }
    }

    /// Builds a value lane by lane.
    pub(super) fn build(
        ty: &Type,
        module: &Module,
        lane: &mut dyn FnMut(u32) -> Encoding<Lane>,
    ) -> Encoding<Self> {
        match ty {
            Type::Vector { lanes, scalable: false, of } => {
                let many = (0..*lanes).map(|_| Self::build(of, module, lane));
                many.collect::<Encoding<_>>().map(Self::Many)
            }
            Type::Array { length, of } => {
                if *length > 64 {
                    return Err(Unencodable::new("large array"));
                }
                let many = (0..*length).map(|_| Self::build(of, module, lane));
                many.collect::<Encoding<_>>().map(Self::Many)
            }
            Type::Struct { fields, .. } => {
                let many = fields.iter().map(|field| Self::build(field, module, lane));
                many.collect::<Encoding<_>>().map(Self::Many)
            }
            Type::Named(name) => match module.definition(name) {
                Some(definition) => Self::build(definition, module, lane),
                None => Err(Unencodable::new("opaque type")),
            },
            scalar => {
                let mut own = lane(width(scalar)?)?;
                if scalar.is_pointer() {
                    own.word.resize(POINTER, Wire::FALSE);
                }
                Ok(Self::Lane(own))
            }
        }
    }

    /// One of two values of a type.
    pub(super) fn select(wires: &mut Wires, condition: Wire, yes: &Self, no: &Self) -> Self {
        match (yes, no) {
            (Self::Many(yes), Self::Many(no)) => Self::Many(
                yes.iter().zip(no).map(|(y, n)| Self::select(wires, condition, y, n)).collect(),
            ),
            (Self::Lane(yes), Self::Lane(no)) => Self::Lane(Lane {
                word: wires.select(&condition, &yes.word, &no.word),
                poison: wires.graph.choose(condition, yes.poison, no.poison),
                undef: wires.graph.choose(condition, yes.undef, no.undef),
            }),
            // The types are equal, so this cannot be.
            (yes, _) => yes.clone(),
        }
    }

    /// A value that is poison where the condition holds.
    #[must_use]
    pub(super) fn poisoned(self, wires: &mut Wires, condition: Wire) -> Self {
        match self {
            Self::Lane(lane) => {
                let poison = wires.graph.or(lane.poison, condition);
                Self::Lane(Lane { poison, ..lane })
            }
            Self::Many(many) => {
                Self::Many(many.into_iter().map(|it| it.poisoned(wires, condition)).collect())
            }
        }
    }

    /// Whether any lane is poison or undef.
    pub(super) fn is_undetermined(&self, wires: &mut Wires) -> Wire {
        let lanes: Vec<(Wire, Wire)> =
            self.lanes().iter().map(|lane| (lane.poison, lane.undef)).collect();
        let mut any = Wire::FALSE;
        for (poison, undef) in lanes {
            let either = wires.graph.or(poison, undef);
            any = wires.graph.or(any, either);
        }
        any
    }
}

/// The number of bits of a scalar.
pub(super) fn width(ty: &Type) -> Encoding<u32> {
    match ty {
        Type::Int(width @ 1..=128) => Ok(*width),
        Type::Int(_) => Err(Unencodable::new("integer above 128 bits")),
        Type::Float(FloatKind::PpcFp128 | FloatKind::X86Fp80) => {
            Err(Unencodable::new("x86_fp80 or ppc_fp128"))
        }
        Type::Float(kind) => Ok(kind.bits()),
        Type::Pointer { space: 0, .. } => Ok(ADDRESS as u32),
        Type::Pointer { .. } => Err(Unencodable::new("address space")),
        Type::Vector { .. } => Err(Unencodable::new("scalable vector")),
        Type::Void
        | Type::Array { .. }
        | Type::Struct { .. }
        | Type::Named(_)
        | Type::Function { .. }
        | Type::Label
        | Type::Token
        | Type::Metadata
        | Type::Other(_) => Err(Unencodable::new("type without a width")),
    }
}
