//! Calls of intrinsics, with arguments that they are defined for.

use super::super::intrinsic::{Family, Intrinsic};
use super::super::program::{Callee, Operand, Place, Rvalue, Unwind};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::body::Body;
use super::places::Purpose;

/// The intrinsics of memory, which need a pointer.
const MEMORY: [Intrinsic; 10] = [
    Intrinsic::CopyNonoverlapping,
    Intrinsic::CopyOverlapping,
    Intrinsic::WriteBytes,
    Intrinsic::CompareBytes,
    Intrinsic::TypedSwap,
    Intrinsic::ReadViaCopy,
    Intrinsic::VolatileLoad,
    Intrinsic::VolatileStore,
    Intrinsic::ArithOffset,
    Intrinsic::OffsetFrom,
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
        let intrinsic = if self.swarm.pointers && self.entropy.chance(1, 3) {
            *self.entropy.pick(&MEMORY)?
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
                // Of larger things rustc (1.95, and 1.97 nightly) refuses every other one: it asserts that
                // both lie equally well aligned. See section 6 of docs/custom-mir.md.
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
            operands.push(self.supply(body, *of, 2)?);
        }
        self.tame(body, intrinsic, &mut operands);
        let destination = self.destination(body, result, &operands);
        Some(self.call(
            body,
            Callee::Intrinsic(intrinsic),
            operands,
            destination,
            Unwind::Unreachable,
        ))
    }

    /// Makes it likely that the operands of something unchecked are in its range.
    fn tame(&mut self, body: &Body, intrinsic: Intrinsic, operands: &mut [Operand]) {
        let Some(of) = operands.last().and_then(|it| it.type_in(&body.locals, &self.program.types))
        else {
            return;
        };
        let bits = match intrinsic {
            Intrinsic::UncheckedShl | Intrinsic::UncheckedShr => self.entropy.below(8),
            Intrinsic::ExactDiv => 1,
            Intrinsic::UncheckedDiv | Intrinsic::UncheckedRem => self.entropy.between(1, 9),
            Intrinsic::UncheckedAdd | Intrinsic::UncheckedSub => self.entropy.below(3),
            Intrinsic::UncheckedMul => self.entropy.below(2),
            Intrinsic::DisjointBitOr => 0,
            Intrinsic::FloatToInt => {
                let value = self.entropy.below(100) as f64 * 0.75;
                let single = of == Types::F32;
                let bits =
                    if single { u64::from((value as f32).to_bits()) } else { value.to_bits() };
                operands[0] = Operand::constant(of, u128::from(bits));
                return;
            }
            _ => return,
        };
        if self.entropy.chance(2, 3)
            && let Some(last) = operands.last_mut()
        {
            *last = Operand::constant(of, u128::from(bits));
        }
    }

    fn pick_type(&mut self, fits: impl Fn(&Types, TypeId) -> bool) -> Option<TypeId> {
        let types = &self.program.types;
        let fitting: Vec<TypeId> =
            self.palette.scalars.iter().copied().filter(|of| fits(types, *of)).collect();
        self.entropy.pick(&fitting).copied()
    }

    /// A pointer to something of a type, in a local.
    fn pointer_to(&mut self, body: &mut Body, to: TypeId, mutable: bool) -> Option<Operand> {
        let of = self.program.types.intern(Kind::Pointer { mutable, to });
        if self.entropy.chance(2, 3)
            && let Some(place) = self.pick(body, of, Purpose::Read)
        {
            return Some(Operand::Copy(place));
        }
        let place = self.pick(body, to, Purpose::Borrow)?;
        let local = self.new_local(body, of);
        self.assign(body, Place::local(local), Rvalue::AddressOf(mutable, place))
            .then(|| Operand::local(local))
    }

    /// How many elements are touched: as many as there are, or fewer.
    fn count(&mut self, body: &Body, pointers: &[&Operand]) -> Option<Operand> {
        let mut most = usize::MAX;
        for pointer in pointers {
            let place = pointer.place()?;
            let (_, forth) =
                self.machine.room(body.scope(&self.program.types), &body.frame, place)?;
            most = most.min(forth);
        }
        let count = self.entropy.between(u64::from(most > 0), most.min(64) as u64);
        Some(Operand::constant(Types::USIZE, u128::from(count)))
    }

    fn memory_intrinsic(&mut self, body: &mut Body, intrinsic: Intrinsic) -> Option<bool> {
        let to = if intrinsic == Intrinsic::CompareBytes { Types::U8 } else { self.any_type() };
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
                let picky = self.program.types.layout(to).picky;
                let byte = if picky { 0 } else { u128::from(self.entropy.below(256)) };
                let count = self.count(body, &[&into])?;
                (vec![into, Operand::constant(Types::U8, byte), count], Types::UNIT)
            }
            Family::CompareBytes => {
                let left = self.pointer_to(body, to, false)?;
                let right = self.pointer_to(body, to, false)?;
                let count = self.count(body, &[&left, &right])?;
                (vec![left, right, count], Types::I32)
            }
            Family::Swap => {
                let one = self.pointer_to(body, to, true)?;
                (vec![one, self.pointer_to(body, to, true)?], Types::UNIT)
            }
            Family::Load => (vec![self.pointer_to(body, to, false)?], to),
            Family::Store => {
                let into = self.pointer_to(body, to, true)?;
                (vec![into, self.supply(body, to, 1)?], Types::UNIT)
            }
            Family::ArithOffset => {
                let pointer = self.pointer_to(body, to, false)?;
                let scope = body.scope(&self.program.types);
                let (back, forth) = self.machine.room(scope, &body.frame, pointer.place()?)?;
                let by = self.entropy.below((back + forth + 1) as u64) as i64 - back as i64;
                let of = self.program.types.find(&Kind::Pointer { mutable: false, to })?;
                let by = Operand::constant(Types::ISIZE, u128::from(by.cast_unsigned()));
                (vec![pointer, by], of)
            }
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
}
