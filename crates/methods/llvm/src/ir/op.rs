//! What an instruction does, with everything about it that is no value operand.

use std::sync::Arc;

use super::{Attributes, BlockId, Type};

/// The opcode of an instruction, with its immediate arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Two operands of one type.
    Binary(BinaryOp),
    FloatBinary(FloatBinaryOp),
    FNeg,
    ICmp(Predicate),
    FCmp(FloatPredicate),
    /// Condition, then, else.
    Select,
    Freeze,
    /// To the type of the result.
    Cast(CastOp, Type),
    /// The block that each operand comes from.
    Phi(Vec<BlockId>),
    /// Operands: arguments, then the operands of the bundles, then the callee.
    Call(Arc<Call>),
    /// Operand: the address.
    Load(Type, Memory),
    /// Operands: the value, the address.
    Store(Memory),
    /// Operand: the number of elements, if one is written.
    Alloca {
        of: Type,
        align: Option<u64>,
        space: u32,
        /// `inalloca` or `swifterror`
        modifier: Option<Arc<str>>,
    },
    /// Operands: base and indices.
    GetElementPtr {
        element: Type,
    },
    /// Vector, index.
    ExtractElement,
    /// Vector, element, index.
    InsertElement,
    /// Two vectors; the mask has none where the lane is poison (undef before LLVM 17). A scalable mask is
    /// all zero or all poison, and is written once.
    ShuffleVector(Arc<[Option<u32>]>, bool),
    ExtractValue(Arc<[u32]>),
    /// Aggregate, element.
    InsertValue(Arc<[u32]>),
    /// Address, expected, new. The text is what follows the operands (`seq_cst seq_cst, align 4`).
    CmpXchg {
        prefix: Arc<str>,
        suffix: Arc<str>,
    },
    /// Address, value. The prefix is `volatile` or empty.
    AtomicRmw {
        prefix: Arc<str>,
        op: Arc<str>,
        suffix: Arc<str>,
    },
    /// `syncscope("…") seq_cst`
    Fence(Arc<str>),
    /// Operand: the list. To the type of the result.
    VaArg(Type),
    /// `cleanup` and clauses; the result's type is given. Operands: those of the clauses.
    LandingPad {
        of: Type,
        cleanup: bool,
        clauses: Vec<Clause>,
    },

    // Terminators.
    /// At most one operand.
    Return,
    Branch(BlockId),
    /// Operand: the condition.
    CondBranch(BlockId, BlockId),
    /// Operand: the value. Cases are constants of its type, of at most 128 bits.
    Switch {
        default: BlockId,
        cases: Vec<(u128, BlockId)>,
    },
    /// Operand: the address.
    IndirectBranch(Vec<BlockId>),
    /// Operands as for a call.
    Invoke {
        call: Arc<Call>,
        normal: BlockId,
        unwind: BlockId,
    },
    Resume,
    Unreachable,
}

/// The kind of a clause of a landing pad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Clause {
    Catch,
    Filter,
}

/// How a load or store accesses memory.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Memory {
    pub align: Option<u64>,
    pub volatile: bool,
    /// Of an atomic access: `syncscope("…") acquire`.
    pub ordering: Option<Arc<str>>,
}

/// What a call has besides its operands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// `tail`, `musttail`, `notail` or nothing.
    pub tail: Option<Arc<str>>,
    /// `fastcc`, `cc 10`, …
    pub convention: Option<Arc<str>>,
    pub return_attributes: Attributes,
    /// `addrspace(N)` of the callee, where it is written.
    pub space: Option<u32>,
    pub returns: Type,
    /// The whole function type, for variadic callees, which are printed with it.
    pub signature: Option<Type>,
    /// As many as there are arguments.
    pub argument_attributes: Vec<Attributes>,
    pub attributes: Attributes,
    /// Name and number of operands of each bundle.
    pub bundles: Vec<(Arc<str>, usize)>,
    /// The text of an `asm …` callee, whose operand is then [`super::Constant::Text`].
    pub is_asm: bool,
}

