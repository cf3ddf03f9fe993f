//! Boolean connectives and conditional choice on core flags, simplified where an operand is
//! constant or operands coincide.

use super::extent::Extent;
use super::op::Op;
use super::term::{TermId, Terms};

impl Terms {
    pub fn truth(&mut self) -> TermId {
        self.literal(1, Extent::BIT)
    }

    pub fn falsehood(&mut self) -> TermId {
        self.literal(0, Extent::BIT)
    }

    pub fn negation(&mut self, a: TermId) -> TermId {
        let (yes, no) = (self.truth(), self.falsehood());
        match a {
            _ if a == yes => no,
            _ if a == no => yes,
            _ if self.op(a) == Op::Not => self.args(a)[0],
            _ => self.apply(Op::Not, &[a]),
        }
    }

    pub fn both(&mut self, a: TermId, b: TermId) -> TermId {
        let (yes, no) = (self.truth(), self.falsehood());
        match (a, b) {
            _ if a == no || b == no => no,
            _ if a == yes || a == b => b,
            _ if b == yes => a,
            _ => self.apply(Op::And, &[a, b]),
        }
    }

    pub fn either(&mut self, a: TermId, b: TermId) -> TermId {
        let (x, y) = (self.negation(a), self.negation(b));
        let neither = self.both(x, y);
        self.negation(neither)
    }

    pub fn any(&mut self, flags: &[TermId]) -> TermId {
        let no = self.falsehood();
        flags.iter().fold(no, |any, &flag| self.either(any, flag))
    }

    pub fn exclusive(&mut self, a: TermId, b: TermId) -> TermId {
        let (yes, no) = (self.truth(), self.falsehood());
        match (a, b) {
            _ if a == b => no,
            _ if a == no => b,
            _ if b == no => a,
            _ if a == yes => self.negation(b),
            _ if b == yes => self.negation(a),
            _ => self.apply(Op::Xor, &[a, b]),
        }
    }

    pub fn choose(&mut self, condition: TermId, yes: TermId, no: TermId) -> TermId {
        let (always, never) = (self.truth(), self.falsehood());
        match condition {
            _ if condition == always || yes == no => yes,
            _ if condition == never => no,
            _ => self.apply(Op::Ite, &[condition, yes, no]),
        }
    }

    /// The least signed number of a width.
    pub fn least(&mut self, width: Extent) -> TermId {
        let (one, bits) = (self.literal(1, width), self.apply_at(Op::Bits(width), &[], width));
        let top = self.apply(Op::Sub, &[bits, one]);
        self.apply(Op::Shl, &[one, top])
    }

    /// The least signed number if the flag is set, else the greatest.
    pub(super) fn extreme(&mut self, least: TermId, width: Extent) -> TermId {
        let low = self.least(width);
        let high = self.apply(Op::Not, &[low]);
        self.choose(least, low, high)
    }
}
