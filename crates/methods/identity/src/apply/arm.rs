//! An arm: one direction of a rule at one width, ready for matching. Widths are fixed, closed
//! subterms are folded to literals, and constant expressions are replaced by variables, whose
//! values `numbers.rs` finds.

use super::matching::SLOTS;
use super::numbers::{Expressions, Numbers, closed};
use super::order::{Order, present};
use crate::Rule;
use crate::evaluate::Outcome;
use crate::kernel::{Extent, Op, Semantics, TermId, Terms};

/// The direction in which a rule is applied.
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    LeftToRight,
    RightToLeft,
}

impl Direction {
    pub const ALL: [Self; 2] = [Self::LeftToRight, Self::RightToLeft];
}

#[derive(Clone, Debug)]
pub(super) struct Arm {
    /// The index of the rule in the library.
    pub(super) rule: u32,
    pub(super) direction: Direction,
    /// Terms of the rulebook's arena.
    pub(super) source: TermId,
    pub(super) target: TermId,
    /// The variables that match only literals, as a bit set.
    pub(super) constants: u32,
    /// The variables of the source that match any term.
    pub(super) operands: u32,
    pub(super) before: Order,
    pub(super) after: Order,
    /// The variables that occur only in the target and may be bound to any term, with their widths.
    pub(super) invented: Vec<(u8, u16)>,
    pub(super) numbers: Option<Box<Numbers>>,
}

impl Arm {
    /// `None` if the rule cannot be used in this direction at this width: a width or literal is
    /// invalid there, the language lacks a width, or a constant cannot be derived from the source.
    pub(super) fn new(
        index: u32,
        rule: &Rule,
        direction: Direction,
        width: u16,
        semantics: &Semantics,
        patterns: &mut Terms,
    ) -> Option<Self> {
        if rule.variables.len() > SLOTS {
            return None;
        }
        let (from, to) = match direction {
            Direction::LeftToRight => (rule.left(), rule.right()),
            Direction::RightToLeft => (rule.right(), rule.left()),
        };
        let mut fixing =
            Fixing { rule, width, semantics, patterns, expressions: Expressions::default() };
        let source = fixing.fix(from)?;
        fixing.expressions.checked = fixing.expressions.list.len();
        let target = fixing.fix(to)?;
        let expressions = fixing.expressions;
        let (before, after) =
            (Order::of(patterns, source, semantics), Order::of(patterns, target, semantics));

        // Slots beyond the rule's variables hold constant expressions.
        let rule_constants = mask(rule, true);
        let constants = rule_constants | (before.present | after.present) & !mask(rule, false);
        let in_source = present(rule.terms(), from);
        let numbers = Numbers::new(rule, width, semantics, expressions, before.present, in_source)?;
        if !numbers.may_hold(rule_constants) {
            return None;
        }
        let words = rule.variables.iter().enumerate().filter(|(slot, variable)| {
            !variable.constant && after.present & !before.present & (1 << slot) != 0
        });
        let invented = words.map(|(slot, v)| Some((slot as u8, v.width.at(width)?)));
        Some(Self {
            rule: index,
            direction,
            source,
            target,
            constants,
            operands: before.present & !constants,
            invented: invented.collect::<Option<_>>()?,
            numbers: (!numbers.is_trivial(rule_constants)).then(|| Box::new(numbers)),
            before,
            after,
        })
    }

    /// Whether both sides first evaluate the operands that may stop, in the same order.
    pub(super) fn keeps_order(&self, stopping: u32) -> bool {
        self.before.starts_like(&self.after, stopping)
    }

    /// Whether both sides are strict in these operands.
    pub(super) fn keeps_strict(&self, stopping: u32) -> bool {
        stopping & !(self.before.strict & self.after.strict) == 0
    }

    /// Whether the source is strict in those of these operands that the target uses.
    pub(super) fn refines(&self, stopping: u32) -> bool {
        stopping & self.after.present & !self.before.strict == 0
    }
}

fn mask(rule: &Rule, constant: bool) -> u32 {
    let variables = rule.variables.iter().enumerate();
    variables.filter(|(_, v)| v.constant == constant).fold(0, |all, (index, _)| all | 1 << index)
}

/// Copies a side of a rule into the rulebook's arena, with widths fixed.
struct Fixing<'a> {
    rule: &'a Rule,
    width: u16,
    semantics: &'a Semantics,
    patterns: &'a mut Terms,
    expressions: Expressions,
}

impl Fixing<'_> {
    fn fix(&mut self, term: TermId) -> Option<TermId> {
        let terms = self.rule.terms();
        let node = terms.node(term);
        // The language must have words of this width.
        let supported = |&bits: &u16| bits > 0 && self.semantics.has_width(bits);
        let bits = node.width.at(self.width).filter(supported)?;
        let fixed = Extent::fixed(bits);
        let inside = present(terms, term);
        let op = match node.op {
            Op::Variable(index) => return Some(self.patterns.variable(index, fixed)),
            Op::Literal(index) => {
                return Some(self.patterns.literal(terms.integer(index).clone(), fixed));
            }
            _ if inside == 0 => {
                return match closed(terms, term, self.width, self.semantics)? {
                    Outcome::Value(n) => Some(self.patterns.literal(n, fixed)),
                    _ => None,
                };
            }
            _ if inside & !mask(self.rule, true) == 0 => {
                return self.expression(term, bits).map(|slot| self.patterns.variable(slot, fixed));
            }
            Op::Extract(low) => Op::Extract(Extent::fixed(low.at(self.width)?)),
            op => op,
        };
        let mut args = node.args;
        for arg in &mut args[..op.arity()] {
            *arg = self.fix(*arg)?;
        }
        Some(self.patterns.apply_at(op, &args[..op.arity()], fixed))
    }

    /// The variable that stands for a constant expression.
    fn expression(&mut self, term: TermId, bits: u16) -> Option<u16> {
        let list = &mut self.expressions.list;
        if let Some((_, slot, _)) = list.iter().find(|(known, ..)| *known == term) {
            return Some(u16::from(*slot));
        }
        let slot = self.rule.variables.len() + list.len();
        if slot >= SLOTS {
            return None;
        }
        list.push((term, slot as u8, bits));
        Some(slot as u16)
    }
}
