//! Terms: bit-vector expressions, hash-consed in an arena. One type serves rules, whose widths
//! depend on `w` (see `extent.rs`), programs, whose widths are fixed, and goals, which are one bit
//! wide. The semantics of surface terms is in `meaning.rs`, and that of core terms in `circuit/`.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use num_bigint::BigInt;

use super::extent::Extent;
use super::op::Op;

/// The index of a term in its arena.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize,
)]
pub struct TermId(pub u32);

impl Default for TermId {
    fn default() -> Self {
        NONE
    }
}

/// Fills the operand slots beyond the operator's arity.
pub const NONE: TermId = TermId(u32::MAX);

/// A term: an operator, its operands and its width.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Node {
    pub op: Op,
    pub args: [TermId; 3],
    pub width: Extent,
}

impl Node {
    pub fn args(&self) -> &[TermId] {
        &self.args[..self.op.arity()]
    }
}

/// An arena of terms.
#[derive(Clone, Default, Debug)]
pub struct Terms {
    nodes: Vec<Node>,
    index: HashMap<Node, TermId, FixedState>,
    literals: Vec<BigInt>,
    literal_index: HashMap<BigInt, u32, FixedState>,
}

impl Terms {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn node(&self, term: TermId) -> Node {
        self.nodes[term.0 as usize]
    }

    pub fn op(&self, term: TermId) -> Op {
        self.node(term).op
    }

    pub fn width(&self, term: TermId) -> Extent {
        self.node(term).width
    }

    pub fn args(&self, term: TermId) -> &[TermId] {
        self.nodes[term.0 as usize].args()
    }

    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    pub fn literal_value(&self, term: TermId) -> Option<&BigInt> {
        match self.op(term) {
            Op::Literal(index) => Some(&self.literals[index as usize]),
            _ => None,
        }
    }

    /// The value of `Op::Literal(literal)`.
    pub fn integer(&self, literal: u32) -> &BigInt {
        &self.literals[literal as usize]
    }

    pub fn variable(&mut self, index: u16, width: Extent) -> TermId {
        self.intern(Node { op: Op::Variable(index), args: [NONE; 3], width })
    }

    /// At a fixed width the value is stored as its representative 0 ≤ n < 2^width.
    pub fn literal(&mut self, value: impl Into<BigInt>, width: Extent) -> TermId {
        let mut value: BigInt = value.into();
        if let Some(bits) = width.as_fixed()
            && (value < BigInt::ZERO || value.bits() > u64::from(bits))
        {
            let modulus = BigInt::from(1) << bits;
            value %= &modulus;
            if value < BigInt::ZERO {
                value += modulus;
            }
        }
        let index = match self.literal_index.get(&value) {
            Some(&index) => index,
            None => {
                let index = self.literals.len() as u32;
                self.literals.push(value.clone());
                self.literal_index.insert(value, index);
                index
            }
        };
        self.intern(Node { op: Op::Literal(index), args: [NONE; 3], width })
    }

    /// A term whose width follows from its operands: the width of the last one (the value, for
    /// `Ite` and `Byte`), of the first one for shifts, rotations and powers, one bit for a flag,
    /// the sum for `Concat`.
    pub fn apply(&mut self, op: Op, args: &[TermId]) -> TermId {
        let width = match op {
            _ if op.is_flag() => Extent::BIT,
            Op::Shl | Op::Lshr | Op::Ashr | Op::Rotl | Op::Rotr | Op::Exp => self.width(args[0]),
            Op::Concat => {
                let (high, low) = (self.width(args[0]), self.width(args[1]));
                high.plus(low).unwrap_or(low)
            }
            _ => args.last().map_or(Extent::WORD, |&last| self.width(last)),
        };
        self.apply_at(op, args, width)
    }

    /// A term of explicit width, as `Zext`, `Sext`, `Extract` and `Bits` need it.
    pub fn apply_at(&mut self, op: Op, args: &[TermId], width: Extent) -> TermId {
        let mut padded = [NONE; 3];
        padded[..args.len()].copy_from_slice(args);
        self.intern(Node { op, args: padded, width })
    }

    fn intern(&mut self, node: Node) -> TermId {
        if let Some(&term) = self.index.get(&node) {
            return term;
        }
        let term = TermId(self.nodes.len() as u32);
        self.nodes.push(node);
        self.index.insert(node, term);
        term
    }

    /// The subterms of some terms in topological order, operands first, each once.
    pub fn in_order(&self, roots: &[TermId]) -> Vec<TermId> {
        let mut seen = vec![false; self.nodes.len()];
        let mut order = Vec::new();
        let mut stack: Vec<(TermId, bool)> =
            roots.iter().rev().map(|&root| (root, false)).collect();
        while let Some((term, done)) = stack.pop() {
            if done {
                order.push(term);
            } else if !std::mem::replace(&mut seen[term.0 as usize], true) {
                stack.push((term, true));
                stack.extend(self.args(term).iter().rev().map(|&arg| (arg, false)));
            }
        }
        order
    }

    /// Copies a term from another arena. `leaf` may replace leaves; where it returns `None`, the
    /// leaf is copied.
    pub fn import(
        &mut self,
        from: &Terms,
        root: TermId,
        leaf: &mut impl FnMut(&mut Terms, Node) -> Option<TermId>,
    ) -> TermId {
        let mut here: HashMap<TermId, TermId> = HashMap::new();
        for term in from.in_order(&[root]) {
            let node = from.node(term);
            let copy = if node.op.arity() > 0 {
                let mut args = [NONE; 3];
                for (slot, arg) in args.iter_mut().zip(node.args()) {
                    *slot = here[arg];
                }
                self.intern(Node { args, ..node })
            } else if let Some(other) = leaf(self, node) {
                other
            } else if let Op::Literal(index) = node.op {
                self.literal(from.literals[index as usize].clone(), node.width)
            } else {
                self.intern(node)
            };
            here.insert(term, copy);
        }
        here[&root]
    }

    /// Copies a term with every width fixed at `w = width`. `None` if one of them is not a whole
    /// positive number of bits. `Bits` becomes a literal.
    pub fn at_width(&mut self, from: &Terms, root: TermId, width: u16) -> Option<TermId> {
        let mut here: HashMap<TermId, TermId> = HashMap::new();
        for term in from.in_order(&[root]) {
            let node = from.node(term);
            let fixed = Extent::fixed(node.width.at(width).filter(|&bits| bits > 0)?);
            let copy = match node.op {
                Op::Literal(index) => self.literal(from.literals[index as usize].clone(), fixed),
                Op::Bits(bits) => self.literal(bits.at(width)?, fixed),
                op => {
                    let op = match op {
                        Op::Extract(low) => Op::Extract(Extent::fixed(low.at(width)?)),
                        other => other,
                    };
                    let mut args = [NONE; 3];
                    for (slot, arg) in args.iter_mut().zip(node.args()) {
                        *slot = here[arg];
                    }
                    self.intern(Node { op, args, width: fixed })
                }
            };
            here.insert(term, copy);
        }
        here.get(&root).copied()
    }
}
