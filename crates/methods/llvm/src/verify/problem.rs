//! What can be wrong.

use std::fmt;
use std::sync::Arc;

use crate::ir::Type;

/// A violation of a rule, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invalid {
    /// The function or global.
    pub item: Arc<str>,
    /// The block, and the number of the instruction in it.
    pub place: Option<(Arc<str>, usize)>,
    pub problem: Problem,
}

impl Invalid {
    pub(super) fn in_item(item: &Arc<str>, problem: Problem) -> Self {
        Self { item: item.clone(), place: None, problem }
    }
}

impl fmt::Display for Invalid {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "@{}", self.item)?;
        if let Some((block, instruction)) = &self.place {
            write!(formatter, ", block %{block}, instruction {instruction}")?;
        }
        write!(formatter, ": {}", self.problem)
    }
}

impl std::error::Error for Invalid {}

/// A flaw of a module or function.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    #[error("there are no blocks")]
    NoBlocks,
    #[error("the last instruction of a block must be a terminator, and no other")]
    Terminator,
    #[error("a phi comes after another instruction")]
    LatePhi,
    #[error("the entry block has predecessors")]
    EntryPredecessors,
    #[error("there is no local with number {0}")]
    UnknownLocal(u32),
    #[error("there is no block with number {0}")]
    UnknownBlock(u32),
    #[error("there is no global @{0}")]
    UnknownGlobal(Arc<str>),
    #[error("type %{0} is not defined")]
    UnknownType(Arc<str>),
    #[error("{0} is defined twice")]
    DefinedTwice(Arc<str>),
    #[error("%{0} is used but not defined")]
    NeverDefined(Arc<str>),
    #[error("the definition of %{0} does not dominate its use")]
    Undominated(Arc<str>),
    #[error("the blocks of a phi are not the predecessors of its block")]
    PhiBlocks,
    #[error("a phi has different values for one predecessor")]
    PhiValues,
    #[error("{found} operands instead of {expected}")]
    OperandCount { expected: usize, found: usize },
    #[error("operand {operand} must be {expected}, not {found}")]
    OperandType { operand: usize, expected: &'static str, found: Type },
    #[error("the types {0} and {1} must be equal")]
    Unequal(Type, Type),
    #[error("a local of type {local} is used as {used}")]
    LocalType { local: Type, used: Type },
    #[error("the result has type {computed}, not {written}")]
    ResultType { computed: Type, written: Type },
    #[error("an instruction with a value needs a result, one without must have none")]
    Result,
    #[error("the operands have no result")]
    NoResultType,
    #[error("a flag that this instruction cannot have")]
    Flags,
    #[error("a cast from {0} to {1}")]
    Cast(Type, Type),
    #[error("indices that the type does not have")]
    Path,
    #[error("a mask that the operands do not allow")]
    Mask,
    #[error("a constant that is none of type {0}")]
    Constant(Type),
    #[error("the parameters of the function are not its first locals")]
    Parameters,
    #[error("a call with arguments or a result that the function does not have")]
    Signature,
    #[error("argument {0} must be an immediate constant")]
    Immediate(usize),
    #[error("attribute {0} on type {1}")]
    Attribute(Arc<str>, Type),
    #[error("metadata {0} on type {1}")]
    Metadata(&'static str, Type),
    #[error("a value of type {0} is returned")]
    Return(Type),
    #[error("a case occurs twice")]
    Case,
    #[error("an alignment that is no power of two")]
    Alignment,
    #[error("an ordering or type that an atomic operation cannot have")]
    Atomic,
    #[error("a type without size in memory: {0}")]
    Unsized(Type),
    #[error(
        "a landing pad must be the first instruction where invokes unwind to, and nowhere else"
    )]
    LandingPad,
    #[error("a local variable in an address space that the target has none in")]
    AllocaSpace,
    #[error("an assumption with bundles and a condition")]
    AssumeBundle,
    #[error("an assumption about a number of more than 64 bits")]
    WideBundle,
    #[error("the address of an intrinsic")]
    IntrinsicAddress,
    #[error("a matrix whose columns overlap")]
    Stride,
    #[error("a vector of exponents of powi")]
    Exponents,
    #[error("a mask that is not as wide as an index into the address space")]
    PointerMask,
    #[error("an address that is not as wide as an index into its address space")]
    AddressWidth,
    #[error("a function that catches exceptions needs a personality")]
    Personality,
}
