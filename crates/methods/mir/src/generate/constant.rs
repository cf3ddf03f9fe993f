//! Const generics: code that depends on const parameters, and the values that these get. Passes run on such a function
//! before its constants are known: they must not assume a value, nor generalise from one.

use super::super::intrinsic::Intrinsic;
use super::super::program::{
    Callee, Local, Operand, Operator, Place, Projection, Rvalue, Statement, Terminator,
};
use super::super::types::{Kind, TypeId, Types};
use super::generic::{Draft, number};
use super::{Generator, types};

/// The longest arrays whose length is a constant parameter.
const LONGEST: u64 = 6;

/// What the constants of a function have to be, so that what it does is defined.
#[derive(Clone, Debug, Default)]
pub(super) struct Fixing {
    pub(super) function: usize,
    /// The least that each `usize` may be; [`LONGEST`] is the most.
    pub(super) least: u64,
    /// For each constant, a value that something hangs on.
    pub(super) favourites: Vec<u64>,
}

/// The type of a constant parameter.
pub(super) fn constant_type(types: &Types, it: TypeId) -> Option<TypeId> {
    match types.kind(it) {
        Kind::Constant(_, of) => Some(*of),
        _ => None,
    }
}

impl Generator<'_> {
    /// Gives a draft constant parameters after so many type parameters: a length, and others.
    pub(super) fn fix(&mut self, draft: &mut Draft, first: usize) {
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
        draft.fixing.least = self.entropy.below(3);
        for (number, of) in all.into_iter().enumerate() {
            let constant = Kind::Constant(first + number, of);
            draft.constants.push(self.program.types.intern(constant));
            let favourite = self.fixed_value(of, draft.fixing.least);
            draft.fixing.favourites.push(favourite);
        }
    }

    /// A value for a constant parameter of a type.
    fn fixed_value(&mut self, of: TypeId, least: u64) -> u64 {
        match of {
            Types::USIZE => self.entropy.between(least, LONGEST),
            _ => types::constant(self.entropy, of, &self.program.types).bits as u64,
        }
    }

    /// The constants that a function is called with: in another generic function, also that one's own.
    pub(super) fn constants_for(&mut self, callee: usize, draft: Option<&Draft>) -> Vec<TypeId> {
        let wanted = self.program.functions[callee].constants.clone();
        let fixing = self.fixings.iter().find(|it| it.function == callee).cloned();
        let fixing = fixing.unwrap_or_default();
        let mut all = vec![];
        for (number, of) in wanted.into_iter().enumerate() {
            if let Some(draft) = draft.filter(|draft| draft.fixing.least >= fixing.least)
                && let Some(Operand::Parameter(own)) = self.own_constant(draft, of)
                && self.entropy.chance(3, 4)
            {
                all.push(own);
                continue;
            }
            let favourite = fixing.favourites.get(number).copied();
            let bits = match favourite.filter(|_| self.entropy.chance(1, 3)) {
                Some(bits) => bits,
                None => self.fixed_value(of, fixing.least),
            };
            all.push(self.program.types.intern(Kind::Value(of, bits)));
        }
        all
    }

    /// Whether a function may be called with some constants.
    pub(super) fn may_be_fixed(&self, function: usize, with: &[TypeId]) -> bool {
        let fixing = self.fixings.iter().find(|it| it.function == function);
        fixing.is_none_or(|fixing| {
            with.iter().all(|of| match self.program.types.kind(*of) {
                Kind::Value(Types::USIZE, bits) => (fixing.least..=LONGEST).contains(bits),
                _ => true,
            })
        })
    }

    /// A constant parameter of a type, if there is one.
    pub(super) fn own_constant(&mut self, draft: &Draft, of: TypeId) -> Option<Operand> {
        let types = &self.program.types;
        let all = draft.constants.iter();
        let fitting: Vec<TypeId> =
            all.copied().filter(|it| constant_type(types, *it) == Some(of)).collect();
        self.entropy.pick(&fitting).copied().map(Operand::Parameter)
    }

    /// The constant parameter of a draft with a number.
    pub(super) fn constant_at(&self, draft: &Draft, index: usize) -> Option<TypeId> {
        let is = |it: &&TypeId| match self.program.types.kind(**it) {
            Kind::Constant(number, _) => *number == index,
            _ => false,
        };
        draft.constants.iter().find(is).copied()
    }

    /// An array as long as a constant parameter says, also of such arrays.
    pub(super) fn array_type(&mut self, draft: &Draft) -> Option<TypeId> {
        let mut of = self.parameter(draft);
        for _ in 0..=u64::from(self.entropy.chance(1, 6)) {
            let Operand::Parameter(length) = self.own_constant(draft, Types::USIZE)? else {
                return None;
            };
            let Kind::Constant(index, _) = *self.program.types.kind(length) else { return None };
            of = self.program.types.intern(Kind::ArrayOf(of, index));
        }
        Some(of)
    }

    /// One thing more that a function does with its constants.
    pub(super) fn constant_piece(&mut self, draft: &mut Draft) {
        let done = match self.entropy.below(12) {
            0 => self.fill_array(draft),
            1 | 2 => self.go_to_the_end(draft),
            3 | 4 => self.switch_on_constant(draft),
            5 | 6 => self.compute(draft),
            7 => self.behind_check(draft),
            8 => self.around(draft),
            9 => self.slice_length(draft),
            10 if self.swarm.intrinsics => self.copy_all(draft),
            11 => self.suppose(draft),
            _ => {
                self.call_another(draft);
                Some(())
            }
        };
        if done.is_none() {
            self.mix(draft);
        }
    }

    /// An array that is there or is made, the constant that is its length, and what it is made of.
    fn some_array(&mut self, draft: &mut Draft, write: bool) -> Option<(Place, TypeId, TypeId)> {
        let types = &self.program.types;
        let fits = |known: &&super::generic::Known| {
            matches!(types.kind(known.of), Kind::ArrayOf(..)) && (known.writable || !write)
        };
        let there: Vec<(Place, TypeId)> = (draft.places.iter().filter(fits))
            .map(|known| (known.place.clone(), known.of))
            .collect();
        let (place, of) = match self.entropy.pick(&there).cloned() {
            Some(found) if self.entropy.chance(2, 3) => found,
            _ => {
                let of = self.array_type(draft)?;
                let value = self.make(draft, of, 3)?;
                (draft.hold(of, Rvalue::Use(value)), of)
            }
        };
        let Kind::ArrayOf(element, index) = *self.program.types.kind(of) else { return None };
        Some((place, self.constant_at(draft, index)?, element))
    }

    fn fill_array(&mut self, draft: &mut Draft) -> Option<()> {
        let of = self.array_type(draft)?;
        let Kind::ArrayOf(element, index) = *self.program.types.kind(of) else { return None };
        let element = self.make(draft, element, 3)?;
        let length = self.constant_at(draft, index)?;
        let place = draft.hold(of, Rvalue::RepeatOf(element, length));
        self.know_parts(draft, &place, of, true);
        Some(())
    }

    /// A loop over all elements of an array, up or down, which may ask again what it knows already.
    fn go_to_the_end(&mut self, draft: &mut Draft) -> Option<()> {
        let (array, length, element) = self.some_array(draft, true)?;
        let first = self.make(draft, element, 3)?;
        let kept = Place::local(draft.local(element));
        draft.assign(kept.clone(), Rvalue::Use(first));
        let index = draft.local(Types::USIZE);
        let down = self.entropy.chance(1, 3);
        let start = match down {
            true => Rvalue::Use(Operand::Parameter(length)),
            false => number(Types::USIZE, 0),
        };
        draft.assign(Place::local(index), start);
        let goes_on = Place::local(draft.local(Types::BOOL));
        let (zero, one) = (Operand::constant(Types::USIZE, 0), Operand::constant(Types::USIZE, 1));
        let head = draft.blocks.len() + 1;
        draft.end(Terminator::Goto(head));
        let condition = match down {
            true => Rvalue::Binary(Operator::Gt, Operand::local(index), zero),
            false => {
                Rvalue::Binary(Operator::Lt, Operand::local(index), Operand::Parameter(length))
            }
        };
        draft.assign(goes_on.clone(), condition);
        let asks = self.entropy.chance(1, 3);
        let end = head + 2 + 2 * usize::from(asks);
        draft.end(Terminator::Switch {
            on: Operand::Copy(goes_on.clone()),
            arms: vec![(0, end)],
            otherwise: head + 1,
        });
        if down {
            let next = Rvalue::Binary(Operator::Sub, Operand::local(index), one.clone());
            draft.assign(Place::local(index), next);
        }
        if asks {
            // What is checked before each access, where a compiler cannot see that it need not be.
            let below =
                Rvalue::Binary(Operator::Ge, Operand::local(index), Operand::Parameter(length));
            draft.assign(goes_on.clone(), below);
            draft.end(Terminator::Switch {
                on: Operand::Copy(goes_on),
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
        draft.know(kept, element, true);
        draft.hold(Types::USIZE, Rvalue::Use(Operand::local(index)));
        Some(())
    }

    /// A constant parameter, its type, and the value that something hangs on.
    fn some_constant(&mut self, draft: &Draft) -> Option<(TypeId, TypeId, u64)> {
        let number = self.entropy.below(draft.constants.len() as u64) as usize;
        let it = draft.constants[number];
        let of = constant_type(&self.program.types, it)?;
        Some((it, of, draft.fixing.favourites.get(number).copied().unwrap_or_default()))
    }

    /// Ways that are chosen by a constant; by one of them, what is chosen by it again.
    fn switch_on_constant(&mut self, draft: &mut Draft) -> Option<()> {
        let (it, of, favourite) = self.some_constant(draft)?;
        let here = draft.blocks.len();
        let mut values = vec![u128::from(favourite)];
        if of != Types::BOOL {
            for _ in 0..self.entropy.below(3) {
                values.push(self.fixed_value(of, draft.fixing.least).into());
            }
        }
        values.sort_unstable();
        values.dedup();
        let ways = values.len() + 1;
        let by_flag = of != Types::BOOL && self.entropy.chance(1, 3);
        let (on, arms, ways) = if by_flag {
            let value = Operand::constant(of, favourite.into());
            let equal = Rvalue::Binary(Operator::Eq, Operand::Parameter(it), value);
            let flag = draft.hold(Types::BOOL, equal);
            (Operand::Copy(flag), vec![(0, here + 1)], 2)
        } else {
            let arms = values.into_iter().enumerate();
            let arms = arms.map(|(way, bits)| (bits, here + 1 + way)).collect();
            (Operand::Parameter(it), arms, ways)
        };
        draft.end(Terminator::Switch { on, arms, otherwise: here + ways });
        for _ in 0..ways {
            for _ in 0..self.entropy.between(1, 3) {
                self.mix(draft);
            }
            self.note(draft, of);
            draft.end(Terminator::Goto(here + ways + 1));
        }
        Some(())
    }

    /// Writes a constant, or a constant parameter, where one of its type is.
    fn note(&mut self, draft: &mut Draft, of: TypeId) {
        if let Some(place) = self.find(draft, of, true) {
            let own = self.own_constant(draft, of).filter(|_| self.entropy.chance(1, 3));
            let value = own.unwrap_or_else(|| self.constant_of(of));
            draft.assign(place, Rvalue::Use(value));
        }
    }

    /// Arithmetic with a constant.
    fn compute(&mut self, draft: &mut Draft) -> Option<()> {
        let (it, of, favourite) = self.some_constant(draft)?;
        let constant = Operand::Parameter(it);
        let other = match self.find(draft, of, false) {
            Some(place) if self.entropy.chance(1, 2) => Operand::Copy(place),
            _ if self.entropy.chance(1, 4) => constant.clone(),
            _ if self.entropy.chance(1, 2) => Operand::constant(of, favourite.into()),
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
                draft.hold(Types::BOOL, Rvalue::Binary(operator, left, right));
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
                draft.hold(of, Rvalue::Binary(operator, left, right));
            }
            3 if int.is_some() => {
                let operator = *self.entropy.pick(&[Operator::Shl, Operator::Shr])?;
                let (shifted, value) = match self.find(draft, Types::USIZE, false) {
                    Some(place) => (Types::USIZE, Operand::Copy(place)),
                    None => (Types::I32, self.constant_of(Types::I32)),
                };
                draft.hold(shifted, Rvalue::Binary(operator, value, constant));
            }
            4 if int.is_some() => {
                let pair = self.program.types.intern(Kind::Tuple(vec![of, Types::BOOL]));
                let operators = [Operator::Add, Operator::Sub, Operator::Mul];
                let operator = *self.entropy.pick(&operators)?;
                let place = draft.hold(pair, Rvalue::Checked(operator, left, right));
                self.know_parts(draft, &place, pair, true);
            }
            5 => {
                let ints = [Types::U8, Types::I32, Types::USIZE, Types::U64];
                let to = *self.entropy.pick(&ints)?;
                if to == of {
                    draft.hold(of, Rvalue::Use(constant));
                } else {
                    draft.hold(to, Rvalue::Cast(constant, to));
                }
            }
            6 if int.is_some_and(|int| int.signed) => {
                draft.hold(of, Rvalue::Negate(constant));
            }
            _ if of == Types::CHAR => {
                draft.hold(of, Rvalue::Use(constant));
            }
            _ => {
                draft.hold(of, Rvalue::Not(constant));
            }
        }
        Some(())
    }

    /// An element of an array that is there for some lengths only, behind a check.
    fn behind_check(&mut self, draft: &mut Draft) -> Option<()> {
        let (array, length, element) = self.some_array(draft, true)?;
        let value = self.make(draft, element, 3)?;
        let kept = draft.hold(element, Rvalue::Use(value));
        let index: Local = draft.local(Types::USIZE);
        let start = match self.find(draft, Types::USIZE, false) {
            Some(place) if self.entropy.chance(1, 2) => Rvalue::Use(Operand::Copy(place)),
            _ => number(Types::USIZE, self.entropy.below(LONGEST + 2)),
        };
        draft.assign(Place::local(index), start);
        let below = Rvalue::Binary(Operator::Lt, Operand::local(index), Operand::Parameter(length));
        let flag = draft.hold(Types::BOOL, below);
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

    /// An element of an array, found by a remainder.
    fn around(&mut self, draft: &mut Draft) -> Option<()> {
        if draft.fixing.least == 0 {
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
        draft.know(array.then(Projection::Index(index)), element, true);
        Some(())
    }

    /// The length of a slice of an array, which is the constant.
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
        let known = draft.hold(Types::USIZE, Rvalue::Length(Operand::Copy(all)));
        if self.entropy.chance(1, 2) {
            let same =
                Rvalue::Binary(Operator::Eq, Operand::Copy(known), Operand::Parameter(length));
            draft.hold(Types::BOOL, same);
        }
        Some(())
    }

    /// All elements of one array to another, at once.
    fn copy_all(&mut self, draft: &mut Draft) -> Option<()> {
        let (from, length, element) = self.some_array(draft, false)?;
        let of = from.type_in(&draft.locals, &self.program.types)?;
        let value = self.make(draft, element, 3)?;
        let to = draft.hold(of, Rvalue::RepeatOf(value, length));
        let index = draft.local(Types::USIZE);
        draft.assign(Place::local(index), number(Types::USIZE, 0));
        let types = &mut self.program.types;
        let mut ends = vec![];
        for (mutable, place) in [(false, from), (true, to)] {
            let one = types.intern(Kind::Pointer { mutable, to: element });
            let start = draft.local(one);
            let first = if draft.fixing.least > 0 {
                Rvalue::AddressOf(mutable, place.then(Projection::Index(index)))
            } else {
                // There may be no first element.
                let whole = types.intern(Kind::Pointer { mutable, to: of });
                let pointer = Place::local(draft.local(whole));
                draft.assign(pointer.clone(), Rvalue::AddressOf(mutable, place));
                Rvalue::PointerCast(Operand::Copy(pointer), one)
            };
            draft.assign(Place::local(start), first);
            ends.push(Operand::local(start));
        }
        ends.push(Operand::Parameter(length));
        let unit = Place::local(draft.local(Types::UNIT));
        draft.call(Callee::Intrinsic(Intrinsic::CopyNonoverlapping), ends, unit);
        Some(())
    }

    /// An assumption that holds for all that the constant may be.
    fn suppose(&mut self, draft: &mut Draft) -> Option<()> {
        let constant = self.own_constant(draft, Types::USIZE)?;
        let limit = Operand::constant(Types::USIZE, (LONGEST + self.entropy.below(3)).into());
        let flag = draft.hold(Types::BOOL, Rvalue::Binary(Operator::Le, constant, limit));
        draft.state(Statement::Assume(Operand::Copy(flag)));
        Some(())
    }
}
