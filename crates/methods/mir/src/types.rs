//! The interned types of a program, each with its layout. Layouts are computed in `layout.rs` and, for recursive types,
//! `recursive_layout.rs`.

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
    /// `*mut T` or `*const T`. Wide if `T` is a slice or trait object.
    Pointer {
        mutable: bool,
        to: TypeId,
    },
    /// `&mut T` or `&T`. Wide if `T` is a slice or trait object.
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
    /// `ManuallyDrop<T>`: has the layout of `T`, and does not drop it.
    Manual(TypeId),
    /// `fn(A, B) -> C`.
    Function {
        parameters: Vec<TypeId>,
        returns: TypeId,
    },
    /// A type parameter of the function that uses it, by index. It has no layout.
    Parameter(usize),
    /// `[T; N]`, where `N` is a const parameter of the function that uses the type: `T`, and the index of `N`. It has
    /// no layout.
    ArrayOf(TypeId, usize),
    /// Not a type: a const parameter as a generic argument. Its index, and its type.
    Constant(usize, TypeId),
    /// Not a type: a constant as a generic argument. Its type, and its bits.
    Value(TypeId, u64),
}

/// All types of a program. Each refers to earlier types only, except structs, unions and enums: their fields can have
/// later types, so that a type can contain a pointer to itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Plain", into = "Plain")]
pub(crate) struct Types {
    pub(super) kinds: Vec<Kind>,
    pub(crate) adts: Vec<Adt>,
    pub(super) layouts: Vec<Layout>,
    numbers: HashMap<Kind, TypeId>,
}

/// The part of [`Types`] from which the rest is derived.
#[derive(Clone, Serialize, Deserialize)]
struct Plain {
    kinds: Vec<Kind>,
    adts: Vec<Adt>,
}

/// Why deserialised types are invalid. Layouts are computed when types are read, so this is checked before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
enum Invalid {
    #[error("type {0} refers to a type that is not declared before it, or contains itself")]
    Unordered(usize),
    #[error("a struct, union or enum is aligned or packed to what is no power of two")]
    Alignment,
    #[error("type {0} is too large")]
    Size(usize),
}

/// Bounds of what a file can ask for.
const MOST_ALIGNED: u64 = 1 << 29;
const LONGEST_ARRAY: u64 = 1 << 16;
const LARGEST: usize = 1 << 24;

impl TryFrom<Plain> for Types {
    type Error = Invalid;

    fn try_from(plain: Plain) -> Result<Self, Invalid> {
        use Invalid::Unordered;
        for adt in &plain.adts {
            let bounds = adt.repr.alignment().into_iter().chain(adt.repr.packing());
            if bounds.into_iter().any(|it| !it.is_power_of_two() || it > MOST_ALIGNED) {
                return Err(Invalid::Alignment);
            }
        }
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
            if matches!(kind, Kind::Array(_, length) if *length > LONGEST_ARRAY) {
                return Err(Invalid::Size(number));
            }
        }
        let types = plain.into_types();
        if let Some(of) = types.infinitely_sized() {
            return Err(Unordered(of.0 as usize));
        }
        match types.layouts.iter().position(|layout| layout.size > LARGEST) {
            Some(number) => Err(Invalid::Size(number)),
            None => Ok(types),
        }
    }
}

impl Plain {
    /// All types that are referred to must exist.
    fn into_types(self) -> Types {
        let numbers =
            (0..).map(TypeId).zip(&self.kinds).map(|(number, kind)| (kind.clone(), number));
        let mut types = Types {
            numbers: numbers.collect(),
            kinds: self.kinds,
            adts: self.adts,
            layouts: vec![],
        };
        types.compute_layouts();
        types
    }
}

impl Kind {
    /// The types that it refers to. Those of a struct, union or enum are in its declaration.
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

    /// Contains `()` and all scalar types, at fixed indices.
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

    /// The index of a type, which is added if it is new.
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

    /// A forward declaration: a struct, union or enum that types can point to before [`Types::define`] defines it.
    pub(crate) fn announce(&mut self) -> TypeId {
        self.declare(Adt { shape: Shape::Struct(vec![]), repr: Repr::Rust, destructor: None })
    }

