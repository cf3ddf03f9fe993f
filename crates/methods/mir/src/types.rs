//! The types of a program. They are interned: a type is a small number, and its layout is at hand.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

pub(crate) use super::adt::{Adt, Repr, Shape, Variant};
use super::layout::{self, Layout};
pub(crate) use super::number::{Float, Int, Width};

/// A type of a program: an index into its [`Types`].
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(transparent)]
pub(crate) struct TypeId(pub(crate) u32);

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub(crate) enum Kind {
    Bool,
    Char,
    Int(Int),
    Float(Float),
    /// Also `()`.
    Tuple(Vec<TypeId>),
    Array(TypeId, u64),
    /// A struct, union or enum of the program: an index into [`Types::adts`].
    Adt(usize),
    /// `*mut T`, or `*const T`; wide where T is a slice.
    Pointer {
        mutable: bool,
        to: TypeId,
    },
    /// `&mut T`, or `&T`; wide where T is a slice.
    Reference {
        mutable: bool,
        to: TypeId,
    },
    /// Only behind pointers and references.
    Slice(TypeId),
    /// `dyn Tr0`: an index into the program's traits. Only behind pointers, references and boxes.
    Object(usize),
    /// `Box<T>`.
    Heap(TypeId),
    /// `ManuallyDrop<T>`: laid out as what is in it, which is not dropped with it.
    Manual(TypeId),
    /// `fn(A, B) -> C`.
    Function {
        parameters: Vec<TypeId>,
        returns: TypeId,
    },
    /// A type parameter of the function that mentions it. It has no layout.
    Parameter(usize),
    /// `[T; N]`, where the length is a constant parameter of the function that mentions it: its number. Without a
    /// layout.
    ArrayOf(TypeId, usize),
    /// No type, but what stands where one could for a constant parameter: its number, and the type of the constant.
    Constant(usize, TypeId),
    /// No type either, but what is given for a constant parameter: a value of a type, as its bits.
    Value(TypeId, u64),
}

/// All types of a program. Each is made of earlier ones, but for structs, unions and enums, whose fields may be of
/// later types: so they can point to themselves.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Plain", into = "Plain")]
pub(crate) struct Types {
    pub(super) kinds: Vec<Kind>,
    pub(crate) adts: Vec<Adt>,
    pub(super) layouts: Vec<Layout>,
    numbers: HashMap<Kind, TypeId>,
}

/// What of [`Types`] is not derived from the rest.
#[derive(Clone, Serialize, Deserialize)]
struct Plain {
    kinds: Vec<Kind>,
    adts: Vec<Adt>,
}

/// Types that were written down by somebody else: one is made of another that does not come before it, or is not
/// there, or contains itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("type {0} is made of one that is not declared before it")]
struct Unordered(usize);

impl TryFrom<Plain> for Types {
    type Error = Unordered;

    fn try_from(plain: Plain) -> Result<Self, Unordered> {
        let count = plain.kinds.len();
        for (number, kind) in plain.kinds.iter().enumerate() {
            let (parts, below) = match kind {
                Kind::Adt(index) => {
                    let adt = plain.adts.get(*index).ok_or(Unordered(number))?;
                    (adt.parts().collect(), count)
                }
                kind => (kind.parts(), number),
            };
            if parts.iter().any(|part| part.0 as usize >= below) {
                return Err(Unordered(number));
            }
        }
        let types = plain.into_types();
        match types.endless() {
            Some(of) => Err(Unordered(of.0 as usize)),
            None => Ok(types),
        }
    }
}

impl Plain {
    /// All that types are made of must be there.
    fn into_types(self) -> Types {
        let numbers =
            (0..).map(TypeId).zip(&self.kinds).map(|(number, kind)| (kind.clone(), number));
        let mut types = Types {
            numbers: numbers.collect(),
            kinds: self.kinds,
            adts: self.adts,
            layouts: vec![],
        };
        types.settle();
        types
    }
}

