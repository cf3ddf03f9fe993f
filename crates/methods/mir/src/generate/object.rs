//! Traits and trait objects. Each trait has several implementations, so that a virtual call can only be resolved by
//! whoever has seen the unsizing.

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
    /// One trait or two, with types that point to what has them.
    pub(super) fn traits(&mut self) {
        let most = if self.swarm.lines < 200 { 1 } else { 2 };
        for _ in 0..self.entropy.between(1, most) {
            self.declare_trait();
        }
    }

    /// Types that may have a trait: rustc checks the lifetimes of methods, so there must be none in them.
    fn implementors(&mut self) -> Vec<TypeId> {
        let types = &self.program.types;
        let fits = |of: &TypeId| !types.lends(*of) && types.size(*of) <= 128;
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
                (0..self.entropy.below(3)).map(|_| self.passed_to_method()).collect();
            let returns = match self.entropy.below(4) {
                0 => Types::UNIT,
                1 => self.entropy.pick(&parameters).copied().unwrap_or(Types::U32),
                _ => self.shown_type(),
            };
            let mutable = self.entropy.chance(1, 2);
            methods.push(Method { mutable, parameters, returns });
        }
        let mut implementations = vec![];
        for of in implementors {
            let functions = methods.iter().map(|method| self.implement(of, method)).collect();
            implementations.push(Implementation { of, functions });
        }
        self.left -= (4 + methods.len() * (1 + 2 * implementations.len())) as i64;
        self.program.traits.push(Trait { methods, implementations });
        self.point_to(object);
    }

    /// What a method takes: rather numbers.
    fn passed_to_method(&mut self) -> TypeId {
        let of = self.any_type();
        let types = &self.program.types;
        match types.is_copy(of) && !types.lends(of) && self.entropy.chance(1, 3) {
            true => of,
            false => self.shown_type(),
        }
    }

    /// The numbers in something, by the fields that lead to them; no floats, which may be no numbers.
    fn numbers_in(&self, place: &Place, of: TypeId, depth: u32, all: &mut Vec<(Place, TypeId)>) {
        let types = &self.program.types;
        if matches!(types.kind(of), Kind::Int(_) | Kind::Bool | Kind::Char) {
            all.push((place.clone(), of));
        }
        if depth > 0 && !types.is_union(of) {
            for (field, part) in types.fields(of).iter().enumerate() {
                let inner = place.then(Projection::Field(field));
                self.numbers_in(&inner, *part, depth - 1, all);
            }
        }
    }

    /// The function that is a method of a type: it looks at what it is given and, if it may, changes it.
    fn implement(&mut self, of: TypeId, method: &Method) -> usize {
        let to = Kind::Reference { mutable: method.mutable, to: of };
        let receiver = self.program.types.intern(to);
        let mut signature = vec![method.returns, receiver];
        signature.extend(&method.parameters);
        let mut locals = vec![];
        let mut statements = vec![];
        let mut numbers = vec![];
        self.numbers_in(&Place::deref(1), of, 3, &mut numbers);
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
        let mut shown = vec![];
        if let Some((place, number)) = one {
            if self.entropy.chance(1, 3) && self.program.types.size(number) <= 8 {
                shown.push(place.clone());
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
            shown.push(Place::deref(1));
        }
        let end = block(vec![], Terminator::Return);
        let blocks = match shown.is_empty() {
            true => vec![block(statements, Terminator::Return)],
            false => {
                let show = Terminator::Record { values: shown, target: 1 };
                vec![block(statements, show), end]
            }
        };
        self.add(&signature, &locals, blocks)
    }

    /// Types of what points to a trait object, also in others.
    fn point_to(&mut self, object: TypeId) {
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

    /// A type that has the trait of an object.
    fn implementor(&mut self, which: usize) -> Option<TypeId> {
        let all = &self.program.traits.get(which)?.implementations;
        let all: Vec<TypeId> = all.iter().map(|it| it.of).collect();
        self.entropy.pick(&all).copied()
    }

    /// A pointer or reference to a trait object: of what is there, or through another one.
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
            && self.seen(body, &Place::local(local)).is_some()
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
        let rvalue = self.boxed(body, thin, inside, 2)?;
        let Rvalue::Use(operand) = rvalue else { return None };
        Some(Rvalue::Unsize(operand, of))
    }

    /// A box of a trait object, which may become a pointer at once.
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

    /// Calls of methods, so that no trait is there for nothing.
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
            Some(place) if self.entropy.chance(1, 2) => self.used(body, place, of),
            _ => {
                let rvalue = self.object(body, of, Purpose::Read)?;
                let local = self.new_local(body, of);
                self.assign(body, Place::local(local), rvalue).then_some(())?;
                let place = Place::local(local);
                if mutable { Operand::Move(place) } else { Operand::Copy(place) }
            }
        };
        let mut arguments = vec![receiver];
        arguments.extend(self.matching(body, &parameters)?);
        let destination = self.destination(body, returns, &arguments);
        let unwind = self.unwind(body);
        let callee = Callee::Method(which, number);
        Some(self.call(body, callee, arguments, destination, unwind))
    }
}
