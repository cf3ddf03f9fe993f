//! Matches a pattern against a term, modulo commutativity, with backtracking. Terms are
//! hash-consed, so that a repeated variable costs one comparison.

use super::material::Material;
use crate::kernel::{NONE, Op, TermId, Terms};

/// Limit on the variables of an arm, including those for constant expressions.
pub(super) const SLOTS: usize = 32;

/// The binding of each variable, or `NONE`.
pub(super) type Bindings = [TermId; SLOTS];

#[derive(Debug)]
pub(super) struct Match<'a> {
    pub(super) patterns: &'a Terms,
    pub(super) material: &'a Material,
    /// The variables that match only literals.
    pub(super) constants: u32,
    /// Bits that choose which operand order is tried first.
    pub(super) turns: u32,
    pub(super) bound: Bindings,
}

/// The remaining pairs to match: a linked list on the call stack, so that backtracking does not
/// allocate.
#[derive(Clone, Copy, Debug)]
struct Rest<'a> {
    pattern: TermId,
    term: TermId,
    then: Option<&'a Rest<'a>>,
}

impl Match<'_> {
    /// Binds the variables on success.
    pub(super) fn find(&mut self, pattern: TermId, term: TermId) -> bool {
        self.all(Some(&Rest { pattern, term, then: None }))
    }

    fn all(&mut self, rest: Option<&Rest<'_>>) -> bool {
        let Some(&Rest { pattern, term, then }) = rest else { return true };
        let (wanted, found) = (self.patterns.node(pattern), self.material.node(term));
        if wanted.width != found.width {
            return false;
        }
        match wanted.op {
            Op::Variable(index) => {
                let slot = usize::from(index);
                if self.bound[slot] != NONE {
                    return self.bound[slot] == term && self.all(then);
                }
                if self.constants & (1 << index) != 0 && !matches!(found.op, Op::Literal(_)) {
                    return false;
                }
                self.bound[slot] = term;
                let fits = self.all(then);
                if !fits {
                    self.bound[slot] = NONE;
                }
                fits
            }
            Op::Literal(index) => {
                let same =
                    self.material.terms().literal_value(term) == Some(self.patterns.integer(index));
                same && self.all(then)
            }
            op if op != found.op => false,
            op => {
                let [a, b, c] = found.args;
                if !op.commutes() || a == b || !self.may_swap(a, b) {
                    return self.operands(wanted.args, found.args, op.arity(), then);
                }
                let (straight, crossed) = ([a, b, c], [b, a, c]);
                let turned = self.turns >> (pattern.0 % 32) & 1 == 1;
                let (first, second) =
                    if turned { (crossed, straight) } else { (straight, crossed) };
                self.operands(wanted.args, first, op.arity(), then)
                    || self.operands(wanted.args, second, op.arity(), then)
            }
        }
    }

    fn operands(
        &mut self,
        patterns: [TermId; 3],
        terms: [TermId; 3],
        arity: usize,
        then: Option<&Rest<'_>>,
    ) -> bool {
        let [p, q, r] = patterns;
        let [a, b, c] = terms;
        let third = Rest { pattern: r, term: c, then };
        let after = if arity > 2 { Some(&third) } else { then };
        let second = Rest { pattern: q, term: b, then: after };
        let after = if arity > 1 { Some(&second) } else { then };
        self.all(Some(&Rest { pattern: p, term: a, then: after }))
    }

    /// Swapping operands is a rewrite too: it must not change which stop is observable.
    fn may_swap(&self, a: TermId, b: TermId) -> bool {
        let (a, b) = (self.material.stops(a), self.material.stops(b));
        a.is_empty() || b.is_empty() || a.or(b).is_uniform()
    }
}
