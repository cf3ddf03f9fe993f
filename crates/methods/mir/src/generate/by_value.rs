//! Aggregates with padding that are passed by value several times, overwritten through a pointer or by the callee,
//! and read again: input for SROA, MemCpyOpt, argument promotion and dead store elimination.

use super::super::program::{Callee, Operand, Operator, Place, Projection, Rvalue};
use super::super::types::{Adt, Kind, Repr, Shape, TypeId, Types, Width};
use super::Generator;
use super::body::Body;
use super::function_builder::FunctionBuilder;
use super::swarm::Swarm;
use super::types::Palette;
use forge::Entropy;

/// Printed lines that this shape needs.
const ROOM: i64 = 60;

/// Nested structs are smaller than a third of this, in bytes.
const LARGEST: usize = 96;

/// Whether a type has bytes that belong to none of its fields.
#[cfg(test)]
pub(crate) fn has_padding(types: &Types, of: TypeId) -> bool {
    fn used(types: &Types, of: TypeId) -> usize {
        match types.kind(of) {
            Kind::Array(element, length) => used(types, *element) * *length as usize,
            Kind::Tuple(parts) => parts.iter().map(|part| used(types, *part)).sum(),
            Kind::Adt(_) if !types.is_enum(of) && !types.is_union(of) => {
                types.fields(of).iter().map(|part| used(types, *part)).sum()
            }
            _ => types.size(of),
        }
    }
    used(types, of) < types.size(of)
}

/// Adds structs and tuples with padding to the types of a program.
pub(super) fn padded(
    entropy: &mut Entropy,
    swarm: &Swarm,
    types: &mut Types,
    palette: &mut Palette,
) {
    let int = |types: &Types, signed: bool, width: Width| {
        types.int(super::super::types::Int { signed, width })
    };
    for _ in 0..entropy.between(1, 2) {
        let small = [Types::U8, Types::BOOL, int(types, true, Width::W16)];
        let mut large = vec![Types::U32, Types::U64, int(types, true, Width::W64), Types::USIZE];
        if swarm.wide {
            large.push(int(types, false, Width::W128));
        }
        let mut fields = vec![];
        for _ in 0..entropy.between(1, 3) {
            let before = entropy.pick(&small).copied().unwrap_or(Types::U8);
            let before = match entropy.below(6) {
                0 => types.intern(Kind::Array(Types::U8, entropy.between(1, 5))),
                _ => before,
            };
            let inner = entropy.pick(&palette.padded).copied();
            let after = match inner.filter(|_| entropy.chance(1, 3)) {
                Some(inner) if types.size(inner) < LARGEST / 3 => inner,
                _ => entropy.pick(&large).copied().unwrap_or(Types::U64),
            };
            fields.extend([before, after]);
        }
        if entropy.chance(1, 2) {
            fields.push(Types::U8);
        }
        let of = match entropy.below(6) {
            0 => types.intern(Kind::Tuple(fields)),
            kind => {
                let repr = match kind {
                    1 => Repr::Rust,
                    2 => Repr::Align(8 << entropy.below(3)),
                    _ => Repr::C,
                };
                types.declare(Adt { shape: Shape::Struct(fields), repr, destructor: None })
            }
        };
        palette.padded.push(of);
        palette.add(types, of);
    }
}

