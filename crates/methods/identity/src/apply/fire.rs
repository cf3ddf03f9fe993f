//! Fires one arm at one term: matches, checks that what may stop stays where it can, binds what the
//! target needs besides, and builds it.

use num_bigint::BigInt;

use super::arm::Arm;
use super::book::Rulebook;
use super::invention::Invention;
use super::matching::{Bindings, Match, SLOTS};
use super::material::Material;
use super::stops::Stops;
use crate::kernel::{NONE, Op, TermId};

/// How often constants are drawn until the conditions of a rule hold.
const DRAWS: usize = 12;

/// What a term became, and what was bound to the variables that only the target has.
#[derive(Debug)]
pub(super) struct Fired {
    pub(super) term: TermId,
    pub(super) invented: Vec<(u8, TermId)>,
}

impl Rulebook {
    /// What the arm makes of the term, if it may and the result has at most `room` nodes.
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

    /// Nothing if the operands that may stop forbid it; else, whether it is allowed only if all stops
    /// before and after look the same. The reasons are given in `mod.rs`.
    fn must_be_uniform(&self, arm: &Arm, stopping: u32) -> Option<bool> {
        if self.refines {
            arm.refines(stopping).then_some(false)
        } else if arm.keeps_order(stopping) {
            Some(false)
        } else {
            arm.keeps_strict(stopping).then_some(true)
        }
    }

    /// How large the target becomes at least. What is not bound yet may be a number.
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

/// The operands that may stop.
fn stopping(material: &Material, arm: &Arm, bound: &Bindings) -> u32 {
    let operands = (0..SLOTS).filter(|slot| arm.operands & (1 << slot) != 0);
    let stops = operands.filter(|&slot| material.stops(bound[slot]) != Stops::NONE);
    stops.fold(0, |all, slot| all | 1 << slot)
}
