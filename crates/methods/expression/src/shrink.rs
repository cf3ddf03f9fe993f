//! Smaller pairs. First fewer inputs and rules, then a smaller base to which the remaining rules are applied again, simpler
//! constants in simpler places, narrower words. Last, the mutant alone is reduced, as a base without a mutant. The evaluator
//! computes the results of every candidate again.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use super::folding::Folding;
use super::inputs::used;
use super::pair::{Fired, Pair};
use super::places::literals;
use super::program::{ACCUMULATOR, Body, COUNTER, HELPER, Step, fixed, width};
use identity::apply::Rulebook;
use identity::kernel::{Node, Op, Semantics, TermId, Terms};

pub(super) fn candidates<'a>(
    pair: Pair,
    book: &'a Rulebook,
) -> impl Iterator<Item = Pair> + Send + 'a {
    let plans = plans(&pair);
    plans.into_iter().filter_map(move |plan| {
        let mut smaller = plan.of(&pair, book)?;
        smaller.tidy()?;
        Some(smaller)
    })
}

/// A way to make a pair smaller. Plans are cheap to list; most are never executed.
#[derive(Clone, Debug)]
enum Plan {
    Input(usize),
    NoMutant,
    /// Without these firings: the first, and how many.
    Rules(usize, usize),
    /// Without a step, whose result is replaced by its value or by this number.
    Step(usize, Option<u8>),
    /// A loop with fewer iterations, and its first iteration without a loop.
    Turns(usize, u8),
    Once(usize),
    /// At a site of the base, the subterm with this number is replaced.
    Subterm(usize, usize, Instead),
    /// A constant is replaced by another one, everywhere.
    Literal(u16, BigInt, BigInt),
    /// Constant expressions are written as other expressions.
    Unfolded,
    /// A constant is a literal.
    Inline(u16, BigInt),
    /// All words of one width get another one.
    Width(u16, u16),
    /// The mutant alone, with a smaller subterm at a site.
    Alone(usize, usize, Instead),
}

#[derive(Clone, Copy, Debug)]
enum Instead {
    Operand(u8),
    Number(u8),
    Parameter(u8),
}

const INSTEAD: [Instead; 8] = [
    Instead::Operand(0),
    Instead::Operand(1),
    Instead::Operand(2),
    Instead::Number(0),
    Instead::Number(1),
    Instead::Parameter(0),
    Instead::Parameter(1),
    Instead::Parameter(2),
];

fn plans(pair: &Pair) -> Vec<Plan> {
    let mut plans = vec![];
    if pair.inputs.len() > 1 {
        plans.extend((0..pair.inputs.len()).map(Plan::Input));
    }
    if pair.mutant.is_some() {
        plans.push(Plan::NoMutant);
    }
    let count = pair.trail.len();
    let mut length = count;
    while length > 0 {
        plans.extend((0..count).step_by(length).map(|from| Plan::Rules(from, length)));
        length /= 2;
    }
    for index in (0..pair.base.steps.len()).rev() {
        plans.push(Plan::Step(index, None));
        plans.extend([0, 1].map(|number| Plan::Step(index, Some(number))));
        if let Step::Loop { times, .. } = pair.base.steps[index] {
            plans.push(Plan::Once(index));
            plans.extend([1, times / 2, times.saturating_sub(1)].map(|it| Plan::Turns(index, it)));
        }
    }
    plans.extend(subterms(&pair.terms, &pair.base, Plan::Subterm));
    for (width, value) in literals(&pair.terms, &pair.bodies()) {
        plans.push(Plan::Inline(width, value.clone()));
        plans.extend(simpler(&value, width).map(|it| Plan::Literal(width, value.clone(), it)));
    }
    if pair.folding != Folding::Plain {
        plans.push(Plan::Unfolded);
    }
    let mut widths: Vec<u16> = used(&pair.terms, &pair.bodies()).iter().map(|it| it.1).collect();
    widths.sort_unstable();
    widths.dedup();
    for wide in widths {
        let narrower = pair.style.widths.iter().copied().filter(|&narrow| narrow < wide);
        plans.extend(narrower.map(|narrow| Plan::Width(wide, narrow)));
    }
    if let Some(mutant) = &pair.mutant {
        plans.extend(subterms(&pair.terms, mutant, Plan::Alone));
    }
    plans
}

