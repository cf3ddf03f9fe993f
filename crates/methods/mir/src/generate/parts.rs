//! Component types besides scalars: pointers, references, slices, boxes, function pointers and zero-sized types.

use forge::Entropy;

use super::super::program::{Operand, Operator, Place, Rvalue, Statement, Terminator};
use super::super::types::{Adt, Kind, Repr, Shape, TypeId, Types, Variant};
use super::Generator;
use super::body::Body;
use super::places::Purpose;
use super::swarm::Swarm;
use super::types::Palette;

/// Something that points elsewhere, as far as the program has such things.
pub(super) fn link(
    entropy: &mut Entropy,
    swarm: &Swarm,
    types: &mut Types,
    palette: &Palette,
) -> Option<TypeId> {
    let to = entropy.pick(&palette.all).copied()?;
    let mutable = entropy.chance(1, 2);
    let raw = Kind::Pointer { mutable, to };
    // A mutable reference in something makes it impossible to copy that.
    let reference = Kind::Reference { mutable: entropy.chance(1, 3), to };
    let kind = match entropy.below(6) {
        0 | 1 if swarm.pointers => raw,
        2 | 3 if swarm.references && types.is_copy(to) => reference,
        4 if swarm.slices => {
            let element = entropy.pick(&palette.scalars).copied()?;
            // There must be an array that it can be of.
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

/// `Option` of something, or what is much like it: one variant has no room to say that it is another, unless that
/// which it holds leaves some.
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

/// Something that owns what it is made of.
pub(super) fn owner(entropy: &mut Entropy, types: &mut Types, of: TypeId) -> TypeId {
    match entropy.below(4) {
        0 | 1 => types.intern(Kind::Array(of, entropy.between(1, 2))),
        2 => types.intern(Kind::Tuple(vec![of, Types::BOOL])),
        _ => option(entropy, types, of),
    }
}

/// Something that is not dropped with what it is in, and what it is in.
pub(super) fn manual(entropy: &mut Entropy, types: &mut Types, palette: &mut Palette, of: TypeId) {
    let kept = types.intern(Kind::Manual(of));
    palette.add(types, kept);
    let number = entropy.pick(&palette.scalars).copied().unwrap_or(Types::U64);
    let holder = match entropy.below(6) {
        0 => types.intern(Kind::Array(kept, entropy.between(1, 3))),
        1 => types.intern(Kind::Tuple(vec![kept, number])),
        2 => option(entropy, types, kept),
        3 if types.layout(kept).solid => {
            let shape = Shape::Union(vec![kept, number]);
            types.declare(Adt { shape, repr: Repr::C, destructor: None })
        }
        // Of two that are the same but for that, one is dropped.
        3 | 4 => {
            let repr = if entropy.chance(1, 2) { Repr::Rust } else { Repr::C };
            let shape = Shape::Struct(vec![number, kept, of]);
            types.declare(Adt { shape, repr, destructor: None })
        }
        _ => return,
    };
    palette.add(types, holder);
}

/// Types without any bytes.
pub(super) fn empties(
    entropy: &mut Entropy,
    types: &mut Types,
    palette: &Palette,
) -> Option<Vec<TypeId>> {
    let element = entropy.pick(&palette.scalars).copied()?;
    let repr = if entropy.chance(1, 2) { Repr::Rust } else { Repr::C };
    let shape = Shape::Struct(vec![]);
    let nothing = types.declare(Adt { shape, repr, destructor: None });
    let array = types.intern(Kind::Array(element, 0));
    let mut all = vec![nothing, array];
    if entropy.chance(1, 2) {
        let parts = vec![Types::UNIT, nothing, array];
        all.push(types.intern(Kind::Tuple(parts)));
    }
    if entropy.chance(1, 2) {
        all.push(types.intern(Kind::Array(nothing, entropy.between(1, 3))));
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
            let give = Statement::Assign(Place::local(0), value);
            let blocks = vec![super::helper_functions::block(vec![give], Terminator::Return)];
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

    /// What is in something and points elsewhere, in a local: only there can it be followed.
    pub(super) fn take_out(&mut self, body: &mut Body) {
        let Some(of) = self.entropy.pick(&self.palette.links).copied() else { return };
        let Some(place) = self.pick(body, of, Purpose::Read) else { return };
        if place.projections.is_empty() {
            return;
        }
        let operand = self.used(body, place, of);
        let local = self.new_local(body, of);
        self.assign(body, Place::local(local), Rvalue::Use(operand));
    }

    /// The types of places that fit, of which there are some.
    pub(super) fn types_of_places(
        &self,
        body: &Body,
        fits: impl Fn(&Types, TypeId) -> bool,
    ) -> Vec<TypeId> {
        let there = body.index.iter().enumerate().filter(|(_, entries)| !entries.is_empty());
        let there = there.map(|(number, _)| TypeId(number as u32));
        there.filter(|of| fits(&self.program.types, *of)).collect()
    }
}
