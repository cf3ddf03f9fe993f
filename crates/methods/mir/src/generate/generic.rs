//! Generic functions. They are built as a whole before anything runs, from operations that are defined for all type
//! arguments. `generic_calls.rs` calls each of them with several types.

use super::super::intrinsic::Intrinsic;
use super::super::program::{
    Block, Callee, Local, Operand, Operator, Place, Projection, Rvalue, Statement, Terminator,
    Unwind,
};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::constant::{Fixing, constant_type};

/// How long the arrays are that a generic function makes.
const LONGEST: u64 = 4;

/// Steps that a generic function may take with those that it calls.
const STEPS: u64 = 100;

/// A generic function that is being made. All that is in `places` can be read at the end of what there is.
#[derive(Debug, Default)]
pub(super) struct Draft {
    /// The type parameters, or types that stand for them.
    parameters: Vec<TypeId>,
    /// The constant parameters, and what is known of them.
    pub(super) constants: Vec<TypeId>,
    pub(super) fixing: Fixing,
    pub(super) locals: Vec<TypeId>,
    pub(super) places: Vec<Known>,
    pub(super) blocks: Vec<Block>,
    /// Of the block that grows.
    statements: Vec<Statement>,
    /// Steps that its calls take, and its loops.
    pub(super) steps: u64,
}

/// A place of a draft that holds something.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) place: Place,
    pub(super) of: TypeId,
    pub(super) writable: bool,
}

impl Draft {
    pub(super) fn local(&mut self, of: TypeId) -> Local {
        self.locals.push(of);
        self.locals.len() - 1
    }

    pub(super) fn assign(&mut self, place: Place, rvalue: Rvalue) {
        self.statements.push(Statement::Assign(place, rvalue));
    }

    pub(super) fn state(&mut self, statement: Statement) {
        self.statements.push(statement);
    }

    /// A new local that holds something, which others may use.
    pub(super) fn hold(&mut self, of: TypeId, rvalue: Rvalue) -> Place {
        let place = Place::local(self.local(of));
        self.assign(place.clone(), rvalue);
        self.know(place.clone(), of, true);
        place
    }

    pub(super) fn know(&mut self, place: Place, of: TypeId, writable: bool) {
        self.places.push(Known { place, of, writable });
    }

    pub(super) fn end(&mut self, terminator: Terminator) {
        let statements = std::mem::take(&mut self.statements);
        self.blocks.push(Block { cleanup: false, statements, terminator });
    }

    /// Ends the block in a call, and goes on after it.
    pub(super) fn call(&mut self, callee: Callee, arguments: Vec<Operand>, destination: Place) {
        let target = self.blocks.len() + 1;
        let unwind = match callee {
            Callee::Intrinsic(_) => Unwind::Unreachable,
            _ => Unwind::Continue,
        };
        self.end(Terminator::Call { callee, arguments, destination, target, unwind });
    }
}

pub(super) fn number(of: TypeId, bits: u64) -> Rvalue {
    Rvalue::Use(Operand::constant(of, bits.into()))
}

