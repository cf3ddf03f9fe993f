//! An and-inverter graph extended by XOR: two-input gates with inverters on their edges,
//! structurally hashed. Two-level rewriting maps many equivalent functions to the same wire. Each
//! rewrite is a Boolean identity that can be read off the code; the tests check all of them
//! exhaustively.

use std::ops::Not;

/// The output of a gate, possibly inverted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Wire(u32);

impl Wire {
    pub const FALSE: Self = Self(0);
    pub const TRUE: Self = Self(1);

    pub fn constant(value: bool) -> Self {
        Self(u32::from(value))
    }

    /// The index of the gate that drives the wire. The inputs of a gate have lower indices.
    pub fn gate(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub fn inverted(self) -> bool {
        self.0 & 1 == 1
    }

    pub fn is_constant(self) -> bool {
        self.gate() == 0
    }

    fn uninverted(self) -> Self {
        Self(self.0 & !1)
    }

    fn inverted_if(self, condition: bool) -> Self {
        Self(self.0 ^ u32::from(condition))
    }
}

impl Not for Wire {
    type Output = Self;

    fn not(self) -> Self {
        Self(self.0 ^ 1)
    }
}

/// One gate of a circuit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gate {
    False,
    /// A bit of a variable.
    Input {
        variable: u16,
        bit: u16,
    },
    /// The inputs are ordered, not constant, and from different gates.
    And(Wire, Wire),
    /// Likewise, and neither input is inverted.
    Xor(Wire, Wire),
}

/// Limit on the size of a circuit.
const MOST_GATES: usize = 3_000_000;

/// How many places the table of gates has at first.
const FEWEST_PLACES: usize = 4096;

/// A circuit.
#[derive(Debug)]
pub struct Graph {
    gates: Vec<Gate>,
    /// The indices of the AND and XOR gates by their inputs, and 0 in free places: at most every second one is taken.
    /// Their number is a power of two.
    places: Vec<u32>,
    /// How many places are taken.
    taken: usize,
    most_gates: usize,
    exhausted: bool,
}

impl Default for Graph {
    fn default() -> Self {
        Self::with_most_gates(MOST_GATES)
    }
}

impl Graph {
    /// An empty circuit that is exhausted at so many gates, or at the limit of all circuits.
    pub fn with_most_gates(most_gates: usize) -> Self {
        Self {
            gates: vec![Gate::False],
            places: vec![],
            taken: 0,
            most_gates: most_gates.min(MOST_GATES),
            exhausted: false,
        }
    }

    pub fn gates(&self) -> &[Gate] {
        &self.gates
    }

    /// Whether the gate limit was reached. All wires are meaningless then.
    pub fn exhausted(&self) -> bool {
        self.exhausted
    }

    pub fn input(&mut self, variable: u16, bit: u16) -> Wire {
        self.push(Gate::Input { variable, bit })
    }

    pub fn and(&mut self, a: Wire, b: Wire) -> Wire {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        match a {
            Wire::FALSE => return Wire::FALSE,
            Wire::TRUE => return b,
            _ if a == b => return a,
            _ if a == !b => return Wire::FALSE,
            _ => {}
        }
        if let Some(known) = self.simpler_and(b, a).or_else(|| self.simpler_and(a, b)) {
            return known;
        }
        self.shared(Gate::And(a, b))
    }

    pub fn xor(&mut self, a: Wire, b: Wire) -> Wire {
        let inverted = a.inverted() != b.inverted();
        let (a, b) = (a.uninverted(), b.uninverted());
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if a == Wire::FALSE {
            return b.inverted_if(inverted);
        } else if a == b {
            return Wire::constant(inverted);
        }
        if let Some(known) = self.simpler_xor(b, a).or_else(|| self.simpler_xor(a, b)) {
            return known.inverted_if(inverted);
        }
        self.shared(Gate::Xor(a, b)).inverted_if(inverted)
    }

    pub fn or(&mut self, a: Wire, b: Wire) -> Wire {
        !self.and(!a, !b)
    }

