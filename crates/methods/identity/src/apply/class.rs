//! What an operand is at first sight, as a number to look arms up by. Two that differ never match; two
//! that are the same need not, for numbers are told apart by a sum only.

use std::hash::BuildHasher;
use std::mem::discriminant;

use foldhash::fast::FixedState;
use num_bigint::BigInt;

use crate::kernel::{Op, TermId, Terms};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Class(u64);

impl Class {
    pub(super) const ANYTHING: Self = Self(0);
    /// Whatever number.
    pub(super) const CONSTANT: Self = Self(1);

    pub(super) fn number(n: &BigInt) -> Self {
        Self(FixedState::default().hash_one(n) | NUMBER)
    }

    pub(super) fn operator(op: Op) -> Self {
        Self(FixedState::default().hash_one(discriminant(&op)) & !NUMBER | 2)
    }

    /// Of a term of a program.
    pub(super) fn of(terms: &Terms, op: Op) -> Self {
        match op {
            Op::Literal(index) => Self::number(terms.integer(index)),
            // No pattern asks for a variable as such.
            Op::Variable(_) => Self::ANYTHING,
            op => Self::operator(op),
        }
    }

    /// Of an operand of a pattern, some of whose variables match numbers alone.
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

/// The bit that numbers have and nothing else.
const NUMBER: u64 = 1 << 63;
