//! Generic functions. They are built as a whole before anything runs, from operations that are defined for all type
//! arguments. `generic_calls.rs` calls each of them with several types.

use super::super::intrinsic::Intrinsic;
use super::super::program::{
    Block, Callee, Local, Operand, Operator, Place, Projection, Rvalue, Statement, Terminator,
    Unwind,
};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::constant::{ConstDomain, constant_type};

/// The longest array that a generic function makes, const parameters aside.
const LONGEST: u64 = 4;

/// The most steps of a generic function, with those that it calls.
const STEPS: u64 = 100;

/// A generic function under construction. All of `places` is initialised at the end of the current block.
#[derive(Debug, Default)]
pub(super) struct Draft {
    /// The type parameters; a scalar type if there are none.
    parameters: Vec<TypeId>,
    /// The const parameters, and the arguments that they may have.
    pub(super) constants: Vec<TypeId>,
    pub(super) domain: ConstDomain,
    pub(super) locals: Vec<TypeId>,
    pub(super) places: Vec<InitialisedPlace>,
    pub(super) blocks: Vec<Block>,
    /// Statements of the current block.
    statements: Vec<Statement>,
    /// Steps of its calls and loops.
    pub(super) steps: u64,
}

/// An initialised place of a draft.
#[derive(Clone, Debug)]
pub(super) struct InitialisedPlace {
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

    pub(super) fn push(&mut self, statement: Statement) {
        self.statements.push(statement);
    }

    /// Assigns a value to a new local, which later operations may use.
    pub(super) fn store(&mut self, of: TypeId, rvalue: Rvalue) -> Place {
        let place = Place::local(self.local(of));
        self.assign(place.clone(), rvalue);
        self.add_place(place.clone(), of, true);
        place
    }

    pub(super) fn add_place(&mut self, place: Place, of: TypeId, writable: bool) {
        self.places.push(InitialisedPlace { place, of, writable });
    }

    pub(super) fn end(&mut self, terminator: Terminator) {
        let statements = std::mem::take(&mut self.statements);
        self.blocks.push(Block { cleanup: false, statements, terminator });
    }