    pub fn choose(&mut self, condition: Wire, yes: Wire, no: Wire) -> Wire {
        if condition.inverted() {
            return self.choose(!condition, no, yes);
        } else if condition == Wire::FALSE || yes == no {
            return no;
        } else if yes == !no {
            return self.xor(condition, no);
        } else if yes.inverted() {
            return !self.choose(condition, !yes, !no);
        }
        let (yes, no) = (self.and(condition, yes), self.and(!condition, no));
        self.or(yes, no)
    }

    pub fn parity(&mut self, a: Wire, b: Wire, c: Wire) -> Wire {
        let [a, b, c] = sorted(a, b, c);
        let two = self.xor(a, b);
        self.xor(two, c)
    }

    /// Whether at least two inputs are set. Majority is self-dual, so that inverting all inputs
    /// inverts the output; this is used to make the first input uninverted.
    pub fn majority(&mut self, a: Wire, b: Wire, c: Wire) -> Wire {
        let [a, b, c] = sorted(a, b, c);
        if a.inverted() {
            return !self.majority(!a, !b, !c);
        } else if a == b || b == c {
            return b;
        } else if a == !b {
            return c;
        } else if b == !c {
            return a;
        }
        let (both, differ) = (self.and(a, b), self.xor(a, b));
        let carried = self.and(c, differ);
        self.or(both, carried)
    }

    fn push(&mut self, gate: Gate) -> Wire {
        if self.gates.len() >= self.most_gates {
            self.exhausted = true;
            return Wire::FALSE;
        }
        let wire = Wire((self.gates.len() as u32) << 1);
        self.gates.push(gate);
        wire
    }

    /// The gate of this kind with these inputs, which is added if there is none.
    fn shared(&mut self, gate: Gate) -> Wire {
        if (self.taken + 1) * 2 > self.places.len() {
            self.grow();
        }
        let mut place = place(gate, self.places.len());
        loop {
            match self.places[place] {
                0 => break,
                index if self.gates[index as usize] == gate => return Wire(index << 1),
                _ => place = (place + 1) & (self.places.len() - 1),
            }
        }
        let wire = self.push(gate);
        if wire != Wire::FALSE {
            self.places[place] = wire.0 >> 1;
            self.taken += 1;
        }
        wire
    }

    /// Makes the table of gates twice as large.
    fn grow(&mut self) {
        let length = (self.places.len() * 2).max(FEWEST_PLACES);
        self.places = vec![0; length];
        for (index, &gate) in (0_u32..).zip(&self.gates) {
            if matches!(gate, Gate::False | Gate::Input { .. }) {
                continue;
            }
            let mut place = place(gate, length);
            while self.places[place] != 0 {
                place = (place + 1) & (length - 1);
            }
            self.places[place] = index;
        }
    }

    fn at(&self, wire: Wire) -> Gate {
        self.gates[wire.gate()]
    }

