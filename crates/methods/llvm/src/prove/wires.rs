//! The domain of circuits: a bit is a wire, a word a list of wires with the least significant first.

use std::collections::BTreeMap;

use identity::kernel::circuit::word::{self, Direction};
use identity::kernel::{Graph, Wire};
use num_bigint::BigInt;

use crate::semantics::Domain;

/// A circuit under construction, and the inputs that were handed out.
#[derive(Debug, Default)]
pub(super) struct Wires {
    pub(super) graph: Graph,
    /// The most gates that the circuit may have.
    most_gates: usize,
    /// Whether an operation was left out that has more gates than that. All wires are meaningless then.
    is_too_large: bool,
    /// The wires of each input variable.
    variables: Vec<Vec<Wire>>,
}

/// The number of an input variable.
pub(super) type Variable = u16;

impl Wires {
    pub(super) fn new(most_gates: usize) -> Self {
        // What is built behind the limit costs nothing any more: all of it is constant.
        Self { graph: Graph::with_most_gates(most_gates), most_gates, ..Self::default() }
    }

    /// A new variable; none if there are too many.
    pub(super) fn variable(&mut self, width: u32) -> Option<(Variable, Vec<Wire>)> {
        let variable = Variable::try_from(self.variables.len()).ok()?;
        let wires: Vec<Wire> =
            (0..width).map(|bit| self.graph.input(variable, bit as u16)).collect();
        self.variables.push(wires.clone());
        Some((variable, wires))
    }

    /// When every variable that there is has its value in the map, or is 0.
    pub(super) fn have(&mut self, values: &BTreeMap<Variable, u128>) -> Wire {
        let mut all = Wire::TRUE;
        for (variable, wires) in self.variables.clone().into_iter().enumerate() {
            let value = values.get(&(variable as Variable)).copied().unwrap_or(0);
            for (bit, wire) in wires.into_iter().enumerate() {
                let is_set = bit < 128 && value >> bit & 1 == 1;
                all = self.graph.and(all, if is_set { wire } else { !wire });
            }
        }
        all
    }

    pub(super) fn is_exhausted(&self) -> bool {
        self.is_too_large || self.graph.exhausted()
    }

    /// Whether a product or quotient alone has more gates than the circuit may have: building it takes longer than
    /// everything before it, and is in vain. An array has more than four gates for each pair of bits that it combines.
    fn leaves_out(&mut self, a: &[Wire], b: &[Wire], share: usize) -> bool {
        let open = |word: &[Wire]| word.iter().filter(|wire| !wire.is_constant()).count();
        let is_too_large = open(a) * open(b) * 4 / share > self.most_gates;
        self.is_too_large |= is_too_large;
        is_too_large
    }
}

impl Domain for Wires {
    type Bit = Wire;
    type Word = Vec<Wire>;

    fn bit(&mut self, value: bool) -> Wire {
        Wire::constant(value)
    }

    fn not(&mut self, a: &Wire) -> Wire {
        !*a
    }

    fn and(&mut self, a: &Wire, b: &Wire) -> Wire {
        self.graph.and(*a, *b)
    }

    fn or(&mut self, a: &Wire, b: &Wire) -> Wire {
        self.graph.or(*a, *b)
    }

    fn xor(&mut self, a: &Wire, b: &Wire) -> Wire {
        self.graph.xor(*a, *b)
    }

    fn word(&mut self, value: u128, width: u32) -> Vec<Wire> {
        (0..width).map(|bit| Wire::constant(bit < 128 && value >> bit & 1 == 1)).collect()
    }

    fn width(&self, a: &Vec<Wire>) -> u32 {
        a.len() as u32
    }

    fn word_of(&mut self, a: &Wire) -> Vec<Wire> {
        vec![*a]
    }

    fn bit_at(&mut self, a: &Vec<Wire>, bit: u32) -> Wire {
        a[bit as usize]
    }

    fn select(&mut self, condition: &Wire, yes: &Vec<Wire>, no: &Vec<Wire>) -> Vec<Wire> {
        self.graph.select(*condition, yes, no)
    }

    fn word_not(&mut self, a: &Vec<Wire>) -> Vec<Wire> {
        a.iter().map(|&wire| !wire).collect()
    }

    fn word_and(&mut self, a: &Vec<Wire>, b: &Vec<Wire>) -> Vec<Wire> {
        a.iter().zip(b).map(|(&x, &y)| self.graph.and(x, y)).collect()
    }

