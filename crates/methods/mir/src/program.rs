//! The program model: functions made of basic blocks, statements, terminators, places and operands. The types are in
//! `types.rs`. Which models are well-formed is left to `validate/`, what they do to `interpret/`.

use serde::{Deserialize, Serialize};

use super::intrinsic::Intrinsic;
use super::object::Trait;
use super::types::{Kind, Shape, TypeId, Types};

/// A local of a function: 0 is the return place, then come the parameters, then all others.
pub(crate) type Local = usize;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Program {
    pub(crate) types: Types,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) statics: Vec<Static>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) traits: Vec<Trait>,
    /// The first is called by `main` with `arguments`, whose values are hidden from the optimiser. Its return value
    /// is ignored: the output of a program consists of its `Record`s.
    pub(crate) functions: Vec<Function>,
    pub(crate) arguments: Vec<Constant>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Static {
    pub(crate) mutable: bool,
    /// Contains scalars only: a scalar, or a tuple, array or struct of such types.
    pub(crate) of: TypeId,
    /// The initial values of its scalars, in order.
    #[serde(with = "numbers")]
    pub(crate) value: Vec<u128>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Function {
    /// The number of generic parameters: first the type parameters, each bounded by `Copy`, then the const parameters.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub(crate) generics: usize,
    /// The types of the const parameters: integers of at most 64 bits, `bool` or `char`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) constants: Vec<TypeId>,
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) inlining: Inlining,
    pub(crate) locals: Vec<TypeId>,
    pub(crate) parameters: usize,
    /// The first is the entry.
    pub(crate) blocks: Vec<Block>,
    /// Debug info, for variables `v0`, `v1` and so on. It has no effect at run time, but passes must maintain it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) debug: Vec<Named>,
}

/// The value of a variable in the debug info.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Named {
    /// Without `Index` projections.
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
    /// An enum's place, and the index of the variant.
    SetDiscriminant(Place, usize),
    /// Undefined behaviour unless the operand is true.
    Assume(Operand),
    /// Of a reference. It is stripped for versions of rustc without `Retag`, which does not change the behaviour.
    Retag(Place),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Terminator {
    Goto(usize),
    /// On an integer, `bool` or `char`. The values of the arms are distinct.
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
    /// Of a function with the caller's signature, direct or through a function pointer.
    TailCall {
        callee: Callee,
        arguments: Vec<Operand>,
    },
    /// Outputs the values of one to [`RECORDED`] places. Each is a scalar, or an enum, of which the discriminant is
    /// output. A `u128` or `i128` counts twice.
    Record {
        values: Vec<Place>,
        target: usize,
    },
    Return,
    Unreachable,
    /// Continues to unwind. In cleanup blocks only.
    Resume,
    /// Aborts. In cleanup blocks only. Generated programs never reach it.
    Terminate(Reason),
}

/// Why a panic must not unwind further. It changes only the message of the abort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Reason {
    /// The ABI of the function does not allow unwinding.
    Abi,
    /// The panic started in a cleanup block, during another panic.
    InCleanup,
}

/// The most 64-bit words that one `Record` can output.
pub(crate) const RECORDED: usize = 4;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Callee {
    /// A function and its generic arguments: types, then [`Kind::Value`] or [`Kind::Constant`] for its const
    /// parameters.
    Function(usize, Vec<TypeId>),
    /// The function that the function pointer in a place points to.
    Pointer(Place),
    /// Dynamic dispatch: a trait and a method of it. The first argument is a reference to the trait object.
    Method(usize, usize),
    /// Calls a function through `catch_unwind`. Returns as a `bool` whether it panicked.
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
    /// Panics without a message. Takes no arguments, and never writes the destination, which is of type `()`.
    Raise,
}

/// What happens when a call panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Unwind {
    /// Unwinding continues in the caller.
    Continue,
    /// A panic is undefined behaviour.
    Unreachable,
    /// Unwinding continues at this cleanup block.
    Cleanup(usize),
    /// The program aborts. In generated programs such calls never panic.
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

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Rvalue {
    Use(Operand),
    Not(Operand),
    Negate(Operand),
    Binary(Operator, Operand, Operand),
    /// `+`, `-` or `*`: a pair of the wrapped result and whether it overflowed.
    Checked(Operator, Operand, Operand),
    /// `as`: between integers and floats, from `bool` and `char` to integers, from `u8` to `char`, between raw
    /// pointers, and between thin raw pointers and `usize`. Never to the same type.
    Cast(Operand, TypeId),
    /// Between types of equal size that have a fixed layout, or that differ only by `ManuallyDrop`.
    Transmute(Operand, TypeId),
    /// Between thin raw pointers.
    PointerCast(Operand, TypeId),
    /// Unsizing coercion. Of a reference or raw pointer: from an array to a slice. Of a reference, raw pointer or box:
    /// from a type that implements a trait to the trait object.
    Unsize(Operand, TypeId),
    /// The length of the slice that a wide raw pointer points to.
    Length(Operand),
    /// Pointer arithmetic: a raw pointer, and by how many elements it is moved (`usize` or `isize`). The result must be
    /// in bounds.
    Offset(Operand, Operand),
    /// A tuple, array, struct, enum or union. The number is the variant of an enum, the initialised field of a union,
    /// and 0 for all others.
    Aggregate(TypeId, usize, Vec<Operand>),
    Repeat(Operand, u64),
    /// `[operand; N]` for a const parameter `N`: [`Kind::Constant`].
    RepeatOf(Operand, TypeId),
    /// `&raw mut` or `&raw const`.
    AddressOf(bool, Place),
    /// `&mut` or `&`.
    Reference(bool, Place),
    Discriminant(Place),
    /// `*mut T` to a mutable static, `&T` to an immutable one.
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

/// JSON has no 128-bit numbers, so they are stored as strings.
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

    /// Whether it only copies its operands, unchanged or reinterpreted as another type.
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

    /// The place that it uses without an operand.
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
    /// All successor blocks.
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

    /// The function that it calls directly.
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
    /// The number of type parameters.
    pub(crate) fn type_parameters(&self) -> usize {
        self.generics.saturating_sub(self.constants.len())
    }

    /// The type of a const parameter, by its index among all generic parameters.
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

    /// The types of the scalars that a type contains, in order. `None` if it contains anything that is not a scalar.
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
