//! A program: a template with one solution. It answers what the type or attribute behind a number is.

use ruint::aliases::U256;

use crate::model::{
    Attribute, CallKind, Length, Location, Mutability, StateKind, Template, Type, TypeId, Version,
    Visibility,
};
use crate::template::{mix, type_value};

/// A template with one solution.
#[derive(Debug)]
pub struct View<'a> {
    pub template: &'a Template,
    pub types: Vec<Type>,
    solution: &'a [u8],
    /// Decides the values of literals.
    salt: u64,
}

impl<'a> View<'a> {
    pub fn new(template: &'a Template, solution: &'a [u8], salt: u64) -> Self {
        let value = |id: u16| solution.get(usize::from(id)).copied().unwrap_or(0);
        let resolve = |ty: &Type| match *ty {
            Type::Variable(id) => type_value(value(id)),
            Type::Array(element, Length::Variable(id)) => {
                let length = match value(id) {
                    0 => Length::Dynamic,
                    length => Length::Fixed(u16::from(length)),
                };
                Type::Array(element, length)
            }
            ty => ty,
        };
        let types = template.types.iter().map(resolve).collect();
        Self { template, types, solution, salt }
    }

    pub fn version(&self) -> Version {
        self.template.version
    }

    pub fn ty(&self, id: TypeId) -> Type {
        self.types.get(usize::from(id)).copied().unwrap_or(Type::Bool)
    }

    fn attribute(&self, attribute: Attribute) -> u8 {
        match attribute {
            Attribute::Is(value) => value,
            Attribute::Variable(id) => self.solution.get(usize::from(id)).copied().unwrap_or(0),
        }
    }

    pub fn location(&self, attribute: Attribute) -> Location {
        Location::numbered(self.attribute(attribute))
    }

    pub fn visibility(&self, attribute: Attribute) -> Visibility {
        Visibility::numbered(self.attribute(attribute))
    }

    pub fn mutability(&self, attribute: Attribute) -> Mutability {
        Mutability::numbered(self.attribute(attribute))
    }

    pub fn state_kind(&self, attribute: Attribute) -> StateKind {
        StateKind::numbered(self.attribute(attribute))
    }

    pub fn call_kind(&self, attribute: Attribute) -> CallKind {
        CallKind::numbered(self.attribute(attribute))
    }

    /// Whether a block or flag is on.
    pub fn is_on(&self, attribute: Attribute) -> bool {
        self.attribute(attribute) != 0
    }

    /// The value of an attribute as a number.
    pub fn number(&self, attribute: Attribute) -> u8 {
        self.attribute(attribute)
    }

    /// The types of the members of a struct, or the repeated type of an array.
    pub fn fields(&self, which: u8) -> &'a [TypeId] {
        self.template.structs.get(usize::from(which)).map_or(&[], |it| &it.fields)
    }

    /// The type that a user-defined value type or an enum is stored as; others stay.
    pub fn underlying(&self, ty: Type) -> Type {
        match ty {
            Type::Wrapper(which) => {
                self.template.wrappers.get(usize::from(which)).map_or(ty, |id| self.ty(*id))
            }
            ty => ty,
        }
    }

    /// Whether two numbers stand for the same type.
    pub fn same(&self, left: TypeId, right: TypeId) -> bool {
        left == right
            || match (self.ty(left), self.ty(right)) {
                (Type::Array(left, many), Type::Array(right, much)) => {
                    many == much && self.same(left, right)
                }
                (Type::Mapping(key, value), Type::Mapping(other_key, other)) => {
                    self.same(key, other_key) && self.same(value, other)
                }
                (left, right) => left == right,
            }
    }

    /// The value of a literal: an edge of its type more often than not.
    pub fn literal(&self, number: u16, ty: TypeId) -> U256 {
        self.literal_of(number, self.underlying(self.ty(ty)))
    }

    fn literal_of(&self, number: u16, ty: Type) -> U256 {
        let draw = mix(self.salt ^ mix(u64::from(number) + 1));
        let wide = || U256::from_limbs([draw, mix(draw), mix(draw ^ 1), mix(draw ^ 2)]);
        match ty {
            Type::Bool => U256::from(draw & 1),
            Type::Address => U256::ZERO,
            Type::Enum(which) => {
                let members = self.template.enums.get(usize::from(which)).copied().unwrap_or(1);
                U256::from(draw % u64::from(members.max(1)))
            }
            // Halves.
            Type::Fixed(_) => U256::from(draw & 7),
            Type::FixedBytes(bytes) => {
                let bits = usize::from(bytes) * 8;
                let low = match draw >> 60 {
                    0 => U256::ZERO,
                    1 => U256::MAX,
                    2 => U256::ONE,
                    _ => wide(),
                };
                low << (256 - bits)
            }
            Type::Uint(bits) => match draw >> 60 {
                0 => crate::word::wrap(U256::MAX, ty),
                1 => crate::word::wrap(U256::MAX, ty) - U256::ONE,
                2 => U256::ONE << (usize::from(bits) - 1),
                3 => crate::word::wrap(wide(), ty),
                4 | 5 => U256::from(draw & 0xff),
                _ => U256::from(draw % 6),
            },
            Type::Int(bits) => match draw >> 60 {
                0 => crate::word::wrap(U256::ONE << (usize::from(bits) - 1), ty),
                1 => (U256::ONE << (usize::from(bits) - 1)) - U256::ONE,
                2 => U256::MAX,
                3 => crate::word::wrap(wide(), ty),
                4 | 5 => U256::from(draw & 0x7f),
                6 => U256::ZERO.wrapping_sub(U256::from(draw & 0x3f)),
                _ => U256::from(draw % 6),
            },
            _ => U256::ZERO,
        }
    }
}
