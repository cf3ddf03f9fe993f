//! Idioms: patterns of terms for which languages have one operator or built-in, such as a saturating sum or a three-way
//! comparison. The generator draws the pattern, so that the evaluator and the rules can handle it; a printer recognises it
//! and writes the built-in. A rule that rewrites a part of the pattern makes a mutant without the built-in.
//!
//! Each language has a table of the idioms of its styles, and the built-ins.

use std::cell::RefCell;
use std::collections::HashMap;

use num_bigint::BigInt;

use super::program::{fixed, width};
use identity::kernel::{Op, TermId, Terms};

/// A pattern of terms with an operator or built-in of its own.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Idiom {
    /// −1, 0 or 1: how a number compares with zero.
    Sign,
    /// −1, 0 or 1: how two numbers compare.
    ThreeWay,
    UnsignedThreeWay,
    Abs,
    /// The absolute difference of two numbers.
    AbsDiff,
    SignedAbsDiff,
    SaturatingAdd,
    SaturatingSub,
    SaturatingMul,
    SaturatingShl,
    SignedSaturatingAdd,
    SignedSaturatingSub,
    /// 1 if the result overflows.
    AddOverflows,
    SubOverflows,
    MulOverflows,
    ShlOverflows,
    SignedAddOverflows,
    SignedSubOverflows,
    SignedMulOverflows,
    ReverseBits,
    CountZeros,
    LeadingOnes,
    TrailingOnes,
    Parity,
    /// One more than the position of the lowest set bit; 0 for 0.
    FirstSet,
    /// How many bits below the sign bit equal it.
    RedundantSigns,
    /// The binary logarithm, rounded down; 0 for 0.
    Log2,
    /// The remainder that is never negative, and the quotient that belongs to it.
    EuclideanRemainder,
    EuclideanQuotient,
    /// An unsigned quotient that is rounded up.
    DivCeil,
    /// 1 or 0, with short-circuit evaluation.
    LogicalAnd,
    LogicalOr,
    LogicalNot,
    /// The low bits, sign-extended to the same width.
    SignExtend8,
    SignExtend16,
    SignExtend32,
}

/// An idiom in a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Found {
    pub idiom: Idiom,
    pub args: Vec<TermId>,
    pub width: u16,
}

/// The masks of the halves that are swapped to reverse the bits of each byte.
const BYTE_HALVES: [(u16, u8); 3] = [(1, 0x55), (2, 0x33), (4, 0x0f)];

impl Idiom {
    pub(super) fn arity(self) -> usize {
        match self {
            Self::Sign | Self::Abs | Self::ReverseBits | Self::CountZeros | Self::LeadingOnes => 1,
            Self::TrailingOnes | Self::Parity | Self::FirstSet | Self::RedundantSigns => 1,
            Self::Log2 | Self::LogicalNot => 1,
            Self::SignExtend8 | Self::SignExtend16 | Self::SignExtend32 => 1,
            _ => 2,
        }
    }

    /// Whether the second operand is the amount of a shift.
    pub(super) fn shifts(self) -> bool {
        matches!(self, Self::SaturatingShl | Self::ShlOverflows)
    }