/// Every subterm of a body with its replacements, the largest first.
fn subterms(terms: &Terms, body: &Body, plan: impl Fn(usize, usize, Instead) -> Plan) -> Vec<Plan> {
    let mut plans = vec![];
    for (site, root) in body.sites().into_iter().enumerate() {
        let order = terms.in_order(&[root]);
        for (number, &term) in order.iter().enumerate().rev() {
            let arity = terms.op(term).arity();
            if arity > 0 {
                let fitting = INSTEAD
                    .into_iter()
                    .filter(|it| !matches!(it, Instead::Operand(n) if usize::from(*n) >= arity));
                plans.extend(fitting.map(|instead| plan(site, number, instead)));
            }
        }
    }
    plans
}

/// Constants that are simpler than this one.
fn simpler(value: &BigInt, width: u16) -> impl Iterator<Item = BigInt> {
    let least = BigInt::from(1) << (width - 1);
    let ones = (BigInt::from(1) << width) - 1_u32;
    let simplest = [BigInt::ZERO, BigInt::from(1), BigInt::from(2), ones.clone(), least];
    let rank = |it: &BigInt| simplest.iter().position(|other| other == it);
    let own = rank(value).unwrap_or(simplest.len());
    let halves = (own == simplest.len()).then(|| {
        let power = BigInt::from(1) << (value.bits().max(1) - 1);
        [power, value >> 1_u32, value >> (value.bits() / 2)]
    });
    let halves = halves.into_iter().flatten().filter(|it| *it != *value).collect::<Vec<_>>();
    simplest.into_iter().take(own).chain(halves).filter(move |it| *it <= ones)
}

impl Plan {
    fn of(&self, pair: &Pair, book: &Rulebook) -> Option<Pair> {
        let mut next = pair.clone();
        match self {
            Self::Input(index) => next.inputs = vec![next.inputs[*index].clone()],
            Self::NoMutant => next.alone(None),
            Self::Rules(from, count) => {
                next.trail.drain(*from..(from + count).min(next.trail.len()));
                next.replay(book);
                if next.mutant == pair.mutant {
                    return None;
                }
            }
            Self::Step(index, number) => {
                next.drop_step(*index, *number);
                next.replay(book);
            }
            Self::Turns(index, turns) => {
                let Step::Loop { times, .. } = next.base.steps.get_mut(*index)? else {
                    return None;
                };
                if *turns >= *times {
                    return None;
                }
                *times = *turns;
                next.replay(book);
            }
            Self::Once(index) => {
                next.once(*index)?;
                next.replay(book);
            }
            Self::Subterm(site, number, instead) => {
                next.cut(*site, *number, *instead)?;
                next.replay(book);
            }
            Self::Alone(site, number, instead) => {
                next.alone(pair.mutant.clone());
                next.cut(*site, *number, *instead)?;
            }
            Self::Literal(width, from, to) => {
                next.exchange(*width, from, to);
                next.replay(book);
            }
            Self::Unfolded => next.folding = Folding::Plain,
            Self::Inline(width, value) => {
                next.places.0.remove(&(*width, value.clone()))?;
            }
            Self::Width(from, to) => {
                next.narrow(book, *from, *to)?;
                next.replay(book);
            }
        }
        Some(next)
    }
}

impl Pair {
    /// One body alone, as a base without a mutant.
    pub(super) fn alone(&mut self, body: Option<Body>) {
        if let Some(body) = body {
            self.base = body;
        }
        self.mutant = None;
        self.trail.clear();
    }

