//! Other ends than a return: a panic that the caller catches, one that never comes, or a call of another function
//! in place of the own one.

use super::super::interpret::{At, Scope};
use super::super::program::{Callee, Operand, Place, Rvalue, Statement, Terminator, Unwind};
use super::super::types::{TypeId, Types};
use super::Generator;
use super::body::Body;
use super::call::CALL_FUEL;
use super::places::Purpose;

/// Functions among which one is looked for to end in, the last ones.
const NEAREST: usize = 40;

impl Generator<'_> {
    /// Makes a function that panics, and calls it so that the panic is caught.
    pub(super) fn catch_new(&mut self, body: &mut Body) -> Option<()> {
        let (arguments, parameters) = self.arguments(body);
        let returns = self.any_type();
        if self.program.types.needs_drop(returns) {
            return None;
        }
        let destination = self.destination(body, Types::BOOL, &[]);
        let number = self.reserve();
        let mut signature = vec![returns];
        signature.extend(&parameters);
        let scope = Scope { types: &self.program.types, locals: &body.locals };
        let callee = Callee::Catch(number);
        let given = (arguments.as_slice(), &destination);
        let frame =
            self.machine.begin_catch(scope, &mut body.frame, &signature, given, &callee).ok()?;
        let lines = self.share(body);
        let frame = self.fill(number, &signature, frame, lines, true);
        if !self.machine.is_unwinding() {
            return None;
        }
        self.machine.abandon_call(frame);
        let target = body.open();
        let unwind = Unwind::Unreachable;
        body.close(Terminator::Call { callee, arguments, destination, target, unwind });
        body.current = target;
        Some(())
    }

    /// Ends a function in a panic, which may have something to clean up.
    pub(super) fn raise(&mut self, body: &mut Body) {
        self.record(body, 1);
        let unit = self.new_local(body, Types::UNIT);
        let (target, block) = (body.open(), body.open());
        body.blocks[target].terminator = Terminator::Unreachable;
        body.blocks[block].cleanup = true;
        body.blocks[block].terminator = Terminator::Resume;
        let unwind = Unwind::Cleanup(block);
        let destination = Place::local(unit);
        let callee = Callee::Raise;
        let raise = Terminator::Call { callee, arguments: vec![], destination, target, unwind };
        let scope = Scope { types: &self.program.types, locals: &body.locals };
        let at = At { function: body.number, block: body.current };
        let next = self.machine.terminator(&self.program, at, scope, &mut body.frame, &raise);
        body.close(raise);
        if next != Ok(block) {
            return;
        }
        body.current = block;
        self.cleaning = true;
        for _ in 0..self.entropy.below(5) {
            self.clean(body);
        }
        self.cleaning = false;
        body.close(Terminator::Resume);
    }

    /// A block on the side that panics, if it is ever run: what calls the function has to reckon with it.
    pub(super) fn alarm(&mut self, body: &mut Body, statements: Vec<Statement>) -> usize {
        let destination = Place::local(self.new_local(body, Types::UNIT));
        let target = self.aside(body, vec![], Terminator::Unreachable);
        let unwind = match self.unwind(body) {
            Unwind::Unreachable => Unwind::Continue,
            unwind => unwind,
        };
        let callee = Callee::Raise;
        let raise = Terminator::Call { callee, arguments: vec![], destination, target, unwind };
        self.aside(body, statements, raise)
    }

    /// One statement of a cleanup block: rather one that somebody sees after the panic.
    fn clean(&mut self, body: &mut Body) {
        let Some(place) = self.target(body, Purpose::Write) else { return };
        let Some(of) = self.type_of(body, &place) else { return };
        if let Some(rvalue) = self.rvalue(body, of, Purpose::Read)
            && !matches!(rvalue, Rvalue::Transmute(..))
        {
            self.assign(body, place, rvalue);
        }
    }

    /// Ends a function in a call of another one with the same signature.
    pub(super) fn hand_on(&mut self, body: &mut Body) -> bool {
        if body.number == 0 {
            return false;
        }
        let signature = body.signature().to_vec();
        let fitting: Vec<usize> = (self.callable.iter().rev().take(NEAREST))
            .filter(|callable| {
                let function = &self.program.functions[callable.number];
                callable.generics == 0
                    && !callable.raises
                    && callable.steps <= CALL_FUEL
                    && function.locals[..=function.parameters] == signature
            })
            .map(|callable| callable.number)
            .collect();
        let Some(function) = self.entropy.pick(&fitting).copied() else { return false };
        let snapshot = self.snapshot(body);
        let done = self.try_hand_on(body, function, &signature);
        if done.is_none() {
            self.restore(body, snapshot);
        }
        done.is_some()
    }

    fn try_hand_on(
        &mut self,
        body: &mut Body,
        function: usize,
        signature: &[TypeId],
    ) -> Option<()> {
        let arguments: Vec<Operand> = self.matching(body, &signature[1..])?;
        let fuel = self.machine.fuel;
        self.machine.fuel = fuel.min(CALL_FUEL);
        let scope = Scope { types: &self.program.types, locals: &body.locals };
        let last = (function, arguments.as_slice());
        let done = self.machine.finish_in(&self.program, scope, &mut body.frame, last);
        self.machine.fuel = fuel.saturating_sub(CALL_FUEL.saturating_sub(self.machine.fuel));
        done.ok()?;
        body.close(Terminator::TailCall { function, arguments });
        Some(())
    }
}