    /// Ends the block in a call, and continues in a new one.
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
    /// A function with type parameters, const parameters or both, that copies and combines its arguments.
    pub(super) fn generic(&mut self) {
        let has_constants = self.entropy.chance(1, 2);
        let count = match self.entropy.below(6) {
            0 | 1 => 2,
            2 if has_constants => 0,
            _ => 1,
        };
        let types = &mut self.program.types;
        let mut parameters: Vec<TypeId> =
            (0..count).map(|index| types.intern(Kind::Parameter(index))).collect();
        if parameters.is_empty() {
            parameters.push(self.scalar_type());
        }
        let mut draft = Draft { parameters, ..Draft::default() };
        if has_constants {
            self.add_const_parameters(&mut draft, count);
        }
        let returns = self.generic_return_type(&draft);
        let mut signature = vec![returns, draft.parameters[0]];
        for _ in 0..self.entropy.between(1, 4) {
            signature.push(self.generic_parameter_type(&draft));
        }
        draft.locals.clone_from(&signature);
        for (local, of) in signature.iter().enumerate().skip(1) {
            self.add_parameter(&mut draft, local, *of);
        }
        let most = if self.swarm.lines < 200 { 3 } else { 7 };
        for _ in 0..self.entropy.between(2, most) {
            self.generic_operation(&mut draft);
        }
        let Some(value) = self.find_or_make(&mut draft, returns, 3) else { return };
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
            self.const_domains.push(ConstDomain { function, ..draft.domain });
        }
    }

    pub(super) fn type_parameter(&mut self, draft: &Draft) -> TypeId {
        self.entropy.pick(&draft.parameters).copied().unwrap_or(Types::U64)
    }

    /// The return type of a generic function.
    fn generic_return_type(&mut self, draft: &Draft) -> TypeId {
        if let Some(array) = self.array_type(draft)
            && self.entropy.chance(1, 3)
        {
            return array;
        }
        let (one, other) = (self.type_parameter(draft), self.type_parameter(draft));
        let kind = match self.entropy.below(8) {
            0 | 1 => Kind::Tuple(vec![one, other]),
            2 => Kind::Array(one, self.entropy.between(1, 3)),
            3 => Kind::Tuple(vec![one, Types::USIZE, other]),
            4 => return Types::USIZE,
            _ => return one,
        };
        self.program.types.intern(kind)
    }

    /// The type of a parameter of a generic function.
    fn generic_parameter_type(&mut self, draft: &Draft) -> TypeId {
        let (one, other) = (self.type_parameter(draft), self.type_parameter(draft));
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

    /// Adds the places that a parameter gives access to.
    fn add_parameter(&mut self, draft: &mut Draft, local: Local, of: TypeId) {
        draft.add_place(Place::local(local), of, true);
        let (mut root, mut inside, mut writable) = (Place::local(local), of, true);
        if let Kind::Pointer { mutable, to } | Kind::Reference { mutable, to } =
            *self.program.types.kind(of)
        {
            (root, inside, writable) = (Place::deref(local), to, mutable);
            draft.add_place(root.clone(), inside, writable);
        }
        self.add_parts(draft, &root, inside, writable);
    }

    /// Adds the parts of a tuple or array: each field, or one element.
    pub(super) fn add_parts(
        &mut self,
        draft: &mut Draft,
        place: &Place,
        of: TypeId,
        writable: bool,
    ) {
        match self.program.types.kind(of).clone() {
            Kind::Tuple(parts) => {
                for (field, part) in parts.into_iter().enumerate() {
                    draft.add_place(place.then(Projection::Field(field)), part, writable);
                }
            }
            Kind::Array(element, length) if length > 0 => {
                let index = draft.local(Types::USIZE);
                let at = self.entropy.below(length);
                draft.assign(Place::local(index), number(Types::USIZE, at));
                draft.add_place(place.then(Projection::Index(index)), element, writable);
            }
            Kind::ArrayOf(element, _) if draft.domain.least > 0 => {
                let index = draft.local(Types::USIZE);
                let at = self.entropy.below(draft.domain.least);
                draft.assign(Place::local(index), number(Types::USIZE, at));
                draft.add_place(place.then(Projection::Index(index)), element, writable);
            }
            _ => {}
        }
    }

    /// An initialised place of a type, writable if required.
    pub(super) fn find(&mut self, draft: &Draft, of: TypeId, write: bool) -> Option<Place> {
        let fits = |known: &&InitialisedPlace| known.of == of && (known.writable || !write);
        let fitting: Vec<&InitialisedPlace> = draft.places.iter().filter(fits).collect();
        self.entropy.pick(&fitting).map(|known| known.place.clone())
    }

    /// An operand of a type: an initialised place, or a newly built value.
    pub(super) fn find_or_make(
        &mut self,
        draft: &mut Draft,
        of: TypeId,
        depth: u32,
    ) -> Option<Operand> {
        let kind = self.program.types.kind(of).clone();
        let points = matches!(kind, Kind::Pointer { .. } | Kind::Reference { .. });
        if !points && let Some(place) = self.find(draft, of, false) {
            return Some(Operand::Copy(place));
        }
        let depth = depth.checked_sub(1)?;
        let rvalue = match kind {
            Kind::Tuple(parts) => {
                let parts = parts.into_iter().map(|part| self.find_or_make(draft, part, depth));
                Rvalue::Aggregate(of, 0, parts.collect::<Option<_>>()?)
            }
            Kind::Array(element, length) => {
                let element = self.find_or_make(draft, element, depth)?;
                if self.entropy.chance(1, 2) {
                    Rvalue::Repeat(element, length)
                } else {
                    Rvalue::Aggregate(of, 0, vec![element; length as usize])
                }
            }
            Kind::ArrayOf(element, index) => {
                let length = self.constant_at(draft, index)?;
                Rvalue::RepeatOf(self.find_or_make(draft, element, depth)?, length)
            }
            // To a new local, so that nothing else aliases it.
            Kind::Pointer { mutable, to } => {
                let value = self.find_or_make(draft, to, depth)?;
                let place = Place::local(draft.local(to));
                draft.assign(place.clone(), Rvalue::Use(value));
                Rvalue::AddressOf(mutable, place)
            }
            Kind::Reference { mutable, to } => {
                let value = self.find_or_make(draft, to, depth)?;
                let place = Place::local(draft.local(to));
                draft.assign(place.clone(), Rvalue::Use(value));
                Rvalue::Reference(mutable, place)
            }
            _ if self.program.types.is_scalar(of) => {
                let own = self.const_parameter(draft, of).filter(|_| self.entropy.chance(1, 2));
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

    /// Adds an operation to a generic function.
    fn generic_operation(&mut self, draft: &mut Draft) {
        if !draft.constants.is_empty() && self.entropy.chance(2, 3) {
            return self.constant_operation(draft);
        }
        match self.entropy.below(14) {
            0 | 1 => self.build_aggregate(draft),
            2 => self.borrow(draft),
            3 => self.write_through_reference(draft),
            4 => self.generic_pointer_offset(draft),
            5 => self.generic_slice(draft),
            6 | 7 => self.call_from_generic(draft),
            8 => self.branch_on_bool(draft),
            9 => self.shift_array(draft),
            10 if self.swarm.intrinsics => self.generic_memory_intrinsic(draft),
            11 if self.swarm.transmutes => self.element_stride(draft),
            12 => self.generic_record(draft),
            _ => self.copy_between_places(draft),
        }
    }

    /// Copies one place to another of the same type.
    pub(super) fn copy_between_places(&mut self, draft: &mut Draft) {
        let of = self.type_parameter(draft);
        let (Some(to), Some(from)) = (self.find(draft, of, true), self.find(draft, of, false))
        else {
            return;
        };
        if to.local != from.local {
            draft.assign(to, Rvalue::Use(Operand::Copy(from)));
        }
    }

    /// A tuple or array of available values, sometimes nested.
    fn build_aggregate(&mut self, draft: &mut Draft) {
        let (mut one, other) = (self.type_parameter(draft), self.type_parameter(draft));
        if self.entropy.chance(1, 4) {
            one = self.program.types.intern(Kind::Tuple(vec![other, one]));
        }
        let kind = match self.entropy.below(3) {
            0 => Kind::Array(one, self.entropy.between(2, LONGEST)),
            1 => Kind::Tuple(vec![one, Types::BOOL, other]),
            _ => Kind::Tuple(vec![one, other]),
        };
        let of = self.program.types.intern(kind);
        let Some(Operand::Copy(place)) = self.find_or_make(draft, of, 3) else { return };
        if place.projections.is_empty() {
            draft.add_place(place.clone(), of, true);
            self.add_parts(draft, &place, of, true);
        }
    }

    fn borrow(&mut self, draft: &mut Draft) {
        let of = self.type_parameter(draft);
        let Some(from) = self.find(draft, of, false) else { return };
        let reference = self.program.types.intern(Kind::Reference { mutable: false, to: of });
        let local = draft.local(reference);
        draft.assign(Place::local(local), Rvalue::Reference(false, from));
        draft.store(of, Rvalue::Use(Operand::Copy(Place::deref(local))));
    }

    /// Writes through a mutable reference that is used once.
    fn write_through_reference(&mut self, draft: &mut Draft) {
        let of = self.type_parameter(draft);
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

    /// A new array, and a local that holds the index 0.
    fn array(&mut self, draft: &mut Draft, of: TypeId) -> Option<(Place, TypeId, u64, Local)> {
        let length = self.entropy.between(2, LONGEST);
        let array = self.program.types.intern(Kind::Array(of, length));
        let one = self.find_or_make(draft, of, 2)?;
        let other = self.find_or_make(draft, of, 2)?;
        let mut parts = vec![one; length as usize];
        parts[self.entropy.below(length) as usize] = other;
        let place = draft.store(array, Rvalue::Aggregate(array, 0, parts));
        let index = draft.local(Types::USIZE);
        draft.assign(Place::local(index), number(Types::USIZE, 0));
        Some((place, array, length, index))
    }

    /// Pointer arithmetic from the first element of an array to another.
    fn generic_pointer_offset(&mut self, draft: &mut Draft) {
        let of = self.type_parameter(draft);
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
        draft.add_place(Place::deref(moved), of, true);
        draft.add_place(first, of, true);
    }

    /// Unsizes an array to a slice, and reads its length and an element.
    fn generic_slice(&mut self, draft: &mut Draft) {
        let of = self.type_parameter(draft);
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
        draft.store(Types::USIZE, Rvalue::Length(Operand::Copy(pointer)));
        let at = self.entropy.below(length);
        draft.assign(Place::local(index), number(Types::USIZE, at));
        let element = Place::deref(local).then(Projection::Index(index));
        draft.store(of, Rvalue::Use(Operand::Copy(element)));
    }

    /// A call of another generic function, with the caller's type parameters or types made of them.
    pub(super) fn call_from_generic(&mut self, draft: &mut Draft) {
        let room = STEPS.saturating_sub(draft.steps);
        let candidates: Vec<(usize, u64)> = (self.callable.iter())
            .filter(|callable| callable.generics > 0 && callable.steps <= room)
            .map(|callable| (callable.number, callable.steps))
            .collect();
        let Some((callee, steps)) = self.entropy.pick(&candidates).copied() else { return };
        let types = self.program.functions[callee].type_parameters();
        let mut with: Vec<TypeId> = (0..types)
            .map(|_| {
                let (one, other) = (self.type_parameter(draft), self.type_parameter(draft));
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
            match self.find_or_make(draft, *of, 4) {
                Some(argument) => arguments.push(argument),
                None => return,
            }
        }
        let result = Place::local(draft.local(signature[0]));
        draft.call(Callee::Function(callee, with), arguments, result.clone());
        draft.steps += steps;
        draft.add_place(result.clone(), signature[0], true);
        self.add_parts(draft, &result, signature[0], true);
    }

    /// A branch on a bool, with different copies on both sides.
    fn branch_on_bool(&mut self, draft: &mut Draft) {
        let Some(on) = self.find(draft, Types::BOOL, false) else { return };
        let here = draft.blocks.len();
        draft.end(Terminator::Switch {
            on: Operand::Copy(on),
            arms: vec![(u128::from(self.entropy.below(2)), here + 1)],
            otherwise: here + 2,
        });
        for _ in 0..2 {
            for _ in 0..self.entropy.between(1, 3) {
                self.copy_between_places(draft);
            }
            draft.end(Terminator::Goto(here + 3));
        }
    }

    /// A loop that shifts the elements of an array by one.
    fn shift_array(&mut self, draft: &mut Draft) {
        let of = self.type_parameter(draft);
        let Some(last) = self.find(draft, of, false) else { return };
        let Some((array, _, length, index)) = self.array(draft, of) else { return };
        let kept = Place::local(draft.local(of));
        draft.assign(kept.clone(), Rvalue::Use(Operand::Copy(last)));
        let continues = Place::local(draft.local(Types::BOOL));
        let head = draft.blocks.len() + 1;
        draft.end(Terminator::Goto(head));
        let below = Operand::constant(Types::USIZE, length.into());
        draft.assign(continues.clone(), Rvalue::Binary(Operator::Lt, Operand::local(index), below));
        draft.end(Terminator::Switch {
            on: Operand::Copy(continues),
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
        draft.add_place(kept, of, true);
        draft.store(Types::USIZE, Rvalue::Use(Operand::local(index)));
    }

    /// A memory intrinsic on a generic type.
    fn generic_memory_intrinsic(&mut self, draft: &mut Draft) {
        let of = self.type_parameter(draft);
        let (Some(one), Some(other)) =
            (self.find_or_make(draft, of, 2), self.find_or_make(draft, of, 2))
        else {
            return;
        };
        let (one, other) = (draft.store(of, Rvalue::Use(one)), draft.store(of, Rvalue::Use(other)));
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
            draft.add_place(result, of, true);
        }
    }

    /// The distance of two adjacent elements in bytes, which is defined only where the layout is fixed, and a branch
    /// on it.
    fn element_stride(&mut self, draft: &mut Draft) {
        let of = self.type_parameter(draft);
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
        draft.add_place(size.clone(), Types::ISIZE, true);
        let limit = Operand::constant(Types::ISIZE, 1 << self.entropy.below(5));
        draft.store(Types::BOOL, Rvalue::Binary(Operator::Le, Operand::Copy(size), limit));
        self.branch_on_bool(draft);
    }

    /// Records values whose types do not depend on the type parameters.
    fn generic_record(&mut self, draft: &mut Draft) {
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
