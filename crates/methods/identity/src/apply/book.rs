//! The rulebook: all arms that are usable under a semantics, in one arena, with an index.

use std::collections::HashSet;

use super::arm::{Arm, Direction};
use super::index::Index;
use super::material::Material;
use super::stops::Stops;
use crate::Entry;
use crate::kernel::{Op, Relation, Semantics, TermId, Terms};

/// All rules that can be applied under a semantics.
#[derive(Clone, Debug)]
pub struct Rulebook {
    pub(super) semantics: Semantics,
    /// Whether refinement suffices, because no stop of the semantics is observable.
    pub(super) refines: bool,
    pub(super) patterns: Terms,
    pub(super) arms: Vec<Arm>,
    pub(super) index: Index,
    /// The names of the library's rules, in library order.
    names: Vec<String>,
}

impl Rulebook {
    /// All rules proven under the semantics at one of the widths, in their proven directions.
    pub fn new(library: &[Entry], semantics: &Semantics, widths: &[u16]) -> Self {
        Self::speaking(library, semantics, widths, &|_, _, _| true, &|_, _| true)
    }

    /// Like [`Rulebook::new`], for a language that lacks some operators. Leaves out arms whose
    /// target has an operator that `speaks` rejects, given the operand widths and the result width.
    /// Uses a rule, by its library index, at a width only if `wanted`.
    pub fn speaking(
        library: &[Entry],
        semantics: &Semantics,
        widths: &[u16],
        speaks: &dyn Fn(Op, &[u16], u16) -> bool,
        wanted: &dyn Fn(usize, u16) -> bool,
    ) -> Self {
        let mut book = Self {
            semantics: *semantics,
            refines: !Stops::of(semantics).is_observable(),
            patterns: Terms::new(),
            arms: Vec::new(),
            index: Index::default(),
            names: library.iter().map(|entry| entry.rule.name.clone()).collect(),
        };
        for (index, entry) in library.iter().enumerate() {
            // A rule whose terms do not depend on the width would otherwise occur once per width.
            let mut known = HashSet::new();
            for &width in widths.iter().filter(|&&width| wanted(index, width)) {
                for direction in Direction::ALL {
                    let proven = entry.relation(semantics, width);
                    if !proven.is_some_and(|relation| book.allows(relation, direction)) {
                        continue;
                    }
                    let (index, patterns) = (index as u32, &mut book.patterns);
                    let arm = Arm::new(index, &entry.rule, direction, width, semantics, patterns);
                    if let Some(arm) = arm
                        && arm.source != arm.target
                        && is_supported(&book.patterns, arm.target, speaks)
                        && known.insert((arm.source, arm.target))
                    {
                        book.enter(arm);
                    }
                }
            }
        }
        book
    }

    /// A one-directional proof suffices only if stopping is never observable.
    fn allows(&self, relation: Relation, direction: Direction) -> bool {
        match (relation, direction) {
            (Relation::Exact, _) => true,
            (Relation::Forward, Direction::LeftToRight)
            | (Relation::Backward, Direction::RightToLeft) => self.refines,
            _ => false,
        }
    }

    fn enter(&mut self, arm: Arm) {
        let number = self.arms.len() as u32;
        self.index.enter(number, &self.patterns, arm.source, arm.constants);
        self.arms.push(arm);
    }

    /// Wraps the terms of a program, whose widths are fixed, for rewriting with this rulebook.
    pub fn material(&self, terms: Terms) -> Material {
        Material::new(terms, &self.semantics)
    }

    /// The number of arms.
    pub fn len(&self) -> usize {
        self.arms.len()
    }

    pub fn is_empty(&self) -> bool {
        self.arms.is_empty()
    }

    /// The name of a rule, by its index in the library.
    pub fn name(&self, rule: u32) -> &str {
        self.names.get(rule as usize).map_or("", String::as_str)
    }
}

/// Whether the language supports all operators of a target.
fn is_supported(
    patterns: &Terms,
    target: TermId,
    speaks: &dyn Fn(Op, &[u16], u16) -> bool,
) -> bool {
    patterns.in_order(&[target]).into_iter().all(|term| {
        let node = patterns.node(term);
        let width = |term: TermId| patterns.width(term).as_fixed().unwrap_or(0);
        let mut from = [0; 3];
        for (slot, &arg) in from.iter_mut().zip(node.args()) {
            *slot = width(arg);
        }
        node.op.arity() == 0 || speaks(node.op, &from[..node.op.arity()], width(term))
    })
}
