//! Calls of intrinsics, with arguments that they are defined for.

use super::super::intrinsic::{Family, Intrinsic};
use super::super::program::{Callee, Operand, Place, Rvalue, Unwind};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::body::Body;
use super::places::Purpose;

/// Memory intrinsics, which need pointers. Those that fail more often are listed several times.
const MEMORY: [Intrinsic; 15] = [
    Intrinsic::CopyNonoverlapping,
    Intrinsic::CopyNonoverlapping,
    Intrinsic::CopyOverlapping,
    Intrinsic::WriteBytes,
    Intrinsic::CompareBytes,
    Intrinsic::CompareBytes,
    Intrinsic::CompareBytes,
    Intrinsic::TypedSwap,
    Intrinsic::TypedSwap,
    Intrinsic::ReadViaCopy,
    Intrinsic::VolatileLoad,
    Intrinsic::VolatileStore,
    Intrinsic::ArithOffset,
    Intrinsic::ArithOffset,
    Intrinsic::OffsetFrom,
];

/// Float intrinsics.
const FLOATS: [Intrinsic; 11] = [
    Intrinsic::SquareRoot,
    Intrinsic::Floor,
    Intrinsic::Ceil,
    Intrinsic::Truncate,
    Intrinsic::RoundTiesEven,
    Intrinsic::Absolute,
    Intrinsic::CopySign,
    Intrinsic::FusedMultiplyAdd,
    Intrinsic::FusedMultiplyAdd,
    Intrinsic::FloatToInt,
    Intrinsic::FloatToInt,
];

