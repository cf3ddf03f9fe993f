//! The semantics of surface terms: lowers a term to core terms for its value and for the conditions
//! under which it traps or is undefined. No other file interprets a `Semantics` for proofs.
//!
//! Operands are evaluated from left to right, the first trap is the observable one, and `Ite`
//! evaluates only the branch that it takes.

use std::collections::HashMap;

use num_bigint::BigInt;

use super::extent::Extent;
use super::op::Op;
use super::semantics::{Overflow, OversizedShift, Semantics, Trap, ZeroDivision};
use super::term::{TermId, Terms};

/// A term that core terms cannot express.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("core terms cannot express the {0} of a term")]
pub struct Inexpressible(pub(super) &'static str);

/// The outcome of evaluating a term. At most one of the flags is set.
#[derive(Clone, Copy, Debug)]
pub struct Outcome {
    pub value: TermId,
    /// In the order of [`Trap::ALL`].
    pub traps: [TermId; 3],
    pub undefined: TermId,
}

/// Lowers surface terms of `from` into core terms of `to`.
#[derive(Debug)]
pub struct Meaning<'a> {
    pub from: &'a Terms,
    pub to: &'a mut Terms,
    semantics: &'a Semantics,
    /// A lower bound of all widths `w` in question. It determines the signs of literals.
    least: u16,
    known: HashMap<TermId, Outcome>,
    /// Assumed facts about words of `to`: less than their own width, and nonzero.
    amounts: Vec<TermId>,
    nonzero: Vec<TermId>,
}

impl<'a> Meaning<'a> {
    pub fn new(from: &'a Terms, to: &'a mut Terms, semantics: &'a Semantics, least: u16) -> Self {
        Self {
            from,
            to,
            semantics,
            least,
            known: HashMap::new(),
            amounts: Vec::new(),
            nonzero: Vec::new(),
        }
    }

    /// Assumes a flag of `to`. Everything lowered afterwards is valid only where the flag is set.
    pub fn given(&mut self, flag: TermId) {
        let node = self.to.node(flag);
        let args = node.args();
        match node.op {
            // An `And` that is one bit wide is a conjunction of flags.
            Op::And if node.width == Extent::BIT => {
                self.given(args[0]);
                self.given(args[1]);
            }
            Op::Below if self.to.op(args[1]) == Op::Bits(self.to.width(args[0])) => {
                self.amounts.push(args[0]);
            }
            Op::Power => {
                self.nonzero.push(args[0]);
                let log = self.to.apply(Op::Ctz, &[args[0]]);
                self.amounts.push(log);
            }
            Op::Not if self.to.op(args[0]) == Op::Same => {
                let [a, b] = [self.to.args(args[0])[0], self.to.args(args[0])[1]];
                if self.is_zero(b) {
                    self.nonzero.push(a);
                }
            }
            _ => {}
        }
    }

    pub fn of(&mut self, root: TermId) -> Result<Outcome, Inexpressible> {
        for term in self.from.in_order(&[root]) {
            if !self.known.contains_key(&term) {
                let outcome = self.lower(term)?;
                self.known.insert(term, outcome);
            }
        }
        Ok(self.known[&root])
    }

    fn lower(&mut self, term: TermId) -> Result<Outcome, Inexpressible> {
        let node = self.from.node(term);
        let width = node.width;
        let args: Vec<Outcome> = node.args().iter().map(|arg| self.known[arg]).collect();
        let values: Vec<TermId> = args.iter().map(|arg| arg.value).collect();
        if node.op == Op::Ite {
            return Ok(self.choice(&args));
        }
        // The effects of the operands come first, from left to right.
        let no = self.to.falsehood();
        let mut outcome = Outcome { value: no, traps: [no; 3], undefined: no };
        for arg in &args {
            self.then(&mut outcome, arg.traps, arg.undefined);
        }
        let mut effects = Effects { traps: [no; 3], undefined: no };
        outcome.value = self.result(node.op, width, &values, &mut effects)?;
        self.then(&mut outcome, effects.traps, effects.undefined);
        Ok(outcome)
    }