    /// Replaces a subterm of the base by something smaller.
    fn cut(&mut self, site: usize, number: usize, instead: Instead) -> Option<()> {
        let root = *self.base.sites().get(site)?;
        let old = *self.terms.in_order(&[root]).get(number)?;
        let wide = width(&self.terms, old);
        let new = match instead {
            Instead::Operand(n) => {
                let operand = *self.terms.args(old).get(usize::from(n))?;
                (width(&self.terms, operand) == wide).then_some(operand)?
            }
            Instead::Number(n) => self.terms.literal(n, fixed(wide)),
            Instead::Parameter(n) => {
                let variable = match self.helper_of(site) {
                    Some(step) => self.base.steps[step]
                        .terms()
                        .get(usize::from(n))
                        .copied()
                        .filter(|&argument| {
                            usize::from(n) + 1 < self.base.steps[step].terms().len()
                                && width(&self.terms, argument) == wide
                        })
                        .map(|_| HELPER + u16::from(n)),
                    None => self
                        .parameters
                        .get(usize::from(n))
                        .filter(|&&its| its == wide)
                        .map(|_| u16::from(n)),
                }?;
                self.terms.variable(variable, fixed(wide))
            }
        };
        let from = self.terms.clone();
        let changed =
            rebuilt(&mut self.terms, &from, root, &mut |_, term, _| (term == old).then_some(new));
        if changed == root {
            return None;
        }
        if let Some(slot) = self.base.sites_mut().into_iter().nth(site) {
            *slot = changed;
        }
        Some(())
    }

    /// The step whose helper's body is at the site.
    fn helper_of(&self, site: usize) -> Option<usize> {
        (0..self.base.steps.len()).find(|&step| {
            matches!(self.base.steps[step], Step::Call { .. })
                && self.base.sites_of(step).end == site + 1
        })
    }

    /// Replaces one constant by another, also in the terms that rules introduced. The mutant changes when they are applied
    /// again.
    pub(super) fn exchange(&mut self, wide: u16, from: &BigInt, to: &BigInt) {
        if let Some(place) = self.places.0.remove(&(wide, from.clone())) {
            self.places.0.insert((wide, to.clone()), place);
        }
        let before = self.terms.clone();
        for slot in parts_mut(&mut self.base, &mut self.trail) {
            let mut change = |terms: &mut Terms, term: TermId, node: Node| {
                let is_it = node.width == fixed(wide) && before.literal_value(term) == Some(from);
                is_it.then(|| terms.literal(to.clone(), node.width))
            };
            *slot = rebuilt(&mut self.terms, &before, *slot, &mut change);
        }
    }

    /// Removes a step and the rules that fired in it. Its uses are replaced by its value, or by a number.
    fn drop_step(&mut self, index: usize, number: Option<u8>) {
        let from = self.terms.clone();
        let step = &self.base.steps[index];
        let terms = &mut self.terms;
        let value = match (step, number) {
            (_, Some(number)) => terms.literal(number, from.width(step.value())),
            (Step::Let { term }, None) => *term,
            (Step::Loop { start, .. }, None) => *start,
            (Step::Call { arguments, body, .. }, None) => {
                rebuilt(terms, &from, *body, &mut |_, _, node| match node.op {
                    Op::Variable(variable) if variable >= HELPER => {
                        arguments.get(usize::from(variable - HELPER)).copied()
                    }
                    _ => None,
                })
            }
        };
        let sites = self.base.sites_of(index);
        self.trail.retain(|fired| !sites.contains(&fired.site));
        for fired in self.trail.iter_mut().filter(|fired| fired.site >= sites.end) {
            fired.site -= sites.len();
        }
        self.base.steps.remove(index);
        let gone = Body::variable(self.parameters.len(), index);
        let from = terms.clone();
        for slot in parts_mut(&mut self.base, &mut self.trail) {
            *slot = rebuilt(terms, &from, *slot, &mut |terms, _, node| match node.op {
                Op::Variable(variable) if variable == gone => Some(value),
                Op::Variable(variable) if variable > gone && variable < ACCUMULATOR => {
                    Some(terms.variable(variable - 1, node.width))
                }
                _ => None,
            });
        }
    }

    /// Replaces a loop by its first iteration, with the rules that fired in it.
    pub(super) fn once(&mut self, index: usize) -> Option<()> {
        let &Step::Loop { start, body, .. } = self.base.steps.get(index)? else { return None };
        let from = self.terms.clone();
        let first = |terms: &mut Terms, term| {
            rebuilt(terms, &from, term, &mut |terms, _, node| match node.op {
                Op::Variable(ACCUMULATOR) => Some(start),
                Op::Variable(COUNTER) => Some(terms.literal(0, node.width)),
                _ => None,
            })
        };
        let sites = self.base.sites_of(index);
        self.trail.retain(|fired| fired.site != sites.start);
        for fired in self.trail.iter_mut().filter(|fired| fired.site > sites.start) {
            if fired.site < sites.end {
                for (_, term) in &mut fired.firing.invented {
                    *term = first(&mut self.terms, *term);
                }
            }
            fired.site -= 1;
        }
        self.base.steps[index] = Step::Let { term: first(&mut self.terms, body) };
        Some(())
    }

