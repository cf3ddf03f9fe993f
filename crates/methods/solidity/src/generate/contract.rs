//! Contracts and functions.

use super::Generator;
use crate::model::{
    Attribute, Contract, ContractKind, Expression, Function, FunctionKind, Local, Location,
    Mutability, StateKind, Statement, Type, TypeId, Version, Visibility,
};
use crate::template::{INTEGERS, Relation, VariableKind};

impl Generator<'_> {
    pub(super) fn contracts(&mut self) {
        if self.is_version(Version::Newest) {
            for _ in 0..2 {
                let id = self.variable(VariableKind::Type, INTEGERS);
                let ty = self.add_type(Type::Variable(id));
                self.template.wrappers.push(ty);
            }
        }
        if self.is_version(Version::V8) {
            self.template.abi_coder = self.attribute(VariableKind::Coder, 0b11);
        }
        self.one_contract();
    }

    fn one_contract(&mut self) {
        self.contract = self.template.contracts.len() as u8;
        self.template.contracts.push(Contract {
            kind: ContractKind::Contract,
            bases: vec![],
            states: vec![],
            order: Attribute::Is(0),
            functions: vec![],
            modifiers: vec![],
            constructor: None,
            base_arguments: vec![],
        });
        let states = self.entropy.between(1, 5);
        for _ in 0..states {
            let ty = self.state_type();
            self.state(ty);
        }
        if self.chance(30) {
            self.constructor();
        }
        let functions = self.entropy.between(2, 5);
        for index in 0..functions {
            self.ordinary(
                index == 0 || self.template.functions.len() < 2 || index + 1 == functions,
            );
        }
        let count = self.template.contracts[usize::from(self.contract)].states.len() as u32;
        if count > 1 {
            let orders = (1..=u128::from(count.min(5))).product::<u128>().min(120);
            let domain = (1u128 << orders) - 1;
            let order = self.attribute(VariableKind::Order, domain);
            self.template.contracts[usize::from(self.contract)].order = order;
        }
    }

    /// A state variable with its own visibility and kind.
    fn state(&mut self, ty: TypeId) {
        let id = self.add_state(ty);
        let value = !self.is_reference(ty);
        if value && self.chance(50) {
            let initial = self.literal(ty, true);
            self.template.states[usize::from(id)].initial = Some(initial);
        }
        let initialised = self.template.states[usize::from(id)].initial.is_some();
        let kinds = match (value, initialised) {
            (false, _) => StateKind::Storage.bit(),
            (true, true) if self.chance(25) => {
                // Before 0.8.21, immutable variables cannot be read in constructors.
                let immutable = self.is_version(Version::Newest);
                let immutable = if immutable { StateKind::Immutable.bit() } else { 0 };
                StateKind::Storage.bit() | StateKind::Constant.bit() | immutable
            }
            (true, false) if self.is_version(Version::Newest) && self.chance(15) => {
                StateKind::Storage.bit() | StateKind::Transient.bit()
            }
            _ => StateKind::Storage.bit(),
        };
        let kind = match kinds.is_power_of_two() {
            true => StateKind::Storage.fixed(),
            false => self.attribute(VariableKind::Storage, kinds),
        };
        self.template.states[usize::from(id)].kind = kind;
        let closed = Visibility::Internal.bit() | Visibility::Private.bit();
        let shown = self.has_getter(ty);
        let domain = if shown { closed | Visibility::Public.bit() } else { closed };
        let visibility = self.attribute(VariableKind::Visibility, domain);
        self.template.states[usize::from(id)].visibility = visibility;
    }

    /// Whether a getter of this type returns something that compiles in every solution.
    fn has_getter(&self, ty: TypeId) -> bool {
        match self.ty(ty) {
            Type::Array(element, _) => self.has_getter(element),
            Type::Mapping(_, value) => self.has_getter(value),
            Type::Struct(which) => {
                let fields = &self.template.structs[usize::from(which)].fields;
                let shown = |field: &&TypeId| {
                    !matches!(self.ty(**field), Type::Array(..) | Type::Mapping(..))
                };
                // Members that are structs with nothing to show would be an error, and many results fill the stack.
                let visible = fields.iter().filter(shown).count();
                (1..=4).contains(&visible)
                    && fields.iter().all(|field| !matches!(self.ty(*field), Type::Struct(_)))
            }
            _ => true,
        }
    }

    fn constructor(&mut self) {
        let mutability = Mutability::NonPayable.bit() | Mutability::Payable.bit();
        let mutability = self.attribute(VariableKind::Mutability, mutability);
        let id = self.template.functions.len();
        let own = Some(self.contract);
        let visibility = Visibility::Public.fixed();
        self.template.functions.push(Function::new(own, FunctionKind::Constructor, visibility, mutability));
        self.function = id;
        let count = self.entropy.below(3);
        for _ in 0..count {
            let ty = self.any_type(1);
            self.template.functions[id]
                .locals
                .push(Local { ty, location: Location::Memory.fixed() });
        }
        self.template.functions[id].parameters = count as u16;
        self.body(id, 4);
        self.template.contracts[usize::from(self.contract)].constructor = Some(id as u16);
    }

    /// A function; one that transactions must be able to call has its visibility restricted.
    fn ordinary(&mut self, open: bool) {
        let id = self.template.functions.len();
        let public = Visibility::Public.bit() | Visibility::External.bit();
        let domain = if open || self.chance(60) { public } else { public | 0b1100 };
        let visibility = self.attribute(VariableKind::Visibility, domain);
        let mutability = self.attribute(VariableKind::Mutability, 0b1111);
        let draw = self.entropy.word();
        if let (Attribute::Variable(from), Attribute::Variable(to)) = (visibility, mutability) {
            self.space.relate(from, to, Relation::Pays, draw);
        }
        let own = Some(self.contract);
        self.template.functions.push(Function::new(own, FunctionKind::Ordinary, visibility, mutability));
        self.function = id;
        let count = self.entropy.below(4);
        for _ in 0..count {
            self.parameter(id, visibility);
        }
        self.template.functions[id].parameters = count as u16;
        let returns = self.entropy.between(0, 2);
        for _ in 0..returns {
            let ty = self.result_type(id, count as usize);
            self.template.functions[id]
                .locals
                .push(Local { ty, location: Location::Memory.fixed() });
        }
        self.template.functions[id].returns = returns as u16;
        self.body(id, 7);
        self.results(id);
        self.template.contracts[usize::from(self.contract)].functions.push(id as u16);
    }

    fn parameter(&mut self, id: usize, visibility: Attribute) {
        let reference = self.entropy.below(30) < 10 + self.swarm.calldata;
        let ty = if reference { self.reference_type(2) } else { self.value_type() };
        let mut location = Location::Memory.fixed();
        if reference {
            let all = Location::Memory.bit() | Location::Storage.bit() | Location::Calldata.bit();
            let domain = match self.entropy.below(10) {
                _ if self.swarm.calldata > 5 && self.chance(50) => Location::Calldata.bit(),
                0..5 => Location::Memory.bit() | Location::Calldata.bit(),
                5 | 6 => Location::Calldata.bit(),
                _ => all,
            };
            location = self.attribute(VariableKind::Location, domain);
            let draw = self.entropy.word();
            if let (Attribute::Variable(from), Attribute::Variable(to)) = (location, visibility) {
                self.space.relate(from, to, Relation::Enters, draw);
            }
        }
        self.template.functions[id].locals.push(Local { ty, location });
    }

    /// The type of a result: that of a parameter or state variable, or a new one.
    fn result_type(&mut self, id: usize, parameters: usize) -> TypeId {
        let mut known: Vec<TypeId> =
            self.template.functions[id].locals[..parameters].iter().map(|it| it.ty).collect();
        known.extend(self.state_ids().iter().map(|id| self.template.states[usize::from(*id)].ty));
        let known: Vec<TypeId> = known.into_iter().filter(|ty| !self.has_mapping(*ty)).collect();
        match self.weighted(&[6, 4, 3]) {
            0 if !known.is_empty() => known[self.entropy.below(known.len() as u64) as usize],
            1 => crate::model::BYTES,
            _ => self.any_type(1),
        }
    }

    fn body(&mut self, id: usize, most: u64) {
        let function = &self.template.functions[id];
        self.scope = (0..function.parameters + function.returns).collect();
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
    fn results(&mut self, id: usize) {
        let types = self.template.functions[id].return_types();
        if types.is_empty() || self.chance(15) {
            return;
        }
        let mut values: Vec<Expression> = vec![];
        for (index, ty) in types.iter().enumerate() {
            let value = match self.is_reference(*ty) {
                true => self.reference(*ty, Location::Memory.fixed(), 1),
                false => Some(self.value(*ty, 2)),
            };
            let own = self.template.functions[id].parameters + index as u16;
            let default = || Expression::new(crate::model::Kind::Local(own), *ty);
            values.push(value.unwrap_or_else(default));
        }
        let guards = self.guard_condition(0);
        match guards {
            // Where an assumed index is out of range, the named results are returned.
            Some(condition) if self.chance(80) => {
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
