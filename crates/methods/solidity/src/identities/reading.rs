//! Expressions as terms. What is no operator of terms is a variable, if evaluating it has no effect and cannot fail: rules
//! may drop, repeat and reorder it.

use identity::kernel::{Extent, Op, TermId, Terms};
use num_bigint::{BigInt, Sign};
use ruint::aliases::U256;

use super::integer;
use crate::model::{Binary, Expression, Kind, StateKind, Type, Unary};
use crate::view::View;

/// The most levels of operators that become one term.
pub(super) const DEPTH: u32 = 4;

pub(super) struct Reading<'a> {
    view: &'a View<'a>,
    signed: bool,
    pub(super) terms: Terms,
    /// The expressions behind the variables.
    pub(super) leaves: Vec<Expression>,
}

impl<'a> Reading<'a> {
    pub(super) fn new(view: &'a View<'a>, signed: bool) -> Self {
        Self { view, signed, terms: Terms::new(), leaves: vec![] }
    }

    /// An expression as a term of a width that is not smaller than its own: it converts implicitly.
    pub(super) fn term(&mut self, it: &Expression, width: u16, depth: u32) -> Option<TermId> {
        if let Some(value) = self.constant(it) {
            let fits = self.fits(value, width);
            return fits.then(|| self.terms.literal(big(value), Extent::fixed(width)));
        }
        let (own, signed) = integer(self.view.ty(it.ty))?;
        if own > width || signed != self.signed {
            return None;
        }
        let term = self.own(it, own, depth)?;
        Some(self.wider(term, own, width))
    }

    fn wider(&mut self, term: TermId, from: u16, to: u16) -> TermId {
        let op = if self.signed { Op::Sext } else { Op::Zext };
        match from == to {
            true => term,
            false => self.terms.apply_at(op, &[term], Extent::fixed(to)),
        }
    }

    /// The value of a literal, in canonical form.
    fn constant(&self, it: &Expression) -> Option<U256> {
        match it.kind {
            Kind::Literal { number, .. } if integer(self.view.ty(it.ty)).is_some() => {
                Some(self.view.literal(number, it.ty))
            }
            Kind::Number(value) => Some(value),
            _ => None,
        }
    }

    fn fits(&self, value: U256, width: u16) -> bool {
        let ty = if self.signed { Type::Int(width) } else { Type::Uint(width) };
        crate::word::wrap(value, ty) == value
    }

    /// An expression as a term of its own width.
    fn own(&mut self, it: &Expression, width: u16, depth: u32) -> Option<TermId> {
        let operator = match depth {
            0 => None,
            _ => self.operator(it, width, depth - 1),
        };
        operator.or_else(|| self.leaf(it, width))
    }

    fn leaf(&mut self, it: &Expression, width: u16) -> Option<TermId> {
        if !is_harmless(self.view, it) {
            return None;
        }
        let known = self.leaves.iter().position(|leaf| leaf == it);
        let at = known.unwrap_or_else(|| {
            self.leaves.push(it.clone());
            self.leaves.len() - 1
        });
        Some(self.terms.variable(at as u16, Extent::fixed(width)))
    }

    fn operator(&mut self, it: &Expression, width: u16, depth: u32) -> Option<TermId> {
        let extent = Extent::fixed(width);
        match &it.kind {
            Kind::Binary(op @ (Binary::Shl | Binary::Shr), parts) => {
                let value = self.term(&parts.0, width, depth)?;
                let amount = self.amount(&parts.1, width, depth)?;
                let op = match (op, self.signed) {
                    (Binary::Shl, _) => Op::Shl,
                    (_, true) => Op::Ashr,
                    (_, false) => Op::Lshr,
                };
                Some(self.terms.apply_at(op, &[value, amount], extent))
            }
            Kind::Binary(op, parts) => {
                let op = self.arithmetic(*op)?;
                let left = self.term(&parts.0, width, depth)?;
                let right = self.term(&parts.1, width, depth)?;
                Some(self.terms.apply_at(op, &[left, right], extent))
            }
            Kind::Unary(op, inner) => {
                let inner = self.term(inner, width, depth)?;
                let op = match op {
                    Unary::Minus => Op::Neg,
                    Unary::Complement => Op::Not,
                    Unary::Not => return None,
                };
                Some(self.terms.apply_at(op, &[inner], extent))
            }
            Kind::Conditional(parts) => {
                let Kind::Binary(comparison, sides) = &parts.0.kind else { return None };
                let op = self.comparison(*comparison)?;
                // A literal has the type of the other side.
                let typed = if sides.0.is_bare() { &sides.1 } else { &sides.0 };
                if integer(self.view.ty(typed.ty))? != (width, self.signed) {
                    return None;
                }
                let left = self.term(&sides.0, width, depth)?;
                let right = self.term(&sides.1, width, depth)?;
                let test = self.terms.apply_at(op, &[left, right], extent);
                let yes = self.term(&parts.1, width, depth)?;
                let no = self.term(&parts.2, width, depth)?;
                Some(self.terms.apply_at(Op::Ite, &[test, yes, no], extent))
            }
            Kind::Cast(inner) => {
                let (from, signed) = integer(self.view.ty(inner.ty))?;
                if signed != self.signed {
                    return None;
                }
                let term = self.term(inner, from, depth)?;
                match from > width {
                    true => {
                        let op = Op::Extract(Extent::fixed(0));
                        Some(self.terms.apply_at(op, &[term], extent))
                    }
                    false => Some(self.wider(term, from, width)),
                }
            }
            _ => None,
        }
    }