    /// The pattern applied to operands of a width; nothing at a width without one.
    pub(super) fn build(self, terms: &mut Terms, args: &[TermId], width: u16) -> Option<TermId> {
        let mut on = Builder { terms, width };
        let (a, b) = (args[0], args.get(1).copied().unwrap_or(args[0]));
        Some(match self {
            Self::Sign => {
                let zero = on.number(0);
                on.compared(Op::Slt, Op::Sgt, a, zero)
            }
            Self::ThreeWay => on.compared(Op::Slt, Op::Sgt, a, b),
            Self::UnsignedThreeWay => on.compared(Op::Ult, Op::Ugt, a, b),
            Self::Abs => {
                let zero = on.number(0);
                let (below, minus) = (on.two(Op::Slt, a, zero), on.one(Op::Neg, a));
                on.choose(below, minus, a)
            }
            Self::AbsDiff => on.distance(Op::Ult, a, b),
            Self::SignedAbsDiff => on.distance(Op::Slt, a, b),
            Self::SaturatingAdd => {
                let (sum, ones) = (on.two(Op::Add, a, b), on.number(-1));
                let carries = on.two(Op::Ult, sum, a);
                on.choose(carries, ones, sum)
            }
            Self::SaturatingSub => {
                let (below, zero) = (on.two(Op::Ult, a, b), on.number(0));
                let difference = on.two(Op::Sub, a, b);
                on.choose(below, zero, difference)
            }
            Self::SaturatingMul => {
                let (product, ones) = (on.two(Op::Mul, a, b), on.number(-1));
                let carries = on.product_carries(a, b);
                on.choose(carries, ones, product)
            }
            Self::SaturatingShl => {
                let (moved, ones) = (on.two(Op::Shl, a, b), on.number(-1));
                let loses = on.shift_loses(a, b);
                on.choose(loses, ones, moved)
            }
            Self::SignedSaturatingAdd => on.saturated(Op::Add, a, b),
            Self::SignedSaturatingSub => on.saturated(Op::Sub, a, b),
            Self::AddOverflows => {
                let sum = on.two(Op::Add, a, b);
                on.two(Op::Ult, sum, a)
            }
            Self::SubOverflows => {
                let difference = on.two(Op::Sub, a, b);
                on.two(Op::Ugt, difference, a)
            }
            Self::MulOverflows => on.product_carries(a, b),
            Self::ShlOverflows => on.shift_loses(a, b),
            Self::SignedAddOverflows => on.overflows(Op::Add, a, b),
            Self::SignedSubOverflows => on.overflows(Op::Sub, a, b),
            Self::SignedMulOverflows => on.signed_product_overflows(a, b),
            Self::ReverseBits => on.reversed(a)?,
            Self::CountZeros => {
                let not = on.one(Op::Not, a);
                on.one(Op::Popcount, not)
            }
            Self::LeadingOnes => {
                let not = on.one(Op::Not, a);
                on.one(Op::Clz, not)
            }
            Self::TrailingOnes => {
                let not = on.one(Op::Not, a);
                on.one(Op::Ctz, not)
            }
            Self::Parity => {
                let (count, one) = (on.one(Op::Popcount, a), on.number(1));
                on.two(Op::And, count, one)
            }
            Self::FirstSet => {
                let (count, one, zero) = (on.one(Op::Ctz, a), on.number(1), on.number(0));
                let next = on.two(Op::Add, count, one);
                on.choose(a, next, zero)
            }
            Self::RedundantSigns => {
                let (last, one) = (on.number(i32::from(width) - 1), on.number(1));
                let signs = on.two(Op::Ashr, a, last);
                let others = on.two(Op::Xor, a, signs);
                let count = on.one(Op::Clz, others);
                on.two(Op::Sub, count, one)
            }
            Self::Log2 => {
                let (last, one) = (on.number(i32::from(width) - 1), on.number(1));
                let word = on.two(Op::Or, a, one);
                let count = on.one(Op::Clz, word);
                on.two(Op::Sub, last, count)
            }
            Self::EuclideanRemainder => {
                let (rest, zero) = (on.two(Op::Srem, a, b), on.number(0));
                let (below, turned) = (on.two(Op::Slt, rest, zero), on.two(Op::Slt, b, zero));
                let minus = on.one(Op::Neg, b);
                let size = on.choose(turned, minus, b);
                let more = on.two(Op::Add, rest, size);
                on.choose(below, more, rest)
            }
            Self::EuclideanQuotient => {
                let (whole, rest) = (on.two(Op::Sdiv, a, b), on.two(Op::Srem, a, b));
                let (zero, one) = (on.number(0), on.number(1));
                let (below, above) = (on.two(Op::Slt, rest, zero), on.two(Op::Sgt, b, zero));
                let (less, more) = (on.two(Op::Sub, whole, one), on.two(Op::Add, whole, one));
                let moved = on.choose(above, less, more);
                on.choose(below, moved, whole)
            }
            Self::DivCeil => {
                let (whole, rest) = (on.two(Op::Udiv, a, b), on.two(Op::Urem, a, b));
                let (zero, one) = (on.number(0), on.number(1));
                let inexact = on.two(Op::Ne, rest, zero);
                let more = on.two(Op::Add, whole, one);
                on.choose(inexact, more, whole)
            }
            Self::LogicalAnd => {
                let zero = on.number(0);
                let second = on.two(Op::Ne, b, zero);
                on.choose(a, second, zero)
            }
            Self::LogicalOr => {
                let (zero, one) = (on.number(0), on.number(1));
                let second = on.two(Op::Ne, b, zero);
                on.choose(a, one, second)
            }
            Self::LogicalNot => {
                let zero = on.number(0);
                let truth = on.two(Op::Ne, a, zero);
                on.two(Op::Eq, truth, zero)
            }
            Self::SignExtend8 => on.extended(a, 8)?,
            Self::SignExtend16 => on.extended(a, 16)?,
            Self::SignExtend32 => on.extended(a, 32)?,
        })
    }

