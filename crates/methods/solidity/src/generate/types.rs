//! Draws types, and relates them.

use super::Generator;
use crate::model::{Length, Type, TypeId, Version};
use crate::template::{
    ARRAY_LENGTHS, BYTES_TYPES, FRACTIONS, INTEGERS, Relation, SIGNED, UNSIGNED, VariableKind,
    type_bit,
};

/// Types that old bugs needed most often.
const POPULAR: &[Type] = &[
    Type::Uint(256),
    Type::Uint(256),
    Type::FixedBytes(32),
    Type::Uint(8),
    Type::Int(256),
    Type::Uint(128),
    Type::Int(8),
    Type::Bool,
    Type::FixedBytes(1),
    Type::Uint(120),
    Type::Int(64),
];

impl Generator<'_> {
    pub(super) fn add_type(&mut self, ty: Type) -> TypeId {
        self.template.types.push(ty);
        (self.template.types.len() - 1) as TypeId
    }

    pub(super) fn ty(&self, id: TypeId) -> Type {
        self.template.types[usize::from(id)]
    }

    /// The type that a number stands for if nothing is left to decide.
    pub(super) fn resolved(&self, id: TypeId) -> Type {
        match self.ty(id) {
            Type::Variable(variable) if self.space.domain(variable).is_power_of_two() => {
                crate::template::type_value(self.space.domain(variable).trailing_zeros() as u8)
            }
            ty => ty,
        }
    }

    pub(super) fn is_reference(&self, id: TypeId) -> bool {
        self.ty(id).is_reference()
    }

    /// A value type that solutions decide.
    pub(super) fn value_type(&mut self) -> TypeId {
        let popular = POPULAR.iter().fold(0, |all, ty| all | type_bit(*ty));
        let other = type_bit(Type::Bool)
            | type_bit(Type::Address)
            | type_bit(Type::Enum(0))
            | type_bit(Type::Enum(1));
        let small = ((1u128 << 16) - 1) | ((1 << 16) - 1) << 32;
        let wrappers = match self.template.wrappers.len() {
            0 => 0,
            count => (0..count).fold(0, |all, it| all | type_bit(Type::Wrapper(it as u8))),
        };
        let fractions = 15 * u64::from(self.fractions);
        let domain = match self.weighted(&[30, 20, 16, 8, 10, 6, 6, 4, fractions]) {
            8 => FRACTIONS,
            0 => popular,
            1 => INTEGERS,
            2 => small,
            3 => BYTES_TYPES,
            4 => INTEGERS | BYTES_TYPES | other | wrappers,
            5 => other | wrappers,
            6 => type_bit(Type::Uint(256)) | type_bit(Type::FixedBytes(32)),
            _ if wrappers != 0 && self.chance(40) => type_bit(Type::Wrapper(0)),
            _ => type_bit(POPULAR[self.entropy.below(POPULAR.len() as u64) as usize]),
        };
        let id = self.variable(VariableKind::Type, domain);
        self.add_type(Type::Variable(id))
    }

    pub(super) fn unsigned_type(&mut self) -> TypeId {
        let id = self.variable(VariableKind::Type, UNSIGNED);
        self.add_type(Type::Variable(id))
    }

    pub(super) fn length(&mut self) -> Length {
        match self.weighted(&[50, 30, 20]) {
            0 => Length::Dynamic,
            1 => Length::Variable(self.variable(VariableKind::Length, ARRAY_LENGTHS)),
            _ => Length::Variable(self.variable(VariableKind::Length, ARRAY_LENGTHS & !1)),
        }
    }

    /// Any type that can be in memory.
    pub(super) fn any_type(&mut self, depth: u8) -> TypeId {
        let deeper = u64::from(depth > 0);
        let arrays = (4 + self.swarm.arrays) * deeper;
        let structs = (1 + self.swarm.structs) * deeper;
        match self.weighted(&[12, arrays, 2 + self.swarm.bytes, structs]) {
            0 => self.value_type(),
            1 => self.array_type(depth - 1),
            2 => self.bytes_type(),
            _ => self.struct_type(depth - 1),
        }
    }

    /// A type with a location.
    pub(super) fn reference_type(&mut self, depth: u8) -> TypeId {
        let arrays = 4 + self.swarm.arrays;
        match self.weighted(&[arrays, 2 + self.swarm.bytes, 1 + self.swarm.structs]) {
            0 => self.array_type(depth),
            1 => self.bytes_type(),
            _ => self.struct_type(depth.saturating_sub(1)),
        }
    }

    /// An array of fixed length whose elements fill words.
    pub(super) fn word_array(&mut self) -> TypeId {
        let words = type_bit(Type::Uint(256)) | type_bit(Type::FixedBytes(32));
        let id = self.variable(VariableKind::Type, words);
        let element = self.add_type(Type::Variable(id));
        let length = Length::Variable(self.variable(VariableKind::Length, ARRAY_LENGTHS & !1));
        self.add_type(Type::Array(element, length))
    }

    pub(super) fn bytes_type(&mut self) -> TypeId {
        let string = self.chance(25);
        if string { crate::model::STRING } else { crate::model::BYTES }
    }

    pub(super) fn array_type(&mut self, depth: u8) -> TypeId {
        let element =
            if depth > 0 && self.chance(35) { self.any_type(depth - 1) } else { self.value_type() };
        let length = self.length();
        self.add_type(Type::Array(element, length))
    }

    pub(super) fn struct_type(&mut self, depth: u8) -> TypeId {
        let known = self.template.structs.len() as u64;
        let which = if known > 2 || (known > 0 && self.chance(50)) {
            self.entropy.below(known) as u8
        } else {
            let count = self.entropy.between(1, 4);
            let mut fields = vec![];
            for _ in 0..count {
                let plain = depth == 0 || self.chance(65);
                let field = if plain { self.value_type() } else { self.any_type(depth - 1) };
                fields.push(field);
            }
            self.template.structs.push(crate::model::Struct { fields });
            (self.template.structs.len() - 1) as u8
        };
        self.add_type(Type::Struct(which))
    }

    /// A type for a state variable.
    pub(super) fn state_type(&mut self) -> TypeId {
        let mappings = self.chance(10);
        if mappings {
            let key = match self.entropy.below(8) {
                0 => self.bytes_type(),
                _ => self.value_type(),
            };
            let enums = type_bit(Type::Enum(0)) | type_bit(Type::Enum(1));
            // Before 0.6.9, keys have elementary types.
            if !self.is_version(Version::V6Late)
                && !self.is_reference(key)
                && !self.restrict_type(key, !enums)
            {
                return self.value_type();
            }
            let value = self.any_type(2);
            return self.add_type(Type::Mapping(key, value));
        }
        if self.chance(5 + self.swarm.arrays) {
            // Elements that share slots.
            let small = ((1u128 << 16) - 1) | ((1 << 16) - 1) << 32 | ((1 << 16) - 1) << 64;
            let id = self.variable(VariableKind::Type, small);
            let element = self.add_type(Type::Variable(id));
            return self.add_type(Type::Array(element, Length::Dynamic));
        }
        let references = self.chance(55);
        if references { self.reference_type(2) } else { self.value_type() }
    }

    /// The value types that an id can still stand for.
    pub(super) fn types_of(&self, id: TypeId) -> u128 {
        match self.ty(id) {
            Type::Variable(variable) => self.space.domain(variable),
            ty => type_bit(ty),
        }
    }

    pub(super) fn restrict_type(&mut self, id: TypeId, allowed: u128) -> bool {
        match self.ty(id) {
            Type::Variable(variable) => self.space.restrict(variable, allowed),
            ty => type_bit(ty) & allowed != 0,
        }
    }

    /// Demands that one value type converts to another implicitly.
    pub(super) fn converts(&mut self, from: TypeId, to: TypeId) -> bool {
        if from == to {
            return true;
        }
        let draw = self.entropy.word();
        match (self.ty(from), self.ty(to)) {
            (Type::Variable(from), Type::Variable(to)) => {
                self.space.relate(from, to, Relation::Converts, draw)
            }
            (Type::Variable(from), to) => {
                self.space.restrict(from, Relation::Converts.preimage(type_bit(to)))
            }
            (from, Type::Variable(to)) => {
                self.space.restrict(to, Relation::Converts.image(type_bit(from)))
            }
            (from, to) => Relation::Converts.image(type_bit(from)) & type_bit(to) != 0,
        }
    }

    /// Demands that two types are the same.
    pub(super) fn unite(&mut self, left: TypeId, right: TypeId) -> bool {
        if left == right {
            return true;
        }
        let draw = self.entropy.word();
        match (self.ty(left), self.ty(right)) {
            (Type::Variable(left), Type::Variable(right)) => self.space.unite(left, right, draw),
            (Type::Variable(variable), ty) | (ty, Type::Variable(variable)) => {
                ty.is_value() && self.space.restrict(variable, type_bit(ty))
            }
            (Type::Array(left, many), Type::Array(right, much)) => {
                self.could_unite(left, right)
                    && self.unite_lengths(many, much, draw)
                    && self.unite(left, right)
            }
            (left, right) => left == right && !matches!(left, Type::Mapping(..)),
        }
    }

    /// Whether two types have the same shape, so that it is worth trying.
    pub(super) fn could_unite(&self, left: TypeId, right: TypeId) -> bool {
        match (self.ty(left), self.ty(right)) {
            (Type::Array(left, _), Type::Array(right, _)) => self.could_unite(left, right),
            (Type::Mapping(..), _) | (_, Type::Mapping(..)) => left == right,
            (a, b) if a.is_value() && b.is_value() => {
                self.types_of(left) & self.types_of(right) != 0
            }
            (left, right) => left == right,
        }
    }

    fn unite_lengths(&mut self, left: Length, right: Length, draw: u64) -> bool {
        let bit = |length| match length {
            Length::Dynamic => 1u128,
            Length::Fixed(length) => 1 << length.min(127),
            Length::Variable(_) => 0,
        };
        match (left, right) {
            (Length::Variable(left), Length::Variable(right)) => {
                self.space.unite(left, right, draw)
            }
            (Length::Variable(variable), fixed) | (fixed, Length::Variable(variable)) => {
                self.space.restrict(variable, bit(fixed))
            }
            (left, right) => left == right,
        }
    }

    /// Demands that an array is dynamic.
    pub(super) fn is_dynamic(&mut self, id: TypeId) -> bool {
        match self.ty(id) {
            Type::Array(_, Length::Dynamic) | Type::Bytes => true,
            Type::Array(_, Length::Variable(variable)) => self.space.restrict(variable, 1),
            _ => false,
        }
    }

    /// Demands that an index is in range of an array type with a fixed length.
    pub(super) fn is_long_enough(&mut self, id: TypeId, index: u64) -> bool {
        match self.ty(id) {
            Type::Array(_, Length::Fixed(length)) => index < u64::from(length),
            Type::Array(_, Length::Variable(variable)) => {
                let longer = (ARRAY_LENGTHS >> (index + 1)) << (index + 1);
                self.space.restrict(variable, longer | 1)
            }
            _ => true,
        }
    }

    /// Whether a type holds a mapping, and so cannot leave storage.
    pub(super) fn has_mapping(&self, id: TypeId) -> bool {
        match self.ty(id) {
            Type::Mapping(..) => true,
            Type::Array(element, _) => self.has_mapping(element),
            Type::Struct(which) => {
                let fields = &self.template.structs[usize::from(which)].fields;
                fields.iter().any(|field| self.has_mapping(*field))
            }
            _ => false,
        }
    }

    pub(super) fn is_signed(&mut self, id: TypeId) -> bool {
        self.restrict_type(id, SIGNED)
    }

    pub(super) fn is_array(&self, id: TypeId) -> bool {
        matches!(self.ty(id), Type::Array(..))
    }
}