    /// How far to shift: an unsigned number, as a term of the width of what is shifted.
    fn amount(&mut self, it: &Expression, width: u16, depth: u32) -> Option<TermId> {
        if let Some(value) = self.constant(it) {
            let unsigned = crate::word::wrap(value, Type::Uint(width)) == value;
            return unsigned.then(|| self.terms.literal(big(value), Extent::fixed(width)));
        }
        // A signed amount would be another type, of which terms know nothing.
        match self.signed {
            true => None,
            false => self.term(it, width, depth),
        }
    }

    fn arithmetic(&self, op: Binary) -> Option<Op> {
        Some(match (op, self.signed) {
            (Binary::Add, _) => Op::Add,
            (Binary::Sub, _) => Op::Sub,
            (Binary::Mul, _) => Op::Mul,
            (Binary::And, _) => Op::And,
            (Binary::Or, _) => Op::Or,
            (Binary::Xor, _) => Op::Xor,
            (Binary::Div, false) => Op::Udiv,
            (Binary::Div, true) => Op::Sdiv,
            (Binary::Mod, false) => Op::Urem,
            (Binary::Mod, true) => Op::Srem,
            _ => return None,
        })
    }

    fn comparison(&self, op: Binary) -> Option<Op> {
        Some(match (op, self.signed) {
            (Binary::Equal, _) => Op::Eq,
            (Binary::NotEqual, _) => Op::Ne,
            (Binary::Less, false) => Op::Ult,
            (Binary::LessEqual, false) => Op::Ule,
            (Binary::Greater, false) => Op::Ugt,
            (Binary::GreaterEqual, false) => Op::Uge,
            (Binary::Less, true) => Op::Slt,
            (Binary::LessEqual, true) => Op::Sle,
            (Binary::Greater, true) => Op::Sgt,
            (Binary::GreaterEqual, true) => Op::Sge,
            _ => return None,
        })
    }
}

/// A word as a number without sign; terms take it modulo their width.
fn big(value: U256) -> BigInt {
    BigInt::from_bytes_be(Sign::Plus, &value.to_be_bytes::<32>())
}

/// Whether evaluating an expression has no effect and always succeeds.
fn is_harmless(view: &View<'_>, it: &Expression) -> bool {
    let integers = |from: u16, to: u16| {
        let plain = |id| matches!(view.ty(id), Type::Uint(_) | Type::Int(_) | Type::FixedBytes(_));
        plain(from) && plain(to)
    };
    match &it.kind {
        Kind::Local(_) | Kind::MsgValue | Kind::Number(_) | Kind::Literal { .. } => true,
        // The value of a constant is another expression.
        Kind::State(id) => {
            let kind = view.template.states.get(usize::from(*id)).map(|it| it.kind);
            kind.is_some_and(|kind| view.state_kind(kind) != StateKind::Constant)
        }
        Kind::Field(base, _) | Kind::Length(base) => {
            matches!(base.kind, Kind::Local(_) | Kind::State(_) | Kind::Field(..))
                && is_harmless(view, base)
        }
        Kind::Cast(inner) => integers(inner.ty, it.ty) && is_harmless(view, inner),
        Kind::Unary(Unary::Complement | Unary::Not, inner) => is_harmless(view, inner),
        Kind::Binary(op, parts) => {
            let total = matches!(op, Binary::And | Binary::Or | Binary::Xor) || op.is_comparison();
            total && is_harmless(view, &parts.0) && is_harmless(view, &parts.1)
        }
        _ => false,
    }
}
