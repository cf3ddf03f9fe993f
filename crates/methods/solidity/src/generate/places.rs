//! Places in scope: variables, elements, members and values of mappings.

use super::Generator;
use crate::model::{
    Attribute, BOOL, BYTES, Binary, CallKind, Expression, FunctionKind, Kind, Length, LocalId,
    Location, Type, TypeId, UINT256, Version, Visibility,
};

/// What a place is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    Read,
    Write,
}

impl Generator<'_> {
    /// The location of the value of an expression.
    pub(super) fn location(&self, it: &Expression) -> Attribute {
        match &it.kind {
            Kind::Local(id) => {
                self.template.functions[self.function].locals[usize::from(*id)].location
            }
            Kind::State(_) => Location::Storage.fixed(),
            Kind::Index(parts) => self.location(&parts.0),
            Kind::Field(base, _) => self.location(base),
            Kind::Slice(_) => Location::Calldata.fixed(),
            Kind::Call { function, how, .. } if *how == CallKind::Internal.fixed() => {
                let function = &self.template.functions[usize::from(*function)];
                match function.returns {
                    1 => function.locals[usize::from(function.parameters)].location,
                    _ => Location::Memory.fixed(),
                }
            }
            Kind::Cast(inner) => self.location(inner),
            Kind::Push(..) => Location::Storage.fixed(),
            Kind::Conditional(parts) => self.location(&parts.1),
            _ => Location::Memory.fixed(),
        }
    }

    /// Variables in scope that fit a use.
    fn roots(&self, purpose: Use) -> Vec<Expression> {
        let mut roots: Vec<Expression> = self
            .scope
            .iter()
            .map(|id| Expression::new(Kind::Local(*id), self.type_of_local(*id)))
            .filter(|it| !matches!(self.ty(it.ty), Type::Contract(_) | Type::Function(..)))
            .filter(|it| purpose == Use::Read || !self.is_constant_parameter(it))
            .collect();
        // Locals count twice, so that state does not drown them.
        roots.extend(roots.clone());
        for id in self.state_ids() {
            let state = &self.template.states[usize::from(id)];
            let private = self.domain(state.visibility) & Visibility::Private.bit() != 0;
            let foreign = state.contract != self.contract;
            if self.late.contains(&id) && !self.reads_late() {
                continue;
            }
            if (purpose == Use::Read || self.is_written_state(id)) && !(private && foreign) {
                roots.push(Expression::new(Kind::State(id), state.ty));
            }
        }
        roots
    }

    /// Whether this function is executed after construction only.
    fn reads_late(&self) -> bool {
        let kind = self.template.functions[self.function].kind;
        !matches!(kind, FunctionKind::Constructor | FunctionKind::Modifier)
    }

    /// Before 0.5.4, parameters of external functions cannot be assigned to; before 0.7, references cannot.
    fn is_constant_parameter(&self, it: &Expression) -> bool {
        let function = &self.template.functions[self.function];
        let external = self.domain(function.visibility) & Visibility::External.bit() != 0;
        let parameter = matches!(it.kind, Kind::Local(id) if id < function.parameters);
        let reference = self.is_reference(it.ty);
        let first = if reference { Version::V7 } else { Version::V6 };
        !self.is_version(first) && external && parameter
    }

    /// Demands what a use of a place needs: state access, and a location that can be written.
    pub(super) fn admits(&mut self, place: &Expression, purpose: Use) -> bool {
        let mut root = place;
        loop {
            root = match &root.kind {
                Kind::Index(parts) => &parts.0,
                Kind::Field(base, _) | Kind::Cast(base) => base,
                _ => break,
            };
        }
        let is_member = !std::ptr::eq(root, place);
        match root.kind {
            Kind::State(id) => {
                let constant = self.domain(self.template.states[usize::from(id)].kind) == 2;
                match purpose {
                    Use::Read if constant => true,
                    Use::Read => self.reads(),
                    Use::Write => self.writes(),
                }
            }
            Kind::Local(id) => {
                if !self.is_reference(root.ty) {
                    return true;
                }
                let location =
                    self.template.functions[self.function].locals[usize::from(id)].location;
                if purpose == Use::Write
                    && is_member
                    && !self.restrict(location, !Location::Calldata.bit())
                {
                    return false;
                }
                let storage = self.domain(location) & Location::Storage.bit() != 0;
                match purpose {
                    _ if !storage => true,
                    Use::Write if is_member => self.writes(),
                    _ => self.reads(),
                }
            }
            _ => true,
        }
    }

    /// A place of a value type.
    pub(super) fn value_place(&mut self, purpose: Use, depth: u8) -> Option<Expression> {
        let roots = self.roots(purpose);
        let mut place = self.entropy.pick(&roots)?.clone();
        let guards = self.guards.len();
        for _ in 0..5 {
            if !self.is_reference(place.ty) {
                break;
            }
            place = self.descend(place, depth)?;
        }
        let fits = !self.is_reference(place.ty) && self.admits(&place, purpose);
        if !fits {
            self.guards.truncate(guards);
            return None;
        }
        Some(place)
    }

    /// A place of a reference type; elements and members with some probability.
    pub(super) fn reference_place(&mut self, purpose: Use, depth: u8) -> Option<Expression> {
        let roots: Vec<Expression> =
            self.roots(purpose).into_iter().filter(|it| self.is_reference(it.ty)).collect();
        let mut place = self.entropy.pick(&roots)?.clone();
        let guards = self.guards.len();
        loop {
            let is_mapping = matches!(self.ty(place.ty), Type::Mapping(..));
            let inner = match self.ty(place.ty) {
                Type::Array(element, _) => self.is_reference(element),
                Type::Mapping(_, value) => self.is_reference(value),
                Type::Struct(which) => {
                    let fields = &self.template.structs[usize::from(which)].fields;
                    fields.iter().any(|field| self.is_reference(*field))
                }
                _ => false,
            };
            let deeper = is_mapping || (inner && self.chance(40));
            if !deeper {
                break;
            }
            if !inner {
                self.guards.truncate(guards);
                return None;
            }
            place = self.descend(place, depth)?;
            if !self.is_reference(place.ty) {
                self.guards.truncate(guards);
                return None;
            }
        }
        if self.admits(&place, purpose) { Some(place) } else { None }
    }

    /// One step into an aggregate.
    fn descend(&mut self, place: Expression, depth: u8) -> Option<Expression> {
        match self.ty(place.ty) {
            Type::Array(element, _) => {
                let index = self.index(&place, depth);
                Some(Expression::new(Kind::Index(Box::new((place, index))), element))
            }
            Type::Mapping(key, value) => {
                let index = self.key(key, depth)?;
                Some(Expression::new(Kind::Index(Box::new((place, index))), value))
            }
            Type::Struct(which) => {
                let fields = self.template.structs[usize::from(which)].fields.clone();
                let index = self.entropy.below(fields.len() as u64) as usize;
                Some(Expression::new(Kind::Field(Box::new(place), index as u8), fields[index]))
            }
            Type::Bytes => {
                let index = self.index(&place, depth);
                let byte = self.byte_type();
                Some(Expression::new(Kind::Index(Box::new((place, index))), byte))
            }
            _ => None,
        }
    }

    /// `bytes1`, whose number is found or made.
    pub(super) fn byte_type(&mut self) -> TypeId {
        let known = self.template.types.iter().position(|ty| *ty == Type::FixedBytes(1));
        known.map_or_else(|| self.add_type(Type::FixedBytes(1)), |it| it as TypeId)
    }

    fn key(&mut self, key: TypeId, depth: u8) -> Option<Expression> {
        if self.ty(key).is_bytes_like() {
            return Some(Expression::new(Kind::Text(self.text()), key));
        }
        // Reading a mapping for a key would need another key.
        Some(if depth == 0 { self.literal(key, true) } else { self.value(key, depth - 1) })
    }

    /// An index of an array or bytes, most often in range or guarded.
    pub(super) fn index(&mut self, array: &Expression, depth: u8) -> Expression {
        let counters = u64::from(!self.counters.is_empty());
        let deep = u64::from(depth > 0);
        match self.weighted(&[55, 25 * counters, 14 * deep, 5 * deep]) {
            1 => {
                let at = self.entropy.below(self.counters.len() as u64) as usize;
                Expression::new(Kind::Local(self.counters[at]), UINT256)
            }
            2 => {
                let value = self.integer(depth - 1);
                let length = Expression::new(Kind::Length(Box::new(array.clone())), UINT256);
                Expression::new(Kind::Binary(Binary::Mod, Box::new((value, length))), UINT256)
            }
            3 => {
                let value = self.value(UINT256, depth - 1);
                // The compiler checks indices that it can compute.
                if self.is_folded(&value) { self.constant_index(array) } else { value }
            }
            _ => self.constant_index(array),
        }
    }

    /// A number that is in range of an array of fixed length, and assumed to be in range of another one.
    fn constant_index(&mut self, array: &Expression) -> Expression {
        let wanted = [0, 0, 1, 1, 2, 3][self.entropy.below(6) as usize];
        let index = if self.is_long_enough(array.ty, wanted) { wanted } else { 0 };
        let dynamic = match self.ty(array.ty) {
            Type::Array(_, Length::Variable(id)) => self.space.domain(id) & 1 != 0,
            Type::Array(_, Length::Fixed(_)) => false,
            _ => true,
        };
        if dynamic {
            self.guards.push((array.clone(), index));
        }
        Expression::new(Kind::Number(ruint::aliases::U256::from(index)), UINT256)
    }

    /// Whether an expression is made of literals and constants only.
    pub(super) fn is_folded(&self, it: &Expression) -> bool {
        match &it.kind {
            Kind::Literal { .. } | Kind::Number(_) => true,
            Kind::State(id) => self.domain(self.template.states[usize::from(*id)].kind) & 2 != 0,
            Kind::Binary(..) | Kind::Unary(..) | Kind::Cast(_) | Kind::Conditional(_) => {
                it.parts().into_iter().all(|part| self.is_folded(part))
            }
            _ => false,
        }
    }

    /// Some value as `uint256`.
    pub(super) fn integer(&mut self, depth: u8) -> Expression {
        for _ in 0..3 {
            if let Some(place) = self.value_place(Use::Read, depth)
                && self.restrict_type(place.ty, crate::template::ORDERED)
            {
                return Expression::new(Kind::Cast(Box::new(place)), UINT256);
            }
        }
        self.literal(UINT256, false)
    }

    /// The condition under which all assumed indices are in range.
    pub(super) fn guard_condition(&mut self, from: usize) -> Option<Expression> {
        let guards: Vec<(Expression, u64)> = self.guards.drain(from..).collect();
        let mut condition: Option<Expression> = None;
        for (array, index) in guards {
            let length = Expression::new(Kind::Length(Box::new(array)), UINT256);
            let operands = Box::new((length, Expression::number(index)));
            let test = Expression::new(Kind::Binary(Binary::Greater, operands), BOOL);
            condition = Some(match condition {
                None => test,
                Some(first) => {
                    Expression::new(Kind::Binary(Binary::Both, Box::new((first, test))), BOOL)
                }
            });
        }
        condition
    }

    pub(super) fn text(&mut self) -> Vec<u8> {
        let length = [0, 1, 3, 5, 31, 32, 33, 40][self.entropy.below(8) as usize];
        let first = b'a' + self.entropy.below(26) as u8;
        let mut text: Vec<u8> =
            (0..length).map(|index| b'a' + (first - b'a' + index as u8) % 26).collect();
        // Letters that literals have to escape.
        if length > 1 && self.chance(15) {
            for byte in &mut text[..2] {
                *byte = *self.entropy.pick(b"\\\\\"\n\x01").unwrap_or(byte);
            }
        }
        text
    }

    /// A new local variable of the current function.
    pub(super) fn local(&mut self, ty: TypeId, location: Attribute) -> LocalId {
        let locals = &mut self.template.functions[self.function].locals;
        locals.push(crate::model::Local { ty, location });
        (locals.len() - 1) as LocalId
    }

    /// Whether the function can take another local without running out of stack.
    pub(super) fn has_room(&self) -> bool {
        let function = &self.template.functions[self.function];
        let cost = |it: &crate::model::Local| match it.location {
            Attribute::Is(0) => 1,
            _ if self.is_reference(it.ty) => 2,
            _ => 1,
        };
        let used: usize =
            self.scope.iter().map(|id| cost(&function.locals[usize::from(*id)])).sum();
        used + usize::from(function.returns) + self.counters.len() < 8
    }

    pub(super) fn is_version(&self, version: Version) -> bool {
        self.template.version >= version
    }

    pub(super) fn bytes_places(&self) -> Vec<Expression> {
        let mut places = vec![];
        for id in &self.scope {
            if self.type_of_local(*id) == BYTES {
                places.push(Expression::new(Kind::Local(*id), BYTES));
            }
        }
        places
    }
}
