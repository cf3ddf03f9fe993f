//! Contracts, libraries, state variables and constructors.

use super::Generator;
use crate::model::{
    Attribute, Contract, ContractKind, Expression, Function, FunctionKind, Kind, Local, Location,
    Mutability, StateKind, Type, TypeId, Version, Visibility,
};
use crate::template::{INTEGERS, VariableKind};

impl Generator<'_> {
    pub(super) fn contracts(&mut self) {
        if self.is_version(Version::V8Types) {
            for _ in 0..2 {
                let id = self.variable(VariableKind::Type, INTEGERS);
                let ty = self.add_type(Type::Variable(id));
                self.template.wrappers.push(ty);
            }
        }
        if self.is_version(Version::V8) {
            let known = if self.template.first_coder { 0b1 } else { 0b11 };
            self.template.abi_coder = self.attribute(VariableKind::Coder, known);
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
        if self.is_version(Version::V7Late) && self.chance(20) {
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

    pub(super) fn one_contract(&mut self, kind: ContractKind, bases: &[u8], least: u64, most: u64) {
        self.add_contract(kind, bases.to_vec());
        self.is_last = least == 2;
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
        if self.chance(25) {
            self.modifier();
        }
        let needed = bases.iter().any(|base| self.needs_arguments(*base));
        if needed || self.chance(30) {
            self.constructor();
        }
        let functions = self.entropy.between(least, most);
        let is_last = least == 2;
        let stops = self.swarm.assembly > 0 && self.is_version(Version::V4Late);
        if stops && is_last && self.chance(35) {
            self.stopper();
        }
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

    fn library(&mut self) {
        self.add_contract(ContractKind::Library, vec![]);
        for _ in 0..self.entropy.between(1, 3) {
            // Early compilers do not find external functions of libraries.
            let domain = if self.is_version(Version::V4Late) { 0b111 } else { 0b101 };
            let visibility = self.attribute(VariableKind::Visibility, domain);
            let id = self.declared(visibility, 0b111);
            let count = self.entropy.between(1, 3);
            for _ in 0..count {
                self.parameter(id, visibility);
            }
            self.template.functions[id].parameters = count as u16;
            self.finished(id, 4);
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
                // Before 0.8.21, immutable variables cannot be read in constructors, nor in what these call.
                let late = self.is_last && self.is_version(Version::V6Late);
                let newest = self.is_version(Version::Newest);
                if late && !newest {
                    self.late.push(id);
                }
                let immutable = if late || newest { StateKind::Immutable.bit() } else { 0 };
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
                // Before 0.5.5, getters take no keys of dynamic size.
                let keyed = self.is_version(Version::V6) || !self.is_reference(key);
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

    /// Whether the constructor of a contract has parameters.
    fn needs_arguments(&self, contract: u8) -> bool {
        let constructor = self.template.contracts[usize::from(contract)].constructor;
        constructor.is_some_and(|id| self.template.functions[usize::from(id)].parameters > 0)
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
            let modern = self.has_nested_abi();
            let ty = if modern { self.any_type(1) } else { self.simple_type() };
            self.template.functions[id].locals.push(Local { ty, location });
        }
        self.template.functions[id].parameters = (inherited + count) as u16;
        self.modified(id);
        self.body(id, 4);
        self.template.contracts[usize::from(self.contract)].constructor = Some(id as u16);
    }
}
