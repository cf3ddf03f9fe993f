//! Tests of the checkers. What they accept is compared with an exhaustive evaluation of the goal at
//! small widths, by an evaluator that shares no code with them.

mod direct;
mod lemma;
mod linear;
mod random;
mod residue;
mod ring;
mod slices;
mod theorem;

use super::extent::Extent;
use super::goal::{Equation, Goal, Relation, Scope};
use super::op::Op;
use super::semantics::Semantics;
use super::term::{TermId, Terms};

/// Builds terms of width `w` from prefix notation.
struct Builder(Terms);

impl Builder {
    fn new() -> Self {
        Self(Terms::new())
    }

    fn var(&mut self, index: u16) -> TermId {
        self.0.variable(index, Extent::WORD)
    }

    fn lit(&mut self, value: i64) -> TermId {
        self.0.literal(value, Extent::WORD)
    }

    fn bits(&mut self) -> TermId {
        self.0.apply_at(Op::Bits(Extent::WORD), &[], Extent::WORD)
    }

    fn op(&mut self, op: Op, args: &[TermId]) -> TermId {
        self.0.apply(op, args)
    }

    /// Parses prefix notation: `+ a * 2 b`. Letters `a` to `d` are variables, numbers are literals,
    /// and `w` is the width.
    fn read(&mut self, text: &str) -> TermId {
        let mut words = text.split_whitespace();
        let term = self.next(&mut words);
        assert_eq!(words.next(), None, "{text}");
        term
    }

    fn next<'t>(&mut self, words: &mut impl Iterator<Item = &'t str>) -> TermId {
        let word = words.next().unwrap();
        if let Ok(number) = word.parse() {
            return self.lit(number);
        }
        let op = match word {
            "w" => return self.bits(),
            "a" | "b" | "c" | "d" => return self.var(u16::from(word.as_bytes()[0] - b'a')),
            "+" => Op::Add,
            "-" => Op::Sub,
            "neg" => Op::Neg,
            "*" => Op::Mul,
            "~" => Op::Not,
            "&" => Op::And,
            "|" => Op::Or,
            "^" => Op::Xor,
            "<<" => Op::Shl,
            ">>" => Op::Lshr,
            ">>>" => Op::Ashr,
            "/" => Op::Udiv,
            "%" => Op::Urem,
            "s/" => Op::Sdiv,
            "s%" => Op::Srem,
            "**" => Op::Exp,
            "==" => Op::Eq,
            "!=" => Op::Ne,
            "<" => Op::Ult,
            "<=" => Op::Ule,
            "s<" => Op::Slt,
            "s<=" => Op::Sle,
            "?" => Op::Ite,
            "min" => Op::Umin,
            "max" => Op::Umax,
            "smin" => Op::Smin,
            "smax" => Op::Smax,
            "rotl" => Op::Rotl,
            "addmod" => Op::Addmod,
            "mulmod" => Op::Mulmod,
            "ispower" => Op::IsPower,
            _ => panic!("{word}"),
        };
        let args: Vec<TermId> = (0..op.arity()).map(|_| self.next(words)).collect();
        self.op(op, &args)
    }
}

/// The goal of `left = right`, under an optional condition.
fn goal(sides: [&str; 2], condition: Option<&str>, semantics: &Semantics, scope: Scope) -> Goal {
    let mut builder = Builder::new();
    let sides = sides.map(|side| builder.read(side));
    let conditions = condition.map(|text| builder.read(text)).into_iter().collect();
    let equation = Equation { terms: builder.0, sides, conditions };
    Goal::new(&equation, semantics, Relation::Exact, scope).unwrap()
}
