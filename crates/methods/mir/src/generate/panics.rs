//! Functions that end in a panic, which the caller catches, and panics in dead blocks.

use super::super::interpret::{At, Scope};
use super::super::program::{Callee, Place, Statement, Terminator, Unwind};
use super::super::types::Types;
use super::Generator;
use super::body::Body;

impl Generator<'_> {
    /// Generates a function that panics, and a call of it under `catch_unwind`.
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
        let frame = self
            .interpreter
            .begin_catch(scope, &mut body.frame, &signature, given, &callee)
            .ok()?;
        let lines = self.line_budget(body);
        let frame = self.generate_function(number, &signature, frame, lines, true);
        if !self.interpreter.is_unwinding() {
            return None;
        }
        self.interpreter.abandon_call(frame);
        let target = body.open();
        let unwind = Unwind::Unreachable;
        body.close(Terminator::Call { callee, arguments, destination, target, unwind });
        body.current = target;
        Some(())
    }

    /// Ends a function in a panic with a cleanup block.
    pub(super) fn panic_at_end(&mut self, body: &mut Body) {
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
        let next = self.interpreter.terminator(&self.program, at, scope, &mut body.frame, &raise);
        body.close(raise);
        if next != Ok(block) {
            return;
        }
        body.current = block;
        self.clean_up(body);
    }

    /// A dead block that panics, so that callers of the function must expect unwinding.
    pub(super) fn panicking_block(&mut self, body: &mut Body, statements: Vec<Statement>) -> usize {
        let destination = Place::local(self.new_local(body, Types::UNIT));
        let target = self.side_block(body, vec![], Terminator::Unreachable);
        let unwind = match self.unwind(body) {
            Unwind::Unreachable => Unwind::Continue,
            unwind => unwind,
        };
        let callee = Callee::Raise;
        let raise = Terminator::Call { callee, arguments: vec![], destination, target, unwind };
        self.side_block(body, statements, raise)
    }
}