impl Generator<'_> {
    /// A function of one or two type parameters, of constant parameters, or of both, that mixes what it is given.
    pub(super) fn generic(&mut self) {
        let fixed = self.entropy.chance(1, 2);
        let count = match self.entropy.below(6) {
            0 | 1 => 2,
            2 if fixed => 0,
            _ => 1,
        };
        let types = &mut self.program.types;
        let mut parameters: Vec<TypeId> =
            (0..count).map(|index| types.intern(Kind::Parameter(index))).collect();
        if parameters.is_empty() {
            parameters.push(self.scalar_type());
        }
        let mut draft = Draft { parameters, ..Draft::default() };
        if fixed {
            self.fix(&mut draft, count);
        }
        let returns = self.returned(&draft);
        let mut signature = vec![returns, draft.parameters[0]];
        for _ in 0..self.entropy.between(1, 4) {
            signature.push(self.passed(&draft));
        }
        draft.locals.clone_from(&signature);
        for (local, of) in signature.iter().enumerate().skip(1) {
            self.enter(&mut draft, local, *of);
        }
        let most = if self.swarm.lines < 200 { 3 } else { 7 };
        for _ in 0..self.entropy.between(2, most) {
            self.piece(&mut draft);
        }
        let Some(value) = self.make(&mut draft, returns, 3) else { return };
        draft.assign(Place::local(0), Rvalue::Use(value));
        draft.end(Terminator::Return);
        let steps = draft.steps;
        let types = &self.program.types;
        let constants: Vec<TypeId> =
            draft.constants.iter().filter_map(|it| constant_type(types, *it)).collect();
        let generics = (count + constants.len(), constants);
        let locals = &draft.locals[signature.len()..];
        let function = self.add_generic(generics, &signature, locals, draft.blocks);
        if let Some(callable) = self.callable.last_mut() {
            callable.steps += steps;
        }
        if !draft.constants.is_empty() {
            self.fixings.push(Fixing { function, ..draft.fixing });
        }
    }

    pub(super) fn parameter(&mut self, draft: &Draft) -> TypeId {
        self.entropy.pick(&draft.parameters).copied().unwrap_or(Types::U64)
    }

    /// What a generic function returns.
    fn returned(&mut self, draft: &Draft) -> TypeId {
        if let Some(array) = self.array_type(draft)
            && self.entropy.chance(1, 3)
        {
            return array;
        }
        let (one, other) = (self.parameter(draft), self.parameter(draft));
        let kind = match self.entropy.below(8) {
            0 | 1 => Kind::Tuple(vec![one, other]),
            2 => Kind::Array(one, self.entropy.between(1, 3)),
            3 => Kind::Tuple(vec![one, Types::USIZE, other]),
            4 => return Types::USIZE,
            _ => return one,
        };
        self.program.types.intern(kind)
    }

    /// What a generic function takes.
    fn passed(&mut self, draft: &Draft) -> TypeId {
        let (one, other) = (self.parameter(draft), self.parameter(draft));
        let mutable = self.entropy.chance(1, 2);
        if let Some(to) = self.array_type(draft)
            && self.entropy.chance(1, 2)
        {
            return match self.entropy.below(3) {
                0 => self.program.types.intern(Kind::Reference { mutable, to }),
                _ => to,
            };
        }
        let kind = match self.entropy.below(10) {
            0 | 1 => return one,
            2 | 3 => return Types::BOOL,
            4 => Kind::Pointer { mutable, to: one },
            5 | 6 => Kind::Reference { mutable, to: one },
            7 => Kind::Tuple(vec![one, other]),
            8 => Kind::Array(one, self.entropy.between(1, 3)),
            _ => {
                let array = Kind::Array(one, self.entropy.between(1, 3));
                let to = self.program.types.intern(array);
                Kind::Reference { mutable, to }
            }
        };
        self.program.types.intern(kind)
    }

    /// The places that a parameter gives.
    fn enter(&mut self, draft: &mut Draft, local: Local, of: TypeId) {
        draft.know(Place::local(local), of, true);
        let (mut root, mut inside, mut writable) = (Place::local(local), of, true);
        if let Kind::Pointer { mutable, to } | Kind::Reference { mutable, to } =
            *self.program.types.kind(of)
        {
            (root, inside, writable) = (Place::deref(local), to, mutable);
            draft.know(root.clone(), inside, writable);
        }
        self.know_parts(draft, &root, inside, writable);
    }

    /// The parts of a tuple or array: each field, one element.
    pub(super) fn know_parts(
        &mut self,
        draft: &mut Draft,
        place: &Place,
        of: TypeId,
        writable: bool,
    ) {
        match self.program.types.kind(of).clone() {
            Kind::Tuple(parts) => {
                for (field, part) in parts.into_iter().enumerate() {
                    draft.know(place.then(Projection::Field(field)), part, writable);
                }
            }
            Kind::Array(element, length) if length > 0 => {
                let index = draft.local(Types::USIZE);
                let at = self.entropy.below(length);
                draft.assign(Place::local(index), number(Types::USIZE, at));
                draft.know(place.then(Projection::Index(index)), element, writable);
            }
            Kind::ArrayOf(element, _) if draft.fixing.least > 0 => {
                let index = draft.local(Types::USIZE);
                let at = self.entropy.below(draft.fixing.least);
                draft.assign(Place::local(index), number(Types::USIZE, at));
                draft.know(place.then(Projection::Index(index)), element, writable);
            }
            _ => {}
        }
    }

    /// A place of a type that holds something, and that may be written if it has to.
    pub(super) fn find(&mut self, draft: &Draft, of: TypeId, write: bool) -> Option<Place> {
        let fits = |known: &&Known| known.of == of && (known.writable || !write);
        let fitting: Vec<&Known> = draft.places.iter().filter(fits).collect();
        self.entropy.pick(&fitting).map(|known| known.place.clone())
    }

    /// Something of a type, which is made if it is not there.
    pub(super) fn make(&mut self, draft: &mut Draft, of: TypeId, depth: u32) -> Option<Operand> {
        let kind = self.program.types.kind(of).clone();
        let points = matches!(kind, Kind::Pointer { .. } | Kind::Reference { .. });
        if !points && let Some(place) = self.find(draft, of, false) {
            return Some(Operand::Copy(place));
        }
        let depth = depth.checked_sub(1)?;
        let rvalue = match kind {
            Kind::Tuple(parts) => {
                let parts = parts.into_iter().map(|part| self.make(draft, part, depth));
                Rvalue::Aggregate(of, 0, parts.collect::<Option<_>>()?)
            }
            Kind::Array(element, length) => {
                let element = self.make(draft, element, depth)?;
                if self.entropy.chance(1, 2) {
                    Rvalue::Repeat(element, length)
                } else {
                    Rvalue::Aggregate(of, 0, vec![element; length as usize])
                }
            }
            Kind::ArrayOf(element, index) => {
                let length = self.constant_at(draft, index)?;
                Rvalue::RepeatOf(self.make(draft, element, depth)?, length)
            }
            // To something that nobody else points to.
            Kind::Pointer { mutable, to } => {
                let value = self.make(draft, to, depth)?;
                let place = Place::local(draft.local(to));
                draft.assign(place.clone(), Rvalue::Use(value));
                Rvalue::AddressOf(mutable, place)
            }
            Kind::Reference { mutable, to } => {
                let value = self.make(draft, to, depth)?;
                let place = Place::local(draft.local(to));
                draft.assign(place.clone(), Rvalue::Use(value));
                Rvalue::Reference(mutable, place)
            }
            _ if self.program.types.is_scalar(of) => {
                let own = self.own_constant(draft, of).filter(|_| self.entropy.chance(1, 2));
                return Some(own.unwrap_or_else(|| self.constant_of(of)));
            }
            _ => return None,
        };
        let place = Place::local(draft.local(of));
        draft.assign(place.clone(), rvalue);
        Some(if self.program.types.is_copy(of) {
            Operand::Copy(place)
        } else {
            Operand::Move(place)
        })
    }

    /// One thing more that a generic function does.
    fn piece(&mut self, draft: &mut Draft) {
        if !draft.constants.is_empty() && self.entropy.chance(2, 3) {
            return self.constant_piece(draft);
        }
        match self.entropy.below(14) {
            0 | 1 => self.pack(draft),
            2 => self.borrow(draft),
            3 => self.overwrite(draft),
            4 => self.generic_walk(draft),
            5 => self.look_along(draft),
            6 | 7 => self.call_another(draft),
            8 => self.fork(draft),
            9 => self.go_along(draft),
            10 if self.swarm.intrinsics => self.by_intrinsic(draft),
            11 if self.swarm.transmutes => self.measure(draft),
            12 => self.show(draft),
            _ => self.mix(draft),
        }
    }

    /// A copy from one place to another.
    pub(super) fn mix(&mut self, draft: &mut Draft) {
        let of = self.parameter(draft);
        let (Some(to), Some(from)) = (self.find(draft, of, true), self.find(draft, of, false))
        else {
            return;
        };
        if to.local != from.local {
            draft.assign(to, Rvalue::Use(Operand::Copy(from)));
        }
    }

    /// A tuple or array of what is there, also of what was made like that.
    fn pack(&mut self, draft: &mut Draft) {
        let (mut one, other) = (self.parameter(draft), self.parameter(draft));
        if self.entropy.chance(1, 4) {
            one = self.program.types.intern(Kind::Tuple(vec![other, one]));
        }
        let kind = match self.entropy.below(3) {
            0 => Kind::Array(one, self.entropy.between(2, LONGEST)),
            1 => Kind::Tuple(vec![one, Types::BOOL, other]),
            _ => Kind::Tuple(vec![one, other]),
        };
        let of = self.program.types.intern(kind);
        let Some(Operand::Copy(place)) = self.make(draft, of, 3) else { return };
        if place.projections.is_empty() {
            draft.know(place.clone(), of, true);
            self.know_parts(draft, &place, of, true);
        }
    }

    fn borrow(&mut self, draft: &mut Draft) {
        let of = self.parameter(draft);
        let Some(from) = self.find(draft, of, false) else { return };
        let reference = self.program.types.intern(Kind::Reference { mutable: false, to: of });
        let local = draft.local(reference);
        draft.assign(Place::local(local), Rvalue::Reference(false, from));
        draft.hold(of, Rvalue::Use(Operand::Copy(Place::deref(local))));
    }

    /// Through a reference that is used once.
    fn overwrite(&mut self, draft: &mut Draft) {
        let of = self.parameter(draft);
        let (Some(to), Some(from)) = (self.find(draft, of, true), self.find(draft, of, false))
        else {
            return;
        };
        if to.local == from.local {
            return;
        }
        let reference = self.program.types.intern(Kind::Reference { mutable: true, to: of });
        let local = draft.local(reference);
        draft.assign(Place::local(local), Rvalue::Reference(true, to));
        draft.assign(Place::deref(local), Rvalue::Use(Operand::Copy(from)));
    }

    /// A new array, and an index of its first element.
    fn array(&mut self, draft: &mut Draft, of: TypeId) -> Option<(Place, TypeId, u64, Local)> {
        let length = self.entropy.between(2, LONGEST);
        let array = self.program.types.intern(Kind::Array(of, length));
        let one = self.make(draft, of, 2)?;
        let other = self.make(draft, of, 2)?;
        let mut parts = vec![one; length as usize];
        parts[self.entropy.below(length) as usize] = other;
        let place = draft.hold(array, Rvalue::Aggregate(array, 0, parts));
        let index = draft.local(Types::USIZE);
        draft.assign(Place::local(index), number(Types::USIZE, 0));
        Some((place, array, length, index))
    }

    /// A pointer that goes from one element to another.
    fn generic_walk(&mut self, draft: &mut Draft) {
        let of = self.parameter(draft);
        let Some((array, _, length, index)) = self.array(draft, of) else { return };
        let pointer = self.program.types.intern(Kind::Pointer { mutable: true, to: of });
        let start = Place::local(draft.local(pointer));
        let first = array.then(Projection::Index(index));
        draft.assign(start.clone(), Rvalue::AddressOf(true, first.clone()));
        let by = self.entropy.between(1, length - 1);
        let by = Operand::constant(Types::USIZE, by.into());
        let moved = draft.local(pointer);
        draft.assign(Place::local(moved), Rvalue::Offset(Operand::Copy(start), by));
        if let Some(from) = self.find(draft, of, false) {
            draft.assign(Place::deref(moved), Rvalue::Use(Operand::Copy(from)));
        }
        draft.know(Place::deref(moved), of, true);
        draft.know(first, of, true);
    }

    /// A slice: its length, and one of its elements.
    fn look_along(&mut self, draft: &mut Draft) {
        let of = self.parameter(draft);
        let Some((array, kind, length, index)) = self.array(draft, of) else { return };
        let types = &mut self.program.types;
        let thin = types.intern(Kind::Reference { mutable: false, to: kind });
        let slice = types.intern(Kind::Slice(of));
        let wide = types.intern(Kind::Reference { mutable: false, to: slice });
        let raw = types.intern(Kind::Pointer { mutable: false, to: slice });
        let reference = Place::local(draft.local(thin));
        draft.assign(reference.clone(), Rvalue::Reference(false, array));
        let local = draft.local(wide);
        draft.assign(Place::local(local), Rvalue::Unsize(Operand::Copy(reference), wide));
        let pointer = Place::local(draft.local(raw));
        draft.assign(pointer.clone(), Rvalue::AddressOf(false, Place::deref(local)));
        draft.hold(Types::USIZE, Rvalue::Length(Operand::Copy(pointer)));
        let at = self.entropy.below(length);
        draft.assign(Place::local(index), number(Types::USIZE, at));
        let element = Place::deref(local).then(Projection::Index(index));
        draft.hold(of, Rvalue::Use(Operand::Copy(element)));
    }

    /// A call of another generic function, with the own type parameters or what is made of them.
    pub(super) fn call_another(&mut self, draft: &mut Draft) {
        let room = STEPS.saturating_sub(draft.steps);
        let there: Vec<(usize, u64)> = (self.callable.iter())
            .filter(|callable| callable.generics > 0 && callable.steps <= room)
            .map(|callable| (callable.number, callable.steps))
            .collect();
        let Some((callee, steps)) = self.entropy.pick(&there).copied() else { return };
        let types = self.program.functions[callee].type_parameters();
        let mut with: Vec<TypeId> = (0..types)
            .map(|_| {
                let (one, other) = (self.parameter(draft), self.parameter(draft));
                match self.entropy.below(6) {
                    0 => self.program.types.intern(Kind::Tuple(vec![one, other])),
                    1 => self.program.types.intern(Kind::Array(one, 2)),
                    2 => self.scalar_type(),
                    _ => one,
                }
            })
            .collect();
        with.extend(self.constants_for(callee, Some(draft)));
        let function = &self.program.functions[callee];
        let signature = function.locals[..=function.parameters].to_vec();
        let types = &mut self.program.types;
        let signature: Vec<TypeId> =
            signature.into_iter().map(|of| types.instantiate(of, &with)).collect();
        let mut arguments = vec![];
        for of in &signature[1..] {
            match self.make(draft, *of, 4) {
                Some(argument) => arguments.push(argument),
                None => return,
            }
        }
        let result = Place::local(draft.local(signature[0]));
        draft.call(Callee::Function(callee, with), arguments, result.clone());
        draft.steps += steps;
        draft.know(result.clone(), signature[0], true);
        self.know_parts(draft, &result, signature[0], true);
    }

    /// Two ways, by a bool.
    fn fork(&mut self, draft: &mut Draft) {
        let Some(on) = self.find(draft, Types::BOOL, false) else { return };
        let here = draft.blocks.len();
        draft.end(Terminator::Switch {
            on: Operand::Copy(on),
            arms: vec![(u128::from(self.entropy.below(2)), here + 1)],
            otherwise: here + 2,
        });
        for _ in 0..2 {
            for _ in 0..self.entropy.between(1, 3) {
                self.mix(draft);
            }
            draft.end(Terminator::Goto(here + 3));
        }
    }

    /// A loop over the elements of an array.
    fn go_along(&mut self, draft: &mut Draft) {
        let of = self.parameter(draft);
        let Some(last) = self.find(draft, of, false) else { return };
        let Some((array, _, length, index)) = self.array(draft, of) else { return };
        let kept = Place::local(draft.local(of));
        draft.assign(kept.clone(), Rvalue::Use(Operand::Copy(last)));
        let goes_on = Place::local(draft.local(Types::BOOL));
        let head = draft.blocks.len() + 1;
        draft.end(Terminator::Goto(head));
        let below = Operand::constant(Types::USIZE, length.into());
        draft.assign(goes_on.clone(), Rvalue::Binary(Operator::Lt, Operand::local(index), below));
        draft.end(Terminator::Switch {
            on: Operand::Copy(goes_on),
            arms: vec![(0, head + 2)],
            otherwise: head + 1,
        });
        let element = array.then(Projection::Index(index));
        let held = Place::local(draft.local(of));
        draft.assign(held.clone(), Rvalue::Use(Operand::Copy(element.clone())));
        draft.assign(element, Rvalue::Use(Operand::Copy(kept.clone())));
        draft.assign(kept.clone(), Rvalue::Use(Operand::Copy(held)));
        let one = Operand::constant(Types::USIZE, 1);
        let next = Rvalue::Binary(Operator::Add, Operand::local(index), one);
        draft.assign(Place::local(index), next);
        draft.end(Terminator::Goto(head));
        draft.steps += 7 * length;
        draft.know(kept, of, true);
        draft.hold(Types::USIZE, Rvalue::Use(Operand::local(index)));
    }

    /// What intrinsics do with memory, of a type that is not known yet.
    fn by_intrinsic(&mut self, draft: &mut Draft) {
        let of = self.parameter(draft);
        let (Some(one), Some(other)) = (self.make(draft, of, 2), self.make(draft, of, 2)) else {
            return;
        };
        let (one, other) = (draft.hold(of, Rvalue::Use(one)), draft.hold(of, Rvalue::Use(other)));
        let types = &mut self.program.types;
        let [read, write] =
            [false, true].map(|mutable| types.intern(Kind::Pointer { mutable, to: of }));
        let mut pointer = |mutable: bool, to: &Place| {
            let local = draft.local(if mutable { write } else { read });
            draft.assign(Place::local(local), Rvalue::AddressOf(mutable, to.clone()));
            Operand::local(local)
        };
        let (intrinsic, arguments, returns) = match self.entropy.below(4) {
            0 => (Intrinsic::TypedSwap, vec![pointer(true, &one), pointer(true, &other)], None),
            1 => {
                let count = Operand::constant(Types::USIZE, 1);
                let arguments = vec![pointer(false, &one), pointer(true, &other), count];
                (Intrinsic::CopyNonoverlapping, arguments, None)
            }
            2 => (Intrinsic::VolatileLoad, vec![pointer(false, &one)], Some(of)),
            _ => (Intrinsic::ReadViaCopy, vec![pointer(false, &one)], Some(of)),
        };
        let result = Place::local(draft.local(returns.unwrap_or(Types::UNIT)));
        draft.call(Callee::Intrinsic(intrinsic), arguments, result.clone());
        if let Some(of) = returns {
            draft.know(result, of, true);
        }
    }

    /// How far two elements of an array lie apart in bytes, which is known where the layout is fixed, and a way that
    /// is chosen by it.
    fn measure(&mut self, draft: &mut Draft) {
        let of = self.parameter(draft);
        let Some((array, _, _, first)) = self.array(draft, of) else { return };
        let types = &mut self.program.types;
        let to_element = types.intern(Kind::Pointer { mutable: false, to: of });
        let to_byte = types.intern(Kind::Pointer { mutable: false, to: Types::U8 });
        let second = draft.local(Types::USIZE);
        draft.assign(Place::local(second), number(Types::USIZE, 1));
        let bytes = [second, first].map(|index| {
            let pointer = Place::local(draft.local(to_element));
            let element = array.then(Projection::Index(index));
            draft.assign(pointer.clone(), Rvalue::AddressOf(false, element));
            let byte = draft.local(to_byte);
            draft.assign(Place::local(byte), Rvalue::PointerCast(Operand::Copy(pointer), to_byte));
            Operand::local(byte)
        });
        let size = Place::local(draft.local(Types::ISIZE));
        draft.call(Callee::Intrinsic(Intrinsic::OffsetFrom), bytes.to_vec(), size.clone());
        draft.know(size.clone(), Types::ISIZE, true);
        let limit = Operand::constant(Types::ISIZE, 1 << self.entropy.below(5));
        draft.hold(Types::BOOL, Rvalue::Binary(Operator::Le, Operand::Copy(size), limit));
        self.fork(draft);
    }

    /// Shows some of what is the same whatever the type is.
    fn show(&mut self, draft: &mut Draft) {
        let mut plain = vec![Types::BOOL, Types::USIZE, Types::ISIZE];
        if !draft.constants.is_empty() {
            plain.push(
                *self.entropy.pick(&[Types::U8, Types::I32, Types::U64]).unwrap_or(&Types::U8),
            );
        }
        let values: Vec<Place> =
            plain.iter().filter_map(|of| self.find(draft, *of, false)).collect();
        if !values.is_empty() {
            let target = draft.blocks.len() + 1;
            draft.end(Terminator::Record { values, target });
        }
    }
}
