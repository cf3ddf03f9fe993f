//! Terms as expressions. A term is written in integers of one signedness; operators of the other one get conversions.

use identity::kernel::{Op, TermId, Terms};
use num_bigint::{BigInt, Sign};
use ruint::aliases::U256;

use crate::model::{BOOL, Binary, Expression, Kind, Type, TypeId, Unary, Version};
use crate::view::View;
use crate::word;

/// How an operator with two operands is written: as this one, on integers with or without sign, or either.
const BINARY: &[(Op, Binary, Option<bool>)] = &[
    (Op::Add, Binary::Add, None),
    (Op::Sub, Binary::Sub, None),
    (Op::Mul, Binary::Mul, None),
    (Op::And, Binary::And, None),
    (Op::Or, Binary::Or, None),
    (Op::Xor, Binary::Xor, None),
    (Op::Shl, Binary::Shl, None),
    (Op::Lshr, Binary::Shr, Some(false)),
    (Op::Ashr, Binary::Shr, Some(true)),
    (Op::Udiv, Binary::Div, Some(false)),
    (Op::Urem, Binary::Mod, Some(false)),
    (Op::Sdiv, Binary::Div, Some(true)),
    (Op::Srem, Binary::Mod, Some(true)),
];

const COMPARISONS: &[(Op, Binary, Option<bool>)] = &[
    (Op::Eq, Binary::Equal, None),
    (Op::Ne, Binary::NotEqual, None),
    (Op::Ult, Binary::Less, Some(false)),
    (Op::Ule, Binary::LessEqual, Some(false)),
    (Op::Ugt, Binary::Greater, Some(false)),
    (Op::Uge, Binary::GreaterEqual, Some(false)),
    (Op::Slt, Binary::Less, Some(true)),
    (Op::Sle, Binary::LessEqual, Some(true)),
    (Op::Sgt, Binary::Greater, Some(true)),
    (Op::Sge, Binary::GreaterEqual, Some(true)),
];

/// The comparison with which a minimum or maximum takes its first operand.
const EXTREMES: &[(Op, Binary, Option<bool>)] = &[
    (Op::Umin, Binary::Less, Some(false)),
    (Op::Umax, Binary::Greater, Some(false)),
    (Op::Smin, Binary::Less, Some(true)),
    (Op::Smax, Binary::Greater, Some(true)),
];

type Row = (Op, Binary, Option<bool>);

fn row(table: &[Row], op: Op) -> Option<Row> {
    table.iter().copied().find(|it| it.0 == op)
}

/// Whether there is a way to write an operator.
pub(super) fn has(op: Op) -> bool {
    matches!(op, Op::Neg | Op::Not | Op::Ite | Op::Zext | Op::Sext | Op::Extract(_) | Op::Concat)
        || [BINARY, COMPARISONS, EXTREMES].iter().any(|table| row(table, op).is_some())
}

/// Whether compilers of the version take a term as it will be written.
pub(super) fn is_written(terms: &Terms, root: TermId, view: &View<'_>, depth: u32) -> bool {
    let node = terms.node(root);
    // Before 0.5, negative numbers are shifted right with another rounding.
    let shifts = node.op != Op::Ashr || view.version() >= Version::V5;
    let divides = matches!(node.op, Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem);
    let divisor = !divides || node.args().get(1).is_none_or(|it| is_divisor(terms, *it));
    shifts
        && divisor
        && depth > 0
        && node.args().iter().all(|arg| is_written(terms, *arg, view, depth - 1))
}

/// The compiler rejects divisors that it computes to be zero.
fn is_divisor(terms: &Terms, divisor: TermId) -> bool {
    if let Some(value) = terms.literal_value(divisor) {
        return *value != BigInt::ZERO;
    }
    let mut all = terms.in_order(&[divisor]).into_iter();
    all.any(|term| matches!(terms.op(term), Op::Variable(_)))
}

pub(super) struct Writing<'a> {
    pub(super) types: &'a mut Vec<Type>,
    pub(super) terms: &'a Terms,
    pub(super) leaves: &'a [Expression],
    pub(super) signed: bool,
}

