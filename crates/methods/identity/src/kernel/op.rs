//! Operators. Rules and programs use *surface* operators, whose edge cases (division by zero,
//! overflow, oversized shifts) are left to a `Semantics`. *Core* operators are total functions on
//! words. `meaning.rs` lowers surface to core, and provers see only core.

use super::extent::Extent;

/// An operator of terms.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize,
)]
pub enum Op {
    // Leaves, both surface and core.
    Variable(u16),
    /// An index into the literals of the arena. The integer is taken modulo 2^width.
    Literal(u32),
    /// A number of bits as a value; `w` is `Bits(Extent::WORD)`.
    Bits(Extent),

    // Both surface and core: the same total function, except that the semantics may make the
    // surface operator trap, saturate or be undefined on overflow.
    Neg,
    Not,
    Add,
    Sub,
    Mul,
    And,
    Or,
    Xor,
    /// Core: an amount of at least the width gives 0 (`Ashr`: copies of the sign).
    Shl,
    Lshr,
    Ashr,
    /// Core: as in SMT-LIB, x / 0 is all ones and x % 0 is x.
    Udiv,
    Urem,
    /// `Ite(c, x, y)`. Surface: c is a word, true unless it is 0. Core: c is one bit.
    Ite,
    /// Zero- or sign-extension to the width of the node.
    Zext,
    Sext,
    /// The bits from this position on, as many as the node is wide. Truncation is `Extract` from 0.
    Extract(Extent),
    /// The first operand is the high part.
    Concat,
    /// Leading zeros, trailing zeros (both give the width for 0) and population count, as words.
    Clz,
    Ctz,
    Popcount,
    /// Reverses the bytes; the width is a multiple of 8.
    Bswap,
    /// x to the power of y modulo 2^width; 0^0 is 1.
    Exp,

    // Surface only.
    /// Rounds towards zero; the remainder has the sign of the dividend.
    Sdiv,
    Srem,
    /// Rounds towards minus infinity; the remainder has the sign of the divisor (TON).
    Fdiv,
    Fmod,
    /// The amount is taken modulo the width.
    Rotl,
    Rotr,
    /// Comparisons give the word 1 or 0.
    Eq,
    Ne,
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
    Umin,
    Umax,
    Smin,
    Smax,
    /// `Byte(i, x)` is the i-th byte of x, counted from the most significant one, and 0 beyond the
    /// last.
    Byte,
    /// Of the exact sum and product. Modulus 0 is a division by zero.
    Addmod,
    Mulmod,
    /// The word 1 if exactly one bit is set, else 0.
    IsPower,

    // Core only, one bit wide: equality, unsigned and signed less-than, and "is a power of two".
    Same,
    Below,
    SignedBelow,
    Power,
    /// Whether the unsigned or signed product overflows.
    MulOverflows,
    SignedMulOverflows,
}

impl Op {
    pub fn arity(self) -> usize {
        use Op::{
            Addmod, Bits, Bswap, Clz, Ctz, Extract, IsPower, Ite, Literal, Mulmod, Neg, Not,
            Popcount, Power, Sext, Variable, Zext,
        };
        match self {
            Variable(_) | Literal(_) | Bits(_) => 0,
            Neg | Not | Zext | Sext | Extract(_) | Clz | Ctz | Popcount | Bswap | IsPower
            | Power => 1,
            Ite | Addmod | Mulmod => 3,
            _ => 2,
        }
    }

    /// Whether the first two operands commute.
    pub fn commutes(self) -> bool {
        use Op::{
            Add, Addmod, And, Eq, Mul, MulOverflows, Mulmod, Ne, Or, Same, SignedMulOverflows,
            Smax, Smin, Umax, Umin, Xor,
        };
        matches!(
            self,
            Add | Mul
                | And
                | Or
                | Xor
                | Eq
                | Ne
                | Umin
                | Umax
                | Smin
                | Smax
                | Addmod
                | Mulmod
                | Same
                | MulOverflows
                | SignedMulOverflows
        )
    }

    pub fn is_comparison(self) -> bool {
        use Op::{Eq, Ne, Sge, Sgt, Sle, Slt, Uge, Ugt, Ule, Ult};
        matches!(self, Eq | Ne | Ult | Ule | Ugt | Uge | Slt | Sle | Sgt | Sge)
    }

    /// Whether the result is one bit wide for operands of any width.
    pub fn is_flag(self) -> bool {
        use Op::{Below, MulOverflows, Power, Same, SignedBelow, SignedMulOverflows};
        matches!(self, Same | Below | SignedBelow | Power | MulOverflows | SignedMulOverflows)
    }
}
