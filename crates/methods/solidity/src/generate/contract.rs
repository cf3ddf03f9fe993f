//! Contracts and functions.

use super::Generator;
use crate::model::{
    Attribute, Binary, Contract, ContractKind, Expression, Function, FunctionKind, Kind, Local,
    Location, Mutability, StateKind, Statement, Type, TypeId, Version, Visibility,
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
        if self.is_version(Version::V6) && self.chance(20) {
            self.template.files = self.attribute(VariableKind::Files, 0b1111);
        }
        if self.is_version(Version::Newest) && self.chance(25) {
            self.operator();
        }
        if self.chance(25) {
            self.library();
        }
        if self.is_version(Version::V7) && self.chance(20) {
            for _ in 0..self.entropy.between(1, 2) {
                self.free();
            }
        }
        if self.chance(25) {
            self.one_contract(ContractKind::Contract, &[], 1, 2);
            self.other = Some(self.contract);
        }
        let bases = self.bases();
        let most = if self.template.contracts.is_empty() { 5 } else { 4 };
        self.one_contract(ContractKind::Contract, &bases, 2, most);
        if self.is_version(Version::Newest) && self.chance(20) {
            let layout = self.attribute(VariableKind::Layout, 0b1111);
            self.template.contracts[usize::from(self.contract)].layout = layout;
        }
        for id in 0..self.template.functions.len() {
            if self.chance(12) {
                self.template.functions[id].doc = self.attribute(VariableKind::Doc, 0b1111);
            }
        }
    }

    /// An operator of a user-defined value type.
    fn operator(&mut self) {
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

    /// Base contracts: none, a chain, or a diamond. The most basic one is the only one without bases.
    fn bases(&mut self) -> Vec<u8> {
        let shape = self.weighted(&[60, 22, 8, 10]);
        if shape == 0 {
            return vec![];
        }
        let kind = match self.weighted(&[50, 35, 15]) {
            0 => ContractKind::Contract,
            1 => ContractKind::Abstract,
            _ => ContractKind::Interface,
        };
        self.is_diamond = shape == 3;
        self.one_contract(kind, &[], 1, 3);
        let root = self.contract;
        match shape {
            1 => vec![root],
            2 => {
                self.one_contract(ContractKind::Contract, &[root], 1, 2);
                vec![self.contract]
            }
            _ => {
                self.one_contract(ContractKind::Contract, &[root], 0, 1);
                let left = self.contract;
                self.one_contract(ContractKind::Contract, &[root], 0, 1);
                let right = self.contract;
                self.is_diamond = false;
                if self.chance(20) { vec![root, left, right] } else { vec![left, right] }
            }
        }
    }

    fn add_contract(&mut self, kind: ContractKind, bases: Vec<u8>) {
        self.contract = self.template.contracts.len() as u8;
        self.template.contracts.push(Contract {
            kind,
            bases,
            states: vec![],
            order: Attribute::Is(0),
            functions: vec![],
            modifiers: vec![],
            constructor: None,
            base_arguments: vec![],
            layout: Attribute::Is(0),
        });
    }

    fn one_contract(&mut self, kind: ContractKind, bases: &[u8], least: u64, most: u64) {
        self.add_contract(kind, bases.to_vec());
        if kind == ContractKind::Interface {
            for _ in 0..self.entropy.between(1, 2) {
                self.signature();
            }
            return;
        }
        let states =
            if bases.is_empty() { self.entropy.between(1, 5) } else { self.entropy.below(4) };
        for _ in 0..states {
            let ty = self.state_type();
            self.state(ty);
        }
        if self.chance(20) {
            self.modifier();
        }
        let needed = bases.iter().any(|base| self.needs_arguments(*base));
        if needed || self.chance(30) {
            self.constructor();
        }
        let functions = self.entropy.between(least, most);
        let is_last = least == 2;
        for index in 0..functions {
            self.ordinary(index == 0 || (is_last && index + 1 == functions));
            if kind == ContractKind::Abstract && self.chance(30) {
                self.signature();
            }
        }
        self.overrides();
        if is_last && self.chance(15) {
            self.fallbacks();
        }
        let count = self.template.contracts[usize::from(self.contract)].states.len() as u32;
        if count > 1 {
            let orders = (1..=u128::from(count.min(5))).product::<u128>().min(120);
            let domain = (1u128 << orders) - 1;
            let order = self.attribute(VariableKind::Order, domain);
            self.template.contracts[usize::from(self.contract)].order = order;
        }
    }

    /// Whether the constructor of a contract has parameters.
    fn needs_arguments(&self, contract: u8) -> bool {
        let constructor = self.template.contracts[usize::from(contract)].constructor;
        constructor.is_some_and(|id| self.template.functions[usize::from(id)].parameters > 0)
    }

    /// A function without a body, which a derived contract implements.
    fn signature(&mut self) {
        let interface =
            self.template.contracts[usize::from(self.contract)].kind == ContractKind::Interface;
        let domain = if interface { 0b10 } else { 0b111 };
        let visibility = self.attribute(VariableKind::Visibility, domain);
        let id = self.declared(visibility, 0b1111);
        let count = self.entropy.below(3);
        for _ in 0..count {
            self.parameter(id, visibility);
        }
        self.template.functions[id].parameters = count as u16;
        self.returned(id);
        let function = &mut self.template.functions[id];
        function.is_abstract = true;
        function.is_virtual = !interface;
        self.template.contracts[usize::from(self.contract)].functions.push(id as u16);
    }

    /// A new function of this contract, with a mutability that fits its visibility.
    fn declared(&mut self, visibility: Attribute, mutabilities: u128) -> usize {
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

    /// Versions of virtual functions of bases.
    fn overrides(&mut self) {
        let bases = self.template.contracts[usize::from(self.contract)].bases.clone();
        if bases.is_empty() {
            return;
        }
        let inherited = self.ancestors(self.contract);
        let mut known: Vec<u16> = vec![];
        for base in &inherited[1..] {
            known.extend(&self.template.contracts[usize::from(*base)].functions);
        }
        known.sort_unstable();
        let roots: Vec<u16> = known
            .iter()
            .copied()
            .filter(|id| self.template.functions[usize::from(*id)].overrides.is_empty())
            .collect();
        for root in roots {
            let versions: Vec<u16> = known
                .iter()
                .copied()
                .filter(|id| {
                    *id == root
                        || self.template.functions[usize::from(*id)].overrides.contains(&root)
                })
                .collect();
            let function = self.template.functions[usize::from(root)].clone();
            let missing = function.is_abstract && versions.len() == 1;
            // Versions in both halves of a diamond have to be overridden.
            let several = bases.len() > 1 && versions.len() > 1;
            let open = function.is_virtual || function.is_abstract;
            if !open || !(missing || several || self.chance(45)) {
                continue;
            }
            let id = self.template.functions.len();
            let mut version = Function::new(
                Some(self.contract),
                FunctionKind::Ordinary,
                function.visibility,
                function.mutability,
            );
            let kept = usize::from(function.parameters + function.returns);
            version.locals = function.locals[..kept].to_vec();
            version.parameters = function.parameters;
            version.returns = function.returns;
            version.named_returns = function.named_returns;
            version.is_virtual = true;
            version.overrides = versions;
            self.template.functions.push(version);
            self.function = id;
            self.modified(id);
            self.body(id, 5);
            self.results(id);
            self.template.contracts[usize::from(self.contract)].functions.push(id as u16);
        }
    }

    /// A contract and all that it inherits from, itself first.
    pub(super) fn ancestors(&self, contract: u8) -> Vec<u8> {
        let mut contracts = vec![contract];
        let mut next = 0;
        while next < contracts.len() {
            for base in &self.template.contracts[usize::from(contracts[next])].bases {
                if !contracts.contains(base) {
                    contracts.push(*base);
                }
            }
            next += 1;
        }
        contracts
    }

    fn library(&mut self) {
        self.add_contract(ContractKind::Library, vec![]);
        for _ in 0..self.entropy.between(1, 3) {
            let visibility = self.attribute(VariableKind::Visibility, 0b111);
            let id = self.declared(visibility, 0b111);
            let count = self.entropy.between(1, 3);
            for _ in 0..count {
                self.parameter(id, visibility);
            }
            self.template.functions[id].parameters = count as u16;
            self.finished(id, 4);
        }
    }

    /// A function outside of contracts.
    fn free(&mut self) {
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
    fn fallbacks(&mut self) {
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

    /// A modifier of this contract.
    fn modifier(&mut self) {
        let id = self.template.functions.len();
        let visibility = Visibility::Internal.fixed();
        let mutability = self.attribute(VariableKind::Mutability, 0b111);
        self.template.functions.push(Function::new(
            Some(self.contract),
            FunctionKind::Modifier,
            visibility,
            mutability,
        ));
        self.function = id;
        let count = self.entropy.below(3);
        for _ in 0..count {
            let ty = self.value_type();
            let location = Location::Memory.fixed();
            self.template.functions[id].locals.push(Local { ty, location });
        }
        self.template.functions[id].parameters = count as u16;
        self.body(id, 3);
        let conditional = self.chance(25);
        let inner = if conditional {
            let condition = self.condition(1);
            Statement::If(condition, vec![Statement::Inner], vec![])
        } else {
            Statement::Inner
        };
        let body = &mut self.template.functions[id].body;
        // What is declared before the placeholder stays in scope after it.
        let at = self.entropy.below(body.len() as u64 + 1) as usize;
        let at = if conditional { body.len() } else { at };
        body.insert(at, inner);
        self.template.contracts[usize::from(self.contract)].modifiers.push(id as u16);
    }

    /// Uses modifiers that this contract has or inherits.
    fn modified(&mut self, id: usize) {
        let known: Vec<u16> = self
            .ancestors(self.contract)
            .into_iter()
            .flat_map(|it| self.template.contracts[usize::from(it)].modifiers.clone())
            .collect();
        if known.is_empty() || self.chance(50) {
            return;
        }
        let function = &self.template.functions[id];
        self.scope = (0..function.parameters).collect();
        self.counters.clear();
        self.guards.clear();
        let count = self.entropy.between(1, 2);
        for _ in 0..count {
            let modifier = known[self.entropy.below(known.len() as u64) as usize];
            let it = self.template.functions[usize::from(modifier)].clone();
            // Without the body, results in calldata would have no value.
            let always = self.template.functions[id].named_returns
                || it.body.iter().any(|it| matches!(it, Statement::Inner));
            if !always || !self.calls(it.mutability) {
                continue;
            }
            let types = it.parameter_types();
            let mut arguments = vec![];
            for ty in types {
                arguments.push(self.value(ty, 1));
            }
            self.template.functions[id].modifiers.push((modifier, arguments));
        }
        self.guards.clear();
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
            Type::Mapping(key, value) => {
                // Before 0.5, getters take no keys of dynamic size.
                let keyed = self.is_version(Version::V5) || !self.is_reference(key);
                keyed && self.has_getter(value)
            }
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
        self.template.functions.push(Function::new(
            own,
            FunctionKind::Constructor,
            visibility,
            mutability,
        ));
        self.function = id;
        // A diamond has no place for the arguments of its root.
        let bases = self.template.contracts[usize::from(self.contract)].bases.clone();
        let mut count = if self.is_diamond { 0 } else { self.entropy.below(3) };
        let location = Location::Memory.fixed();
        for base in &bases {
            let Some(constructor) = self.template.contracts[usize::from(*base)].constructor else {
                continue;
            };
            let types = self.template.functions[usize::from(constructor)].parameter_types();
            if types.is_empty() {
                continue;
            }
            let mut arguments = vec![];
            for ty in types {
                if !self.is_reference(ty) && self.chance(30) {
                    arguments.push(self.literal(ty, true));
                    continue;
                }
                let at = self.template.functions[id].locals.len() as u16;
                arguments.push(Expression::new(Kind::Local(at), ty));
                self.template.functions[id].locals.push(Local { ty, location });
            }
            self.template.contracts[usize::from(self.contract)]
                .base_arguments
                .push((*base, arguments));
        }
        let inherited = self.template.functions[id].locals.len() as u64;
        if inherited > 3 {
            count = 0;
        }
        let root = self.template.contracts[usize::from(self.contract)].bases.is_empty();
        if root && self.other.is_none() && self.entropy.below(4) == 0 {
            count = 0;
        }
        for _ in 0..count {
            let modern = self.is_version(Version::V5);
            let ty = if modern { self.any_type(1) } else { self.simple_type() };
            self.template.functions[id].locals.push(Local { ty, location });
        }
        self.template.functions[id].parameters = (inherited + count) as u16;
        self.modified(id);
        self.body(id, 4);
        self.template.contracts[usize::from(self.contract)].constructor = Some(id as u16);
    }

    /// A function; one that transactions must be able to call has its visibility restricted.
    fn ordinary(&mut self, open: bool) {
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
            match tail && count > 1 && index + 1 == count {
                true => self.word_parameter(id, visibility),
                false => self.parameter(id, visibility),
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

    fn returned(&mut self, id: usize) {
        let count = usize::from(self.template.functions[id].parameters);
        let returns = self.entropy.between(0, 2);
        for _ in 0..returns {
            let ty = self.result_type(id, count);
            let given = self.is_version(Version::V6)
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

    /// Results, modifiers and a body for a function that has parameters.
    fn finished(&mut self, id: usize, most: u64) {
        self.returned(id);
        self.modified(id);
        self.body(id, most);
        self.results(id);
        self.template.contracts[usize::from(self.contract)].functions.push(id as u16);
    }

    fn parameter(&mut self, id: usize, visibility: Attribute) {
        let reference = self.entropy.below(30) < 10 + self.swarm.calldata;
        let ty = match (reference, self.is_version(Version::V5)) {
            (false, _) => self.value_type(),
            (true, true) => self.reference_type(2),
            (true, false) => self.simple_type(),
        };
        let mut location = Location::Memory.fixed();
        if reference {
            let all = Location::Memory.bit() | Location::Storage.bit() | Location::Calldata.bit();
            let domain = match self.entropy.below(10) {
                _ if !self.is_version(Version::V6) => all,
                _ if self.swarm.calldata > 5 && self.chance(50) => Location::Calldata.bit(),
                0..5 => Location::Memory.bit() | Location::Calldata.bit(),
                5 | 6 if self.is_version(Version::V6) => Location::Calldata.bit(),
                _ => all,
            };
            location = self.attribute(VariableKind::Location, domain);
            self.enters(id, location, visibility);
        }
        self.template.functions[id].locals.push(Local { ty, location });
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
        let old = !self.is_version(Version::V6);
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

    /// The type of a result: that of a parameter or state variable, or a new one.
    fn result_type(&mut self, id: usize, parameters: usize) -> TypeId {
        let mut known: Vec<TypeId> =
            self.template.functions[id].locals[..parameters].iter().map(|it| it.ty).collect();
        known.extend(self.state_ids().iter().map(|id| self.template.states[usize::from(*id)].ty));
        let known: Vec<TypeId> = known
            .into_iter()
            .filter(|ty| !self.has_mapping(*ty) && self.is_encodable(*ty))
            .collect();
        match self.weighted(&[6, 4, 3]) {
            0 if !known.is_empty() => known[self.entropy.below(known.len() as u64) as usize],
            1 => crate::model::BYTES,
            _ if self.is_version(Version::V5) => self.any_type(1),
            _ => self.simple_type(),
        }
    }

    /// A reference type that the first ABI coder knows.
    fn simple_type(&mut self) -> TypeId {
        if self.chance(40) {
            return self.bytes_type();
        }
        let element = self.value_type();
        let length = self.length();
        self.add_type(Type::Array(element, length))
    }

    /// Whether the ABI coder of the version has this type.
    pub(super) fn is_encodable(&self, ty: TypeId) -> bool {
        self.is_version(Version::V5)
            || match self.ty(ty) {
                Type::Array(element, _) => !self.is_reference(element),
                Type::Struct(_) | Type::Mapping(..) => false,
                _ => true,
            }
    }

    fn body(&mut self, id: usize, most: u64) {
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
    fn results(&mut self, id: usize) {
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
            let again = match *ty == crate::model::BYTES && memory && self.chance(40) {
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