    /// Adds effects that occur only if `before` did not stop.
    fn then(&mut self, before: &mut Outcome, traps: [TermId; 3], undefined: TermId) {
        let no = self.to.falsehood();
        if traps == [no; 3] && undefined == no {
            return;
        }
        let stopped =
            self.to.any(&[before.traps[0], before.traps[1], before.traps[2], before.undefined]);
        let going = self.to.negation(stopped);
        for (slot, trap) in before.traps.iter_mut().zip(traps) {
            let now = self.to.both(going, trap);
            *slot = self.to.either(*slot, now);
        }
        let now = self.to.both(going, undefined);
        before.undefined = self.to.either(before.undefined, now);
    }

    fn choice(&mut self, args: &[Outcome]) -> Outcome {
        let [condition, yes, no] = [args[0], args[1], args[2]];
        let taken = self.nonzero(condition.value);
        let mut outcome = condition;
        let pick =
            |to: &mut Terms, a: TermId, b: TermId| if a == b { a } else { to.choose(taken, a, b) };
        outcome.value = pick(self.to, yes.value, no.value);
        let mut traps = yes.traps;
        for (slot, other) in traps.iter_mut().zip(no.traps) {
            *slot = pick(self.to, *slot, other);
        }
        let undefined = pick(self.to, yes.undefined, no.undefined);
        self.then(&mut outcome, traps, undefined);
        outcome
    }

    fn result(
        &mut self,
        op: Op,
        width: Extent,
        v: &[TermId],
        effects: &mut Effects,
    ) -> Result<TermId, Inexpressible> {
        let zero = self.to.literal(0, width);
        Ok(match op {
            Op::Variable(index) => self.to.variable(index, width),
            Op::Literal(index) => self.to.literal(self.from.integer(index).clone(), width),
            Op::Bits(_) => self.to.apply_at(op, &[], width),
            Op::Not
            | Op::And
            | Op::Or
            | Op::Xor
            | Op::Zext
            | Op::Sext
            | Op::Extract(_)
            | Op::Concat => self.to.apply_at(op, v, width),
            Op::Clz | Op::Ctz | Op::Popcount | Op::Bswap => self.to.apply_at(op, v, width),
            Op::Neg => self.arithmetic(Op::Sub, width, zero, v[0], effects),
            Op::Add | Op::Sub | Op::Mul => self.arithmetic(op, width, v[0], v[1], effects),
            Op::Exp => self.power(width, v[0], v[1], effects)?,
            Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem | Op::Fdiv | Op::Fmod => {
                self.division(op, v[0], v[1], effects)
            }
            Op::Shl | Op::Lshr | Op::Ashr => self.shift(op, width, v[0], v[1], effects)?,
            Op::Rotl | Op::Rotr => self.rotation(op, width, v[0], v[1]),
            Op::Eq => self.word(Op::Same, v[0], v[1], false, width),
            Op::Ne => self.word(Op::Same, v[0], v[1], true, width),
            Op::Ult => self.word(Op::Below, v[0], v[1], false, width),
            Op::Ugt => self.word(Op::Below, v[1], v[0], false, width),
            Op::Ule => self.word(Op::Below, v[1], v[0], true, width),
            Op::Uge => self.word(Op::Below, v[0], v[1], true, width),
            Op::Slt => self.word(Op::SignedBelow, v[0], v[1], false, width),
            Op::Sgt => self.word(Op::SignedBelow, v[1], v[0], false, width),
            Op::Sle => self.word(Op::SignedBelow, v[1], v[0], true, width),
            Op::Sge => self.word(Op::SignedBelow, v[0], v[1], true, width),
            Op::Umin | Op::Umax | Op::Smin | Op::Smax => {
                let flag =
                    if matches!(op, Op::Umin | Op::Umax) { Op::Below } else { Op::SignedBelow };
                let less = self.to.apply(flag, &[v[0], v[1]]);
                let (yes, no) =
                    if matches!(op, Op::Umin | Op::Smin) { (v[0], v[1]) } else { (v[1], v[0]) };
                self.to.choose(less, yes, no)
            }
            Op::Byte => self.byte(width, v[0], v[1])?,
            Op::Addmod | Op::Mulmod => self.modular(op, width, v, effects)?,
            Op::IsPower => {
                let power = self.to.apply(Op::Power, &[v[0]]);
                self.to.apply_at(Op::Zext, &[power], width)
            }
            Op::Ite
            | Op::Same
            | Op::Below
            | Op::SignedBelow
            | Op::Power
            | Op::MulOverflows
            | Op::SignedMulOverflows => {
                return Err(Inexpressible("core operator"));
            }
        })
    }