impl Kind {
    /// The types that it is made of; those of a struct, union or enum are in its declaration.
    pub(super) fn parts(&self) -> Vec<TypeId> {
        match self {
            Self::Tuple(parts) => parts.clone(),
            Self::Array(to, _)
            | Self::ArrayOf(to, _)
            | Self::Constant(_, to)
            | Self::Value(to, _)
            | Self::Slice(to)
            | Self::Heap(to)
            | Self::Manual(to)
            | Self::Pointer { to, .. }
            | Self::Reference { to, .. } => vec![*to],
            Self::Function { parameters, returns } => {
                parameters.iter().chain([returns]).copied().collect()
            }
            Self::Bool | Self::Char | Self::Int(_) | Self::Float(_) | Self::Adt(_) => vec![],
            Self::Parameter(_) | Self::Object(_) => vec![],
        }
    }
}

impl From<Types> for Plain {
    fn from(types: Types) -> Self {
        Self { kinds: types.kinds, adts: types.adts }
    }
}

impl PartialEq for Types {
    fn eq(&self, other: &Self) -> bool {
        self.kinds == other.kinds && self.adts == other.adts
    }
}

impl Eq for Types {}

impl Types {
    pub(crate) const UNIT: TypeId = TypeId(0);
    pub(crate) const BOOL: TypeId = TypeId(1);
    pub(crate) const CHAR: TypeId = TypeId(2);
    pub(crate) const F32: TypeId = TypeId(3);
    pub(crate) const F64: TypeId = TypeId(4);
    pub(crate) const USIZE: TypeId = TypeId(5);
    pub(crate) const U64: TypeId = TypeId(6);
    pub(crate) const U32: TypeId = TypeId(7);
    pub(crate) const U8: TypeId = TypeId(8);
    pub(crate) const I32: TypeId = TypeId(9);
    pub(crate) const ISIZE: TypeId = TypeId(10);

    /// With `()` and all types of numbers in it, at fixed places.
    pub(crate) fn new() -> Self {
        let first = [Int::USIZE, Int::U64, Int::U32, Int::U8, Int::I32, Int::ISIZE];
        let mut kinds = vec![
            Kind::Tuple(vec![]),
            Kind::Bool,
            Kind::Char,
            Kind::Float(Float::F32),
            Kind::Float(Float::F64),
        ];
        kinds.extend(first.map(Kind::Int));
        kinds.extend(Int::all().filter(|int| !first.contains(int)).map(Kind::Int));
        Plain { kinds, adts: vec![] }.into_types()
    }

    fn push(&mut self, kind: Kind) -> TypeId {
        let number = TypeId(self.kinds.len() as u32);
        let layout = layout::of(&kind, self);
        self.layouts.push(layout);
        self.numbers.insert(kind.clone(), number);
        self.kinds.push(kind);
        number
    }

    /// The number of a type, which is new or not.
    pub(crate) fn intern(&mut self, kind: Kind) -> TypeId {
        match self.numbers.get(&kind) {
            Some(number) => *number,
            None => self.push(kind),
        }
    }

    /// A new struct, union or enum.
    pub(crate) fn declare(&mut self, adt: Adt) -> TypeId {
        self.adts.push(adt);
        self.push(Kind::Adt(self.adts.len() - 1))
    }

    /// A struct, union or enum that is there to be pointed to, and declared by [`Types::define`] later.
    pub(crate) fn announce(&mut self) -> TypeId {
        self.declare(Adt { shape: Shape::Struct(vec![]), repr: Repr::Rust, destructor: None })
    }

    /// Declares what was announced, of any types.
    pub(crate) fn define(&mut self, announced: impl IntoIterator<Item = (TypeId, Adt)>) {
        let mut any = false;
        for (of, adt) in announced {
            if let Kind::Adt(index) = self.kinds[of.0 as usize] {
                self.adts[index] = adt;
                any = true;
            }
        }
        if any {
            self.settle();
        }
    }

    pub(crate) fn int(&self, int: Int) -> TypeId {
        self.numbers.get(&Kind::Int(int)).copied().unwrap_or(Self::U64)
    }

