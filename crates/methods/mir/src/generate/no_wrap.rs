//! Operands that keep unchecked intrinsics defined, whatever their places hold: sums do not overflow, divisors are not
//! zero, quotients are exact. None of the operands is a constant that would make the call trivial.

use super::super::intrinsic::Intrinsic;
use super::super::program::{Operand, Operator, Rvalue};
use super::super::scalar;
use super::super::types::{Float, Int, Kind, TypeId, Types};
use super::Generator;
use super::body::Body;
use super::places::Purpose;

impl Generator<'_> {
    /// Replaces operands so that the intrinsic is defined for them.
    pub(super) fn keep_in_range(
        &mut self,
        body: &mut Body,
        intrinsic: Intrinsic,
        operands: &mut [Operand],
    ) -> Option<()> {
        let types = &self.program.types;
        let of = operands.first()?.type_in(&body.locals, types)?;
        let Kind::Int(int) = *types.kind(of) else { return Some(()) };
        // The operands may be in range as they are. In a loop they may differ in the next iteration.
        if body.loops == 0
            && self.entropy.chance(1, 3)
            && let [left, right] = operands
            && let (Some(a), Some(b)) = (self.value_of(body, left), self.value_of(body, right))
            && scalar::binary(intrinsic, int, a, b).is_some()
        {
            return Some(());
        }
        match intrinsic {
            Intrinsic::LeadingZerosNonzero | Intrinsic::TrailingZerosNonzero => {
                let bit = 1 << self.entropy.below(u64::from(int.bits()));
                operands[0] = self.with_constant(body, of, Operator::BitOr, &operands[0], bit)?;
            }
            Intrinsic::UncheckedShl | Intrinsic::UncheckedShr => {
                let by = operands[1].type_in(&body.locals, &self.program.types)?;
                let most = u128::from(int.bits()) - 1;
                operands[1] = self.with_constant(body, by, Operator::BitAnd, &operands[1], most)?;
            }
            Intrinsic::UncheckedAdd | Intrinsic::UncheckedSub => {
                for operand in &mut *operands {
                    *operand = self.with_constant(body, of, Operator::Shr, operand, 1)?;
                }
                if intrinsic == Intrinsic::UncheckedSub && !int.signed {
                    // `a & b` is at most `a`.
                    let [left, right] = operands else { return None };
                    let part = Rvalue::Binary(Operator::BitAnd, left.clone(), right.clone());
                    operands[1] = self.in_new_local(body, of, part)?;
                }
            }
            Intrinsic::UncheckedMul => {
                let low = Self::low_bits(int, int.bits() / 2 - 1);
                for operand in &mut *operands {
                    *operand = self.with_constant(body, of, Operator::BitAnd, operand, low)?;
                }
            }
            Intrinsic::UncheckedDiv | Intrinsic::UncheckedRem => {
                operands[1] = self.divisor(body, of, int, &operands[1])?;
            }
            Intrinsic::ExactDiv => {
                let by = self.divisor(body, of, int, &operands[1])?;
                let from = self.as_copy(&operands[0]);
                let rest = Rvalue::Binary(Operator::Rem, from.clone(), by.clone());
                let rest = self.in_new_local(body, of, rest)?;
                let whole = Rvalue::Binary(Operator::Sub, from, rest);
                operands[0] = self.in_new_local(body, of, whole)?;
                operands[1] = by;
            }
            Intrinsic::DisjointBitOr => {
                let left = self.as_copy(&operands[0]);
                if self.entropy.chance(1, 3) {
                    // The masks are constants, the values are not.
                    let mask = super::types::bits(self.entropy, of, &self.program.types);
                    let rest = scalar::truncate(!mask, int.bits());
                    operands[0] = self.with_constant(body, of, Operator::BitAnd, &left, mask)?;
                    operands[1] =
                        self.with_constant(body, of, Operator::BitAnd, &operands[1], rest)?;
                } else {
                    let others = self.in_new_local(body, of, Rvalue::Not(left.clone()))?;
                    let right = self.as_copy(&operands[1]);
                    let rest = Rvalue::Binary(Operator::BitAnd, others, right);
                    operands[1] = self.in_new_local(body, of, rest)?;
                    operands[0] = left;
                }
            }
            _ => {}
        }
        Some(())
    }

    /// The operand as a copy, so that it can be read several times.
    fn as_copy(&self, operand: &Operand) -> Operand {
        match operand {
            Operand::Move(place) => Operand::Copy(place.clone()),
            operand => operand.clone(),
        }
    }

    /// The result of an operator on an operand and a constant of the same type, in a new local.
    fn with_constant(
        &mut self,
        body: &mut Body,
        of: TypeId,
        operator: Operator,
        operand: &Operand,
        bits: u128,
    ) -> Option<Operand> {
        let left = self.as_copy(operand);
        self.in_new_local(body, of, Rvalue::Binary(operator, left, Operand::constant(of, bits)))
    }

    /// A divisor that is neither zero nor minus one: small, or large and positive, or negative.
    fn divisor(
        &mut self,
        body: &mut Body,
        of: TypeId,
        int: Int,
        operand: &Operand,
    ) -> Option<Operand> {
        let width = int.bits() - u32::from(int.signed);
        let width = match self.entropy.below(3) {
            0 => width,
            _ => self.entropy.between(2, 4) as u32,
        };
        let low = Self::low_bits(int, width);
        let low = self.with_constant(body, of, Operator::BitAnd, operand, low)?;
        let bit = 1 << self.entropy.below(2);
        let by = self.with_constant(body, of, Operator::BitOr, &low, bit)?;
        if int.signed && self.entropy.chance(1, 3) {
            // At least two, so that its negation is not minus one.
            let large = self.with_constant(body, of, Operator::BitOr, &by, 2)?;
            return self.in_new_local(body, of, Rvalue::Negate(large));
        }
        Some(by)
    }

    /// A float in the range of an integer type: from a place, or converted from a small integer.
    pub(super) fn convertible(
        &mut self,
        body: &mut Body,
        of: TypeId,
        into: TypeId,
    ) -> Option<Operand> {
        let Kind::Float(kind) = *self.program.types.kind(of) else { return None };
        let int = self.program.types.as_int(into)?;
        if body.loops == 0
            && let Some(place) = self.pick(body, of, Purpose::Read)
            && let Some(bits) = self.known_bits(body, &place)
            && super::super::float::to_int(kind, int, Some(bits)).is_some()
        {
            return Some(Operand::Copy(place));
        }
        let from = self.pick_type(|types, it| types.as_int(it).is_some())?;
        let signed = self.program.types.as_int(from)?.signed;
        let (small, _) = self.opaque_below(body, from, 0x7f)?;
        let mut float = self.in_new_local(body, of, Rvalue::Cast(small, of))?;
        let parts = [0.75, 0.5, 1.0 / 3.0, 0.99];
        let part = self.entropy.pick(&parts).copied()?;
        let part = if int.signed && signed && self.entropy.chance(1, 2) { -part } else { part };
        let bits = match kind {
            Float::F32 => u128::from((part as f32).to_bits()),
            Float::F64 => u128::from(f64::to_bits(part)),
        };
        if self.entropy.chance(2, 3) {
            let part = Operand::constant(of, bits);
            float = self.in_new_local(body, of, Rvalue::Binary(Operator::Mul, float, part))?;
        }
        Some(float)
    }

    /// A number of elements that is in bounds for all pointers, mostly opaque to the compiler.
    pub(super) fn count(&mut self, body: &mut Body, pointers: &[&Operand]) -> Option<Operand> {
        let mut most = 64;
        for pointer in pointers {
            let place = pointer.place()?;
            let scope = body.scope(&self.program.types);
            let (back, forth) = self.interpreter.room(scope, &body.frame, place)?;
            if back < 0 {
                return None;
            }
            most = most.min(u64::try_from(forth).ok()?);
        }
        if most > 1 && self.entropy.chance(4, 5) {
            return self.opaque_below(body, Types::USIZE, most).map(|(count, _)| count);
        }
        let count = self.entropy.between(u64::from(most > 0), most);
        Some(Operand::constant(Types::USIZE, u128::from(count)))
    }
}
