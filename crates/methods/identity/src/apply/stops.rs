//! The ways in which a term can fail to have a value, as a small set, and those that an operator
//! adds to the stops of its operands. The sets are over-approximations.

use num_bigint::BigInt;

use crate::kernel::{Op, Overflow, OversizedShift, Semantics, Trap, ZeroDivision};

/// A set of traps and undefined behaviour.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Stops(u8);

impl Stops {
    pub const NONE: Self = Self(0);
    pub const UNDEFINED: Self = Self(1 << Trap::ALL.len());

    pub fn trap(trap: Trap) -> Self {
        Self(1 << trap as u8)
    }

    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether all stops are indistinguishable, so that their order does not matter.
    pub fn is_uniform(self) -> bool {
        self.0.count_ones() <= 1
    }

    /// Whether it contains a trap, which users of the language can observe.
    pub fn is_observable(self) -> bool {
        self.0 & !Self::UNDEFINED.0 != 0
    }

    /// All stops of a semantics.
    pub fn of(semantics: &Semantics) -> Self {
        let overflows = [
            semantics.overflow,
            semantics.shift_overflow,
            semantics.quotient_overflow,
            semantics.remainder_overflow,
        ];
        overflows
            .into_iter()
            .fold(Self::NONE, |stops, rule| stops.or(Self::overflow(rule)))
            .or(Self::zero_division(semantics))
            .or(Self::oversized(semantics, None))
    }

    /// The stops of an operator itself. `literal` gives the values of literal operands.
    pub fn own<'a>(
        op: Op,
        width: u16,
        semantics: &Semantics,
        literal: impl Fn(usize) -> Option<&'a BigInt>,
    ) -> Self {
        let nonzero = |operand| literal(operand).is_some_and(|n| *n != BigInt::ZERO);
        match op {
            Op::Neg | Op::Add | Op::Sub | Op::Mul | Op::Exp => Self::overflow(semantics.overflow),
            Op::Shl | Op::Lshr | Op::Ashr => {
                let amount = literal(1).map(|n| u16::try_from(n).unwrap_or(u16::MAX));
                let oversized = match amount {
                    Some(amount) if amount < width => Self::NONE,
                    _ => Self::oversized(semantics, amount),
                };
                let lost = if op == Op::Shl { semantics.shift_overflow } else { Overflow::Wraps };
                oversized.or(Self::overflow(lost))
            }
            Op::Udiv | Op::Urem if nonzero(1) => Self::NONE,
            Op::Udiv | Op::Urem => Self::zero_division(semantics),
            Op::Sdiv | Op::Srem | Op::Fdiv | Op::Fmod => {
                let by_zero = if nonzero(1) { Self::NONE } else { Self::zero_division(semantics) };
                let rule = if matches!(op, Op::Sdiv | Op::Fdiv) {
                    semantics.quotient_overflow
                } else {
                    semantics.remainder_overflow
                };
                // Only a division by −1 overflows.
                let ones = (BigInt::from(1) << width) - 1;
                match literal(1) {
                    Some(n) if *n != ones => by_zero,
                    _ => by_zero.or(Self::overflow(rule)),
                }
            }
            Op::Addmod | Op::Mulmod if nonzero(2) => Self::NONE,
            Op::Addmod | Op::Mulmod => Self::zero_division(semantics),
            _ => Self::NONE,
        }
    }

    fn overflow(rule: Overflow) -> Self {
        match rule {
            Overflow::Wraps | Overflow::Saturates => Self::NONE,
            Overflow::Traps(trap) => Self::trap(trap),
            Overflow::Undefined => Self::UNDEFINED,
        }
    }

    fn zero_division(semantics: &Semantics) -> Self {
        match semantics.zero_division {
            ZeroDivision::Zero | ZeroDivision::SmtLib => Self::NONE,
            ZeroDivision::Traps(trap) => Self::trap(trap),
            ZeroDivision::Undefined => Self::UNDEFINED,
        }
    }

    /// The stops of a shift whose amount may be the width or more.
    fn oversized(semantics: &Semantics, amount: Option<u16>) -> Self {
        match semantics.oversized_shift {
            OversizedShift::Fills | OversizedShift::Masks => Self::NONE,
            OversizedShift::FillsBelow(limit, _) if amount.is_some_and(|n| n < limit) => Self::NONE,
            OversizedShift::Traps(trap) | OversizedShift::FillsBelow(_, trap) => Self::trap(trap),
            OversizedShift::Undefined => Self::UNDEFINED,
        }
    }
}
