//! One node of a tape: an operator of fixed widths, applied to the columns of its operands. The
//! operator is dispatched once for all rows. Edge cases are left to `arithmetic.rs`.

use super::arithmetic::Arithmetic;
use super::column::Column;
use crate::kernel::{Op, Overflow, OversizedShift, Semantics, ZeroDivision};
use crate::word::Word;

/// An operator with its operands and widths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instruction {
    /// `Bits` and `Extract` have fixed extents here.
    pub op: Op,
    /// The instructions of the operands; slots beyond the arity are 0.
    pub args: [u32; 3],
    pub width: u16,
    /// The widths of the operands.
    pub from: [u16; 3],
}

impl Instruction {
    pub fn args(&self) -> &[u32] {
        &self.args[..self.op.arity()]
    }

    /// Computes the column of the node. Leaves are left unchanged.
    pub fn apply<const N: usize>(
        &self,
        semantics: &Semantics,
        operands: &[&Column<N>],
        into: &mut Column<N>,
    ) {
        match operands {
            [] => return,
            [a] => self.unary(semantics, a, into),
            [a, b] => self.binary(semantics, a, b, into),
            [a, b, c] if self.op == Op::Ite => choice(a, b, c, into),
            [a, b, c, ..] => {
                into.begin(&[a, b, c]);
                let arithmetic = Arithmetic::new(semantics, u32::from(self.width));
                let rows = a.values.iter().zip(&b.values).zip(&c.values);
                into.attempt(rows, |((&x, &y), &m)| arithmetic.modular(self.op, [x, y, m]));
            }
        }
        if !into.stops.is_empty() {
            into.finish();
        }
    }

    fn unary<const N: usize>(&self, semantics: &Semantics, a: &Column<N>, into: &mut Column<N>) {
        into.begin(&[a]);
        let width = u32::from(self.width);
        let from = u32::from(self.from[0]);
        let arithmetic = Arithmetic::<N>::new(semantics, width);
        let mask = arithmetic.mask;
        let counted = |bits: u32| Word::small(u64::from(bits)) & mask;
        match self.op {
            Op::Neg if semantics.overflow == Overflow::Wraps => {
                into.map(a, |x| arithmetic.minus(x));
            }
            Op::Neg => into.attempt(a.values.iter(), |&x| arithmetic.difference(Word::ZERO, x)),
            Op::Not => into.map(a, |x| x ^ mask),
            Op::Zext => into.map(a, |x| x),
            Op::Sext => {
                let (sign, copies) = (Word::power(from - 1), mask ^ Word::mask(from));
                into.map(a, |x| if (x & sign).is_zero() { x } else { x | copies });
            }
            Op::Extract(low) => {
                let low = u32::from(low.as_fixed().unwrap_or(0));
                into.map(a, |x| x.shifted_right(low) & mask);
            }
            Op::Clz => into.map(a, |x| counted(from - x.length())),
            Op::Ctz => into.map(a, |x| counted(x.trailing_zeros().min(from))),
            Op::Popcount => into.map(a, |x| counted(x.ones())),
            Op::Bswap => {
                let unused = Word::<N>::BITS - width;
                into.map(a, |x| x.swapped_bytes().shifted_right(unused));
            }
            // `IsPower` and `Power`.
            _ => into.map(a, |x| Word::flag(x.ones() == 1)),
        }
    }

