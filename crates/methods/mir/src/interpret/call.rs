//! Calls: arguments, protectors, return values, unwinding, and tail calls. `execute.rs` runs the function bodies.

use std::rc::Rc;

use super::build::check_moves_disjoint;
use super::place::{Source, Spot};
use super::value::Value;
use super::{Check, Destination, Frame, Interpreter, MAX_DEPTH, MAX_MEMORY, Scope, Undefined};
use crate::borrows::Protector;
use crate::program::{Callee, Operand, Place};
use crate::types::{TypeId, Types};

impl Interpreter {
    /// Begins a call: evaluates the arguments into a new frame with the return place and the parameters, and adds the
    /// protectors. The signature is the return type, then the types of the parameters.
    pub(crate) fn begin_call(
        &mut self,
        scope: Scope<'_>,
        frame: &mut Frame,
        signature: &[TypeId],
        arguments: &[Operand],
        destination: &Place,
    ) -> Check<Frame> {
        self.begin(scope, frame, signature, (arguments, destination), None)
    }

    /// Begins a call through `catch_unwind`.
    pub(crate) fn begin_catch(
        &mut self,
        scope: Scope<'_>,
        frame: &mut Frame,
        signature: &[TypeId],
        given: (&[Operand], &Place),
        callee: &Callee,
    ) -> Check<Frame> {
        self.begin(scope, frame, signature, given, Some(callee))
    }

    /// Whether a panic is under way.
    pub(crate) fn is_unwinding(&self) -> bool {
        self.unwinding
    }

    /// Begins a call of a function of the program, or through `std_callee` of the standard library: `catch_unwind`,
    /// or one of its functions on boxes, `ManuallyDrop` and so on.
    pub(super) fn begin(
        &mut self,
        scope: Scope<'_>,
        frame: &mut Frame,
        signature: &[TypeId],
        (arguments, destination): (&[Operand], &Place),
        std_callee: Option<&Callee>,
    ) -> Check<Frame> {
        if self.depth >= MAX_DEPTH || self.memory.size() > MAX_MEMORY {
            return Err(Undefined::Limit);
        }
        let spot = self.resolve(scope, frame, destination, true)?;
        self.read_projections(scope, frame, destination)?;
        let returns = *signature.first().ok_or(Undefined::IllFormed)?;
        // `catch_unwind` discards the return value.
        let catches = matches!(std_callee, Some(Callee::Catch(_))) && spot.of == Types::BOOL;
        if arguments.len() + 1 != signature.len() || !catches && spot.of != returns {
            return Err(Undefined::IllFormed);
        }
        let mut callee = Frame { protected: self.protected.len(), returns, ..Frame::default() };
        self.add_signature(scope.types, &mut callee, signature);
        let retags = !matches!(std_callee, Some(Callee::NewBox | Callee::BoxToPointer));
        let boxes = std_callee.is_none() || catches;
        let mut sources = std::mem::take(&mut self.sources);
        sources.clear();
        let passed = self
            .evaluate(scope, frame, signature, arguments, &mut sources)
            .and_then(|()| {
                let returns = (catches, retags);
                self.pass_arguments(scope.types, &mut callee, &sources, &spot, returns)
            })
            .and_then(|()| self.protect(scope.types, &mut callee, &signature[1..], boxes));
        self.sources = sources;
        match passed {
            Ok(()) => {
                self.depth += 1;
                Ok(callee)
            }
            Err(undefined) => {
                self.unprotect(&callee);
                self.protected.truncate(callee.protected);
                self.release(callee);
                Err(undefined)
            }
        }
    }

    /// Evaluates the arguments, from left to right.
    pub(super) fn evaluate(
        &mut self,
        scope: Scope<'_>,
        frame: &Frame,
        signature: &[TypeId],
        arguments: &[Operand],
        sources: &mut Vec<Source>,
    ) -> Check {
        for (argument, of) in arguments.iter().zip(&signature[1..]) {
            sources.push(self.source(scope, frame, argument, *of)?);
        }
        check_moves_disjoint(sources)
    }

    /// Writes the arguments into the parameters.
    pub(super) fn write_parameters(
        &mut self,
        types: &Types,
        callee: &Frame,
        sources: &[Source],
    ) -> Check {
        for (number, source) in sources.iter().enumerate() {
            let at = self.memory.whole(callee.slot(number + 1)?)?;
            let index = self.memory.locate(&at, at.hi as usize)?;
            self.write_source(types, index, source);
        }
        Ok(())
    }

    fn pass_arguments(
        &mut self,
        types: &Types,
        callee: &mut Frame,
        sources: &[Source],
        spot: &Spot,
        (catches, retags): (bool, bool),
    ) -> Check {
        // A moved argument may be passed in place, so the callee must not access it through a pointer.
        let moved = || {
            sources.iter().filter_map(|source| match source {
                Source::Place(spot, _, true) => Some(spot),
                _ => None,
            })
        };
        if moved().any(|moved| moved.span().overlaps(&spot.written())) {
            return Err(Undefined::Overlap);
        }
        for moved in moved() {
            self.access(&moved.at, moved.size, true)?;
        }
        self.write_parameters(types, callee, sources)?;
        self.prepare_write(spot)?;
        self.deinitialise_sources(sources);
        let spot = spot.prepared();
        let complete = self.deinitialise(&spot);
        callee.destination = Some(Destination { spot, complete, catches, retags });
        self.protected.extend(moved().chain([&spot]).map(Spot::span));
        Ok(())
    }

