//! A coarse key of an operand, for looking up arms. Operands with different keys never match the
//! same literal or operator. Equal keys may be a hash collision, so that a match must still be
//! tried.

use std::hash::BuildHasher;
use std::mem::discriminant;

use foldhash::fast::FixedState;
use num_bigint::BigInt;

use crate::kernel::{Op, TermId, Terms};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Class(u64);

impl Class {
    pub(super) const ANYTHING: Self = Self(0);
    /// Any literal.
    pub(super) const CONSTANT: Self = Self(1);

    pub(super) fn number(n: &BigInt) -> Self {
        Self(FixedState::default().hash_one(n) | NUMBER)
    }

    pub(super) fn operator(op: Op) -> Self {
        Self(FixedState::default().hash_one(discriminant(&op)) & !NUMBER | 2)
    }

    /// The key of a term of a program.
    pub(super) fn of(terms: &Terms, op: Op) -> Self {
        match op {
            Op::Literal(index) => Self::number(terms.integer(index)),
            // No pattern requires a program variable.
            Op::Variable(_) => Self::ANYTHING,
            op => Self::operator(op),
        }
    }

    /// The key of a pattern's operand. The variables in `constants` match only literals.
    pub(super) fn of_pattern(terms: &Terms, operand: Option<&TermId>, constants: u32) -> Self {
        let Some(&operand) = operand else { return Self::ANYTHING };
        match terms.op(operand) {
            Op::Variable(index) if constants & (1 << index) != 0 => Self::CONSTANT,
            op => Self::of(terms, op),
        }
    }

    pub(super) fn is_number(self) -> bool {
        self.0 & NUMBER != 0
    }
}

/// Set in the keys of literals only.
const NUMBER: u64 = 1 << 63;
