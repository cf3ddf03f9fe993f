//! Expressions of value types. The type of each is the type of a declaration: an operator takes the type of one
//! operand, and the other one converts to it.

use super::Generator;
use super::places::Use;
use crate::model::{
    AbiKind, BOOL, BYTES, BYTES32, Binary, Expression, Kind, Location, Type, TypeId, UINT256,
    Unary, Version, Visibility,
};
use crate::template::{BYTES_TYPES, FRACTIONS, INTEGERS, ORDERED, SIGNED, UNSIGNED, type_bit};

const ARITHMETIC: &[Binary] = &[
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::Div,
    Binary::Mod,
    Binary::And,
    Binary::Or,
    Binary::Xor,
];
const BITS: &[Binary] = &[Binary::And, Binary::Or, Binary::Xor];
const ORDERS: &[Binary] = &[Binary::Less, Binary::LessEqual, Binary::Greater, Binary::GreaterEqual];

impl Generator<'_> {
    pub(super) fn literal(&mut self, ty: TypeId, bare: bool) -> Expression {
        self.literals += 1;
        // Before 0.4.24, a literal does not take the type of the other operand.
        let bare = bare && self.is_version(Version::V4Late);
        // Enums, wrappers and the like are never bare, which the printer knows.
        Expression::new(Kind::Literal { number: self.literals, bare }, ty)
    }

    /// An expression whose type converts to `ty` implicitly.
    pub(super) fn value(&mut self, ty: TypeId, depth: u8) -> Expression {
        if self.types_of(ty) == type_bit(Type::Bool) {
            return self.condition(depth);
        }
        let deep = u64::from(depth > 0);
        let domain = self.types_of(ty);
        let ordered = u64::from(domain & (ORDERED | FRACTIONS) != 0) * deep;
        let hash = u64::from(domain & type_bit(Type::FixedBytes(32)) != 0) * deep;
        let arithmetic = 10 + 2 * self.swarm.arithmetic;
        let wrappers = type_bit(Type::Wrapper(0)) | type_bit(Type::Wrapper(1));
        let wrapped = u64::from(domain & wrappers != 0) * deep;
        let weights = [
            40,
            14,
            arithmetic * ordered,
            6 * ordered,
            5 * deep,
            (2 + self.swarm.calls) * deep,
            3 * hash,
            3 * ordered,
            4 * ordered,
            12 * wrapped,
            12 * wrapped * u64::from(!self.template.operators.is_empty()),
            3 * deep,
            3 * deep * u64::from(self.is_version(Version::V5)),
            2 + 20 * u64::from(domain == type_bit(Type::FixedBytes(4))),
        ];
        let made = match self.weighted(&weights) {
            0 => self.read(ty, depth),
            1 => None,
            2 => self.operation(ty, depth - 1),
            3 => self.cast(ty, depth - 1),
            4 => self.choice(ty, depth - 1),
            5 => self.call_value(ty, depth - 1),
            6 => self.hash(ty, depth - 1),
            7 => self.unary(ty, depth - 1),
            8 => self.measure(ty, depth - 1),
            9 => self.wrap(ty, depth - 1),
            10 => self.operated(ty, depth - 1),
            11 => self.getter(ty, depth - 1),
            12 => self.decoded_value(ty, depth - 1),
            _ => {
                let four = self.selector_type();
                if self.converts(four, ty) { self.selector() } else { None }
            }
        };
        match made {
            Some(made) => made,
            None if self.chance(50) => {
                self.read(ty, depth).unwrap_or_else(|| self.literal(ty, true))
            }
            None => self.literal(ty, true),
        }
    }

    /// A value that is not a literal without a type.
    pub(super) fn typed(&mut self, ty: TypeId, depth: u8) -> Expression {
        let mut value = self.value(ty, depth);
        if let Kind::Literal { bare, .. } = &mut value.kind {
            *bare = false;
        }
        value
    }

    /// A variable, element or member.
    fn read(&mut self, ty: TypeId, depth: u8) -> Option<Expression> {
        for _ in 0..3 {
            let guards = self.guards.len();
            if let Some(place) = self.value_place(Use::Read, depth.min(1)) {
                if self.converts(place.ty, ty) {
                    return Some(place);
                }
                self.guards.truncate(guards);
            }
        }
        None
    }

    fn operation(&mut self, ty: TypeId, depth: u8) -> Option<Expression> {
        let left = self.typed(ty, depth);
        let domain = self.types_of(left.ty);
        let shift = self.chance(15);
        if shift && self.restrict_type(left.ty, ORDERED) {
            let right = self.chance(50) && self.shifts_right(left.ty);
            let op = if right { Binary::Shr } else { Binary::Shl };
            let right = match self.entropy.below(3) {
                0 => {
                    let unsigned = self.unsigned_type();
                    self.typed(unsigned, depth.min(1))
                }
                _ => {
                    let amount = [0, 1, 3, 7, 8, 9, 15, 16, 64, 127, 255, 256]
                        [self.entropy.below(12) as usize];
                    Expression::number(amount)
                }
            };
            let ty = left.ty;
            return Some(Expression::new(Kind::Binary(op, Box::new((left, right))), ty));
        }
        if domain & INTEGERS != 0 && self.restrict_type(left.ty, INTEGERS) {
            // Before 0.7, only unsigned numbers have powers.
            let powers = self.is_version(Version::V7) || domain & UNSIGNED != 0;
            if powers
                && self.chance(5)
                && (self.is_version(Version::V7) || self.restrict_type(left.ty, UNSIGNED))
            {
                let exponent = self.exponent(left.ty, depth);
                let ty = left.ty;
                return Some(Expression::new(
                    Kind::Binary(Binary::Exp, Box::new((left, exponent))),
                    ty,
                ));
            }
            let op = ARITHMETIC[self.entropy.below(ARITHMETIC.len() as u64) as usize];
            return Some(self.combined(op, left, depth));
        }
        if domain & BYTES_TYPES != 0 && self.restrict_type(left.ty, BYTES_TYPES) {
            let op = BITS[self.entropy.below(BITS.len() as u64) as usize];
            return Some(self.combined(op, left, depth));
        }
        if domain & FRACTIONS != 0 && self.restrict_type(left.ty, FRACTIONS) {
            let op = ARITHMETIC[self.entropy.below(4) as usize];
            return Some(self.combined(op, left, depth));
        }
        Some(left)
    }

    /// A small number, or a value of an unsigned type: before 0.7 of one that does not widen the result.
    fn exponent(&mut self, base: TypeId, depth: u8) -> Expression {
        match self.entropy.below(3) {
            0 if self.is_version(Version::V7) => {
                let unsigned = self.unsigned_type();
                self.typed(unsigned, depth.min(1))
            }
            0 => self.typed(base, depth.min(1)),
            _ => Expression::number(self.entropy.below(5)),
        }
    }

    /// Before 0.5, negative numbers are shifted right with another rounding.
    pub(super) fn shifts_right(&mut self, ty: TypeId) -> bool {
        self.is_version(Version::V5) || self.restrict_type(ty, ORDERED & !SIGNED)
    }

    /// An operator with a right operand that converts to the type of the left one, in either order.
    fn combined(&mut self, op: Binary, left: Expression, depth: u8) -> Expression {
        let divides = matches!(op, Binary::Div | Binary::Mod);
        let right = match divides {
            true => self.typed(left.ty, depth),
            false => self.value(left.ty, depth),
        };
        let folded = !matches!(right.kind, Kind::Literal { .. }) && self.is_folded(&right);
        // The compiler checks divisors that it can compute.
        let (op, divides) = if divides && folded { (Binary::Sub, false) } else { (op, divides) };
        let ty = left.ty;
        let flip = !divides && self.chance(40);
        let parts = if flip { (right, left) } else { (left, right) };
        Expression::new(Kind::Binary(op, Box::new(parts)), ty)
    }

    fn cast(&mut self, ty: TypeId, depth: u8) -> Option<Expression> {
        let place = self.value_place(Use::Read, depth)?;
        if let Type::Wrapper(which) = self.resolved(place.ty) {
            // `U.unwrap(x)`
            let underlying = *self.template.wrappers.get(usize::from(which))?;
            return self
                .converts(underlying, ty)
                .then(|| Expression::new(Kind::Cast(Box::new(place)), underlying));
        }
        if !self.restrict_type(place.ty, ORDERED) || !self.restrict_type(ty, ORDERED) {
            return None;
        }
        Some(Expression::new(Kind::Cast(Box::new(place)), ty))
    }

    fn selector_type(&mut self) -> TypeId {
        self.add_type(Type::FixedBytes(4))
    }

    /// `U.wrap(x)`
    fn wrap(&mut self, ty: TypeId, depth: u8) -> Option<Expression> {
        let which = self.entropy.below(self.template.wrappers.len().max(1) as u64) as u8;
        let underlying = *self.template.wrappers.get(usize::from(which))?;
        let own = self.add_type(Type::Wrapper(which));
        if !self.converts(own, ty) {
            return None;
        }
        let value = self.typed(underlying, depth);
        Some(Expression::new(Kind::Cast(Box::new(value)), own))
    }

    fn choice(&mut self, ty: TypeId, depth: u8) -> Option<Expression> {
        let condition = self.condition(depth);
        let yes = self.typed(ty, depth);
        let no = self.typed(yes.ty, depth);
        let ty = yes.ty;
        let parts = if self.chance(50) { (condition, yes, no) } else { (condition, no, yes) };
        Some(Expression::new(Kind::Conditional(Box::new(parts)), ty))
    }

    fn hash(&mut self, ty: TypeId, depth: u8) -> Option<Expression> {
        if !self.converts(BYTES32, ty) {
            return None;
        }
        let places = self.bytes_places();
        let bytes = match self.entropy.pick(&places).cloned() {
            Some(place) if self.chance(30) && self.admits(&place, Use::Read) => {
                self.sliced(place, 50)
            }
            _ if self.is_version(Version::V4Late) => self.encoded(depth),
            _ => return None,
        };
        Some(Expression::new(Kind::Keccak(Box::new(bytes)), BYTES32))
    }

    /// `abi.decode` of a value that was encoded just before, or of the first word of bytes.
    fn decoded_value(&mut self, ty: TypeId, depth: u8) -> Option<Expression> {
        let places = self.bytes_places();
        let place = self.entropy.pick(&places).cloned();
        let Some(place) = place.filter(|_| self.chance(50)) else {
            let inner = self.typed(ty, depth);
            let ty = inner.ty;
            let encoded = Expression::new(Kind::Abi(AbiKind::Encode, vec![inner]), BYTES);
            return Some(Expression::new(Kind::Decode(Box::new(encoded)), ty));
        };
        // Every word is a value of these types.
        let wide = if self.chance(50) { UINT256 } else { BYTES32 };
        let location = self.location(&place);
        let fits = self.converts(wide, ty)
            && self.restrict(location, !Location::Storage.bit())
            && self.admits(&place, Use::Read);
        if !fits {
            return None;
        }
        self.guards.push((place.clone(), 31));
        Some(Expression::new(Kind::Decode(Box::new(place)), wide))
    }

    /// A public state variable, read from outside.
    fn getter(&mut self, ty: TypeId, depth: u8) -> Option<Expression> {
        let contracts = self.contracts_in_scope();
        let target = match self.entropy.pick(&contracts).copied() {
            Some(local) if self.chance(60) => Some(local),
            _ => None,
        };
        let (contract, target) = match target {
            Some(local) => {
                let ty = self.type_of_local(local);
                let Type::Contract(contract) = self.ty(ty) else { return None };
                (contract, Some(Box::new(Expression::new(Kind::Local(local), ty))))
            }
            None => (self.own_from_outside()?, None),
        };
        let family = self.ancestors(contract);
        let known: Vec<u16> = family
            .into_iter()
            .flat_map(|it| self.template.contracts[usize::from(it)].states.clone())
            .filter(|id| {
                let state = &self.template.states[usize::from(*id)];
                self.domain(state.visibility) & Visibility::Public.bit() != 0
            })
            .collect();
        let state = *self.entropy.pick(&known)?;
        let mut shown = self.template.states[usize::from(state)].ty;
        let mut keys = vec![];
        loop {
            match self.ty(shown) {
                Type::Mapping(key, value) => {
                    keys.push(match self.is_reference(key) {
                        true => Expression::new(Kind::Text(self.text()), key),
                        false => self.value(key, depth.min(1)),
                    });
                    shown = value;
                }
                // Before 0.8, versions differ in how a getter fails for an index that is out of range.
                Type::Array(element, _) if self.is_version(Version::V8) => {
                    keys.push(Expression::number(self.entropy.below(3)));
                    shown = element;
                }
                _ => break,
            }
        }
        let visibility = self.template.states[usize::from(state)].visibility;
        let fits = !self.is_reference(shown)
            && self.converts(shown, ty)
            && self.reads()
            && self.restrict(visibility, Visibility::Public.bit());
        fits.then(|| Expression::new(Kind::Getter { target, state, keys }, shown))
    }

    fn unary(&mut self, ty: TypeId, depth: u8) -> Option<Expression> {
        let inner = self.typed(ty, depth);
        let ty = inner.ty;
        let minus = self.chance(40);
        if minus && self.is_signed(ty) {
            return Some(Expression::new(Kind::Unary(Unary::Minus, Box::new(inner)), ty));
        }
        if !self.restrict_type(ty, ORDERED) {
            return Some(inner);
        }
        Some(Expression::new(Kind::Unary(Unary::Complement, Box::new(inner)), ty))
    }

    /// The length of an array, an addition modulo a number, or a step.
    fn measure(&mut self, ty: TypeId, depth: u8) -> Option<Expression> {
        let made = match self.entropy.below(6) {
            0 => {
                let operands = (self.integer(depth), self.integer(depth), self.integer(depth));
                let multiply = self.chance(50);
                Expression::new(Kind::Modular { multiply, operands: Box::new(operands) }, UINT256)
            }
            1 => {
                let place = self.value_place(Use::Write, depth)?;
                if !self.restrict_type(place.ty, INTEGERS) || !self.converts(place.ty, ty) {
                    return None;
                }
                let ty = place.ty;
                let (prefix, up) = (self.chance(50), self.chance(50));
                return Some(Expression::new(
                    Kind::Step { place: Box::new(place), prefix, up },
                    ty,
                ));
            }
            _ => {
                let array = self.reference_place(Use::Read, depth)?;
                if matches!(self.ty(array.ty), Type::Struct(_) | Type::Mapping(..)) {
                    return None;
                }
                Expression::new(Kind::Length(Box::new(array)), UINT256)
            }
        };
        if self.converts(UINT256, ty) {
            return Some(made);
        }
        self.restrict_type(ty, ORDERED).then(|| Expression::new(Kind::Cast(Box::new(made)), ty))
    }

    /// A Boolean.
    pub(super) fn condition(&mut self, depth: u8) -> Expression {
        let deep = u64::from(depth > 0);
        match self.weighted(&[10, 30, 5 * deep, 5 * deep, 1, 4 * deep]) {
            0 => self.read(BOOL, depth).unwrap_or_else(|| self.literal(BOOL, true)),
            1 => self.comparison(depth),
            2 => {
                let parts = (self.condition(depth - 1), self.condition(depth - 1));
                let op = if self.chance(50) { Binary::Both } else { Binary::Either };
                Expression::new(Kind::Binary(op, Box::new(parts)), BOOL)
            }
            3 => {
                let inner = self.condition(depth - 1);
                Expression::new(Kind::Unary(Unary::Not, Box::new(inner)), BOOL)
            }
            5 => self.chosen(depth - 1),
            _ => self.literal(BOOL, true),
        }
    }

    /// One of two Booleans.
    pub(super) fn chosen(&mut self, depth: u8) -> Expression {
        let test = self.condition(depth);
        let (yes, no) = (self.condition(depth), self.condition(depth));
        Expression::new(Kind::Conditional(Box::new((test, yes, no))), BOOL)
    }

    fn comparison(&mut self, depth: u8) -> Expression {
        let depth = depth.saturating_sub(1);
        let Some(left) = self.value_place(Use::Read, depth) else {
            let (left, right) = (self.literal(UINT256, false), self.literal(UINT256, true));
            return Expression::new(Kind::Binary(Binary::Less, Box::new((left, right))), BOOL);
        };
        let ordered = self.chance(60) && self.restrict_type(left.ty, ORDERED);
        let op = if ordered {
            ORDERS[self.entropy.below(4) as usize]
        } else {
            let comparable = UNSIGNED
                | INTEGERS
                | BYTES_TYPES
                | FRACTIONS
                | type_bit(Type::Bool)
                | type_bit(Type::Address)
                | type_bit(Type::Enum(0))
                | type_bit(Type::Enum(1));
            if !self.restrict_type(left.ty, comparable) {
                return self.literal(BOOL, true);
            }
            if self.chance(50) { Binary::Equal } else { Binary::NotEqual }
        };
        let right = self.value(left.ty, depth);
        let parts = if self.chance(30) { (right, left) } else { (left, right) };
        Expression::new(Kind::Binary(op, Box::new(parts)), BOOL)
    }
}
