//! Calls: what they are given, and what they give back.

use std::rc::Rc;

use super::build::moves_apart;
use super::place::{Source, Spot};
use super::value::Value;
use super::{Check, DEEPEST, Destination, Frame, LARGEST, Machine, Scope, Undefined};
use crate::borrows::Guard;
use crate::program::{Callee, Operand, Place};
use crate::types::{TypeId, Types};

impl Machine {
    /// Begins a call: evaluates the arguments into a new frame that holds the return place and the
    /// parameters, and protects what must be. The signature says what is returned, then the parameters.
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

    /// Begins a call of a function whose panic is caught.
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

    /// Begins a call of a function, of one whose panic is caught, or of what the standard library does with
    /// boxes.
    pub(super) fn begin(
        &mut self,
        scope: Scope<'_>,
        frame: &mut Frame,
        signature: &[TypeId],
        (arguments, destination): (&[Operand], &Place),
        made: Option<&Callee>,
    ) -> Check<Frame> {
        if self.depth >= DEEPEST || self.memory.size() > LARGEST {
            return Err(Undefined::Endless);
        }
        let spot = self.resolve(scope, frame, destination, true)?;
        self.touch(scope, frame, destination)?;
        let returns = *signature.first().ok_or(Undefined::IllFormed)?;
        // What a function that is caught returns is thrown away.
        let catches = matches!(made, Some(Callee::Catch(_))) && spot.of == Types::BOOL;
        if arguments.len() + 1 != signature.len() || !catches && spot.of != returns {
            return Err(Undefined::IllFormed);
        }
        let mut callee = Frame { protected: self.protected.len(), returns, ..Frame::default() };
        self.add_passed(scope.types, &mut callee, signature);
        let fresh = !matches!(made, Some(Callee::NewBox | Callee::BoxToPointer));
        let boxes = made.is_none() || catches;
        let mut sources = std::mem::take(&mut self.sources);
        sources.clear();
        let passed = self
            .evaluate(scope, frame, signature, arguments, &mut sources)
            .and_then(|()| self.pass(scope.types, &mut callee, &sources, &spot, (catches, fresh)))
            .and_then(|()| self.guard(scope.types, &mut callee, &signature[1..], boxes));
        self.sources = sources;
        match passed {
            Ok(()) => {
                self.depth += 1;
                Ok(callee)
            }
            Err(undefined) => {
                self.unguard(&callee);
                self.protected.truncate(callee.protected);
                self.release(callee);
                Err(undefined)
            }
        }
    }

    /// The arguments, from left to right.
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
        moves_apart(sources)
    }

    /// Arguments become the parameters.
    pub(super) fn hand_over(&mut self, types: &Types, callee: &Frame, sources: &[Source]) -> Check {
        for (number, source) in sources.iter().enumerate() {
            let at = self.memory.whole(callee.slot(number + 1)?)?;
            let index = self.memory.locate(&at, at.hi as usize)?;
            self.write_source(types, index, source);
        }
        Ok(())
    }

    fn pass(
        &mut self,
        types: &Types,
        callee: &mut Frame,
        sources: &[Source],
        spot: &Spot,
        (catches, fresh): (bool, bool),
    ) -> Check {
        // What is moved may be passed in place: the callee must not reach it by a pointer either.
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
        self.hand_over(types, callee, sources)?;
        self.open(spot)?;
        self.forget_sources(sources);
        let spot = spot.opened();
        let whole = self.forget(&spot);
        callee.destination = Some(Destination { spot, whole, catches, fresh });
        self.protected.extend(moved().chain([&spot]).map(Spot::span));
        Ok(())
    }

    /// References in the parameters are fresh ones, and protected until the call ends.
    pub(super) fn guard(
        &mut self,
        types: &Types,
        callee: &mut Frame,
        parameters: &[TypeId],
        boxes: bool,
    ) -> Check {
        let guards = (Guard::Strong, boxes.then_some(Guard::Weak));
        for (number, of) in parameters.iter().enumerate() {
            if types.layout(*of).pointers {
                let at = self.memory.whole(callee.slot(number + 1)?)?;
                self.retag_parts(types, &at, *of, guards, &mut callee.guards)?;
            }
        }
        Ok(())
    }

    /// The references that a call protects are used for the last time, and no longer protected.
    pub(super) fn end_guards(&mut self, frame: &Frame) -> Check {
        let mut done = Ok(());
        for at in &frame.guards {
            if self.memory.target(at).is_ok()
                && let Some(allocation) = self.memory.allocation_mut(at.slot)
                && let Some(tree) = &mut allocation.tree
            {
                done = done.and(Rc::make_mut(tree).touch_last(at.tag));
            }
        }
        self.unguard(frame);
        done
    }

    fn unguard(&mut self, frame: &Frame) {
        for at in &frame.guards {
            if self.memory.target(at).is_ok()
                && let Some(allocation) = self.memory.allocation_mut(at.slot)
                && let Some(tree) = &mut allocation.tree
            {
                Rc::make_mut(tree).unguard(at.tag);
            }
        }
    }

    /// The locals of a frame are gone.
    pub(super) fn release(&mut self, frame: Frame) {
        for slot in frame.locals.into_iter().rev() {
            self.memory.release(slot);
        }
    }

    /// Ends a call normally: what the callee's return place holds is copied to the destination; its locals
    /// are gone.
    pub(crate) fn end_call(
        &mut self,
        scope: Scope<'_>,
        _frame: &mut Frame,
        callee: Frame,
        _destination: &Place,
    ) -> Check {
        let types = scope.types;
        self.depth = self.depth.saturating_sub(1);
        self.end_guards(&callee)?;
        self.protected.truncate(callee.protected);
        let Some(Destination { spot, whole, catches, fresh }) = callee.destination else {
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
        self.restore(&spot, whole);
        if types.layout(spot.of).pointers {
            self.validate(types, to, spot.of)?;
            if fresh {
                let none = (Guard::None, Some(Guard::None));
                self.retag_parts(types, &spot.at, spot.of, none, &mut vec![])?;
            }
        }
        Ok(())
    }

    /// Ends a call by a panic.
    pub(crate) fn abandon_call(&mut self, callee: Frame) {
        self.depth = self.depth.saturating_sub(1);
        if let Err(undefined) = self.end_guards(&callee) {
            self.poison = Some(undefined);
        }
        self.protected.truncate(callee.protected);
        let destination = callee.destination;
        self.release(callee);
        if let Some(Destination { spot, whole, catches: true, .. }) = destination
            && let Ok(to) = self.memory.locate(&spot.at, spot.size)
        {
            self.memory.write_bits(to, 1, 1);
            self.restore(&spot, whole);
            self.unwinding = false;
        }
    }

    /// The frame makes way for another one, which returns to where it would have.
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
        if self.memory.size() > LARGEST {
            return Err(Undefined::Endless);
        }
        let mut next = Frame {
            protected: frame.protected,
            destination: frame.destination,
            returns: frame.returns,
            ..Frame::default()
        };
        self.add_passed(scope.types, &mut next, signature);
        let mut sources = std::mem::take(&mut self.sources);
        sources.clear();
        self.evaluate(scope, frame, signature, arguments, &mut sources)?;
        self.hand_over(scope.types, &next, &sources)?;
        self.forget_sources(&sources);
        self.sources = sources;
        self.end_guards(frame)?;
        for slot in frame.locals.iter().rev() {
            self.memory.free(*slot)?;
        }
        self.guard(scope.types, &mut next, &signature[1..], true)?;
        *frame = next;
        Ok(())
    }
}
