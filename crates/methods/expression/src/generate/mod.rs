//! Grows the base: a small function, since rules make it larger. Each ticket draws the operators and widths that it uses
//! (swarm testing), so that some programs have many of an operator that is rare in others.

mod operands;

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::constants;
use super::dialect::Style;
use super::idiom::Idiom;
use super::program::{ACCUMULATOR, Body, COUNTER, HELPER, Inline, Step, fixed, width};
use super::run::closed;
use forge::Entropy;
use identity::evaluate::Outcome;
use identity::kernel::{Extent, Op, Semantics, TermId, Terms};

/// All operators, by how often they are drawn where a ticket has them.
const OPERATORS: &[(Op, u64)] = &[
    (Op::Add, 6),
    (Op::Sub, 6),
    (Op::Mul, 6),
    (Op::And, 4),
    (Op::Or, 4),
    (Op::Xor, 4),
    (Op::Not, 2),
    (Op::Neg, 2),
    (Op::Udiv, 3),
    (Op::Urem, 3),
    (Op::Sdiv, 3),
    (Op::Srem, 3),
    (Op::Fdiv, 3),
    (Op::Fmod, 3),
    (Op::Shl, 4),
    (Op::Lshr, 4),
    (Op::Ashr, 4),
    (Op::Rotl, 2),
    (Op::Rotr, 2),
    (Op::Eq, 2),
    (Op::Ne, 1),
    (Op::Ult, 2),
    (Op::Ule, 1),
    (Op::Ugt, 1),
    (Op::Uge, 1),
    (Op::Slt, 2),
    (Op::Sle, 1),
    (Op::Sgt, 1),
    (Op::Sge, 1),
    (Op::Umin, 1),
    (Op::Umax, 1),
    (Op::Smin, 1),
    (Op::Smax, 1),
    (Op::Ite, 4),
    (Op::Byte, 3),
    (Op::Exp, 3),
    (Op::Addmod, 5),
    (Op::Mulmod, 7),
    (Op::Clz, 1),
    (Op::Ctz, 1),
    (Op::Popcount, 1),
    (Op::IsPower, 1),
    (Op::Bswap, 1),
    (Op::Zext, 3),
    (Op::Sext, 3),
    (Op::Extract(Extent::fixed(0)), 3),
];

/// Operators that few machines have an instruction for, so that compilers or their run-time libraries expand them. Half of
/// the tickets prefer these.
const EXPANDED: &[Op] = &[
    Op::Udiv,
    Op::Urem,
    Op::Sdiv,
    Op::Srem,
    Op::Fdiv,
    Op::Fmod,
    Op::Byte,
    Op::Exp,
    Op::Addmod,
    Op::Mulmod,
    Op::Clz,
    Op::Ctz,
    Op::Popcount,
    Op::Bswap,
];

/// By how much such a ticket multiplies their weights.
const EMPHASIS: u64 = 5;

#[derive(Debug)]
pub(super) struct Base {
    pub(super) terms: Terms,
    pub(super) parameters: Vec<u16>,
    pub(super) body: Body,
}

pub(super) fn base(style: &Style, entropy: &mut Entropy) -> Base {
    let mut grower = Grower::new(style, entropy);
    let count = grower.entropy.between(1, 3) as usize;
    let parameters: Vec<u16> = (0..count).map(|_| grower.some_width()).collect();
    for (index, &width) in parameters.iter().enumerate() {
        grower.enter(index as u16, width);
    }
    let mut steps = Vec::new();
    let step_count = match grower.entropy.below(6) {
        0..=2 => 0,
        3 | 4 => 1,
        _ => grower.entropy.between(2, 3),
    };
    for _ in 0..step_count {
        let step = grower.step();
        let width = width(&grower.terms, step.value());
        grower.enter(Body::variable(count, steps.len()), width);
        // Inliners treat a function with two calls differently.
        let again = matches!(step, Step::Call { .. }) && grower.entropy.chance(1, 3);
        let second = again.then(|| grower.second(&step)).flatten();
        steps.push(step);
        if let Some(second) = second {
            grower.enter(Body::variable(count, steps.len()), width);
            steps.push(second);
        }
    }
    let width = grower.some_width();
    let size = grower.size(10);
    let mut result = grower.grow(width, size);
    // Unused values are removed as dead code.
    for variable in idle(&grower.terms, &steps, count, result) {
        if grower.entropy.chance(7, 8) {
            result = grower.join(result, variable);
        }
    }
    Base { terms: grower.terms, parameters, body: Body { steps, result } }
}

