//! Component types besides scalars: pointers, references, slices, boxes, function pointers and zero-sized types.

use forge::Entropy;

use super::super::program::{Operand, Operator, Place, Rvalue, Statement, Terminator};
use super::super::types::{Adt, Kind, Repr, Shape, TypeId, Types, Variant};
use super::Generator;
use super::body::Body;
use super::places::Purpose;
use super::swarm::Swarm;
use super::types::Palette;

/// A pointer, reference, slice or box type, as far as the features allow.
pub(super) fn link(
    entropy: &mut Entropy,
    swarm: &Swarm,
    types: &mut Types,
    palette: &Palette,
) -> Option<TypeId> {
    let to = entropy.pick(&palette.all).copied()?;
    let mutable = entropy.chance(1, 2);
    let raw = Kind::Pointer { mutable, to };
    // An aggregate with a mutable reference is not `Copy`.
    let reference = Kind::Reference { mutable: entropy.chance(1, 3), to };
    let kind = match entropy.below(6) {
        0 | 1 if swarm.pointers => raw,
        2 | 3 if swarm.references && types.is_copy(to) => reference,
        4 if swarm.slices => {
            let element = entropy.pick(&palette.scalars).copied()?;
            // A slice needs an array to be unsized from.
            types.intern(Kind::Array(element, entropy.between(1, 6)));
            let to = types.intern(Kind::Slice(element));
            if swarm.references && entropy.chance(2, 3) {
                Kind::Reference { mutable: false, to }
            } else {
                Kind::Pointer { mutable, to }
            }
        }
        5 if swarm.boxes && types.size(to) <= 64 => Kind::Heap(to),
        _ if swarm.references && types.is_copy(to) => reference,
        _ if swarm.pointers => raw,
        _ => return None,
    };
    Some(types.intern(kind))
}

/// `Option` of a type, or a similar enum. rustc encodes its discriminant in a niche of the field, if there is one.
pub(super) fn option(entropy: &mut Entropy, types: &mut Types, of: TypeId) -> TypeId {
    let variant = |fields: Vec<TypeId>| Variant { fields, discriminant: None };
    let mut variants = vec![variant(vec![of]), variant(vec![])];
    match entropy.below(6) {
        0 => variants.push(variant(vec![])),
        1 => variants[0].fields.push(Types::BOOL),
        2 => variants.swap(0, 1),
        _ => {}
    }
    types.declare(Adt { shape: Shape::Enum(variants), repr: Repr::Rust, destructor: None })
}

/// An aggregate that owns a value.
pub(super) fn owner(entropy: &mut Entropy, types: &mut Types, of: TypeId) -> TypeId {
    match entropy.below(4) {
        0 | 1 => types.intern(Kind::Array(of, entropy.between(1, 2))),
        2 => types.intern(Kind::Tuple(vec![of, Types::BOOL])),
        _ => option(entropy, types, of),
    }
}

/// `ManuallyDrop` of a type, and an aggregate with it.
pub(super) fn manual(entropy: &mut Entropy, types: &mut Types, palette: &mut Palette, of: TypeId) {
    let kept = types.intern(Kind::Manual(of));
    palette.add(types, kept);
    let number = entropy.pick(&palette.scalars).copied().unwrap_or(Types::U64);
    let holder = match entropy.below(6) {
        0 => types.intern(Kind::Array(kept, entropy.between(1, 3))),
        1 => types.intern(Kind::Tuple(vec![kept, number])),
        2 => option(entropy, types, kept),
        3 if types.layout(kept).bytes_readable => {
            let shape = Shape::Union(vec![kept, number]);
            types.declare(Adt { shape, repr: Repr::C, destructor: None })
        }
        // Of two fields with the same content, only one is dropped.
        3 | 4 => {
            let repr = if entropy.chance(1, 2) { Repr::Rust } else { Repr::C };
            let shape = Shape::Struct(vec![number, kept, of]);
            types.declare(Adt { shape, repr, destructor: None })
        }
        _ => return,
    };
    palette.add(types, holder);
}

/// Zero-sized types.
pub(super) fn zero_sized(
    entropy: &mut Entropy,
    types: &mut Types,
    palette: &Palette,
) -> Option<Vec<TypeId>> {
    let element = entropy.pick(&palette.scalars).copied()?;
    let repr = if entropy.chance(1, 2) { Repr::Rust } else { Repr::C };
    let shape = Shape::Struct(vec![]);
    let unit_struct = types.declare(Adt { shape, repr, destructor: None });
    let array = types.intern(Kind::Array(element, 0));
    let mut all = vec![unit_struct, array];
    if entropy.chance(1, 2) {
        let parts = vec![Types::UNIT, unit_struct, array];
        all.push(types.intern(Kind::Tuple(parts)));
    }
    if entropy.chance(1, 2) {
        all.push(types.intern(Kind::Array(unit_struct, entropy.between(1, 3))));
    }
    Some(all)
}

impl Generator<'_> {
    /// Types with function pointers in them, and functions for these to point to.
    pub(super) fn function_holders(&mut self) {
        let of = self.scalar_type();
        let int = self.program.types.as_int(of).is_some();
        let both = [Operand::local(1), Operand::local(2)];
        for number in 0..self.entropy.between(2, 3) {
            let [left, right] = both.clone();
            let value = match number {
                0 if int => Rvalue::Binary(Operator::BitXor, left, right),
                1 => Rvalue::Use(right),
                _ => Rvalue::Use(left),
            };
            let set_result = Statement::Assign(Place::local(0), value);
            let blocks = vec![super::helper_functions::block(vec![set_result], Terminator::Return)];
            self.add(&[of, of, of], &[], blocks);
        }
        let types = &mut self.program.types;
        let pointer = types.intern(Kind::Function { parameters: vec![of, of], returns: of });
        self.palette.links.push(pointer);
        self.palette.all.push(pointer);
        for _ in 0..self.entropy.between(1, 2) {
            let types = &mut self.program.types;
            let holder = match self.entropy.below(4) {
                0 => types.intern(Kind::Array(pointer, self.entropy.between(2, 3))),
                1 => types.intern(Kind::Tuple(vec![of, pointer])),
                2 => option(self.entropy, types, pointer),
                _ => {
                    let repr = if self.entropy.chance(1, 2) { Repr::Rust } else { Repr::C };
                    let shape = Shape::Struct(vec![pointer, of]);
                    types.declare(Adt { shape, repr, destructor: None })
                }
            };
            self.palette.holders.push(holder);
            self.palette.all.push(holder);
        }
    }

    /// Copies or moves a pointer, reference or box from within an aggregate to a local: only a local can be
    /// dereferenced.
    pub(super) fn load_link(&mut self, body: &mut Body) {
        let Some(of) = self.entropy.pick(&self.palette.links).copied() else { return };
        let Some(place) = self.pick(body, of, Purpose::Read) else { return };
        if place.projections.is_empty() {
            return;
        }
        let operand = self.as_operand(body, place, of);
        let local = self.new_local(body, of);
        self.assign(body, Place::local(local), Rvalue::Use(operand));
    }

    /// The types that satisfy a predicate and have a place in the body.
    pub(super) fn types_of_places(
        &self,
        body: &Body,
        fits: impl Fn(&Types, TypeId) -> bool,
    ) -> Vec<TypeId> {
        let existing = body.index.iter().enumerate().filter(|(_, entries)| !entries.is_empty());
        let existing = existing.map(|(number, _)| TypeId(number as u32));
        existing.filter(|of| fits(&self.program.types, *of)).collect()
    }
}
