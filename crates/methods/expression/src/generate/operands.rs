//! What operators are drawn with: operands that make them do what is special to them.

use num_bigint::BigInt;

use super::Grower;
use crate::menu;
use crate::program::fixed;
use identity::kernel::{Op, TermId};

/// So many shifts are drawn around each other.
const CHAIN: u8 = 3;

impl Grower<'_> {
    /// What is shifted: often something that was shifted or extended before, which is how signs are extended and
    /// fields are cut out, and what every optimiser joins. To the left only where that cannot overflow, or it
    /// would only fail.
    pub(super) fn shifted(&mut self, width: u16, size: u64, depth: u8) -> TermId {
        let style = self.style;
        match self.entropy.below(12) {
            0..5 if depth < CHAIN => {
                let speaks = |op: &Op| {
                    (*op != Op::Shl || !style.signed) && (style.speaks)(*op, &[width; 2], width)
                };
                let all = [Op::Shl, Op::Shl, Op::Lshr, Op::Ashr];
                let fitting: Vec<Op> = all.into_iter().filter(speaks).collect();
                let Some(&inner) = self.entropy.pick(&fitting) else {
                    return self.grow(width, size);
                };
                let args =
                    [self.shifted(width, size.saturating_sub(1), depth + 1), self.amount(width, 0)];
                self.terms.apply_at(inner, &args, fixed(width))
            }
            5..9 => {
                let op = if self.entropy.chance(1, 2) { Op::Sext } else { Op::Zext };
                let speaks = |from: &u16| *from < width && (style.speaks)(op, &[*from], width);
                let fitting: Vec<u16> = style.widths.iter().copied().filter(speaks).collect();
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

    /// A shift amount: most are below the width or hardly beyond, and some are so large that a sum of two
    /// is small again.
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
            _ => BigInt::from(below),
        };
        self.amounts.push((width, amount.clone()));
        self.terms.literal(amount, fixed(width))
    }

    /// What is divided, where a product that is divided may be one operation: often a product.
    pub(super) fn product(&mut self, width: u16, size: u64) -> TermId {
        if self.entropy.chance(1, 2) {
            return self.grow(width, size);
        }
        let args = [self.grow(width, size / 2), self.grow(width, 0)];
        self.terms.apply_at(Op::Mul, &args, fixed(width))
    }

    /// A quotient that is rounded up, which may be one operation: that of what is less than nothing, less its sign.
    pub(super) fn upward(&mut self, width: u16, size: u64) -> TermId {
        let whole = self.product(width, size / 2);
        let by = self.grow(width, 0);
        let minus = self.terms.apply_at(Op::Neg, &[whole], fixed(width));
        let down = self.terms.apply_at(Op::Fdiv, &[minus, by], fixed(width));
        self.terms.apply_at(Op::Neg, &[down], fixed(width))
    }

    /// A quotient that is rounded to the nearest number, which may be one operation: that of the doubles, and half a
    /// divisor more.
    pub(super) fn nearest(&mut self, width: u16, size: u64) -> TermId {
        let whole = self.product(width, size / 2);
        let by = self.grow(width, 0);
        let mut sum = |a, b| self.terms.apply_at(Op::Add, &[a, b], fixed(width));
        let (double, doubled) = (sum(whole, whole), sum(by, by));
        let more = sum(double, by);
        self.terms.apply_at(Op::Fdiv, &[more, doubled], fixed(width))
    }

    /// The index of a byte: mostly one that there is, or hardly none.
    pub(super) fn position(&mut self, width: u16, size: u64) -> TermId {
        if self.entropy.chance(1, 4) {
            return self.known(width, &[]).unwrap_or_else(|| self.grow(width, size));
        }
        let position = self.entropy.below(u64::from(width) / 8 + 2);
        self.terms.literal(position, fixed(width))
    }

    /// What sums and products are divided by: an argument, so that nothing is known of it, or a long number, since
    /// the short ones are divided by what divides all else.
    pub(super) fn modulus(&mut self, width: u16, size: u64, divided: &[TermId]) -> TermId {
        let long = menu::long(self.entropy, width);
        let drawn = match self.entropy.below(8) {
            0..5 => self.known(width, divided),
            5 | 6 => None,
            _ => Some(self.grow(width, size)),
        };
        drawn.unwrap_or_else(|| self.terms.literal(long, fixed(width)))
    }

    /// What is added or multiplied there: mostly what nothing is known of.
    pub(super) fn factor(&mut self, width: u16) -> TermId {
        let known = if self.entropy.chance(3, 4) { self.known(width, &[]) } else { None };
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

    /// Most are small, or all but 0 and 1 would overflow. One that is not known cannot be expanded into products.
    pub(super) fn exponent(&mut self, width: u16) -> TermId {
        let exponent = match self.entropy.below(12) {
            0 => BigInt::from(255),
            1 => menu::draw(self.entropy, width),
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
        if !(self.style.speaks)(op, &[width, width], width) {
            return None;
        }
        let part = self.entropy.between(0, size);
        let args = [self.grow(width, part), self.grow(width, size - part)];
        Some(self.terms.apply_at(op, &args, fixed(width)))
    }
}
