//! Remainders by a modulus m as polynomials. An operand of a remainder by m, through exact sums and
//! products or through other remainders by m, matters only modulo m. So `addmod`, `mulmod` and `%`
//! by the same m have a common normal form: the remainder of one polynomial over the integers.
//!
//! `m` may be 0, in which case a remainder is its dividend modulo 2^w. Each step below is therefore
//! valid both modulo m for m ≠ 0, and modulo 2^w for m = 0.

use std::rc::Rc;

use num_bigint::BigInt;

use super::extent::Extent;
use super::op::Op;
use super::polynomial::Polynomial;
use super::ring::{Key, Ring};
use super::term::TermId;

/// What is known about the modulus.
struct Modulus {
    term: TermId,
    normal: Rc<Polynomial>,
    width: Extent,
    /// Its value, if that is the same at every width and not 0.
    value: Option<BigInt>,
    /// Whether any reduction modulo it took place.
    reduced: bool,
}

impl Ring<'_> {
    /// The normal form of `x % m`, or `None` if nothing was reduced.
    pub(super) fn remainder(&mut self, x: TermId, m: TermId) -> Option<Polynomial> {
        let mut modulus = self.modulus(m);
        let residue = self.residue(x, &mut modulus)?;
        if !modulus.reduced {
            return None;
        }
        self.representative(residue, &modulus)
    }

    /// `addmod` or `mulmod`: the low part of `(x + y) % m` or `(x · y) % m`, in words wide enough
    /// for the exact sum or product.
    pub(super) fn modular(&mut self, term: TermId) -> Option<Polynomial> {
        let (op, words) = self.exact_remainder(term)?;
        let [x, y, m] = words;
        let mut modulus = self.modulus(m);
        let (x, y) = (self.residue(x, &mut modulus)?, self.residue(y, &mut modulus)?);
        let whole = self.combined(op, &x, &y)?;
        self.representative(whole, &modulus)
    }

    fn modulus(&mut self, term: TermId) -> Modulus {
        let (normal, width) = (self.of(term), self.terms().width(term));
        let value = self.number(term).filter(|value| *value != BigInt::ZERO);
        Modulus { term, normal, width, value, reduced: false }
    }

    /// The operator and operands of `addmod` or `mulmod`, in the form that `meaning.rs` lowers them
    /// to.
    fn exact_remainder(&self, term: TermId) -> Option<(Op, [TermId; 3])> {
        let terms = self.terms();
        let node = terms.node(term);
        if node.op != Op::Extract(Extent::fixed(0)) {
            return None;
        }
        let rest = terms.node(node.args[0]);
        if rest.op != Op::Urem {
            return None;
        }
        let whole = terms.node(rest.args[0]);
        let room = match whole.op {
            Op::Add => node.width.plus(Extent::BIT)?,
            Op::Mul => node.width.plus(node.width)?,
            _ => return None,
        };
        let narrow = |wide: TermId| {
            let wide = terms.node(wide);
            let word = (wide.op == Op::Zext).then_some(wide.args[0]);
            word.filter(|&word| terms.width(word) == node.width)
        };
        let words = [narrow(whole.args[0])?, narrow(whole.args[1])?, narrow(rest.args[1])?];
        (whole.width == room).then_some((whole.op, words))
    }

    /// A polynomial congruent to the value of a word modulo m, or modulo 2^w if m is 0.
    fn residue(&mut self, term: TermId, m: &mut Modulus) -> Option<Polynomial> {
        let node = self.terms().node(term);
        let [a, b, c] = node.args;
        if self.of(term) == m.normal {
            m.reduced = true;
            return Some(Polynomial::default());
        }
        if let Some(number) = self.number(term) {
            m.reduced |= m.value.as_ref().is_some_and(|value| number >= *value);
            return Some(Polynomial::constant(number));
        }
        if let Some((op, [x, y, by])) = self.exact_remainder(term)
            && self.of(by) == m.normal
        {
            m.reduced = true;
            let (x, y) = (self.residue(x, m)?, self.residue(y, m)?);
            return self.combined(op, &x, &y);
        }
        match node.op {
            Op::Urem if self.of(b) == m.normal => {
                m.reduced = true;
                return self.residue(a, m);
            }
            // m − r with r < m, or −r if m is 0; and m − 1, which does not wrap unless m is 0.
            Op::Sub if self.of(a) == m.normal => {
                let one = self.number(b) == Some(BigInt::from(1));
                if one || self.is_residue(b, m) {
                    m.reduced = true;
                    let less = self.residue(b, m)?;
                    return Some(less.scaled(&BigInt::from(-1)));
                }
            }
            Op::Ite => {
                let (flag, yes, no) = (self.of(a), self.residue(b, m)?, self.residue(c, m)?);
                let difference = yes.plus(&no, &BigInt::from(-1));
                return Some(flag.times(&difference)?.plus(&no, &BigInt::from(1)));
            }
            Op::Zext if self.terms().width(a) == Extent::BIT => return Some((*self.of(a)).clone()),
            Op::Add | Op::Mul if self.is_exact(term) => {
                let (x, y) = (self.residue(a, m)?, self.residue(b, m)?);
                return self.combined(node.op, &x, &y);
            }
            // The sum wraps, losing 2^w, if it is less than its operand.
            Op::Add if m.value.is_some() => {
                if let Some(bits) = node.width.as_fixed() {
                    let lost = self.carry(term, a);
                    let (x, y) = (self.residue(a, m)?, self.residue(b, m)?);
                    let sum = self.combined(Op::Add, &x, &y)?;
                    m.reduced = true;
                    return Some(sum.plus(&lost, &-(BigInt::from(1) << bits)));
                }
            }
            _ => {}
        }
        Some(self.value_of(term))
    }

    /// Whether a term is a remainder by m. It is then less than m unless m is 0.
    fn is_residue(&mut self, term: TermId, m: &Modulus) -> bool {
        let by = match self.exact_remainder(term) {
            Some((_, [_, _, by])) => by,
            None if self.terms().op(term) == Op::Urem => self.terms().args(term)[1],
            None => return false,
        };
        by == m.term || self.of(by) == m.normal
    }

    fn combined(&self, op: Op, x: &Polynomial, y: &Polynomial) -> Option<Polynomial> {
        if op == Op::Add { Some(x.plus(y, &BigInt::from(1))) } else { x.times(y) }
    }

    /// Whether a sum or product cannot wrap at any width in question.
    fn is_exact(&mut self, term: TermId) -> bool {
        let width = self.terms().width(term);
        self.upper_bound(term).zip(self.bound(width)).is_some_and(|(most, bound)| most < bound)
    }

    /// An upper bound of a word's value, with exact sums and products.
    fn upper_bound(&mut self, term: TermId) -> Option<BigInt> {
        if let Some(number) = self.number(term) {
            return Some(number);
        }
        let node = self.terms().node(term);
        let [a, b, c] = node.args;
        let width = |ring: &Self, term| ring.terms().width(term);
        match node.op {
            Op::Add => Some(self.upper_bound(a)? + self.upper_bound(b)?),
            Op::Mul => Some(self.upper_bound(a)? * self.upper_bound(b)?),
            Op::Ite => Some(self.upper_bound(b)?.max(self.upper_bound(c)?)),
            Op::And => self.number(b).or_else(|| self.number(a)),
            Op::Urem => self.number(b).filter(|m| *m > BigInt::ZERO).map(|m| m - 1),
            Op::Zext => Some((BigInt::from(1) << width(self, a).as_fixed()?) - 1),
            _ => match self.exact_remainder(term) {
                Some((_, [_, _, m])) => self.number(m).filter(|m| *m > BigInt::ZERO).map(|m| m - 1),
                None => None,
            },
        }
    }

    /// The word that is the remainder of a polynomial.
    fn representative(&mut self, residue: Polynomial, m: &Modulus) -> Option<Polynomial> {
        let residue = match &m.value {
            Some(value) => residue.modulo_number(value),
            None => residue,
        };
        if residue.as_constant() == Some(BigInt::ZERO) {
            return Some(Polynomial::default());
        }
        if let (Some(number), Some(_)) = (residue.as_constant(), &m.value) {
            return Some(Polynomial::constant(number));
        }
        // The remainder of a single word has the same form as in `ring.rs`.
        if let Some(word) = self.word_of(&residue) {
            let quotient = self.quotient(m.width, &[word.clone(), m.normal.clone()]);
            return Some(word.plus(&quotient.times(&m.normal)?, &BigInt::from(-1)));
        }
        let operands = vec![(m.width, Rc::new(residue)), (m.width, m.normal.clone())];
        Some(self.atom(Key::Residue(operands), m.width))
    }
}
