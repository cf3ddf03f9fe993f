//! Runs programs with the evaluator of `identity`: the result of a body on each of many inputs, and which edge cases of its
//! operators an input reaches.
//!
//! Languages do not specify the order in which operands are evaluated. If two operands of one operator trap in different
//! ways, either trap may be observed: the run is ambiguous. So is a trap in an unused value, where the compiler may remove
//! it.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigInt;

use super::dialect::TrapKinds;
use super::edge_cases::{self, EdgeCases, Places};
use super::program::{ACCUMULATOR, Body, COUNTER, HELPER, Step, width};
use identity::evaluate::{Outcome, Sheet, Stop, Tape, with_limbs};
use identity::kernel::{Op, Semantics, TermId, Terms, Trap, ZeroDivision};
use identity::word::Word;

/// The semantics of languages whose compilers remove unused operations even if they could trap: FunC and Tolk treat all
/// arithmetic as pure.
const REMOVES_TRAPS: &[&str] = &["ton"];

/// The semantics of operators, and what can be observed of a trap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Arithmetic {
    pub semantics: &'static Semantics,
    pub traps: TrapKinds,
}

impl Arithmetic {
    /// What can be observed of a stop: where traps are alike, all are mapped to one.
    fn observed(self, stop: Stop) -> Stop {
        match (self.traps, stop) {
            (TrapKinds::Alike, Stop::Trap(_)) => Stop::Trap(Trap::Overflow),
            _ => stop,
        }
    }
}

/// How a run ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fate {
    /// A word.
    Value(BigInt),
    Trap(Trap),
    Undefined,
    Ambiguous,
}

/// The results of a body on some inputs.
#[derive(Clone, Debug)]
pub(super) struct Runs {
    pub fates: Vec<Fate>,
    /// For each input, the edge cases that it reached; empty unless they were asked for.
    pub edge_cases: Vec<EdgeCases>,
}

/// Runs a body on each row of arguments.
pub(super) fn run(
    terms: &Terms,
    body: &Body,
    rows: &[Vec<BigInt>],
    arithmetic: Arithmetic,
    trace: bool,
) -> Option<Runs> {
    let widest = terms.in_order(&body.sites()).into_iter().map(|term| width(terms, term)).max()?;
    let limbs = usize::from(widest).div_ceil(64);
    with_limbs!(limbs, run_limbs::<_>(terms, body, rows, arithmetic, trace))
}

