//! Trait objects: what points to one knows, in its second half, which type it is.

use super::{Check, Frame, Machine, Scope, Undefined};
use crate::program::{Operand, Program};
use crate::types::{Kind, TypeId, Types};

impl Machine {
    /// The type of the trait object that a pointer at a place of the arena points to.
    pub(super) fn concrete(&self, types: &Types, index: usize) -> Check<TypeId> {
        let number = self.memory.read_bits(index + 8, 8)?;
        let known = u32::try_from(number).ok().filter(|it| (*it as usize) < types.len());
        known.map(TypeId).ok_or(Undefined::InvalidValue)
    }

    /// How something is aligned that a pointer at a place of the arena points to.
    pub(super) fn alignment(&self, types: &Types, to: TypeId, index: usize) -> Check<usize> {
        let of = match types.kind(to) {
            Kind::Object(_) => self.concrete(types, index)?,
            _ => to,
        };
        Ok(types.layout(of).align)
    }

    /// The function that a method is for what its first argument points to, and its signature as the caller sees it:
    /// with the trait object as the receiver.
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

    /// The receiver of a method that was called forgets that it was a trait object.
    pub(super) fn narrow(&mut self, callee: &mut Frame) -> Check {
        let old = callee.slot(1)?;
        let wide = self.memory.whole(old)?;
        let at = self.memory.read_pointer(self.memory.locate(&wide, 16)?)?;
        let slot = self.memory.allocate(8, 8);
        self.memory.doubt(slot);
        let thin = self.memory.whole(slot)?;
        let index = self.memory.locate(&thin, 8)?;
        self.memory.write_pointer(index, &at);
        callee.locals[1] = slot;
        self.memory.free(old)
    }
}