    /// Retags the references in the parameters, and the boxes if `boxes`, with protectors until the call ends.
    pub(super) fn protect(
        &mut self,
        types: &Types,
        callee: &mut Frame,
        parameters: &[TypeId],
        boxes: bool,
    ) -> Check {
        let protectors = (Protector::Strong, boxes.then_some(Protector::Weak));
        for (number, of) in parameters.iter().enumerate() {
            if types.layout(*of).pointers {
                let at = self.memory.whole(callee.slot(number + 1)?)?;
                self.retag_parts(types, &at, *of, protectors, &mut callee.protectors)?;
            }
        }
        Ok(())
    }

    /// Ends the protectors of a call, each with its implicit access.
    pub(super) fn end_protectors(&mut self, frame: &Frame) -> Check {
        let mut done = Ok(());
        for at in &frame.protectors {
            if self.memory.target(at).is_ok()
                && let Some(allocation) = self.memory.allocation_mut(at.slot)
                && let Some(tree) = &mut allocation.tree
            {
                done = done.and(Rc::make_mut(tree).protector_end_access(at.tag));
            }
        }
        self.unprotect(frame);
        done
    }

    fn unprotect(&mut self, frame: &Frame) {
        for at in &frame.protectors {
            if self.memory.target(at).is_ok()
                && let Some(allocation) = self.memory.allocation_mut(at.slot)
                && let Some(tree) = &mut allocation.tree
            {
                Rc::make_mut(tree).unprotect(at.tag);
            }
        }
    }

    /// Releases the locals of a frame.
    pub(super) fn release(&mut self, frame: Frame) {
        for slot in frame.locals.into_iter().rev() {
            self.memory.release(slot);
        }
    }

    /// Returns from a call: copies the return place to the destination, and frees the locals.
    pub(crate) fn end_call(
        &mut self,
        scope: Scope<'_>,
        _frame: &mut Frame,
        callee: Frame,
        _destination: &Place,
    ) -> Check {
        let types = scope.types;
        self.depth = self.depth.saturating_sub(1);
        self.end_protectors(&callee)?;
        self.protected.truncate(callee.protected);
        let Some(Destination { spot, complete, catches, retags }) = callee.destination else {
            return Err(Undefined::IllFormed);
        };
        let to = self.memory.locate(&spot.at, spot.size)?;
        let from = self.memory.whole(callee.slot(0)?)?;
        let from = self.memory.locate(&from, from.hi as usize)?;
        if catches {
            self.validate(types, from, callee.returns)?;
            self.store(types, to, spot.of, Value::Bits(0));
        } else {
            self.validate(types, from, spot.of)?;
            self.transfer(types, from, to, spot.of);
        }
        for slot in callee.locals.into_iter().rev() {
            self.memory.free(slot)?;
        }
        self.restore(&spot, complete);
        if types.layout(spot.of).pointers {
            self.validate(types, to, spot.of)?;
            if retags {
                let none = (Protector::None, Some(Protector::None));
                self.retag_parts(types, &spot.at, spot.of, none, &mut vec![])?;
            }
        }
        Ok(())
    }

    /// Ends a call that panicked. If its destination catches panics, unwinding ends.
    pub(crate) fn abandon_call(&mut self, callee: Frame) {
        self.depth = self.depth.saturating_sub(1);
        if let Err(undefined) = self.end_protectors(&callee) {
            self.deferred_error = Some(undefined);
        }
        self.protected.truncate(callee.protected);
        let destination = callee.destination;
        self.release(callee);
        if let Some(Destination { spot, complete, catches: true, .. }) = destination
            && let Ok(to) = self.memory.locate(&spot.at, spot.size)
        {
            self.memory.write_bits(to, 1, 1);
            self.restore(&spot, complete);
            self.unwinding = false;
        }
    }

    /// Replaces the frame by that of the tail callee, which has the same return destination.
    pub(super) fn tail_call(
        &mut self,
        scope: Scope<'_>,
        frame: &mut Frame,
        signature: &[TypeId],
        arguments: &[Operand],
    ) -> Check {
        if arguments.len() + 1 != signature.len() || scope.locals.first() != signature.first() {
            return Err(Undefined::IllFormed);
        }
        if self.memory.size() > MAX_MEMORY {
            return Err(Undefined::Limit);
        }
        let mut next = Frame {
            protected: frame.protected,
            destination: frame.destination,
            returns: frame.returns,
            ..Frame::default()
        };
        self.add_signature(scope.types, &mut next, signature);
        let mut sources = std::mem::take(&mut self.sources);
        sources.clear();
        self.evaluate(scope, frame, signature, arguments, &mut sources)?;
        self.write_parameters(scope.types, &next, &sources)?;
        self.deinitialise_sources(&sources);
        self.sources = sources;
        self.end_protectors(frame)?;
        for slot in frame.locals.iter().rev() {
            self.memory.free(*slot)?;
        }
        self.protect(scope.types, &mut next, &signature[1..], true)?;
        *frame = next;
        Ok(())
    }
}
