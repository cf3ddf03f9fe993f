//! Symbolic values: what a local holds for all inputs at once.

use identity::kernel::Wire;

use super::wires::Wires;
use super::{Encoding, Unencodable};
use crate::ir::{Constant, FloatKind, Module, Type};
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

/// The width of an address.
pub(super) const POINTER: u32 = 64;

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
            scalar => lane(width(scalar)?).map(Self::Lane),
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
        Type::Pointer { space: 0, .. } => Ok(POINTER),
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

/// The value of a constant. Addresses of globals are for the caller.
pub(super) fn constant(
    wires: &mut Wires,
    module: &Module,
    ty: &Type,
    constant: &Constant,
    global: &mut dyn FnMut(&mut Wires, &str) -> Encoding<Symbol>,
) -> Encoding<Symbol> {
    let mut all = |wires: &mut Wires, types: &[&Type], constants: &[&Constant]| {
        let pairs = types.iter().zip(constants);
        let values = pairs.map(|(ty, it)| self::constant(wires, module, ty, it, global));
        values.collect::<Encoding<_>>().map(Symbol::Many)
    };
    match constant {
        Constant::Int(value) | Constant::Float(value) => {
            let width = width(ty)?;
            Ok(Symbol::Lane(Lane::of(wires.word(*value, width))))
        }
        Constant::Null => Ok(Symbol::Lane(Lane::of(wires.word(0, width(ty)?)))),
        Constant::Zero => {
            Symbol::build(ty, module, &mut |width| Ok(Lane::of(wires.word(0, width))))
        }
        Constant::Undef => Symbol::build(ty, module, &mut |width| Ok(Lane::undef(width))),
        Constant::Poison => Symbol::build(ty, module, &mut |width| Ok(Lane::poison(width))),
        Constant::Splat(one) => match ty {
            Type::Vector { lanes, scalable: false, of } => {
                let lanes = *lanes as usize;
                all(wires, &vec![&**of; lanes], &vec![&**one; lanes])
            }
            _ => Err(Unencodable::new("scalable vector")),
        },
        Constant::Vector(elements) | Constant::Array(elements) => {
            let of = match ty {
                Type::Vector { of, .. } | Type::Array { of, .. } => of,
                _ => return Err(Unencodable::new("constant of another type")),
            };
            let elements: Vec<&Constant> = elements.iter().collect();
            all(wires, &vec![&**of; elements.len()], &elements)
        }
        Constant::Struct(fields) => {
            let mut ty = ty;
            while let Type::Named(name) = ty {
                ty = module.definition(name).ok_or_else(|| Unencodable::new("opaque type"))?;
            }
            let Type::Struct { fields: types, .. } = ty else {
                return Err(Unencodable::new("constant of another type"));
            };
            all(wires, &types.iter().collect::<Vec<_>>(), &fields.iter().collect::<Vec<_>>())
        }
        Constant::Bytes(bytes) => {
            let byte = |byte: &u8| Symbol::Lane(Lane::of(wires.word(u128::from(*byte), 8)));
            Ok(Symbol::Many(bytes.iter().map(byte).collect()))
        }
        Constant::Global(name) => global(wires, name),
        Constant::None => Err(Unencodable::new("token")),
        Constant::Expression(_) => Err(Unencodable::new("constant expression")),
        Constant::Text(_) => Err(Unencodable::new("constant that is not modelled")),
    }
}
