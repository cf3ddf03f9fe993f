//! Rule synthesis: enumerates terms by size and compares them on structured valuations. Nothing
//! here is trusted: a conjecture becomes a rule only when proven, and counterexamples become
//! further valuations.
//!
//! The search hands out candidates and receives their standings, so that the caller may prove them
//! in parallel. The order of candidates depends only on the seed.

mod bank;
mod enumerator;
mod grade;
mod grammar;
mod matching;
mod sieve;
#[cfg(test)]
mod tests;

use std::collections::{HashSet, VecDeque};

use enumerator::{Conjecture, Enumerate, Enumerator};
pub use grade::{FAR, Grader};
use grammar::{NARROW, grammars};
pub(crate) use matching::matches;
use sieve::Sieve;

use super::kernel::{Equation, Extent, Op, TermId, Terms};
use super::rule::{Category, Rule, Variable, Widths};
use super::standing::Standing;
use super::{ledger, print};

/// Limit on the candidates of one grammar, so that no grammar dominates.
const QUOTA: usize = 2_500;

/// A search in progress.
#[derive(Debug)]
pub struct Synthesis {
    terms: Terms,
    enumerators: Vec<Box<dyn Enumerate>>,
    /// Grammars take turns, so that every kind of rule is found early.
    turn: usize,
    found: Vec<VecDeque<Conjecture>>,
    /// The number of candidates from each grammar.
    taken: Vec<usize>,
    widths: Vec<u16>,
    names: Vec<&'static str>,
    sieve: Sieve,
    /// The texts of the candidates handed out so far.
    seen: HashSet<String>,
}

impl Synthesis {
    /// A search that does not rediscover the rules of the basis.
    pub fn new(seed: u64, basis: &[&Rule]) -> Self {
        let mut sieve = Sieve::default();
        for rule in basis {
            if rule
                .variables
                .iter()
                .all(|variable| variable.width == Extent::WORD && !variable.constant)
            {
                sieve.accept(rule);
            }
        }
        let grammars = grammars();
        let widths: Vec<u16> = grammars.iter().map(|grammar| grammar.width).collect();
        let names = grammars.iter().map(|grammar| grammar.name).collect();
        let enumerators: Vec<Box<dyn Enumerate>> = grammars
            .into_iter()
            .map(|grammar| -> Box<dyn Enumerate> {
                if grammar.width == NARROW {
                    Box::new(Enumerator::<1>::new(grammar, seed))
                } else {
                    Box::new(Enumerator::<4>::new(grammar, seed))
                }
            })
            .collect();
        Self {
            terms: Terms::new(),
            found: vec![VecDeque::new(); enumerators.len()],
            taken: vec![0; enumerators.len()],
            enumerators,
            turn: 0,
            widths,
            names,
            sieve,
            seen: HashSet::new(),
        }
    }

    /// The next `count` candidates; fewer when the search is exhausted.
    pub fn candidates(&mut self, count: usize) -> Vec<Rule> {
        let mut candidates = Vec::new();
        let mut idle = 0;
        while candidates.len() < count && idle < self.enumerators.len() {
            let grammar = self.turn % self.enumerators.len();
            self.turn += 1;
            match self.next_of(grammar) {
                Some(rule) => {
                    idle = 0;
                    candidates.push(rule);
                }
                None => idle += 1,
            }
        }
        candidates
    }

    /// The next candidate of a grammar that is not redundant.
    fn next_of(&mut self, grammar: usize) -> Option<Rule> {
        if self.taken[grammar] >= QUOTA {
            return None;
        }
        loop {
            while let Some(conjecture) = self.found[grammar].pop_front() {
                if self.sieve.is_redundant(&self.terms, conjecture.other) {
                    continue;
                }
                let rule = self.rule(conjecture, grammar);
                if self.seen.insert(text(&rule)) {
                    self.taken[grammar] += 1;
                    return Some(rule);
                }
            }
            if !self.enumerators[grammar].advance(&mut self.terms, &mut self.found[grammar]) {
                return None;
            }
        }
    }

    /// Records the standing of a candidate. Proven rules filter later candidates, and
    /// counterexamples become valuations.
    pub fn learn(&mut self, rule: &Rule, standing: &Standing) {
        match standing {
            Standing::Proven { .. } => self.sieve.accept(rule),
            Standing::Unsound(counterexample) => {
                for enumerator in &mut self.enumerators {
                    enumerator.learn(&counterexample.values);
                }
            }
            Standing::Tested | Standing::Absent => {}
        }
    }

