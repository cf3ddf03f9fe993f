//! What derived contracts take from their bases: functions to override, and modifiers.

use super::Generator;
use crate::model::{ContractKind, Function, FunctionKind, Local, Location, Statement, Visibility};
use crate::template::VariableKind;

impl Generator<'_> {
    /// Base contracts: none, a chain, or a diamond. The most basic one is the only one without bases.
    pub(super) fn bases(&mut self) -> Vec<u8> {
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

    /// A function without a body, which a derived contract implements.
    pub(super) fn signature(&mut self) {
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

    /// Versions of virtual functions of bases.
    pub(super) fn overrides(&mut self) {
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

    /// A modifier of this contract.
    pub(super) fn modifier(&mut self) {
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
    pub(super) fn modified(&mut self, id: usize) {
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
}
