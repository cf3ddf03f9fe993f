//! Functions: parameters, results and bodies.

use super::Generator;
use crate::model::{
    Attribute, Binary, ContractKind, Expression, Function, FunctionKind, Kind, Length, Local,
    Location, Mutability, Statement, Type, TypeId, Version, Visibility,
};
use crate::template::{ARRAY_LENGTHS, Relation, VariableKind};

impl Generator<'_> {
    /// A new function of this contract, with a mutability that fits its visibility.
    pub(super) fn declared(&mut self, visibility: Attribute, mutabilities: u128) -> usize {
        let mutability = self.attribute(VariableKind::Mutability, mutabilities);
        let draw = self.entropy.word();
        if let (Attribute::Variable(from), Attribute::Variable(to)) = (visibility, mutability) {
            self.space.relate(from, to, Relation::Pays, draw);
        }
        let own = Some(self.contract);
        let id = self.template.functions.len();
        self.template.functions.push(Function::new(
            own,
            FunctionKind::Ordinary,
            visibility,
            mutability,
        ));
        self.function = id;
        id
    }

    /// A function; one that transactions must be able to call has its visibility restricted.
    pub(super) fn ordinary(&mut self, open: bool) {
        let public = Visibility::Public.bit() | Visibility::External.bit();
        let domain = if open || self.chance(60) { public } else { public | 0b1100 };
        let visibility = self.attribute(VariableKind::Visibility, domain);
        let id = self.declared(visibility, 0b1111);
        let mut count = self.entropy.below(4);
        // Another function of the contract with the same name has another number of parameters.
        if self.is_version(Version::V5) && self.chance(12) {
            let own = self.template.contracts[usize::from(self.contract)].functions.clone();
            let free = own.iter().copied().find(|it| {
                let other = &self.template.functions[usize::from(*it)];
                let plain = other.alias.is_none()
                    && other.kind == FunctionKind::Ordinary
                    && !self.unique.contains(it);
                let aliased =
                    |id: &u16| self.template.functions[usize::from(*id)].alias == Some(*it);
                plain && other.overrides.is_empty() && !own.iter().any(aliased)
            });
            if let Some(free) = free {
                if u64::from(self.template.functions[usize::from(free)].parameters) == count {
                    count += 1;
                }
                self.template.functions[id].alias = Some(free);
            }
        }
        let tail = self.is_version(Version::V5) && self.chance(10 + 2 * self.swarm.calldata);
        for index in 0..count {
            match tail && count > 1 {
                true if index + 1 == count => self.word_parameter(id, visibility),
                // The encoding of all parameters has a tail then.
                true if index == 0 && self.chance(60) => self.bytes_parameter(id, visibility),
                _ => self.parameter(id, visibility),
            }
        }
        self.template.functions[id].parameters = count as u16;
        self.finished(id, 7);
        let kind = self.template.contracts[usize::from(self.contract)].kind;
        let is_virtual = kind != ContractKind::Library && self.chance(60);
        if is_virtual && self.restrict(visibility, !Visibility::Private.bit()) {
            self.template.functions[id].is_virtual = true;
        }
    }

    /// An operator of a user-defined value type.
    pub(super) fn operator(&mut self) {
        let wrapper = self.entropy.below(self.template.wrappers.len() as u64) as u8;
        let ty = self.add_type(Type::Wrapper(wrapper));
        let id = self.template.functions.len();
        let visibility = Visibility::Internal.fixed();
        let mut function =
            Function::new(None, FunctionKind::Free, visibility, Mutability::Pure.fixed());
        let location = Location::Memory.fixed();
        function.locals = vec![Local { ty, location }; 3];
        function.parameters = 2;
        function.returns = 1;
        self.template.functions.push(function);
        self.function = id;
        self.body(id, 3);
        self.results(id);
        let known = [Binary::Add, Binary::Sub, Binary::Mul, Binary::And, Binary::Xor];
        let op = known[self.entropy.below(5) as usize];
        self.template.operators.push((wrapper, op, id as u16));
    }

    /// A function outside of contracts.
    pub(super) fn free(&mut self) {
        let id = self.template.functions.len();
        let visibility = Visibility::Internal.fixed();
        let mutability = self.attribute(VariableKind::Mutability, 0b111);
        self.template.functions.push(Function::new(
            None,
            FunctionKind::Free,
            visibility,
            mutability,
        ));
        self.function = id;
        let count = self.entropy.below(3);
        for _ in 0..count {
            self.parameter(id, visibility);
        }
        self.template.functions[id].parameters = count as u16;
        self.returned(id);
        self.body(id, 4);
        self.results(id);
    }

    /// `receive` and `fallback`.
    pub(super) fn fallbacks(&mut self) {
        let modern = self.is_version(Version::V6);
        if modern && self.chance(50) {
            self.special(FunctionKind::Receive, Mutability::Payable.fixed());
        }
        let payable = Mutability::NonPayable.bit() | Mutability::Payable.bit();
        let mutability = self.attribute(VariableKind::Mutability, payable);
        let id = self.special(FunctionKind::Fallback, mutability);
        if self.is_version(Version::V8) && self.chance(50) {
            let bytes =
                |location: Location| Local { ty: crate::model::BYTES, location: location.fixed() };
            self.template.functions[id].locals =
                vec![bytes(Location::Calldata), bytes(Location::Memory)];
            self.template.functions[id].parameters = 1;
            self.template.functions[id].returns = 1;
            self.body(id, 3);
            self.results(id);
        }
    }

    fn special(&mut self, kind: FunctionKind, mutability: Attribute) -> usize {
        let id = self.template.functions.len();
        let visibility = Visibility::External.fixed();
        self.template.functions.push(Function::new(
            Some(self.contract),
            kind,
            visibility,
            mutability,
        ));
        self.function = id;
        self.body(id, 3);
        self.template.contracts[usize::from(self.contract)].functions.push(id as u16);
        id
    }

    pub(super) fn parameter(&mut self, id: usize, visibility: Attribute) {
        let reference = self.entropy.below(30) < 10 + self.swarm.calldata;
        let ty = match (reference, self.has_nested_abi()) {
            (false, _) => self.value_type(),
            (true, true) => self.reference_type(2),
            (true, false) => self.simple_type(),
        };
        let mut location = Location::Memory.fixed();
        if reference {
            let all = Location::Memory.bit() | Location::Storage.bit() | Location::Calldata.bit();
            let domain = match self.entropy.below(10) {
                _ if !self.is_version(Version::V6Late) => all,
                _ if self.swarm.calldata > 5 && self.chance(50) => Location::Calldata.bit(),
                0..5 => Location::Memory.bit() | Location::Calldata.bit(),
                5 | 6 => Location::Calldata.bit(),
                _ => all,
            };
            location = self.attribute(VariableKind::Location, domain);
            self.enters(id, location, visibility);
        }
        self.template.functions[id].locals.push(Local { ty, location });
    }

    fn bytes_parameter(&mut self, id: usize, visibility: Attribute) {
        let domain = Location::Memory.bit() | Location::Calldata.bit();
        let location = self.attribute(VariableKind::Location, domain);
        self.enters(id, location, visibility);
        self.template.functions[id].locals.push(Local { ty: crate::model::BYTES, location });
    }

    /// Whether the last parameter is a static array of words in calldata.
    fn ends_with_words(&self, id: usize) -> bool {
        let function = &self.template.functions[id];
        let last = function.locals[..usize::from(function.parameters)].last();
        last.is_some_and(|it| {
            let words = match self.ty(it.ty) {
                Type::Array(element, Length::Variable(length)) => {
                    !self.is_reference(element) && self.space.domain(length) & 1 == 0
                }
                _ => false,
            };
            words && self.domain(it.location) & Location::Calldata.bit() != 0
        })
    }

    /// A parameter whose encoding is copied as a whole.
    fn word_parameter(&mut self, id: usize, visibility: Attribute) {
        let ty = self.word_array();
        let domain = Location::Memory.bit() | Location::Calldata.bit();
        let domain = if self.chance(60) { Location::Calldata.bit() } else { domain };
        let location = self.attribute(VariableKind::Location, domain);
        self.enters(id, location, visibility);
        self.template.functions[id].locals.push(Local { ty, location });
    }

    /// Relates the location of a parameter to the visibility of its function.
    fn enters(&mut self, id: usize, location: Attribute, visibility: Attribute) {
        let function = &self.template.functions[id];
        let library = function.contract.is_some_and(|it| {
            self.template.contracts[usize::from(it)].kind == ContractKind::Library
        });
        let draw = self.entropy.word();
        let old = !self.is_version(Version::V6Late);
        let relation = if old { Relation::Entered } else { Relation::Enters };
        // Libraries take references to storage from outside; before 0.6.9 not from anywhere else.
        let library = library && !old;
        match (location, visibility) {
            (Attribute::Variable(from), Attribute::Variable(to)) if !library => {
                self.space.relate(from, to, relation, draw);
            }
            (Attribute::Variable(from), Attribute::Is(to)) if !library => {
                self.space.restrict(from, relation.before(to));
            }
            _ => {}
        }
    }

    pub(super) fn returned(&mut self, id: usize) {
        let count = usize::from(self.template.functions[id].parameters);
        let returns = self.entropy.between(0, 2);
        for _ in 0..returns {
            let ty = self.result_type(id, count);
            let given = self.is_version(Version::V6Late)
                && self.is_reference(ty)
                && self.chance(20 + 2 * self.swarm.calldata);
            let location = match given {
                // References to calldata are given back by functions whose results have no names.
                true => {
                    self.template.functions[id].named_returns = false;
                    self.attribute(
                        VariableKind::Location,
                        Location::Memory.bit() | Location::Calldata.bit(),
                    )
                }
                false => Location::Memory.fixed(),
            };
            self.template.functions[id].locals.push(Local { ty, location });
        }
        self.template.functions[id].returns = returns as u16;
    }

    /// The type of a result: that of a parameter or state variable, or a new one.
    fn result_type(&mut self, id: usize, parameters: usize) -> TypeId {
        let mut known: Vec<TypeId> =
            self.template.functions[id].locals[..parameters].iter().map(|it| it.ty).collect();
        known.extend(self.state_ids().iter().map(|id| self.template.states[usize::from(*id)].ty));
        let known: Vec<TypeId> = known
            .into_iter()
            .filter(|ty| !self.has_mapping(*ty) && self.is_encodable(*ty))
            .collect();
        if !self.is_version(Version::V4Late) {
            let flat: Vec<TypeId> = known.into_iter().filter(|ty| self.is_flat(*ty)).collect();
            return match self.entropy.pick(&flat) {
                Some(ty) if self.chance(60) => *ty,
                _ => self.value_type(),
            };
        }
        if self.ends_with_words(id) && self.chance(60) {
            return crate::model::BYTES;
        }
        match self.weighted(&[6, 4, 3]) {
            0 if !known.is_empty() => known[self.entropy.below(known.len() as u64) as usize],
            1 => crate::model::BYTES,
            _ if self.has_nested_abi() => self.any_type(1),
            _ => self.simple_type(),
        }
    }

    /// A reference type that the first ABI coder knows.
    pub(super) fn simple_type(&mut self) -> TypeId {
        if self.chance(40) {
            return self.bytes_type();
        }
        let mut element = self.value_type();
        if self.chance(25) {
            let inner = self.variable(VariableKind::Length, ARRAY_LENGTHS & !1);
            element = self.add_type(Type::Array(element, Length::Variable(inner)));
        }
        let length = self.length();
        self.add_type(Type::Array(element, length))
    }

    /// Whether the ABI coder has arrays of dynamic types, and structs.
    pub(super) fn has_nested_abi(&self) -> bool {
        self.is_version(Version::V5) && !self.template.first_coder
    }

    /// Whether the ABI coder has this type.
    pub(super) fn is_encodable(&self, ty: TypeId) -> bool {
        self.has_nested_abi()
            || match self.ty(ty) {
                Type::Array(element, _) => self.is_flat(element),
                Type::Struct(_) | Type::Mapping(..) => false,
                _ => true,
            }
    }

    /// Whether this is a value, or arrays of fixed length of values.
    fn is_flat(&self, ty: TypeId) -> bool {
        match self.ty(ty) {
            Type::Array(element, length) => {
                let fixed = match length {
                    Length::Fixed(_) => true,
                    Length::Dynamic => false,
                    Length::Variable(length) => self.space.domain(length) & 1 == 0,
                };
                fixed && self.is_flat(element)
            }
            ty => ty.is_value(),
        }
    }

    /// Results, modifiers and a body for a function that has parameters.
    pub(super) fn finished(&mut self, id: usize, most: u64) {
        self.returned(id);
        self.modified(id);
        self.body(id, most);
        self.results(id);
        self.template.contracts[usize::from(self.contract)].functions.push(id as u16);
    }

    pub(super) fn body(&mut self, id: usize, most: u64) {
        let function = &self.template.functions[id];
        let named = if function.named_returns { function.returns } else { 0 };
        self.scope = (0..function.parameters + named).collect();
        self.counters.clear();
        self.guards.clear();
        self.nesting = 0;
        self.in_loop = false;
        self.in_block = false;
        self.budget = 14;
        let count = self.entropy.between(2, most);
        let mut body = vec![];
        for _ in 0..count {
            self.statement(&mut body);
        }
        self.template.functions[id].body = body;
    }

    /// The final `return`.
    pub(super) fn results(&mut self, id: usize) {
        let types = self.template.functions[id].return_types();
        let named = self.template.functions[id].named_returns;
        if types.is_empty() || (named && self.chance(15)) {
            return;
        }
        let mut values: Vec<Expression> = vec![];
        for (index, ty) in types.iter().enumerate() {
            let at = usize::from(self.template.functions[id].parameters) + index;
            let location = self.template.functions[id].locals[at].location;
            let memory = self.domain(location) & Location::Memory.bit() != 0;
            let often = if self.ends_with_words(id) { 80 } else { 40 };
            let again = match *ty == crate::model::BYTES && memory && self.chance(often) {
                true => self.parameters_again(),
                false => None,
            };
            let again = again.filter(|_| self.restrict(location, Location::Memory.bit()));
            let encode = |all| Kind::Abi(crate::model::AbiKind::Encode, all);
            let value = match self.is_reference(*ty) {
                _ if again.is_some() => again.map(|all| Expression::new(encode(all), *ty)),
                true => self.reference(*ty, location, 1),
                false => Some(self.value(*ty, 2)),
            };
            if value.is_none() && !named {
                // Nothing fits: the results have names after all, and are in memory.
                for at in self.template.functions[id].return_locals() {
                    let location = self.template.functions[id].locals[usize::from(at)].location;
                    if !self.restrict(location, Location::Memory.bit()) {
                        // Results in calldata have no value of their own.
                        let text = self.text();
                        self.template.functions[id].body.push(Statement::Revert(None, text));
                        return;
                    }
                }
                self.template.functions[id].named_returns = true;
                return;
            }
            let own = self.template.functions[id].parameters + index as u16;
            let default = || Expression::new(Kind::Local(own), *ty);
            values.push(value.unwrap_or_else(default));
        }
        let guards = self.guard_condition(0);
        match guards {
            // Where an assumed index is out of range, the named results are returned.
            Some(condition) if named && self.chance(80) => {
                self.template.functions[id].body.push(Statement::If(
                    condition,
                    vec![Statement::Return(values)],
                    vec![],
                ));
            }
            _ => self.template.functions[id].body.push(Statement::Return(values)),
        }
    }
}