    /// Simplifies `a & b` by the gate that drives `a`.
    fn simpler_and(&mut self, a: Wire, b: Wire) -> Option<Wire> {
        match (self.at(a), a.inverted()) {
            (Gate::And(c, d), false) => {
                if b == c || b == d {
                    return Some(a);
                } else if b == !c || b == !d {
                    return Some(Wire::FALSE);
                }
                let Gate::And(e, f) = self.at(b) else { return None };
                let opposed = c == !e || c == !f || d == !e || d == !f;
                match b.inverted() {
                    false => opposed.then_some(Wire::FALSE),
                    // `!(e & f)`, where c and d are set.
                    true if opposed => Some(a),
                    true if c == e || d == e => Some(self.and(a, !f)),
                    true if c == f || d == f => Some(self.and(a, !e)),
                    true => None,
                }
            }
            (Gate::And(c, d), true) => {
                if b == !c || b == !d {
                    return Some(b);
                } else if b == c {
                    return Some(self.and(b, !d));
                } else if b == d {
                    return Some(self.and(b, !c));
                }
                let (Gate::And(e, f), true) = (self.at(b), b.inverted()) else { return None };
                match (c, d) {
                    _ if (c == e && d == !f) || (c == f && d == !e) => Some(!c),
                    _ if (d == e && c == !f) || (d == f && c == !e) => Some(!d),
                    _ => None,
                }
            }
            (Gate::Xor(c, d), inverted) => {
                // If b is set, c (or d) is known.
                if b.gate() == c.gate() {
                    return Some(self.and(b, d.inverted_if(inverted == b.inverted())));
                } else if b.gate() == d.gate() {
                    return Some(self.and(b, c.inverted_if(inverted == b.inverted())));
                }
                let Gate::And(e, f) = self.at(b) else { return None };
                let same = [e.gate(), f.gate()] == [c.gate(), d.gate()];
                // The value of `a` where e and f are both set.
                let there = e.inverted() ^ f.inverted() ^ inverted;
                match (same, b.inverted(), there) {
                    (false, _, _) => None,
                    (true, false, true) => Some(b),
                    (true, false, false) => Some(Wire::FALSE),
                    (true, true, true) => Some(self.and(!e, !f)),
                    (true, true, false) => Some(a),
                }
            }
            _ => None,
        }
    }

    /// Simplifies `a ^ b`, both uninverted, by the gate that drives `a`.
    fn simpler_xor(&mut self, a: Wire, b: Wire) -> Option<Wire> {
        match (self.at(a), self.at(b)) {
            (Gate::Xor(c, d), _) if b == c => Some(d),
            (Gate::Xor(c, d), _) if b == d => Some(c),
            (Gate::Xor(c, d), Gate::Xor(e, f)) => match () {
                () if c == e => Some(self.xor(d, f)),
                () if c == f => Some(self.xor(d, e)),
                () if d == e => Some(self.xor(c, f)),
                () if d == f => Some(self.xor(c, e)),
                () => None,
            },
            (Gate::And(c, d), _) if b == c => Some(self.and(c, !d)),
            (Gate::And(c, d), _) if b == d => Some(self.and(d, !c)),
            (Gate::And(c, d), _) if b == !c => Some(self.or(b, d)),
            (Gate::And(c, d), _) if b == !d => Some(self.or(b, c)),
            (Gate::And(c, d), Gate::And(e, f)) => {
                let (shared, x, y) = match () {
                    () if c == e => (c, d, f),
                    () if c == f => (c, d, e),
                    () if d == e => (d, c, f),
                    () if d == f => (d, c, e),
                    () => return None,
                };
                let differ = self.xor(x, y);
                Some(self.and(shared, differ))
            }
            (Gate::And(c, d), Gate::Xor(e, f)) if [c.gate(), d.gate()] == [e.gate(), f.gate()] => {
                Some(self.or(c, d).inverted_if(c.inverted() != d.inverted()))
            }
            _ => None,
        }
    }
}

fn sorted(a: Wire, b: Wire, c: Wire) -> [Wire; 3] {
    let mut wires = [a, b, c];
    wires.sort_unstable();
    wires
}

/// Where the search for a gate begins in a table of a length that is a power of two, above 1: a multiplicative hash of
/// its inputs.
fn place(gate: Gate, length: usize) -> usize {
    let (a, b, kind) = match gate {
        Gate::And(a, b) => (a.0, b.0, 0),
        Gate::Xor(a, b) => (a.0, b.0, 1),
        Gate::Input { variable, bit } => (u32::from(variable), u32::from(bit), 2),
        Gate::False => (0, 0, 3),
    };
    // Wires are below 2^31.
    let key = u64::from(a) << 33 ^ u64::from(b) << 2 ^ kind;
    let product = u128::from(key) * u128::from(0x9e37_79b9_7f4a_7c15_u64);
    let mixed = (product >> 64) as u64 ^ product as u64;
    (mixed >> (64 - length.trailing_zeros())) as usize
}
