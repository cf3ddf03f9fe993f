//! Refutes the clauses of a goal with CaDiCaL. Proof steps arrive through its in-memory tracer. The
//! certificate is trimmed to the steps that the empty clause depends on; checking it is left to
//! `kernel/lrat.rs`.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use cadical_sys::{CaDiCal, ProofTracer, Status};
use num_bigint::BigInt;

use crate::kernel::{Certificate, Circuit, Clauses, Goal, put_step};

/// The result of the solver.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Proven(Certificate),
    /// A counterexample. Missing variables may have any value.
    Refuted(BTreeMap<u16, BigInt>),
    /// The goal has no circuit, or a limit was reached.
    Unknown,
}

/// Searches for a proof or a counterexample. The result is deterministic.
pub fn prove(goal: &Goal, conflicts: u32, most_clauses: usize) -> Answer {
    let Ok(circuit) = Circuit::of(goal) else { return Answer::Unknown };
    if circuit.is_true() {
        return Answer::Proven(Certificate::Circuit);
    }
    let clauses = circuit.clauses();
    if clauses.len() > most_clauses {
        return Answer::Unknown;
    }
    let mut solver = CaDiCal::new();
    // `configure` keeps environment variables (CADICAL_…) from affecting results. Goals are many,
    // small and mostly true, so that preprocessing and lucky phases do not pay. `factor` would
    // introduce variables that the proof format lacks.
    solver.configure("plain");
    solver.set("lucky", 0);
    solver.set("factor", 0);
    let trace = Rc::new(RefCell::new(Trace::default()));
    solver.connect_proof_tracer1(Rc::clone(&trace), true, false);
    for clause in clauses.iter() {
        solver.clause6(clause);
    }
    solver.limit("conflicts", i32::try_from(conflicts).unwrap_or(i32::MAX));
    match solver.solve() {
        Status::SATISFIABLE => {
            let mut values: BTreeMap<u16, BigInt> = BTreeMap::new();
            for input in clauses.inputs() {
                let value = values.entry(input.variable).or_default();
                value.set_bit(u64::from(input.bit), solver.val(input.cnf_variable) > 0);
            }
            Answer::Refuted(values)
        }
        Status::UNSATISFIABLE => match trace.borrow().refutation(&clauses) {
            Some(bytes) => Answer::Proven(Certificate::Refutation(bytes)),
            None => Answer::Unknown,
        },
        Status::UNKNOWN => Answer::Unknown,
    }
}

/// The proof steps, in the solver's numbering.
#[derive(Debug, Default)]
struct Trace {
    originals: Vec<i64>,
    /// Ranges into the literals and hints, per step.
    steps: Vec<Derived>,
    literals: Vec<i32>,
    hints: Vec<i64>,
    finished: bool,
    /// Whether a step uses RAT instead of RUP.
    uses_rat: bool,
}

#[derive(Clone, Copy, Debug)]
struct Derived {
    id: i64,
    literals: (usize, usize),
    hints: (usize, usize),
}

impl Trace {
    /// The steps that the empty clause depends on, renumbered after the input clauses.
    fn refutation(&self, clauses: &Clauses) -> Option<Vec<u8>> {
        if !self.finished || self.uses_rat || self.originals.len() != clauses.len() {
            return None;
        }
        // Clause ids are dense enough to index vectors by them.
        let last = self.steps.last()?.id;
        let slots = usize::try_from(last).ok()? + 1;
        let mut index = vec![None; slots];
        for (place, step) in self.steps.iter().enumerate() {
            *index.get_mut(usize::try_from(step.id).ok()?)? = Some(place);
        }
        let mut needed = vec![false; self.steps.len()];
        *needed.last_mut()? = true;
        for (step, derived) in self.steps.iter().enumerate().rev() {
            if needed[step] {
                for hint in self.hints(derived) {
                    if let Some(earlier) = *index.get(usize::try_from(*hint).ok()?)? {
                        needed[earlier] = true;
                    }
                }
            }
        }
        let mut numbers = vec![None; slots];
        for (place, &id) in self.originals.iter().enumerate() {
            *numbers.get_mut(usize::try_from(id).ok()?)? = Some(place + 1);
        }
        let mut bytes = Vec::new();
        let mut number = clauses.len();
        for (derived, _) in self.steps.iter().zip(needed).filter(|&(_, needed)| needed) {
            number += 1;
            let hints: Option<Vec<usize>> =
                self.hints(derived).iter().map(|&hint| numbers[hint as usize]).collect();
            let literals = &self.literals[derived.literals.0..derived.literals.1];
            put_step(&mut bytes, number, literals, hints?.into_iter());
            numbers[derived.id as usize] = Some(number);
        }
        Some(bytes)
    }

    fn hints(&self, derived: &Derived) -> &[i64] {
        &self.hints[derived.hints.0..derived.hints.1]
    }
}

impl ProofTracer for Trace {
    fn add_original_clause(&mut self, id: i64, _: bool, _: &[i32], restored: bool) {
        if !restored {
            self.originals.push(id);
        }
    }

    fn add_derived_clause(&mut self, id: i64, _: bool, rat: i32, clause: &[i32], hints: &[i64]) {
        if self.finished {
            return;
        }
        let (literals_start, hints_start) = (self.literals.len(), self.hints.len());
        self.literals.extend_from_slice(clause);
        self.hints.extend_from_slice(hints);
        self.steps.push(Derived {
            id,
            literals: (literals_start, self.literals.len()),
            hints: (hints_start, self.hints.len()),
        });
        self.uses_rat |= rat != 0;
        self.finished = clause.is_empty();
    }

    fn delete_clause(&mut self, _: i64, _: bool, _: &[i32]) {}
    fn weaken_minus(&mut self, _: i64, _: &[i32]) {}
    fn strengthen(&mut self, _: i64) {}
    fn finalize_clause(&mut self, _: i64, _: &[i32]) {}
    fn add_assumption(&mut self, _: i32) {}
    fn add_constraint(&mut self, _: &[i32]) {}
    fn reset_assumptions(&mut self) {}
    fn add_assumption_clause(&mut self, _: i64, _: &[i32], _: &[i64]) {}
    fn conclude_sat(&mut self, _: i32, _: &[i32]) {}
    fn conclude_unsat(&mut self, _: i32, _: &[i64]) {}
    fn conclude_unknown(&mut self, _: &[i32]) {}
}

#[cfg(test)]
mod tests;
