//! Records the scalar values of operands and assignments during a run. The shrinker replaces those with a single
//! value by constants.

use std::collections::HashMap;

use super::{At, Check, Frame, Interpreter, Scope, Seen, Undefined};
use crate::program::{Block, Operand, Place, Program, Statement, Terminator};
use crate::shrink::Observed;

/// The value of each assignment and operand, by location. `None` if it was not always the same scalar.
#[derive(Clone, Debug, Default)]
pub(super) struct Trace {
    assigned: HashMap<(usize, usize, usize), Option<u128>>,
    operands: HashMap<(usize, usize, usize, usize), Option<u128>>,
}

/// Runs a program and returns the values that were the same on every execution.
pub(crate) fn observe(program: &Program, fuel: u64) -> Result<Observed, Undefined> {
    let mut interpreter = Interpreter { trace: Some(Box::default()), ..Interpreter::new(fuel) };
    super::execute::start(program, &mut interpreter)?;
    let Trace { assigned, operands } = *interpreter.trace.unwrap_or_default();
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

impl Interpreter {
    /// Executes a statement and records its values.
    pub(super) fn traced_statement(
        &mut self,
        scope: Scope<'_>,
        frame: &mut Frame,
        at: At,
        (number, statement): (usize, &Statement),
    ) -> Check {
        if self.trace.is_none() {
            return self.statement(scope, frame, statement);
        }
        let operands = match statement {
            Statement::Assign(_, rvalue) => rvalue.operands(),
            Statement::Assume(operand) => vec![operand],
            _ => vec![],
        };
        self.trace_operands(scope, frame, (at, number), &operands);
        self.statement(scope, frame, statement)?;
        if let Statement::Assign(place, _) = statement {
            let bits = self.scalar(scope, frame, place);
            if let Some(trace) = &mut self.trace {
                note(&mut trace.assigned, (at.function, at.block, number), bits);
            }
        }
        Ok(())
    }

    /// Records the operands of a terminator.
    pub(super) fn trace_terminator(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        (at, number): (At, usize),
        terminator: &Terminator,
    ) {
        if self.trace.is_some() {
            self.trace_operands(scope, frame, (at, number), &terminator.operands());
        }
    }

    /// Records the return value of a call. After a panic the destination is uninitialised, which is recorded as no
    /// scalar.
    pub(super) fn trace_result(&mut self, scope: Scope<'_>, frame: &Frame, at: At, block: &Block) {
        if self.trace.is_none() {
            return;
        }
        let Terminator::Call { destination, .. } = &block.terminator else { return };
        let bits = self.scalar(scope, frame, destination);
        if let Some(trace) = &mut self.trace {
            note(&mut trace.assigned, (at.function, at.block, block.statements.len()), bits);
        }
    }

    fn trace_operands(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        (at, number): (At, usize),
        operands: &[&Operand],
    ) {
        for (position, operand) in operands.iter().enumerate() {
            let bits = operand.place().and_then(|place| self.scalar(scope, frame, place));
            if let Some(trace) = &mut self.trace {
                let at = (at.function, at.block, number, position);
                note(&mut trace.operands, at, bits);
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