/// The steps and parameters that nothing uses. One that is used by such a step only is not among them.
fn idle(terms: &Terms, steps: &[Step], parameters: usize, result: TermId) -> Vec<u16> {
    let mut read = BTreeSet::new();
    let reads = |read: &mut BTreeSet<u16>, roots: &[TermId]| {
        read.extend(terms.in_order(roots).into_iter().filter_map(|term| match terms.op(term) {
            Op::Variable(variable) => Some(variable),
            _ => None,
        }));
    };
    reads(&mut read, &[result]);
    let mut idle = vec![];
    for (index, step) in steps.iter().enumerate().rev() {
        let variable = Body::variable(parameters, index);
        if !read.contains(&variable) {
            idle.push(variable);
        }
        reads(&mut read, &step.terms());
    }
    idle.extend((0..parameters as u16).filter(|variable| !read.contains(variable)));
    idle
}

/// Whether a ticket has constant expressions, which front ends fold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Constants {
    None,
    Some,
    /// One is being grown.
    Inside,
}

struct Grower<'a> {
    style: &'a Style,
    entropy: &'a mut Entropy,
    terms: Terms,
    /// The operators and widths of this ticket.
    operators: Vec<(Op, u64)>,
    widths: Vec<u16>,
    /// The variables that are in scope.
    scope: Vec<(u16, u16)>,
    /// Those of them that a term has.
    used: BTreeSet<u16>,
    /// Whether there are numbers besides shift amounts.
    literals: bool,
    constants: Constants,
    /// The idioms of this ticket.
    idioms: Vec<Idiom>,
    /// The shift amounts so far, which are drawn again: a shift is often followed by one back.
    amounts: Vec<(u16, BigInt)>,
}

impl<'a> Grower<'a> {
    fn new(style: &'a Style, entropy: &'a mut Entropy) -> Self {
        let mut widths = Vec::new();
        for _ in 0..entropy.between(1, 2) {
            widths.extend(style.draw(entropy));
        }
        let is_supported = |op: Op| {
            widths.iter().any(|&to| {
                style.widths.iter().any(|&from| {
                    let from = [from; 3];
                    fits(op, from[0], to) && (style.supports)(op, &from[..op.arity()], to)
                })
            })
        };
        let emphasis = if entropy.chance(1, 2) { EMPHASIS } else { 1 };
        let weighted = |&(op, weight): &(Op, u64)| match EXPANDED.contains(&op) {
            true => (op, weight * emphasis),
            false => (op, weight),
        };
        let all: Vec<(Op, u64)> =
            OPERATORS.iter().filter(|(op, _)| is_supported(*op)).map(weighted).collect();
        let mut operators: Vec<(Op, u64)> =
            all.iter().copied().filter(|_| entropy.chance(1, 2)).collect();
        if emphasis > 1 && !operators.iter().any(|(op, _)| EXPANDED.contains(op)) {
            let expanded = all.iter().copied().filter(|(op, _)| EXPANDED.contains(op));
            operators.extend(entropy.pick(&expanded.collect::<Vec<_>>()));
        }
        while operators.len() < 3.min(all.len()) {
            operators.extend(entropy.pick(&all));
        }
        let (literals, used) = (entropy.chance(4, 5), BTreeSet::new());
        let constants = match literals && entropy.chance(1, 3) {
            true => Constants::Some,
            false => Constants::None,
        };
        let mut idioms: Vec<Idiom> = vec![];
        // In proportion to how many there are.
        if entropy.chance(style.idioms.len().min(12) as u64, 24) {
            idioms.extend((0..3).filter_map(|_| entropy.pick(style.idioms).copied()));
        }
        Self {
            style,
            entropy,
            terms: Terms::new(),
            operators,
            widths,
            scope: vec![],
            used,
            literals,
            constants,
            idioms,
            amounts: vec![],
        }
    }

    fn some_width(&mut self) -> u16 {
        self.entropy.pick(&self.widths).copied().unwrap_or(self.style.widths[0])
    }

    /// More often small than large.
    fn size(&mut self, most: u64) -> u64 {
        let most = self.entropy.between(1, most);
        self.entropy.between(1, most)
    }

    fn enter(&mut self, variable: u16, width: u16) {
        self.scope.push((variable, width));
    }

