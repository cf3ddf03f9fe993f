//! The constants of an arm: those that a match binds, those derived from a bound literal
//! (`x + (C + 1)` matches `x + 8` with C = 7), those that are drawn at random, and the constant
//! expressions of the target.
//!
//! The derivation is not relied upon: however a constant was found, the conditions are evaluated,
//! and every constant expression of the source is evaluated and compared with the program's
//! literal.

use num_bigint::BigInt;

use super::matching::Bindings;
use super::material::Material;
use super::order::present;
use crate::Rule;
use crate::evaluate::{Outcome, Tape};
use crate::kernel::{NONE, Op, Semantics, TermId, Terms, WORDS};

/// The constant expressions of an arm, each with a variable of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Expressions {
    /// Terms of the rule, each with its variable and width. Those of the source come first.
    pub(super) list: Vec<(TermId, u8, u16)>,
    /// How many belong to the source.
    pub(super) checked: usize,
}

#[derive(Clone, Debug)]
pub(super) struct Numbers {
    /// The number of the rule's variables.
    variables: usize,
    conditions: Option<Tape>,
    computed: Option<Tape>,
    expressions: Expressions,
    solutions: Vec<Solution>,
    /// The constants that are drawn at random, with their widths.
    pub(super) invented: Vec<(u8, u16)>,
    /// The widths of all constants that the source does not bind directly.
    widths: Vec<(u8, u16)>,
}

impl Numbers {
    /// Plans how to find the constants of a rule whose source binds `bound` directly. `None` if
    /// they cannot be derived from the source.
    pub(super) fn new(
        rule: &Rule,
        width: u16,
        semantics: &Semantics,
        expressions: Expressions,
        bound: u32,
        present: u32,
    ) -> Option<Self> {
        let terms = rule.terms();
        let roots: Vec<TermId> = expressions.list.iter().map(|(term, ..)| *term).collect();
        let tape = |roots: &[TermId], semantics| match roots {
            [] => Some(None),
            _ => Tape::new(terms, roots, width, semantics).ok().map(Some),
        };
        let mut numbers = Self {
            variables: rule.variables.len(),
            conditions: tape(&rule.equation.conditions, &WORDS)?,
            computed: tape(&roots, semantics)?,
            expressions,
            solutions: Vec::new(),
            invented: Vec::new(),
            widths: Vec::new(),
        };
        let mut known = bound;
        let mut unknown = Vec::new();
        for (index, variable) in rule.variables.iter().enumerate() {
            if !variable.constant || bound & (1 << index) != 0 {
                continue;
            }
            let bits = variable.width.at(width)?;
            numbers.widths.push((index as u8, bits));
            if present & (1 << index) != 0 {
                unknown.push((index as u8, bits));
            } else {
                numbers.invented.push((index as u8, bits));
                known |= 1 << index;
            }
        }
        numbers.solve(terms, width, known, unknown).then_some(numbers)
    }

    /// Derives the constants that occur only inside expressions of the source. Where two share an
    /// expression, as in `x + (C + D)`, one is drawn and the other derived.
    fn solve(
        &mut self,
        terms: &Terms,
        w: u16,
        mut known: u32,
        mut unknown: Vec<(u8, u16)>,
    ) -> bool {
        let mut sources = self.expressions.list[..self.expressions.checked].to_vec();
        let mut drawn = 0;
        while !unknown.is_empty() {
            let found = unknown.iter().enumerate().find_map(|(at, &(index, _))| {
                let solve = |&(term, slot, _): &(TermId, u8, u16)| {
                    let steps = steps(terms, term, index, known, w)?;
                    Some((at, Solution { unknown: index, slot, steps }))
                };
                sources.iter().find_map(solve)
            });
            match found {
                Some((at, solution)) => {
                    known |= 1 << unknown.remove(at).0;
                    sources.retain(|(_, slot, _)| *slot != solution.slot);
                    self.solutions.push(solution);
                }
                None => {
                    let next = unknown.remove(0);
                    known |= 1 << next.0;
                    drawn |= 1 << next.0;
                    self.invented.push(next);
                }
            }
        }
        // A remaining expression with drawn constants would almost never equal the program's
        // literal.
        sources.iter().all(|(term, ..)| present(terms, *term) & drawn == 0)
    }

    /// Whether the arm needs none of this. Conditions without constants are decided once.
    pub(super) fn is_trivial(&self, constants: u32) -> bool {
        self.computed.is_none()
            && self.widths.is_empty()
            && (self.conditions.is_none() || constants == 0)
    }

    pub(super) fn may_hold(&self, constants: u32) -> bool {
        constants != 0 || self.hold(&[])
    }

    fn hold(&self, values: &[BigInt]) -> bool {
        let set = |outcome| matches!(outcome, Outcome::Value(n) if n != BigInt::ZERO);
        self.conditions.as_ref().is_none_or(|tape| tape.run(values).into_iter().all(set))
    }