    fn word(&mut self, flag: Op, a: TermId, b: TermId, negated: bool, width: Extent) -> TermId {
        let mut holds = self.to.apply(flag, &[a, b]);
        if negated {
            holds = self.to.negation(holds);
        }
        self.to.apply_at(Op::Zext, &[holds], width)
    }

    fn arithmetic(
        &mut self,
        op: Op,
        width: Extent,
        a: TermId,
        b: TermId,
        effects: &mut Effects,
    ) -> TermId {
        let wrapped = if op == Op::Sub && self.is_zero(a) {
            self.to.apply(Op::Neg, &[b])
        } else {
            self.to.apply(op, &[a, b])
        };
        if self.semantics.overflow == Overflow::Wraps {
            return wrapped;
        }
        let to = &mut *self.to;
        let zero = to.literal(0, width);
        let overflows = match (op, self.semantics.signed) {
            (Op::Add, false) => to.apply(Op::Below, &[wrapped, a]),
            (Op::Sub, false) => to.apply(Op::Below, &[a, b]),
            (Op::Mul, false) => to.apply(Op::MulOverflows, &[a, b]),
            (Op::Mul, true) => to.apply(Op::SignedMulOverflows, &[a, b]),
            // A sum overflows if its sign differs from that of both operands; a difference, if the
            // minuend's sign differs from the signs of both the difference and the subtrahend.
            (Op::Add, true) => {
                let (x, y) = (to.apply(Op::Xor, &[wrapped, a]), to.apply(Op::Xor, &[wrapped, b]));
                let signs = to.apply(Op::And, &[x, y]);
                to.apply(Op::SignedBelow, &[signs, zero])
            }
            _ => {
                let (x, y) = (to.apply(Op::Xor, &[wrapped, a]), to.apply(Op::Xor, &[a, b]));
                let signs = to.apply(Op::And, &[x, y]);
                to.apply(Op::SignedBelow, &[signs, zero])
            }
        };
        // The bound of a saturating result. Unsigned: 0 for a difference, else all ones. Signed: by
        // the sign of the exact result, which for a product is that of the operands' xor, and
        // otherwise opposite to that of the wrapped result.
        let bound = match (op, self.semantics.signed) {
            (Op::Sub, false) => zero,
            (_, false) => to.literal(-1, width),
            (Op::Mul, true) => {
                let signs = to.apply(Op::Xor, &[a, b]);
                let negative = to.apply(Op::SignedBelow, &[signs, zero]);
                to.extreme(negative, width)
            }
            (_, true) => {
                let negative = to.apply(Op::SignedBelow, &[wrapped, zero]);
                let positive = to.negation(negative);
                to.extreme(positive, width)
            }
        };
        self.overflow(self.semantics.overflow, wrapped, overflows, bound, effects)
    }

    fn overflow(
        &mut self,
        rule: Overflow,
        value: TermId,
        when: TermId,
        bound: TermId,
        effects: &mut Effects,
    ) -> TermId {
        match rule {
            Overflow::Wraps => value,
            Overflow::Saturates => self.to.choose(when, bound, value),
            Overflow::Traps(trap) => {
                effects.trap(self.to, trap, when);
                value
            }
            Overflow::Undefined => {
                effects.undefined = self.to.either(effects.undefined, when);
                value
            }
        }
    }