    /// The number of a type that is known already.
    pub(crate) fn find(&self, kind: &Kind) -> Option<TypeId> {
        self.numbers.get(kind).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.kinds.len()
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = TypeId> + use<> {
        (0..self.kinds.len() as u32).map(TypeId)
    }

    pub(crate) fn kind(&self, of: TypeId) -> &Kind {
        &self.kinds[of.0 as usize]
    }

    pub(crate) fn layout(&self, of: TypeId) -> &Layout {
        &self.layouts[of.0 as usize]
    }

    pub(crate) fn size(&self, of: TypeId) -> usize {
        self.layout(of).size
    }

    pub(crate) fn adt(&self, of: TypeId) -> Option<&Adt> {
        match self.kind(of) {
            Kind::Adt(index) => self.adts.get(*index),
            _ => None,
        }
    }

    /// The parts of a tuple or struct; of a union, the views of it. Enums have none but by variant.
    pub(crate) fn fields(&self, of: TypeId) -> &[TypeId] {
        match self.kind(of) {
            Kind::Tuple(parts) => parts,
            Kind::Adt(index) => match &self.adts[*index].shape {
                Shape::Struct(fields) | Shape::Union(fields) => fields,
                Shape::Enum(_) => &[],
            },
            _ => &[],
        }
    }

    /// The variants of an enum.
    pub(crate) fn variants(&self, of: TypeId) -> &[Variant] {
        match self.adt(of) {
            Some(Adt { shape: Shape::Enum(variants), .. }) => variants,
            _ => &[],
        }
    }

    pub(crate) fn is_union(&self, of: TypeId) -> bool {
        matches!(self.adt(of), Some(Adt { shape: Shape::Union(_), .. }))
    }

    pub(crate) fn is_enum(&self, of: TypeId) -> bool {
        matches!(self.adt(of), Some(Adt { shape: Shape::Enum(_), .. }))
    }

    /// Whether a value of it is one number: `bool`, `char`, integers and floats.
    pub(crate) fn is_scalar(&self, of: TypeId) -> bool {
        matches!(self.kind(of), Kind::Bool | Kind::Char | Kind::Int(_) | Kind::Float(_))
    }

    pub(crate) fn as_int(&self, of: TypeId) -> Option<Int> {
        match self.kind(of) {
            Kind::Int(int) => Some(*int),
            _ => None,
        }
    }

    /// What a raw pointer or reference points to.
    pub(crate) fn pointee(&self, of: TypeId) -> Option<TypeId> {
        match self.kind(of) {
            Kind::Pointer { to, .. } | Kind::Reference { to, .. } => Some(*to),
            _ => None,
        }
    }

    /// A pointer or reference to a slice, or anything that points to a trait object.
    pub(crate) fn is_wide(&self, of: TypeId) -> bool {
        match self.kind(of) {
            Kind::Pointer { to, .. } | Kind::Reference { to, .. } | Kind::Heap(to) => {
                self.is_unsized(*to)
            }
            _ => false,
        }
    }

    /// The type of an enum's discriminant.
    pub(crate) fn discriminant_type(&self, of: TypeId) -> TypeId {
        match self.adt(of) {
            Some(adt) => adt.repr.int().map_or(Self::ISIZE, |int| self.int(int)),
            None => Self::ISIZE,
        }
    }

    /// The discriminants of an enum's variants, as the numbers that they are.
    pub(crate) fn discriminants(&self, of: TypeId) -> Vec<i128> {
        let mut next = 0;
        let number = |variant: &Variant| {
            let own = variant.discriminant.unwrap_or(next);
            next = own + 1;
            own
        };
        self.variants(of).iter().map(number).collect()
    }

    /// Whether rustc would let it be `Copy`: without boxes, destructors and `&mut`.
    pub(crate) fn is_copy(&self, of: TypeId) -> bool {
        match self.kind(of) {
            Kind::Heap(_)
            | Kind::Slice(_)
            | Kind::Object(_)
            | Kind::Reference { mutable: true, .. } => false,
            Kind::Tuple(parts) => parts.iter().all(|part| self.is_copy(*part)),
            Kind::Array(element, _) | Kind::ArrayOf(element, _) | Kind::Manual(element) => {
                self.is_copy(*element)
            }
            Kind::Adt(index) => {
                let adt = &self.adts[*index];
                adt.destructor.is_none() && adt.parts().all(|part| self.is_copy(part))
            }
            _ => true,
        }
    }

    /// Whether a value of it owns something: a box, or a type with a destructor.
    pub(crate) fn needs_drop(&self, of: TypeId) -> bool {
        match self.kind(of) {
            Kind::Heap(_) => true,
            Kind::Tuple(parts) => parts.iter().any(|part| self.needs_drop(*part)),
            Kind::Array(element, length) => *length > 0 && self.needs_drop(*element),
            Kind::Adt(index) => {
                let adt = &self.adts[*index];
                adt.destructor.is_some() || adt.parts().any(|part| self.needs_drop(part))
            }
            _ => false,
        }
    }

    /// Whether a lifetime is written where it is: a reference or trait object is in it, or in what it points to.
    pub(crate) fn lends(&self, of: TypeId) -> bool {
        self.layout(of).lends
    }

    /// What is in a `ManuallyDrop`, or the type itself.
    pub(crate) fn bare(&self, of: TypeId) -> TypeId {
        match self.kind(of) {
            Kind::Manual(inside) => self.bare(*inside),
            _ => of,
        }
    }

    /// Whether two types have the same bytes, wherever rustc puts them: they are the same but for `ManuallyDrop`,
    /// or point to what is.
    pub(crate) fn is_alike(&self, one: TypeId, other: TypeId) -> bool {
        let behind = |of: TypeId| match self.kind(of) {
            Kind::Heap(to) => Some(*to),
            _ => self.pointee(of),
        };
        self.bare(one) == self.bare(other)
            || match (behind(one), behind(other)) {
                (Some(one), Some(other)) => self.bare(one) == self.bare(other),
                _ => false,
            }
    }

    /// A type with type parameters replaced.
    pub(crate) fn instantiate(&mut self, of: TypeId, with: &[TypeId]) -> TypeId {
        if with.is_empty() {
            return of;
        }
        let kind = match self.kind(of).clone() {
            Kind::Parameter(index) => return with.get(index).copied().unwrap_or(of),
            Kind::Tuple(parts) => {
                Kind::Tuple(parts.into_iter().map(|part| self.instantiate(part, with)).collect())
            }
            Kind::Array(element, length) => Kind::Array(self.instantiate(element, with), length),
            Kind::ArrayOf(element, index) => {
                let element = self.instantiate(element, with);
                self.array_of(element, with.get(index).copied(), index)
            }
            Kind::Constant(index, _) => return with.get(index).copied().unwrap_or(of),
            Kind::Slice(element) => Kind::Slice(self.instantiate(element, with)),
            Kind::Heap(to) => Kind::Heap(self.instantiate(to, with)),
            Kind::Manual(to) => Kind::Manual(self.instantiate(to, with)),
            Kind::Pointer { mutable, to } => {
                Kind::Pointer { mutable, to: self.instantiate(to, with) }
            }
            Kind::Reference { mutable, to } => {
                Kind::Reference { mutable, to: self.instantiate(to, with) }
            }
            _ => return of,
        };
        self.intern(kind)
    }

    /// An array whose length is what is given for a constant parameter.
    pub(crate) fn array_of(&self, element: TypeId, length: Option<TypeId>, index: usize) -> Kind {
        match length.map(|of| self.kind(of)) {
            Some(Kind::Value(_, bits)) => Kind::Array(element, *bits),
            Some(Kind::Constant(own, _)) => Kind::ArrayOf(element, *own),
            _ => Kind::ArrayOf(element, index),
        }
    }

    /// Whether it is no type, but a constant where one could be.
    pub(crate) fn is_constant(&self, of: TypeId) -> bool {
        matches!(self.kind(of), Kind::Constant(..) | Kind::Value(..))
    }

    /// Whether a type parameter occurs in it.
    pub(crate) fn is_generic(&self, of: TypeId) -> bool {
        match self.kind(of) {
            Kind::Parameter(_) | Kind::ArrayOf(..) | Kind::Constant(..) => true,
            Kind::Tuple(parts) => parts.iter().any(|part| self.is_generic(*part)),
            Kind::Array(to, _)
            | Kind::Slice(to)
            | Kind::Heap(to)
            | Kind::Manual(to)
            | Kind::Pointer { to, .. }
            | Kind::Reference { to, .. } => self.is_generic(*to),
            _ => false,
        }
    }
}
