//! The program model: functions of basic blocks over places.

use serde::{Deserialize, Serialize};

use super::types::{Adt, Int, Type};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Program {
    pub(super) adts: Vec<Adt>,
    /// The first is called by `main` with the arguments, which are hidden from the optimiser, and returns
    /// the hash that is printed. A function calls only later ones, so that every run ends.
    pub(super) functions: Vec<Function>,
    pub(super) arguments: Vec<Constant>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Function {
    /// Place 0 is what is returned, then come the parameters, then the other locals.
    pub(super) locals: Vec<Type>,
    pub(super) parameters: usize,
    /// The first is the entry.
    pub(super) blocks: Vec<Block>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Block {
    pub(super) statements: Vec<Statement>,
    pub(super) terminator: Terminator,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Statement {
    Assign(Place, Rvalue),
    StorageLive(usize),
    StorageDead(usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Terminator {
    Goto(usize),
    Switch {
        on: Operand,
        #[serde(with = "numbers")]
        arms: Vec<(u128, usize)>,
        otherwise: usize,
    },
    Call {
        function: usize,
        arguments: Vec<Operand>,
        destination: Place,
        target: usize,
    },
    Return,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) struct Place {
    pub(super) local: usize,
    pub(super) projections: Vec<Projection>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(super) enum Projection {
    /// Only as the first one.
    Deref,
    Field(usize),
    /// By a local of type `usize`.
    Index(usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Operand {
    Copy(Place),
    Move(Place),
    Constant(Constant),
}

/// A number of a scalar type, as its bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Constant {
    pub(super) of: Type,
    #[serde(with = "number")]
    pub(super) bits: u128,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Rvalue {
    Use(Operand),
    Not(Operand),
    Negate(Operand),
    Binary(Operator, Operand, Operand),
    /// The wrapped result, and whether it wrapped.
    Checked(Operator, Operand, Operand),
    Cast(Operand, Type),
    /// A tuple, array or struct of its parts.
    Aggregate(Type, Vec<Operand>),
    Repeat(Operand, u64),
    AddressOf(bool, Place),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Operator {
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

/// JSON has no numbers of 128 bits, so they are text there.
mod number {
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(bits: &u128, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(bits)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(reader: D) -> Result<u128, D::Error> {
        String::deserialize(reader)?.parse().map_err(serde::de::Error::custom)
    }
}

mod numbers {
    use serde::{Deserialize as _, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(
        arms: &[(u128, usize)],
        out: S,
    ) -> Result<S::Ok, S::Error> {
        out.collect_seq(arms.iter().map(|(bits, target)| (bits.to_string(), target)))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        reader: D,
    ) -> Result<Vec<(u128, usize)>, D::Error> {
        let arms = Vec::<(String, usize)>::deserialize(reader)?;
        let arm = |(bits, target): (String, usize)| Ok((bits.parse()?, target));
        arms.into_iter()
            .map(arm)
            .collect::<Result<_, std::num::ParseIntError>>()
            .map_err(serde::de::Error::custom)
    }
}

impl Operator {
    pub(super) fn compares(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }

    pub(super) fn symbol(self) -> &'static str {
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

impl Place {
    pub(super) fn local(local: usize) -> Self {
        Self { local, projections: vec![] }
    }

    pub(super) fn then(&self, projection: Projection) -> Self {
        let mut place = self.clone();
        place.projections.push(projection);
        place
    }

    /// What lies there.
    pub(super) fn type_in(&self, locals: &[Type], adts: &[Adt]) -> Option<Type> {
        let mut of = locals.get(self.local)?.clone();
        for projection in &self.projections {
            of = match (projection, &of) {
                (Projection::Deref, Type::Pointer(_, to)) => (**to).clone(),
                (Projection::Field(field), _) => of.fields(adts).get(*field)?.clone(),
                (Projection::Index(_), Type::Array(element, _)) => (**element).clone(),
                _ => return None,
            };
        }
        Some(of)
    }
}

impl Operand {
    pub(super) fn place(&self) -> Option<&Place> {
        match self {
            Self::Copy(place) | Self::Move(place) => Some(place),
            Self::Constant(_) => None,
        }
    }

    pub(super) fn type_in(&self, locals: &[Type], adts: &[Adt]) -> Option<Type> {
        match self {
            Self::Constant(constant) => Some(constant.of.clone()),
            Self::Copy(place) | Self::Move(place) => place.type_in(locals, adts),
        }
    }

    pub(super) fn int(int: Int, bits: u128) -> Self {
        Self::Constant(Constant { of: Type::Int(int), bits })
    }
}

impl Rvalue {
    pub(super) fn operands(&self) -> Vec<&Operand> {
        match self {
            Self::Use(one) | Self::Not(one) | Self::Negate(one) | Self::Cast(one, _) => vec![one],
            Self::Repeat(one, _) => vec![one],
            Self::Binary(_, left, right) | Self::Checked(_, left, right) => vec![left, right],
            Self::Aggregate(_, parts) => parts.iter().collect(),
            Self::AddressOf(..) => vec![],
        }
    }
}

impl Terminator {
    pub(super) fn targets(&self) -> Vec<usize> {
        match self {
            Self::Goto(target) | Self::Call { target, .. } => vec![*target],
            Self::Switch { arms, otherwise, .. } => {
                arms.iter().map(|(_, target)| *target).chain([*otherwise]).collect()
            }
            Self::Return => vec![],
        }
    }

    pub(super) fn targets_mut(&mut self) -> Vec<&mut usize> {
        match self {
            Self::Goto(target) | Self::Call { target, .. } => vec![target],
            Self::Switch { arms, otherwise, .. } => {
                arms.iter_mut().map(|(_, target)| target).chain([otherwise]).collect()
            }
            Self::Return => vec![],
        }
    }
}

impl Function {
    /// Statements and terminators.
    pub(super) fn size(&self) -> usize {
        self.blocks.iter().map(|block| block.statements.len() + 1).sum()
    }
}
