//! Tseitin clauses for the gates below a wire, and the unit clause that the wire is false. The goal
//! holds if they are unsatisfiable. Prover and checker both number clauses in the order generated
//! here.

use std::fmt::Write as _;

use super::graph::{Gate, Graph, Wire};

/// Clauses with DIMACS literals: variables count from 1, and a negative number is a negated
/// variable.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clauses {
    variables: u32,
    literals: Vec<i32>,
    ends: Vec<usize>,
    /// The CNF variables that are bits of the goal's variables.
    inputs: Vec<Input>,
}

/// A bit of one of the goal's variables, and its CNF variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Input {
    pub variable: u16,
    pub bit: u16,
    pub cnf_variable: i32,
}

impl Clauses {
    /// The clauses of the gates that a wire depends on, and the negation of that wire.
    pub fn refuting(graph: &Graph, output: Wire) -> Self {
        let mut needed = vec![false; output.gate() + 1];
        needed[output.gate()] = true;
        for (gate, &kind) in graph.gates()[..=output.gate()].iter().enumerate().rev() {
            if let (true, Gate::And(a, b) | Gate::Xor(a, b)) = (needed[gate], kind) {
                needed[a.gate()] = true;
                needed[b.gate()] = true;
            }
        }
        let mut clauses = Self::default();
        let mut numbers = vec![0_i32; output.gate() + 1];
        for (gate, &kind) in graph.gates()[..=output.gate()].iter().enumerate() {
            if !needed[gate] {
                continue;
            }
            clauses.variables += 1;
            // `MOST_GATES` is far below `i32::MAX`.
            let own = clauses.variables as i32;
            numbers[gate] = own;
            let literal = |wire: Wire| {
                if wire.inverted() { -numbers[wire.gate()] } else { numbers[wire.gate()] }
            };
            match kind {
                Gate::False => clauses.push(&[-own]),
                Gate::Input { variable, bit } => {
                    clauses.inputs.push(Input { variable, bit, cnf_variable: own });
                }
                Gate::And(a, b) => {
                    let (a, b) = (literal(a), literal(b));
                    clauses.push(&[-own, a]);
                    clauses.push(&[-own, b]);
                    clauses.push(&[own, -a, -b]);
                }
                Gate::Xor(a, b) => {
                    let (a, b) = (literal(a), literal(b));
                    clauses.push(&[-own, a, b]);
                    clauses.push(&[-own, -a, -b]);
                    clauses.push(&[own, -a, b]);
                    clauses.push(&[own, a, -b]);
                }
            }
        }
        let own = numbers[output.gate()];
        clauses.push(&[if output.inverted() { own } else { -own }]);
        clauses
    }

    fn push(&mut self, clause: &[i32]) {
        self.literals.extend_from_slice(clause);
        self.ends.push(self.literals.len());
    }

    pub fn variables(&self) -> u32 {
        self.variables
    }

    pub fn inputs(&self) -> &[Input] {
        &self.inputs
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &[i32]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.literals[start..end])
    }

    /// The clauses in DIMACS format, for external solvers and checkers.
    pub fn dimacs(&self) -> String {
        let mut text = format!("p cnf {} {}\n", self.variables, self.len());
        for clause in self.iter() {
            for literal in clause {
                let _ = write!(text, "{literal} ");
            }
            text.push_str("0\n");
        }
        text
    }
}
