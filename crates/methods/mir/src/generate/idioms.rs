//! Patterns that passes match and that random statements seldom form: a comparison that is used and then switched on,
//! a read guarded by a switch, aliasing union fields, a switch over all variants of an enum. `rare_shapes.rs` has
//! more.

use super::super::interpret::Seen;
use super::super::program::{Operand, Operator, Place, Projection, Rvalue, Statement, Terminator};
use super::super::types::{Kind, Shape, TypeId, Types};
use super::Generator;
use super::body::Body;
use super::places::Purpose;

impl Generator<'_> {
    pub(super) fn idiom(&mut self, body: &mut Body) {
        let snapshot = self.snapshot(body);
        let done = match self.entropy.below(10) {
            0 | 1 => self.compare_and_switch(body),
            2 => match self.entropy.below(3) {
                0 if self.swarm.invalid_pointers => self.guarded_pointer(body),
                1 => self.guarded_read(body),
                _ => self.guarded_twice(body),
            },
            3 if self.swarm.unions > 0 && self.entropy.chance(1, 2) => self.union_fields(body),
            4 | 5 if self.swarm.enums > 0 => self.switch_on_all_variants(body),
            6 => self.drop_without_effect(body),
            7 => self.constant_switch(body),
            8 if !self.palette.large.is_empty() => self.large_copy(body),
            _ => self.diamond(body),
        };
        if done.is_none() {
            self.restore(body, snapshot);
        }
    }

    /// A place that holds an integer or char of a known value.
    fn known_scalar(&mut self, body: &mut Body) -> Option<(Place, TypeId, u128)> {
        let of = self.scalar_type();
        if matches!(self.program.types.kind(of), Kind::Float(_) | Kind::Bool) {
            return None;
        }
        let place = self.pick(body, of, Purpose::Read)?;
        let bits = self.known_bits(body, &place)?;
        Some((place, of, bits))
    }

    /// A comparison with a constant whose result is used and then switched on. The operand may be overwritten or its
    /// storage dead by then.
    fn compare_and_switch(&mut self, body: &mut Body) -> Option<()> {
        let (mut place, of, bits) = self.known_scalar(body)?;
        let marked = self.swarm.storage && body.loops == 0 && self.entropy.chance(1, 3);
        if marked {
            self.interpreter.add_local(&self.program.types, &mut body.frame, of, false);
            let local = self.declare(body, of);
            body.marked.push(local);
            self.execute(body, Statement::StorageLive(local)).then_some(())?;
            let value = Rvalue::Use(Operand::Copy(place));
            place = Place::local(local);
            self.assign(body, place.clone(), value).then_some(())?;
        }
        let value = if self.entropy.chance(1, 2) { bits } else { self.neighbour(of, bits) };
        let operator = if self.entropy.chance(2, 3) { Operator::Eq } else { Operator::Ne };
        let compared = self.new_local(body, Types::BOOL);
        let constant = Operand::constant(of, value);
        let comparison = Rvalue::Binary(operator, Operand::Copy(place.clone()), constant);
        self.assign(body, Place::local(compared), comparison).then_some(())?;
        if marked && self.entropy.chance(1, 2) {
            self.execute(body, Statement::StorageDead(place.local));
        } else if self.entropy.chance(1, 2) && !body.reserved[place.local] {
            // The operand changes before the switch.
            let other = self.constant_of(of);
            self.assign(body, place, Rvalue::Use(other));
        }
        for _ in 0..self.entropy.below(3) {
            let rvalue = match self.entropy.below(3) {
                0 => Rvalue::Cast(Operand::local(compared), Types::U64),
                1 => Rvalue::Not(Operand::local(compared)),
                _ => Rvalue::Use(Operand::local(compared)),
            };
            let into = if matches!(rvalue, Rvalue::Cast(..)) { Types::U64 } else { Types::BOOL };
            let place = self.pick(body, into, Purpose::Write);
            let place = place.filter(|place| place.local != compared);
            let place = place.unwrap_or_else(|| Place::local(self.new_local(body, into)));
            self.assign(body, place, rvalue);
        }
        self.switch_on(body, Place::local(compared), Types::BOOL);
        Some(())
    }

    /// Two nested switches with the same value and the same otherwise target. The scrutinee of the inner one is valid
    /// only on that path.
    fn guarded_read(&mut self, body: &mut Body) -> Option<()> {
        let types = &self.program.types;
        let arrays: Vec<(TypeId, TypeId, u64)> = self
            .palette
            .all
            .iter()
            .filter_map(|of| match types.kind(*of) {
                Kind::Array(element, length)
                    if types.as_int(*element).is_some() || *element == Types::CHAR =>
                {
                    Some((*of, *element, *length))
                }
                _ => None,
            })
            .collect();
        let (array, element, length) = self.entropy.pick(&arrays).copied()?;
        let array = self.pick(body, array, Purpose::Read)?;
        let guard = self.pick(body, element, Purpose::Read)?;
        let bits = self.known_bits(body, &guard)?;
        let inside = self.entropy.chance(1, 3);
        let value = if inside { bits } else { self.neighbour(element, bits) };
        if !inside && value == bits {
            return None;
        }
        // An index that is far out of bounds.
        let at = if inside {
            u128::from(self.entropy.below(length))
        } else {
            u128::from(length) + (1 << self.entropy.between(0, 44))
        };
        let index = self.new_local(body, Types::USIZE);
        let index_value = Rvalue::Use(Operand::constant(Types::USIZE, at));
        self.assign(body, Place::local(index), index_value).then_some(())?;
        body.reserved[index] = true;
        self.guarded(body, guard, value, array.then(Projection::Index(index)))
    }

    /// The same through a pointer that is null on the other path.
    fn guarded_pointer(&mut self, body: &mut Body) -> Option<()> {
        let (guard, of, bits) = self.known_scalar(body)?;
        let inside = self.entropy.chance(1, 3);
        let value = if inside { bits } else { self.neighbour(of, bits) };
        if !inside && value == bits {
            return None;
        }
        let pointer = self.program.types.intern(Kind::Pointer { mutable: true, to: of });
        let pointed = if inside {
            Rvalue::AddressOf(true, self.pick(body, of, Purpose::Borrow)?)
        } else {
            Rvalue::Use(Operand::constant(pointer, 0))
        };
        let local = self.new_local(body, pointer);
        self.assign(body, Place::local(local), pointed).then_some(())?;
        body.reserved[local] = true;
        self.guarded(body, guard, value, Place::deref(local))
    }

    /// The same with a scrutinee that is valid on both paths.
    fn guarded_twice(&mut self, body: &mut Body) -> Option<()> {
        let (guard, of, bits) = self.known_scalar(body)?;
        let value = if self.entropy.chance(1, 2) { bits } else { self.neighbour(of, bits) };
        let inner = self.pick(body, of, Purpose::Read)?;
        self.guarded(body, guard, value, inner)
    }

    /// Two nested switches: the inner one is reached only if the outer one finds the value.
    fn guarded(&mut self, body: &mut Body, guard: Place, value: u128, inner: Place) -> Option<()> {
        let (middle, end) = (body.open(), body.open());
        let deepest = self.side_block(body, vec![], Terminator::Goto(end));
        if let Some(place) =
            self.scalar(body, Purpose::DeadBlock).filter(|it| !body.reserved[it.local])
        {
            let of = self.type_of(body, &place)?;
            let constant = self.constant_of(of);
            body.blocks[deepest].statements.push(Statement::Assign(place, Rvalue::Use(constant)));
        }
        let arms = vec![(value, deepest)];
        let second = Terminator::Switch { on: Operand::Copy(inner), arms, otherwise: end };
        let arms = vec![(value, middle)];
        let first = Terminator::Switch { on: Operand::Copy(guard), arms, otherwise: end };
        self.follow(body, first).then_some(())?;
        if body.current == middle {
            self.follow(body, second).then_some(())?;
            if body.current == deepest {
                // The block was generated as a dead block, so its statements may be undefined: they run now.
                let statements = std::mem::take(&mut body.blocks[deepest].statements);
                for statement in statements {
                    self.execute(body, statement);
                }
                self.follow(body, Terminator::Goto(end)).then_some(())?;
            }
        } else {
            body.blocks[middle].terminator = second;
        }
        Some(())
    }

    /// Writes one field of a union, then another, and reads the first.
    fn union_fields(&mut self, body: &mut Body) -> Option<()> {
        let types = &self.program.types;
        let unions: Vec<TypeId> =
            self.palette.all.iter().copied().filter(|of| types.is_union(*of)).collect();
        let of = self.entropy.pick(&unions).copied()?;
        let place = match self.pick(body, of, Purpose::Write) {
            Some(place) => place,
            None => Place::local(self.new_local(body, of)),
        };
        let fields: Vec<(Place, TypeId)> = self.fields(&place, of);
        let scalars: Vec<&(Place, TypeId)> =
            fields.iter().filter(|(_, part)| self.program.types.is_scalar(*part)).collect();
        let (first, part) = (*self.entropy.pick(&scalars)?).clone();
        let (other, other_part) = self.entropy.pick(&fields)?.clone();
        let constant = self.constant_of(part);
        self.assign(body, first.clone(), Rvalue::Use(constant.clone())).then_some(())?;
        let value = self.rvalue(body, other_part, Purpose::Read)?;
        self.assign(body, other, value);
        match self.entropy.below(3) {
            0 if !matches!(self.program.types.kind(part), Kind::Float(_)) => {
                self.switch_on(body, first, part);
            }
            1 => {
                let compared = self.new_local(body, Types::BOOL);
                let comparison = Rvalue::Binary(Operator::Eq, Operand::Copy(first), constant);
                self.assign(body, Place::local(compared), comparison);
            }
            _ => {
                let copy = self.new_local(body, part);
                self.assign(body, Place::local(copy), Rvalue::Use(Operand::Copy(first)));
            }
        }
        Some(())
    }

    /// A switch over all variants of an enum. The otherwise target is unreachable, a dead block, or the last variant.
    fn switch_on_all_variants(&mut self, body: &mut Body) -> Option<()> {
        let types = &self.program.types;
        let enums: Vec<TypeId> =
            self.palette.all.iter().copied().filter(|of| types.is_enum(*of)).collect();
        let of = self.entropy.pick(&enums).copied()?;
        let place = self.pick(body, of, Purpose::Read)?;
        let Some(Seen::Bits(_)) = self.known_value(body, &place) else { return None };
        let tag = self.program.types.discriminant_type(of);
        let bits = self.program.types.as_int(tag)?.bits();
        let numbers: Vec<u128> = self
            .program
            .types
            .discriminants(of)
            .into_iter()
            .map(|number| super::super::scalar::truncate(number.cast_unsigned(), bits))
            .collect();
        let found = self.new_local(body, tag);
        self.assign(body, Place::local(found), Rvalue::Discriminant(place)).then_some(())?;
        let result = self.scalar_type();
        let result_place = Place::local(self.new_local(body, result));
        let end = body.open();
        let mut arms = vec![];
        for number in &numbers {
            arms.push((*number, self.constant_side_block(body, &result_place, result, end)));
        }
        let otherwise = match self.entropy.below(3) {
            0 => self.constant_side_block(body, &result_place, result, end),
            1 if arms.len() > 1 => arms.pop()?.1,
            _ => self.side_block(body, vec![], Terminator::Unreachable),
        };
        let on = if self.swarm.moves {
            Operand::Move(Place::local(found))
        } else {
            Operand::local(found)
        };
        self.follow(body, Terminator::Switch { on, arms, otherwise }).then_some(())?;
        self.run_prepared_block(body, end)
    }

    /// A block that assigns a constant to a place and jumps to the end.
    fn constant_side_block(
        &mut self,
        body: &mut Body,
        place: &Place,
        of: TypeId,
        end: usize,
    ) -> usize {
        let constant = self.constant_of(of);
        let assign = Statement::Assign(place.clone(), Rvalue::Use(constant));
        self.side_block(body, vec![assign], Terminator::Goto(end))
    }

    /// A switch whose targets assign to the same place and join; the result may be switched on again.
    fn diamond(&mut self, body: &mut Body) -> Option<()> {
        let (on, of, bits) = match self.known_scalar(body) {
            Some(known) if self.entropy.chance(1, 2) => known,
            _ => {
                let place = self.pick(body, Types::BOOL, Purpose::Read)?;
                let bits = self.known_bits(body, &place)?;
                (place, Types::BOOL, bits)
            }
        };
        let result = self.scalar_type();
        let place = match self.pick(body, result, Purpose::Write) {
            Some(place) if place.local != on.local => place,
            _ => Place::local(self.new_local(body, result)),
        };
        let end = body.open();
        let mut sides = vec![];
        for _ in 0..self.entropy.between(2, 3) {
            let mut statements = vec![];
            for _ in 0..self.entropy.between(1, 2) {
                let value = if self.entropy.chance(2, 3) {
                    Rvalue::Use(self.constant_of(result))
                } else {
                    self.rvalue(body, result, Purpose::DeadBlock)?
                };
                if !self.is_self_copy(body, &place, &value) {
                    statements.push(Statement::Assign(place.clone(), value));
                }
            }
            sides.push(self.side_block(body, statements, Terminator::Goto(end)));
        }
        let mut arms: Vec<(u128, usize)> = vec![];
        for side in &sides[1..] {
            let value = if arms.is_empty() && self.entropy.chance(1, 2) {
                bits
            } else {
                self.neighbour(of, bits)
            };
            let many = of == Types::BOOL && !arms.is_empty();
            if !many && arms.iter().all(|(other, _)| *other != value) {
                arms.push((value, *side));
            }
        }
        let on = Operand::Copy(on);
        self.follow(body, Terminator::Switch { on, arms, otherwise: sides[0] }).then_some(())?;
        self.run_prepared_block(body, end)?;
        let whole = !matches!(self.program.types.kind(result), Kind::Float(_));
        if whole && self.entropy.chance(1, 2) {
            self.switch_on(body, place, result);
        }
        Some(())
    }

    /// Runs the statements of the current block, which was generated beforehand, and jumps to the end.
    fn run_prepared_block(&mut self, body: &mut Body, end: usize) -> Option<()> {
        let statements = std::mem::take(&mut body.blocks[body.current].statements);
        for statement in statements {
            self.execute(body, statement).then_some(())?;
        }
        self.follow(body, Terminator::Goto(end)).then_some(())
    }

    /// Whether an aggregate has several fields, all of the same type.
    pub(super) fn has_equal_fields(&self, of: TypeId) -> bool {
        let fields = match self.program.types.kind(of) {
            Kind::Tuple(parts) => parts.as_slice(),
            Kind::Adt(index) => match &self.program.types.adts[*index].shape {
                Shape::Struct(fields) => fields.as_slice(),
                _ => return false,
            },
            _ => return false,
        };
        fields.len() > 1 && fields.windows(2).all(|pair| pair[0] == pair[1])
    }
}
