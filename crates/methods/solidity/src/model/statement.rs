//! Statements.

use serde::{Deserialize, Serialize};

use super::{Attribute, Expression, LocalId, StateId};

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Statement {
    /// The declaration of a local variable.
    Let(LocalId, Option<Expression>),
    /// The declaration of several local variables from a call with several results.
    LetMany(Vec<Option<LocalId>>, Expression),
    /// An expression whose value is not used.
    Do(Expression),
    If(Expression, Vec<Statement>, Vec<Statement>),
    /// `for (uint256 i = 0; i < bound; i++)`. The counter is written nowhere else.
    For {
        counter: LocalId,
        bound: Expression,
        body: Vec<Statement>,
    },
    /// `while (c) { … }` with a counter that ends it, or `do … while`.
    While {
        counter: LocalId,
        condition: Expression,
        bound: u8,
        test_last: bool,
        body: Vec<Statement>,
    },
    Break,
    Continue,
    /// `_;` of a modifier.
    Inner,
    /// A built-in function as a statement, without a call.
    Mention(u8),
    /// `assembly { … }`
    Assembly(Vec<Assembly>),
    Return(Vec<Expression>),
    /// A block: checked (1) or unchecked (0), by its attribute.
    Block(Attribute, Vec<Statement>),
    /// `require`, with a text, or a custom error and its arguments.
    Require(Expression, Option<Vec<u8>>, Option<(u16, Vec<Expression>)>),
    Assert(Expression),
    /// `revert E(…)`, or `revert("…")`.
    Revert(Option<(u16, Vec<Expression>)>, Vec<u8>),
    Emit(u16, Vec<Expression>),
    Delete(Expression),
    Pop(Expression),
    /// `(a, b) = (x, y)` of value types.
    Swap(Vec<Expression>, Vec<Expression>),
    /// `try call returns (…) { … } catch … { … }`.
    Try {
        call: Expression,
        results: Vec<LocalId>,
        body: Vec<Statement>,
        catches: Vec<(CatchKind, Vec<Statement>)>,
    },
}

/// A statement of inline assembly. All variables have 256 bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Assembly {
    Set(LocalId, Word),
    /// `sstore(s.slot, …)`
    Store(StateId, Word),
    /// `mstore(add(v, …), …)`: an element of an array in memory that is known to exist.
    StoreItem(LocalId, u8, Word),
    /// `mstore(0, …)` and `v := mload(0)`, in two blocks.
    Scratch(LocalId, Word),
    /// `mstore(0, …)`, and the hashes of its first bytes, as many as the numbers say, in two variables.
    Hash([(LocalId, u8); 2], Word),
    /// A loop that adds the word and the counter to a variable, but leaves an iteration or the loop.
    Loop {
        sum: LocalId,
        count: u8,
        leaves_at: u8,
        breaks: bool,
        word: Word,
    },
    /// `if … { stop() }`
    Stop(Word),
}

/// An expression of inline assembly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Word {
    Local(LocalId),
    Number(ruint::aliases::U256),
    /// `sload(s.slot)`
    Load(StateId),
    Apply(Instruction, Vec<Word>),
}

/// An instruction of the EVM that computes a word from words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Instruction {
    Add,
    Sub,
    Mul,
    Div,
    Sdiv,
    Mod,
    Smod,
    And,
    Or,
    Xor,
    Not,
    Lt,
    Gt,
    Slt,
    Sgt,
    Eq,
    Iszero,
    Byte,
    Addmod,
    Mulmod,
    Shl,
    Shr,
    Sar,
}

impl Instruction {
    pub const ALL: [Self; 23] = [
        Self::Add,
        Self::Sub,
        Self::Mul,
        Self::Div,
        Self::Sdiv,
        Self::Mod,
        Self::Smod,
        Self::And,
        Self::Or,
        Self::Xor,
        Self::Not,
        Self::Lt,
        Self::Gt,
        Self::Slt,
        Self::Sgt,
        Self::Eq,
        Self::Iszero,
        Self::Byte,
        Self::Addmod,
        Self::Mulmod,
        Self::Shl,
        Self::Shr,
        Self::Sar,
    ];

    pub fn arity(self) -> usize {
        match self {
            Self::Not | Self::Iszero => 1,
            Self::Addmod | Self::Mulmod => 3,
            _ => 2,
        }
    }

    /// Its name in assembly.
    pub fn text(self) -> String {
        format!("{self:?}").to_lowercase()
    }
}

impl Word {
    /// The local and state variables that it reads.
    pub fn reads(&self, visit: &mut impl FnMut(&Word)) {
        visit(self);
        if let Self::Apply(_, parts) = self {
            parts.iter().for_each(|part| part.reads(visit));
        }
    }
}

impl Assembly {
    pub fn word(&self) -> &Word {
        match self {
            Self::Set(_, word)
            | Self::Store(_, word)
            | Self::StoreItem(_, _, word)
            | Self::Scratch(_, word)
            | Self::Hash(_, word)
            | Self::Loop { word, .. }
            | Self::Stop(word) => word,
        }
    }

    /// The local variables that it writes, or whose object it writes.
    pub fn locals(&self) -> Vec<LocalId> {
        match self {
            Self::Set(id, _) | Self::StoreItem(id, ..) | Self::Scratch(id, _) => vec![*id],
            Self::Hash([(first, _), (second, _)], _) => vec![*first, *second],
            Self::Loop { sum, .. } => vec![*sum],
            Self::Store(..) | Self::Stop(_) => vec![],
        }
    }
}

/// A catch clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CatchKind {
    /// `catch Error(string memory v)`.
    Error(LocalId),
    /// `catch Panic(uint256 v)`.
    Panic(LocalId),
    /// `catch (bytes memory v)`.
    Data(LocalId),
    /// `catch`.
    All,
}
