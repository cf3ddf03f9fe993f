//! The program model: functions of basic blocks over places.

use serde::{Deserialize, Serialize};

use super::intrinsic::Intrinsic;
use super::object::Trait;
use super::types::{Kind, Shape, TypeId, Types};

/// A local of a function: 0 is what is returned, then come the parameters, then the others.
pub(crate) type Local = usize;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Program {
    pub(crate) types: Types,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) statics: Vec<Static>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) traits: Vec<Trait>,
    /// The first is called by `main` with the arguments, which are hidden from the optimiser. What it
    /// returns is not looked at: a program shows what it does by `Record`.
    pub(crate) functions: Vec<Function>,
    pub(crate) arguments: Vec<Constant>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Static {
    pub(crate) mutable: bool,
    /// Made of scalars alone: a scalar, a tuple or an array of them, a struct.
    pub(crate) of: TypeId,
    /// The scalars that it starts with, in order.
    #[serde(with = "numbers")]
    pub(crate) value: Vec<u128>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Function {
    /// How many parameters in angle brackets it has: first types, each bounded by `Copy`, then constants.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) generics: usize,
    /// The types of those of them that are constants: integers of 64 bits at most, `bool` or `char`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) constants: Vec<TypeId>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) inlining: Inlining,
    pub(crate) locals: Vec<TypeId>,
    pub(crate) parameters: usize,
    /// The first is the entry.
    pub(crate) blocks: Vec<Block>,
    /// What a debugger is told of it, as `v0`, `v1` and so on. It changes nothing, but passes maintain it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) debug: Vec<Named>,
}

/// What a name stands for in a debugger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Named {
    /// Without an index in it.
    Place(Place),
    Constant(Constant),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Inlining {
    #[default]
    Free,
    Never,
    Always,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Block {
    /// Runs only while a panic unwinds.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) cleanup: bool,
    pub(crate) statements: Vec<Statement>,
    pub(crate) terminator: Terminator,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Statement {
    Assign(Place, Rvalue),
    StorageLive(Local),
    StorageDead(Local),
    /// Of an enum, to the number of a variant.
    SetDiscriminant(Place, usize),
    /// Undefined unless it is true.
    Assume(Operand),
    /// Of a reference; a version of rustc that does not know it leaves it out, which changes nothing.
    Retag(Place),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Terminator {
    Goto(usize),
    /// On an integer, `bool` or `char`. The values of the arms differ from each other.
    Switch {
        on: Operand,
        #[serde(with = "arms")]
        arms: Vec<(u128, usize)>,
        otherwise: usize,
    },
    Call {
        callee: Callee,
        arguments: Vec<Operand>,
        destination: Place,
        target: usize,
        unwind: Unwind,
    },
    Drop {
        place: Place,
        target: usize,
        unwind: Unwind,
    },
    /// Of a function with the same signature, by its name or through a pointer.
    TailCall {
        callee: Callee,
        arguments: Vec<Operand>,
    },
    /// Adds what lies in some places to what the program shows: one to [`RECORDED`] scalars or enums, of
    /// which the discriminant is shown. A `u128` or `i128` counts twice.
    Record {
        values: Vec<Place>,
        target: usize,
    },
    Return,
    Unreachable,
    /// Goes on unwinding; in cleanup blocks alone.
    Resume,
    /// Aborts; in cleanup blocks alone. Programs that we make do not come to it.
    Terminate(Reason),
}

/// Why a panic must not go on. Only the message differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reason {
    /// The caller could not unwind.
    Abi,
    /// It came while another one was cleaned up after.
    InCleanup,
}

/// How many words of 64 bits one `Record` can show.
pub(crate) const RECORDED: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Callee {
    /// With the types for its type parameters, then what stands for the constants.
    Function(usize, Vec<TypeId>),
    /// What a function pointer points to.
    Pointer(Place),
    /// A method of a trait, of whatever its first argument, a reference to a trait object, points to.
    Method(usize, usize),
    /// Calls a function and catches its panic: gives whether it panicked, as a `bool`.
    Catch(usize),
    Intrinsic(Intrinsic),
    /// `Box::new`, `Box::into_raw`, `Box::from_raw`.
    NewBox,
    BoxToPointer,
    BoxFromPointer,
    /// `ManuallyDrop::new`, `ManuallyDrop::into_inner`.
    NewManual,
    ManualToInner,
    /// `std::hint::black_box`.
    BlackBox,
    /// Panics, without a word. Takes no arguments, and the destination (a unit) is never written.
    Raise,
}

/// What happens when a call panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Unwind {
    /// The caller's caller sees to it.
    Continue,
    /// It does not: undefined if it does.
    Unreachable,
    /// A cleanup block runs.
    Cleanup(usize),
    /// The program aborts. Programs that we make do not.
    Terminate(Reason),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) struct Place {
    pub(crate) local: Local,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) projections: Vec<Projection>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Projection {
    /// Of a raw pointer or reference; only as the first one.
    Deref,
    /// Of a tuple, struct or union.
    Field(usize),
    /// Of an array or slice, by a local of type `usize`.
    Index(Local),
    /// Of an enum: a field of a variant.
    Variant(usize, usize),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Operand {
    Copy(Place),
    Move(Place),
    Constant(Constant),
    /// A function as a pointer of a type.
    Function(usize, TypeId),
    /// A constant parameter of the function: [`Kind::Constant`].
    Parameter(TypeId),
}

/// The last address that a pointer to nothing may have.
pub(crate) const FARTHEST: u128 = 0x7fff_ffff;

/// A number of a scalar type, as its bits; `()`; or, as an operand, a thin raw pointer to nothing: its address, which is
/// [`FARTHEST`] at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Constant {
    pub(crate) of: TypeId,
    #[serde(with = "number")]
    pub(crate) bits: u128,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Rvalue {
    Use(Operand),
    Not(Operand),
    Negate(Operand),
    Binary(Operator, Operand, Operand),
    /// The wrapped result, and whether it wrapped: `+`, `-`, `*`.
    Checked(Operator, Operand, Operand),
    /// `as`: between integers and floats; from `bool` and `char` to integers, from `u8` to `char`; between
    /// raw pointers; between thin raw pointers and `usize`. Never to the same type.
    Cast(Operand, TypeId),
    /// Between types of one size and a fixed layout, or that differ by `ManuallyDrop` alone.
    Transmute(Operand, TypeId),
    /// Between thin raw pointers.
    PointerCast(Operand, TypeId),
    /// From a reference or raw pointer to an array to one to a slice; from one to a type that has a trait, or a box of
    /// it, to one to a trait object.
    Unsize(Operand, TypeId),
    /// The length of the slice that a wide raw pointer points to.
    Length(Operand),
    /// A raw pointer moved by so many elements, as `usize` or `isize`, within what it points into.
    Offset(Operand, Operand),
    /// A tuple, array, struct, a variant of an enum, or a union by one of its fields: the number says
    /// which variant or field, and is 0 for the others.
    Aggregate(TypeId, usize, Vec<Operand>),
    Repeat(Operand, u64),
    /// As often as a constant parameter says: [`Kind::Constant`].
    RepeatOf(Operand, TypeId),
    /// `&raw mut` or `&raw const`.
    AddressOf(bool, Place),
    /// `&mut` or `&`.
    Reference(bool, Place),
    Discriminant(Place),
    /// `*mut T` to a mutable static, `&T` to another.
    Static(usize),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Operator {
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

fn is_zero(number: &usize) -> bool {
    *number == 0
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
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

    pub(super) fn serialize<S: Serializer>(all: &[u128], out: S) -> Result<S::Ok, S::Error> {
        out.collect_seq(all.iter().map(u128::to_string))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(reader: D) -> Result<Vec<u128>, D::Error> {
        let all = Vec::<String>::deserialize(reader)?;
        let numbers = all.iter().map(|text| text.parse());
        numbers.collect::<Result<_, _>>().map_err(serde::de::Error::custom)
    }
}

mod arms {
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
    pub(crate) fn compares(self) -> bool {
        matches!(self, Self::Eq | Self::Ne | Self::Lt | Self::Le | Self::Gt | Self::Ge)
    }

    pub(crate) fn shifts(self) -> bool {
        matches!(self, Self::Shl | Self::Shr)
    }

    pub(crate) fn symbol(self) -> &'static str {
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

impl Projection {
    /// The type of a part of something.
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

    /// What lies there.
    pub(crate) fn type_in(&self, locals: &[TypeId], types: &Types) -> Option<TypeId> {
        let first = *locals.get(self.local)?;
        self.projections.iter().try_fold(first, |of, projection| projection.type_of(of, types))
    }

    /// Whether another place is this one or a part of it, and not what that points to.
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

impl Rvalue {
    pub(crate) fn operands(&self) -> Vec<&Operand> {
        match self {
            Self::Use(one)
            | Self::Not(one)
            | Self::Negate(one)
            | Self::Cast(one, _)
            | Self::Transmute(one, _)
            | Self::PointerCast(one, _)
            | Self::Unsize(one, _)
            | Self::Length(one)
            | Self::Repeat(one, _)
            | Self::RepeatOf(one, _) => vec![one],
            Self::Binary(_, left, right)
            | Self::Checked(_, left, right)
            | Self::Offset(left, right) => vec![left, right],
            Self::Aggregate(_, _, parts) => parts.iter().collect(),
            Self::AddressOf(..) | Self::Reference(..) | Self::Discriminant(_) | Self::Static(_) => {
                vec![]
            }
        }
    }

    /// Whether it is made of its operands by copying alone, as they are or as another type.
    pub(crate) fn copies(&self) -> bool {
        matches!(
            self,
            Self::Use(_)
                | Self::Cast(..)
                | Self::Transmute(..)
                | Self::PointerCast(..)
                | Self::Unsize(..)
                | Self::Aggregate(..)
                | Self::Repeat(..)
                | Self::RepeatOf(..)
        )
    }

    /// The place that it looks at otherwise than by an operand.
    pub(crate) fn place(&self) -> Option<&Place> {
        match self {
            Self::AddressOf(_, place) | Self::Reference(_, place) | Self::Discriminant(place) => {
                Some(place)
            }
            _ => None,
        }
    }
}

impl Reason {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Abi => "ReasonAbi",
            Self::InCleanup => "ReasonInCleanup",
        }
    }
}

impl Unwind {
    pub(crate) fn target(self) -> Option<usize> {
        match self {
            Self::Cleanup(block) => Some(block),
            _ => None,
        }
    }
}

impl Terminator {
    /// All blocks that it may lead to.
    pub(crate) fn targets(&self) -> Vec<usize> {
        match self {
            Self::Goto(target) | Self::Record { target, .. } => vec![*target],
            Self::Call { target, unwind, .. } | Self::Drop { target, unwind, .. } => {
                std::iter::once(*target).chain(unwind.target()).collect()
            }
            Self::Switch { arms, otherwise, .. } => {
                arms.iter().map(|(_, target)| *target).chain([*otherwise]).collect()
            }
            Self::Return
            | Self::Unreachable
            | Self::Resume
            | Self::Terminate(_)
            | Self::TailCall { .. } => vec![],
        }
    }

    pub(crate) fn targets_mut(&mut self) -> Vec<&mut usize> {
        match self {
            Self::Goto(target) | Self::Record { target, .. } => vec![target],
            Self::Call { target, unwind, .. } | Self::Drop { target, unwind, .. } => {
                let mut targets = vec![target];
                if let Unwind::Cleanup(block) = unwind {
                    targets.push(block);
                }
                targets
            }
            Self::Switch { arms, otherwise, .. } => {
                arms.iter_mut().map(|(_, target)| target).chain([otherwise]).collect()
            }
            Self::Return
            | Self::Unreachable
            | Self::Resume
            | Self::Terminate(_)
            | Self::TailCall { .. } => vec![],
        }
    }

    pub(crate) fn operands(&self) -> Vec<&Operand> {
        match self {
            Self::Switch { on, .. } => vec![on],
            Self::Call { arguments, .. } | Self::TailCall { arguments, .. } => {
                arguments.iter().collect()
            }
            _ => vec![],
        }
    }

    /// The function that it names.
    pub(crate) fn function(&self) -> Option<usize> {
        match self {
            Self::Call {
                callee: Callee::Function(function, _) | Callee::Catch(function), ..
            }
            | Self::TailCall { callee: Callee::Function(function, _), .. } => Some(*function),
            _ => None,
        }
    }
}

impl Function {
    /// How many type parameters it has.
    pub(crate) fn type_parameters(&self) -> usize {
        self.generics.saturating_sub(self.constants.len())
    }

    /// The type of a constant parameter, by its number among all in angle brackets.
    pub(crate) fn constant_parameter(&self, index: usize) -> Option<TypeId> {
        let number = index.checked_sub(self.type_parameters())?;
        self.constants.get(number).copied()
    }

    pub(crate) fn returns(&self) -> TypeId {
        self.locals[0]
    }

    pub(crate) fn parameter_types(&self) -> &[TypeId] {
        &self.locals[1..=self.parameters]
    }

    /// Statements and terminators.
    pub(crate) fn size(&self) -> usize {
        self.blocks.iter().map(|block| block.statements.len() + 1).sum()
    }
}

impl Program {
    /// Statements and terminators.
    pub(crate) fn size(&self) -> usize {
        self.functions.iter().map(Function::size).sum()
    }

    /// The scalars that a static's value is made of, in order; none if there is anything else in it.
    pub(crate) fn scalars(types: &Types, of: TypeId) -> Option<Vec<TypeId>> {
        match types.kind(of) {
            _ if types.is_scalar(of) => Some(vec![of]),
            Kind::Tuple(parts) => {
                let parts = parts.iter().map(|part| Self::scalars(types, *part));
                parts.collect::<Option<Vec<_>>>().map(|parts| parts.concat())
            }
            Kind::Array(element, length) => {
                let element = Self::scalars(types, *element)?;
                Some(element.repeat(*length as usize))
            }
            Kind::Adt(index) => match &types.adts[*index].shape {
                Shape::Struct(parts) => {
                    let parts = parts.iter().map(|part| Self::scalars(types, *part));
                    parts.collect::<Option<Vec<_>>>().map(|parts| parts.concat())
                }
                _ => None,
            },
            _ => None,
        }
    }
}
