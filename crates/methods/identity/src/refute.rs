//! Searches for counterexamples of an equation at some widths: exhaustively where feasible,
//! otherwise on many structured valuations. An equation that survives is not thereby proven.

use std::collections::BTreeMap;
use std::fmt;

use num_bigint::BigInt;

use super::evaluate::{Column, Outcome, Sheet, Tape, outcome, with_limbs};
use super::kernel::{Equation, Op, Relation, Semantics, WORDS};
use super::valuations::Valuations;
use super::word::Word;

/// Up to this many bits in all variables together, the search is exhaustive.
const EXHAUSTIVE: u32 = 16;

/// The number of valuations otherwise.
const VALUATIONS: usize = 1280;

/// Limit on draws in search of valuations that satisfy the conditions.
const DRAWS: usize = 64 * VALUATIONS;

/// Valuations evaluated at once.
const ROWS: usize = 128;

/// Values at which the two sides violate the relation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Counterexample {
    pub width: u16,
    /// By variable; 0 for a variable that does not occur.
    pub values: Vec<BigInt>,
    pub left: Outcome,
    pub right: Outcome,
}

impl Counterexample {
    /// A readable form, with the names of the variables.
    pub fn told<'a>(&'a self, names: &'a [String]) -> impl fmt::Display + 'a {
        Described { counterexample: self, names }
    }
}

struct Described<'a> {
    counterexample: &'a Counterexample,
    names: &'a [String],
}

impl fmt::Display for Described<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Counterexample { width, values, left, right } = self.counterexample;
        write!(f, "at {width} bits")?;
        for (name, value) in self.names.iter().zip(values) {
            write!(f, ", {name} = {value:#x}")?;
        }
        write!(f, ": the left side is {left}, the right side {right}")
    }
}

/// The result of a search for a counterexample.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Search {
    pub counterexample: Option<Counterexample>,
    /// The widths at which the equation is well-formed, up to the one at which it failed.
    pub widths: Vec<u16>,
    /// The number of valuations that satisfied the conditions.
    pub valuations: u64,
}

/// The first counterexample to the relation, at the first of the widths that has one.
pub fn refute(
    equation: &Equation,
    semantics: &Semantics,
    relation: Relation,
    widths: &[u16],
) -> Search {
    let mut search = Search::default();
    for &width in widths {
        let terms = &equation.terms;
        let Ok(sides) = Tape::new(terms, &equation.sides, width, semantics) else { continue };
        let Ok(given) = Tape::new(terms, &equation.conditions, width, &WORDS) else { continue };
        search.widths.push(width);
        let limbs = sides.limbs().max(given.limbs());
        let trial = Trial::new(width, relation, sides, given, usize::MAX);
        search.counterexample = with_limbs!(limbs, run::<_>(&trial, &mut search.valuations));
        if search.counterexample.is_some() {
            break;
        }
    }
    search
}

/// Like [`refute`] at one width, with at most `valuations` valuations.
pub fn refute_some(
    equation: &Equation,
    semantics: &Semantics,
    relation: Relation,
    width: u16,
    valuations: usize,
) -> Option<Counterexample> {
    let terms = &equation.terms;
    let sides = Tape::new(terms, &equation.sides, width, semantics).ok()?;
    let given = Tape::new(terms, &equation.conditions, width, &WORDS).ok()?;
    let limbs = sides.limbs().max(given.limbs());
    let trial = Trial::new(width, relation, sides, given, valuations);
    with_limbs!(limbs, run::<_>(&trial, &mut 0))
}

/// Tests the equation at given values; a missing value is 0.
pub fn refute_at(
    equation: &Equation,
    semantics: &Semantics,
    relation: Relation,
    width: u16,
    values: &BTreeMap<u16, BigInt>,
) -> Option<Counterexample> {
    let terms = &equation.terms;
    let sides = Tape::new(terms, &equation.sides, width, semantics).ok()?;
    let given = Tape::new(terms, &equation.conditions, width, &WORDS).ok()?;
    let limbs = sides.limbs().max(given.limbs());
    let trial = Trial::new(width, relation, sides, given, 1);
    with_limbs!(limbs, run_at::<_>(&trial, values))
}