impl Generator<'_> {
    pub(super) fn intrinsic(&mut self, body: &mut Body) {
        if !self.swarm.intrinsics {
            return self.switch(body);
        }
        let snapshot = self.snapshot(body);
        if self.try_intrinsic(body) != Some(true) {
            self.restore(body, snapshot);
        }
    }

    fn try_intrinsic(&mut self, body: &mut Body) -> Option<bool> {
        let intrinsic = if self.swarm.pointers && self.entropy.chance(1, 2) {
            *self.entropy.pick(&MEMORY)?
        } else if self.swarm.floats && self.entropy.chance(1, 4) {
            *self.entropy.pick(&FLOATS)?
        } else {
            *self.entropy.pick(&Intrinsic::ALL)?
        };
        let int = self.pick_type(|types, of| types.as_int(of).is_some());
        let float = self.pick_type(|types, of| matches!(types.kind(of), Kind::Float(_)));
        let (arguments, result) = match intrinsic.family() {
            Family::IntToInt => (vec![int?], int?),
            Family::IntToU32 => (vec![int?], Types::U32),
            Family::Rotate => {
                let int =
                    self.pick_type(|types, of| types.as_int(of).is_some_and(|int| !int.signed))?;
                (vec![int, Types::U32], int)
            }
            Family::IntInt => (vec![int?; 2], int?),
            Family::Shift => {
                let by = self.pick_type(|types, of| types.as_int(of).is_some())?;
                (vec![int?, by], int?)
            }
            Family::Overflow => {
                let pair = self.program.types.intern(Kind::Tuple(vec![int?, Types::BOOL]));
                (vec![int?; 2], pair)
            }
            Family::Select => {
                // Scalars only: for aggregates, rustc (1.95, and 1.97 nightly) asserts that both places have the same
                // alignment, and crashes. See G in section 6 of docs/src/custom-mir.md.
                let of = self.scalar_type();
                (vec![Types::BOOL, of, of], of)
            }
            Family::Float => (vec![float?], float?),
            Family::FloatFloat => (vec![float?; 2], float?),
            Family::FloatFloatFloat => (vec![float?; 3], float?),
            Family::FloatToInt => (vec![float?], int?),
            Family::Bool => (vec![Types::BOOL], Types::BOOL),
            _ => return self.memory_intrinsic(body, intrinsic),
        };
        let mut operands = vec![];
        for of in &arguments {
            operands.push(match intrinsic.family() {
                Family::FloatToInt => self.convertible(body, *of, result)?,
                _ => self.find_or_build(body, *of, 2)?,
            });
        }
        self.keep_in_range(body, intrinsic, &mut operands)?;
        let destination = self.destination(body, result, &operands);
        Some(self.call(
            body,
            Callee::Intrinsic(intrinsic),
            operands,
            destination,
            Unwind::Unreachable,
        ))
    }

    pub(super) fn pick_type(&mut self, fits: impl Fn(&Types, TypeId) -> bool) -> Option<TypeId> {
        let types = &self.program.types;
        let fitting: Vec<TypeId> =
            self.palette.scalars.iter().copied().filter(|of| fits(types, *of)).collect();
        self.entropy.pick(&fitting).copied()
    }

    /// A pointer to a value of a type, preferably into an array.
    fn pointer_to(&mut self, body: &mut Body, to: TypeId, mutable: bool) -> Option<Operand> {
        let of = self.program.types.intern(Kind::Pointer { mutable, to });
        if self.entropy.chance(3, 4)
            && let Some(local) = self.element(body, to, mutable)
        {
            return Some(Operand::local(local));
        }
        if self.entropy.chance(1, 2)
            && let Some(place) = self.pick(body, of, Purpose::Read)
        {
            return Some(Operand::Copy(place));
        }
        let place = self.pick(body, to, Purpose::Borrow)?;
        let local = self.new_local(body, of);
        self.assign(body, Place::local(local), Rvalue::AddressOf(mutable, place))
            .then(|| Operand::local(local))
    }

    fn memory_intrinsic(&mut self, body: &mut Body, intrinsic: Intrinsic) -> Option<bool> {
        if intrinsic == Intrinsic::CompareBytes {
            return self.compare_bytes(body);
        }
        let to = match self.element_type(|_, _| true) {
            Some(to) if self.entropy.chance(4, 5) => to,
            _ => self.any_type(),
        };
        self.program.types.is_copy(to).then_some(())?;
        let (arguments, result) = match intrinsic.family() {
            Family::Copy => {
                let from = self.pointer_to(body, to, false)?;
                let into = self.pointer_to(body, to, true)?;
                let count = self.count(body, &[&from, &into])?;
                (vec![from, into, count], Types::UNIT)
            }
            Family::WriteBytes => {
                let into = self.pointer_to(body, to, true)?;
                let has_invalid_values = self.program.types.layout(to).has_invalid_values;
                let byte = if has_invalid_values { 0 } else { u128::from(self.entropy.below(256)) };
                let count = self.count(body, &[&into])?;
                (vec![into, Operand::constant(Types::U8, byte), count], Types::UNIT)
            }
            Family::Swap => {
                let one = self.pointer_to(body, to, true)?;
                let local = one.place()?.local;
                // The two must not overlap; a few draws are enough to find another pointer.
                let other = (0..3).find_map(|_| {
                    self.pointer_to(body, to, true)
                        .filter(|other| other.place().is_some_and(|place| place.local != local))
                });
                (vec![one, other?], Types::UNIT)
            }
            Family::Load => (vec![self.pointer_to(body, to, false)?], to),
            Family::Store => {
                let into = self.pointer_to(body, to, true)?;
                (vec![into, self.find_or_build(body, to, 1)?], Types::UNIT)
            }
            Family::ArithOffset => return self.arith_offset(body),
            Family::OffsetFrom => {
                let one = self.pointer_to(body, to, false)?;
                (vec![one, self.pointer_to(body, to, false)?], Types::ISIZE)
            }
            _ => return None,
        };
        let destination = self.destination(body, result, &[]);
        Some(self.call(
            body,
            Callee::Intrinsic(intrinsic),
            arguments,
            destination,
            Unwind::Unreachable,
        ))
    }

    /// Compares the bytes of two values that have no padding and no pointers.
    fn compare_bytes(&mut self, body: &mut Body) -> Option<bool> {
        let bytes_readable =
            |types: &Types, of: TypeId| types.layout(of).bytes_readable && types.size(of) > 0;
        let types = &self.program.types;
        let fitting: Vec<TypeId> =
            self.palette.all.iter().copied().filter(|of| bytes_readable(types, *of)).collect();
        let byte = self.program.types.intern(Kind::Pointer { mutable: false, to: Types::U8 });
        let mut pointers = vec![];
        let mut of = self.entropy.pick(&fitting).copied()?;
        for _ in 0..2 {
            let place = self.pick(body, of, Purpose::Read)?;
            if body.reserved[place.local] {
                return None;
            }
            let pointer = self.program.types.intern(Kind::Pointer { mutable: false, to: of });
            let whole = self.in_new_local(body, pointer, Rvalue::AddressOf(false, place))?;
            pointers.push(match of {
                Types::U8 => whole,
                _ => self.in_new_local(body, byte, Rvalue::PointerCast(whole, byte))?,
            });
            if self.entropy.chance(1, 3) {
                of = self.entropy.pick(&fitting).copied()?;
            }
        }
        let count = self.count(body, &[&pointers[0], &pointers[1]])?;
        pointers.push(count);
        let destination = self.destination(body, Types::I32, &[]);
        let callee = Callee::Intrinsic(Intrinsic::CompareBytes);
        Some(self.call(body, callee, pointers, destination, Unwind::Unreachable))
    }
}
