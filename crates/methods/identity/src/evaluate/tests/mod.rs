//! Compares the evaluator with integer arithmetic, and the kernel's lowering with the evaluator.

mod integers;
mod meaning;
mod reference;

use num_bigint::BigInt;

use super::tape::outcome;
use super::{Outcome, Sheet, Tape, with_limbs};
use crate::kernel::{Extent, Op, TermId, Terms};
use crate::word::Word;

const HALF: Extent = Extent { times: 1, over: 2, plus: 0 };
const DOUBLE: Extent = Extent { times: 2, over: 1, plus: 0 };

/// All operators on words of one width.
const SURFACE: &[Op] = &[
    Op::Neg,
    Op::Not,
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Shl,
    Op::Lshr,
    Op::Ashr,
    Op::Udiv,
    Op::Urem,
    Op::Ite,
    Op::Clz,
    Op::Ctz,
    Op::Popcount,
    Op::Bswap,
    Op::Exp,
    Op::Sdiv,
    Op::Srem,
    Op::Fdiv,
    Op::Fmod,
    Op::Rotl,
    Op::Rotr,
    Op::Eq,
    Op::Ne,
    Op::Ult,
    Op::Ule,
    Op::Ugt,
    Op::Uge,
    Op::Slt,
    Op::Sle,
    Op::Sgt,
    Op::Sge,
    Op::Umin,
    Op::Umax,
    Op::Smin,
    Op::Smax,
    Op::Byte,
    Op::Addmod,
    Op::Mulmod,
    Op::IsPower,
];

const FLAGS: &[Op] =
    &[Op::Same, Op::Below, Op::SignedBelow, Op::Power, Op::MulOverflows, Op::SignedMulOverflows];

/// Operators that change the width: operand widths and result width.
const CASTS: &[(Op, &[Extent], Extent)] = &[
    (Op::Zext, &[Extent::WORD], DOUBLE),
    (Op::Sext, &[Extent::WORD], DOUBLE),
    (Op::Zext, &[Extent::WORD], Extent::WORD),
    (Op::Sext, &[Extent::WORD], Extent { times: 1, over: 1, plus: 3 }),
    (Op::Zext, &[Extent::BIT], Extent::WORD),
    (Op::Sext, &[Extent::BIT], Extent::WORD),
    (Op::Extract(HALF), &[Extent::WORD], HALF),
    (Op::Extract(Extent::fixed(0)), &[Extent::WORD], HALF),
    (Op::Extract(Extent::fixed(1)), &[DOUBLE], Extent::WORD),
    (Op::Concat, &[Extent::WORD, HALF], Extent { times: 3, over: 2, plus: 0 }),
    (Op::Concat, &[Extent::BIT, Extent::WORD], Extent { times: 1, over: 1, plus: 1 }),
    (Op::Ult, &[DOUBLE, DOUBLE], Extent::WORD),
    (Op::Slt, &[HALF, HALF], Extent::WORD),
    (Op::Ite, &[Extent::BIT, Extent::WORD, Extent::WORD], Extent::WORD),
];

/// The operator applied to variables of these widths.
fn on_variables(op: Op, from: &[Extent], to: Extent) -> (Terms, TermId) {
    let mut terms = Terms::new();
    let args: Vec<TermId> =
        from.iter().zip(0..).map(|(&width, index)| terms.variable(index, width)).collect();
    let root = terms.apply_at(op, &args, to);
    (terms, root)
}

/// The outcomes of the roots on each row of values, indexed by variable.
fn outcomes(tape: &Tape, rows: &[Vec<BigInt>]) -> Vec<Vec<Outcome>> {
    fn all<const N: usize>(tape: &Tape, rows: &[Vec<BigInt>]) -> Vec<Vec<Outcome>> {
        let mut sheet = Sheet::<N>::new(tape, rows.len());
        for variable in tape.variables().keys() {
            let values = rows.iter().map(|row| Word::from_integer(&row[usize::from(*variable)]));
            sheet.set(tape, *variable, values);
        }
        sheet.run(tape);
        let roots = tape.roots().len();
        (0..rows.len())
            .map(|row| (0..roots).map(|root| outcome(&sheet, tape, root, row)).collect())
            .collect()
    }
    with_limbs!(tape.limbs(), all::<_>(tape, rows))
}

/// All values of variables of these widths.
fn all_rows(widths: &[u16]) -> Vec<Vec<BigInt>> {
    let total: u32 = widths.iter().map(|&width| u32::from(width)).sum();
    (0_u64..1 << total)
        .map(|mut row| {
            let value = |&width: &u16| {
                let value = row & ((1 << width) - 1);
                row >>= width;
                BigInt::from(value)
            };
            widths.iter().map(value).collect()
        })
        .collect()
}
