//! Generates a template from entropy, top down. Expressions are made of declarations in scope whose attributes can
//! satisfy the constraints; a constraint without solution is refused, and where no declaration fits a new one is made.

mod assembly;
mod call;
mod contract;
mod function;
mod inheritance;
mod outside;
mod places;
mod reference;
mod report;
mod statement;
mod types;
mod value;

use forge::Entropy;

use crate::model::{
    Attribute, Expression, LocalId, Mutability, StateKind, Template, TypeId, VariableId, Version,
    base_types,
};
use crate::template::{Space, VariableKind};

/// Generates a template and its solution space, seldom with fixed-point numbers if these are wanted.
pub(crate) fn template(
    entropy: &mut Entropy,
    version: Version,
    fractions: bool,
) -> (Template, Space) {
    let mut generator = Generator::new(entropy, version);
    generator.fractions = fractions && version >= Version::V5 && generator.chance(20);
    generator.contracts();
    (generator.template, generator.space)
}

/// What this template has much of. Each is drawn per template.
#[derive(Clone, Copy, Debug, Default)]
struct Swarm {
    arrays: u64,
    bytes: u64,
    calldata: u64,
    structs: u64,
    arithmetic: u64,
    events: u64,
    calls: u64,
    /// Before 0.8, `delete` of a byte in memory is often compiled wrongly and would hide everything else.
    byte_deletes: bool,
    assembly: u64,
    tuples: u64,
}

struct Generator<'e> {
    entropy: &'e mut Entropy,
    template: Template,
    space: Space,
    swarm: Swarm,
    contract: u8,
    /// A contract that others create.
    other: Option<u8>,
    /// Whether the contract is a half of a diamond.
    is_diamond: bool,
    /// The function whose body is generated.
    function: usize,
    /// Locals that can be used.
    scope: Vec<LocalId>,
    /// Counters of loops, which are only read.
    counters: Vec<LocalId>,
    /// Indices that were assumed to be in range: arrays and the lengths they need.
    guards: Vec<(Expression, u64)>,
    literals: u16,
    /// Functions whose names must stay unique.
    unique: Vec<u16>,
    salts: u64,
    /// State variables that may be immutable in a version in which constructors cannot read these.
    late: Vec<u16>,
    /// Whether there are fixed-point numbers.
    fractions: bool,
    /// Functions whose assembly may end a transaction.
    stoppers: Vec<u16>,
    /// Whether this is the contract under test.
    is_last: bool,
    /// How deep statements are nested.
    nesting: u8,
    in_loop: bool,
    in_block: bool,
    /// Statements that may still be made in this function.
    budget: u32,
}

impl<'e> Generator<'e> {
    fn new(entropy: &'e mut Entropy, version: Version) -> Self {
        let level = |entropy: &mut Entropy| match entropy.below(4) {
            0 => 0,
            1 => 2,
            2 => 5,
            _ => 12,
        };
        let swarm = Swarm {
            arrays: level(entropy),
            bytes: level(entropy),
            calldata: level(entropy),
            structs: level(entropy),
            arithmetic: level(entropy),
            events: level(entropy),
            calls: level(entropy),
            byte_deletes: version >= Version::V8 || entropy.chance(1, 25),
            assembly: if entropy.chance(2, 5) { 8 + 2 * level(entropy) } else { 0 },
            tuples: level(entropy),
        };
        let template = Template {
            version,
            types: base_types(),
            structs: vec![],
            enums: vec![3, 6],
            wrappers: vec![],
            events: vec![],
            errors: vec![],
            contracts: vec![],
            states: vec![],
            functions: vec![],
            abi_coder: Attribute::Is(0),
            first_coder: version >= Version::V5 && entropy.chance(1, 12),
            files: Attribute::Is(0),
            operators: vec![],
        };
        Self {
            entropy,
            template,
            space: Space::default(),
            swarm,
            contract: 0,
            other: None,
            is_diamond: false,
            function: 0,
            scope: vec![],
            counters: vec![],
            guards: vec![],
            literals: 0,
            unique: vec![],
            salts: 0,
            late: vec![],
            fractions: false,
            stoppers: vec![],
            is_last: false,
            nesting: 0,
            in_loop: false,
            in_block: false,
            budget: 0,
        }
    }

    /// The index of a weight, drawn in proportion.
    fn weighted(&mut self, weights: &[u64]) -> usize {
        let mut draw = self.entropy.below(weights.iter().sum());
        for (index, weight) in weights.iter().enumerate() {
            if draw < *weight {
                return index;
            }
            draw -= weight;
        }
        0
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.entropy.chance(percent, 100)
    }

    fn variable(&mut self, kind: VariableKind, domain: u128) -> VariableId {
        self.space.fresh(kind, domain)
    }

    fn attribute(&mut self, kind: VariableKind, domain: u128) -> Attribute {
        Attribute::Variable(self.variable(kind, domain))
    }

    /// The values that an attribute can still have.
    fn domain(&self, attribute: Attribute) -> u128 {
        match attribute {
            Attribute::Is(value) => 1 << value,
            Attribute::Variable(id) => self.space.domain(id),
        }
    }

    fn restrict(&mut self, attribute: Attribute, allowed: u128) -> bool {
        match attribute {
            Attribute::Is(value) => allowed & (1 << value) != 0,
            Attribute::Variable(id) => self.space.restrict(id, allowed),
        }
    }

    fn mutability(&self) -> Attribute {
        self.template.functions[self.function].mutability
    }

    /// The current function reads state.
    fn reads(&mut self) -> bool {
        let mutability = self.mutability();
        self.restrict(mutability, !Mutability::Pure.bit())
    }

    /// The current function writes state.
    fn writes(&mut self) -> bool {
        let mutability = self.mutability();
        self.restrict(mutability, Mutability::NonPayable.bit() | Mutability::Payable.bit())
    }

    fn state_ids(&self) -> Vec<u16> {
        if self.template.functions.get(self.function).is_some_and(|it| it.contract.is_none()) {
            return vec![];
        }
        self.ancestors(self.contract)
            .into_iter()
            .flat_map(|it| self.template.contracts[usize::from(it)].states.clone())
            .collect()
    }

    /// Whether a state variable is kept in storage or transient storage in every solution.
    fn is_written_state(&self, id: u16) -> bool {
        let kind = self.domain(self.template.states[usize::from(id)].kind);
        kind & (StateKind::Constant.bit() | StateKind::Immutable.bit()) == 0
    }

    fn type_of_local(&self, id: LocalId) -> TypeId {
        self.template.functions[self.function].locals[usize::from(id)].ty
    }
}
