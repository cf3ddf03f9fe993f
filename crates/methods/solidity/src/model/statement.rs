//! Statements.

use serde::{Deserialize, Serialize};

use super::{Attribute, Expression, LocalId};

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
