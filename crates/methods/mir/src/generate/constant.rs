//! Const generics: code that depends on const parameters, and the arguments for them. Passes run on such a function
//! before its constants are known: they must not assume a value, nor generalise from one.

use super::super::intrinsic::Intrinsic;
use super::super::program::{
    Callee, Local, Operand, Operator, Place, Projection, Rvalue, Statement, Terminator,
};
use super::super::types::{Kind, TypeId, Types};
use super::generic::{Draft, number};
use super::{Generator, types};

/// The longest array whose length is a const parameter.
const LONGEST: u64 = 6;

/// Which const arguments a function is defined for.
#[derive(Clone, Debug, Default)]
pub(super) struct ConstDomain {
    pub(super) function: usize,
    /// The minimum of each `usize`; the maximum is [`LONGEST`].
    pub(super) least: u64,
    /// For each const parameter, a value that the function may test for.
    pub(super) tested_values: Vec<u64>,
}

/// The type of a const parameter.
pub(super) fn constant_type(types: &Types, it: TypeId) -> Option<TypeId> {
    match types.kind(it) {
        Kind::Constant(_, of) => Some(*of),
        _ => None,
    }
}

impl Generator<'_> {
    /// Gives a draft const parameters after its `first` type parameters: an array length, and up to two others.
    pub(super) fn add_const_parameters(&mut self, draft: &mut Draft, first: usize) {
        let types = &self.program.types;
        let mut others = vec![Types::BOOL, Types::U8, Types::I32, Types::CHAR, Types::USIZE];
        others.extend(
            self.palette
                .scalars
                .iter()
                .filter(|of| types.as_int(**of).is_some_and(|int| int.bits() < 128)),
        );
        let mut all = vec![Types::USIZE];
        for _ in 0..self.entropy.below(3) {
            all.extend(self.entropy.pick(&others));
        }
        draft.domain.least = self.entropy.below(3);
        for (number, of) in all.into_iter().enumerate() {
            let constant = Kind::Constant(first + number, of);
            draft.constants.push(self.program.types.intern(constant));
            let tested = self.const_argument(of, draft.domain.least);
            draft.domain.tested_values.push(tested);
        }
    }

    /// An argument for a const parameter of a type.
    fn const_argument(&mut self, of: TypeId, least: u64) -> u64 {
        match of {
            Types::USIZE => self.entropy.between(least, LONGEST),
            _ => types::constant(self.entropy, of, &self.program.types).bits as u64,
        }
    }

    /// The const arguments of a call. In another generic function, they may be const parameters of the caller.
    pub(super) fn constants_for(&mut self, callee: usize, draft: Option<&Draft>) -> Vec<TypeId> {
        let wanted = self.program.functions[callee].constants.clone();
        let domain = self.const_domains.iter().find(|it| it.function == callee).cloned();
        let domain = domain.unwrap_or_default();
        let mut all = vec![];
        for (number, of) in wanted.into_iter().enumerate() {
            if let Some(draft) = draft.filter(|draft| draft.domain.least >= domain.least)
                && let Some(Operand::Parameter(own)) = self.const_parameter(draft, of)
                && self.entropy.chance(3, 4)
            {
                all.push(own);
                continue;
            }
            let tested = domain.tested_values.get(number).copied();
            let bits = match tested.filter(|_| self.entropy.chance(1, 3)) {
                Some(bits) => bits,
                None => self.const_argument(of, domain.least),
            };
            all.push(self.program.types.intern(Kind::Value(of, bits)));
        }
        all
    }

    /// Whether a function is defined for some const arguments.
    pub(super) fn accepts_constants(&self, function: usize, with: &[TypeId]) -> bool {
        let domain = self.const_domains.iter().find(|it| it.function == function);
        domain.is_none_or(|domain| {
            with.iter().all(|of| match self.program.types.kind(*of) {
                Kind::Value(Types::USIZE, bits) => (domain.least..=LONGEST).contains(bits),
                _ => true,
            })
        })
    }

    /// A const parameter of the draft that has a given type.
    pub(super) fn const_parameter(&mut self, draft: &Draft, of: TypeId) -> Option<Operand> {
        let types = &self.program.types;
        let all = draft.constants.iter();
        let fitting: Vec<TypeId> =
            all.copied().filter(|it| constant_type(types, *it) == Some(of)).collect();
        self.entropy.pick(&fitting).copied().map(Operand::Parameter)
    }

    /// The const parameter of the draft with a given index.
    pub(super) fn constant_at(&self, draft: &Draft, index: usize) -> Option<TypeId> {
        let is = |it: &&TypeId| match self.program.types.kind(**it) {
            Kind::Constant(number, _) => *number == index,
            _ => false,
        };
        draft.constants.iter().find(is).copied()
    }

    /// The type of an array whose length is a const parameter, sometimes of an array of such arrays.
    pub(super) fn array_type(&mut self, draft: &Draft) -> Option<TypeId> {
        let mut of = self.type_parameter(draft);
        for _ in 0..=u64::from(self.entropy.chance(1, 6)) {
            let Operand::Parameter(length) = self.const_parameter(draft, Types::USIZE)? else {
                return None;
            };
            let Kind::Constant(index, _) = *self.program.types.kind(length) else { return None };
            of = self.program.types.intern(Kind::ArrayOf(of, index));
        }
        Some(of)
    }

    /// Adds an operation that depends on a const parameter.
    pub(super) fn constant_operation(&mut self, draft: &mut Draft) {
        let done = match self.entropy.below(12) {
            0 => self.fill_array(draft),
            1 | 2 => self.loop_over_const_array(draft),
            3 | 4 => self.switch_on_constant(draft),
            5 | 6 => self.constant_arithmetic(draft),
            7 => self.bounds_checked_access(draft),
            8 => self.index_by_remainder(draft),
            9 => self.slice_length(draft),
            10 if self.swarm.intrinsics => self.copy_array(draft),
            11 => self.assume_bound(draft),
            _ => {
                self.call_from_generic(draft);
                Some(())
            }
        };
        if done.is_none() {
            self.copy_between_places(draft);
        }
    }

    /// An existing or new array, the const parameter that is its length, and the type of its elements.
    fn some_array(&mut self, draft: &mut Draft, write: bool) -> Option<(Place, TypeId, TypeId)> {
        let types = &self.program.types;
        let fits = |known: &&super::generic::InitialisedPlace| {
            matches!(types.kind(known.of), Kind::ArrayOf(..)) && (known.writable || !write)
        };
        let existing: Vec<(Place, TypeId)> = (draft.places.iter().filter(fits))
            .map(|known| (known.place.clone(), known.of))
            .collect();
        let (place, of) = match self.entropy.pick(&existing).cloned() {
            Some(found) if self.entropy.chance(2, 3) => found,
            _ => {
                let of = self.array_type(draft)?;
                let value = self.find_or_make(draft, of, 3)?;
                (draft.store(of, Rvalue::Use(value)), of)
            }
        };
        let Kind::ArrayOf(element, index) = *self.program.types.kind(of) else { return None };
        Some((place, self.constant_at(draft, index)?, element))
    }

    fn fill_array(&mut self, draft: &mut Draft) -> Option<()> {
        let of = self.array_type(draft)?;
        let Kind::ArrayOf(element, index) = *self.program.types.kind(of) else { return None };
        let element = self.find_or_make(draft, element, 3)?;
        let length = self.constant_at(draft, index)?;
        let place = draft.store(of, Rvalue::RepeatOf(element, length));
        self.add_parts(draft, &place, of, true);
        Some(())
    }

    /// A loop over all elements of an array, up or down, which may repeat the bounds check.
    fn loop_over_const_array(&mut self, draft: &mut Draft) -> Option<()> {
        let (array, length, element) = self.some_array(draft, true)?;
        let first = self.find_or_make(draft, element, 3)?;
        let kept = Place::local(draft.local(element));
        draft.assign(kept.clone(), Rvalue::Use(first));
        let index = draft.local(Types::USIZE);
        let down = self.entropy.chance(1, 3);
        let start = match down {
            true => Rvalue::Use(Operand::Parameter(length)),
            false => number(Types::USIZE, 0),
        };
        draft.assign(Place::local(index), start);
        let continues = Place::local(draft.local(Types::BOOL));
        let (zero, one) = (Operand::constant(Types::USIZE, 0), Operand::constant(Types::USIZE, 1));
        let head = draft.blocks.len() + 1;
        draft.end(Terminator::Goto(head));
        let condition = match down {
            true => Rvalue::Binary(Operator::Gt, Operand::local(index), zero),
            false => {
                Rvalue::Binary(Operator::Lt, Operand::local(index), Operand::Parameter(length))
            }
        };
        draft.assign(continues.clone(), condition);
        let checks_again = self.entropy.chance(1, 3);
        let end = head + 2 + 2 * usize::from(checks_again);
        draft.end(Terminator::Switch {
            on: Operand::Copy(continues.clone()),
            arms: vec![(0, end)],
            otherwise: head + 1,
        });
        if down {
            let next = Rvalue::Binary(Operator::Sub, Operand::local(index), one.clone());
            draft.assign(Place::local(index), next);
        }
        if checks_again {
            // The bounds check of an access, which is redundant here.
            let below =
                Rvalue::Binary(Operator::Ge, Operand::local(index), Operand::Parameter(length));
            draft.assign(continues.clone(), below);
            draft.end(Terminator::Switch {
                on: Operand::Copy(continues),
                arms: vec![(0, head + 3)],
                otherwise: head + 2,
            });
            draft.end(Terminator::Unreachable);
        }
        let at = array.then(Projection::Index(index));
        let held = Place::local(draft.local(element));
        draft.assign(held.clone(), Rvalue::Use(Operand::Copy(at.clone())));
        draft.assign(at, Rvalue::Use(Operand::Copy(kept.clone())));
        draft.assign(kept.clone(), Rvalue::Use(Operand::Copy(held)));
        if !down {
            let next = Rvalue::Binary(Operator::Add, Operand::local(index), one);
            draft.assign(Place::local(index), next);
        }
        draft.end(Terminator::Goto(head));
        draft.steps += 10 * LONGEST;
        draft.add_place(kept, element, true);
        draft.store(Types::USIZE, Rvalue::Use(Operand::local(index)));
        Some(())
    }

    /// A const parameter, its type, and the value that the function may test it for.
    fn some_constant(&mut self, draft: &Draft) -> Option<(TypeId, TypeId, u64)> {
        let number = self.entropy.below(draft.constants.len() as u64) as usize;
        let it = draft.constants[number];
        let of = constant_type(&self.program.types, it)?;
        Some((it, of, draft.domain.tested_values.get(number).copied().unwrap_or_default()))
    }

    /// A switch on a const parameter, or on its comparison with a value.
    fn switch_on_constant(&mut self, draft: &mut Draft) -> Option<()> {
        let (it, of, tested) = self.some_constant(draft)?;
        let here = draft.blocks.len();
        let mut values = vec![u128::from(tested)];
        if of != Types::BOOL {
            for _ in 0..self.entropy.below(3) {
                values.push(self.const_argument(of, draft.domain.least).into());
            }
        }
        values.sort_unstable();
        values.dedup();
        let ways = values.len() + 1;
        let by_flag = of != Types::BOOL && self.entropy.chance(1, 3);
        let (on, arms, ways) = if by_flag {
            let value = Operand::constant(of, tested.into());
            let equal = Rvalue::Binary(Operator::Eq, Operand::Parameter(it), value);
            let flag = draft.store(Types::BOOL, equal);
            (Operand::Copy(flag), vec![(0, here + 1)], 2)
        } else {
            let arms = values.into_iter().enumerate();
            let arms = arms.map(|(way, bits)| (bits, here + 1 + way)).collect();
            (Operand::Parameter(it), arms, ways)
        };
        draft.end(Terminator::Switch { on, arms, otherwise: here + ways });
        for _ in 0..ways {
            for _ in 0..self.entropy.between(1, 3) {
                self.copy_between_places(draft);
            }
            self.write_constant(draft, of);
            draft.end(Terminator::Goto(here + ways + 1));
        }
        Some(())
    }

    /// Writes a constant or a const parameter to a place of its type.
    fn write_constant(&mut self, draft: &mut Draft, of: TypeId) {
        if let Some(place) = self.find(draft, of, true) {
            let own = self.const_parameter(draft, of).filter(|_| self.entropy.chance(1, 3));
            let value = own.unwrap_or_else(|| self.constant_of(of));
            draft.assign(place, Rvalue::Use(value));
        }
    }

    /// Arithmetic with a const parameter.
    fn constant_arithmetic(&mut self, draft: &mut Draft) -> Option<()> {
        let (it, of, tested) = self.some_constant(draft)?;
        let constant = Operand::Parameter(it);
        let other = match self.find(draft, of, false) {
            Some(place) if self.entropy.chance(1, 2) => Operand::Copy(place),
            _ if self.entropy.chance(1, 4) => constant.clone(),
            _ if self.entropy.chance(1, 2) => Operand::constant(of, tested.into()),
            _ => self.constant_of(of),
        };
        let (left, right) = match self.entropy.chance(1, 2) {
            true => (constant.clone(), other),
            false => (other, constant.clone()),
        };
        let comparisons =
            [Operator::Eq, Operator::Ne, Operator::Lt, Operator::Le, Operator::Gt, Operator::Ge];
        let int = self.program.types.as_int(of);
        match self.entropy.below(7) {
            0 | 1 => {
                let operator = *self.entropy.pick(&comparisons)?;
                draft.store(Types::BOOL, Rvalue::Binary(operator, left, right));
            }
            2 if int.is_some() => {
                let arithmetic = [
                    Operator::Add,
                    Operator::Sub,
                    Operator::Mul,
                    Operator::BitAnd,
                    Operator::BitOr,
                    Operator::BitXor,
                ];
                let operator = *self.entropy.pick(&arithmetic)?;
                draft.store(of, Rvalue::Binary(operator, left, right));
            }
            3 if int.is_some() => {
                let operator = *self.entropy.pick(&[Operator::Shl, Operator::Shr])?;
                let (shifted, value) = match self.find(draft, Types::USIZE, false) {
                    Some(place) => (Types::USIZE, Operand::Copy(place)),
                    None => (Types::I32, self.constant_of(Types::I32)),
                };
                draft.store(shifted, Rvalue::Binary(operator, value, constant));
            }
            4 if int.is_some() => {
                let pair = self.program.types.intern(Kind::Tuple(vec![of, Types::BOOL]));
                let operators = [Operator::Add, Operator::Sub, Operator::Mul];
                let operator = *self.entropy.pick(&operators)?;
                let place = draft.store(pair, Rvalue::Checked(operator, left, right));
                self.add_parts(draft, &place, pair, true);
            }
            5 => {
                let ints = [Types::U8, Types::I32, Types::USIZE, Types::U64];
                let to = *self.entropy.pick(&ints)?;
                if to == of {
                    draft.store(of, Rvalue::Use(constant));
                } else {
                    draft.store(to, Rvalue::Cast(constant, to));
                }
            }
            6 if int.is_some_and(|int| int.signed) => {
                draft.store(of, Rvalue::Negate(constant));
            }
            _ if of == Types::CHAR => {
                draft.store(of, Rvalue::Use(constant));
            }
            _ => {
                draft.store(of, Rvalue::Not(constant));
            }
        }
        Some(())
    }

    /// An access to an element that exists only for some lengths, behind a bounds check.
    fn bounds_checked_access(&mut self, draft: &mut Draft) -> Option<()> {
        let (array, length, element) = self.some_array(draft, true)?;
        let value = self.find_or_make(draft, element, 3)?;
        let kept = draft.store(element, Rvalue::Use(value));
        let index: Local = draft.local(Types::USIZE);
        let start = match self.find(draft, Types::USIZE, false) {
            Some(place) if self.entropy.chance(1, 2) => Rvalue::Use(Operand::Copy(place)),
            _ => number(Types::USIZE, self.entropy.below(LONGEST + 2)),
        };
        draft.assign(Place::local(index), start);
        let below = Rvalue::Binary(Operator::Lt, Operand::local(index), Operand::Parameter(length));
        let flag = draft.store(Types::BOOL, below);
        let here = draft.blocks.len();
        draft.end(Terminator::Switch {
            on: Operand::Copy(flag),
            arms: vec![(0, here + 2)],
            otherwise: here + 1,
        });
        let at = array.then(Projection::Index(index));
        if self.entropy.chance(1, 2) {
            draft.assign(kept, Rvalue::Use(Operand::Copy(at)));
        } else {
            draft.assign(at, Rvalue::Use(Operand::Copy(kept)));
        }
        draft.end(Terminator::Goto(here + 2));
        Some(())
    }

    /// An element whose index is a remainder by the length.
    fn index_by_remainder(&mut self, draft: &mut Draft) -> Option<()> {
        if draft.domain.least == 0 {
            return None;
        }
        let (array, length, element) = self.some_array(draft, true)?;
        let any = match self.find(draft, Types::USIZE, false) {
            Some(place) => Operand::Copy(place),
            None => self.constant_of(Types::USIZE),
        };
        let index = draft.local(Types::USIZE);
        let rest = Rvalue::Binary(Operator::Rem, any, Operand::Parameter(length));
        draft.assign(Place::local(index), rest);
        draft.add_place(array.then(Projection::Index(index)), element, true);
        Some(())
    }

    /// The length of a slice of the whole array, which is the const parameter.
    fn slice_length(&mut self, draft: &mut Draft) -> Option<()> {
        let (array, length, element) = self.some_array(draft, false)?;
        let of = array.type_in(&draft.locals, &self.program.types)?;
        let types = &mut self.program.types;
        let slice = types.intern(Kind::Slice(element));
        let thin = types.intern(Kind::Pointer { mutable: false, to: of });
        let wide = types.intern(Kind::Pointer { mutable: false, to: slice });
        let pointer = Place::local(draft.local(thin));
        draft.assign(pointer.clone(), Rvalue::AddressOf(false, array));
        let all = Place::local(draft.local(wide));
        draft.assign(all.clone(), Rvalue::Unsize(Operand::Copy(pointer), wide));
        let known = draft.store(Types::USIZE, Rvalue::Length(Operand::Copy(all)));
        if self.entropy.chance(1, 2) {
            let same =
                Rvalue::Binary(Operator::Eq, Operand::Copy(known), Operand::Parameter(length));
            draft.store(Types::BOOL, same);
        }
        Some(())
    }

    /// Copies all elements of one array to another with `copy_nonoverlapping`.
    fn copy_array(&mut self, draft: &mut Draft) -> Option<()> {
        let (from, length, element) = self.some_array(draft, false)?;
        let of = from.type_in(&draft.locals, &self.program.types)?;
        let value = self.find_or_make(draft, element, 3)?;
        let to = draft.store(of, Rvalue::RepeatOf(value, length));
        let index = draft.local(Types::USIZE);
        draft.assign(Place::local(index), number(Types::USIZE, 0));
        let types = &mut self.program.types;
        let mut arguments = vec![];
        for (mutable, place) in [(false, from), (true, to)] {
            let one = types.intern(Kind::Pointer { mutable, to: element });
            let start = draft.local(one);
            let first = if draft.domain.least > 0 {
                Rvalue::AddressOf(mutable, place.then(Projection::Index(index)))
            } else {
                // The array may be empty, so that no element can be borrowed.
                let whole = types.intern(Kind::Pointer { mutable, to: of });
                let pointer = Place::local(draft.local(whole));
                draft.assign(pointer.clone(), Rvalue::AddressOf(mutable, place));
                Rvalue::PointerCast(Operand::Copy(pointer), one)
            };
            draft.assign(Place::local(start), first);
            arguments.push(Operand::local(start));
        }
        arguments.push(Operand::Parameter(length));
        let unit = Place::local(draft.local(Types::UNIT));
        draft.call(Callee::Intrinsic(Intrinsic::CopyNonoverlapping), arguments, unit);
        Some(())
    }

    /// An assumption that holds for all arguments of a const parameter.
    fn assume_bound(&mut self, draft: &mut Draft) -> Option<()> {
        let constant = self.const_parameter(draft, Types::USIZE)?;
        let limit = Operand::constant(Types::USIZE, (LONGEST + self.entropy.below(3)).into());
        let flag = draft.store(Types::BOOL, Rvalue::Binary(Operator::Le, constant, limit));
        draft.push(Statement::Assume(Operand::Copy(flag)));
        Some(())
    }
}
