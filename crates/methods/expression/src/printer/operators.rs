//! The operators that most languages have, as data: the sign that is written between two operands, the word in names of
//! functions and instructions, and whether the operands are signed numbers. Which of them a language has, and what is
//! around them, is in its own file.

use identity::kernel::Op;

use Class::{Bitwise, Comparison, Division, Extreme, Floored, Shift, Sum};
use Operands::{Declared, Signed, Unsigned};

/// An operator with two operands.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operator {
    pub(crate) op: Op,
    /// The sign between its operands. Of a minimum or maximum: that of the comparison which chooses the first one.
    pub(crate) sign: &'static str,
    pub(crate) word: &'static str,
    operands: Operands,
    pub(crate) class: Class,
}

/// How the operands are read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Operands {
    /// As they are declared: the result has the same bits either way.
    Declared,
    Unsigned,
    Signed,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Class {
    /// May overflow: `+`, `-`, `*`.
    Sum,
    Bitwise,
    /// Rounds towards zero.
    Division,
    /// Rounds towards minus infinity.
    Floored,
    /// The second operand is an amount, which is unsigned.
    Shift,
    Comparison,
    /// A minimum or maximum.
    Extreme,
}

const OPERATORS: &[(Op, &str, &str, Operands, Class)] = &[
    (Op::Add, "+", "add", Declared, Sum),
    (Op::Sub, "-", "sub", Declared, Sum),
    (Op::Mul, "*", "mul", Declared, Sum),
    (Op::And, "&", "and", Declared, Bitwise),
    (Op::Or, "|", "or", Declared, Bitwise),
    (Op::Xor, "^", "xor", Declared, Bitwise),
    (Op::Udiv, "/", "div", Unsigned, Division),
    (Op::Urem, "%", "rem", Unsigned, Division),
    (Op::Sdiv, "/", "div", Signed, Division),
    (Op::Srem, "%", "rem", Signed, Division),
    (Op::Fdiv, "/", "div", Signed, Floored),
    (Op::Fmod, "%", "rem", Signed, Floored),
    (Op::Shl, "<<", "shl", Declared, Shift),
    (Op::Lshr, ">>", "shr", Unsigned, Shift),
    (Op::Ashr, ">>", "shr", Signed, Shift),
    (Op::Eq, "==", "eq", Declared, Comparison),
    (Op::Ne, "!=", "ne", Declared, Comparison),
    (Op::Ult, "<", "lt", Unsigned, Comparison),
    (Op::Ule, "<=", "le", Unsigned, Comparison),
    (Op::Ugt, ">", "gt", Unsigned, Comparison),
    (Op::Uge, ">=", "ge", Unsigned, Comparison),
    (Op::Slt, "<", "lt", Signed, Comparison),
    (Op::Sle, "<=", "le", Signed, Comparison),
    (Op::Sgt, ">", "gt", Signed, Comparison),
    (Op::Sge, ">=", "ge", Signed, Comparison),
    (Op::Umin, "<", "min", Unsigned, Extreme),
    (Op::Umax, ">", "max", Unsigned, Extreme),
    (Op::Smin, "<", "min", Signed, Extreme),
    (Op::Smax, ">", "max", Signed, Extreme),
];

impl Operator {
    pub(crate) fn of(op: Op) -> Option<Self> {
        let (op, sign, word, operands, class) = *OPERATORS.iter().find(|it| it.0 == op)?;
        Some(Self { op, sign, word, operands, class })
    }

    /// Whether the operands are read as signed numbers, where words are declared as such or not.
    pub(crate) fn is_signed(self, declared: bool) -> bool {
        match self.operands {
            Declared => declared,
            Unsigned => false,
            Signed => true,
        }
    }

    /// The letter that instruction sets tell signed from unsigned operands with, where the result depends on it.
    pub(crate) fn letter(self) -> Option<char> {
        match self.operands {
            Declared => None,
            Unsigned => Some('u'),
            Signed => Some('s'),
        }
    }
}

/// Whether a language with integers of fixed widths, signed and unsigned, can express an operator at any of them.
pub(crate) fn is_universal(op: Op) -> bool {
    match op {
        Op::Neg | Op::Not | Op::Ite | Op::Zext | Op::Sext | Op::Extract(_) => true,
        _ => Operator::of(op).is_some_and(|it| it.class != Floored),
    }
}

/// The operators with a compound assignment in C and most languages after it.
pub(crate) const COMPOUND: &[&str] = &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_comparison_is_in_the_table_once() {
        for (op, _, _, _, class) in OPERATORS {
            assert_eq!(op.is_comparison(), *class == Comparison, "{op:?}");
            assert_eq!(OPERATORS.iter().filter(|it| it.0 == *op).count(), 1, "{op:?}");
            assert_eq!(op.arity(), 2, "{op:?}");
        }
        let comparisons = OPERATORS.iter().filter(|it| it.4 == Comparison).count();
        assert_eq!(comparisons, 10);
    }
}