    /// Defines types that were announced. Their fields can have any types.
    pub(crate) fn define(&mut self, announced: impl IntoIterator<Item = (TypeId, Adt)>) {
        let mut any = false;
        for (of, adt) in announced {
            if let Kind::Adt(index) = self.kinds[of.0 as usize] {
                self.adts[index] = adt;
                any = true;
            }
        }
        if any {
            self.compute_layouts();
        }
    }

    pub(crate) fn int(&self, int: Int) -> TypeId {
        self.numbers.get(&Kind::Int(int)).copied().unwrap_or(Self::U64)
    }

    /// The index of a type. `None` if it was not interned.
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

    /// The fields of a tuple, struct or union. Enums have fields per variant only: [`Types::variants`].
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

    /// `bool`, `char`, integers and floats.
    pub(crate) fn is_scalar(&self, of: TypeId) -> bool {
        matches!(self.kind(of), Kind::Bool | Kind::Char | Kind::Int(_) | Kind::Float(_))
    }

    pub(crate) fn as_int(&self, of: TypeId) -> Option<Int> {
        match self.kind(of) {
            Kind::Int(int) => Some(*int),
            _ => None,
        }
    }

    /// The type that a raw pointer or reference points to.
    pub(crate) fn pointee(&self, of: TypeId) -> Option<TypeId> {
        match self.kind(of) {
            Kind::Pointer { to, .. } | Kind::Reference { to, .. } => Some(*to),
            _ => None,
        }
    }

    /// A pointer or reference to a slice, or a pointer, reference or box of a trait object.
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

    /// The discriminants of an enum's variants, as signed numbers.
    pub(crate) fn discriminants(&self, of: TypeId) -> Vec<i128> {
        let mut next = 0;
        let number = |variant: &Variant| {
            let own = variant.discriminant.unwrap_or(next);
            next = own + 1;
            own
        };
        self.variants(of).iter().map(number).collect()
    }

    /// Whether rustc would accept `Copy` for it: it contains no box, destructor or `&mut`.
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

    /// Whether dropping it has an effect: it contains a box or a type with a destructor.
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

    /// Whether its name in source text contains a lifetime: see [`Layout::has_lifetime`].
    pub(crate) fn has_lifetime(&self, of: TypeId) -> bool {
        self.layout(of).has_lifetime
    }

    /// The type without the `ManuallyDrop`s around it.
    pub(crate) fn without_manually_drop(&self, of: TypeId) -> TypeId {
        match self.kind(of) {
            Kind::Manual(inside) => self.without_manually_drop(*inside),
            _ => of,
        }
    }

    /// Whether two types have the same layout under every choice of rustc: they, or the types they point to, differ
    /// only by `ManuallyDrop`.
    pub(crate) fn has_same_layout(&self, one: TypeId, other: TypeId) -> bool {
        let behind = |of: TypeId| match self.kind(of) {
            Kind::Heap(to) => Some(*to),
            _ => self.pointee(of),
        };
        self.without_manually_drop(one) == self.without_manually_drop(other)
            || match (behind(one), behind(other)) {
                (Some(one), Some(other)) => {
                    self.without_manually_drop(one) == self.without_manually_drop(other)
                }
                _ => false,
            }
    }

    /// Substitutes generic arguments in a type.
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

    /// An array type whose length is the argument of a const parameter.
    pub(crate) fn array_of(&self, element: TypeId, length: Option<TypeId>, index: usize) -> Kind {
        match length.map(|of| self.kind(of)) {
            Some(Kind::Value(_, bits)) => Kind::Array(element, *bits),
            Some(Kind::Constant(own, _)) => Kind::ArrayOf(element, *own),
            _ => Kind::ArrayOf(element, index),
        }
    }

    /// Whether it is not a type but a constant as a generic argument.
    pub(crate) fn is_constant(&self, of: TypeId) -> bool {
        matches!(self.kind(of), Kind::Constant(..) | Kind::Value(..))
    }

    /// Whether it contains a generic parameter.
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
