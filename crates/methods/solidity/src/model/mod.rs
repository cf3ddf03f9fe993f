//! The model of a template: contracts, functions and declarations in flat tables, referred to by number. Attributes are
//! either fixed or variables of the template's space. A program is a template with one solution of that space.

mod attribute;
mod expression;
mod statement;
mod types;
mod version;
mod visit;

use serde::{Deserialize, Serialize};

pub use attribute::{Attribute, CallKind, Location, Mutability, StateKind, Visibility};
pub use expression::{AbiKind, Binary, Expression, Kind, Message, Unary};
pub use statement::{Assembly, CatchKind, Instruction, Statement, Word};
pub use types::{
    ADDRESS, BOOL, BYTES, BYTES32, FIXED_POINTS, Length, STRING, Type, TypeId, UINT256, base_types,
};
pub use version::Version;

/// The number of a local variable, parameter or return variable within its function.
pub type LocalId = u16;
/// The number of a state variable within the template.
pub type StateId = u16;
/// The number of a function within the template.
pub type FunctionId = u16;
/// The number of an attribute variable within the template.
pub type VariableId = u16;

/// All declarations of a template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Template {
    pub version: Version,
    pub types: Vec<Type>,
    pub structs: Vec<Struct>,
    /// The number of members of each enum.
    pub enums: Vec<u8>,
    /// The underlying type of each user-defined value type.
    pub wrappers: Vec<TypeId>,
    pub events: Vec<Event>,
    /// The parameters of each custom error.
    pub errors: Vec<Vec<TypeId>>,
    pub contracts: Vec<Contract>,
    pub states: Vec<State>,
    pub functions: Vec<Function>,
    /// Whether `pragma abicoder v2` is written.
    pub abi_coder: Attribute,
    /// Whether the first ABI coder is used, which knows fewer types and checks less.
    pub first_coder: bool,
    /// Whether what is outside of contracts is in a file of its own, and how that is imported.
    pub files: Attribute,
    /// Free functions that are operators of user-defined value types.
    pub operators: Vec<(u8, Binary, FunctionId)>,
}

/// A struct declaration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Struct {
    pub fields: Vec<TypeId>,
}

/// An event declaration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    /// The type of each parameter, and whether it is indexed.
    pub parameters: Vec<(TypeId, bool)>,
    pub anonymous: bool,
}

/// What kind of contract a declaration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ContractKind {
    Contract,
    Abstract,
    Interface,
    Library,
}

/// A contract. Its members are in the tables of the template.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contract {
    pub kind: ContractKind,
    /// The direct bases, most basic first, as Solidity wants them.
    pub bases: Vec<u8>,
    /// State variables in the order of their generation.
    pub states: Vec<StateId>,
    /// The order in which they are declared: the rank of a permutation.
    pub order: Attribute,
    pub functions: Vec<FunctionId>,
    pub modifiers: Vec<FunctionId>,
    pub constructor: Option<FunctionId>,
    /// Arguments for the constructors of the bases, if these have parameters.
    pub base_arguments: Vec<(u8, Vec<Expression>)>,
    /// Where its storage begins: one of a few slots.
    pub layout: Attribute,
}

/// A state variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct State {
    pub contract: u8,
    pub ty: TypeId,
    pub visibility: Attribute,
    pub kind: Attribute,
    pub initial: Option<Expression>,
}

/// A local variable, parameter or return variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Local {
    pub ty: TypeId,
    /// Ignored for value types.
    pub location: Attribute,
}

/// What a function is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum FunctionKind {
    Ordinary,
    Constructor,
    /// Declared outside of contracts.
    Free,
    Receive,
    Fallback,
    /// A modifier, with [`Statement::Inner`] where the function that it modifies goes on.
    Modifier,
}

/// A function. The first locals are the parameters, the next ones the return variables.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    pub contract: Option<u8>,
    pub kind: FunctionKind,
    pub locals: Vec<Local>,
    pub parameters: u16,
    pub returns: u16,
    /// Whether the return variables have names.
    pub named_returns: bool,
    pub visibility: Attribute,
    pub mutability: Attribute,
    pub is_virtual: bool,
    /// The functions of bases that it overrides.
    pub overrides: Vec<FunctionId>,
    /// Another function of the contract whose name it has, with other parameters.
    pub alias: Option<FunctionId>,
    /// Whether it is declared without a body.
    pub is_abstract: bool,
    pub modifiers: Vec<(FunctionId, Vec<Expression>)>,
    /// The comment before it.
    pub doc: Attribute,
    pub body: Vec<Statement>,
}

impl Function {
    /// A function without parameters and statements.
    pub fn new(
        contract: Option<u8>,
        kind: FunctionKind,
        visibility: Attribute,
        mutability: Attribute,
    ) -> Self {
        Self {
            contract,
            kind,
            locals: vec![],
            parameters: 0,
            returns: 0,
            named_returns: true,
            visibility,
            mutability,
            is_virtual: false,
            overrides: vec![],
            alias: None,
            is_abstract: false,
            modifiers: vec![],
            doc: Attribute::Is(0),
            body: vec![],
        }
    }

    /// The numbers of the return variables.
    pub fn return_locals(&self) -> std::ops::Range<u16> {
        self.parameters..self.parameters + self.returns
    }

    pub fn parameter_types(&self) -> Vec<TypeId> {
        self.locals[..self.parameters as usize].iter().map(|local| local.ty).collect()
    }

    pub fn return_types(&self) -> Vec<TypeId> {
        self.return_locals().map(|id| self.locals[id as usize].ty).collect()
    }
}