impl Writing<'_> {
    /// A term as an expression of its width.
    pub(super) fn value(&mut self, term: TermId) -> Option<Expression> {
        let node = self.terms.node(term);
        let width = node.width.as_fixed()?;
        match node.op {
            Op::Variable(at) => return self.leaves.get(usize::from(at)).cloned(),
            Op::Literal(index) => {
                let value = self.terms.integer(index).clone();
                return self.literal(&value, width);
            }
            Op::Ite => {
                let [test, yes, no] = node.args;
                let test = self.condition(test)?;
                let (yes, no) = (self.value(yes)?, self.value(no)?);
                return Some(self.choice(test, yes, no, width));
            }
            _ => {}
        }
        if node.op.is_comparison() {
            let test = self.condition(term)?;
            let (yes, no) =
                (self.literal(&BigInt::from(1), width)?, self.literal(&BigInt::ZERO, width)?);
            return Some(self.choice(test, yes, no, width));
        }
        let first = *node.args().first()?;
        let from = self.terms.width(first).as_fixed()?;
        let a = self.value(first)?;
        if let Some((op, binary, sign)) = row(BINARY, node.op) {
            let b = self.value(*node.args().get(1)?)?;
            let sign = sign.unwrap_or(self.signed);
            let shifts = matches!(op, Op::Shl | Op::Lshr | Op::Ashr);
            let a = self.seen(a, width, sign);
            // Amounts have no sign.
            let b = self.seen(b, width, sign && !shifts);
            return Some(self.binary(binary, a, b, width, sign));
        }
        if let Some((_, comparison, sign)) = row(EXTREMES, node.op) {
            let b = self.value(*node.args().get(1)?)?;
            let sign = sign.unwrap_or(self.signed);
            let (left, right) =
                (self.seen(a.clone(), width, sign), self.seen(b.clone(), width, sign));
            let test = truth(comparison, left, right);
            return Some(self.choice(test, a, b, width));
        }
        match node.op {
            Op::Neg if self.signed => {
                Some(self.made(Kind::Unary(Unary::Minus, Box::new(a)), width, true))
            }
            Op::Neg => {
                let zero = self.literal(&BigInt::ZERO, width)?;
                Some(self.binary(Binary::Sub, zero, a, width, false))
            }
            Op::Not => {
                let kind = Kind::Unary(Unary::Complement, Box::new(a));
                Some(self.made(kind, width, self.signed))
            }
            Op::Zext => Some(self.extended(a, from, width, false)),
            Op::Sext => Some(self.extended(a, from, width, true)),
            Op::Extract(low) => {
                let low = low.as_fixed()?;
                let mut word = self.seen(a, from, false);
                if low > 0 {
                    let by = Expression::number(u64::from(low));
                    word = self.binary_exact(Binary::Shr, word, by, from, false);
                }
                let cut = self.made(Kind::Cast(Box::new(word)), width, false);
                Some(self.back(cut, width, false))
            }
            Op::Concat => {
                let second = *node.args().get(1)?;
                let below = self.terms.width(second).as_fixed()?;
                let b = self.value(second)?;
                let (high, low) =
                    (self.extended(a, from, width, false), self.extended(b, below, width, false));
                let by = Expression::number(u64::from(below));
                let high = self.binary_exact(Binary::Shl, high, by, width, self.signed);
                Some(self.binary_exact(Binary::Or, high, low, width, self.signed))
            }
            _ => None,
        }
    }

    /// A word as a Boolean.
    fn condition(&mut self, term: TermId) -> Option<Expression> {
        let node = self.terms.node(term);
        let width = self.terms.width(*node.args().first().unwrap_or(&term)).as_fixed()?;
        if let (Some((_, comparison, sign)), [a, b]) = (row(COMPARISONS, node.op), node.args()) {
            let sign = sign.unwrap_or(self.signed);
            let (a, b) = (self.value(*a)?, self.value(*b)?);
            let (a, b) = (self.seen(a, width, sign), self.seen(b, width, sign));
            return Some(truth(comparison, a, b));
        }
        let width = node.width.as_fixed()?;
        let value = self.value(term)?;
        let zero = self.literal(&BigInt::ZERO, width)?;
        Some(truth(Binary::NotEqual, value, zero))
    }

    fn ty(&mut self, width: u16, signed: bool) -> TypeId {
        let ty = if signed { Type::Int(width) } else { Type::Uint(width) };
        let known = self.types.iter().position(|it| *it == ty);
        let at = known.unwrap_or_else(|| {
            self.types.push(ty);
            self.types.len() - 1
        });
        at as TypeId
    }

    fn made(&mut self, kind: Kind, width: u16, signed: bool) -> Expression {
        let ty = self.ty(width, signed);
        Expression::new(kind, ty)
    }

    /// A literal with a conversion to its type.
    fn literal(&mut self, value: &BigInt, width: u16) -> Option<Expression> {
        let (sign, bytes) = value.to_bytes_be();
        let word = U256::try_from_be_slice(&bytes).filter(|_| sign != Sign::Minus)?;
        let signed = self.signed;
        let ty = if signed { Type::Int(width) } else { Type::Uint(width) };
        let number = self.made(Kind::Number(word::wrap(word, ty)), width, signed);
        Some(self.made(Kind::Cast(Box::new(number)), width, signed))
    }

    /// An expression of the signedness of the term, read with this one.
    fn seen(&mut self, it: Expression, width: u16, signed: bool) -> Expression {
        match signed == self.signed {
            true => it,
            false => self.made(Kind::Cast(Box::new(it)), width, signed),
        }
    }

    /// The reverse of `seen`.
    fn back(&mut self, it: Expression, width: u16, signed: bool) -> Expression {
        match signed == self.signed {
            true => it,
            false => self.made(Kind::Cast(Box::new(it)), width, self.signed),
        }
    }

    fn binary_exact(
        &mut self,
        op: Binary,
        a: Expression,
        b: Expression,
        width: u16,
        signed: bool,
    ) -> Expression {
        self.made(Kind::Binary(op, Box::new((a, b))), width, signed)
    }

    fn binary(
        &mut self,
        op: Binary,
        a: Expression,
        b: Expression,
        width: u16,
        signed: bool,
    ) -> Expression {
        let made = self.binary_exact(op, a, b, width, signed);
        self.back(made, width, signed)
    }

    fn choice(
        &mut self,
        test: Expression,
        yes: Expression,
        no: Expression,
        width: u16,
    ) -> Expression {
        self.made(Kind::Conditional(Box::new((test, yes, no))), width, self.signed)
    }

    /// Extends by zeros or by the sign.
    fn extended(&mut self, it: Expression, from: u16, to: u16, by_sign: bool) -> Expression {
        let narrow = self.seen(it, from, by_sign);
        let wide = match from == to {
            true => narrow,
            false => self.made(Kind::Cast(Box::new(narrow)), to, by_sign),
        };
        self.back(wide, to, by_sign)
    }
}

fn truth(op: Binary, a: Expression, b: Expression) -> Expression {
    Expression::new(Kind::Binary(op, Box::new((a, b))), BOOL)
}
