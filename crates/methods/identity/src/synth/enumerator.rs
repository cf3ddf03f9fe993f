//! Enumerates one grammar by size. Operators are applied only to class representatives, so that
//! only one of many equal terms is extended. A term that falls into an existing class is a
//! conjecture.

use std::collections::VecDeque;

use num_bigint::BigInt;

use super::bank::Bank;
use super::grammar::Grammar;
use crate::kernel::{Extent, Op, TermId, Terms};
use crate::valuations::Valuations;
use crate::word::Word;

/// Two terms that agree on all valuations; `simple` was found first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conjecture {
    pub(super) simple: TermId,
    pub(super) other: TermId,
}

/// Limits on the classes per grammar, and on the applications per unit of work.
const CLASSES: usize = 24_000;
const APPLICATIONS: usize = 700_000;
/// Initial rows of values per term.
const ROWS: usize = 240;
/// Limit on rows added at once.
const COUNTEREXAMPLES: usize = 16;

/// An enumerator, independent of the limbs of its words.
pub(super) trait Enumerate: std::fmt::Debug {
    /// Does the next unit of work; `false` if there is none.
    fn advance(&mut self, terms: &mut Terms, found: &mut VecDeque<Conjecture>) -> bool;

    /// Adds a counterexample to a conjecture.
    fn learn(&mut self, values: &[BigInt]);
}

/// One operator at one size, with the sizes of its operands.
#[derive(Clone, Debug)]
struct Unit {
    op: Op,
    sizes: Vec<usize>,
    size: usize,
}

#[derive(Debug)]
pub(super) struct Enumerator<const N: usize> {
    grammar: Grammar,
    bank: Bank<N>,
    units: VecDeque<Unit>,
    /// The classes of the literals for amounts and divisors.
    amounts: Vec<u32>,
    divisors: Vec<u32>,
    started: bool,
    seed: u64,
    /// Counterexamples that are not rows yet.
    counterexamples: Vec<Vec<Word<N>>>,
}

impl<const N: usize> Enumerator<N> {
    pub(super) fn new(grammar: Grammar, seed: u64) -> Self {
        let mut units = VecDeque::new();
        for size in 2..=grammar.size {
            for &op in grammar.unary {
                units.push_back(Unit { op, sizes: vec![size - 1], size });
            }
            for (ops, divides) in [(grammar.shifts, false), (grammar.divisions, true)] {
                let any = if divides {
                    !grammar.divisors.is_empty()
                } else {
                    !grammar.amounts.is_empty()
                };
                for &op in ops.iter().filter(|_| size > 2 && any) {
                    units.push_back(Unit { op, sizes: vec![size - 2, 1], size });
                }
            }
            for first in 1..size.saturating_sub(1) {
                let second = size - 1 - first;
                for &op in grammar.binary.iter().filter(|op| !op.commutes() || first >= second) {
                    units.push_back(Unit { op, sizes: vec![first, second], size });
                }
            }
            for &op in grammar.ternary {
                for first in 1..size {
                    for second in 1..size {
                        if first + second + 2 <= size {
                            units.push_back(Unit {
                                op,
                                sizes: vec![first, second, size - 1 - first - second],
                                size,
                            });
                        }
                    }
                }
            }
        }
        Self {
            bank: Bank::new(grammar.width, ROWS),
            grammar,
            units,
            amounts: Vec::new(),
            divisors: Vec::new(),
            started: false,
            seed,
            counterexamples: Vec::new(),
        }
    }

