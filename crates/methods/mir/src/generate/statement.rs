//! Statements of a block.

use super::super::interpret::Seen;
use super::super::program::{Local, Operand, Operator, Place, Projection, Rvalue, Statement};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::body::Body;
use super::places::Purpose;

impl Generator<'_> {
    /// Adds a statement, unless the draw fails.
    pub(super) fn statement(&mut self, body: &mut Body) {
        match self.entropy.below(44) {
            0 | 1 if self.swarm.storage && body.loops == 0 => self.storage(body),
            2..=5 if self.swarm.pointers || self.swarm.references => self.assign_pointer(body),
            11 | 12 if self.swarm.pointers => self.cast_pointer(body),
            13 | 14 if !self.program.statics.is_empty() => self.assign_static_address(body),
            40..=42 if self.swarm.pointers && self.swarm.arrays > 0 => self.offset_pointer(body),
            6 if self.swarm.enums > 0 => self.construct_enum(body),
            7 => self.assume(body),
            8 if self.swarm.retags => self.retag(body),
            9 | 43 if self.swarm.slices => self.assign_slice_pointer(body),
            10 if self.swarm.function_pointers => self.assign_function_pointer(body),
            _ => self.assignment(body),
        }
    }

    fn assignment(&mut self, body: &mut Body) {
        let many = body.locals.len() as u64 > 8 + body.lines.unsigned_abs() / 6;
        let place = if many || self.entropy.chance(4, 5) {
            self.target(body, Purpose::Write)
        } else {
            None
        };
        let (place, of) = match place.and_then(|place| Some((self.type_of(body, &place)?, place))) {
            Some((of, place)) => (Some(place), of),
            None if many => return,
            None => (None, self.any_type()),
        };
        let Some(rvalue) = self.rvalue(body, of, Purpose::Read) else { return };
        let place = place.unwrap_or_else(|| Place::local(self.new_local(body, of)));
        self.assign(body, place, rvalue);
    }

    /// Assigns a pointer or reference to a new or existing place.
    fn assign_pointer(&mut self, body: &mut Body) {
        if !self.palette.links.is_empty() && self.entropy.chance(1, 3) {
            return self.load_link(body);
        }
        let raw = self.swarm.pointers && (!self.swarm.references || self.entropy.chance(1, 2));
        let mutable = self.entropy.chance(2, 3);
        let to = self.any_type();
        if !self.program.types.is_copy(to) && !raw {
            return;
        }
        let kind =
            if raw { Kind::Pointer { mutable, to } } else { Kind::Reference { mutable, to } };
        let of = self.program.types.intern(kind);
        let existing = self.pick(body, of, Purpose::Write).filter(|_| self.entropy.chance(1, 2));
        let Some(rvalue) = self.rvalue(body, of, Purpose::Read) else { return };
        let place = existing.unwrap_or_else(|| Place::local(self.new_local(body, of)));
        self.assign(body, place, rvalue);
    }

    /// Casts a pointer to another type, or to an integer and back.
    fn cast_pointer(&mut self, body: &mut Body) {
        let thin = |types: &Types, of: TypeId| match types.kind(of) {
            Kind::Pointer { to, .. } => types.layout(*to).fixed && !types.is_wide(of),
            _ => false,
        };
        let Some(local) = self.local_like(body, thin) else { return };
        let Kind::Pointer { mutable, to } = *self.program.types.kind(body.locals[local]) else {
            return;
        };
        let from = Operand::local(local);
        if self.entropy.chance(1, 3) && !self.program.types.has_lifetime(body.locals[local]) {
            let number = self.new_local(body, Types::USIZE);
            let back = self.new_local(body, body.locals[local]);
            // The address is not deterministic, so other statements must not use it.
            body.reserved[number] = true;
            if self.assign(body, Place::local(number), Rvalue::Cast(from, Types::USIZE)) {
                let again = Rvalue::Cast(Operand::local(number), body.locals[local]);
                self.assign(body, Place::local(back), again);
            }
            return;
        }
        let types = &self.program.types;
        let fitting: Vec<TypeId> = self
            .palette
            .all
            .iter()
            .copied()
            .filter(|it| *it != to && types.layout(*it).fixed && types.size(*it) <= types.size(to))
            .collect();
        let Some(other) = self.entropy.pick(&fitting).copied() else { return };
        let of = self.program.types.intern(Kind::Pointer { mutable, to: other });
        let cast = if self.entropy.chance(1, 2) {
            Rvalue::PointerCast(from, of)
        } else {
            Rvalue::Cast(from, of)
        };
        let existing = self.pick(body, of, Purpose::Write);
        let place = existing.unwrap_or_else(|| Place::local(self.new_local(body, of)));
        self.assign(body, place, cast);
    }

    fn assign_static_address(&mut self, body: &mut Body) {
        let number = self.entropy.below(self.program.statics.len() as u64) as usize;
        let (mutable, to) = (self.program.statics[number].mutable, self.program.statics[number].of);
        let kind =
            if mutable { Kind::Pointer { mutable, to } } else { Kind::Reference { mutable, to } };
        let of = self.program.types.intern(kind);
        let existing = self.pick(body, of, Purpose::Write);
        let place = existing.unwrap_or_else(|| Place::local(self.new_local(body, of)));
        self.assign(body, place, Rvalue::Static(number));
    }

    fn assign_slice_pointer(&mut self, body: &mut Body) {
        let element = self.scalar_type();
        let to = self.program.types.intern(Kind::Slice(element));
        let mutable = self.entropy.chance(1, 2);
        let kind = if self.swarm.references && self.entropy.chance(1, 2) {
            Kind::Reference { mutable, to }
        } else {
            Kind::Pointer { mutable, to }
        };
        let of = self.program.types.intern(kind);
        let Some(rvalue) = self.rvalue(body, of, Purpose::Read) else { return };
        let local = self.new_local(body, of);
        if !self.assign(body, Place::local(local), rvalue) {
            return;
        }
        // Uses the slice pointer: its length, and its address as a thin pointer.
        if matches!(self.program.types.kind(of), Kind::Pointer { .. }) {
            if self.entropy.chance(1, 2) {
                self.in_new_local(body, Types::USIZE, Rvalue::Length(Operand::local(local)));
            }
            if self.entropy.chance(1, 3) {
                let thin = self.program.types.intern(Kind::Pointer { mutable, to: element });
                self.in_new_local(body, thin, Rvalue::Cast(Operand::local(local), thin));
            }
        }
    }

    fn assign_function_pointer(&mut self, body: &mut Body) {
        let Some(number) = self.complete_function(body, false) else { return };
        let function = &self.program.functions[number];
        let kind = Kind::Function {
            parameters: function.parameter_types().to_vec(),
            returns: function.returns(),
        };
        let of = self.program.types.intern(kind);
        let existing = self.pick(body, of, Purpose::Write);
        let place = existing.unwrap_or_else(|| Place::local(self.new_local(body, of)));
        self.assign(body, place, Rvalue::Use(Operand::Function(number, of)));
    }

    /// Storage markers of a local: storage that ends, restarts, or starts for the first time.
    pub(super) fn storage(&mut self, body: &mut Body) {
        let marked: Option<Local> = self.entropy.pick(&body.marked).copied();
        match marked {
            Some(local) if self.entropy.chance(2, 3) => {
                self.execute(body, Statement::StorageDead(local));
                self.execute(body, Statement::StorageLive(local));
                self.assign_whole(body, local);
            }
            Some(local) if self.entropy.chance(1, 2) => {
                self.execute(body, Statement::StorageDead(local));
            }
            _ => {
                let of = self.any_type();
                self.interpreter.add_local(&self.program.types, &mut body.frame, of, false);
                let local = self.declare(body, of);
                body.marked.push(local);
                self.execute(body, Statement::StorageLive(local));
                self.assign_whole(body, local);
            }
        }
    }

    fn assign_whole(&mut self, body: &mut Body, local: Local) {
        if let Some(rvalue) = self.rvalue(body, body.locals[local], Purpose::Read) {
            self.assign(body, Place::local(local), rvalue);
        }
    }

    /// Assigns the fields of a variant one by one, and then sets the discriminant.
    pub(super) fn construct_enum(&mut self, body: &mut Body) {
        let types = &self.program.types;
        let enums: Vec<TypeId> =
            self.palette.all.iter().copied().filter(|it| types.is_enum(*it)).collect();
        let Some(of) = self.entropy.pick(&enums).copied() else { return };
        let Some(place) = self.pick(body, of, Purpose::Write) else { return };
        let variants = self.program.types.variants(of);
        let variant = self.entropy.below(variants.len() as u64) as usize;
        let fields = variants[variant].fields.clone();
        if self.entropy.chance(1, 3) {
            // The fields may be initialised already.
            self.execute(body, Statement::SetDiscriminant(place, variant));
            return;
        }
        for (field, part) in fields.into_iter().enumerate() {
            let Some(operand) = self.find_or_build(body, part, 1) else { return };
            let target = place.then(Projection::Variant(variant, field));
            if !self.assign(body, target, Rvalue::Use(operand)) {
                return;
            }
        }
        self.execute(body, Statement::SetDiscriminant(place, variant));
    }

    /// Assumes a true statement about a value.
    fn assume(&mut self, body: &mut Body) {
        if body.loops > 0 {
            return;
        }
        let of = self.scalar_type();
        let Some(place) = self.pick(body, of, Purpose::Read) else { return };
        let Some(Seen::Bits(bits)) = self.known_value(body, &place) else { return };
        let (operator, right) = match self.program.types.kind(of) {
            Kind::Int(int) if !int.signed => match self.entropy.below(3) {
                0 => (Operator::Le, bits.saturating_add(u128::from(self.entropy.below(3)))),
                1 => (Operator::Ge, bits.saturating_sub(u128::from(self.entropy.below(3)))),
                _ => (Operator::Eq, bits),
            },
            Kind::Float(_) => return,
            _ => (Operator::Eq, bits),
        };
        let right = match self.program.types.as_int(of) {
            Some(int) if int.bits() < 128 => right.min((1 << int.bits()) - 1),
            _ => right,
        };
        let local = self.new_local(body, Types::BOOL);
        let compared = Rvalue::Binary(operator, Operand::Copy(place), Operand::constant(of, right));
        if self.assign(body, Place::local(local), compared) {
            self.execute(body, Statement::Assume(Operand::local(local)));
        }
    }

    fn retag(&mut self, body: &mut Body) {
        let references: Vec<Local> = (0..body.locals.len())
            .filter(|&local| {
                matches!(self.program.types.kind(body.locals[local]), Kind::Reference { .. })
            })
            .collect();
        if let Some(local) = self.entropy.pick(&references).copied() {
            self.execute(body, Statement::Retag(Place::local(local)));
        }
    }

    /// Whether a place is a field of a packed struct, which must not be moved into a call.
    pub(super) fn is_packed(&self, body: &Body, place: &Place) -> bool {
        let types = &self.program.types;
        let mut of = body.locals[place.local];
        for projection in &place.projections {
            if types.adt(of).is_some_and(|adt| adt.repr.packing().is_some()) {
                return true;
            }
            match projection.type_of(of, types) {
                Some(part) => of = part,
                None => return false,
            }
        }
        false
    }
}
