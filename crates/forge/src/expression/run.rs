//! Runs programs: what a body comes to on each of many inputs, by the evaluator of `identity`, and which
//! corners of its operators an input reaches.
//!
//! Languages leave it open in which order operands are evaluated. Where two operands of one operator stop
//! in different ways, which of them is seen is nobody's mistake: such a run is ambiguous.

use std::collections::BTreeSet;

use num_bigint::BigInt;

use super::corners::{self, Corner};
use super::program::{ACCUMULATOR, Body, COUNTER, HELPER, Step, width};
use crate::identity::evaluate::{Outcome, Sheet, Stop, Tape, with_limbs};
use crate::identity::kernel::{Op, Semantics, TermId, Terms, Trap};
use crate::identity::word::Word;

/// How a run ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// A word.
    Value(BigInt),
    Trap(Trap),
    Undefined,
    Ambiguous,
}

/// What came of running a body on some inputs.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    pub fates: Vec<Fate>,
    /// For each input, the corners that it reached; empty unless they were asked for.
    pub corners: Vec<BTreeSet<Corner>>,
}

/// Runs a body on each row of arguments.
pub(super) fn run(
    terms: &Terms,
    body: &Body,
    rows: &[Vec<BigInt>],
    semantics: &Semantics,
    trace: bool,
) -> Option<Runs> {
    let widest = terms.in_order(&body.sites()).into_iter().map(|term| width(terms, term)).max()?;
    let limbs = usize::from(widest).div_ceil(64);
    with_limbs!(limbs, run_limbs::<_>(terms, body, rows, semantics, trace))
}

fn run_limbs<const N: usize>(
    terms: &Terms,
    body: &Body,
    rows: &[Vec<BigInt>],
    semantics: &Semantics,
    trace: bool,
) -> Option<Runs> {
    let parameters = rows.first().map_or(0, Vec::len);
    let mut values: Vec<(u16, Vec<Word<N>>)> = (0..parameters)
        .map(|n| (n as u16, rows.iter().map(|row| Word::from_integer(&row[n])).collect()))
        .collect();
    let mut state = State {
        terms,
        semantics,
        stops: vec![None; rows.len()],
        corners: trace.then(|| vec![BTreeSet::new(); rows.len()]),
    };
    let mut site = 0;
    for (index, step) in body.steps.iter().enumerate() {
        let result = match step {
            Step::Let { term } => state.one(site, *term, &values)?,
            Step::Loop { times, start, body } => {
                let mut accumulator = state.one(site, *start, &values)?;
                for turn in 0..*times {
                    let counter = vec![Word::small(u64::from(turn)); rows.len()];
                    let mut inside = values.clone();
                    inside.push((ACCUMULATOR, accumulator));
                    inside.push((COUNTER, counter));
                    accumulator = state.one(site + 1, *body, &inside)?;
                }
                accumulator
            }
            Step::Call { arguments, body, .. } => {
                let given = state.evaluate(site, arguments, &values)?.into_iter().enumerate();
                let inside: Vec<_> = given.map(|(n, column)| (HELPER + n as u16, column)).collect();
                state.one(site + arguments.len(), *body, &inside)?
            }
        };
        site += step.terms().len();
        values.push((Body::variable(parameters, index), result));
    }
    let result = state.one(site, body.result, &values)?;
    let fates = state.stops.iter().zip(result).map(|(stop, value)| match stop {
        None => Fate::Value(value.to_integer()),
        Some(End::Stop(Stop::Trap(trap))) => Fate::Trap(*trap),
        Some(End::Stop(Stop::Undefined)) => Fate::Undefined,
        Some(End::Ambiguous) => Fate::Ambiguous,
    });
    Some(Runs { fates: fates.collect(), corners: state.corners.unwrap_or_default() })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Stop(Stop),
    Ambiguous,
}

struct State<'a> {
    terms: &'a Terms,
    semantics: &'a Semantics,
    /// What ended each row first.
    stops: Vec<Option<End>>,
    corners: Option<Vec<BTreeSet<Corner>>>,
}

impl State<'_> {
    /// The values of some terms that are evaluated in an order that is nobody's business.
    fn evaluate<const N: usize>(
        &mut self,
        site: usize,
        roots: &[TermId],
        values: &[(u16, Vec<Word<N>>)],
    ) -> Option<Vec<Vec<Word<N>>>> {
        let tape = Tape::new(self.terms, roots, 1, self.semantics).ok()?;
        let mut sheet = Sheet::<N>::new(&tape, self.stops.len());
        for (variable, column) in values {
            sheet.set(&tape, *variable, column.iter().copied());
        }
        sheet.run(&tape);
        for (row, end) in self.stops.iter_mut().enumerate().filter(|(_, end)| end.is_none()) {
            if let Some(all) = &mut self.corners {
                corners::gather(site, &tape, &sheet, row, &mut all[row]);
            }
            let mut stops = (0..roots.len()).filter_map(|n| sheet.root(&tape, n).stop(row));
            *end = stops.next().map(|first| {
                let differ = stops.any(|other| other != first);
                let ambiguous = differ || is_ambiguous(&tape, &sheet, row);
                if ambiguous { End::Ambiguous } else { End::Stop(first) }
            });
        }
        Some((0..roots.len()).map(|n| sheet.root(&tape, n).values.clone()).collect())
    }

    fn one<const N: usize>(
        &mut self,
        site: usize,
        root: TermId,
        values: &[(u16, Vec<Word<N>>)],
    ) -> Option<Vec<Word<N>>> {
        self.evaluate(site, &[root], values)?.pop()
    }
}

/// Whether two operands of one operator stop in different ways.
fn is_ambiguous<const N: usize>(tape: &Tape, sheet: &Sheet<N>, row: usize) -> bool {
    tape.instructions().iter().any(|instruction| {
        let operands = &instruction.args[..instruction.op.arity()];
        let mut stops = operands.iter().filter_map(|&arg| sheet.column(arg).stop(row));
        stops.next().is_some_and(|first| stops.any(|other| other != first))
    })
}

/// Of some terms, operands first, those without variables that come to no value.
pub(super) fn closed_stops(terms: &Terms, order: &[TermId], semantics: &Semantics) -> Vec<TermId> {
    let mut closed = BTreeSet::new();
    let mut stopping = Vec::new();
    for &term in order {
        let node = terms.node(term);
        let is_closed = match node.op {
            Op::Variable(_) => false,
            _ => node.args().iter().all(|arg| closed.contains(arg)),
        };
        if !is_closed {
            continue;
        }
        closed.insert(term);
        if node.op.arity() > 0
            && let Ok(tape) = Tape::new(terms, &[term], 1, semantics)
            && !matches!(tape.run(&[])[0], Outcome::Value(_))
        {
            stopping.push(term);
        }
    }
    stopping
}