impl Generator<'_> {
    pub(super) fn by_value(&mut self, body: &mut Body) {
        if body.loops > 0
            || self.restricted
            || self.in_cleanup
            || self.lines_left - body.lines < ROOM
        {
            return self.switch(body);
        }
        let snapshot = self.snapshot(body);
        if self.try_by_value(body).is_none() {
            self.restore(body, snapshot);
        }
    }

    fn try_by_value(&mut self, body: &mut Body) -> Option<()> {
        let of = self.entropy.pick(&self.palette.padded).copied()?;
        let fields = self.scalars_in(of);
        let key = self.entropy.pick(&fields)?.1;
        let pointer = self.program.types.intern(Kind::Pointer { mutable: true, to: of });
        let leaf = self.leaf(of, key, pointer);
        let callee =
            if self.entropy.chance(1, 2) { self.wrapper(of, key, pointer, leaf) } else { leaf };
        let value = self.aggregate(body, of, super::places::Purpose::Read, 3)?;
        let original = self.in_new_local(body, of, value)?.place()?.clone();
        let copy = self.in_new_local(body, of, Rvalue::Use(Operand::Copy(original.clone())))?;
        let copy = copy.place()?.clone();
        let target_of_pointer = if self.entropy.chance(2, 3) { &original } else { &copy };
        let address =
            self.in_new_local(body, pointer, Rvalue::AddressOf(true, target_of_pointer.clone()))?;
        let mut results = vec![];
        for round in 0..self.entropy.between(1, 3) {
            let value = self.run_time_value(body, key)?;
            let second = match self.entropy.below(4) {
                0 => Operand::Copy(copy.clone()),
                1 if self.swarm.moves => {
                    let last = Rvalue::Use(Operand::Copy(original.clone()));
                    Operand::Move(self.in_private_local(body, of, last)?.place()?.clone())
                }
                _ => Operand::Copy(original.clone()),
            };
            let arguments = vec![Operand::Copy(original.clone()), second, address.clone(), value];
            // The destination is sometimes the place of an argument, unless the callee writes there through the
            // pointer. This is rare because every such program shows rust-lang/rust#162997, which would hide other
            // bugs.
            let result = match self.entropy.below(10) {
                0 if *target_of_pointer == original => copy.clone(),
                _ => Place::local(self.new_local(body, of)),
            };
            let unwind = self.unwind(body);
            let number = if round == 0 { callee } else { leaf };
            let target = Callee::Function(number, vec![]);
            self.call(body, target, arguments, result.clone(), unwind).then_some(())?;
            results.push(result);
            if self.entropy.chance(1, 2) {
                self.overwrite_original(body, &original, of, &copy);
            }
        }
        let mut recorded = vec![];
        for place in results.iter().chain([&original, &copy]) {
            let (field, _) = self.entropy.pick(&fields)?;
            recorded.push(field.on(place));
        }
        let last = results.last()?;
        recorded.extend(fields.iter().map(|(field, _)| field.on(last)));
        self.record_places(body, &recorded)?;
        let rest: Vec<Place> = fields.iter().map(|(field, _)| field.on(&original)).collect();
        self.record_places(body, &rest)
    }

    /// Overwrites the original after it was passed: one field, or all of it.
    fn overwrite_original(&mut self, body: &mut Body, original: &Place, of: TypeId, copy: &Place) {
        let fields = self.scalars_in(of);
        let Some((field, part)) = self.entropy.pick(&fields).cloned() else { return };
        if self.entropy.chance(1, 3) {
            self.assign(body, original.clone(), Rvalue::Use(Operand::Copy(copy.clone())));
            return;
        }
        let value = self.constant_of(part);
        self.assign(body, field.on(original), Rvalue::Use(value));
    }

    /// The scalars in a struct or tuple that are reached by fields alone.
    fn scalars_in(&self, of: TypeId) -> Vec<(FieldPath, TypeId)> {
        let mut open = vec![(FieldPath(vec![]), of)];
        let mut scalars = vec![];
        while let Some((path, of)) = open.pop() {
            for (number, part) in self.program.types.fields(of).iter().enumerate() {
                let mut longer = path.clone();
                longer.0.push(number);
                if self.program.types.is_scalar(*part) {
                    scalars.push((longer, *part));
                } else {
                    open.push((longer, *part));
                }
            }
        }
        scalars
    }

    /// `fn(a, b, pointer, key) -> aggregate`: copies, and writes through the pointer, in a random order.
    fn leaf(&mut self, of: TypeId, key: TypeId, pointer: TypeId) -> usize {
        const A: usize = 1;
        const B: usize = 2;
        const POINTER: usize = 3;
        const KEY: usize = 4;
        let mut builder = FunctionBuilder::new(&[of, of, of, pointer, key]);
        let fields = self.scalars_in(of);
        let spare = builder.local(of);
        let copied = |place: Place| Rvalue::Use(Operand::Copy(place));
        let behind = Place::deref(POINTER);
        builder.set(spare, copied(Place::local(A)));
        for _ in 0..self.entropy.between(2, 6) {
            let Some((field, part)) = self.entropy.pick(&fields).cloned() else { break };
            let value = if part == key {
                Rvalue::Use(Operand::local(KEY))
            } else {
                Rvalue::Use(self.constant_of(part))
            };
            match self.entropy.below(9) {
                0 | 1 => builder.assign(field.on(&behind), value),
                2 => builder.assign(behind.clone(), copied(Place::local(B))),
                3 => builder.assign(field.on(&Place::local(A)), value),
                4 => builder.set(A, copied(behind.clone())),
                5 => builder.set(B, copied(Place::local(spare))),
                6 => builder.set(spare, copied(behind.clone())),
                7 => {
                    let from = field.on(&Place::local(B));
                    builder.assign(field.on(&Place::local(spare)), copied(from));
                }
                _ => {
                    let from = field.on(&behind);
                    builder.assign(field.on(&Place::local(B)), copied(from));
                }
            }
        }
        let result = [A, B, spare, A];
        let result = Place::local(self.entropy.pick(&result).copied().unwrap_or(A));
        builder.set(0, copied(result));
        for (field, part) in &fields {
            let Kind::Int(_) = self.program.types.kind(*part) else { continue };
            if self.entropy.chance(1, 2) {
                let left = Operand::Copy(field.on(&Place::local(A)));
                let right = Operand::Copy(field.on(&Place::local(B)));
                let operator =
                    if self.entropy.chance(1, 2) { Operator::Sub } else { Operator::BitXor };
                builder.assign(field.on(&Place::local(0)), Rvalue::Binary(operator, left, right));
            }
        }
        builder.finish(self, 1)
    }

    /// A function of the same signature that passes its own parameters on by value, twice each, overwrites them, and
    /// passes a pointer to one of them.
    fn wrapper(&mut self, of: TypeId, key: TypeId, pointer: TypeId, leaf: usize) -> usize {
        let mut builder = FunctionBuilder::new(&[of, of, of, pointer, key]);
        let fields = self.scalars_in(of);
        let (first, second) = (builder.local(of), builder.local(of));
        let (own, key) = (builder.local(pointer), Operand::local(4));
        let leaf_callee = Callee::Function(leaf, vec![]);
        let twice = self.entropy.between(1, 2) as usize;
        let arguments = |one: usize, other: usize, pointer: usize| {
            let (one, other) = (Operand::local(one), Operand::local(other));
            vec![one, other, Operand::local(pointer), key.clone()]
        };
        builder.call(leaf_callee.clone(), arguments(1, twice, 3), Place::local(first));
        if let Some((field, part)) = self.entropy.pick(&fields).cloned() {
            let constant = self.constant_of(part);
            builder.assign(field.on(&Place::local(1)), Rvalue::Use(constant));
        }
        builder.set(own, Rvalue::AddressOf(true, Place::local(1)));
        builder.call(leaf_callee, arguments(1, 1, own), Place::local(second));
        let result = self.entropy.pick(&[first, second, 1]).copied().unwrap_or(first);
        builder.set(0, Rvalue::Use(Operand::local(result)));
        builder.finish(self, 3)
    }
}

/// A sequence of field projections.
#[derive(Clone, Debug)]
struct FieldPath(Vec<usize>);

impl FieldPath {
    fn on(&self, place: &Place) -> Place {
        let fields = self.0.iter().map(|field| Projection::Field(*field));
        let projections = place.projections.iter().copied().chain(fields).collect();
        Place { local: place.local, projections }
    }
}