    /// Adds the leaves and their values to the bank.
    fn begin(&mut self, terms: &mut Terms) {
        let width = self.grammar.width;
        let count = usize::from(self.grammar.variables);
        let mut valuations = Valuations::<N>::new(&vec![width; count]);
        let mut row = vec![Word::ZERO; count];
        let mut columns = vec![Vec::new(); count];
        let mut drawn = 0;
        // The cross product of edge cases comes first and is long; every third row suffices.
        while columns[0].len() < ROWS {
            valuations.draw(&mut row);
            drawn += 1;
            if drawn > 400 || (drawn + self.seed as usize).is_multiple_of(3) || count == 1 {
                for (column, &value) in columns.iter_mut().zip(&row) {
                    column.push(value);
                }
            }
        }
        for (index, column) in (0..).zip(columns) {
            let term = terms.variable(index, Extent::WORD);
            self.bank.variable(term, index, column);
        }
        let modulus = BigInt::from(1) << width;
        let mut literal = |bank: &mut Bank<N>, n: &BigInt| {
            let term = terms.literal(n.clone(), Extent::WORD);
            bank.literal(term, Word::from_integer(&(((n % &modulus) + &modulus) % &modulus)))
        };
        for n in &self.grammar.literals {
            literal(&mut self.bank, n);
        }
        for &n in self.grammar.amounts {
            self.amounts.push(literal(&mut self.bank, &n.into()));
        }
        for &n in self.grammar.divisors {
            self.divisors.push(literal(&mut self.bank, &n.into()));
        }
    }

    fn operands(&self, unit: &Unit, place: usize) -> Vec<u32> {
        let by_literal = place == 1 && unit.sizes.len() == 2;
        if by_literal && self.grammar.shifts.contains(&unit.op) {
            return self.amounts.clone();
        }
        if by_literal && self.grammar.divisions.contains(&unit.op) {
            return self.divisors.clone();
        }
        self.bank.of_size(unit.sizes[place]).to_vec()
    }

    fn work(&mut self, unit: &Unit, terms: &mut Terms, found: &mut VecDeque<Conjecture>) {
        let lists: Vec<Vec<u32>> =
            (0..unit.sizes.len()).map(|place| self.operands(unit, place)).collect();
        let total = lists.iter().map(Vec::len).product::<usize>();
        // If there are too many combinations, an even sample of them, offset by the seed.
        let stride = total.div_ceil(APPLICATIONS).max(1);
        let mut index = self.seed as usize % stride;
        let mut operands = vec![0; lists.len()];
        while index < total {
            let mut rest = index;
            for (operand, list) in operands.iter_mut().zip(&lists).rev() {
                *operand = list[rest % list.len()];
                rest /= list.len();
            }
            index += stride;
            let ordered = !unit.op.commutes() || operands[0] >= operands[1] || lists.len() != 2;
            if !ordered || self.is_constant(unit, &operands, terms) {
                continue;
            }
            let class = self.bank.compute(unit.op, &operands);
            let args: Vec<TermId> =
                operands.iter().map(|&operand| self.bank.term(operand)).collect();
            match class {
                Ok(class) => {
                    let other = terms.apply(unit.op, &args);
                    found.push_back(Conjecture { simple: self.bank.term(class), other });
                }
                Err(key) if unit.size < self.grammar.size && self.bank.len() < CLASSES => {
                    let term = terms.apply(unit.op, &args);
                    self.bank.keep(term, unit.op, &operands, key, unit.size);
                }
                Err(_) => {}
            }
        }
    }

    /// An operation on literals alone is only constant folding.
    fn is_constant(&self, unit: &Unit, operands: &[u32], terms: &Terms) -> bool {
        unit.size <= 4
            && operands
                .iter()
                .all(|&operand| terms.literal_value(self.bank.term(operand)).is_some())
    }
}

impl<const N: usize> Enumerate for Enumerator<N> {
    fn advance(&mut self, terms: &mut Terms, found: &mut VecDeque<Conjecture>) -> bool {
        if !self.started {
            self.started = true;
            self.begin(terms);
        }
        let Some(unit) = self.units.pop_front() else { return false };
        if !self.counterexamples.is_empty() {
            self.bank.learn(&std::mem::take(&mut self.counterexamples));
        }
        self.work(&unit, terms, found);
        true
    }

    fn learn(&mut self, values: &[BigInt]) {
        let mask = Word::mask(u32::from(self.grammar.width));
        let row: Vec<Word<N>> =
            values.iter().map(|value| Word::from_integer(value) & mask).collect();
        if self.counterexamples.len() < COUNTEREXAMPLES {
            self.counterexamples.push(row);
        }
    }
}
