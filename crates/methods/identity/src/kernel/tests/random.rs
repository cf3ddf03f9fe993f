//! Random goals, all decided by exhaustive evaluation: whatever a checker accepts must be true.

use super::super::certificate::Certificate;
use super::super::extent::Extent;
use super::super::goal::{Goal, Scope};
use super::super::op::Op;
use super::super::term::{TermId, Terms};
use super::super::{linear, ring, slices};
use super::direct;
use crate::prove;
use forge::{Entropy, Ticket};

const BITWISE: &[Op] = &[Op::And, Op::Or, Op::Xor];
const ARITHMETIC: &[Op] = &[Op::Add, Op::Sub, Op::Mul];
const OTHERS: &[Op] = &[Op::Shl, Op::Lshr, Op::Ashr, Op::Udiv, Op::Urem];
const FLAGS: &[Op] =
    &[Op::Same, Op::Below, Op::SignedBelow, Op::MulOverflows, Op::SignedMulOverflows];

struct Source {
    entropy: Entropy,
    terms: Terms,
}

impl Source {
    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        *self.entropy.pick(items).unwrap()
    }

    fn leaf(&mut self) -> TermId {
        match self.entropy.below(8) {
            0 => {
                let value = self.pick(&[0i64, 1, -1, 2, 3, -2, 5, 8, -4]);
                self.terms.literal(value, Extent::WORD)
            }
            1 => {
                let bits = self.terms.apply_at(Op::Bits(Extent::WORD), &[], Extent::WORD);
                let less = self.pick(&[0i64, 1, 2]);
                let less = self.terms.literal(less, Extent::WORD);
                self.terms.apply(Op::Sub, &[bits, less])
            }
            2..5 => self.terms.variable(0, Extent::WORD),
            _ => self.terms.variable(1, Extent::WORD),
        }
    }

    fn word(&mut self, depth: u32) -> TermId {
        if depth == 0 {
            return self.leaf();
        }
        match self.entropy.below(16) {
            0..5 => self.binary(BITWISE, depth),
            5..9 => self.binary(ARITHMETIC, depth),
            9..11 => self.binary(OTHERS, depth),
            11 => {
                let (c, x, y) = (self.flag(depth), self.word(depth - 1), self.word(depth - 1));
                self.terms.apply(Op::Ite, &[c, x, y])
            }
            12 => {
                let (op, flag) = (self.pick(&[Op::Zext, Op::Sext]), self.flag(depth));
                self.terms.apply_at(op, &[flag], Extent::WORD)
            }
            13 => {
                let (op, x) = (self.pick(&[Op::Not, Op::Neg]), self.word(depth - 1));
                self.terms.apply(op, &[x])
            }
            14 => {
                let (x, amount) = (self.word(depth - 1), self.pick(&[1i64, 2, 3]));
                let amount = self.terms.literal(amount, Extent::WORD);
                let op = self.pick(&[Op::Shl, Op::Lshr, Op::Ashr, Op::Mul, Op::Udiv, Op::Exp]);
                self.terms.apply(op, &[x, amount])
            }
            _ => self.leaf(),
        }
    }

    fn binary(&mut self, ops: &[Op], depth: u32) -> TermId {
        let (op, x, y) = (self.pick(ops), self.word(depth - 1), self.word(depth - 1));
        self.terms.apply(op, &[x, y])
    }

    fn flag(&mut self, depth: u32) -> TermId {
        match self.entropy.below(8) {
            0 if depth > 1 => {
                let (op, x, y) = (self.pick(BITWISE), self.flag(depth - 1), self.flag(depth - 1));
                self.terms.apply(op, &[x, y])
            }
            1 => {
                let x = self.word(depth - 1);
                self.terms.apply(Op::Power, &[x])
            }
            2 => {
                let flag = self.flag(depth);
                self.terms.apply(Op::Not, &[flag])
            }
            _ => self.binary(FLAGS, depth),
        }
    }

    /// A term that is often, but not always, equal to the given word.
    fn rewritten(&mut self, word: TermId, depth: u32) -> TermId {
        let node = self.terms.node(word);
        let other = self.word(1);
        let joined = self.pick(&[Op::Or, Op::Xor, Op::Add]);
        let by_one = self.pick(&[Op::Mul, Op::Udiv, Op::Exp, Op::Lshr]);
        let terms = &mut self.terms;
        let mut op = |op: Op, args: &[TermId]| terms.apply(op, args);
        match self.entropy.below(9) {
            0 if node.op.commutes() => op(node.op, &[node.args[1], node.args[0]]),
            1 if node.op == Op::Add => {
                let (either, both) = (op(Op::Or, node.args()), op(Op::And, node.args()));
                op(Op::Add, &[either, both])
            }
            2 if node.op == Op::Sub => {
                let not = op(Op::Not, &[node.args[0]]);
                let sum = op(Op::Add, &[not, node.args[1]]);
                op(Op::Not, &[sum])
            }
            3 => {
                let sum = op(Op::Add, &[word, other]);
                op(Op::Sub, &[sum, other])
            }
            4 => {
                let (a, b) = (op(Op::And, &[word, other]), op(Op::Not, &[other]));
                let b = op(Op::And, &[b, word]);
                op(joined, &[a, b])
            }
            5 => {
                let less = op(Op::Below, &[word, other]);
                let (x, y) = (op(Op::Xor, &[word, other]), op(Op::Xor, &[word, other]));
                let chosen = op(Op::Ite, &[less, x, y]);
                op(Op::Xor, &[chosen, other])
            }
            6 => {
                let one = terms.literal(1, Extent::WORD);
                terms.apply(by_one, &[word, one])
            }
            _ if depth > 0 && node.op.arity() > 0 && node.width == Extent::WORD => {
                let mut args = node.args().to_vec();
                let place = self.entropy.below(args.len() as u64) as usize;
                if self.terms.width(args[place]) == Extent::WORD {
                    args[place] = self.rewritten(args[place], depth - 1);
                }
                self.terms.apply_at(node.op, &args, node.width)
            }
            _ => word,
        }
    }

    fn goal(&mut self) -> (TermId, u16) {
        let holds = match self.entropy.below(3) {
            0 => self.flag(3),
            1 => {
                let (x, y) = (self.word(2), self.word(2));
                self.terms.apply(Op::Same, &[x, y])
            }
            _ => {
                let x = self.word(3);
                let y = self.rewritten(x, 3);
                let y = self.rewritten(y, 3);
                let same = self.terms.apply(Op::Same, &[x, y]);
                let given = self.flag(1);
                if self.entropy.chance(1, 3) { self.terms.either(given, same) } else { same }
            }
        };
        (holds, self.entropy.between(1, 4) as u16)
    }
}