    /// The larger side becomes the left one, and variables are named in order of first use.
    fn rule(&self, conjecture: Conjecture, grammar: usize) -> Rule {
        let (left, right) = (conjecture.other, conjecture.simple);
        let mut order: Vec<u16> = Vec::new();
        for term in [left, right] {
            first_uses(&self.terms, term, &mut order);
        }
        let mut terms = Terms::new();
        let mut rename = |terms: &mut Terms, node: super::kernel::Node| match node.op {
            Op::Variable(index) => {
                let place = order.iter().position(|&v| v == index).unwrap_or_default();
                Some(terms.variable(place as u16, node.width))
            }
            _ => None,
        };
        let left = terms.import(&self.terms, left, &mut rename);
        let right = terms.import(&self.terms, right, &mut rename);
        let name = |place: usize| char::from(b'a' + place as u8).to_string();
        let variables = (0..order.len())
            .map(|place| Variable { name: name(place), width: Extent::WORD, constant: false })
            .collect();
        let widths = if self.widths[grammar] == NARROW {
            Widths { least: least_width(&terms, [left, right]), ..Widths::default() }
        } else {
            Widths { only: vec![self.widths[grammar]], ..Widths::default() }
        };
        let mut rule = Rule {
            name: String::new(),
            category: category(&terms, [left, right]),
            source: Some(format!("synthesis, grammar {}", self.names[grammar])),
            variables,
            equation: Equation { terms, sides: [left, right], conditions: Vec::new() },
            widths,
            claims: Vec::new(),
            grade: Some(0),
            line: 0,
        };
        rule.name = "synth".into();
        rule.name = format!("synth-s{}", &ledger::digest(&rule)[..10]);
        rule
    }
}

fn text(rule: &Rule) -> String {
    let side = |side| print::term(rule.terms(), &rule.variables, side);
    format!("{} = {}", side(rule.left()), side(rule.right()))
}

fn first_uses(terms: &Terms, term: TermId, order: &mut Vec<u16>) {
    if let Op::Variable(index) = terms.op(term)
        && !order.contains(&index)
    {
        order.push(index);
    }
    for &arg in terms.args(term) {
        first_uses(terms, arg, order);
    }
}

/// The least width at which no literal wraps and all shift amounts are below the width.
fn least_width(terms: &Terms, sides: [TermId; 2]) -> u16 {
    let mut least = 1;
    for term in terms.in_order(&sides) {
        if let Some(n) = terms.literal_value(term)
            && n.bits() > 1
        {
            least = least.max(n.bits() as u16 + 1);
        }
        if matches!(terms.op(term), Op::Shl | Op::Lshr | Op::Ashr)
            && let Some(amount) =
                terms.literal_value(terms.args(term)[1]).and_then(|n| u16::try_from(n).ok())
        {
            least = least.max(amount + 1);
        }
    }
    least
}

fn category(terms: &Terms, sides: [TermId; 2]) -> Category {
    let order = terms.in_order(&sides);
    let has = |test: &dyn Fn(Op) -> bool| order.iter().any(|&term| test(terms.op(term)));
    let wide = order.iter().any(|&term| terms.literal_value(term).is_some_and(|n| n.bits() > 200));
    if wide || has(&|op| matches!(op, Op::Addmod | Op::Mulmod | Op::Exp)) {
        Category::Domain
    } else if has(&|op| {
        matches!(op, Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem | Op::Fdiv | Op::Fmod)
    }) {
        Category::Division
    } else if has(&|op| {
        op.is_comparison() || matches!(op, Op::Ite | Op::Umin | Op::Umax | Op::Smin | Op::Smax)
    }) {
        Category::Comparison
    } else if has(&|op| matches!(op, Op::Shl | Op::Lshr | Op::Ashr | Op::Rotl | Op::Rotr)) {
        Category::Shift
    } else if has(&|op| op == Op::Mul) && has(&|op| matches!(op, Op::And | Op::Or | Op::Xor)) {
        Category::PolynomialMba
    } else if has(&|op| matches!(op, Op::And | Op::Or | Op::Xor))
        && has(&|op| matches!(op, Op::Add | Op::Sub))
    {
        Category::LinearMba
    } else {
        Category::Ring
    }
}
