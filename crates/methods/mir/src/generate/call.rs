//! Calls of new functions, of existing ones, and through pointers; `catch_unwind`; boxes and destructors. `intrinsic.rs`
//! calls intrinsics.

use super::super::interpret::Seen;
use super::super::program::{Callee, Operand, Place, Projection, Rvalue, Terminator, Unwind};
use super::super::types::{Kind, TypeId, Types};
use super::body::{Body, MAX_COMPLEXITY};
use super::places::Purpose;
use super::{Callable, DEPTH, Generator, Scope, types};

/// The most steps of a call of a complete function.
pub(super) const CALL_FUEL: u64 = 240;
/// The most steps that the first run of a function may have taken if it is to be called in a loop.
const LOOP_STEPS: u64 = 60;
/// The most lines of a function that is generated inside a loop, with all functions that it calls.
const LOOP_LINES: i64 = 30;

impl Generator<'_> {
    /// Generates a function and the call of it.
    pub(super) fn call_new(&mut self, body: &mut Body) {
        if self.depth > DEPTH || self.lines_left - body.lines < 30 {
            return;
        }
        let snapshot = self.snapshot(body);
        if self.try_call_new(body).is_none() {
            self.restore(body, snapshot);
        }
    }

    fn try_call_new(&mut self, body: &mut Body) -> Option<()> {
        if self.swarm.tail_calls && self.entropy.chance(1, 2) {
            return self.try_call_same_signature(body);
        }
        let (arguments, parameters) = self.arguments(body);
        let same = self.entropy.pick(&parameters).copied();
        let returns = match same.filter(|of| self.program.types.is_copy(*of)) {
            Some(of) if self.entropy.chance(1, 2) => of,
            _ => self.any_type(),
        };
        let mut signature = vec![returns];
        signature.extend(&parameters);
        self.make_and_call(body, &signature, arguments)
    }

    /// Gives the new function the signature of a complete one, so that it can end in a tail call of it.
    fn try_call_same_signature(&mut self, body: &mut Body) -> Option<()> {
        let generic = self.swarm.generics && self.entropy.chance(1, 2);
        let like =
            if generic { self.complete_generic() } else { self.complete_function(body, false) }?;
        let function = &self.program.functions[like];
        let mut signature = function.locals[..=function.parameters].to_vec();
        if generic {
            let with = self.type_arguments(like, false)?;
            for part in &mut signature {
                *part = self.program.types.instantiate(*part, &with);
            }
        }
        let arguments = self.arguments_for(body, &signature[1..])?;
        self.make_and_call(body, &signature, arguments)
    }

    fn make_and_call(
        &mut self,
        body: &mut Body,
        signature: &[TypeId],
        arguments: Vec<Operand>,
    ) -> Option<()> {
        let destination = self.destination(body, signature[0], &arguments);
        let number = self.reserve();
        let scope = Scope { types: &self.program.types, locals: &body.locals };
        let frame = self
            .interpreter
            .begin_call(scope, &mut body.frame, signature, &arguments, &destination)
            .ok()?;
        let lines = self.line_budget(body);
        let callee = self.generate_function(number, signature, frame, lines, false);
        let scope = Scope { types: &self.program.types, locals: &body.locals };
        self.interpreter.end_call(scope, &mut body.frame, callee, &destination).ok()?;
        let target = body.open();
        let unwind = self.unwind(body);
        body.complexity[destination.local] = MAX_COMPLEXITY / 2;
        body.close(Terminator::Call {
            callee: Callee::Function(number, vec![]),
            arguments,
            destination,
            target,
            unwind,
        });
        body.current = target;
        Some(())
    }

    /// The line budget of a function that is generated here, with the functions generated for it.
    pub(super) fn line_budget(&mut self, body: &Body) -> i64 {
        let share = self.entropy.between(2, 6).cast_signed();
        let lines = ((self.lines_left - body.lines) / share).max(30);
        // The loop runs the function in each iteration.
        if body.loops > 0 { lines.min(LOOP_LINES) } else { lines }
    }

    /// The arguments of a new function: large values and pointers preferred, one value sometimes several times.
    pub(super) fn arguments(&mut self, body: &mut Body) -> (Vec<Operand>, Vec<TypeId>) {
        let mut arguments = vec![];
        let mut parameters = vec![];
        for _ in 0..self.entropy.between(1, 5) {
            let local = self.entropy.below(body.locals.len() as u64) as usize;
            let of = match self.entropy.below(4) {
                0 => body.locals[local],
                1 => self.entropy.pick(&self.palette.large).copied().unwrap_or(Types::USIZE),
                _ => self.any_type(),
            };
            if of == Types::UNIT {
                continue;
            }
            let Some(place) = self.pick(body, of, Purpose::Read) else { continue };
            let repeated = self.program.types.is_copy(of) && self.entropy.chance(1, 5);
            let packed = self.is_packed(body, &place);
            let operand = match self.as_operand(body, place, of) {
                Operand::Move(place) if packed || repeated => Operand::Copy(place),
                operand => operand,
            };
            if repeated {
                arguments.push(operand.clone());
                parameters.push(of);
            }
            arguments.push(operand);
            parameters.push(of);
        }
        (arguments, parameters)
    }

    /// The destination of a call: often the place of an argument. rustc requires it to be aligned.
    pub(super) fn destination(
        &mut self,
        body: &mut Body,
        of: TypeId,
        arguments: &[Operand],
    ) -> Place {
        for argument in arguments {
            if let Operand::Copy(place) = argument
                && self.type_of(body, place) == Some(of)
                && !body.reserved[place.local]
                && !body.indices.contains(&place.local)
                && !self.is_packed(body, place)
                && self.entropy.chance(1, 2)
            {
                return place.clone();
            }
        }
        match self.pick(body, of, Purpose::Write) {
            Some(place) if !self.is_packed(body, &place) => place,
            _ => Place::local(self.new_local(body, of)),
        }
    }

    /// Ends the block with a call of a complete function or an intrinsic.
    pub(super) fn call(
        &mut self,
        body: &mut Body,
        callee: Callee,
        arguments: Vec<Operand>,
        destination: Place,
        unwind: Unwind,
    ) -> bool {
        self.call_within(body, callee, arguments, destination, unwind, CALL_FUEL)
    }

    /// The same with a step limit for the call.
    pub(super) fn call_within(
        &mut self,
        body: &mut Body,
        callee: Callee,
        mut arguments: Vec<Operand>,
        destination: Place,
        unwind: Unwind,
        most: u64,
    ) -> bool {
        for argument in &mut arguments {
            // rustc requires the place of a moved argument to be aligned.
            if let Operand::Move(place) = argument
                && self.is_packed(body, place)
            {
                *argument = Operand::Copy(place.clone());
            }
        }
        let fuel = self.interpreter.fuel;
        self.interpreter.fuel = fuel.min(most);
        let target = body.open();
        let local = destination.local;
        let call = Terminator::Call { callee, arguments, destination, target, unwind };
        let done = self.follow(body, call) && body.current == target;
        self.interpreter.fuel = fuel.saturating_sub(most.saturating_sub(self.interpreter.fuel));
        if done {
            body.complexity[local] = MAX_COMPLEXITY / 2;
        }
        done
    }

    /// Calls a complete function: directly, or through a pointer.
    pub(super) fn call_existing(&mut self, body: &mut Body) {
        let snapshot = self.snapshot(body);
        let done = if self.swarm.function_pointers && self.entropy.chance(1, 2) {
            self.call_pointer(body)
        } else {
            self.call_named(body)
        };
        if done != Some(true) {
            self.restore(body, snapshot);
        }
    }

    fn call_named(&mut self, body: &mut Body) -> Option<bool> {
        let number = self.complete_function(body, false)?;
        let function = &self.program.functions[number];
        let (returns, parameters) = (function.returns(), function.parameter_types().to_vec());
        let arguments = self.arguments_for(body, &parameters)?;
        let destination = self.destination(body, returns, &arguments);
        let unwind = self.unwind(body);
        Some(self.call(body, Callee::Function(number, vec![]), arguments, destination, unwind))
    }

    /// A complete function without generic parameters that takes few steps. Functions that are known to panic are
    /// included on request.
    pub(super) fn complete_function(&mut self, body: &Body, may_panic: bool) -> Option<usize> {
        let most = if body.loops > 0 { LOOP_STEPS } else { CALL_FUEL };
        for _ in 0..4 {
            let drawn = *self.entropy.pick(&self.callable)?;
            if drawn.generics == 0 && drawn.steps <= most && (may_panic || !drawn.panics) {
                return Some(drawn.number);
            }
        }
        None
    }

    /// A complete generic function. All are listed first, because drawing from all functions would seldom find one.
    fn complete_generic(&mut self) -> Option<usize> {
        let generic = |it: &&Callable| it.generics > 0 && it.steps <= CALL_FUEL && !it.panics;
        let all: Vec<usize> =
            self.callable.iter().filter(generic).map(|callable| callable.number).collect();
        self.entropy.pick(&all).copied()
    }

    /// Arguments of the given types.
    pub(super) fn arguments_for(
        &mut self,
        body: &mut Body,
        parameters: &[TypeId],
    ) -> Option<Vec<Operand>> {
        let mut arguments: Vec<Operand> = vec![];
        for of in parameters {
            let operand = match self.find_or_build(body, *of, 2)? {
                Operand::Move(place)
                    if self.program.types.is_copy(*of) && self.entropy.chance(2, 3) =>
                {
                    Operand::Copy(place)
                }
                operand => operand,
            };
            arguments.push(operand);
        }
        Some(arguments)
    }

    fn call_pointer(&mut self, body: &mut Body) -> Option<bool> {
        if self.entropy.chance(1, 2)
            && let Some(holder) = self.entropy.pick(&self.palette.holders).copied()
        {
            let rvalue = self.build(body, holder, 2)?;
            let local = self.new_local(body, holder);
            self.assign(body, Place::local(local), rvalue);
        }
        let functions =
            self.types_of_places(body, |types, of| matches!(types.kind(of), Kind::Function { .. }));
        let of = self.entropy.pick(&functions).copied()?;
        let place = self.pick(body, of, Purpose::Read)?;
        let Kind::Function { parameters, returns } = self.program.types.kind(of).clone() else {
            return None;
        };
        let arguments = self.arguments_for(body, &parameters)?;
        let destination = self.destination(body, returns, &arguments);
        let unwind = self.unwind(body);
        Some(self.call(body, Callee::Pointer(place), arguments, destination, unwind))
    }

    /// A call under `catch_unwind`.
    pub(super) fn catch(&mut self, body: &mut Body) {
        if !self.swarm.unwinding {
            return self.record(body, 1);
        }
        let snapshot = self.snapshot(body);
        let room = self.depth <= DEPTH && self.lines_left - body.lines >= 30 && !self.restricted;
        if room && self.entropy.chance(1, 2) {
            if self.catch_new(body).is_none() {
                self.restore(body, snapshot);
            }
        } else if self.try_catch(body) != Some(true) {
            self.restore(body, snapshot);
        }
    }

    fn try_catch(&mut self, body: &mut Body) -> Option<bool> {
        let number = self.complete_function(body, true)?;
        let function = &self.program.functions[number];
        // The return value is discarded.
        if self.program.types.needs_drop(function.returns()) {
            return None;
        }
        let parameters = function.parameter_types().to_vec();
        let arguments = self.arguments_for(body, &parameters)?;
        let destination = self.destination(body, Types::BOOL, &[]);
        Some(self.call(body, Callee::Catch(number), arguments, destination, Unwind::Unreachable))
    }

    /// A call of `black_box`, of a generic function or of a trait method.
    pub(super) fn black_box_or_generic(&mut self, body: &mut Body) {
        let snapshot = self.snapshot(body);
        let done = if !self.program.traits.is_empty() && self.entropy.chance(1, 2) {
            self.call_method(body)
        } else if self.swarm.generics && self.entropy.chance(3, 4) {
            self.call_generic(body)
        } else {
            self.black_box(body)
        };
        if done != Some(true) {
            self.restore(body, snapshot);
        }
    }

    fn black_box(&mut self, body: &mut Body) -> Option<bool> {
        let of = self.any_type();
        let argument = self.operand(body, of, Purpose::Read)?;
        let destination = self.destination(body, of, &[]);
        Some(self.call(body, Callee::BlackBox, vec![argument], destination, Unwind::Unreachable))
    }

    /// Operations on boxes and on types with destructors.
    pub(super) fn boxes_and_drops(&mut self, body: &mut Body) {
        if !self.swarm.boxes && !self.swarm.destructors {
            return self.switch(body);
        }
        let snapshot = self.snapshot(body);
        let manual = self.swarm.manual && self.entropy.chance(1, 2);
        let done = match self.entropy.below(6) {
            _ if manual => self.manually_drop(body),
            0 | 1 if self.swarm.boxes => self.new_box(body),
            2 if self.swarm.boxes => self.box_from_pointer(body),
            3 if self.swarm.boxes && !self.program.traits.is_empty() => self.box_object(body),
            _ => self.drop_something(body),
        };
        if done != Some(true) {
            self.restore(body, snapshot);
        }
    }

    fn new_box(&mut self, body: &mut Body) -> Option<bool> {
        let to = self.any_type();
        let content = self.find_or_build(body, to, 2)?;
        let of = self.program.types.intern(Kind::Heap(to));
        let local = self.new_local(body, of);
        let place = Place::local(local);
        self.call(body, Callee::NewBox, vec![content], place.clone(), Unwind::Unreachable)
            .then_some(())?;
        if self.entropy.chance(1, 4) {
            return Some(true);
        }
        let pointer = self.program.types.intern(Kind::Pointer { mutable: true, to });
        let raw = self.new_local(body, pointer);
        let boxed = vec![Operand::Move(place)];
        Some(self.call(body, Callee::BoxToPointer, boxed, Place::local(raw), Unwind::Unreachable))
    }

    /// Turns a raw pointer back into a box, and mostly drops it.
    fn box_from_pointer(&mut self, body: &mut Body) -> Option<bool> {
        let boxed = |types: &Types, of: TypeId| match types.kind(of) {
            Kind::Pointer { mutable: true, to } => types.find(&Kind::Heap(*to)).is_some(),
            _ => false,
        };
        let local = self.local_like(body, boxed)?;
        let to = self.program.types.pointee(body.locals[local])?;
        let of = self.program.types.find(&Kind::Heap(to))?;
        let place = Place::local(self.new_local(body, of));
        let pointer = vec![Operand::local(local)];
        self.call(body, Callee::BoxFromPointer, pointer, place.clone(), Unwind::Unreachable)
            .then_some(())?;
        if self.entropy.chance(1, 3) {
            return Some(true);
        }
        let target = body.open();
        let unwind = self.unwind(body);
        Some(self.follow(body, Terminator::Drop { place, target, unwind }))
    }

    /// Builds a value with drop glue, or drops one or a part of one, or both.
    fn drop_something(&mut self, body: &mut Body) -> Option<bool> {
        let mut made = false;
        if self.entropy.chance(1, 2)
            && let Some(of) = self.entropy.pick(&self.palette.owning).copied()
        {
            let rvalue = self.build(body, of, 2)?;
            let local = self.new_local(body, of);
            made = self.assign(body, Place::local(local), rvalue);
        }
        if made && self.entropy.chance(1, 2) {
            return Some(true);
        }
        let owning = self.types_of_places(body, Types::needs_drop);
        let of = self.entropy.pick(&owning).copied()?;
        let mut place = self.pick(body, of, Purpose::Read)?;
        if self.is_packed(body, &place) {
            return None;
        }
        if self.entropy.chance(1, 2) {
            place = self.part_to_drop(body, place, of)?;
        }
        let target = body.open();
        let unwind = self.unwind(body);
        Some(self.follow(body, Terminator::Drop { place, target, unwind }))
    }

    /// An element or field with drop glue, to be dropped alone; the whole if there is none.
    fn part_to_drop(&mut self, body: &mut Body, whole: Place, of: TypeId) -> Option<Place> {
        if let Kind::Array(_, length) = *self.program.types.kind(of) {
            let (index, _) = self.opaque_below(body, Types::USIZE, length.checked_sub(1)?)?;
            return Some(whole.then(Projection::Index(index.place()?.local)));
        }
        let types = &self.program.types;
        let fields: Vec<Place> = (self.fields(&whole, of).into_iter())
            .filter(|(_, part)| types.needs_drop(*part))
            .map(|(place, _)| place)
            .collect();
        Some(self.entropy.pick(&fields).cloned().unwrap_or(whole))
    }

    /// A new box. Cleanup blocks get none, because it takes a call.
    pub(super) fn boxed_value(
        &mut self,
        body: &mut Body,
        of: TypeId,
        to: TypeId,
        depth: u32,
    ) -> Option<Rvalue> {
        if self.in_cleanup {
            return None;
        }
        let content = self.find_or_build(body, to, depth)?;
        let place = Place::local(self.new_local(body, of));
        let mark = body.mark();
        if !self.call(body, Callee::NewBox, vec![content], place.clone(), Unwind::Unreachable) {
            body.reset(mark);
            return None;
        }
        Some(Rvalue::Use(Operand::Move(place)))
    }

    /// The bits of the scalar that a place holds, if they are known.
    pub(super) fn known_bits(&self, body: &Body, place: &Place) -> Option<u128> {
        match self.known_value(body, place)? {
            Seen::Bits(bits) => Some(bits),
            _ => None,
        }
    }

    pub(super) fn constant_of(&mut self, of: TypeId) -> Operand {
        Operand::Constant(types::constant(self.entropy, of, &self.program.types))
    }
}
