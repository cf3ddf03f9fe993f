//! The entry points of a contract: public and external functions, and getters of public state variables.

use crate::abi::selector;
use crate::model::{
    ContractKind, FunctionId, FunctionKind, Length, Mutability, StateId, Type, TypeId, UINT256,
    Visibility,
};
use crate::view::View;

/// What an entry point leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Callee {
    Function(FunctionId),
    Getter(StateId),
}

/// A function that transactions can call.
#[derive(Clone, Debug)]
pub struct Entry {
    pub selector: [u8; 4],
    pub callee: Callee,
    pub parameters: Vec<TypeId>,
    pub returns: Vec<TypeId>,
    pub payable: bool,
}

impl View<'_> {
    /// The name of a function; one that overrides has the name of what it overrides.
    pub fn function_name(&self, id: FunctionId) -> String {
        let function = &self.template.functions[usize::from(id)];
        let root = function.overrides.iter().copied().min().or(function.alias).unwrap_or(id);
        let alias = self.template.functions.get(usize::from(root)).and_then(|it| it.alias);
        format!("f{}", alias.unwrap_or(root))
    }

    pub fn function_selector(&self, id: FunctionId) -> [u8; 4] {
        let function = &self.template.functions[usize::from(id)];
        selector(self, &self.function_name(id), &function.parameter_types())
    }

    /// The entry points of a contract, in order of declaration, the most derived versions only.
    pub fn entries(&self, contract: u8) -> Vec<Entry> {
        let mut entries = vec![];
        let order = self.linearised(contract);
        if self
            .template
            .contracts
            .get(usize::from(contract))
            .is_none_or(|it| it.kind == ContractKind::Library)
        {
            return entries;
        }
        for base in &order {
            for id in &self.template.contracts[usize::from(*base)].functions {
                let function = &self.template.functions[usize::from(*id)];
                let open = matches!(
                    self.visibility(function.visibility),
                    Visibility::Public | Visibility::External
                );
                let is_last = *id == self.resolve(*id, &order);
                if open && is_last && function.kind == FunctionKind::Ordinary {
                    entries.push(Entry {
                        selector: self.function_selector(*id),
                        callee: Callee::Function(*id),
                        parameters: function.parameter_types(),
                        returns: function.return_types(),
                        payable: self.mutability(function.mutability) == Mutability::Payable,
                    });
                }
            }
            for id in self.declared_states(*base) {
                let state = &self.template.states[usize::from(id)];
                if self.visibility(state.visibility) == Visibility::Public {
                    let (parameters, returns) = self.getter(state.ty);
                    let selector = selector(self, &format!("s{id}"), &parameters);
                    let callee = Callee::Getter(id);
                    entries.push(Entry { selector, callee, parameters, returns, payable: false });
                }
            }
        }
        entries
    }

    /// The most derived version of a function among contracts from the most basic to the most derived.
    pub fn resolve(&self, id: FunctionId, order: &[u8]) -> FunctionId {
        for contract in order.iter().rev() {
            for other in &self.template.contracts[usize::from(*contract)].functions {
                let function = &self.template.functions[usize::from(*other)];
                if *other == id || function.overrides.contains(&id) {
                    return *other;
                }
            }
        }
        id
    }

    /// The parameters and results of a getter.
    pub fn getter(&self, id: TypeId) -> (Vec<TypeId>, Vec<TypeId>) {
        let mut parameters = vec![];
        let mut id = id;
        loop {
            match self.ty(id) {
                Type::Array(element, _) => {
                    parameters.push(UINT256);
                    id = element;
                }
                Type::Mapping(key, value) => {
                    parameters.push(key);
                    id = value;
                }
                Type::Struct(which) => {
                    let shown = |id: &&TypeId| {
                        !matches!(self.ty(**id), Type::Array(..) | Type::Mapping(..))
                    };
                    return (
                        parameters,
                        self.fields(which).iter().filter(shown).copied().collect(),
                    );
                }
                _ => return (parameters, vec![id]),
            }
        }
    }

    /// Whether a public state variable of this type has a getter that compiles.
    pub fn has_getter(&self, id: TypeId) -> bool {
        !self.getter(id).1.is_empty()
    }

    /// Whether values of a type can be parameters or results of external functions.
    pub fn is_external(&self, id: TypeId) -> bool {
        match self.ty(id) {
            Type::Mapping(..) => false,
            Type::Array(element, length) => length != Length::Fixed(0) && self.is_external(element),
            Type::Struct(which) => self.fields(which).iter().all(|field| self.is_external(*field)),
            _ => true,
        }
    }
}