    /// The operands, if a term matches this idiom.
    pub(super) fn operands(self, terms: &Terms, term: TermId) -> Option<Vec<TermId>> {
        let width = width(terms, term);
        PATTERNS.with_borrow_mut(|patterns| {
            let pattern = patterns.entry((self, width)).or_insert_with(|| {
                let mut terms = Terms::new();
                let args: Vec<TermId> =
                    (0..self.arity()).map(|n| terms.variable(n as u16, fixed(width))).collect();
                self.build(&mut terms, &args, width).map(|root| (terms, root))
            });
            let (pattern, root) = pattern.as_ref()?;
            let mut bound = vec![None; self.arity()];
            matches(pattern, *root, terms, term, &mut bound).then_some(())?;
            bound.into_iter().collect()
        })
    }
}

/// An arena, and the root in it.
type Pattern = (Terms, TermId);

thread_local! {
    /// The patterns that were needed so far, on variables.
    static PATTERNS: RefCell<HashMap<(Idiom, u16), Option<Pattern>>> = RefCell::default();
}

fn matches(
    pattern: &Terms,
    part: TermId,
    terms: &Terms,
    term: TermId,
    bound: &mut [Option<TermId>],
) -> bool {
    let (wanted, node) = (pattern.node(part), terms.node(term));
    if wanted.width != node.width {
        return false;
    }
    match wanted.op {
        Op::Variable(n) => *bound[usize::from(n)].get_or_insert(term) == term,
        Op::Literal(_) => pattern.literal_value(part) == terms.literal_value(term),
        op => {
            let mut pairs = wanted.args().iter().zip(node.args());
            op == node.op && pairs.all(|(&part, &term)| matches(pattern, part, terms, term, bound))
        }
    }
}

struct Builder<'a> {
    terms: &'a mut Terms,
    width: u16,
}

