//! Trait objects. The second word of a pointer to one is the index of the concrete type.

use super::{Check, Frame, Interpreter, Scope, Undefined};
use crate::program::{Operand, Program};
use crate::types::{Kind, TypeId, Types};

impl Interpreter {
    /// The concrete type of the trait object behind the pointer at an index of the arena.
    pub(super) fn concrete(&self, types: &Types, index: usize) -> Check<TypeId> {
        let number = self.memory.read_bits(index + 8, 8)?;
        let known = u32::try_from(number).ok().filter(|it| (*it as usize) < types.len());
        known.map(TypeId).ok_or(Undefined::InvalidValue)
    }

    /// The alignment of the pointee of the pointer at an index of the arena.
    pub(super) fn alignment(&self, types: &Types, to: TypeId, index: usize) -> Check<usize> {
        let of = match types.kind(to) {
            Kind::Object(_) => self.concrete(types, index)?,
            _ => to,
        };
        Ok(types.layout(of).align)
    }

    /// Dynamic dispatch: the function that implements a method for the concrete type of the first argument, and its
    /// signature as seen by the caller, with the trait object as the receiver.
    pub(super) fn dispatch(
        &mut self,
        program: &Program,
        scope: Scope<'_>,
        frame: &Frame,
        (of, method): (usize, usize),
        arguments: &[Operand],
    ) -> Check<(usize, Vec<TypeId>)> {
        let place = arguments.first().and_then(Operand::place).ok_or(Undefined::IllFormed)?;
        let (spot, index) = self.read(scope, frame, place)?;
        if scope.types.object(spot.of) != Some(of) {
            return Err(Undefined::IllFormed);
        }
        self.load(scope.types, index, spot.of)?;
        let concrete = self.concrete(scope.types, index)?;
        let function = program.implementation(of, method, concrete);
        let function = function.ok_or(Undefined::IllFormed)?;
        let body = program.functions.get(function).ok_or(Undefined::IllFormed)?;
        let mut signature = body.locals.get(..=body.parameters).unwrap_or_default().to_vec();
        *signature.get_mut(1).ok_or(Undefined::IllFormed)? = spot.of;
        Ok((function, signature))
    }

    /// Replaces the wide receiver of a called method by a thin reference.
    pub(super) fn make_receiver_thin(&mut self, callee: &mut Frame) -> Check {
        let old = callee.slot(1)?;
        let wide = self.memory.whole(old)?;
        let at = self.memory.read_pointer(self.memory.locate(&wide, 16)?)?;
        let slot = self.memory.allocate(8, 8);
        self.memory.set_ambiguous_address(slot);
        let thin = self.memory.whole(slot)?;
        let index = self.memory.locate(&thin, 8)?;
        self.memory.write_pointer(index, &at);
        callee.locals[1] = slot;
        self.memory.free(old)
    }
}