    /// Overflow is expressible only for literal exponents, by repeated multiplication.
    fn power(
        &mut self,
        width: Extent,
        base: TermId,
        exponent: TermId,
        effects: &mut Effects,
    ) -> Result<TermId, Inexpressible> {
        if self.semantics.overflow == Overflow::Wraps {
            return Ok(self.to.apply(Op::Exp, &[base, exponent]));
        }
        // At a width that the literal does not fit, it would denote another exponent.
        let bound = BigInt::from(1) << self.narrowest(self.to.width(exponent));
        let times = self
            .to
            .literal_value(exponent)
            .filter(|&n| *n < bound)
            .and_then(|n| u32::try_from(n).ok())
            .filter(|&n| n <= 64);
        let Some(times) = times else { return Err(Inexpressible("overflow of a power")) };
        if times == 0 {
            return Ok(self.to.literal(1, width));
        }
        let mut product = base;
        for _ in 1..times {
            product = self.arithmetic(Op::Mul, width, product, base, effects);
        }
        Ok(product)
    }

    fn division(&mut self, op: Op, a: TermId, b: TermId, effects: &mut Effects) -> TermId {
        let width = self.to.width(a);
        let quotient = matches!(op, Op::Udiv | Op::Sdiv | Op::Fdiv);
        let value = match op {
            Op::Udiv | Op::Urem => self.to.apply(op, &[a, b]),
            _ => self.signed_division(op, a, b),
        };
        let value = self.divided(value, b, effects);
        let rule = if quotient {
            self.semantics.quotient_overflow
        } else {
            self.semantics.remainder_overflow
        };
        if matches!(op, Op::Udiv | Op::Urem) || rule == Overflow::Wraps {
            return value;
        }
        let (least, ones) = (self.to.least(width), self.to.literal(-1, width));
        let lowest = self.to.apply(Op::Same, &[a, least]);
        let by_minus_one = match self.sign(b) {
            Some(false) => self.to.falsehood(),
            _ => self.to.apply(Op::Same, &[b, ones]),
        };
        let overflows = self.to.both(lowest, by_minus_one);
        let bound = self.to.apply(Op::Not, &[least]);
        self.overflow(rule, value, overflows, bound, effects)
    }

    /// Divides the magnitudes, then restores the signs.
    fn signed_division(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let zero = self.to.literal(0, self.to.width(a));
        let (a_negative, b_negative) = (self.negative(a), self.negative(b));
        let (x, y) = (self.magnitude(a, a_negative), self.magnitude(b, b_negative));
        let to = &mut *self.to;
        let (q, r) = (to.apply(Op::Udiv, &[x, y]), to.apply(Op::Urem, &[x, y]));
        let (minus_q, minus_r) = (to.apply(Op::Neg, &[q]), to.apply(Op::Neg, &[r]));
        let signs_differ = to.exclusive(a_negative, b_negative);
        let quotient = to.choose(signs_differ, minus_q, q);
        let remainder = to.choose(a_negative, minus_r, r);
        match op {
            Op::Sdiv => quotient,
            Op::Srem => remainder,
            _ => {
                let exact = to.apply(Op::Same, &[r, zero]);
                let inexact = to.negation(exact);
                let below = to.both(inexact, signs_differ);
                let one = to.literal(1, to.width(a));
                let (lower, shifted) =
                    (to.apply(Op::Sub, &[quotient, one]), to.apply(Op::Add, &[remainder, b]));
                if op == Op::Fdiv {
                    to.choose(below, lower, quotient)
                } else {
                    to.choose(below, shifted, remainder)
                }
            }
        }
    }

