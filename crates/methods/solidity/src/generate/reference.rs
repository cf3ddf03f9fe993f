//! Expressions of reference types.

use super::Generator;
use super::places::Use;
use crate::model::{
    AbiKind, Attribute, BYTES, ContractKind, Expression, Kind, Length, Location, STRING, State,
    StateKind, Statement, Type, TypeId, UINT256, Version, Visibility,
};
use ruint::aliases::U256;

use crate::template::{BYTES_TYPES, Relation, VariableKind, type_bit};

impl Generator<'_> {
    /// Demands that a value can be assigned to a variable with this location.
    pub(super) fn moves(&mut self, from: Attribute, to: Attribute) -> bool {
        let draw = self.entropy.word();
        match (from, to) {
            (Attribute::Variable(from), Attribute::Variable(to)) => {
                self.space.relate(from, to, Relation::Moves, draw)
            }
            (Attribute::Variable(from), Attribute::Is(to)) => {
                self.space.restrict(from, Relation::Moves.before(to))
            }
            (Attribute::Is(from), Attribute::Variable(to)) => {
                self.space.restrict(to, Relation::Moves.after(from))
            }
            (Attribute::Is(from), Attribute::Is(to)) => {
                Relation::Moves.after(from) & (1 << to) != 0
            }
        }
    }

    /// An expression of exactly this type that can be moved to a location.
    pub(super) fn reference(&mut self, ty: TypeId, to: Attribute, depth: u8) -> Option<Expression> {
        for _ in 0..5 {
            let guards = self.guards.len();
            if let Some(place) = self.reference_place(Use::Read, depth.min(1)) {
                let fits = self.could_unite(place.ty, ty)
                    && self.moves(self.location(&place), to)
                    && self.unite(place.ty, ty);
                if fits {
                    return Some(self.sliced(place, 15));
                }
                self.guards.truncate(guards);
            }
        }
        let memory = self.domain(to) & Location::Memory.bit() != 0;
        if memory && (self.domain(to) == Location::Memory.bit() || self.chance(70)) {
            if !self.restrict(to, Location::Memory.bit()) {
                return None;
            }
            if let Some(made) = self.make(ty, depth) {
                return Some(made);
            }
        }
        self.new_state_for(ty, to)
    }

    /// A new state variable where no declaration fits.
    fn new_state_for(&mut self, ty: TypeId, to: Attribute) -> Option<Expression> {
        let contract = self.template.functions[self.function].contract?;
        let contract = &self.template.contracts[usize::from(contract)];
        let stateless = contract.kind == ContractKind::Library;
        if stateless
            || contract.states.len() >= 8
            || !self.moves(Location::Storage.fixed(), to)
            || !self.reads()
        {
            return None;
        }
        let id = self.add_state(ty);
        Some(Expression::new(Kind::State(id), ty))
    }

    pub(super) fn add_state(&mut self, ty: TypeId) -> u16 {
        let visibility = Visibility::Internal.fixed();
        let kind = StateKind::Storage.fixed();
        let contract = self.contract;
        self.template.states.push(State { contract, ty, visibility, kind, initial: None });
        let id = (self.template.states.len() - 1) as u16;
        self.template.contracts[usize::from(contract)].states.push(id);
        id
    }

    /// A new value in memory.
    pub(super) fn make(&mut self, ty: TypeId, depth: u8) -> Option<Expression> {
        let decodes = depth > 0 && self.is_version(Version::V5) && self.chance(10);
        if decodes && let Some(made) = self.decoded(ty, depth - 1) {
            return Some(made);
        }
        let calls = ty == BYTES && self.is_version(Version::V5) && self.chance(16);
        if calls && let Some(made) = self.calldata(None) {
            return Some(made);
        }
        // `string.concat` came with 0.8.12.
        let first = if ty == STRING { Version::Newest } else { Version::V8Types };
        let concatenates = self.is_version(first) && self.chance(15);
        match self.ty(ty) {
            Type::Bytes | Type::String if concatenates => {
                Some(self.concatenated(ty, depth.saturating_sub(1)))
            }
            Type::Bytes => Some(match self.entropy.below(4) {
                0 => {
                    let length = self.entropy.below(70);
                    Expression::new(Kind::NewArray(Box::new(Expression::number(length))), ty)
                }
                1 if self.is_version(Version::V5) => Expression::new(
                    Kind::Cast(Box::new(Expression::new(Kind::Text(self.text()), STRING))),
                    BYTES,
                ),
                _ if self.is_version(Version::V4Late) => self.encoded(depth.min(1)),
                length => Expression::new(
                    Kind::NewArray(Box::new(Expression::number(length * 16 + 1))),
                    ty,
                ),
            }),
            Type::String => Some(Expression::new(Kind::Text(self.text()), ty)),
            Type::Array(element, length) => {
                let dynamic = match length {
                    Length::Dynamic => true,
                    Length::Fixed(_) => false,
                    Length::Variable(id) => {
                        let dynamic = self.space.domain(id) & 1 != 0 && self.chance(50);
                        let _ = dynamic && self.space.restrict(id, 1);
                        self.space.domain(id) == 1
                    }
                };
                if dynamic {
                    let length = self.new_length();
                    return Some(Expression::new(Kind::NewArray(Box::new(length)), ty));
                }
                // Before 0.8, arrays of literal addresses have payable elements.
                let address = type_bit(Type::Address);
                if self.is_reference(element)
                    || (!self.is_version(Version::V8) && !self.restrict_type(element, !address))
                {
                    return None;
                }
                let count = match length {
                    Length::Fixed(length) => u64::from(length),
                    Length::Variable(id) => {
                        let domain = self.space.domain(id) & !1;
                        let draw = self.entropy.below(u64::from(domain.count_ones()));
                        let count = crate::template::values(domain).nth(draw as usize)?;
                        if !self.space.restrict(id, 1 << count) {
                            return None;
                        }
                        u64::from(count)
                    }
                    Length::Dynamic => return None,
                };
                // The first item gives the array its type.
                let mut items = vec![self.literal(element, false)];
                for _ in 1..count {
                    items.push(self.typed(element, depth.min(1)));
                }
                Some(Expression::new(Kind::MakeArray(items), ty))
            }
            Type::Struct(which) => {
                if self.has_mapping(ty) {
                    return None;
                }
                let fields = self.template.structs[usize::from(which)].fields.clone();
                let mut items = vec![];
                for field in fields {
                    items.push(if self.is_reference(field) {
                        self.reference(field, Location::Memory.fixed(), depth.saturating_sub(1))?
                    } else {
                        self.value(field, depth.min(1))
                    });
                }
                Some(Expression::new(Kind::MakeStruct(items), ty))
            }
            _ => None,
        }
    }

    /// The length of a new array: small, or seldom more than memory can have.
    fn new_length(&mut self) -> Expression {
        let huge = self.is_version(Version::V6) && self.chance(3);
        if !huge {
            return Expression::number(self.entropy.below(5));
        }
        let bits = [64, 250, 251, 255][self.entropy.below(4) as usize];
        let mut length = U256::ONE << bits;
        length += U256::from(self.entropy.below(3));
        Expression::new(Kind::Number(length), UINT256)
    }

    /// `a[from:to]` of bytes or an array in calldata, with this chance; what is no such array stays.
    pub(super) fn sliced(&mut self, place: Expression, percent: u64) -> Expression {
        // Before 0.8, slices do not convert to memory.
        if self.is_version(Version::V8) { self.slice(place, percent) } else { place }
    }

    /// The same for an argument of `abi.encode` and the like, which take slices from 0.6.9 on.
    fn sliced_argument(&mut self, argument: Expression) -> Expression {
        let early = self.is_version(Version::V6Late) && !self.is_version(Version::V8);
        if early { self.slice(argument, 40) } else { argument }
    }

    fn slice(&mut self, place: Expression, percent: u64) -> Expression {
        // Elements of dynamic size cannot be sliced, nor can strings.
        let slices = match self.ty(place.ty) {
            Type::Bytes => true,
            Type::Array(element, _) => !self.is_reference(element),
            _ => false,
        };
        let location = self.location(&place);
        let calldata = self.domain(location) & Location::Calldata.bit() != 0;
        let possible = slices
            && calldata
            && matches!(place.kind, Kind::Local(_) | Kind::Field(..) | Kind::Index(_));
        if !possible
            || !self.chance(percent)
            || !self.is_dynamic(place.ty)
            || !self.restrict(location, Location::Calldata.bit())
        {
            return place;
        }
        let from = self.entropy.below(3);
        let longer = from + self.entropy.below(3);
        let length = Expression::new(Kind::Length(Box::new(place.clone())), UINT256);
        let to = match self.entropy.below(4) {
            0 => Some(length),
            1 | 2 => Some(Expression::number(longer)),
            _ => None,
        };
        let needed = if matches!(&to, Some(it) if it.is_bare()) { longer } else { from };
        if needed > 0 {
            self.guards.push((place.clone(), needed - 1));
        }
        let ty = place.ty;
        Expression::new(Kind::Slice(Box::new((place, Some(Expression::number(from)), to))), ty)
    }

    /// `abi.decode` of what was encoded just before.
    fn decoded(&mut self, ty: TypeId, depth: u8) -> Option<Expression> {
        if !self.is_encodable(ty) || self.has_mapping(ty) {
            return None;
        }
        let place = self.reference_place(Use::Read, depth)?;
        if !self.could_unite(place.ty, ty) || !self.unite(place.ty, ty) {
            return None;
        }
        let place = self.sliced(place, 25);
        let place = self.sliced_argument(place);
        let encoded = Expression::new(Kind::Abi(AbiKind::Encode, vec![place]), BYTES);
        Some(Expression::new(Kind::Decode(Box::new(encoded)), ty))
    }

    /// `(T a, U b) = abi.decode(abi.encode(x, y), (T, U))`
    pub(super) fn let_decoded(&mut self) -> Option<Statement> {
        let mut arguments = vec![];
        for _ in 0..2 {
            let argument = self.encodable(false, 1)?;
            arguments.push(self.sliced_argument(argument));
        }
        let types: Vec<TypeId> = arguments.iter().map(|it| it.ty).collect();
        let encoded = Expression::new(Kind::Abi(AbiKind::Encode, arguments), BYTES);
        let decode = Kind::DecodeMany(Box::new(encoded), types.clone());
        Some(self.let_many(Expression::new(decode, UINT256), &types))
    }

    /// `bytes.concat`, or `string.concat`.
    fn concatenated(&mut self, ty: TypeId, depth: u8) -> Expression {
        let mut parts = vec![];
        for _ in 0..self.entropy.between(1, 3) {
            let place = match self.reference_place(Use::Read, depth) {
                Some(place) if place.ty == ty => self.sliced(place, 25),
                _ if ty == BYTES && self.chance(50) => {
                    let id = self.variable(VariableKind::Type, BYTES_TYPES);
                    let word = self.add_type(Type::Variable(id));
                    self.typed(word, depth)
                }
                _ => Expression::new(Kind::Text(self.text()), STRING),
            };
            parts.push(place);
        }
        Expression::new(Kind::Concat(parts), ty)
    }

    /// `abi.encode` or `abi.encodePacked` of values in scope.
    pub(super) fn encoded(&mut self, depth: u8) -> Expression {
        if self.chance(30)
            && let Some(arguments) = self.parameters_again()
        {
            return Expression::new(Kind::Abi(AbiKind::Encode, arguments), BYTES);
        }
        let packed = self.chance(30);
        let count = self.entropy.between(1, 3);
        let mut arguments = vec![];
        for _ in 0..count {
            if let Some(argument) = self.encodable(packed, depth) {
                let slices = !packed || argument.ty == BYTES;
                arguments.push(if slices { self.sliced_argument(argument) } else { argument });
            }
        }
        if arguments.is_empty() {
            arguments.push(self.literal(crate::model::UINT256, false));
        }
        let kind = if packed { AbiKind::Packed } else { AbiKind::Encode };
        Expression::new(Kind::Abi(kind, arguments), BYTES)
    }

    /// The parameters of the function, in their order.
    pub(super) fn parameters_again(&mut self) -> Option<Vec<Expression>> {
        let mut arguments = vec![];
        for id in 0..self.template.functions[self.function].parameters {
            let place = Expression::new(Kind::Local(id), self.type_of_local(id));
            let known = self.scope.contains(&id);
            let encodable = !self.has_mapping(place.ty) && self.is_encodable(place.ty);
            if known && encodable && self.admits(&place, Use::Read) {
                arguments.push(place);
            }
        }
        (arguments.len() > 1).then_some(arguments)
    }

    /// Something that can be encoded.
    pub(super) fn encodable(&mut self, packed: bool, depth: u8) -> Option<Expression> {
        let reference = self.chance(60);
        if !reference {
            let ty = self.value_type();
            return Some(self.typed(ty, depth));
        }
        let place = self.reference_place(Use::Read, depth)?;
        if self.has_mapping(place.ty) || !self.is_encodable(place.ty) {
            return None;
        }
        let plain = match self.ty(place.ty) {
            Type::Array(element, _) => !self.is_reference(element),
            Type::Struct(_) | Type::Mapping(..) => false,
            _ => true,
        };
        if packed && !plain {
            return None;
        }
        // Packed encodings have no slices of arrays.
        let sliced = if packed && place.ty != BYTES { 0 } else { 25 };
        Some(self.sliced(place, sliced))
    }

    /// A location variable for a new local that is initialised from an expression.
    pub(super) fn location_for(&mut self, source: &Expression) -> Attribute {
        let from = self.location(source);
        let calldata = if self.is_version(Version::V6Late) { Location::Calldata.bit() } else { 0 };
        let all = Location::Memory.bit() | Location::Storage.bit() | calldata;
        let to = self.attribute(VariableKind::Location, all);
        self.moves(from, to);
        to
    }
}