/// Whether the equation keeps its meaning at a width: its widths are whole numbers, its operators
/// are well-typed, and its literals fit.
pub fn is_well_formed(equation: &Equation, width: u16) -> bool {
    let roots: Vec<_> = equation.sides.iter().chain(&equation.conditions).copied().collect();
    let literals_fit = || {
        equation.terms.in_order(&roots).into_iter().all(|term| {
            let bits = u64::from(equation.terms.width(term).at(width).unwrap_or(0));
            equation.terms.literal_value(term).is_none_or(|n| n.bits() <= bits)
        })
    };
    Tape::new(&equation.terms, &roots, width, &WORDS).is_ok() && literals_fit()
}

/// An equation at one width.
struct Trial {
    width: u16,
    relation: Relation,
    sides: Tape,
    given: Tape,
    /// The variables of both tapes, and their widths.
    variables: BTreeMap<u16, u16>,
    /// Variables that a condition equates with a term, and the instruction of that term.
    solved: Vec<(u16, u32)>,
    /// Limit on the valuations.
    most: usize,
}

impl Trial {
    fn new(width: u16, relation: Relation, sides: Tape, given: Tape, most: usize) -> Self {
        let all = sides.variables().iter().chain(given.variables());
        let variables = all.map(|(&index, &(_, width))| (index, width)).collect();
        let solved = solved(&given);
        Self { width, relation, sides, given, variables, solved, most }
    }

    fn bits(&self) -> u32 {
        self.variables.values().map(|&width| u32::from(width)).sum()
    }
}

/// The conditions that can be solved for a variable, in an order in which they can be solved.
fn solved(given: &Tape) -> Vec<(u16, u32)> {
    let instruction = |slot: u32| given.instructions()[slot as usize];
    let mentions = |root: u32, variable: u16| {
        let mut open = vec![root];
        while let Some(slot) = open.pop() {
            if instruction(slot).op == Op::Variable(variable) {
                return true;
            }
            open.extend(instruction(slot).args());
        }
        false
    };
    let mut solved: Vec<(u16, u32)> = Vec::new();
    for &root in given.roots() {
        let Op::Eq = instruction(root).op else { continue };
        let [a, b, _] = instruction(root).args;
        for (left, right) in [(a, b), (b, a)] {
            let Op::Variable(variable) = instruction(left).op else { continue };
            let free = solved.iter().all(|&(v, term)| v != variable && !mentions(term, variable));
            if free && !mentions(right, variable) {
                solved.push((variable, right));
                break;
            }
        }
    }
    solved
}

fn run<const N: usize>(trial: &Trial, valuations: &mut u64) -> Option<Counterexample> {
    let bits = trial.bits();
    let exhaustive = bits <= EXHAUSTIVE && 1 << bits <= trial.most;
    let rows = if exhaustive { ROWS.min(1 << bits) } else { ROWS };
    let mut batch = Batch::<N> {
        trial,
        sides: Sheet::new(&trial.sides, rows),
        given: Sheet::new(&trial.given, rows),
        values: vec![vec![Word::ZERO; rows]; trial.variables.len()],
    };
    if exhaustive {
        for start in (0_u64..1 << bits).step_by(rows) {
            batch.count_from(start);
            if let Some(row) = batch.failure(rows, valuations) {
                return Some(batch.counterexample(row));
            }
        }
        return None;
    }
    let widths: Vec<u16> = trial.variables.values().copied().collect();
    let mut source = Valuations::new(&widths);
    let mut row = vec![Word::ZERO; widths.len()];
    let enough = *valuations + VALUATIONS.min(trial.most) as u64;
    for _ in 0..DRAWS.min(trial.most.saturating_mul(16)) / rows {
        for index in 0..rows {
            source.draw(&mut row);
            for (column, &value) in batch.values.iter_mut().zip(&row) {
                column[index] = value;
            }
        }
        batch.solve();
        if let Some(row) = batch.failure(rows, valuations) {
            return Some(batch.counterexample(row));
        }
        if *valuations >= enough {
            break;
        }
    }
    None
}

