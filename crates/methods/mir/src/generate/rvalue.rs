//! Rvalues of a given type, made of existing places and constants.

use super::super::program::{Local, Operand, Operator, Place, Rvalue};
use super::super::types::{Int, Kind, Shape, TypeId, Types};
use super::body::Body;
use super::places::Purpose;
use super::{Generator, types};

const ARITHMETIC: [Operator; 8] = [
    Operator::Add,
    Operator::Sub,
    Operator::Mul,
    Operator::BitAnd,
    Operator::BitOr,
    Operator::BitXor,
    Operator::Div,
    Operator::Rem,
];

const COMPARISONS: [Operator; 6] =
    [Operator::Eq, Operator::Ne, Operator::Lt, Operator::Le, Operator::Gt, Operator::Ge];

/// How many of the latest functions are candidates for a function pointer.
const NEAREST: usize = 40;

impl Generator<'_> {
    /// An operand of a type: an existing place, or a constant.
    pub(super) fn operand(
        &mut self,
        body: &mut Body,
        of: TypeId,
        purpose: Purpose,
    ) -> Option<Operand> {
        if let Some(invalid) = self.invalid_pointer(of, 16) {
            return Some(invalid);
        }
        // A place that is moved from in a loop is uninitialised in the next iteration.
        if body.loops > 0 && !self.program.types.is_copy(of) {
            return None;
        }
        let scalar = self.program.types.is_scalar(of) || of == Types::UNIT;
        if !scalar || self.entropy.chance(7, 8) {
            if let Some(place) = self.pick(body, of, purpose) {
                return Some(self.as_operand(body, place, of));
            }
            if !scalar {
                return None;
            }
        }
        Some(Operand::Constant(types::constant(self.entropy, of, &self.program.types)))
    }

    /// Rarely, an invalid pointer: null, dangling but aligned, or misaligned.
    fn invalid_pointer(&mut self, of: TypeId, seldom: u64) -> Option<Operand> {
        let types = &self.program.types;
        let Kind::Pointer { to, .. } = types.kind(of) else { return None };
        let (thin, align) = (!types.is_wide(of), types.layout(*to).align as u64);
        if !self.swarm.invalid_pointers || !thin || !self.entropy.chance(1, seldom) {
            return None;
        }
        let address = match self.entropy.below(4) {
            0 | 1 => 0,
            2 => align << self.entropy.below(12),
            _ => self.entropy.between(1, 4096),
        };
        Some(Operand::constant(of, address.into()))
    }

    /// A place as an operand: moved if its type is not `Copy`, and sometimes if it is.
    pub(super) fn as_operand(&mut self, body: &Body, place: Place, of: TypeId) -> Operand {
        let owning = !self.program.types.is_copy(of);
        let free = self.swarm.moves && body.loops == 0 && !body.reserved[place.local];
        if owning || (free && !body.indices.contains(&place.local) && self.entropy.chance(1, 8)) {
            Operand::Move(place)
        } else {
            Operand::Copy(place)
        }
    }

    /// An operand of a type: an existing place, a constant, or a newly built value.
    pub(super) fn find_or_build(
        &mut self,
        body: &mut Body,
        of: TypeId,
        depth: u32,
    ) -> Option<Operand> {
        if let Some(operand) = self.operand(body, of, Purpose::Read) {
            return Some(operand);
        }
        if depth == 0 {
            return None;
        }
        let rvalue = self.build(body, of, depth - 1)?;
        let local = self.new_local(body, of);
        self.assign(body, Place::local(local), rvalue).then(|| {
            if self.program.types.is_copy(of) {
                Operand::local(local)
            } else {
                Operand::Move(Place::local(local))
            }
        })
    }

    /// A value of a type for which no place exists yet.
    pub(super) fn build(&mut self, body: &mut Body, of: TypeId, depth: u32) -> Option<Rvalue> {
        match self.program.types.kind(of).clone() {
            Kind::Tuple(_) | Kind::Array(..) | Kind::Adt(_) => {
                self.aggregate(body, of, Purpose::Read, depth)
            }
            Kind::Pointer { mutable, to } if !self.program.types.is_unsized(to) => {
                let place = self.place_with_value(body, to, depth)?;
                Some(Rvalue::AddressOf(mutable, place))
            }
            Kind::Reference { mutable, to } if !self.program.types.is_unsized(to) => {
                let place = self.place_with_value(body, to, depth)?;
                Some(Rvalue::Reference(mutable, place))
            }
            Kind::Function { .. } => self.function_constant(of).map(Rvalue::Use),
            Kind::Heap(to) if self.program.types.is_unsized(to) => self.boxed_object(body, of),
            Kind::Heap(to) => self.boxed_value(body, of, to, depth),
            Kind::Manual(inside) => self.wrapped(body, of, inside, Purpose::Read, depth),
            Kind::Pointer { .. } | Kind::Reference { .. } => self.rvalue(body, of, Purpose::Read),
            _ if self.program.types.is_scalar(of) => {
                let constant = types::constant(self.entropy, of, &self.program.types);
                Some(Rvalue::Use(Operand::Constant(constant)))
            }
            _ => None,
        }
    }

    /// An initialised place of a type.
    pub(super) fn place_with_value(
        &mut self,
        body: &mut Body,
        of: TypeId,
        depth: u32,
    ) -> Option<Place> {
        if let Some(place) = self.pick(body, of, Purpose::Read)
            && !body.reserved[place.local]
        {
            return Some(place);
        }
        let rvalue = self.build(body, of, depth.checked_sub(1)?)?;
        let local = self.new_local(body, of);
        self.assign(body, Place::local(local), rvalue).then(|| Place::local(local))
    }

    fn function_constant(&mut self, of: TypeId) -> Option<Operand> {
        let Kind::Function { parameters, returns } = self.program.types.kind(of) else {
            return None;
        };
        let fitting: Vec<usize> = (self.callable.iter().rev().take(NEAREST))
            .filter(|callable| {
                let function = &self.program.functions[callable.number];
                callable.generics == 0
                    && function.returns() == *returns
                    && function.parameter_types() == parameters.as_slice()
            })
            .map(|callable| callable.number)
            .collect();
        self.entropy.pick(&fitting).map(|number| Operand::Function(*number, of))
    }

    pub(super) fn aggregate(
        &mut self,
        body: &mut Body,
        of: TypeId,
        purpose: Purpose,
        depth: u32,
    ) -> Option<Rvalue> {
        let types = &self.program.types;
        let (which, parts) = match types.kind(of) {
            Kind::Tuple(parts) => (0, parts.clone()),
            Kind::Array(element, length) => {
                // Long arrays are mostly written as repetitions.
                let repeated = if *length > 8 { (9, 10) } else { (1, 3) };
                if types.is_copy(*element) && self.entropy.chance(repeated.0, repeated.1) {
                    let (element, length) = (*element, *length);
                    let one = self.part(body, element, purpose, depth)?;
                    return Some(Rvalue::Repeat(one, length));
                }
                (0, vec![*element; *length as usize])
            }
            Kind::Adt(index) => match &types.adts[*index].shape {
                Shape::Struct(fields) => (0, fields.clone()),
                Shape::Union(fields) => {
                    let which = self.entropy.below(fields.len() as u64) as usize;
                    (which, vec![fields[which]])
                }
                Shape::Enum(variants) => {
                    let which = self.entropy.below(variants.len() as u64) as usize;
                    (which, variants[which].fields.clone())
                }
            },
            _ => return None,
        };
        let operands = parts.into_iter().map(|part| self.part(body, part, purpose, depth));
        Some(Rvalue::Aggregate(of, which, operands.collect::<Option<_>>()?))
    }

    fn part(
        &mut self,
        body: &mut Body,
        of: TypeId,
        purpose: Purpose,
        depth: u32,
    ) -> Option<Operand> {
        match self.operand(body, of, purpose) {
            // Moving from one place twice is undefined.
            Some(Operand::Move(place)) if self.program.types.is_copy(of) => {
                Some(Operand::Copy(place))
            }
            Some(operand) => Some(operand),
            None if purpose == Purpose::Read => self.find_or_build(body, of, depth),
            None => None,
        }
    }

    /// A value of a type.
    pub(super) fn rvalue(
        &mut self,
        body: &mut Body,
        of: TypeId,
        purpose: Purpose,
    ) -> Option<Rvalue> {
        if !self.entropy.chance(self.swarm.operators, 10)
            && let Some(operand) = self.operand(body, of, purpose)
        {
            return Some(Rvalue::Use(operand));
        }
        if self.swarm.transmutes
            && !self.in_cleanup
            && self.program.types.layout(of).bytes_readable
            && self.entropy.chance(1, 10)
            && let Some(rvalue) = self.transmute(body, of, purpose)
        {
            return Some(rvalue);
        }
        match self.program.types.kind(of).clone() {
            Kind::Bool => self.boolean(body, purpose),
            Kind::Char => {
                let byte = self.operand(body, Types::U8, purpose)?;
                Some(Rvalue::Cast(byte, of))
            }
            Kind::Int(int) => self.integer(body, of, int, purpose),
            Kind::Float(_) => self.float(body, of, purpose),
            Kind::Tuple(parts) => {
                if let [first, Types::BOOL] = parts[..]
                    && self.program.types.as_int(first).is_some()
                    && self.entropy.chance(2, 3)
                {
                    let operators = [Operator::Add, Operator::Sub, Operator::Mul];
                    let operator = *self.entropy.pick(&operators)?;
                    let (left, right) = self.operand_pair(body, first, purpose)?;
                    return Some(Rvalue::Checked(operator, left, right));
                }
                self.aggregate(body, of, purpose, 2)
            }
            Kind::Array(..) | Kind::Adt(_) => self.aggregate(body, of, purpose, 2),
            _ if self.program.types.object(of).is_some() => self.object(body, of, purpose),
            kind if self.program.types.is_wide(of) => {
                if self.swarm.transmutes
                    && self.entropy.chance(1, 6)
                    && let Some(rvalue) = self.transmuted(body, of, purpose)
                {
                    return Some(rvalue);
                }
                self.slice(body, of, &kind, purpose)
            }
            Kind::Pointer { mutable, to } => self.pointer(body, of, mutable, to, purpose),
            Kind::Reference { mutable, to } => self.reference(body, mutable, to, purpose),
            Kind::Function { .. } => self.function_constant(of).map(Rvalue::Use),
            Kind::Manual(inside) => self.wrapped(body, of, inside, purpose, 2),
            Kind::Heap(_)
            | Kind::Slice(_)
            | Kind::Object(_)
            | Kind::Parameter(_)
            | Kind::ArrayOf(..)
            | Kind::Constant(..)
            | Kind::Value(..) => None,
        }
    }

    /// Two operands of a type; often the same place twice, or one of them a constant.
    fn operand_pair(
        &mut self,
        body: &mut Body,
        of: TypeId,
        purpose: Purpose,
    ) -> Option<(Operand, Operand)> {
        let left = self.operand(body, of, purpose)?;
        let right = match self.entropy.below(6) {
            0 if matches!(left, Operand::Copy(_)) => left.clone(),
            1 | 2 => Operand::Constant(types::constant(self.entropy, of, &self.program.types)),
            _ => self.operand(body, of, purpose)?,
        };
        Some((left, right))
    }

    fn boolean(&mut self, body: &mut Body, purpose: Purpose) -> Option<Rvalue> {
        match self.entropy.below(8) {
            0 => Some(Rvalue::Not(self.operand(body, Types::BOOL, purpose)?)),
            1 => {
                let operator = ARITHMETIC[3 + self.entropy.below(3) as usize];
                let (left, right) = self.operand_pair(body, Types::BOOL, purpose)?;
                Some(Rvalue::Binary(operator, left, right))
            }
            2 if self.swarm.comparisons => self.comparison(body, purpose),
            _ => {
                let of = self.scalar_type();
                let operator = *self.entropy.pick(&COMPARISONS)?;
                let (left, right) = self.operand_pair(body, of, purpose)?;
                Some(Rvalue::Binary(operator, left, right))
            }
        }
    }

    /// A comparison of two raw pointers.
    fn comparison(&mut self, body: &mut Body, purpose: Purpose) -> Option<Rvalue> {
        let thin = |types: &Types, of: TypeId| match types.kind(of) {
            Kind::Pointer { to, .. } => types.layout(*to).fixed && !types.is_wide(of),
            _ => false,
        };
        let local = self.local_like(body, thin).filter(|local| body.allows(*local, purpose))?;
        let of = body.locals[local];
        let right = match self.invalid_pointer(of, 2) {
            Some(invalid) => invalid,
            None => Operand::Copy(self.pick(body, of, purpose)?),
        };
        // The order of pointers into different allocations is unspecified, so equality is preferred.
        let most = if self.entropy.chance(1, 2) { 2 } else { COMPARISONS.len() as u64 };
        let operator = COMPARISONS[self.entropy.below(most) as usize];
        Some(Rvalue::Binary(operator, Operand::local(local), right))
    }

    fn integer(
        &mut self,
        body: &mut Body,
        of: TypeId,
        int: Int,
        purpose: Purpose,
    ) -> Option<Rvalue> {
        match self.entropy.below(12) {
            0 => Some(Rvalue::Not(self.operand(body, of, purpose)?)),
            1 if int.signed => Some(Rvalue::Negate(self.operand(body, of, purpose)?)),
            2 | 3 => {
                let by = self.scalar_type();
                let by = if self.program.types.as_int(by).is_some() { by } else { of };
                let operators = [Operator::Shl, Operator::Shr];
                let operator = *self.entropy.pick(&operators)?;
                let left = self.operand(body, of, purpose)?;
                Some(Rvalue::Binary(operator, left, self.operand(body, by, purpose)?))
            }
            4..=6 => {
                let from = self.scalar_type();
                if from == of {
                    return Some(Rvalue::Use(self.operand(body, of, purpose)?));
                }
                Some(Rvalue::Cast(self.operand(body, from, purpose)?, of))
            }
            7 => (self.slice_length_rvalue(body, of, purpose))
                .or_else(|| self.invalid_address(body, of, purpose))
                .or_else(|| self.discriminant(body, of, purpose)),
            _ => {
                let operator = *self.entropy.pick(&ARITHMETIC)?;
                let (left, mut right) = self.operand_pair(body, of, purpose)?;
                let divides = matches!(operator, Operator::Div | Operator::Rem);
                // In a loop the divisor may be zero in the next iteration.
                if divides && (body.loops > 0 || self.entropy.chance(1, 2)) {
                    let bits = types::bits(self.entropy, of, &self.program.types);
                    right = Operand::constant(of, bits.max(1));
                }
                Some(Rvalue::Binary(operator, left, right))
            }
        }
    }

    /// The discriminant of an enum with a given discriminant type.
    fn discriminant(&mut self, body: &mut Body, of: TypeId, purpose: Purpose) -> Option<Rvalue> {
        let types = &self.program.types;
        let enums: Vec<TypeId> = self
            .palette
            .all
            .iter()
            .copied()
            .filter(|it| types.is_enum(*it) && types.discriminant_type(*it) == of)
            .collect();
        let which = self.entropy.pick(&enums).copied()?;
        self.pick(body, which, purpose).map(Rvalue::Discriminant)
    }

    fn slice_length_rvalue(
        &mut self,
        body: &mut Body,
        of: TypeId,
        purpose: Purpose,
    ) -> Option<Rvalue> {
        if of != Types::USIZE || !self.swarm.slices {
            return None;
        }
        let wide = self.local_like(body, |types, of| {
            matches!(types.kind(of), Kind::Pointer { .. }) && types.is_slice_pointer(of)
        })?;
        let place = Place::local(wide);
        (purpose == Purpose::DeadBlock || self.known_value(body, &place).is_some())
            .then_some(Rvalue::Length(Operand::Copy(place)))
    }

    /// The address of an invalid pointer, which is a known number.
    fn invalid_address(&mut self, body: &Body, of: TypeId, purpose: Purpose) -> Option<Rvalue> {
        if of != Types::USIZE || !self.swarm.invalid_pointers {
            return None;
        }
        let local = self.local_like(body, |types, of| {
            matches!(types.kind(of), Kind::Pointer { .. }) && !types.is_wide(of)
        })?;
        let known = self.known_bits(body, &Place::local(local)).is_some();
        (known || purpose == Purpose::DeadBlock)
            .then(|| Rvalue::Cast(Operand::local(local), Types::USIZE))
    }

    /// A local whose type satisfies a predicate.
    pub(super) fn local_like(
        &mut self,
        body: &Body,
        fits: impl Fn(&Types, TypeId) -> bool,
    ) -> Option<Local> {
        let types = &self.program.types;
        let fitting: Vec<Local> =
            (1..body.locals.len()).filter(|&local| fits(types, body.locals[local])).collect();
        self.entropy.pick(&fitting).copied()
    }

    fn float(&mut self, body: &mut Body, of: TypeId, purpose: Purpose) -> Option<Rvalue> {
        match self.entropy.below(8) {
            0 => Some(Rvalue::Negate(self.operand(body, of, purpose)?)),
            1 | 2 => {
                let from = self.scalar_type();
                let fits = matches!(self.program.types.kind(from), Kind::Int(_) | Kind::Float(_));
                if !fits || from == of {
                    return Some(Rvalue::Use(self.operand(body, of, purpose)?));
                }
                Some(Rvalue::Cast(self.operand(body, from, purpose)?, of))
            }
            _ => {
                let operators = [
                    Operator::Add,
                    Operator::Sub,
                    Operator::Mul,
                    Operator::Div,
                    Operator::Add,
                    Operator::Mul,
                    Operator::Rem,
                ];
                let operator = *self.entropy.pick(&operators)?;
                let (left, right) = self.operand_pair(body, of, purpose)?;
                Some(Rvalue::Binary(operator, left, right))
            }
        }
    }

    /// A transmute from another type of the same size.
    fn transmute(&mut self, body: &mut Body, of: TypeId, purpose: Purpose) -> Option<Rvalue> {
        let types = &self.program.types;
        let size = types.size(of);
        let fitting: Vec<TypeId> = self
            .palette
            .all
            .iter()
            .copied()
            .filter(|it| *it != of && types.size(*it) == size && types.layout(*it).bytes_readable)
            .collect();
        let from = self.entropy.pick(&fitting).copied()?;
        let operand = self.operand(body, from, purpose)?;
        Some(Rvalue::Transmute(operand, of))
    }
}