    fn step(&mut self) -> Step {
        let width = self.some_width();
        let size = self.size(5);
        match self.entropy.below(3) {
            0 => {
                let chooses = (self.style.supports)(Op::Ite, &[width; 3], width);
                let choice = match chooses && self.entropy.chance(1, 3) {
                    true => self.apply(Op::Ite, width, width, size.max(2)),
                    false => None,
                };
                Step::Let { term: choice.unwrap_or_else(|| self.grow(width, size)) }
            }
            1 => {
                let start = self.grow(width, 1);
                let known = self.scope.len();
                self.enter(ACCUMULATOR, width);
                self.enter(COUNTER, width);
                let body = self.updated(width, size);
                let body = body.unwrap_or_else(|| self.grow(width, size.max(2)));
                self.scope.truncate(known);
                Step::Loop { times: self.entropy.between(1, 6) as u8, start, body }
            }
            _ => {
                let count = self.entropy.between(1, 2);
                let widths: Vec<u16> = (0..count).map(|_| self.some_width()).collect();
                let arguments: Vec<TermId> = widths
                    .iter()
                    .map(|&width| {
                        let size = self.size(3);
                        self.grow(width, size)
                    })
                    .collect();
                let outside = std::mem::take(&mut self.scope);
                for (index, &width) in widths.iter().enumerate() {
                    self.enter(HELPER + index as u16, width);
                }
                let body = self.grow(width, size.max(2));
                self.scope = outside;
                let inline = match self.entropy.below(3) {
                    0 => Inline::Free,
                    1 => Inline::Always,
                    _ => Inline::Never,
                };
                Step::Call { arguments, body, inline }
            }
        }
    }

    /// Another call of a function, with other arguments.
    fn second(&mut self, step: &Step) -> Option<Step> {
        let Step::Call { arguments, body, inline } = step else { return None };
        let widths: Vec<u16> = arguments.iter().map(|&it| width(&self.terms, it)).collect();
        let arguments = widths.into_iter().map(|width| {
            let size = self.entropy.below(2);
            self.grow(width, size)
        });
        let arguments = arguments.collect();
        Some(Step::Call { arguments, body: *body, inline: *inline })
    }

    /// A term that also depends on a variable of the scope, through an operator that is injective in each operand; most often
    /// one that cannot overflow, or most checked programs would trap.
    fn join(&mut self, term: TermId, variable: u16) -> TermId {
        let (style, to) = (self.style, width(&self.terms, term));
        let Some(from) = self.scope.iter().find(|it| it.0 == variable).map(|it| it.1) else {
            return term;
        };
        let mut word = self.terms.variable(variable, fixed(from));
        if from != to {
            word = match self.converted(word, to) {
                Some(word) => word,
                None => {
                    let fitting = |op: &Op| (style.supports)(*op, &[from; 2], to);
                    let all = [Op::Eq, Op::Ult, Op::Slt];
                    let Some(&op) =
                        self.entropy.pick(&all.into_iter().filter(fitting).collect::<Vec<Op>>())
                    else {
                        return term;
                    };
                    let value = constants::draw(self.entropy, from);
                    let bound = self.terms.literal(value, fixed(from));
                    self.terms.apply_at(op, &[word, bound], fixed(to))
                }
            };
        }
        let fitting = |op: &Op| (style.supports)(*op, &[to; 2], to);
        let all = [Op::Xor, Op::Xor, Op::Xor, Op::Add, Op::Sub];
        let all: Vec<Op> = all.into_iter().filter(fitting).collect();
        let Some(&op) = self.entropy.pick(&all) else { return term };
        let pair = if self.entropy.chance(1, 2) { [term, word] } else { [word, term] };
        self.terms.apply_at(op, &pair, fixed(to))
    }

    /// A word at another width, if the language has an operator for that.
    fn converted(&mut self, word: TermId, to: u16) -> Option<TermId> {
        let from = width(&self.terms, word);
        let op = match from < to {
            true if self.style.signed => Op::Sext,
            true => Op::Zext,
            false => Op::Extract(Extent::fixed(0)),
        };
        let is_supported = (self.style.supports)(op, &[from], to);
        is_supported.then(|| self.terms.apply_at(op, &[word], fixed(to)))
    }

    /// A constant expression. One without a value would have to be hidden from the compiler (see `places`), and would not be
    /// constant: it is replaced by another draw, each smaller than the one before.
    fn constant(&mut self, width: u16, size: u64) -> TermId {
        let outside = std::mem::take(&mut self.scope);
        let before = std::mem::replace(&mut self.constants, Constants::Inside);
        let mut term = self.grow(width, size);
        for smaller in 1..4 {
            let order = self.terms.in_order(&[term]);
            let semantics = Semantics::named(self.style.semantics);
            let all = semantics.map(|semantics| closed(&self.terms, &order, semantics));
            let comes = |outcome: &Outcome| matches!(outcome, Outcome::Value(_));
            if all.is_none_or(|all| all.values().all(comes)) {
                break;
            }
            term = self.grow(width, size.saturating_sub(smaller));
        }
        (self.scope, self.constants) = (outside, before);
        term
    }

