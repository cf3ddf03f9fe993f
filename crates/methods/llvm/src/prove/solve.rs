//! Asks CaDiCaL whether a wire can be true, within a number of conflicts.

use std::collections::BTreeMap;

use cadical_sys::{CaDiCal, Status};
use identity::kernel::{Clauses, Gate, Graph, Wire};

use super::Limits;
use super::wires::{Variable, Wires};

/// Up to this size all conflicts are allowed.
const EASY_CLAUSES: usize = 10_000;

#[derive(Debug)]
pub(super) enum Answer {
    /// With these values of the variables. A variable that is missing may have any value.
    Satisfiable(BTreeMap<Variable, u128>),
    Unsatisfiable,
    /// More conflicts, or a larger circuit, than allowed.
    Unknown,
}

/// Whether there are inputs under which the wire is true. Deterministic.
///
/// `high` says which value of a bit is tried first, so that several questions get different answers.
pub(super) fn solve(wires: &Wires, wire: Wire, limits: Limits, high: bool) -> Answer {
    if wires.is_exhausted() {
        return Answer::Unknown;
    }
    if wire.is_constant() {
        return if wire == Wire::TRUE {
            Answer::Satisfiable(BTreeMap::new())
        } else {
            Answer::Unsatisfiable
        };
    }
    if clauses(&wires.graph, wire) > limits.clauses {
        return Answer::Unknown;
    }
    // `refuting` asserts that its output is false.
    let clauses = Clauses::refuting(&wires.graph, !wire);
    let mut solver = CaDiCal::new();
    // Keeps environment variables (CADICAL_…) from affecting results.
    solver.configure("plain");
    solver.set("phase", i32::from(high));
    // The tables of variables are allocated once.
    solver.resize(i32::try_from(clauses.variables()).unwrap_or(i32::MAX));
    for clause in clauses.iter() {
        solver.clause6(clause);
    }
    // A conflict costs the more the larger the circuit is.
    let scale = (clauses.len() / EASY_CLAUSES).max(1);
    let conflicts = limits.conflicts / u32::try_from(scale).unwrap_or(u32::MAX);
    solver.limit("conflicts", i32::try_from(conflicts).unwrap_or(i32::MAX));
    match solver.solve() {
        Status::SATISFIABLE => {
            let mut values: BTreeMap<Variable, u128> = BTreeMap::new();
            for input in clauses.inputs() {
                let value = values.entry(input.variable).or_default();
                if solver.val(input.cnf_variable) > 0 && input.bit < 128 {
                    *value |= 1 << input.bit;
                }
            }
            Answer::Satisfiable(values)
        }
        Status::UNSATISFIABLE => Answer::Unsatisfiable,
        Status::UNKNOWN => Answer::Unknown,
    }
}

/// How many clauses say what a wire is, and that it is true.
fn clauses(graph: &Graph, wire: Wire) -> usize {
    let gates = &graph.gates()[..=wire.gate()];
    let mut is_needed = vec![false; gates.len()];
    is_needed[wire.gate()] = true;
    let mut count = 1;
    for (index, gate) in gates.iter().enumerate().rev() {
        if !is_needed[index] {
            continue;
        }
        count += match gate {
            Gate::False => 1,
            Gate::Input { .. } => 0,
            Gate::And(..) => 3,
            Gate::Xor(..) => 4,
        };
        if let Gate::And(a, b) | Gate::Xor(a, b) = gate {
            (is_needed[a.gate()], is_needed[b.gate()]) = (true, true);
        }
    }
    count
}