    fn shift(
        &mut self,
        op: Op,
        width: Extent,
        x: TermId,
        amount: TermId,
        effects: &mut Effects,
    ) -> Result<TermId, Inexpressible> {
        let bits = self.to.apply_at(Op::Bits(width), &[], width);
        let fits = match self.to.literal_value(amount) {
            _ if self.amounts.contains(&amount) => self.to.truth(),
            Some(n) if *n >= BigInt::ZERO && *n < BigInt::from(self.narrowest(width)) => {
                self.to.truth()
            }
            _ => self.to.apply(Op::Below, &[amount, bits]),
        };
        let oversized = self.to.negation(fits);
        let mut effective = amount;
        match self.semantics.oversized_shift {
            OversizedShift::Fills => {}
            OversizedShift::Masks if fits != self.to.truth() => {
                effective = self.to.apply(Op::Urem, &[amount, bits]);
            }
            OversizedShift::Masks => {}
            OversizedShift::Traps(trap) => effects.trap(self.to, trap, oversized),
            OversizedShift::FillsBelow(limit, trap) => {
                // The limit may not fit at the least width; then the comparison is widened.
                let (mut wide, mut within) = (amount, width);
                if BigInt::from(limit) >= BigInt::from(1) << self.narrowest(width) {
                    let room = width.plus(Extent::fixed(16)).ok_or(Inexpressible("width"))?;
                    (wide, within) = (self.to.apply_at(Op::Zext, &[amount], room), room);
                }
                let limit = self.to.literal(limit, within);
                let below = self.to.apply(Op::Below, &[wide, limit]);
                let beyond = self.to.negation(below);
                effects.trap(self.to, trap, beyond);
            }
            OversizedShift::Undefined => {
                effects.undefined = self.to.either(effects.undefined, oversized);
            }
        }
        let shifted = self.to.apply(op, &[x, effective]);
        if op != Op::Shl || self.semantics.shift_overflow == Overflow::Wraps {
            return Ok(shifted);
        }
        // No bits are lost if shifting back restores the operand.
        let back = self
            .to
            .apply(if self.semantics.signed { Op::Ashr } else { Op::Lshr }, &[shifted, effective]);
        let kept = self.to.apply(Op::Same, &[back, x]);
        let lost = self.to.negation(kept);
        let earlier =
            self.to.any(&[effects.traps[0], effects.traps[1], effects.traps[2], effects.undefined]);
        let going = self.to.negation(earlier);
        let lost = self.to.both(going, lost);
        let bound = self.to.literal(-1, width);
        Ok(self.overflow(self.semantics.shift_overflow, shifted, lost, bound, effects))
    }

    fn rotation(&mut self, op: Op, width: Extent, x: TermId, amount: TermId) -> TermId {
        let to = &mut *self.to;
        let bits = to.apply_at(Op::Bits(width), &[], width);
        let there = to.apply(Op::Urem, &[amount, bits]);
        let back = to.apply(Op::Sub, &[bits, there]);
        let (left, right) = if op == Op::Rotl { (there, back) } else { (back, there) };
        let (high, low) = (to.apply(Op::Shl, &[x, left]), to.apply(Op::Lshr, &[x, right]));
        to.apply(Op::Or, &[high, low])
    }

    fn byte(&mut self, width: Extent, index: TermId, x: TermId) -> Result<TermId, Inexpressible> {
        if width.plus % 8 != 0 {
            return Err(Inexpressible("number of bytes"));
        }
        let to = &mut *self.to;
        let bytes = Extent { times: width.times, over: width.over * 8, plus: width.plus / 8 };
        let bytes = to.apply_at(Op::Bits(bytes.reduced()), &[], width);
        let top = Extent { plus: width.plus - 8, ..width };
        let top = to.apply_at(Op::Bits(top), &[], width);
        let (three, mask, zero) =
            (to.literal(3, width), to.literal(255, width), to.literal(0, width));
        let distance = to.apply(Op::Shl, &[index, three]);
        let amount = to.apply(Op::Sub, &[top, distance]);
        let moved = to.apply(Op::Lshr, &[x, amount]);
        let byte = to.apply(Op::And, &[moved, mask]);
        let inside = to.apply(Op::Below, &[index, bytes]);
        Ok(to.choose(inside, byte, zero))
    }

