//! Operands for particular operators: those that reach their special cases.

use num_bigint::BigInt;

use super::{Constants, Grower};
use crate::constants;
use crate::program::{ACCUMULATOR, fixed, width as of};
use identity::kernel::{Op, TermId, Terms};

/// The most shifts that are nested.
const CHAIN: u8 = 3;

impl Grower<'_> {
    /// The first operand of a shift: often a shift or an extension, the patterns of sign extension and bit-field extraction
    /// that optimisers combine. A shift to the left is nested only where it cannot overflow.
    pub(super) fn shifted(&mut self, width: u16, size: u64, depth: u8) -> TermId {
        let style = self.style;
        match self.entropy.below(12) {
            0..5 if depth < CHAIN => {
                let supports = |op: &Op| {
                    (*op != Op::Shl || !style.signed) && (style.supports)(*op, &[width; 2], width)
                };
                let all = [Op::Shl, Op::Shl, Op::Lshr, Op::Ashr];
                let fitting: Vec<Op> = all.into_iter().filter(supports).collect();
                let Some(&inner) = self.entropy.pick(&fitting) else {
                    return self.grow(width, size);
                };
                let args =
                    [self.shifted(width, size.saturating_sub(1), depth + 1), self.amount(width, 0)];
                self.terms.apply_at(inner, &args, fixed(width))
            }
            5..9 => {
                let op = if self.entropy.chance(1, 2) { Op::Sext } else { Op::Zext };
                let supports = |from: &u16| *from < width && (style.supports)(op, &[*from], width);
                let fitting: Vec<u16> = style.widths.iter().copied().filter(supports).collect();
                let Some(&from) = self.entropy.pick(&fitting) else {
                    return self.grow(width, size);
                };
                self.amounts.push((width, BigInt::from(width - from)));
                let inside = self.grow(from, size.saturating_sub(1));
                self.terms.apply_at(op, &[inside], fixed(width))
            }
            _ => self.grow(width, size),
        }
    }

    /// A shift amount: most are below the width or equal to it, and some are so large that the sum of two wraps to a small
    /// one.
    pub(super) fn amount(&mut self, width: u16, size: u64) -> TermId {
        if self.entropy.chance(1, 5) {
            return self.grow(width, size);
        }
        let fitting: Vec<BigInt> =
            self.amounts.iter().filter(|it| it.0 == width).map(|it| it.1.clone()).collect();
        let again = self.entropy.pick(&fitting).cloned();
        let below = self.entropy.below(u64::from(width));
        let amount = match (self.entropy.below(14), again) {
            (0, _) => BigInt::from(width),
            (1, _) => BigInt::from(width) - 1,
            (2 | 3, _) => BigInt::from(below / 8 * 8),
            (8..12, Some(again)) => again,
            (4, _) => (BigInt::from(1) << width) - below - 1,
            (5, _) => BigInt::from(1) << (width - 1),
            (6, _) => constants::own(self.entropy, Op::Shl, 1, width).unwrap_or_default(),
            _ => BigInt::from(below),
        };
        self.amounts.push((width, amount.clone()));
        self.terms.literal(amount, fixed(width))
    }

    /// One of the idioms of the ticket, on operands with at most two operators together, since most patterns repeat them.
    pub(super) fn idiom(&mut self, width: u16, size: u64) -> Option<TermId> {
        if self.constants == Constants::Inside {
            return None;
        }
        let idiom = *self.entropy.pick(&self.idioms)?;
        let size = size.min(2);
        let first = self.grow(width, size / 2);
        let mut args = vec![first];
        if idiom.arity() > 1 {
            let rest = size - size / 2;
            let shifts = idiom.shifts();
            args.push(if shifts { self.amount(width, rest) } else { self.grow(width, rest) });
        }
        let term = idiom.build(&mut self.terms, &args, width)?;
        // The language needs all operators of the pattern, since rules may rewrite the others.
        let inside = self.terms.in_order(&[term]);
        let is_said = |&part: &TermId| {
            let node = self.terms.node(part);
            let from: Vec<u16> = node.args().iter().map(|&it| of(&self.terms, it)).collect();
            from.is_empty() || (self.style.supports)(node.op, &from, of(&self.terms, part))
        };
        inside.iter().all(is_said).then_some(term)
    }

    /// A constant that is special to this operator as its next operand, unless the others are constants, too: that would be
    /// folded.
    pub(super) fn own_constant(&mut self, op: Op, width: u16, before: &[TermId]) -> Option<TermId> {
        let is_closed = |&term: &TermId| self.terms.literal_value(term).is_some();
        // These operands are drawn by functions of their own.
        let is_special = match op {
            Op::Exp | Op::Addmod | Op::Mulmod => true,
            Op::Byte => before.is_empty(),
            Op::Shl | Op::Lshr | Op::Ashr | Op::Rotl | Op::Rotr => before.len() == 1,
            _ => false,
        };
        let is_wanted = self.literals && !is_special && !before.iter().any(is_closed);
        if !is_wanted || self.entropy.chance(4, 5) {
            return None;
        }
        let value = constants::own(self.entropy, op, before.len(), width)?;
        Some(self.terms.literal(value, fixed(width)))
    }

    /// The accumulator of a loop with an operator that languages have a compound assignment for.
    pub(super) fn updated(&mut self, width: u16, size: u64) -> Option<TermId> {
        if self.entropy.chance(1, 4) {
            return None;
        }
        let assigns = |op: &Op| {
            matches!(op, Op::Add | Op::Sub | Op::Mul | Op::And | Op::Or | Op::Xor)
                || matches!(op, Op::Shl | Op::Lshr | Op::Ashr | Op::Udiv | Op::Urem | Op::Sdiv)
                || matches!(op, Op::Srem | Op::Fdiv | Op::Fmod)
        };
        let supports = self.style.supports;
        let all = super::OPERATORS.iter().map(|it| it.0);
        let all: Vec<Op> =
            all.filter(|op| assigns(op) && supports(*op, &[width; 2], width)).collect();
        let op = *self.entropy.pick(&all)?;
        let accumulator = self.terms.variable(ACCUMULATOR, fixed(width));
        let operand = match op {
            Op::Shl | Op::Lshr | Op::Ashr => self.amount(width, 0),
            Op::Add | Op::Sub if self.entropy.chance(1, 2) => self.terms.literal(1, fixed(width)),
            _ => match self.own_constant(op, width, &[accumulator]) {
                Some(own) => own,
                None => self.grow(width, size.saturating_sub(1)),
            },
        };
        Some(self.terms.apply_at(op, &[accumulator, operand], fixed(width)))
    }

    /// A dividend, where dividing a product may be one operation: often a product.
    pub(super) fn product(&mut self, width: u16, size: u64) -> TermId {
        if self.entropy.chance(1, 2) {
            return self.grow(width, size);
        }
        let args = [self.grow(width, size / 2), self.grow(width, 0)];
        self.terms.apply_at(Op::Mul, &args, fixed(width))
    }

    /// A quotient, a remainder or a shift to the right that is rounded up or to the nearest number, where that
    /// may be one operation.
    pub(super) fn rounded(&mut self, op: Op, width: u16, size: u64) -> Option<TermId> {
        if !(self.style.supports)(Op::Fdiv, &[width; 2], width) {
            return None;
        }
        let minus = |terms: &mut Terms, term| terms.apply_at(Op::Neg, &[term], fixed(width));
        Some(match (op, self.entropy.below(3)) {
            (Op::Fdiv, 0) => self.nearest(width, size),
            (Op::Fdiv, 1) => self.upward(width, size),
            (Op::Fmod, 0) => {
                let (whole, by) = (self.grow(width, size / 2), self.grow(width, 0));
                let whole = minus(&mut self.terms, whole);
                let rest = self.terms.apply_at(Op::Fmod, &[whole, by], fixed(width));
                minus(&mut self.terms, rest)
            }
            (Op::Ashr, 0) => {
                let whole = self.grow(width, size / 2);
                let by = self.entropy.between(1, u64::from(width) / 2);
                let half = self.terms.literal(BigInt::from(1) << (by - 1), fixed(width));
                let sum = self.terms.apply_at(Op::Add, &[whole, half], fixed(width));
                let by = self.terms.literal(by, fixed(width));
                self.terms.apply_at(Op::Ashr, &[sum, by], fixed(width))
            }
            (Op::Ashr, 1) => {
                let whole = self.grow(width, size / 2);
                let by = self.entropy.between(1, u64::from(width) / 2);
                let (whole, by) =
                    (minus(&mut self.terms, whole), self.terms.literal(by, fixed(width)));
                let shifted = self.terms.apply_at(Op::Ashr, &[whole, by], fixed(width));
                minus(&mut self.terms, shifted)
            }
            _ => return None,
        })
    }

    /// A quotient that is rounded up, which may be one operation: −⌊−x / y⌋.
    pub(super) fn upward(&mut self, width: u16, size: u64) -> TermId {
        let whole = self.product(width, size / 2);
        let by = self.grow(width, 0);
        let minus = self.terms.apply_at(Op::Neg, &[whole], fixed(width));
        let down = self.terms.apply_at(Op::Fdiv, &[minus, by], fixed(width));
        self.terms.apply_at(Op::Neg, &[down], fixed(width))
    }

    /// A quotient that is rounded to the nearest number, which may be one operation: ⌊(2x + y) / 2y⌋.
    pub(super) fn nearest(&mut self, width: u16, size: u64) -> TermId {
        let whole = self.product(width, size / 2);
        let by = self.grow(width, 0);
        let mut sum = |a, b| self.terms.apply_at(Op::Add, &[a, b], fixed(width));
        let (double, doubled) = (sum(whole, whole), sum(by, by));
        let more = sum(double, by);
        self.terms.apply_at(Op::Fdiv, &[more, doubled], fixed(width))
    }

    /// The index of a byte: mostly in range or just beyond.
    pub(super) fn position(&mut self, width: u16, size: u64) -> TermId {
        if self.entropy.chance(1, 4) {
            return self.known(width, &[]).unwrap_or_else(|| self.grow(width, size));
        }
        let position = match self.entropy.below(4) {
            0 => constants::own(self.entropy, Op::Byte, 0, width).unwrap_or_default(),
            _ => BigInt::from(self.entropy.below(u64::from(width) / 8 + 2)),
        };
        self.terms.literal(position, fixed(width))
    }

    /// A modulus: a variable, so that the compiler knows nothing of it, or a wide constant, since narrow ones take the code
    /// path of plain divisions.
    pub(super) fn modulus(&mut self, width: u16, size: u64, divided: &[TermId]) -> TermId {
        let long = match self.entropy.below(12) {
            0 => constants::own(self.entropy, Op::Mulmod, 2, width).unwrap_or_default(),
            _ => constants::long(self.entropy, width),
        };
        let drawn = match self.entropy.below(8) {
            0..5 => self.known(width, divided),
            5 | 6 => None,
            _ => Some(self.grow(width, size)),
        };
        drawn.unwrap_or_else(|| self.terms.literal(long, fixed(width)))
    }

    /// An operand of a modular sum or product: mostly a variable.
    pub(super) fn factor(&mut self, width: u16) -> TermId {
        let known = if self.entropy.chance(7, 8) { self.known(width, &[]) } else { None };
        if known.is_none() && self.literals && self.entropy.chance(1, 3) {
            let own = constants::own(self.entropy, Op::Mulmod, 0, width).unwrap_or_default();
            return self.terms.literal(own, fixed(width));
        }
        known.unwrap_or_else(|| self.leaf(width))
    }

    /// A variable of the scope that has a width and is none of these terms.
    pub(super) fn known(&mut self, width: u16, but: &[TermId]) -> Option<TermId> {
        let is_free =
            |variable: u16| !but.iter().any(|&term| self.terms.op(term) == Op::Variable(variable));
        let scope = self.scope.iter().filter(|it| it.1 == width && is_free(it.0));
        let fitting: Vec<u16> = scope.map(|it| it.0).collect();
        let variable = *self.entropy.pick(&fitting)?;
        self.used.insert(variable);
        Some(self.terms.variable(variable, fixed(width)))
    }

    /// An exponent: most are small, or powers of all but 0 and 1 would overflow. A variable cannot be expanded into products.
    pub(super) fn exponent(&mut self, width: u16) -> TermId {
        let exponent = match self.entropy.below(12) {
            0 => BigInt::from(255),
            1 => match self.entropy.below(4) {
                0 => constants::own(self.entropy, Op::Exp, 1, width).unwrap_or_default(),
                _ => constants::draw(self.entropy, width),
            },
            2..4 => match self.known(width, &[]) {
                Some(variable) => return variable,
                None => BigInt::from(2),
            },
            _ => BigInt::from(self.entropy.below(9)),
        };
        self.terms.literal(exponent, fixed(width))
    }

    /// A comparison if the ticket has one, or else any word.
    pub(super) fn condition(&mut self, width: u16, size: u64) -> Option<TermId> {
        let comparisons: Vec<Op> =
            self.operators.iter().map(|it| it.0).filter(|op| op.is_comparison()).collect();
        let Some(&op) = self.entropy.pick(&comparisons) else {
            return Some(self.grow(width, size));
        };
        if !(self.style.supports)(op, &[width, width], width) {
            return None;
        }
        let part = self.entropy.between(0, size);
        let args = [self.grow(width, part), self.grow(width, size - part)];
        Some(self.terms.apply_at(op, &args, fixed(width)))
    }
}
