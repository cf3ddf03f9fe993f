//! Statements.

use super::Generator;
use super::places::Use;
use crate::model::{
    BYTES, Binary, Expression, FunctionKind, Kind, Location, Statement, Type, TypeId, UINT256,
    Version,
};
use crate::template::{INTEGERS, Relation, SIGNED, VariableKind, type_bit};

const COMPOUND: &[Binary] = &[
    Binary::Add,
    Binary::Sub,
    Binary::Mul,
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Shl,
    Binary::Shr,
];

impl Generator<'_> {
    /// A block of a few statements. What it declares is not visible after it.
    pub(super) fn block(&mut self) -> Vec<Statement> {
        let scope = self.scope.len();
        self.nesting += 1;
        let count = self.entropy.between(1, 2);
        let mut body = vec![];
        for _ in 0..count {
            self.statement(&mut body);
        }
        self.nesting -= 1;
        self.scope.truncate(scope);
        body
    }

    /// Appends a statement, and what it needs before it.
    pub(super) fn statement(&mut self, body: &mut Vec<Statement>) {
        if self.budget == 0 {
            return;
        }
        self.budget -= 1;
        let guards = self.guards.len();
        let nested = u64::from(self.nesting < 2);
        let room = u64::from(self.has_room());
        let other = u64::from(self.other.is_some());
        let on = 2 * other;
        let overwrites = 2 * u64::from(!self.stoppers.is_empty()) * (3 + self.swarm.assembly);
        let events = 3 + 2 * self.swarm.events;
        // Modifiers are short, and seldom have any.
        let kind = self.template.functions[self.function].kind;
        let loops = if kind == FunctionKind::Modifier { 3 } else { 1 };
        let weights = [
            14 * room,                                          // a local of a value type
            (8 + self.swarm.calldata) * room,                   // a local of a reference type
            24 + self.swarm.arithmetic,                         // an assignment to a value
            10 + 2 * self.swarm.arrays,                         // an assignment to a reference
            14 + 3 * self.swarm.arrays,                         // push, pop
            9,                                                  // delete
            6 + 3 * self.swarm.bytes,                           // a byte in memory
            9 * nested,                                         // if
            8 * nested * loops,                                 // loops
            3,                                                  // require, assert, revert
            events,                                             // emit
            5 * nested * u64::from(!self.in_block),             // a block
            (7 + self.swarm.calls) * nested,                    // a call
            3 * u64::from(self.in_loop && self.nesting > 0),    // break, continue
            2 * nested,                                         // try
            3 + self.swarm.tuples,                              // a tuple
            6 * room * other,                                   // another contract
            (3 + self.swarm.calls) * on,                        // a call of it
            5 * room,                                           // a low-level call
            (7 + self.swarm.arrays) * room,                     // a copy that converts
            (2 + self.swarm.calls) * room,                      // a function pointer
            1,                                                  // a built-in function as a value
            self.swarm.assembly,                                // inline assembly
            2 * room * u64::from(self.is_version(Version::V5)), // what was encoded
            overwrites, // writes around a call that may stop
        ];
        let made = match self.weighted(&weights) {
            0 => self.let_value(),
            1 => self.let_reference(),
            2 => self.assign_value(),
            3 => self.assign_reference(body),
            4 => self.resize(),
            5 => self.delete(),
            6 => self.byte(),
            7 => {
                let condition = self.condition(2);
                self.guards.truncate(guards);
                let yes = self.block();
                let no = if self.chance(40) { self.block() } else { vec![] };
                Some(Statement::If(condition, yes, no))
            }
            8 => Some(self.repeat()),
            9 => self.check(),
            10 => self.emit(),
            11 => {
                let checked = self.attribute(VariableKind::Checked, 0b11);
                self.in_block = true;
                let inner = self.block();
                self.in_block = false;
                Some(Statement::Block(checked, inner))
            }
            12 => self.call_statement(),
            13 => {
                let condition = self.condition(1);
                let leave = if self.chance(50) { Statement::Break } else { Statement::Continue };
                Some(Statement::If(condition, vec![leave], vec![]))
            }
            14 => self.attempt(),
            16 => self.let_contract(),
            17 => self.call_other(),
            18 => self.message(),
            19 => self.copy_converted(body),
            20 => self.call_pointer(body),
            21 => Some(self.mention()),
            22 => self.assembly(body),
            23 => self.let_decoded(),
            24 => self.overwrite(body),
            _ => self.swap(),
        };
        let Some(made) = made else {
            self.guards.truncate(guards);
            return;
        };
        let wrappable = !matches!(made, Statement::Let(..) | Statement::LetMany(..));
        let wrap = wrappable && self.guards.len() > guards && self.chance(80);
        if wrap && let Some(condition) = self.guard_condition(guards) {
            body.push(Statement::If(condition, vec![made], vec![]));
            return;
        }
        self.guards.truncate(guards);
        body.push(made);
    }

    fn mention(&mut self) -> Statement {
        // The last two are members of `abi`.
        let known = if self.is_version(Version::V4Late) { 9 } else { 7 };
        Statement::Mention(self.entropy.below(known) as u8)
    }

    fn let_value(&mut self) -> Option<Statement> {
        let ty = self.value_type();
        let value = self.value(ty, 2);
        let id = self.local(ty, Location::Memory.fixed());
        self.scope.push(id);
        Some(Statement::Let(id, Some(value)))
    }

    fn let_reference(&mut self) -> Option<Statement> {
        if self.chance(35) {
            let ty = if self.chance(50) { BYTES } else { self.reference_type(2) };
            let value = self.make(ty, 1)?;
            let id = self.local(ty, Location::Memory.fixed());
            self.scope.push(id);
            return Some(Statement::Let(id, Some(value)));
        }
        let source = self.reference_place(Use::Read, 1)?;
        let mapping = self.has_mapping(source.ty);
        let location = self.location_for(&source);
        if mapping && !self.restrict(location, Location::Storage.bit()) {
            return None;
        }
        if matches!(self.ty(source.ty), Type::Mapping(..)) {
            return None;
        }
        let id = self.local(source.ty, location);
        self.scope.push(id);
        Some(Statement::Let(id, Some(source)))
    }

    fn assign_value(&mut self) -> Option<Statement> {
        let place = self.value_place(Use::Write, 2)?;
        let ty = place.ty;
        let arithmetic = self.chance(35) && self.restrict_type(ty, INTEGERS);
        if arithmetic {
            if self.chance(25) {
                let (prefix, up) = (self.chance(50), self.chance(60));
                let step = Kind::Step { place: Box::new(place), prefix, up };
                return Some(Statement::Do(Expression::new(step, ty)));
            }
            let op = COMPOUND[self.entropy.below(COMPOUND.len() as u64) as usize];
            if op == Binary::Shr && !self.shifts_right(ty) {
                return None;
            }
            let value = match op {
                Binary::Shl | Binary::Shr => Expression::number(self.entropy.below(40)),
                _ => self.value(ty, 2),
            };
            let assign = Kind::Assign(Some(op), Box::new((place, value)));
            return Some(Statement::Do(Expression::new(assign, ty)));
        }
        let value = self.value(ty, 3);
        let assign = Kind::Assign(None, Box::new((place, value)));
        Some(Statement::Do(Expression::new(assign, ty)))
    }

    fn assign_reference(&mut self, body: &mut Vec<Statement>) -> Option<Statement> {
        let place = self.reference_place(Use::Write, 1)?;
        let ty = place.ty;
        if self.has_mapping(ty) {
            return None;
        }
        if let Type::Array(element, length) = self.ty(ty)
            && !self.is_reference(element)
            && self.domain(self.location(&place)) == Location::Storage.bit()
            && !matches!(place.kind, Kind::Local(_))
            && self.chance(50)
            && self.has_room()
        {
            return self.assign_converted(place, element, length, body);
        }
        // A local of memory or storage is made to point elsewhere; other places are overwritten.
        let to = self.location(&place);
        let to = match place.kind {
            Kind::Local(_) => to,
            _ if self.domain(to) == Location::Storage.bit() => Location::Memory.fixed(),
            _ => {
                if !self.restrict(to, Location::Memory.bit()) {
                    return None;
                }
                Location::Memory.fixed()
            }
        };
        let value = self.reference(ty, to, 1)?;
        if value == place {
            return None;
        }
        let assign = Kind::Assign(None, Box::new((place, value)));
        Some(Statement::Do(Expression::new(assign, ty)))
    }

    /// Overwrites an array in storage with one in memory.
    fn copy_converted(&mut self, body: &mut Vec<Statement>) -> Option<Statement> {
        let places: Vec<(Expression, TypeId, crate::model::Length)> = self
            .state_ids()
            .into_iter()
            .filter_map(|id| {
                let state = &self.template.states[usize::from(id)];
                let own = state.contract == self.contract;
                match self.ty(state.ty) {
                    Type::Array(element, length) if own && !self.is_reference(element) => {
                        Some((Expression::new(Kind::State(id), state.ty), element, length))
                    }
                    _ => None,
                }
            })
            .collect();
        let (place, element, length) = self.entropy.pick(&places)?.clone();
        if !self.admits(&place, Use::Write) {
            return None;
        }
        self.assign_converted(place, element, length, body)
    }

    /// Copies an array to storage whose elements convert and whose length may differ.
    fn assign_converted(
        &mut self,
        place: Expression,
        element: TypeId,
        length: crate::model::Length,
        body: &mut Vec<Statement>,
    ) -> Option<Statement> {
        if self.chance(50)
            && let Some(value) = self.copied(&place, element, length)
        {
            let ty = place.ty;
            let assign = Kind::Assign(None, Box::new((place, value)));
            return Some(Statement::Do(Expression::new(assign, ty)));
        }
        // Half of the time the elements are signed, where they can be.
        let signed = self.types_of(element) & SIGNED != 0 && self.chance(50);
        let source_element = match signed {
            true => {
                let id = self.variable(VariableKind::Type, SIGNED);
                self.add_type(Type::Variable(id))
            }
            false => self.value_type(),
        };
        if !self.converts(source_element, element) {
            return None;
        }
        let source_length = self.length();
        if !self.copies(source_length, length) {
            return None;
        }
        let source = self.add_type(Type::Array(source_element, source_length));
        let value = self.make(source, 1)?;
        let sized = match (&value.kind, self.ty(source)) {
            (Kind::NewArray(length), _) => match length.kind {
                Kind::Number(length) => length.as_limbs()[0],
                _ => 0,
            },
            _ => 0,
        };
        let id = self.local(source, Location::Memory.fixed());
        body.push(Statement::Let(id, Some(value)));
        self.scope.push(id);
        for index in 0..sized.min(2) {
            if self.chance(60) {
                let array = Expression::new(Kind::Local(id), source);
                let at = Expression::number(index);
                let place = Expression::new(Kind::Index(Box::new((array, at))), source_element);
                let value = self.value(source_element, 1);
                let assign = Kind::Assign(None, Box::new((place, value)));
                body.push(Statement::Do(Expression::new(assign, source_element)));
            }
        }
        let ty = place.ty;
        let value = Expression::new(Kind::Local(id), source);
        Some(Statement::Do(Expression::new(Kind::Assign(None, Box::new((place, value))), ty)))
    }

    /// A local array whose elements and length can be copied.
    fn copied(
        &mut self,
        place: &Expression,
        element: TypeId,
        length: crate::model::Length,
    ) -> Option<Expression> {
        let arrays: Vec<(u16, TypeId, crate::model::Length)> = self
            .scope
            .iter()
            .filter_map(|id| match self.ty(self.type_of_local(*id)) {
                Type::Array(inner, length) if !self.is_reference(inner) => {
                    Some((*id, inner, length))
                }
                _ => None,
            })
            .collect();
        let (id, inner, from) = *self.entropy.pick(&arrays)?;
        let value = Expression::new(Kind::Local(id), self.type_of_local(id));
        let fits = value != *place
            && self.admits(&value, Use::Read)
            && self.converts(inner, element)
            && self.copies(from, length);
        fits.then_some(value)
    }

    /// Demands that an array of one length can be copied to one of another length.
    fn copies(&mut self, from: crate::model::Length, to: crate::model::Length) -> bool {
        use crate::model::Length;
        let value = |length| match length {
            Length::Fixed(length) => length as u8,
            Length::Dynamic | Length::Variable(_) => 0,
        };
        let draw = self.entropy.word();
        match (from, to) {
            (Length::Variable(from), Length::Variable(to)) => {
                self.space.relate(from, to, Relation::Copies, draw)
            }
            (Length::Variable(from), to) => {
                self.space.restrict(from, Relation::Copies.before(value(to)))
            }
            (from, Length::Variable(to)) => {
                self.space.restrict(to, Relation::Copies.after(value(from)))
            }
            (from, to) => Relation::Copies.after(value(from)) & (1 << value(to)) != 0,
        }
    }

    /// `push` or `pop` of an array in storage.
    fn resize(&mut self) -> Option<Statement> {
        let mut array = None;
        for _ in 0..4 {
            let place = self.reference_place(Use::Write, 1);
            let Some(place) = place else { continue };
            let location = self.location(&place);
            if matches!(self.ty(place.ty), Type::Array(..) | Type::Bytes)
                && self.restrict(location, Location::Storage.bit())
                && self.is_dynamic(place.ty)
            {
                array = Some(place);
                break;
            }
        }
        let array = array?;
        if !self.writes() {
            return None;
        }
        let pops = self.is_version(Version::V5);
        if pops && self.chance(28) {
            if self.chance(70) {
                self.guards.push((array.clone(), 0));
            }
            return Some(Statement::Pop(array));
        }
        let element = match self.ty(array.ty) {
            Type::Array(element, _) => element,
            _ => self.byte_type(),
        };
        let modern = self.is_version(Version::V6);
        let empty = modern && self.chance(30);
        let mapping = self.has_mapping(element);
        let value = if empty || mapping {
            None
        } else if self.is_reference(element) {
            Some(Box::new(self.reference(element, Location::Memory.fixed(), 1)?))
        } else {
            Some(Box::new(self.value(element, 2)))
        };
        if value.is_none() && !self.is_reference(element) && self.chance(30) {
            let place = Expression::new(Kind::Push(Box::new(array), None), element);
            let value = self.value(element, 1);
            let assign = Kind::Assign(None, Box::new((place, value)));
            return Some(Statement::Do(Expression::new(assign, element)));
        }
        Some(Statement::Do(Expression::new(Kind::Push(Box::new(array), value), element)))
    }

    fn delete(&mut self) -> Option<Statement> {
        if self.chance(60) {
            let place = self.reference_place(Use::Write, 1)?;
            if matches!(place.kind, Kind::Local(_)) {
                let location = self.location(&place);
                // A storage pointer cannot be deleted, nor can calldata.
                if !self.restrict(location, Location::Memory.bit()) {
                    return None;
                }
            }
            if self.has_mapping(place.ty) && !matches!(self.ty(place.ty), Type::Struct(_)) {
                return None;
            }
            return Some(Statement::Delete(place));
        }
        let place = self.value_place(Use::Write, 1)?;
        if let Kind::Index(parts) = &place.kind
            && self.ty(parts.0.ty).is_bytes_like()
            && !self.swarm.byte_deletes
        {
            return None;
        }
        // A user-defined value type has no default that `delete` could assign.
        let wrappers = type_bit(Type::Wrapper(0)) | type_bit(Type::Wrapper(1));
        self.restrict_type(place.ty, !wrappers).then_some(Statement::Delete(place))
    }

    /// A write to a byte of `bytes` in memory, or its deletion.
    fn byte(&mut self) -> Option<Statement> {
        let places = self.bytes_places();
        let array = match self.entropy.pick(&places) {
            Some(place) => place.clone(),
            None if self.has_room() => return self.let_bytes(),
            None => return None,
        };
        let location = self.location(&array);
        if !self.restrict(location, !Location::Calldata.bit()) {
            return None;
        }
        if self.chance(70) {
            let _ = self.restrict(location, Location::Memory.bit());
        }
        if !self.admits(
            &Expression::new(Kind::Index(Box::new((array.clone(), Expression::number(0)))), BYTES),
            Use::Write,
        ) {
            return None;
        }
        let index = self.index(&array, 1);
        let byte = self.byte_type();
        let place = Expression::new(Kind::Index(Box::new((array, index))), byte);
        let deletes = if self.swarm.byte_deletes { 45 } else { 0 };
        if self.chance(deletes) {
            return Some(Statement::Delete(place));
        }
        let value = self.value(byte, 1);
        Some(Statement::Do(Expression::new(Kind::Assign(None, Box::new((place, value))), byte)))
    }

    fn let_bytes(&mut self) -> Option<Statement> {
        let value = self.make(BYTES, 1)?;
        let id = self.local(BYTES, Location::Memory.fixed());
        self.scope.push(id);
        Some(Statement::Let(id, Some(value)))
    }

    fn repeat(&mut self) -> Statement {
        let counter = self.local(UINT256, Location::Memory.fixed());
        let outer = std::mem::replace(&mut self.in_loop, true);
        let guards = self.guards.len();
        let made = if self.chance(60) {
            let bound = match self.entropy.below(3) {
                0 => self
                    .reference_place(Use::Read, 0)
                    .filter(|it| self.is_array(it.ty))
                    .filter(|it| matches!(it.kind, Kind::Local(_) | Kind::State(_)))
                    .map(|array| Expression::new(Kind::Length(Box::new(array)), UINT256)),
                _ => None,
            };
            let bound = bound.unwrap_or_else(|| Expression::number(self.entropy.between(1, 4)));
            self.counters.push(counter);
            let body = self.block();
            Statement::For { counter, bound, body }
        } else {
            let condition = match self.chance(30) {
                true => self.chosen(0),
                false => self.condition(1),
            };
            self.counters.push(counter);
            let body = self.block();
            let bound = self.entropy.between(1, 4) as u8;
            let test_last = self.chance(40);
            Statement::While { counter, condition, bound, test_last, body }
        };
        self.guards.truncate(guards);
        self.counters.pop();
        self.in_loop = outer;
        made
    }

    fn check(&mut self) -> Option<Statement> {
        let condition = self.condition(2);
        let texts = self.is_version(Version::V4Late);
        Some(match self.entropy.below(if self.is_version(Version::Newest) { 7 } else { 6 }) {
            0 => Statement::Assert(condition),
            6 => Statement::Require(condition, None, Some(self.error()?)),
            _ if !texts => Statement::Require(condition, None, None),
            1 => Statement::Require(condition, None, None),
            2 => Statement::Require(condition, Some(self.text()), None),
            3 => Statement::If(condition, vec![Statement::Revert(None, self.text())], vec![]),
            4 => {
                let error = self.error()?;
                Statement::If(condition, vec![Statement::Revert(Some(error), vec![])], vec![])
            }
            _ => Statement::Require(condition, None, None),
        })
    }

    fn call_statement(&mut self) -> Option<Statement> {
        let mut functions = self.callable();
        let given: Vec<u16> = functions
            .iter()
            .copied()
            .filter(|id| self.gives_calldata(&self.template.functions[usize::from(*id)].clone()))
            .collect();
        if !given.is_empty() && self.chance(50) {
            functions = given;
        }
        let id = *self.entropy.pick(&functions)?;
        let call = self.call(id, 1)?;
        let returns = self.template.functions[usize::from(id)].return_types();
        if returns.len() > 1 && self.chance(60) {
            return Some(self.let_many(call, &returns));
        }
        if returns.len() == 1 && self.has_room() && self.chance(70) {
            let ty = returns[0];
            let local = self.local(ty, Location::Memory.fixed());
            self.scope.push(local);
            return Some(Statement::Let(local, Some(call)));
        }
        Some(Statement::Do(call))
    }

    fn call_other(&mut self) -> Option<Statement> {
        let call = self.call_on()?;
        let Kind::CallOn { function, .. } = call.kind else { return None };
        let returns = self.template.functions[usize::from(function)].return_types();
        if returns.is_empty() || !self.has_room() {
            return Some(Statement::Do(call));
        }
        if returns.len() > 1 {
            return Some(self.let_many(call, &returns));
        }
        let local = self.local(returns[0], Location::Memory.fixed());
        self.scope.push(local);
        Some(Statement::Let(local, Some(call)))
    }

    /// `(a, b) = (x, y)` or `((a, b), c) = ((x, y), z)` of different variables of value types.
    fn swap(&mut self) -> Option<Statement> {
        let mut places = vec![];
        let count = if self.chance(40) { 3 } else { 2 };
        for _ in 0..count {
            let mut fits = None;
            for _ in 0..4 {
                fits = fits.or(self.value_place(Use::Write, 0)).filter(|it| {
                    matches!(it.kind, Kind::Local(_) | Kind::State(_)) && !places.contains(it)
                });
            }
            places.push(fits?);
        }
        let mut values = vec![];
        for place in &places {
            values.push(self.typed(place.ty, 1));
        }
        Some(Statement::Swap(places, values))
    }
}