impl Builder<'_> {
    fn number(&mut self, value: impl Into<BigInt>) -> TermId {
        self.terms.literal(value, fixed(self.width))
    }

    fn one(&mut self, op: Op, a: TermId) -> TermId {
        self.terms.apply_at(op, &[a], fixed(self.width))
    }

    fn two(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        self.terms.apply_at(op, &[a, b], fixed(self.width))
    }

    fn choose(&mut self, condition: TermId, yes: TermId, no: TermId) -> TermId {
        self.terms.apply_at(Op::Ite, &[condition, yes, no], fixed(self.width))
    }

    fn compared(&mut self, below: Op, above: Op, a: TermId, b: TermId) -> TermId {
        let (below, above) = (self.two(below, a, b), self.two(above, a, b));
        let ones = self.number(-1);
        self.choose(below, ones, above)
    }

    fn distance(&mut self, below: Op, a: TermId, b: TermId) -> TermId {
        let below = self.two(below, a, b);
        let (up, down) = (self.two(Op::Sub, b, a), self.two(Op::Sub, a, b));
        self.choose(below, up, down)
    }

    /// The product divided by one factor is not the other one. If that factor is zero, the answer is the product, and not
    /// a literal: a built-in evaluates both factors, so the pattern has to do so on every path.
    fn product_carries(&mut self, a: TermId, b: TermId) -> TermId {
        let (product, zero) = (self.two(Op::Mul, a, b), self.number(0));
        let (nothing, back) = (self.two(Op::Eq, b, zero), self.two(Op::Udiv, product, b));
        let differs = self.two(Op::Ne, back, a);
        self.choose(nothing, product, differs)
    }

    fn signed_product_overflows(&mut self, a: TermId, b: TermId) -> TermId {
        let (product, zero, ones) = (self.two(Op::Mul, a, b), self.number(0), self.number(-1));
        let least = self.number(BigInt::from(1) << (self.width - 1));
        let (nothing, minus) = (self.two(Op::Eq, b, zero), self.two(Op::Eq, b, ones));
        let (extreme, back) = (self.two(Op::Eq, a, least), self.two(Op::Sdiv, product, b));
        let differs = self.two(Op::Ne, back, a);
        let other = self.choose(minus, extreme, differs);
        self.choose(nothing, product, other)
    }

    fn shift_loses(&mut self, a: TermId, amount: TermId) -> TermId {
        let moved = self.two(Op::Shl, a, amount);
        let back = self.two(Op::Lshr, moved, amount);
        self.two(Op::Ne, back, a)
    }

    /// A sum overflows if its sign differs from those of both operands; a difference if its sign differs from that of the
    /// first operand, and the signs of the operands differ.
    fn overflows(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let (result, zero) = (self.two(op, a, b), self.number(0));
        let first = self.two(Op::Xor, a, result);
        let second = self.two(Op::Xor, b, if op == Op::Add { result } else { a });
        let both = self.two(Op::And, first, second);
        self.two(Op::Slt, both, zero)
    }

    fn saturated(&mut self, op: Op, a: TermId, b: TermId) -> TermId {
        let (result, overflows) = (self.two(op, a, b), self.overflows(op, a, b));
        let last = self.number(i32::from(self.width) - 1);
        let most = self.number((BigInt::from(1) << (self.width - 1)) - 1);
        let sign = self.two(Op::Ashr, a, last);
        let end = self.two(Op::Xor, sign, most);
        self.choose(overflows, end, result)
    }

    /// The bits of each byte, and then the bytes.
    fn reversed(&mut self, a: TermId) -> Option<TermId> {
        if !self.width.is_multiple_of(8) {
            return None;
        }
        let mut word = a;
        for (by, byte) in BYTE_HALVES {
            let mask = BigInt::from_bytes_be(
                num_bigint::Sign::Plus,
                &vec![byte; usize::from(self.width / 8)],
            );
            let (amount, mask) = (self.number(by), self.number(mask));
            let down = self.two(Op::Lshr, word, amount);
            let high = self.two(Op::And, down, mask);
            let kept = self.two(Op::And, word, mask);
            let low = self.two(Op::Shl, kept, amount);
            word = self.two(Op::Or, high, low);
        }
        Some(self.one(Op::Bswap, word))
    }

    fn extended(&mut self, a: TermId, from: u16) -> Option<TermId> {
        let amount = self.width.checked_sub(from).filter(|&by| by > 0)?;
        let amount = self.number(amount);
        let up = self.two(Op::Shl, a, amount);
        Some(self.two(Op::Ashr, up, amount))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use identity::evaluate::{Outcome, Tape};
    use identity::kernel::{Semantics, WORDS};

    /// What an idiom comes to on words of eight bits.
    fn value(idiom: Idiom, args: &[u8]) -> u8 {
        let mut terms = Terms::new();
        let args: Vec<TermId> = args.iter().map(|&arg| terms.literal(arg, fixed(8))).collect();
        let term = idiom.build(&mut terms, &args, 8).unwrap();
        let semantics: &Semantics = &WORDS;
        match Tape::new(&terms, &[term], 1, semantics).unwrap().run(&[]).pop() {
            Some(Outcome::Value(value)) => u8::try_from(value).unwrap(),
            other => panic!("{idiom:?} of {args:?}: {other:?}"),
        }
    }

    /// Against the operators of Rust, on all words of eight bits that matter.
    #[test]
    fn patterns_mean_what_their_names_say() {
        let edges = [0_u8, 1, 2, 3, 7, 8, 15, 16, 17, 64, 85, 127, 128, 129, 200, 254, 255];
        let flag = |flag: bool| u8::from(flag);
        for a in edges {
            for b in edges {
                let (x, y) = (a as i8, b as i8);
                let n = u32::from(b % 8);
                let mut all = vec![
                    (Idiom::ThreeWay, b, x.cmp(&y) as u8),
                    (Idiom::UnsignedThreeWay, b, a.cmp(&b) as u8),
                    (Idiom::AbsDiff, b, a.abs_diff(b)),
                    (Idiom::SignedAbsDiff, b, x.abs_diff(y)),
                    (Idiom::SaturatingAdd, b, a.saturating_add(b)),
                    (Idiom::SaturatingSub, b, a.saturating_sub(b)),
                    (Idiom::SaturatingMul, b, a.saturating_mul(b)),
                    (Idiom::SignedSaturatingAdd, b, x.saturating_add(y) as u8),
                    (Idiom::SignedSaturatingSub, b, x.saturating_sub(y) as u8),
                    (Idiom::AddOverflows, b, flag(a.overflowing_add(b).1)),
                    (Idiom::SubOverflows, b, flag(a.overflowing_sub(b).1)),
                    (Idiom::MulOverflows, b, flag(a.overflowing_mul(b).1)),
                    (Idiom::SignedAddOverflows, b, flag(x.overflowing_add(y).1)),
                    (Idiom::SignedSubOverflows, b, flag(x.overflowing_sub(y).1)),
                    (Idiom::SignedMulOverflows, b, flag(x.overflowing_mul(y).1)),
                    (Idiom::LogicalAnd, b, flag(a != 0 && b != 0)),
                    (Idiom::LogicalOr, b, flag(a != 0 || b != 0)),
                    (Idiom::ShlOverflows, b % 8, flag((a << n) >> n != a)),
                    (
                        Idiom::SaturatingShl,
                        b % 8,
                        u8::try_from(u32::from(a) << n).unwrap_or(u8::MAX),
                    ),
                ];
                if b != 0 {
                    all.extend([
                        (Idiom::EuclideanRemainder, b, x.wrapping_rem_euclid(y) as u8),
                        (Idiom::EuclideanQuotient, b, x.wrapping_div_euclid(y) as u8),
                        (Idiom::DivCeil, b, a.div_ceil(b)),
                    ]);
                }
                for (idiom, b, wanted) in all {
                    let told = value(idiom, &[a, b]);
                    assert_eq!(told, wanted, "{idiom:?} of {a} and {b}");
                }
            }
            let x = a as i8;
            for (idiom, wanted) in [
                (Idiom::Sign, x.signum() as u8),
                (Idiom::Abs, x.unsigned_abs()),
                (Idiom::ReverseBits, a.reverse_bits()),
                (Idiom::CountZeros, a.count_zeros() as u8),
                (Idiom::LeadingOnes, a.leading_ones() as u8),
                (Idiom::TrailingOnes, a.trailing_ones() as u8),
                (Idiom::Parity, a.count_ones() as u8 % 2),
                (Idiom::FirstSet, if a == 0 { 0 } else { a.trailing_zeros() as u8 + 1 }),
                (
                    Idiom::RedundantSigns,
                    if x < 0 { x.leading_ones() as u8 - 1 } else { x.leading_zeros() as u8 - 1 },
                ),
                (Idiom::Log2, (a | 1).ilog2() as u8),
                (Idiom::LogicalNot, flag(a == 0)),
            ] {
                assert_eq!(value(idiom, &[a]), wanted, "{idiom:?} of {a}");
            }
        }
    }

    /// A built-in evaluates all its operands. A pattern that skips one on some path has a result where the built-in is
    /// undefined: `expression-c.2:11:1769`, `__builtin_mul_overflow(0 % a1, a0, …)` with zeros.
    #[test]
    fn a_pattern_evaluates_every_operand_on_every_path() {
        let semantics = Semantics::named("c-unsigned").unwrap();
        let all = [
            Idiom::ThreeWay,
            Idiom::UnsignedThreeWay,
            Idiom::AbsDiff,
            Idiom::SignedAbsDiff,
            Idiom::SaturatingAdd,
            Idiom::SaturatingSub,
            Idiom::SaturatingMul,
            Idiom::SaturatingShl,
            Idiom::SignedSaturatingAdd,
            Idiom::SignedSaturatingSub,
            Idiom::AddOverflows,
            Idiom::SubOverflows,
            Idiom::MulOverflows,
            Idiom::ShlOverflows,
            Idiom::SignedAddOverflows,
            Idiom::SignedSubOverflows,
            Idiom::SignedMulOverflows,
            Idiom::EuclideanRemainder,
            Idiom::EuclideanQuotient,
            Idiom::DivCeil,
        ];
        for idiom in all {
            for other in 0..=255_u8 {
                for undefined in [0, 1] {
                    let mut terms = Terms::new();
                    let [zero, other] = [0, other].map(|it| terms.literal(it, fixed(8)));
                    let mut args = [other; 2];
                    args[undefined] = terms.apply_at(Op::Udiv, &[other, zero], fixed(8));
                    let term = idiom.build(&mut terms, &args, 8).unwrap();
                    let outcome = Tape::new(&terms, &[term], 1, semantics).unwrap().run(&[]).pop();
                    let has_value = matches!(outcome, Some(Outcome::Value(_)));
                    assert!(!has_value, "{idiom:?} ignores operand {undefined}: {outcome:?}");
                }
            }
        }
    }

    #[test]
    fn a_pattern_is_recognised_and_its_parts_are_not() {
        let mut terms = Terms::new();
        let [a, b] = [0, 1].map(|n| terms.variable(n, fixed(16)));
        let sum = terms.apply(Op::Add, &[a, b]);
        let idiom = Idiom::SaturatingAdd;
        let term = idiom.build(&mut terms, &[sum, b], 16).unwrap();
        assert_eq!(idiom.operands(&terms, term), Some(vec![sum, b]));
        assert_eq!(idiom.operands(&terms, sum), None);
        assert_eq!(Idiom::SaturatingSub.operands(&terms, term), None);
    }
}