    /// Binds all unbound constants and constant expressions. `invent` draws constants, up to
    /// `attempts` times, until the conditions hold.
    pub(super) fn bind(
        &self,
        material: &mut Material,
        bound: &mut Bindings,
        attempts: usize,
        mut invent: impl FnMut(u8, u16) -> Option<BigInt>,
    ) -> bool {
        let value = |material: &Material, term| material.terms().literal_value(term).cloned();
        let mut values = vec![BigInt::ZERO; self.variables];
        for (slot, value_of) in values.iter_mut().enumerate() {
            if bound[slot] != NONE
                && let Some(n) = value(material, bound[slot])
            {
                *value_of = n;
            }
        }
        let attempts = if self.invented.is_empty() { 1 } else { attempts };
        let holds = (0..attempts).any(|_| {
            let drawn = self.invented.iter().all(|&(slot, width)| match invent(slot, width) {
                Some(n) => {
                    values[usize::from(slot)] = n;
                    true
                }
                None => false,
            });
            let solved = self.solutions.iter().all(|solution| {
                let there = value(material, bound[usize::from(solution.slot)]);
                let n = there.and_then(|n| solution.solve(n, &values));
                n.map(|n| values[usize::from(solution.unknown)] = n).is_some()
            });
            drawn && solved && self.hold(&values)
        });
        if !holds {
            return false;
        }
        let outcomes = self.computed.as_ref().map_or_else(Vec::new, |tape| tape.run(&values));
        for (index, (outcome, &(_, slot, width))) in
            outcomes.into_iter().zip(&self.expressions.list).enumerate()
        {
            // An expression that stops has no value.
            let Outcome::Value(n) = outcome else { return false };
            let slot = &mut bound[usize::from(slot)];
            if index < self.expressions.checked {
                if material.terms().literal_value(*slot) != Some(&n) {
                    return false;
                }
            } else {
                *slot = material.literal(n, width);
            }
        }
        for &(slot, width) in &self.widths {
            let slot = usize::from(slot);
            bound[slot] = material.literal(std::mem::take(&mut values[slot]), width);
        }
        true
    }
}

/// Derives a constant from the value of an expression by inverting its operators from the root.
#[derive(Clone, Debug)]
struct Solution {
    unknown: u8,
    slot: u8,
    steps: Vec<(Inverse, u16)>,
}

#[derive(Clone, Debug)]
enum Inverse {
    Subtract(Tape),
    Add(Tape),
    SubtractFrom(Tape),
    Negate,
    Complement,
    Xor(Tape),
    /// 2 to the power of the value.
    Power,
    /// The logarithm of a power of two.
    Logarithm,
}

impl Solution {
    /// The constant, from the value of the expression and the known constants.
    fn solve(&self, mut value: BigInt, values: &[BigInt]) -> Option<BigInt> {
        for (step, width) in &self.steps {
            let number = |tape: &Tape| match tape.run(values).pop()? {
                Outcome::Value(n) => Some(n),
                _ => None,
            };
            let solved = match step {
                Inverse::Subtract(k) => value - number(k)?,
                Inverse::Add(k) => value + number(k)?,
                Inverse::SubtractFrom(k) => number(k)? - value,
                Inverse::Negate => -value,
                Inverse::Complement => -value - 1,
                Inverse::Xor(k) => value ^ number(k)?,
                Inverse::Power => {
                    let exponent = u16::try_from(value).ok().filter(|n| n < width)?;
                    BigInt::from(1) << exponent
                }
                Inverse::Logarithm => BigInt::from(value.trailing_zeros()?),
            };
            let modulus = BigInt::from(1) << *width;
            let rest: BigInt = solved % &modulus;
            value = if rest < BigInt::ZERO { rest + modulus } else { rest };
        }
        Some(value)
    }
}

/// `None` if the constant occurs twice, next to an unknown one, or below an operator that has no
/// simple inverse.
fn steps(
    terms: &Terms,
    mut term: TermId,
    unknown: u8,
    known: u32,
    w: u16,
) -> Option<Vec<(Inverse, u16)>> {
    let mut steps = Vec::new();
    loop {
        let node = terms.node(term);
        let width = node.width.at(w)?;
        let [a, b, _] = node.args;
        let number = |operand: TermId| {
            (present(terms, operand) & !known == 0)
                .then(|| Tape::new(terms, &[operand], w, &WORDS).ok())?
        };
        let left = node.op.arity() == 2 && present(terms, a) & (1 << unknown) != 0;
        let (step, next) = match (node.op, left) {
            (Op::Variable(index), _) => return (index == u16::from(unknown)).then_some(steps),
            (Op::Neg, _) => (Inverse::Negate, a),
            (Op::Not, _) => (Inverse::Complement, a),
            (Op::Ctz, _) => (Inverse::Power, a),
            (Op::Add, true) => (Inverse::Subtract(number(b)?), a),
            (Op::Add, false) => (Inverse::Subtract(number(a)?), b),
            (Op::Sub, true) => (Inverse::Add(number(b)?), a),
            (Op::Sub, false) => (Inverse::SubtractFrom(number(a)?), b),
            (Op::Xor, true) => (Inverse::Xor(number(b)?), a),
            (Op::Xor, false) => (Inverse::Xor(number(a)?), b),
            (Op::Shl, false) if terms.literal_value(a) == Some(&BigInt::from(1)) => {
                (Inverse::Logarithm, b)
            }
            _ => return None,
        };
        steps.push((step, width));
        term = next;
    }
}

/// The outcome of a term without variables; `None` if it has one.
pub(super) fn closed(
    terms: &Terms,
    term: TermId,
    w: u16,
    semantics: &Semantics,
) -> Option<Outcome> {
    if present(terms, term) != 0 {
        return None;
    }
    Tape::new(terms, &[term], w, semantics).ok()?.run(&[]).pop()
}