    fn binary<const N: usize>(
        &self,
        semantics: &Semantics,
        a: &Column<N>,
        b: &Column<N>,
        into: &mut Column<N>,
    ) {
        into.begin(&[a, b]);
        let pairs = || a.values.iter().zip(&b.values).map(|(&x, &y)| (x, y));
        let wraps = semantics.overflow == Overflow::Wraps;
        let arithmetic = Arithmetic::<N>::new(semantics, u32::from(self.width));
        let mask = arithmetic.mask;
        // The result of a comparison may differ in width from its operands.
        let compared = Arithmetic::<N>::new(semantics, u32::from(self.from[0]));
        let least = compared.least;
        match self.op {
            Op::Add if wraps => into.zip(a, b, |x, y| x.wrapping_add(y) & mask),
            Op::Add => into.attempt(pairs(), |(x, y)| arithmetic.sum(x, y)),
            Op::Sub if wraps => into.zip(a, b, |x, y| x.wrapping_sub(y) & mask),
            Op::Sub => into.attempt(pairs(), |(x, y)| arithmetic.difference(x, y)),
            Op::Mul if wraps => into.zip(a, b, |x, y| x.wrapping_mul(y) & mask),
            Op::Mul => into.attempt(pairs(), |(x, y)| arithmetic.product(x, y)),
            Op::Exp if wraps => into.zip(a, b, |x, y| power(x, y) & mask),
            Op::Exp => into.attempt(pairs(), |(x, y)| arithmetic.power(x, y)),
            Op::And => into.zip(a, b, |x, y| x & y),
            Op::Or => into.zip(a, b, |x, y| x | y),
            Op::Xor => into.zip(a, b, |x, y| x ^ y),
            Op::Udiv if semantics.zero_division == ZeroDivision::SmtLib => {
                into.zip(a, b, |x, y| x.divided_by(y).0 & mask);
            }
            Op::Urem if semantics.zero_division == ZeroDivision::SmtLib => {
                into.zip(a, b, |x, y| x.divided_by(y).1);
            }
            Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem | Op::Fdiv | Op::Fmod => {
                into.attempt(pairs(), |(x, y)| arithmetic.division(self.op, x, y));
            }
            Op::Lshr | Op::Ashr if semantics.oversized_shift == OversizedShift::Fills => {
                into.zip(a, b, |x, y| arithmetic.shifted(self.op, x, y.count()));
            }
            Op::Shl
                if semantics.oversized_shift == OversizedShift::Fills
                    && semantics.shift_overflow == Overflow::Wraps =>
            {
                into.zip(a, b, |x, y| arithmetic.shifted(Op::Shl, x, y.count()));
            }
            Op::Shl | Op::Lshr | Op::Ashr => {
                into.attempt(pairs(), |(x, y)| arithmetic.shift(self.op, x, y));
            }
            Op::Rotl | Op::Rotr => into.zip(a, b, |x, y| {
                let there = arithmetic.modulo_width(y);
                let left = if self.op == Op::Rotl { there } else { arithmetic.width - there };
                x.shifted_left(left) & mask | x.shifted_right(arithmetic.width - left)
            }),
            Op::Concat => {
                let low = u32::from(self.from[1]);
                into.zip(a, b, |x, y| x.shifted_left(low) | y);
            }
            Op::Byte => into.zip(a, b, |index, x| {
                let above = index.count().saturating_mul(8).saturating_add(8);
                if above > arithmetic.width {
                    return Word::ZERO;
                }
                x.shifted_right(arithmetic.width - above) & Word::small(255)
            }),
            Op::Eq | Op::Same => into.zip(a, b, |x, y| Word::flag(x == y)),
            Op::Ne => into.zip(a, b, |x, y| Word::flag(x != y)),
            Op::Ult | Op::Below => into.zip(a, b, |x, y| Word::flag(x < y)),
            Op::Ugt => into.zip(a, b, |x, y| Word::flag(x > y)),
            Op::Ule => into.zip(a, b, |x, y| Word::flag(x <= y)),
            Op::Uge => into.zip(a, b, |x, y| Word::flag(x >= y)),
            // With the sign bits flipped, signed order is unsigned order.
            Op::Slt | Op::SignedBelow => {
                into.zip(a, b, |x, y| Word::flag((x ^ least) < (y ^ least)));
            }
            Op::Sgt => into.zip(a, b, |x, y| Word::flag((x ^ least) > (y ^ least))),
            Op::Sle => into.zip(a, b, |x, y| Word::flag((x ^ least) <= (y ^ least))),
            Op::Sge => into.zip(a, b, |x, y| Word::flag((x ^ least) >= (y ^ least))),
            Op::Umin => into.zip(a, b, |x, y| if x < y { x } else { y }),
            Op::Umax => into.zip(a, b, |x, y| if x < y { y } else { x }),
            Op::Smin => into.zip(a, b, |x, y| if (x ^ least) < (y ^ least) { x } else { y }),
            Op::Smax => into.zip(a, b, |x, y| if (x ^ least) < (y ^ least) { y } else { x }),
            Op::SignedMulOverflows => {
                into.zip(a, b, |x, y| Word::flag(compared.signed_product_overflows(x, y)));
            }
            // `MulOverflows`; every other operator has another arity.
            _ => into.zip(a, b, |x, y| Word::flag(compared.product_overflows(x, y))),
        }
    }
}

/// Only the taken branch can stop.
fn choice<const N: usize>(
    condition: &Column<N>,
    yes: &Column<N>,
    no: &Column<N>,
    into: &mut Column<N>,
) {
    into.begin(&[condition]);
    let rows = condition.values.iter().zip(yes.values.iter().zip(&no.values));
    into.values.extend(rows.map(|(c, (&x, &y))| if c.is_zero() { y } else { x }));
    if yes.stops.is_empty() && no.stops.is_empty() {
        return;
    }
    into.stops.resize(into.values.len(), None);
    for (row, c) in condition.values.iter().enumerate() {
        let taken = if c.is_zero() { no } else { yes };
        into.stops[row] = into.stops[row].or(taken.stop(row));
    }
}

/// Modulo 2^(64 N), by repeated squaring.
fn power<const N: usize>(base: Word<N>, exponent: Word<N>) -> Word<N> {
    let mut power = Word::small(1);
    for bit in (0..exponent.length()).rev() {
        power = power.wrapping_mul(power);
        if exponent.bit(bit) {
            power = power.wrapping_mul(base);
        }
    }
    power
}