    fn word_or(&mut self, a: &Vec<Wire>, b: &Vec<Wire>) -> Vec<Wire> {
        a.iter().zip(b).map(|(&x, &y)| self.graph.or(x, y)).collect()
    }

    fn word_xor(&mut self, a: &Vec<Wire>, b: &Vec<Wire>) -> Vec<Wire> {
        a.iter().zip(b).map(|(&x, &y)| self.graph.xor(x, y)).collect()
    }

    fn add(&mut self, a: &Vec<Wire>, b: &Vec<Wire>) -> Vec<Wire> {
        self.graph.sum(a, b, Wire::FALSE).0
    }

    fn sub(&mut self, a: &Vec<Wire>, b: &Vec<Wire>) -> Vec<Wire> {
        self.graph.difference(a, b).0
    }

    fn mul(&mut self, a: &Vec<Wire>, b: &Vec<Wire>) -> Vec<Wire> {
        // The upper half is not needed.
        if self.leaves_out(a, b, 2) {
            return vec![Wire::FALSE; a.len()];
        }
        self.graph.product(a, b, a.len())
    }

    fn unsigned_product_overflows(&mut self, a: &Vec<Wire>, b: &Vec<Wire>) -> Wire {
        if self.leaves_out(a, b, 1) {
            return Wire::FALSE;
        }
        let product = self.graph.product(a, b, 2 * a.len());
        self.graph.any(&product[a.len()..])
    }

    fn signed_product_overflows(&mut self, a: &Vec<Wire>, b: &Vec<Wire>) -> Wire {
        if self.leaves_out(a, b, 1) {
            return Wire::FALSE;
        }
        let product = self.graph.signed_product(a, b);
        let sign = product[a.len() - 1];
        let differ: Vec<Wire> =
            product[a.len()..].iter().map(|&wire| self.graph.xor(wire, sign)).collect();
        self.graph.any(&differ)
    }

    fn divide(&mut self, a: &Vec<Wire>, b: &Vec<Wire>) -> (Vec<Wire>, Vec<Wire>) {
        if self.leaves_out(a, b, 1) {
            return (vec![Wire::FALSE; a.len()], vec![Wire::FALSE; a.len()]);
        }
        self.graph.division(a, b)
    }

    fn shl(&mut self, a: &Vec<Wire>, amount: &Vec<Wire>) -> Vec<Wire> {
        self.graph.shifted(Direction::Left, a, amount, Wire::FALSE)
    }

    fn lshr(&mut self, a: &Vec<Wire>, amount: &Vec<Wire>) -> Vec<Wire> {
        self.graph.shifted(Direction::Right, a, amount, Wire::FALSE)
    }

    fn ashr(&mut self, a: &Vec<Wire>, amount: &Vec<Wire>) -> Vec<Wire> {
        self.graph.shifted(Direction::Right, a, amount, a[a.len() - 1])
    }

    fn eq(&mut self, a: &Vec<Wire>, b: &Vec<Wire>) -> Wire {
        // Most addresses differ in some bit obviously: no gates for the others.
        if a.iter().zip(b).any(|(&x, &y)| x == !y) {
            return Wire::FALSE;
        }
        self.graph.same(a, b)
    }

    fn ult(&mut self, a: &Vec<Wire>, b: &Vec<Wire>) -> Wire {
        self.graph.below(a, b)
    }

    fn slt(&mut self, a: &Vec<Wire>, b: &Vec<Wire>) -> Wire {
        // The sign bits trade places: a negative number is below one that is not.
        let (mut a, mut b) = (a.clone(), b.clone());
        let top = a.len() - 1;
        (a[top], b[top]) = (b[top], a[top]);
        self.graph.below(&a, &b)
    }

    fn zext(&mut self, a: &Vec<Wire>, width: u32) -> Vec<Wire> {
        let mut wide = a.clone();
        wide.resize(width as usize, Wire::FALSE);
        wide
    }

    fn sext(&mut self, a: &Vec<Wire>, width: u32) -> Vec<Wire> {
        let mut wide = a.clone();
        wide.resize(width as usize, a[a.len() - 1]);
        wide
    }

    fn trunc(&mut self, a: &Vec<Wire>, width: u32) -> Vec<Wire> {
        a[..width as usize].to_vec()
    }
}

/// The value of a word whose wires are all constant.
pub(super) fn constant(wires: &[Wire]) -> Option<u128> {
    let value: BigInt = word::value(wires)?;
    u128::try_from(value).ok()
}