fn run_at<const N: usize>(trial: &Trial, values: &BTreeMap<u16, BigInt>) -> Option<Counterexample> {
    let column = |variable: &u16| vec![values.get(variable).map_or(Word::ZERO, Word::from_integer)];
    let mut batch = Batch::<N> {
        trial,
        sides: Sheet::new(&trial.sides, 1),
        given: Sheet::new(&trial.given, 1),
        values: trial.variables.keys().map(column).collect(),
    };
    batch.failure(1, &mut 0).map(|row| batch.counterexample(row))
}

/// A batch of valuations, and the evaluation of the equation on them.
struct Batch<'a, const N: usize> {
    trial: &'a Trial,
    sides: Sheet<N>,
    given: Sheet<N>,
    /// A column for each variable, in order.
    values: Vec<Vec<Word<N>>>,
}

impl<const N: usize> Batch<'_, N> {
    /// Enumerates valuations from an index on; the last variable has the lowest bits.
    fn count_from(&mut self, start: u64) {
        let mut low = 0;
        for (values, &width) in self.values.iter_mut().zip(self.trial.variables.values()).rev() {
            for (value, number) in values.iter_mut().zip(start..) {
                *value = Word::small(number >> low & ((1 << width) - 1));
            }
            low += width;
        }
    }

    /// Sets the solved variables to the values that the conditions require.
    fn solve(&mut self) {
        for &(variable, slot) in &self.trial.solved {
            self.fill();
            self.given.run(&self.trial.given);
            let place = self.trial.variables.keys().position(|&index| index == variable);
            if let Some(place) = place {
                self.values[place].copy_from_slice(&self.given.column(slot).values);
            }
        }
    }

    fn fill(&mut self) {
        for (&variable, values) in self.trial.variables.keys().zip(&self.values) {
            self.given.set(&self.trial.given, variable, values.iter().copied());
            self.sides.set(&self.trial.sides, variable, values.iter().copied());
        }
    }

    /// The first row that satisfies the conditions and violates the relation.
    fn failure(&mut self, rows: usize, valuations: &mut u64) -> Option<usize> {
        self.fill();
        self.given.run(&self.trial.given);
        self.sides.run(&self.trial.sides);
        let conditions: Vec<&Column<N>> =
            self.trial.given.roots().iter().map(|&slot| self.given.column(slot)).collect();
        let [left, right] = [0, 1].map(|side| self.sides.root(&self.trial.sides, side));
        let satisfied = |&row: &usize| conditions.iter().all(|c| !c.values[row].is_zero());
        (0..rows).filter(satisfied).inspect(|_| *valuations += 1).find(|&row| {
            let same = left.values[row] == right.values[row];
            let holds = match (self.trial.relation, left.stop(row), right.stop(row)) {
                (Relation::Exact, a, b) => a == b && same,
                (Relation::Forward, Some(_), _) | (Relation::Backward, _, Some(_)) => true,
                (Relation::Forward, None, b) => b.is_none() && same,
                (Relation::Backward, a, None) => a.is_none() && same,
            };
            !holds
        })
    }

    fn counterexample(&self, row: usize) -> Counterexample {
        let count =
            self.trial.variables.keys().next_back().map_or(0, |&last| usize::from(last) + 1);
        let mut values = vec![BigInt::ZERO; count];
        for (&variable, column) in self.trial.variables.keys().zip(&self.values) {
            values[usize::from(variable)] = column[row].to_integer();
        }
        let side = |side| outcome(&self.sides, &self.trial.sides, side, row);
        Counterexample { width: self.trial.width, values, left: side(0), right: side(1) }
    }
}

#[cfg(test)]
mod tests;
