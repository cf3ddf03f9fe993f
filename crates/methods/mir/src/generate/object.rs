//! Traits and trait objects. Each trait has several implementations, so that a virtual call can be resolved only if
//! the unsizing coercion is visible.

use super::super::object::{Implementation, Method, Trait};
use super::super::program::{
    Callee, Operand, Operator, Place, Projection, Rvalue, Statement, Terminator,
};
use super::super::types::{Adt, Kind, Repr, Shape, TypeId, Types};
use super::body::Body;
use super::helper_functions::block;
use super::places::Purpose;
use super::{Generator, Unwind, parts};

/// How often a method of each trait is called at the end.
const CALLS: usize = 3;

impl Generator<'_> {
    /// One or two traits, with pointer types to their trait objects.
    pub(super) fn traits(&mut self) {
        let most = if self.swarm.lines < 200 { 1 } else { 2 };
        for _ in 0..self.entropy.between(1, most) {
            self.declare_trait();
        }
    }

    /// Types that may implement a trait. They contain no lifetimes, because rustc checks those of methods.
    fn implementors(&mut self) -> Vec<TypeId> {
        let types = &self.program.types;
        let fits = |of: &TypeId| !types.has_lifetime(*of) && types.size(*of) <= 128;
        let mut open: Vec<TypeId> = self.palette.all.iter().copied().filter(fits).collect();
        let owning: Vec<TypeId> = self.palette.owning.iter().copied().filter(fits).collect();
        open.sort_unstable();
        open.dedup();
        let mut all = vec![];
        all.extend(self.entropy.pick(&owning).copied());
        for _ in 0..self.entropy.between(2, 3) {
            open.retain(|of| !all.contains(of));
            all.extend(self.entropy.pick(&open).copied());
        }
        all
    }

    fn declare_trait(&mut self) {
        let implementors = self.implementors();
        if implementors.len() < 2 {
            return;
        }
        let which = self.program.traits.len();
        let object = self.program.types.intern(Kind::Object(which));
        let mut methods = vec![];
        for _ in 0..self.entropy.between(1, 3) {
            let parameters: Vec<TypeId> =
                (0..self.entropy.below(3)).map(|_| self.method_parameter_type()).collect();
            let returns = match self.entropy.below(4) {
                0 => Types::UNIT,
                1 => self.entropy.pick(&parameters).copied().unwrap_or(Types::U32),
                _ => self.recordable_type(),
            };
            let mutable = self.entropy.chance(1, 2);
            methods.push(Method { mutable, parameters, returns });
        }
        let mut implementations = vec![];
        for of in implementors {
            let functions = methods.iter().map(|method| self.implement(of, method)).collect();
            implementations.push(Implementation { of, functions });
        }
        self.lines_left -= (4 + methods.len() * (1 + 2 * implementations.len())) as i64;
        self.program.traits.push(Trait { methods, implementations });
        self.add_object_types(object);
    }

    /// The type of a method's parameter: mostly a scalar.
    fn method_parameter_type(&mut self) -> TypeId {
        let of = self.any_type();
        let types = &self.program.types;
        match types.is_copy(of) && !types.has_lifetime(of) && self.entropy.chance(1, 3) {
            true => of,
            false => self.recordable_type(),
        }
    }

    /// The integers, bools and chars in a value that are reached by fields. Floats are left out, because a NaN cannot
    /// be recorded.
    fn recordable_parts(
        &self,
        place: &Place,
        of: TypeId,
        depth: u32,
        all: &mut Vec<(Place, TypeId)>,
    ) {
        let types = &self.program.types;
        if matches!(types.kind(of), Kind::Int(_) | Kind::Bool | Kind::Char) {
            all.push((place.clone(), of));
        }
        if depth > 0 && !types.is_union(of) {
            for (field, part) in types.fields(of).iter().enumerate() {
                let inner = place.then(Projection::Field(field));
                self.recordable_parts(&inner, *part, depth - 1, all);
            }
        }
    }

    /// The function that implements a method for a type. It reads `self` and, if it is `&mut`, modifies it.
    fn implement(&mut self, of: TypeId, method: &Method) -> usize {
        let to = Kind::Reference { mutable: method.mutable, to: of };
        let receiver = self.program.types.intern(to);
        let mut signature = vec![method.returns, receiver];
        signature.extend(&method.parameters);
        let mut locals = vec![];
        let mut statements = vec![];
        let mut numbers = vec![];
        self.recordable_parts(&Place::deref(1), of, 3, &mut numbers);
        let one = self.entropy.pick(&numbers).cloned();
        let result = Place::local(0);
        let given: Vec<usize> =
            (2..signature.len()).filter(|local| signature[*local] == method.returns).collect();
        let first = match self.entropy.pick(&given) {
            Some(local) => Operand::local(*local),
            None => self.constant_of(method.returns),
        };
        if method.returns != Types::UNIT {
            statements.push(Statement::Assign(result.clone(), Rvalue::Use(first)));
        }
        if let Some((place, number)) = &one
            && self.program.types.as_int(method.returns).is_some()
        {
            let value = if *number == method.returns {
                Rvalue::Use(Operand::Copy(place.clone()))
            } else {
                Rvalue::Cast(Operand::Copy(place.clone()), method.returns)
            };
            locals.push(method.returns);
            let own = Place::local(signature.len());
            statements.push(Statement::Assign(own.clone(), value));
            let operators = [Operator::Add, Operator::BitXor, Operator::Sub, Operator::Mul];
            let operator = self.entropy.pick(&operators).copied().unwrap_or(Operator::Add);
            let mixed = Rvalue::Binary(operator, Operand::Copy(result.clone()), Operand::Copy(own));
            statements.push(Statement::Assign(result, mixed));
        }
        let mut recorded = vec![];
        if let Some((place, number)) = one {
            if self.entropy.chance(1, 3) && self.program.types.size(number) <= 8 {
                recorded.push(place.clone());
            }
            if method.mutable {
                let same: Vec<usize> =
                    (2..signature.len()).filter(|local| signature[*local] == number).collect();
                let value = match self.entropy.pick(&same) {
                    Some(local) => Operand::local(*local),
                    None => self.constant_of(number),
                };
                let is_int = self.program.types.as_int(number).is_some();
                let next = match is_int && self.entropy.chance(1, 2) {
                    true => Rvalue::Binary(Operator::Add, Operand::Copy(place.clone()), value),
                    false => Rvalue::Use(value),
                };
                statements.push(Statement::Assign(place, next));
            }
        } else if self.program.types.is_enum(of) && self.entropy.chance(1, 2) {
            recorded.push(Place::deref(1));
        }
        let end = block(vec![], Terminator::Return);
        let blocks = match recorded.is_empty() {
            true => vec![block(statements, Terminator::Return)],
            false => {
                let record = Terminator::Record { values: recorded, target: 1 };
                vec![block(statements, record), end]
            }
        };
        self.add(&signature, &locals, blocks)
    }

    /// Adds pointers, references and boxes to a trait object, and aggregates with them.
    fn add_object_types(&mut self, object: TypeId) {
        let types = &mut self.program.types;
        let shared = types.intern(Kind::Reference { mutable: false, to: object });
        let unique = types.intern(Kind::Reference { mutable: true, to: object });
        let raw = types.intern(Kind::Pointer { mutable: true, to: object });
        self.palette.all.extend([shared, shared, unique]);
        if self.swarm.pointers {
            self.palette.all.push(raw);
        }
        let link = if self.swarm.pointers && self.entropy.chance(1, 3) { raw } else { shared };
        let scalar = self.scalar_type();
        let types = &mut self.program.types;
        let holder = match self.entropy.below(4) {
            0 => types.intern(Kind::Tuple(vec![link, scalar])),
            1 => types.intern(Kind::Array(link, 2)),
            2 => parts::option(self.entropy, types, link),
            _ => {
                let shape = Shape::Struct(vec![scalar, link]);
                types.declare(Adt { shape, repr: Repr::Rust, destructor: None })
            }
        };
        self.palette.all.push(holder);
        if self.swarm.boxes {
            let types = &mut self.program.types;
            let boxed = types.intern(Kind::Heap(object));
            self.palette.owning.push(boxed);
            if self.entropy.chance(1, 2) {
                let owner = parts::owner(self.entropy, types, boxed);
                self.palette.owning.push(owner);
            }
        }
    }

    /// A type that implements a trait.
    fn implementor(&mut self, which: usize) -> Option<TypeId> {
        let all = &self.program.traits.get(which)?.implementations;
        let all: Vec<TypeId> = all.iter().map(|it| it.of).collect();
        self.entropy.pick(&all).copied()
    }

    /// A pointer or reference to a trait object: unsized from an existing value, or reborrowed from another one.
    pub(super) fn object(
        &mut self,
        body: &mut Body,
        of: TypeId,
        purpose: Purpose,
    ) -> Option<Rvalue> {
        let which = self.program.types.object(of)?;
        let (mutable, reference) = match *self.program.types.kind(of) {
            Kind::Pointer { mutable, .. } => (mutable, false),
            Kind::Reference { mutable, .. } => (mutable, true),
            _ => return None,
        };
        if purpose != Purpose::Read {
            return None;
        }
        let made = |place: Place| match reference {
            true => Rvalue::Reference(mutable, place),
            false => Rvalue::AddressOf(mutable, place),
        };
        if self.entropy.chance(1, 3)
            && let Some(local) = self.local_like(body, |types, it| {
                let writes = matches!(
                    types.kind(it),
                    Kind::Pointer { mutable: true, .. } | Kind::Reference { mutable: true, .. }
                );
                types.object(it) == Some(which)
                    && types.pointee(it).is_some()
                    && (writes || !mutable)
            })
            && self.known_value(body, &Place::local(local)).is_some()
        {
            return Some(made(Place::deref(local)));
        }
        let inside = self.implementor(which)?;
        let thin = match reference {
            true => Kind::Reference { mutable, to: inside },
            false => Kind::Pointer { mutable, to: inside },
        };
        let thin = self.program.types.intern(thin);
        let place = self.place_with_value(body, inside, 2)?;
        let local = self.new_local(body, thin);
        let moved = reference && mutable;
        self.assign(body, Place::local(local), made(place)).then(|| {
            let thin = Place::local(local);
            Rvalue::Unsize(if moved { Operand::Move(thin) } else { Operand::Copy(thin) }, of)
        })
    }

    /// A new box of a trait object.
    pub(super) fn boxed_object(&mut self, body: &mut Body, of: TypeId) -> Option<Rvalue> {
        let which = self.program.types.object(of)?;
        let inside = self.implementor(which)?;
        let thin = self.program.types.intern(Kind::Heap(inside));
        let rvalue = self.boxed_value(body, thin, inside, 2)?;
        let Rvalue::Use(operand) = rvalue else { return None };
        Some(Rvalue::Unsize(operand, of))
    }

    /// A box of a trait object, which is dropped or turned into a raw pointer.
    pub(super) fn box_object(&mut self, body: &mut Body) -> Option<bool> {
        let which = self.entropy.below(self.program.traits.len() as u64) as usize;
        let to = self.program.types.find(&Kind::Object(which))?;
        let of = self.program.types.intern(Kind::Heap(to));
        let rvalue = self.boxed_object(body, of)?;
        let place = Place::local(self.new_local(body, of));
        self.assign(body, place.clone(), rvalue).then_some(())?;
        if self.entropy.chance(1, 2) {
            let target = body.open();
            let unwind = self.unwind(body);
            return Some(self.follow(body, Terminator::Drop { place, target, unwind }));
        }
        let pointer = self.program.types.intern(Kind::Pointer { mutable: true, to });
        let raw = Place::local(self.new_local(body, pointer));
        let boxed = vec![Operand::Move(place)];
        Some(self.call(body, Callee::BoxToPointer, boxed, raw, Unwind::Unreachable))
    }

    /// Calls methods at the end of the program, so that every trait is used.
    pub(super) fn call_methods(&mut self, body: &mut Body) {
        for _ in 0..CALLS * self.program.traits.len() {
            let snapshot = self.snapshot(body);
            if self.call_method(body) != Some(true) {
                self.restore(body, snapshot);
            }
        }
    }

    /// Calls a method of a trait object.
    pub(super) fn call_method(&mut self, body: &mut Body) -> Option<bool> {
        let which = self.entropy.below(self.program.traits.len().max(1) as u64) as usize;
        let methods = self.program.traits.get(which)?.methods.clone();
        let number = self.entropy.below(methods.len() as u64) as usize;
        let Method { mutable, parameters, returns } = methods.get(number)?.clone();
        let to = self.program.types.find(&Kind::Object(which))?;
        let of = self.program.types.intern(Kind::Reference { mutable, to });
        let receiver = match self.pick(body, of, Purpose::Read) {
            Some(place) if self.entropy.chance(1, 2) => self.as_operand(body, place, of),
            _ => {
                let rvalue = self.object(body, of, Purpose::Read)?;
                let local = self.new_local(body, of);
                self.assign(body, Place::local(local), rvalue).then_some(())?;
                let place = Place::local(local);
                if mutable { Operand::Move(place) } else { Operand::Copy(place) }
            }
        };
        let mut arguments = vec![receiver];
        arguments.extend(self.arguments_for(body, &parameters)?);
        let destination = self.destination(body, returns, &arguments);
        let unwind = self.unwind(body);
        let callee = Callee::Method(which, number);
        Some(self.call(body, callee, arguments, destination, unwind))
    }
}
