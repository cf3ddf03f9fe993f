//! A complete check of equations between linear combinations of bitwise words at a fixed width,
//! with arbitrary literals (linear mixed Boolean-arithmetic).
//!
//! A combination E is the sum over the bit positions k of 2^k·g(k, j). Here j is the vector of the
//! variables' bits at k, and g(k, j) is the sum of the coefficients of the words whose bit at k is
//! set, given j and the bits of the literals at k. Positions are independent. So E is 0 for all
//! values if and only if E is 0 with all variables 0, and 2^k·(g(k, j) − g(k, 0)) is 0 modulo 2^w
//! for all k and j.

use std::collections::HashMap;

use num_bigint::BigInt;

use super::extent::Extent;
use super::goal::{Goal, Scope};
use super::op::Op;
use super::rejection::Rejection;
use super::term::{TermId, Terms};

/// Limit on variables, including subterms that are treated as variables.
const VARIABLES: usize = 10;

pub(crate) fn check(goal: &Goal) -> Result<(), Rejection> {
    let (Scope::At(_), Op::Same) = (goal.scope, goal.terms.op(goal.holds)) else {
        return Err("the goal is not an equation at one width".into());
    };
    let [a, b] = [0, 1].map(|side| goal.terms.args(goal.holds)[side]);
    let width = goal.terms.width(a);
    let bits = width.as_fixed().ok_or_else(|| Rejection::from("the width is not fixed"))?;
    let mut sum = Sum { terms: &goal.terms, summands: HashMap::new(), variables: Vec::new() };
    sum.add(a, &BigInt::from(1))?;
    sum.add(b, &BigInt::from(-1))?;
    if sum.is_zero(bits) {
        Ok(())
    } else {
        Err("the sides differ on a row of the truth table".into())
    }
}

struct Sum<'a> {
    terms: &'a Terms,
    /// Bitwise words and their coefficients.
    summands: HashMap<TermId, BigInt>,
    variables: Vec<TermId>,
}

impl Sum<'_> {
    fn add(&mut self, term: TermId, times: &BigInt) -> Result<(), Rejection> {
        let node = self.terms.node(term);
        let [a, b, _] = node.args;
        match node.op {
            Op::Neg => return self.add(a, &-times),
            Op::Add => {
                self.add(a, times)?;
                return self.add(b, times);
            }
            Op::Sub => {
                self.add(a, times)?;
                return self.add(b, &-times);
            }
            Op::Mul => {
                for (number, word) in [(b, a), (a, b)] {
                    if let Some(number) = self.terms.literal_value(number) {
                        return self.add(word, &(times * number));
                    }
                }
            }
            Op::Shl => {
                let amount = self.terms.literal_value(b).and_then(|n| u32::try_from(n).ok());
                let width = node.width.as_fixed().map(u32::from);
                if let Some(amount) = amount.filter(|&n| width.is_some_and(|width| n < width)) {
                    return self.add(a, &(times << amount));
                }
            }
            _ => {}
        }
        self.collect(term)?;
        *self.summands.entry(term).or_default() += times;
        Ok(())
    }

    /// Collects the variables of a bitwise word. A subterm that is not bitwise counts as a
    /// variable.
    fn collect(&mut self, term: TermId) -> Result<(), Rejection> {
        let node = self.terms.node(term);
        match node.op {
            Op::Not | Op::And | Op::Or | Op::Xor => {
                node.args().iter().try_for_each(|&arg| self.collect(arg))
            }
            Op::Literal(_) => Ok(()),
            _ if self.variables.contains(&term) => Ok(()),
            _ if self.variables.len() == VARIABLES || node.width == Extent::BIT => {
                Err("there are too many variables".into())
            }
            _ => {
                self.variables.push(term);
                Ok(())
            }
        }
    }

    fn is_zero(&self, bits: u16) -> bool {
        let modulus = BigInt::from(1) << bits;
        let mut at_zero = BigInt::ZERO;
        for k in 0..u64::from(bits) {
            let rows: Vec<BigInt> =
                (0..1usize << self.variables.len()).map(|j| self.row(k, j)).collect();
            at_zero += &rows[0] << k;
            if rows.iter().any(|row| ((row - &rows[0]) << k) % &modulus != BigInt::ZERO) {
                return false;
            }
        }
        at_zero % modulus == BigInt::ZERO
    }

    fn row(&self, k: u64, j: usize) -> BigInt {
        let set = self.summands.iter().filter(|&(&word, _)| self.bit(word, k, j));
        set.map(|(_, times)| times).sum()
    }

    /// The bit of a bitwise word at position k, where variable i has bit i of `j`.
    fn bit(&self, term: TermId, k: u64, j: usize) -> bool {
        let node = self.terms.node(term);
        let [a, b, _] = node.args;
        match node.op {
            Op::Not => !self.bit(a, k, j),
            Op::And => self.bit(a, k, j) & self.bit(b, k, j),
            Op::Or => self.bit(a, k, j) | self.bit(b, k, j),
            Op::Xor => self.bit(a, k, j) ^ self.bit(b, k, j),
            Op::Literal(index) => self.terms.integer(index).bit(k),
            _ => self.variables.iter().position(|&v| v == term).is_some_and(|v| j >> v & 1 == 1),
        }
    }
}