impl Call {
    /// How many operands are arguments.
    pub fn arguments(&self) -> usize {
        self.argument_attributes.len()
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($variant:ident = $word:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($variant),* }

        impl $name {
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// As it is written.
            pub fn word(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }

            pub fn of(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

words! {
    /// Integer operators.
    BinaryOp {
        Add = "add", Sub = "sub", Mul = "mul", UDiv = "udiv", SDiv = "sdiv", URem = "urem", SRem = "srem",
        Shl = "shl", LShr = "lshr", AShr = "ashr", And = "and", Or = "or", Xor = "xor",
    }
}

words! {
    FloatBinaryOp { Add = "fadd", Sub = "fsub", Mul = "fmul", Div = "fdiv", Rem = "frem" }
}

words! {
    /// Integer comparisons.
    Predicate {
        Eq = "eq", Ne = "ne", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule",
        Sgt = "sgt", Sge = "sge", Slt = "slt", Sle = "sle",
    }
}

words! {
    FloatPredicate {
        False = "false", Oeq = "oeq", Ogt = "ogt", Oge = "oge", Olt = "olt", Ole = "ole", One = "one",
        Ord = "ord", Ueq = "ueq", Ugt = "ugt", Uge = "uge", Ult = "ult", Ule = "ule", Une = "une",
        Uno = "uno", True = "true",
    }
}

words! {
    CastOp {
        Trunc = "trunc", ZExt = "zext", SExt = "sext", FpTrunc = "fptrunc", FpExt = "fpext",
        FpToUi = "fptoui", FpToSi = "fptosi", UiToFp = "uitofp", SiToFp = "sitofp",
        PtrToInt = "ptrtoint", PtrToAddr = "ptrtoaddr", IntToPtr = "inttoptr", BitCast = "bitcast",
        AddrSpaceCast = "addrspacecast",
    }
}

impl Predicate {
    /// The predicate for exchanged operands.
    #[must_use]
    pub fn swapped(self) -> Self {
        match self {
            Self::Eq | Self::Ne => self,
            Self::Ugt => Self::Ult,
            Self::Uge => Self::Ule,
            Self::Ult => Self::Ugt,
            Self::Ule => Self::Uge,
            Self::Sgt => Self::Slt,
            Self::Sge => Self::Sle,
            Self::Slt => Self::Sgt,
            Self::Sle => Self::Sge,
        }
    }
}

impl Op {
    pub fn is_terminator(&self) -> bool {
        matches!(
            self,
            Self::Return
                | Self::Branch(_)
                | Self::CondBranch(..)
                | Self::Switch { .. }
                | Self::IndirectBranch(_)
                | Self::Invoke { .. }
                | Self::Resume
                | Self::Unreachable
        )
    }

    /// The blocks that a terminator may continue with, in order, with repetitions.
    pub fn successors(&self) -> Vec<BlockId> {
        match self {
            Self::Branch(to) => vec![*to],
            Self::CondBranch(yes, no) => vec![*yes, *no],
            Self::Switch { default, cases } => {
                std::iter::once(*default).chain(cases.iter().map(|(_, block)| *block)).collect()
            }
            Self::IndirectBranch(blocks) => blocks.clone(),
            Self::Invoke { normal, unwind, .. } => vec![*normal, *unwind],
            _ => vec![],
        }
    }

    /// Every block that it names, those of a phi as well.
    pub fn blocks_mut(&mut self) -> Vec<&mut BlockId> {
        match self {
            Self::Phi(blocks) | Self::IndirectBranch(blocks) => blocks.iter_mut().collect(),
            Self::Branch(to) => vec![to],
            Self::CondBranch(yes, no) => vec![yes, no],
            Self::Switch { default, cases } => {
                std::iter::once(default).chain(cases.iter_mut().map(|(_, block)| block)).collect()
            }
            Self::Invoke { normal, unwind, .. } => vec![normal, unwind],
            _ => vec![],
        }
    }
}
