//! The terms that rules are applied to: an arena of terms of fixed width, with cached size,
//! possible stops and lookup key of each term.

use num_bigint::BigInt;

use super::class::Class;
use super::stops::Stops;
use crate::kernel::{Extent, NONE, Node, Op, Semantics, TermId, Terms};

#[derive(Clone, Copy, Debug)]
struct Fact {
    /// The size as a tree: a shared term counts at each occurrence.
    size: u32,
    stops: Stops,
    class: Class,
}

/// An arena of terms whose widths are all fixed.
#[derive(Clone, Debug)]
pub struct Material {
    terms: Terms,
    semantics: Semantics,
    /// By term. Operands precede their users, so that one pass computes all facts.
    facts: Vec<Fact>,
}

impl Material {
    pub fn new(terms: Terms, semantics: &Semantics) -> Self {
        let mut material = Self { terms, semantics: *semantics, facts: Vec::new() };
        material.update_facts();
        material
    }

    pub fn terms(&self) -> &Terms {
        &self.terms
    }

    pub fn into_terms(self) -> Terms {
        self.terms
    }

    pub fn size(&self, term: TermId) -> u32 {
        self.facts[term.0 as usize].size
    }

    pub fn stops(&self, term: TermId) -> Stops {
        self.facts[term.0 as usize].stops
    }

    pub(super) fn class(&self, term: TermId) -> Class {
        self.facts[term.0 as usize].class
    }

    pub(super) fn node(&self, term: TermId) -> Node {
        self.terms.node(term)
    }

    pub fn variable(&mut self, index: u16, width: u16) -> TermId {
        let term = self.terms.variable(index, Extent::fixed(width));
        self.update_facts();
        term
    }

    pub fn literal(&mut self, value: impl Into<BigInt>, width: u16) -> TermId {
        let term = self.terms.literal(value, Extent::fixed(width));
        self.update_facts();
        term
    }

    pub fn apply_at(&mut self, op: Op, args: &[TermId], width: Extent) -> TermId {
        let term = self.terms.apply_at(op, args, width);
        self.update_facts();
        term
    }

    fn update_facts(&mut self) {
        for index in self.facts.len()..self.terms.len() {
            let node = self.terms.node(TermId(index as u32));
            let (mut size, mut stops) = (1_u32, Stops::NONE);
            for arg in node.args() {
                let fact = self.facts[arg.0 as usize];
                size = size.saturating_add(fact.size);
                stops = stops.or(fact.stops);
            }
            let own = own_stops(&self.terms, node, &self.semantics);
            let class = Class::of(&self.terms, node.op);
            self.facts.push(Fact { size, stops: stops.or(own), class });
        }
    }

    /// The term at a path from the root, and its ancestors, the root first.
    pub(super) fn descend(
        &self,
        root: TermId,
        path: &[u8],
        around: &mut Vec<TermId>,
    ) -> Option<TermId> {
        around.clear();
        let mut term = root;
        for &step in path {
            around.push(term);
            term = *self.terms.args(term).get(usize::from(step))?;
        }
        Some(term)
    }

    /// The n-th node in preorder, counting the root as 0, and the path to it.
    pub(super) fn nth(&self, root: TermId, mut nth: u32, path: &mut Vec<u8>) -> TermId {
        let mut term = root;
        'down: while nth > 0 {
            nth -= 1;
            for (step, &arg) in self.terms.args(term).iter().enumerate() {
                let size = self.size(arg);
                if nth < size {
                    path.push(step as u8);
                    term = arg;
                    continue 'down;
                }
                nth -= size;
            }
            // Reached only if a size saturated.
            break;
        }
        term
    }

    /// The root with the term at the path replaced.
    pub(super) fn replace(&mut self, around: &[TermId], path: &[u8], by: TermId) -> TermId {
        let mut term = by;
        for (&parent, &step) in around.iter().zip(path).rev() {
            let mut node = self.terms.node(parent);
            node.args[usize::from(step)] = term;
            term = self.terms.apply_at(node.op, node.args(), node.width);
        }
        self.update_facts();
        term
    }
}

/// The stops of the operator itself, without those of its operands.
pub(super) fn own_stops(terms: &Terms, node: Node, semantics: &Semantics) -> Stops {
    let width = node.width.as_fixed().unwrap_or(0);
    Stops::own(node.op, width, semantics, |operand| {
        node.args.get(operand).filter(|&&arg| arg != NONE).and_then(|&arg| terms.literal_value(arg))
    })
}