    /// A term with about so many operators.
    fn grow(&mut self, width: u16, size: u64) -> TermId {
        if size == 0 {
            return self.leaf(width);
        }
        if self.constants == Constants::Some && size < 5 && self.entropy.chance(1, 4) {
            return self.constant(width, size);
        }
        if self.entropy.chance(1, 5)
            && let Some(term) = self.idiom(width, size - 1)
        {
            return term;
        }
        for _ in 0..8 {
            let Some((op, from)) = self.operator(width) else { break };
            if let Some(term) = self.apply(op, from, width, size - 1) {
                return term;
            }
        }
        self.leaf(width)
    }

    fn operator(&mut self, width: u16) -> Option<(Op, u16)> {
        let total: u64 = self.operators.iter().map(|(_, weight)| weight).sum();
        let mut at = self.entropy.below(total);
        let &(op, _) = self.operators.iter().find(|(_, weight)| {
            let here = at < *weight;
            at = at.saturating_sub(*weight);
            here
        })?;
        let from = match op {
            Op::Zext | Op::Sext | Op::Extract(_) => self.style.draw(self.entropy)?,
            _ if op.is_comparison() => self.some_width(),
            _ => width,
        };
        let widths = match op {
            Op::Ite => [width; 3],
            _ => [from; 3],
        };
        let is_supported =
            fits(op, from, width) && (self.style.supports)(op, &widths[..op.arity()], width);
        is_supported.then_some((op, from))
    }

    fn apply(&mut self, op: Op, from: u16, to: u16, size: u64) -> Option<TermId> {
        if self.style.no_wrap
            && let Some(term) = self.rounded(op, from, size)
        {
            return Some(term);
        }
        let mut args = Vec::with_capacity(3);
        let arity = op.arity() as u64;
        let mut left = size;
        for index in 0..arity {
            let last = index + 1 == arity;
            let part = if last { left } else { self.entropy.between(0, left) };
            left -= part;
            let own = if part == 0 { self.own_constant(op, from, &args) } else { None };
            if let Some(own) = own {
                args.push(own);
                continue;
            }
            let arg = match (op, index) {
                (Op::Shl | Op::Lshr | Op::Ashr | Op::Rotl | Op::Rotr, 1) => self.amount(from, part),
                (Op::Fdiv | Op::Fmod, 0) if self.style.no_wrap => self.product(from, part),
                (Op::Shl | Op::Lshr | Op::Ashr, 0) => self.shifted(from, part, 0),
                (Op::Exp, 1) => self.exponent(from),
                (Op::Byte, 0) => self.position(from, part),
                (Op::Addmod | Op::Mulmod, 2) => self.modulus(from, part, &args),
                (Op::Addmod | Op::Mulmod, _) if part == 0 => self.factor(from),
                (Op::Ite, 0) => self.condition(to, part)?,
                _ => self.grow(from, part),
            };
            args.push(arg);
        }
        Some(self.terms.apply_at(op, &args, fixed(to)))
    }

    fn leaf(&mut self, width: u16) -> TermId {
        let fitting: Vec<u16> =
            self.scope.iter().filter(|it| it.1 == width).map(|it| it.0).collect();
        let literal = self.literals && self.entropy.chance(1, 3);
        // Unused variables are preferred, so that the result depends on parameters and steps.
        let idle = fitting.iter().rev().find(|variable| !self.used.contains(variable)).copied();
        let idle = idle.filter(|_| self.entropy.chance(3, 4));
        let drawn = idle.or_else(|| self.entropy.pick(&fitting).copied());
        if let Some(variable) = drawn.filter(|_| !literal) {
            self.used.insert(variable);
            return self.terms.variable(variable, fixed(width));
        }
        // A converted variable of another width is better than none.
        let others: Vec<(u16, u16)> = self.scope.clone();
        if fitting.is_empty()
            && let Some(&(variable, other)) = self.entropy.pick(&others)
        {
            let inner = self.terms.variable(variable, fixed(other));
            if let Some(word) = self.converted(inner, width) {
                return word;
            }
        }
        let value: BigInt = match self.constants {
            // Mostly small numbers: large ones overflow, and an expression that does is not folded.
            Constants::Inside if self.entropy.chance(2, 3) => {
                BigInt::from(self.entropy.below(1 << width.min(6)))
            }
            _ => constants::draw(self.entropy, width),
        };
        self.terms.literal(value, fixed(width))
    }
}

/// Whether an operator can have operands of one width and a result of another.
fn fits(op: Op, from: u16, to: u16) -> bool {
    match op {
        Op::Zext | Op::Sext => from < to,
        Op::Extract(_) => from > to,
        Op::Bswap | Op::Byte => from == to && to.is_multiple_of(8),
        _ if op.is_comparison() => true,
        _ => from == to,
    }
}
