//! Boolean functions as lists of hash-consed gates in topological order, with constant folding.
//! They are evaluated on 64 inputs at once. The meaning of the inputs is left to `automaton.rs`.

use std::collections::HashMap;

/// The output of a gate.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(super) struct Wire(u32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Gate {
    Zero,
    /// An input bit of the current step.
    Input(u16),
    /// A bit of the state.
    State(u16),
    /// The bit of a literal at the current position.
    Digit(u16),
    Not(Wire),
    And(Wire, Wire),
    Xor(Wire, Wire),
}

#[derive(Debug, Default)]
pub(super) struct Gates {
    gates: Vec<Gate>,
    index: HashMap<Gate, Wire>,
}

impl Gates {
    pub(super) fn wire(&mut self, gate: Gate) -> Wire {
        let next = Wire(self.gates.len() as u32);
        *self.index.entry(gate).or_insert_with(|| {
            self.gates.push(gate);
            next
        })
    }

    pub(super) fn constant(&mut self, value: bool) -> Wire {
        let zero = self.wire(Gate::Zero);
        if value { self.wire(Gate::Not(zero)) } else { zero }
    }

    pub(super) fn not(&mut self, a: Wire) -> Wire {
        match self.gates[a.0 as usize] {
            Gate::Not(inner) => inner,
            _ => self.wire(Gate::Not(a)),
        }
    }

    pub(super) fn and(&mut self, a: Wire, b: Wire) -> Wire {
        let (zero, one) = (self.constant(false), self.constant(true));
        match (a, b) {
            _ if a == zero || b == zero => zero,
            _ if a == one || a == b => b,
            _ if b == one => a,
            _ if self.not(a) == b => zero,
            _ => self.wire(Gate::And(a.min(b), a.max(b))),
        }
    }

    pub(super) fn or(&mut self, a: Wire, b: Wire) -> Wire {
        let (x, y) = (self.not(a), self.not(b));
        let neither = self.and(x, y);
        self.not(neither)
    }

    pub(super) fn xor(&mut self, a: Wire, b: Wire) -> Wire {
        let (zero, one) = (self.constant(false), self.constant(true));
        match (a, b) {
            _ if a == b => zero,
            _ if a == zero => b,
            _ if b == zero => a,
            _ if a == one => self.not(b),
            _ if b == one => self.not(a),
            _ if self.not(a) == b => one,
            _ => self.wire(Gate::Xor(a.min(b), a.max(b))),
        }
    }

    pub(super) fn choose(&mut self, condition: Wire, yes: Wire, no: Wire) -> Wire {
        let differ = self.xor(yes, no);
        let taken = self.and(condition, differ);
        self.xor(taken, no)
    }

    pub(super) fn same(&mut self, a: Wire, b: Wire) -> Wire {
        let differ = self.xor(a, b);
        self.not(differ)
    }

    /// Computes the values of all gates. `leaf` gives the values of inputs, state bits and digits.
    pub(super) fn evaluate(&self, values: &mut Vec<u64>, leaf: impl Fn(Gate) -> u64) {
        values.clear();
        for &gate in &self.gates {
            let value = match gate {
                Gate::Zero => 0,
                Gate::Not(a) => !values[a.0 as usize],
                Gate::And(a, b) => values[a.0 as usize] & values[b.0 as usize],
                Gate::Xor(a, b) => values[a.0 as usize] ^ values[b.0 as usize],
                leaf_gate => leaf(leaf_gate),
            };
            values.push(value);
        }
    }
}

impl Wire {
    pub(super) fn value(self, values: &[u64]) -> u64 {
        values[self.0 as usize]
    }
}
