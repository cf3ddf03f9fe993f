//! Cleanup blocks: those that run while a panic unwinds, and those of calls that never panic.

use super::super::program::Unwind;
use super::super::program::{Callee, Operand, Place, Reason, Rvalue, Statement, Terminator};
use super::super::types::Kind;
use super::Generator;
use super::body::Body;
use super::places::Purpose;

impl Generator<'_> {
    /// Fills the blocks of a cleanup that runs, up to `resume`.
    pub(super) fn clean_up(&mut self, body: &mut Body) {
        self.in_cleanup = true;
        for _ in 0..self.entropy.below(6) {
            match self.entropy.below(12) {
                0 => self.switch(body),
                1 | 2 => self.call_existing(body),
                3 if self.swarm.intrinsics => self.intrinsic(body),
                4 | 5 if self.swarm.boxes || self.swarm.destructors => self.boxes_and_drops(body),
                6 => self.record(body, 1),
                7 | 8 => self.statement(body),
                9 | 10 if self.swarm.storage => self.storage(body),
                9 if self.swarm.enums > 0 => self.construct_enum(body),
                _ => self.visible_assignment(body),
            }
        }
        self.in_cleanup = false;
        body.close(Terminator::Resume);
    }

    /// A statement of a cleanup block. It assigns to any place, so that its effect may be visible after the panic.
    fn visible_assignment(&mut self, body: &mut Body) {
        let Some(place) = self.target(body, Purpose::Write) else { return };
        let Some(of) = self.type_of(body, &place) else { return };
        if let Some(rvalue) = self.rvalue(body, of, Purpose::Read)
            && !matches!(rvalue, Rvalue::Transmute(..))
        {
            self.assign(body, place, rvalue);
        }
    }

    /// The unwind action of a call that does not panic.
    pub(super) fn unwind(&mut self, body: &mut Body) -> Unwind {
        if self.in_cleanup {
            return self.unwind_in_cleanup();
        }
        if !self.swarm.unwinding {
            return if self.entropy.chance(1, 2) { Unwind::Unreachable } else { Unwind::Continue };
        }
        match self.entropy.below(12) {
            0..=2 => Unwind::Unreachable,
            3..=5 => Unwind::Continue,
            6 => Unwind::Terminate(Reason::Abi),
            _ => Unwind::Cleanup(self.dead_cleanup_block(body)),
        }
    }

    /// The unwind action of a call in a cleanup block.
    fn unwind_in_cleanup(&mut self) -> Unwind {
        if self.entropy.chance(1, 2) {
            Unwind::Unreachable
        } else {
            Unwind::Terminate(self.reason())
        }
    }

    pub(super) fn reason(&mut self) -> Reason {
        if self.entropy.chance(1, 2) { Reason::Abi } else { Reason::InCleanup }
    }

    fn cleanup_block(
        &mut self,
        body: &mut Body,
        statements: Vec<Statement>,
        end: Terminator,
    ) -> usize {
        let block = self.side_block(body, statements, end);
        body.blocks[block].cleanup = true;
        block
    }

    /// A cleanup block that never runs.
    fn dead_cleanup_block(&mut self, body: &mut Body) -> usize {
        let mut statements = vec![];
        for _ in 0..self.entropy.below(3) {
            statements.extend(self.dead_statement(body));
        }
        let end = match self.entropy.below(8) {
            0 => Some(Terminator::Terminate(self.reason())),
            1 => self.dead_cleanup_switch(body),
            2 => self.dead_cleanup_call(body),
            3 | 4 => self.dead_cleanup_drop(body),
            _ => None,
        };
        self.cleanup_block(body, statements, end.unwrap_or(Terminator::Resume))
    }

    /// A statement of a cleanup block that never runs.
    fn dead_statement(&mut self, body: &mut Body) -> Option<Statement> {
        let target = self.target(body, Purpose::DeadBlock)?;
        let of = self.type_of(body, &target)?;
        let variants = self.program.types.variants(of).len() as u64;
        if variants > 0 && self.entropy.chance(1, 3) {
            return Some(Statement::SetDiscriminant(target, self.entropy.below(variants) as usize));
        }
        // With debug assertions, CheckEnums checks transmutes to enums in a block that is no cleanup block, which is
        // an ICE inside a cleanup block. See J in section 6 of docs/src/custom-mir.md.
        let rvalue = self.rvalue(body, of, Purpose::DeadBlock)?;
        let fits =
            !self.is_self_copy(body, &target, &rvalue) && !matches!(rvalue, Rvalue::Transmute(..));
        fits.then_some(Statement::Assign(target, rvalue))
    }

    fn dead_cleanup_switch(&mut self, body: &mut Body) -> Option<Terminator> {
        let of = self.scalar_type();
        if matches!(self.program.types.kind(of), Kind::Float(_)) {
            return None;
        }
        let place = self.pick(body, of, Purpose::DeadBlock)?;
        let Operand::Constant(constant) = self.constant_of(of) else { return None };
        let otherwise = self.cleanup_block(body, vec![], Terminator::Resume);
        let statements: Vec<Statement> = self.dead_statement(body).into_iter().collect();
        let end = match self.entropy.below(3) {
            0 => Terminator::Terminate(self.reason()),
            1 => Terminator::Unreachable,
            _ => Terminator::Goto(otherwise),
        };
        let arm = self.cleanup_block(body, statements, end);
        let on = Operand::Copy(place);
        Some(Terminator::Switch { on, arms: vec![(constant.bits, arm)], otherwise })
    }

    fn dead_cleanup_call(&mut self, body: &mut Body) -> Option<Terminator> {
        let number = self.complete_function(body, false)?;
        let function = &self.program.functions[number];
        let (returns, parameters) = (function.returns(), function.parameter_types().to_vec());
        let mut arguments = vec![];
        for of in parameters {
            let operand = match self.operand(body, of, Purpose::DeadBlock)? {
                Operand::Move(place) => Operand::Copy(place),
                operand => operand,
            };
            arguments.push(operand);
        }
        let destination = match self.pick(body, returns, Purpose::DeadBlock) {
            Some(place) if !self.is_packed(body, &place) => place,
            _ => Place::local(self.new_local(body, returns)),
        };
        let target = self.cleanup_block(body, vec![], Terminator::Resume);
        let callee = Callee::Function(number, vec![]);
        let unwind = self.unwind_in_cleanup();
        Some(Terminator::Call { callee, arguments, destination, target, unwind })
    }

    fn dead_cleanup_drop(&mut self, body: &mut Body) -> Option<Terminator> {
        let owning: Vec<usize> = (0..body.locals.len())
            .filter(|&local| {
                self.program.types.needs_drop(body.locals[local])
                    && body.allows(local, Purpose::DeadBlock)
            })
            .collect();
        let place = Place::local(self.entropy.pick(&owning).copied()?);
        let target = self.cleanup_block(body, vec![], Terminator::Resume);
        let unwind = self.unwind_in_cleanup();
        Some(Terminator::Drop { place, target, unwind })
    }
}
