//! Blocks that do not run, at least not now: new statements or those of another block, and an end that makes the
//! function look as if it did more than it does. A call of another function there is one more place to inline it at.

use super::super::program::{Callee, Operand, Place, Rvalue, Statement, Terminator};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::body::Body;
use super::places::Purpose;

/// Statements that are taken over from another block.
const COPIED: usize = 10;

impl Generator<'_> {
    /// A block that does not run now, of statements that might as well: new ones, or those of another block.
    pub(super) fn decoy(&mut self, body: &mut Body, join: usize) -> usize {
        // A jump to where the function has been, which makes a loop of it for those who do not know.
        let free = body.loops == 0 && !self.cleaning;
        if free && body.current > 0 && !self.swarm.storage && self.entropy.chance(1, 6) {
            let back = 1 + self.entropy.below(body.blocks.len() as u64 - 1) as usize;
            if !body.blocks[back].cleanup && back != join {
                return back;
            }
        }
        if self.cleaning && self.entropy.chance(1, 6) {
            let end = Terminator::Terminate(self.reason());
            return self.aside(body, vec![], end);
        }
        if self.entropy.chance(1, 12) {
            return self.aside(body, vec![], Terminator::Unreachable);
        }
        if body.marked.is_empty() && self.entropy.chance(1, 3) {
            return self.likeness(body, join);
        }
        let mut statements: Vec<Statement> = vec![];
        for _ in 0..self.entropy.between(0, 4) {
            let Some(target) = self.target(body, Purpose::Decoy) else { continue };
            let Some(of) = self.type_of(body, &target) else { continue };
            if let Some(rvalue) = self.rvalue(body, of, Purpose::Decoy)
                && !self.is_idle(body, &target, &rvalue)
            {
                statements.push(Statement::Assign(target, rvalue));
            }
        }
        if self.swarm.unwinding && !self.cleaning && self.entropy.chance(1, 6) {
            return self.alarm(body, statements);
        }
        let end = self.ending(body, join);
        self.aside(body, statements, end)
    }

    /// Another block once more, with what ends it if that leads nowhere that matters.
    fn likeness(&mut self, body: &mut Body, join: usize) -> usize {
        let from = self.entropy.below(body.blocks.len() as u64) as usize;
        let copied = &body.blocks[from];
        let cleaning = self.cleaning;
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
            // What is moved into a call must not be used by another one at once.
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
                // On to where the other one went, or not.
                if self.entropy.chance(1, 2)
                    && let Terminator::Call { target, .. } | Terminator::Record { target, .. } =
                        &mut end
                {
                    *target = join;
                }
                end
            }
            _ => self.ending(body, join),
        };
        self.aside(body, statements, end)
    }

    /// What ends a decoy: mostly nothing special.
    fn ending(&mut self, body: &mut Body, join: usize) -> Terminator {
        let end = match self.entropy.below(10) {
            0..=2 => self.idle_call(body, join),
            3 if self.may_return(body) => Some(Terminator::Return),
            4 | 5 => self.idle_switch(body, join),
            _ => None,
        };
        end.unwrap_or(Terminator::Goto(join))
    }

    fn may_return(&self, body: &Body) -> bool {
        body.marked.is_empty() && body.loops == 0 && !self.cleaning
    }

    /// A call of a function that is complete, or of the one that is being made.
    fn idle_call(&mut self, body: &mut Body, join: usize) -> Option<Terminator> {
        let again = body.number != 0 && self.entropy.chance(1, 5);
        let (number, signature) = if again {
            (body.number, body.signature().to_vec())
        } else {
            let number = self.finished(body, true)?;
            let function = &self.program.functions[number];
            (number, function.locals[..=function.parameters].to_vec())
        };
        let mut arguments = vec![];
        for of in &signature[1..] {
            arguments.push(self.idle_operand(body, *of)?);
        }
        let there = self.pick(body, signature[0], Purpose::Decoy);
        let there = there.filter(|place| !self.is_packed(body, place));
        let destination = there.unwrap_or_else(|| Place::local(self.new_local(body, signature[0])));
        let unwind = self.unwind(body);
        let callee = Callee::Function(number, vec![]);
        Some(Terminator::Call { callee, arguments, destination, target: join, unwind })
    }

    fn idle_operand(&mut self, body: &mut Body, of: TypeId) -> Option<Operand> {
        if !self.program.types.is_copy(of) {
            return None;
        }
        match self.pick(body, of, Purpose::Decoy) {
            Some(place) => Some(Operand::Copy(place)),
            None if self.program.types.is_scalar(of) => Some(self.constant_of(of)),
            None => None,
        }
    }

    /// A switch of which most ways come to the same.
    fn idle_switch(&mut self, body: &mut Body, join: usize) -> Option<Terminator> {
        let of = if self.entropy.chance(1, 2) { Types::BOOL } else { self.scalar_type() };
        if matches!(self.program.types.kind(of), Kind::Float(_)) {
            return None;
        }
        let place = self.pick(body, of, Purpose::Decoy)?;
        let Operand::Constant(first) = self.constant_of(of) else { return None };
        let mut arms = vec![(first.bits, join)];
        let end = if self.may_return(body) && self.entropy.chance(1, 3) {
            Terminator::Return
        } else if self.entropy.chance(1, 2) {
            Terminator::Unreachable
        } else {
            Terminator::Goto(join)
        };
        let side = self.aside(body, vec![], end);
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
