//! Dead blocks behind conditions that the compiler cannot evaluate: new statements or copies of another block's, and a
//! terminator. A call in a dead block is one more call site for the inliner.

use super::super::program::{Callee, Operand, Place, Rvalue, Statement, Terminator};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::body::Body;
use super::places::Purpose;

/// The most statements that are copied from another block.
const COPIED: usize = 10;

impl Generator<'_> {
    /// A block that is not executed, of new statements or those of another block.
    pub(super) fn dead_block(&mut self, body: &mut Body, join: usize) -> usize {
        // A back edge: if the condition cannot be evaluated, this is a loop.
        let free = body.loops == 0 && !self.in_cleanup;
        if free && body.current > 0 && !self.swarm.storage && self.entropy.chance(1, 6) {
            let back = 1 + self.entropy.below(body.blocks.len() as u64 - 1) as usize;
            if !body.blocks[back].cleanup && back != join {
                return back;
            }
        }
        if self.in_cleanup && self.entropy.chance(1, 6) {
            let end = Terminator::Terminate(self.reason());
            return self.side_block(body, vec![], end);
        }
        if self.entropy.chance(1, 12) {
            return self.side_block(body, vec![], Terminator::Unreachable);
        }
        if body.marked.is_empty() && self.entropy.chance(1, 3) {
            return self.copied_block(body, join);
        }
        let mut statements: Vec<Statement> = vec![];
        for _ in 0..self.entropy.between(0, 4) {
            let Some(target) = self.target(body, Purpose::DeadBlock) else { continue };
            let Some(of) = self.type_of(body, &target) else { continue };
            if let Some(rvalue) = self.rvalue(body, of, Purpose::DeadBlock)
                && !self.is_self_copy(body, &target, &rvalue)
            {
                statements.push(Statement::Assign(target, rvalue));
            }
        }
        if self.swarm.unwinding && !self.in_cleanup && self.entropy.chance(1, 6) {
            return self.panicking_block(body, statements);
        }
        let end = self.dead_end(body, join);
        self.side_block(body, statements, end)
    }

    /// A copy of another block, with its terminator where that is safe.
    fn copied_block(&mut self, body: &mut Body, join: usize) -> usize {
        let from = self.entropy.below(body.blocks.len() as u64) as usize;
        let copied = &body.blocks[from];
        let cleaning = self.in_cleanup;
        let plain = |statement: &&Statement| match statement {
            Statement::Assign(_, Rvalue::Transmute(..)) => !cleaning,
            Statement::Assign(..) => true,
            _ => false,
        };
        let statements: Vec<Statement> =
            copied.statements.iter().filter(plain).take(COPIED).cloned().collect();
        let whole = body.loops == 0 && !self.swarm.storage && from != body.current && !cleaning;
        let end = match &copied.terminator {
            _ if copied.cleanup => None,
            // A second call must not move the same argument.
            Terminator::Call { callee, arguments, .. }
                if arguments.iter().all(|it| !matches!(it, Operand::Move(_)))
                    && !matches!(callee, Callee::Raise) =>
            {
                Some(copied.terminator.clone())
            }
            Terminator::Switch { .. } | Terminator::Goto(_) | Terminator::Record { .. } => {
                Some(copied.terminator.clone())
            }
            _ => None,
        };
        let end = match end {
            Some(mut end) if whole && self.entropy.chance(1, 2) => {
                // Continues at the join, or at the target of the original.
                if self.entropy.chance(1, 2)
                    && let Terminator::Call { target, .. } | Terminator::Record { target, .. } =
                        &mut end
                {
                    *target = join;
                }
                end
            }
            _ => self.dead_end(body, join),
        };
        self.side_block(body, statements, end)
    }

    /// The terminator of a dead block: mostly a jump to the join.
    fn dead_end(&mut self, body: &mut Body, join: usize) -> Terminator {
        let end = match self.entropy.below(10) {
            0..=2 => self.dead_call(body, join),
            3 if self.may_return(body) => Some(Terminator::Return),
            4 | 5 => self.dead_switch(body, join),
            _ => None,
        };
        end.unwrap_or(Terminator::Goto(join))
    }

    fn may_return(&self, body: &Body) -> bool {
        body.marked.is_empty() && body.loops == 0 && !self.in_cleanup
    }

    /// A call of a complete function, or of the function under construction.
    fn dead_call(&mut self, body: &mut Body, join: usize) -> Option<Terminator> {
        let again = body.number != 0 && self.entropy.chance(1, 5);
        let (number, signature) = if again {
            (body.number, body.signature().to_vec())
        } else {
            let number = self.complete_function(body, true)?;
            let function = &self.program.functions[number];
            (number, function.locals[..=function.parameters].to_vec())
        };
        let mut arguments = vec![];
        for of in &signature[1..] {
            arguments.push(self.dead_operand(body, *of)?);
        }
        let existing = self.pick(body, signature[0], Purpose::DeadBlock);
        let existing = existing.filter(|place| !self.is_packed(body, place));
        let destination =
            existing.unwrap_or_else(|| Place::local(self.new_local(body, signature[0])));
        let unwind = self.unwind(body);
        let callee = Callee::Function(number, vec![]);
        Some(Terminator::Call { callee, arguments, destination, target: join, unwind })
    }

    fn dead_operand(&mut self, body: &mut Body, of: TypeId) -> Option<Operand> {
        if !self.program.types.is_copy(of) {
            return None;
        }
        match self.pick(body, of, Purpose::DeadBlock) {
            Some(place) => Some(Operand::Copy(place)),
            None if self.program.types.is_scalar(of) => Some(self.constant_of(of)),
            None => None,
        }
    }

    /// A switch whose targets are mostly the same block.
    fn dead_switch(&mut self, body: &mut Body, join: usize) -> Option<Terminator> {
        let of = if self.entropy.chance(1, 2) { Types::BOOL } else { self.scalar_type() };
        if matches!(self.program.types.kind(of), Kind::Float(_)) {
            return None;
        }
        let place = self.pick(body, of, Purpose::DeadBlock)?;
        let Operand::Constant(first) = self.constant_of(of) else { return None };
        let mut arms = vec![(first.bits, join)];
        let end = if self.may_return(body) && self.entropy.chance(1, 3) {
            Terminator::Return
        } else if self.entropy.chance(1, 2) {
            Terminator::Unreachable
        } else {
            Terminator::Goto(join)
        };
        let side = self.side_block(body, vec![], end);
        let second = self.neighbour(of, first.bits);
        if of != Types::BOOL && second != first.bits {
            arms.push((second, side));
        }
        let otherwise = if self.entropy.chance(1, 2) { side } else { join };
        if arms.len() == 1 && otherwise == join {
            arms[0].1 = side;
        }
        Some(Terminator::Switch { on: Operand::Copy(place), arms, otherwise })
    }
}