fn run_limbs<const N: usize>(
    terms: &Terms,
    body: &Body,
    rows: &[Vec<BigInt>],
    arithmetic: Arithmetic,
    trace: bool,
) -> Option<Runs> {
    let parameters = rows.first().map_or(0, Vec::len);
    let mut values: Vec<(u16, Vec<Word<N>>)> = (0..parameters)
        .map(|n| (n as u16, rows.iter().map(|row| Word::from_integer(&row[n])).collect()))
        .collect();
    let mut state = State {
        terms,
        arithmetic,
        idle: REMOVES_TRAPS
            .contains(&arithmetic.semantics.name)
            .then(|| idle(terms, body, parameters)),
        stops: vec![None; rows.len()],
        edge_cases: trace.then(|| vec![EdgeCases::default(); rows.len()]),
        places: Places::default(),
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
    Some(Runs { fates: fates.collect(), edge_cases: state.edge_cases.unwrap_or_default() })
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum End {
    Stop(Stop),
    Ambiguous,
}

struct State<'a> {
    terms: &'a Terms,
    arithmetic: Arithmetic,
    /// The sites whose value may be unused, which a compiler may remove; nothing where it must not remove traps.
    idle: Option<Vec<usize>>,
    /// What ended each row first.
    stops: Vec<Option<End>>,
    edge_cases: Option<Vec<EdgeCases>>,
    places: Places,
}

impl State<'_> {
    /// The values of some terms that are evaluated in unspecified order.
    fn evaluate<const N: usize>(
        &mut self,
        site: usize,
        roots: &[TermId],
        values: &[(u16, Vec<Word<N>>)],
    ) -> Option<Vec<Vec<Word<N>>>> {
        let tape = Tape::new(self.terms, roots, 1, self.arithmetic.semantics).ok()?;
        let mut sheet = Sheet::<N>::new(&tape, self.stops.len());
        for (variable, column) in values {
            sheet.set(&tape, *variable, column.iter().copied());
        }
        sheet.run(&tape);
        let place = self.places.of(site, tape.instructions().len());
        for (row, end) in self.stops.iter_mut().enumerate().filter(|(_, end)| end.is_none()) {
            if let Some(all) = &mut self.edge_cases {
                edge_cases::gather(place, &tape, &sheet, row, &mut all[row]);
            }
            let stopped = |n: &usize| sheet.root(&tape, *n).stop(row).is_some();
            let left_out = self.idle.as_ref().is_some_and(|idle| {
                (0..roots.len()).filter(stopped).any(|n| idle.contains(&(site + n)))
                    || is_absorbed(&tape, &sheet, row)
            });
            let arithmetic = self.arithmetic;
            let root = |n: usize| sheet.root(&tape, n).stop(row).map(|it| arithmetic.observed(it));
            let mut stops = (0..roots.len()).filter_map(root);
            *end = stops.next().map(|first| {
                let differ = stops.any(|other| other != first);
                let ambiguous = differ || left_out || is_ambiguous(&tape, &sheet, row, arithmetic);
                if ambiguous { End::Ambiguous } else { End::Stop(first) }
            });
            if end.is_none() && self.idle.is_some() && deviates_on_ton(&tape, &sheet, row) {
                *end = Some(End::Ambiguous);
            }
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

/// Whether TON's virtual machine deviates from its documentation, so that the result depends on whether the compiler folds
/// the operator. Zero shifted left by a large amount overflows (observed below 300 bits already). So does, sometimes, the
/// exclusive or of two negative numbers of which the longer one nearly fills its digits of 52 bits: −1 ^ −2^103 does,
/// −2^103 ^ −1 does not.
fn deviates_on_ton<const N: usize>(tape: &Tape, sheet: &Sheet<N>, row: usize) -> bool {
    tape.instructions().iter().any(|instruction| {
        let width = u32::from(instruction.width);
        let value = |n: usize| sheet.column(instruction.args[n]).values[row];
        let is_negative = |n: usize| value(n).bit(width - 1);
        let nearly_fills = |n: usize| {
            let complement: BigInt = (BigInt::from(1) << width) - 1 - value(n).to_integer();
            complement.bits() > 52 && matches!(complement.bits() % 52, 0 | 51)
        };
        match instruction.op {
            Op::Shl => value(0).is_zero() && value(1) > Word::small(u64::from(width)),
            Op::Xor => is_negative(0) && is_negative(1) && (nearly_fills(0) || nearly_fills(1)),
            _ => false,
        }
    })
}

/// Whether an operand stops whose value cannot change the result, or may not as far as a compiler knows: it is multiplied by
/// zero or the like, or it is compared, and range analysis can decide the comparison.
fn is_absorbed<const N: usize>(tape: &Tape, sheet: &Sheet<N>, row: usize) -> bool {
    tape.instructions().iter().any(|instruction| {
        let stops = |n: usize| sheet.column(instruction.args[n]).stop(row).is_some();
        let value = |n: usize| sheet.column(instruction.args[n]).values[row];
        let ones = Word::mask(u32::from(instruction.width));
        // Whether one of two operands stops and the other one determines the result.
        let determined = |determines: &dyn Fn(Word<N>) -> bool| {
            [(0, 1), (1, 0)].iter().any(|&(a, b)| stops(a) && !stops(b) && determines(value(b)))
        };
        match instruction.op {
            Op::Mul => determined(&|other| other.is_zero()),
            Op::And => determined(&|other| other.is_zero()),
            Op::Or => determined(&|other| other == ones),
            Op::Sub | Op::Xor => instruction.args[0] == instruction.args[1] && stops(0),
            Op::Fmod => stops(0) && !stops(1) && (value(1) == Word::small(1) || value(1) == ones),
            Op::Shl | Op::Ashr | Op::Fdiv => stops(1) && !stops(0) && value(0).is_zero(),
            Op::Smin | Op::Smax => stops(0) || stops(1),
            Op::Ite => stops(0),
            op if op.is_comparison() => stops(0) || stops(1),
            _ => false,
        }
    })
}

/// The sites of a body whose value may be unused: steps that the result does not depend on, arguments that a helper does not
/// use, and the initial value of a loop whose body does not use it. A use counts only through operators that are injective
/// in the operand.
fn idle(terms: &Terms, body: &Body, parameters: usize) -> Vec<usize> {
    let variables = |term: TermId| {
        let (mut open, mut found) = (vec![term], vec![]);
        while let Some(term) = open.pop() {
            match terms.op(term) {
                Op::Variable(variable) => found.push(variable),
                Op::Add | Op::Neg | Op::Not => open.extend(terms.args(term)),
                Op::Sub | Op::Xor if terms.args(term)[0] != terms.args(term)[1] => {
                    open.extend(terms.args(term));
                }
                _ => {}
            }
        }
        found
    };
    let mut needed: BTreeSet<u16> = variables(body.result).into_iter().collect();
    let mut idle = Vec::new();
    for (index, step) in body.steps.iter().enumerate().rev() {
        let sites = body.sites_of(index);
        if !needed.contains(&Body::variable(parameters, index)) {
            idle.extend(sites);
            continue;
        }
        let inside: BTreeSet<u16> = variables(step.value()).into_iter().collect();
        for (site, term) in sites.zip(step.terms()) {
            let first = body.sites_of(index).start;
            let used = match step {
                Step::Let { .. } => true,
                Step::Loop { .. } => site > first || inside.contains(&ACCUMULATOR),
                Step::Call { arguments, .. } => {
                    let at = site - first;
                    at == arguments.len() || inside.contains(&(HELPER + at as u16))
                }
            };
            if used {
                needed.extend(variables(term));
            } else {
                idle.push(site);
            }
        }
    }
    idle
}

/// Whether two operands of one operator stop in different ways, or one operand stops and the operator itself does, because of
/// a divisor of zero: Solidity checks the modulus of `mulmod` before it evaluates the factors.
fn is_ambiguous<const N: usize>(
    tape: &Tape,
    sheet: &Sheet<N>,
    row: usize,
    arithmetic: Arithmetic,
) -> bool {
    tape.instructions().iter().any(|instruction| {
        let stops = instruction.args().iter().filter_map(|&arg| sheet.column(arg).stop(row));
        let by_zero = match (tape.semantics().zero_division, divisor(instruction.op)) {
            (ZeroDivision::Traps(trap), Some(n)) => {
                let divisor = sheet.column(instruction.args[n]);
                let is_zero = divisor.stop(row).is_none() && divisor.values[row].is_zero();
                is_zero.then_some(Stop::Trap(trap))
            }
            _ => None,
        };
        let mut stops = stops.chain(by_zero).map(|stop| arithmetic.observed(stop));
        stops.next().is_some_and(|first| stops.any(|other| other != first))
    })
}

/// The operand of an operator by which it divides.
pub(super) fn divisor(op: Op) -> Option<usize> {
    match op {
        Op::Udiv | Op::Urem | Op::Sdiv | Op::Srem | Op::Fdiv | Op::Fmod => Some(1),
        Op::Addmod | Op::Mulmod => Some(2),
        _ => None,
    }
}

/// The constant expressions among some terms, operands first, and their results.
pub(super) fn closed(
    terms: &Terms,
    order: &[TermId],
    semantics: &Semantics,
) -> BTreeMap<TermId, Outcome> {
    let mut closed = BTreeMap::new();
    for &term in order {
        let node = terms.node(term);
        let is_closed = match node.op {
            Op::Variable(_) => false,
            _ => node.args().iter().all(|arg| closed.contains_key(arg)),
        };
        if !is_closed {
            continue;
        }
        if let Some(value) = terms.literal_value(term) {
            closed.insert(term, Outcome::Value(value.clone()));
        } else if let Ok(tape) = Tape::new(terms, &[term], 1, semantics) {
            closed.extend(tape.run(&[]).pop().map(|outcome| (term, outcome)));
        }
    }
    closed
}

#[cfg(test)]
mod tests {
    use super::*;
    use identity::kernel::Extent;

    fn distinct(semantics: &str) -> Arithmetic {
        let semantics = Semantics::named(semantics).unwrap();
        Arithmetic { semantics, traps: TrapKinds::Distinct }
    }

    /// `xor` of a quotient that overflows and a division by zero: Binaryen may swap the operands.
    #[test]
    fn competing_traps_are_ambiguous_only_if_their_kind_is_observable() {
        let mut terms = Terms::new();
        let width = Extent::fixed(32);
        let [a, b] = [0, 1].map(|variable| terms.variable(variable, width));
        let least = terms.literal(BigInt::from(1) << 31_u32, width);
        let overflows = terms.apply(Op::Sdiv, &[least, a]);
        let by_zero = terms.apply(Op::Udiv, &[a, b]);
        let result = terms.apply(Op::Xor, &[overflows, by_zero]);
        let body = Body { steps: vec![], result };
        let row = [vec![(BigInt::from(1) << 32_u32) - 1, BigInt::ZERO]];
        let fates = |traps| {
            let arithmetic = Arithmetic { traps, ..distinct("wasm") };
            run(&terms, &body, &row, arithmetic, false).unwrap().fates
        };
        assert_eq!(fates(TrapKinds::Distinct), [Fate::Ambiguous]);
        assert_eq!(fates(TrapKinds::Alike), [Fate::Trap(Trap::Overflow)]);
    }

    /// A quotient whose value is used or not, under two semantics.
    #[test]
    fn unused_traps_are_ambiguous_where_compilers_remove_them() {
        let mut terms = Terms::new();
        let width = Extent::fixed(257);
        let [a, step] = [0, 1].map(|variable| terms.variable(variable, width));
        let zero = terms.literal(0, width);
        let quotient = terms.apply(Op::Fdiv, &[a, zero]);
        let used = Body { steps: vec![Step::Let { term: quotient }], result: step };
        let unused = Body { result: a, ..used.clone() };
        let fate = |body: &Body, semantics: &str| {
            run(&terms, body, &[vec![BigInt::from(7)]], distinct(semantics), false).unwrap().fates
                [0]
            .clone()
        };
        assert_eq!(fate(&used, "ton"), Fate::Trap(Trap::Overflow));
        assert_eq!(fate(&unused, "ton"), Fate::Ambiguous);
        assert_eq!(fate(&unused, "rust-signed"), Fate::Trap(Trap::Overflow));
    }

    /// Found with solc: it checks the modulus before it computes the factors.
    #[test]
    fn operand_versus_operator_trap_order_is_unspecified() {
        let mut terms = Terms::new();
        let width = Extent::fixed(256);
        let [a, modulus] = [0, 1].map(|variable| terms.variable(variable, width));
        let zero = terms.literal(0, width);
        let below = terms.apply(Op::Sub, &[zero, a]);
        let product = terms.apply(Op::Mulmod, &[below, zero, modulus]);
        let quotient = terms.apply(Op::Udiv, &[below, modulus]);
        let arithmetic = distinct("solidity-unsigned");
        for (result, row, fate) in [
            (product, [1, 0], Fate::Ambiguous),
            (product, [0, 0], Fate::Trap(Trap::Division)),
            (product, [1, 3], Fate::Trap(Trap::Overflow)),
            (quotient, [1, 0], Fate::Ambiguous),
            (quotient, [0, 0], Fate::Trap(Trap::Division)),
        ] {
            let body = Body { steps: vec![], result };
            let row = vec![row.map(BigInt::from).to_vec()];
            assert_eq!(run(&terms, &body, &row, arithmetic, false).unwrap().fates, [fate]);
        }
    }

    #[test]
    fn absorbed_and_compared_traps_are_ambiguous_too() {
        let mut terms = Terms::new();
        let width = Extent::fixed(257);
        let a = terms.variable(0, width);
        let [zero, one, far] = [0, 1, 438].map(|n| terms.literal(n, width));
        let ones = terms.literal(-1, width);
        let least = terms.literal(BigInt::from(-1) << 103_u32, width);
        let quotient = terms.apply(Op::Fdiv, &[a, zero]);
        let fate = |terms: &Terms, result: TermId| {
            let body = Body { steps: vec![], result };
            run(terms, &body, &[vec![BigInt::from(7)]], distinct("ton"), false).unwrap().fates[0]
                .clone()
        };
        for (op, args, fate_of_it) in [
            (Op::Mul, vec![quotient, zero], Fate::Ambiguous),
            (Op::Mul, vec![quotient, one], Fate::Trap(Trap::Overflow)),
            (Op::Slt, vec![quotient, one], Fate::Ambiguous),
            (Op::Ite, vec![one, quotient, zero], Fate::Trap(Trap::Overflow)),
            (Op::Fdiv, vec![zero, zero], Fate::Trap(Trap::Overflow)),
            (Op::Shl, vec![zero, far], Fate::Ambiguous),
            (Op::Shl, vec![zero, one], Fate::Value(BigInt::ZERO)),
            (Op::Xor, vec![ones, least], Fate::Ambiguous),
            (Op::Xor, vec![ones, ones], Fate::Value(BigInt::ZERO)),
        ] {
            let term = terms.apply(op, &args);
            assert_eq!(fate(&terms, term), fate_of_it, "{op:?}");
        }
    }

    #[test]
    fn unused_arguments_and_loop_starts_are_idle() {
        let mut terms = Terms::new();
        let width = Extent::fixed(257);
        let [a, call, turn] = [0, 1, 2].map(|variable| terms.variable(variable, width));
        let second = terms.variable(HELPER + 1, width);
        let arguments = vec![a, a];
        let steps = vec![
            Step::Call { arguments, body: second, inline: super::super::Inline::Free },
            Step::Loop { times: 2, start: a, body: call },
        ];
        assert_eq!(idle(&terms, &Body { steps: steps.clone(), result: turn }, 1), [3, 0]);
        assert_eq!(idle(&terms, &Body { steps, result: call }, 1), [3, 4, 0]);
    }
}
