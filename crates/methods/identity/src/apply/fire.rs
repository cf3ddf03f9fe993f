//! Fires one arm at one term: matches the source, checks that stopping operands allow it, binds the
//! remaining variables, and builds the target.

use num_bigint::BigInt;

use super::arm::Arm;
use super::book::Rulebook;
use super::invention::Invention;
use super::matching::{Bindings, Match, SLOTS};
use super::material::Material;
use super::stops::Stops;
use crate::kernel::{NONE, Op, TermId};

/// Attempts to draw constants that satisfy the conditions of a rule.
const DRAWS: usize = 12;

/// The replacement, and the bindings of variables that occur only in the target.
#[derive(Debug)]
pub(super) struct Fired {
    pub(super) term: TermId,
    pub(super) invented: Vec<(u8, TermId)>,
}

impl Rulebook {
    /// The replacement of a term by an arm, if it is allowed and has at most `room` nodes.
    pub(super) fn fire(
        &self,
        material: &mut Material,
        arm: &Arm,
        term: TermId,
        turns: u32,
        room: u32,
        invention: &mut Invention<'_>,
    ) -> Option<Fired> {
        let mut found = Match {
            patterns: &self.patterns,
            material,
            constants: arm.constants,
            turns,
            bound: [NONE; SLOTS],
        };
        if !found.find(arm.source, term) {
            return None;
        }
        let mut bound = found.bound;
        let stopping = stopping(material, arm, &bound);
        let uniform_alone = self.must_be_uniform(arm, stopping)?;

        if self.size(material, arm.target, &bound) > room {
            return None;
        }
        let mut invented = Vec::new();
        for &(slot, width) in &arm.invented {
            let word = invention.word(material, slot, width)?;
            bound[usize::from(slot)] = word;
            invented.push((slot, word));
        }
        if !invented.is_empty() && self.size(material, arm.target, &bound) > room {
            return None;
        }
        if let Some(numbers) = &arm.numbers {
            let attempts = invention.attempts(DRAWS);
            let mut draw = |slot, width| -> Option<BigInt> { invention.number(slot, width) };
            if !numbers.bind(material, &mut bound, attempts, &mut draw) {
                return None;
            }
            for &(slot, _) in &numbers.invented {
                invented.push((slot, bound[usize::from(slot)]));
            }
        }
        let result = self.build(material, arm.target, &bound);
        if uniform_alone && !material.stops(term).or(material.stops(result)).is_uniform() {
            return None;
        }
        Some(Fired { term: result, invented })
    }

    /// `None` if the stopping operands forbid the firing; else whether it requires all stops before
    /// and after to be uniform. See `mod.rs` for the argument.
    fn must_be_uniform(&self, arm: &Arm, stopping: u32) -> Option<bool> {
        if self.refines {
            arm.refines(stopping).then_some(false)
        } else if arm.keeps_order(stopping) {
            Some(false)
        } else {
            arm.keeps_strict(stopping).then_some(true)
        }
    }

    /// A lower bound of the target's size. An unbound variable counts as one node.
    fn size(&self, material: &Material, target: TermId, bound: &Bindings) -> u32 {
        match self.patterns.op(target) {
            Op::Variable(slot) if bound[usize::from(slot)] != NONE => {
                material.size(bound[usize::from(slot)])
            }
            _ => self
                .patterns
                .args(target)
                .iter()
                .fold(1, |sum: u32, &arg| sum.saturating_add(self.size(material, arg, bound))),
        }
    }

    fn build(&self, material: &mut Material, target: TermId, bound: &Bindings) -> TermId {
        let node = self.patterns.node(target);
        match node.op {
            Op::Variable(slot) => bound[usize::from(slot)],
            Op::Literal(index) => {
                let width = node.width.as_fixed().unwrap_or(0);
                material.literal(self.patterns.integer(index).clone(), width)
            }
            op => {
                let mut args = node.args;
                for arg in &mut args[..op.arity()] {
                    *arg = self.build(material, *arg, bound);
                }
                material.apply_at(op, &args[..op.arity()], node.width)
            }
        }
    }
}

/// The operands that may stop, as a bit set.
fn stopping(material: &Material, arm: &Arm, bound: &Bindings) -> u32 {
    let operands = (0..SLOTS).filter(|slot| arm.operands & (1 << slot) != 0);
    let stops = operands.filter(|&slot| material.stops(bound[slot]) != Stops::NONE);
    stops.fold(0, |all, slot| all | 1 << slot)
}