/// How many true goals there are, and how many goals each checker accepts.
#[derive(Debug, Default)]
struct Counts {
    goals: usize,
    truths: usize,
    ring: usize,
    slices: usize,
    neither: usize,
}

#[test]
fn accepted_goals_are_true() {
    let mut counts = Counts::default();
    for index in 0..1200 {
        let entropy = Entropy::of(&Ticket::new("algebra", 1, index));
        let mut source = Source { entropy, terms: Terms::new() };
        let (holds, least) = source.goal();
        let all = Goal { terms: source.terms, holds, scope: Scope::From(least) };
        let one = all.at(least).unwrap();
        for goal in [all, one] {
            let truth = direct::holds(&goal, 4);
            let by_ring = ring::check(&goal).is_ok();
            let by_slices = match prove::slices::prove(&goal) {
                Some(Certificate::Slices(states)) => {
                    assert_eq!(slices::check(&goal, &states), Ok(()));
                    true
                }
                _ => false,
            };
            assert!(truth || !by_ring, "ring, ticket {index}: {:?}", goal.scope);
            assert!(truth || !by_slices, "slices, ticket {index}: {:?}", goal.scope);
            assert!(truth || linear::check(&goal).is_err(), "linear, ticket {index}");
            assert!(truth || prove::lemma::prove(&goal, 4).is_none(), "lemmas, ticket {index}");
            counts.goals += 1;
            counts.truths += usize::from(truth);
            counts.ring += usize::from(by_ring);
            counts.slices += usize::from(by_slices);
            counts.neither += usize::from(truth && !by_ring && !by_slices);
        }
    }
    // Neither checker may lose its power unnoticed.
    assert!(counts.ring * 3 > counts.truths && counts.slices * 3 > counts.truths * 2, "{counts:?}");
    assert!(counts.truths * 4 > counts.goals, "{counts:?}");
}