    /// Whether the style has all operators of the base.
    pub(super) fn supports(&self) -> bool {
        let terms = &self.terms;
        terms.in_order(&self.base.sites()).into_iter().all(|term| {
            let node = terms.node(term);
            let from: Vec<u16> = node.args().iter().map(|&arg| width(terms, arg)).collect();
            node.op.arity() == 0 || (self.style.supports)(node.op, &from, width(terms, term))
        })
    }

    /// Removes unused parameters and constants. Nothing if the style's semantics are unknown.
    pub(super) fn tidy(&mut self) -> Option<()> {
        let semantics = Semantics::named(self.style.semantics)?;
        let there = used(&self.terms, &self.bodies());
        let count = self.parameters.len();
        let kept: Vec<usize> = (0..count)
            .filter(|&n| {
                count == 1 || there.iter().any(|(variable, _)| usize::from(*variable) == n)
            })
            .collect();
        if kept.len() < count && !kept.is_empty() {
            self.renumber(&kept);
        }
        let bodies: Vec<&Body> = std::iter::once(&self.base).chain(&self.mutant).collect();
        self.places.prune(&self.terms, &bodies);
        self.places.forced(&self.terms, &bodies, semantics);
        Some(())
    }

    /// Keeps some parameters, in order. A term that a rule introduced and that is not in the mutant any more may use a
    /// removed one, which is replaced by zero.
    fn renumber(&mut self, kept: &[usize]) {
        let count = self.parameters.len() as u16;
        let number = |variable: u16| match variable {
            ACCUMULATOR | COUNTER | HELPER.. => Some(variable),
            _ if variable >= count => Some(variable - count + kept.len() as u16),
            _ => kept.iter().position(|&n| n == usize::from(variable)).map(|n| n as u16),
        };
        let from = self.terms.clone();
        let terms = &mut self.terms;
        let slots = parts_mut(&mut self.base, &mut self.trail);
        for slot in slots.chain(self.mutant.iter_mut().flat_map(Body::sites_mut)) {
            *slot = rebuilt(terms, &from, *slot, &mut |terms, _, node| match node.op {
                Op::Variable(variable) => Some(match number(variable) {
                    Some(variable) => terms.variable(variable, node.width),
                    None => terms.literal(0, node.width),
                }),
                _ => None,
            });
        }
        self.parameters = kept.iter().map(|&n| self.parameters[n]).collect();
        for row in &mut self.inputs {
            *row = kept.iter().map(|&n| row[n].clone()).collect();
        }
    }
}

/// The terms that a mutant is made of: those of the base, and those that rules introduced.
fn parts_mut<'a>(
    base: &'a mut Body,
    trail: &'a mut [Fired],
) -> impl Iterator<Item = &'a mut TermId> {
    let invented = trail.iter_mut().flat_map(|fired| &mut fired.firing.invented);
    base.sites_mut().into_iter().chain(invented.map(|(_, term)| term))
}

/// The term with the subterms replaced for which `change` returns another one.
pub(super) fn rebuilt(
    terms: &mut Terms,
    from: &Terms,
    root: TermId,
    change: &mut dyn FnMut(&mut Terms, TermId, Node) -> Option<TermId>,
) -> TermId {
    let mut here: BTreeMap<TermId, TermId> = BTreeMap::new();
    for term in from.in_order(&[root]) {
        let node = from.node(term);
        let copy = match change(terms, term, node) {
            Some(other) => other,
            None if node.op.arity() == 0 => term,
            None => {
                let args: Vec<TermId> = node.args().iter().map(|arg| here[arg]).collect();
                terms.apply_at(node.op, &args, node.width)
            }
        };
        here.insert(term, copy);
    }
    here[&root]
}
