//! Numbers that the generator knows and the compiler does not: computed from the value of a place, and bounded so
//! that they stay in range when that value changes.

use super::super::program::{Operand, Operator, Place, Rvalue};
use super::super::scalar;
use super::super::types::{Int, TypeId, Types};
use super::Generator;
use super::body::Body;
use super::places::Purpose;

impl Generator<'_> {
    /// A value in a new local.
    pub(super) fn in_new_local(
        &mut self,
        body: &mut Body,
        of: TypeId,
        rvalue: Rvalue,
    ) -> Option<Operand> {
        let local = self.new_local(body, of);
        self.assign(body, Place::local(local), rvalue).then(|| Operand::local(local))
    }

    /// The same in a local that is not offered to other statements.
    pub(super) fn in_private_local(
        &mut self,
        body: &mut Body,
        of: TypeId,
        rvalue: Rvalue,
    ) -> Option<Operand> {
        self.interpreter.add_local(&self.program.types, &mut body.frame, of, true);
        let local = body.declare(of);
        self.assign(body, Place::local(local), rvalue).then(|| Operand::local(local))
    }

    /// The value of an integer operand.
    pub(super) fn value_of(&self, body: &Body, operand: &Operand) -> Option<u128> {
        match operand {
            Operand::Constant(constant) => Some(constant.bits),
            operand => self.known_bits(body, operand.place()?),
        }
    }

    /// An integer of a type in some place, whose value is known.
    pub(super) fn known_int(&mut self, body: &mut Body, of: TypeId) -> Option<(Operand, u128)> {
        if let Some(place) = self.pick(body, of, Purpose::Read)
            && let Some(bits) = self.known_bits(body, &place)
        {
            return Some((Operand::Copy(place), bits));
        }
        // A cast from another integer type.
        let from = self.pick_type(|types, it| it != of && types.as_int(it).is_some())?;
        let place = self.pick(body, from, Purpose::Read)?;
        self.known_bits(body, &place)?;
        let cast = self.in_new_local(body, of, Rvalue::Cast(Operand::Copy(place), of))?;
        let bits = self.value_of(body, &cast)?;
        Some((cast, bits))
    }

    /// A number from 0 to a bound, preferably not 0, and its current value. It stays in that range whatever the place
    /// that it is computed from holds later.
    pub(super) fn opaque_below(
        &mut self,
        body: &mut Body,
        of: TypeId,
        most: u64,
    ) -> Option<(Operand, u64)> {
        if most == 0 {
            return None;
        }
        let (from, bits) = self.known_int(body, of)?;
        let int = self.program.types.as_int(of)?;
        let whole = u128::from(most) + 1;
        let (operator, right) = if !int.signed && self.entropy.chance(1, 3) {
            (Operator::Rem, whole)
        } else {
            // The largest mask of low bits within the bound.
            (Operator::BitAnd, (1 << (127 - whole.leading_zeros())) - 1)
        };
        let value = match operator {
            Operator::Rem => bits % right,
            _ => bits & right,
        };
        let right = Operand::constant(of, right);
        let local = self.in_new_local(body, of, Rvalue::Binary(operator, from, right))?;
        if value > 0 || self.entropy.chance(1, 8) {
            return Some((local, value as u64));
        }
        // The value is 0: a permutation of the range makes it nonzero now.
        let (other, now) = match operator {
            Operator::Rem => {
                let most = Operand::constant(of, u128::from(most));
                (Rvalue::Binary(Operator::Sub, most, local), whole as u64 - 1)
            }
            _ => (Rvalue::Binary(Operator::BitXor, local, Operand::constant(of, 1)), 1),
        };
        Some((self.in_new_local(body, of, other)?, now))
    }

    /// A given number, computed from a known value: correct only as long as that value does not change.
    pub(super) fn opaque_exactly(
        &mut self,
        body: &mut Body,
        of: TypeId,
        wanted: u128,
    ) -> Option<Operand> {
        let int = self.program.types.as_int(of)?;
        if body.loops > 0 {
            return Some(Operand::constant(of, wanted));
        }
        let (from, bits) = self.known_int(body, of)?;
        let (operator, right) = match self.entropy.below(3) {
            0 => (Operator::BitXor, bits ^ wanted),
            1 => (Operator::Add, wanted.wrapping_sub(bits)),
            _ => (Operator::Sub, bits.wrapping_sub(wanted)),
        };
        let right = Operand::constant(of, scalar::truncate(right, int.bits()));
        self.in_new_local(body, of, Rvalue::Binary(operator, from, right))
    }

    /// The bits of an `isize`.
    pub(super) fn distance(by: i64) -> u128 {
        u128::from(by.cast_unsigned())
    }

    /// The negation of an `isize`.
    pub(super) fn backwards(&mut self, body: &mut Body, by: Operand) -> Option<Operand> {
        let back = if self.entropy.chance(1, 2) {
            Rvalue::Negate(by)
        } else {
            Rvalue::Binary(Operator::Sub, Operand::constant(Types::ISIZE, 0), by)
        };
        self.in_new_local(body, Types::ISIZE, back)
    }

    /// A mask of the low `count` bits of an integer type.
    pub(super) fn low_bits(int: Int, count: u32) -> u128 {
        scalar::truncate(u128::MAX, count.min(int.bits()))
    }
}
