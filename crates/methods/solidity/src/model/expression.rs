//! Expressions. Each carries the number of its type; implicit conversions of value types need no node, because
//! they keep the bits of the value.

use ruint::aliases::U256;
use serde::{Deserialize, Serialize};

use super::{Attribute, FunctionId, LocalId, StateId, TypeId};

/// An expression with its type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Expression {
    pub kind: Kind,
    pub ty: TypeId,
}

/// What an expression does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// A literal whose value the solution decides, from the edge values of its type. A bare one is written without
    /// a conversion to its type.
    Literal {
        number: u16,
        bare: bool,
    },
    /// A literal with a given value of an unsigned type, or a Boolean.
    Number(U256),
    /// A string or bytes literal.
    Text(Vec<u8>),
    Local(LocalId),
    State(StateId),
    Binary(Binary, Box<(Expression, Expression)>),
    Unary(Unary, Box<Expression>),
    /// An explicit conversion to the type of this expression.
    Cast(Box<Expression>),
    Conditional(Box<(Expression, Expression, Expression)>),
    Index(Box<(Expression, Expression)>),
    Field(Box<Expression>, u8),
    Length(Box<Expression>),
    Call {
        function: FunctionId,
        how: Attribute,
        /// Whether the arguments are written with names.
        named: Attribute,
        arguments: Vec<Expression>,
    },
    /// A call of a function of another contract.
    CallOn {
        target: Box<Expression>,
        function: FunctionId,
        value: Option<Box<Expression>>,
        arguments: Vec<Expression>,
    },
    New {
        contract: u8,
        value: Option<Box<Expression>>,
        /// `{salt: …}`
        salt: Option<U256>,
        arguments: Vec<Expression>,
    },
    Push(Box<Expression>, Option<Box<Expression>>),
    Abi(AbiKind, Vec<Expression>),
    /// `abi.decode` to the type of this expression.
    Decode(Box<Expression>),
    /// `abi.decode` to several types.
    DecodeMany(Box<Expression>, Vec<TypeId>),
    /// `c.s(…)`, or `this.s(…)`: a public state variable read from outside.
    Getter {
        target: Option<Box<Expression>>,
        state: StateId,
        keys: Vec<Expression>,
    },
    Keccak(Box<Expression>),
    /// `new T[](n)` or `new bytes(n)`.
    NewArray(Box<Expression>),
    MakeStruct(Vec<Expression>),
    /// `[a, b, c]`, whose element type is that of the first.
    MakeArray(Vec<Expression>),
    /// An assignment, with an operator if it is compound.
    Assign(Option<Binary>, Box<(Expression, Expression)>),
    /// `x++` and the like: whether it is a prefix, and whether it increments.
    Step {
        place: Box<Expression>,
        prefix: bool,
        up: bool,
    },
    /// `a[from:to]` of calldata.
    Slice(Box<(Expression, Option<Expression>, Option<Expression>)>),
    /// `bytes.concat` or `string.concat`.
    Concat(Vec<Expression>),
    /// `addmod` or `mulmod`.
    Modular {
        multiply: bool,
        operands: Box<(Expression, Expression, Expression)>,
    },
    MsgValue,
    /// A function as a value: `f`, or `this.f`.
    Function(FunctionId, bool),
    /// A call of a function that a variable holds.
    CallPointer(Box<Expression>, Vec<Expression>),
    /// `this.f.selector`
    Selector(FunctionId),
    /// `(c ? this : this).f.selector`: the condition is evaluated.
    SelectorOf(FunctionId, Box<Expression>),
    /// `address(this).balance`
    Balance,
    /// A low-level call of this contract, or of another one, with raw calldata. Gives a Boolean and bytes.
    Message {
        how: Message,
        target: Option<Box<Expression>>,
        value: Option<Box<Expression>>,
        data: Box<Expression>,
    },
    /// The address of the contract as the type of the contract.
    This,
}

/// A kind of low-level call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Message {
    Call,
    Static,
    Delegate,
}

/// Which encoding function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum AbiKind {
    Encode,
    Packed,
    /// `abi.encodeWithSelector` of the selector of a function.
    WithSelector(FunctionId),
    /// `abi.encodeWithSignature` of the signature of a function.
    WithSignature(FunctionId),
    /// `abi.encodeCall`.
    Call(FunctionId),
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    Exp,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Both,
    Either,
}

/// A unary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Unary {
    Minus,
    Complement,
    Not,
}

impl Binary {
    pub fn text(self) -> &'static str {
        match self {
            Self::Add => "+",
            Self::Sub => "-",
            Self::Mul => "*",
            Self::Div => "/",
            Self::Mod => "%",
            Self::Exp => "**",
            Self::And => "&",
            Self::Or => "|",
            Self::Xor => "^",
            Self::Shl => "<<",
            Self::Shr => ">>",
            Self::Equal => "==",
            Self::NotEqual => "!=",
            Self::Less => "<",
            Self::LessEqual => "<=",
            Self::Greater => ">",
            Self::GreaterEqual => ">=",
            Self::Both => "&&",
            Self::Either => "||",
        }
    }

    pub fn is_comparison(self) -> bool {
        matches!(
            self,
            Self::Equal
                | Self::NotEqual
                | Self::Less
                | Self::LessEqual
                | Self::Greater
                | Self::GreaterEqual
        )
    }
}

impl Expression {
    pub fn new(kind: Kind, ty: TypeId) -> Self {
        Self { kind, ty }
    }

    pub fn number(value: u64) -> Self {
        Self::new(Kind::Number(U256::from(value)), super::UINT256)
    }

    pub fn truth(value: bool) -> Self {
        Self::new(Kind::Number(U256::from(u8::from(value))), super::BOOL)
    }

    /// Whether it is written as a literal without a type, so that another operand has to give it one.
    pub fn is_bare(&self) -> bool {
        matches!(self.kind, Kind::Literal { bare: true, .. } | Kind::Number(_))
    }
}