    fn modular(
        &mut self,
        op: Op,
        width: Extent,
        v: &[TermId],
        effects: &mut Effects,
    ) -> Result<TermId, Inexpressible> {
        let wider = if op == Op::Addmod { Extent::fixed(1) } else { width };
        let Some(wider) = width.plus(wider) else { return Err(Inexpressible("width")) };
        let to = &mut *self.to;
        let wide: Vec<TermId> = v.iter().map(|&x| to.apply_at(Op::Zext, &[x], wider)).collect();
        let exact = to.apply(if op == Op::Addmod { Op::Add } else { Op::Mul }, &wide[..2]);
        let rest = to.apply(Op::Urem, &[exact, wide[2]]);
        let rest = to.apply_at(Op::Extract(Extent::fixed(0)), &[rest], width);
        Ok(self.divided(rest, v[2], effects))
    }

    /// Applies the rule for division by zero. `value` is the result in the total semantics.
    fn divided(&mut self, value: TermId, divisor: TermId, effects: &mut Effects) -> TermId {
        let by_zero = self.zero(divisor);
        match self.semantics.zero_division {
            ZeroDivision::SmtLib => value,
            ZeroDivision::Zero => {
                let zero = self.to.literal(0, self.to.width(value));
                self.to.choose(by_zero, zero, value)
            }
            ZeroDivision::Traps(trap) => {
                effects.trap(self.to, trap, by_zero);
                value
            }
            ZeroDivision::Undefined => {
                effects.undefined = self.to.either(effects.undefined, by_zero);
                value
            }
        }
    }

    /// The least number of bits of an extent.
    fn narrowest(&self, width: Extent) -> u16 {
        width.at(self.least).or(width.as_fixed()).unwrap_or(0)
    }

    fn is_zero(&self, term: TermId) -> bool {
        self.to.literal_value(term).is_some_and(|n| *n == BigInt::ZERO)
    }

    /// Whether a literal is negative, if that is the same at every width in question.
    fn sign(&self, term: TermId) -> Option<bool> {
        let n = self.to.literal_value(term)?;
        let half = BigInt::from(1) << self.narrowest(self.to.width(term)).checked_sub(1)?;
        if *n >= BigInt::ZERO && *n < half {
            return Some(false);
        }
        let fixed = self.to.width(term).as_fixed().is_some();
        (fixed || (*n < BigInt::ZERO && -n <= half)).then_some(true)
    }

    fn negative(&mut self, term: TermId) -> TermId {
        match self.sign(term) {
            Some(true) => self.to.truth(),
            Some(false) => self.to.falsehood(),
            None => {
                let zero = self.to.literal(0, self.to.width(term));
                self.to.apply(Op::SignedBelow, &[term, zero])
            }
        }
    }

    fn magnitude(&mut self, term: TermId, negative: TermId) -> TermId {
        if let (Some(n), Some(true), None) =
            (self.to.literal_value(term), self.sign(term), self.to.width(term).as_fixed())
        {
            return self.to.literal(-n, self.to.width(term));
        }
        let minus = self.to.apply(Op::Neg, &[term]);
        self.to.choose(negative, minus, term)
    }

    fn zero(&mut self, term: TermId) -> TermId {
        if self.nonzero.contains(&term) {
            return self.to.falsehood();
        }
        if let Some(n) = self.to.literal_value(term) {
            let bound = BigInt::from(1) << self.narrowest(self.to.width(term));
            if *n == BigInt::ZERO {
                return self.to.truth();
            } else if *n < bound && -n < bound {
                return self.to.falsehood();
            }
        }
        let zero = self.to.literal(0, self.to.width(term));
        self.to.apply(Op::Same, &[term, zero])
    }

    /// The flag that a word is nonzero. A zero-extended flag yields the flag itself.
    pub fn nonzero(&mut self, word: TermId) -> TermId {
        let node = self.to.node(word);
        if node.op == Op::Zext && self.to.width(node.args[0]) == Extent::BIT {
            return node.args[0];
        }
        let zero = self.zero(word);
        self.to.negation(zero)
    }
}

/// The effects of the operator itself, besides its value.
#[derive(Debug)]
struct Effects {
    traps: [TermId; 3],
    undefined: TermId,
}

impl Effects {
    fn trap(&mut self, to: &mut Terms, trap: Trap, when: TermId) {
        let slot = &mut self.traps[trap as usize];
        *slot = to.either(*slot, when);
    }
}
