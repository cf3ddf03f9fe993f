//! An index of arms by the operator and width of a term and by the keys of its first two operands.
//! Literals are part of the key, so that `x + 37` does not find all rules on `x + 0`.

use std::collections::HashMap;

use foldhash::fast::FixedState;

use super::class::Class;
use super::material::Material;
use crate::kernel::{Op, TermId, Terms};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Key {
    width: u16,
    op: Class,
    operands: [Class; 2],
}

#[derive(Clone, Default, Debug)]
pub(super) struct Index {
    arms: HashMap<Key, Vec<u32>, FixedState>,
    /// Arms whose source is a variable, by width. They match any term.
    anywhere: HashMap<u16, Vec<u32>, FixedState>,
}

impl Index {
    pub(super) fn enter(&mut self, arm: u32, patterns: &Terms, source: TermId, constants: u32) {
        let node = patterns.node(source);
        let width = node.width.as_fixed().unwrap_or(0);
        let class = |operand| Class::of_pattern(patterns, operand, constants);
        let (op, first, second) = match node.op {
            Op::Variable(_) if class(Some(&source)) == Class::ANYTHING => {
                self.anywhere.entry(width).or_default().push(arm);
                return;
            }
            Op::Variable(_) | Op::Literal(_) => {
                (Class::CONSTANT, class(Some(&source)), Class::ANYTHING)
            }
            op => (Class::operator(op), class(node.args().first()), class(node.args().get(1))),
        };
        self.arms.entry(Key { width, op, operands: [first, second] }).or_default().push(arm);
        if node.op.commutes() && first != second {
            self.arms.entry(Key { width, op, operands: [second, first] }).or_default().push(arm);
        }
    }

    pub(super) fn anywhere(&self, width: u16) -> &[u32] {
        self.anywhere.get(&width).map_or(&[], Vec::as_slice)
    }

    /// The arms that may match a term, except those that match any term.
    pub(super) fn candidates(&self, material: &Material, term: TermId) -> Candidates<'_> {
        let node = material.node(term);
        let width = node.width.as_fixed().unwrap_or(0);
        let mut candidates = Candidates::default();
        let class =
            |operand: Option<&TermId>| operand.map_or(Class::ANYTHING, |&t| material.class(t));
        let (op, first, second) = match node.op {
            Op::Variable(_) => return candidates,
            Op::Literal(_) => (Class::CONSTANT, material.class(term), Class::ANYTHING),
            _ => (material.class(term), class(node.args().first()), class(node.args().get(1))),
        };
        for &a in alternatives(&[first, Class::ANYTHING, Class::CONSTANT]) {
            for &b in alternatives(&[second, Class::ANYTHING, Class::CONSTANT]) {
                if let Some(arms) = self.arms.get(&Key { width, op, operands: [a, b] }) {
                    candidates.lists[candidates.count] = arms;
                    candidates.count += 1;
                    candidates.total += arms.len();
                }
            }
        }
        candidates
    }
}

/// The pattern keys that an operand of the first key may match.
fn alternatives(classes: &[Class; 3]) -> &[Class] {
    match classes[0] {
        Class::ANYTHING => &classes[1..2],
        class if class.is_number() => classes,
        _ => &classes[..2],
    }
}

#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Candidates<'a> {
    lists: [&'a [u32]; 9],
    count: usize,
    total: usize,
}

impl Candidates<'_> {
    pub(super) fn total(&self) -> usize {
        self.total
    }

    pub(super) fn get(&self, mut index: usize) -> Option<u32> {
        for list in &self.lists[..self.count] {
            match list.get(index) {
                Some(&arm) => return Some(arm),
                None => index -= list.len(),
            }
        }
        None
    }
}
