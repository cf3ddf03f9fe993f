//! What a program's scalars were while it ran: what was the same each time can become a constant.

use std::collections::HashMap;

use super::{At, Check, Frame, Machine, Scope, Seen, Undefined};
use crate::program::{Block, Operand, Place, Program, Statement, Terminator};
use crate::shrink::Observed;

/// None where it was not the same each time.
#[derive(Clone, Debug, Default)]
pub(super) struct Sightings {
    assigned: HashMap<(usize, usize, usize), Option<u128>>,
    operands: HashMap<(usize, usize, usize, usize), Option<u128>>,
}

/// Runs a program and watches it.
pub(crate) fn observe(program: &Program, fuel: u64) -> Result<Observed, Undefined> {
    let mut machine = Machine { sightings: Some(Box::default()), ..Machine::new(fuel) };
    super::execute::start(program, &mut machine)?;
    let Sightings { assigned, operands } = *machine.sightings.unwrap_or_default();
    Ok(Observed {
        assigned: assigned.into_iter().filter_map(|(at, bits)| Some((at, bits?))).collect(),
        operands: operands.into_iter().filter_map(|(at, bits)| Some((at, bits?))).collect(),
    })
}

fn note<K: std::hash::Hash + Eq>(notes: &mut HashMap<K, Option<u128>>, at: K, bits: Option<u128>) {
    notes
        .entry(at)
        .and_modify(|known| *known = known.filter(|known| Some(*known) == bits))
        .or_insert(bits);
}

impl Machine {
    /// A statement of a function that runs.
    pub(super) fn watched(
        &mut self,
        scope: Scope<'_>,
        frame: &mut Frame,
        at: At,
        (number, statement): (usize, &Statement),
    ) -> Check {
        if self.sightings.is_none() {
            return self.statement(scope, frame, statement);
        }
        let operands = match statement {
            Statement::Assign(_, rvalue) => rvalue.operands(),
            Statement::Assume(operand) => vec![operand],
            _ => vec![],
        };
        self.watch(scope, frame, (at, number), &operands);
        self.statement(scope, frame, statement)?;
        if let Statement::Assign(place, _) = statement {
            let bits = self.scalar(scope, frame, place);
            if let Some(sightings) = &mut self.sightings {
                note(&mut sightings.assigned, (at.function, at.block, number), bits);
            }
        }
        Ok(())
    }

    /// The operands of a terminator.
    pub(super) fn watch_end(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        (at, number): (At, usize),
        terminator: &Terminator,
    ) {
        if self.sightings.is_some() {
            self.watch(scope, frame, (at, number), &terminator.operands());
        }
    }

    /// What a call gave. A panic that leads to a cleanup block leaves nothing there.
    pub(super) fn watch_result(&mut self, scope: Scope<'_>, frame: &Frame, at: At, block: &Block) {
        if self.sightings.is_none() {
            return;
        }
        let Terminator::Call { destination, .. } = &block.terminator else { return };
        let bits = self.scalar(scope, frame, destination);
        if let Some(sightings) = &mut self.sightings {
            note(&mut sightings.assigned, (at.function, at.block, block.statements.len()), bits);
        }
    }

    fn watch(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        (at, number): (At, usize),
        operands: &[&Operand],
    ) {
        for (position, operand) in operands.iter().enumerate() {
            let bits = operand.place().and_then(|place| self.scalar(scope, frame, place));
            if let Some(sightings) = &mut self.sightings {
                let at = (at.function, at.block, number, position);
                note(&mut sightings.operands, at, bits);
            }
        }
    }

    fn scalar(&self, scope: Scope<'_>, frame: &Frame, place: &Place) -> Option<u128> {
        let of = place.type_in(scope.locals, scope.types)?;
        match self.look(scope, frame, place)? {
            Seen::Bits(bits) if !scope.types.is_enum(of) => Some(bits),
            _ => None,
        }
    }
}
