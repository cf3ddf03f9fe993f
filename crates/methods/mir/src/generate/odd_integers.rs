//! Integers of unusual widths: values masked to 24, 33, 48 or 65 bits and extended again, fields that are packed into a
//! word and unpacked, bytes that are combined into a number, arithmetic on 128 bits.

use super::super::intrinsic::Intrinsic;
use super::super::program::{Callee, Operand, Operator, Place, Projection, Rvalue};
use super::super::scalar;
use super::super::types::{Int, Kind, TypeId, Types, Width};
use super::Generator;
use super::body::Body;
use super::function_builder::FunctionBuilder;

/// Printed lines that this shape needs.
const ROOM: i64 = 50;

/// Widths that no type has.
const ODD: [u32; 12] = [3, 7, 12, 17, 21, 24, 31, 33, 48, 65, 96, 127];

const ARITHMETIC: [Operator; 6] = [
    Operator::Add,
    Operator::Sub,
    Operator::Mul,
    Operator::BitXor,
    Operator::BitAnd,
    Operator::BitOr,
];

/// A function on integers under construction, with the available values of the working type and their widths in bits.
struct Widths {
    builder: FunctionBuilder,
    of: TypeId,
    int: Int,
    values: Vec<(Operand, u32)>,
}

impl Widths {
    fn constant(&self, bits: u128) -> Operand {
        Operand::constant(self.of, scalar::truncate(bits, self.int.bits()))
    }

    fn binary(&mut self, operator: Operator, left: Operand, right: Operand) -> Operand {
        self.builder.value(self.of, Rvalue::Binary(operator, left, right))
    }

    fn with(&mut self, operator: Operator, left: Operand, right: u128) -> Operand {
        let right = self.constant(right);
        self.binary(operator, left, right)
    }

    /// The low bits of a value.
    fn low(&mut self, value: Operand, width: u32) -> Operand {
        self.with(Operator::BitAnd, value, scalar::truncate(u128::MAX, width))
    }
}

impl Generator<'_> {
    pub(super) fn odd_integers(&mut self, body: &mut Body) {
        if body.loops > 0
            || self.restricted
            || self.in_cleanup
            || self.lines_left - body.lines < ROOM
        {
            return self.switch(body);
        }
        let snapshot = self.snapshot(body);
        if self.try_odd_integers(body).is_none() {
            self.restore(body, snapshot);
        }
    }

    fn try_odd_integers(&mut self, body: &mut Body) -> Option<()> {
        let width = match self.entropy.below(4) {
            0 => Width::W32,
            1 => Width::W64,
            _ => Width::W128,
        };
        let signed = self.entropy.chance(1, 3);
        let of = self.int_type(signed, width);
        let number = self.write_odd(of)?;
        let mut recorded = vec![];
        for _ in 0..self.entropy.between(1, 2) {
            let mut arguments = vec![];
            for _ in 0..2 {
                arguments.push(match self.entropy.below(4) {
                    0 => self.constant_of(of),
                    _ => self.run_time_value(body, of)?,
                });
            }
            arguments.push(self.run_time_value(body, Types::U32)?);
            let result = Place::local(self.new_local(body, of));
            let unwind = self.unwind(body);
            let callee = Callee::Function(number, vec![]);
            self.call(body, callee, arguments, result.clone(), unwind).then_some(())?;
            recorded.push(result);
        }
        self.record_places(body, &recorded)
    }

    /// `fn(x, y, count) -> …`.
    fn write_odd(&mut self, of: TypeId) -> Option<usize> {
        let int = self.program.types.as_int(of)?;
        let builder = FunctionBuilder::new(&[of, of, of, Types::U32]);
        let mut widths = Widths { builder, of, int, values: vec![] };
        for parameter in [1, 2] {
            let width = self.odd_width(int.bits());
            let low = widths.low(Operand::local(parameter), width);
            widths.values.push((low, width));
        }
        for _ in 0..self.entropy.between(3, 6) {
            let at = self.entropy.below(widths.values.len() as u64) as usize;
            let (value, width) = widths.values[at].clone();
            match self.entropy.below(12) {
                0 | 1 => self.sign_extended(&mut widths, value, width),
                2 | 3 => self.packed_fields(&mut widths),
                4 => self.inserted_field(&mut widths, value, width),
                5 => self.by_bytes(&mut widths, &value, width),
                6 => self.wide_product(&mut widths, value),
                7 => self.divided(&mut widths, value),
                8 => self.rotated(&mut widths, value, width),
                9 => self.through_char(&mut widths, value),
                10 => self.carried(&mut widths, value),
                _ => self.arithmetic_of_width(&mut widths, value, width),
            }
        }
        let mut result = Operand::local(1);
        for (value, _) in widths.values.clone() {
            let operators = [Operator::BitXor, Operator::Add, Operator::Sub];
            let operator = self.entropy.pick(&operators).copied()?;
            result = widths.binary(operator, result, value);
        }
        widths.builder.set(0, Rvalue::Use(result));
        Some(widths.builder.finish(self, 1))
    }

    /// A width below that of a type.
    fn odd_width(&mut self, bits: u32) -> u32 {
        let fitting: Vec<u32> = ODD.iter().copied().filter(|width| *width < bits).collect();
        self.entropy.pick(&fitting).copied().unwrap_or(7)
    }

    /// Sign extension from an odd width: by two shifts, or by xor and subtraction.
    fn sign_extended(&mut self, widths: &mut Widths, value: Operand, width: u32) {
        let bits = widths.int.bits();
        let width = width.clamp(1, bits - 1);
        let extended = if self.entropy.chance(1, 3) {
            let sign = 1_u128 << (width - 1);
            let flipped = widths.with(Operator::BitXor, value, sign);
            widths.with(Operator::Sub, flipped, sign)
        } else {
            let signed = self.int_type(true, widths.int.width);
            let up = widths.with(Operator::Shl, value, u128::from(bits - width));
            let up = widths.builder.cast(up, widths.of, signed);
            let by = Operand::constant(Types::U32, u128::from(bits - width));
            let down = Rvalue::Binary(Operator::Shr, up, by);
            let down = widths.builder.value(signed, down);
            widths.builder.cast(down, signed, widths.of)
        };
        widths.values.push((extended, bits));
    }

    /// Packs bit fields into one word, and extracts them again.
    fn packed_fields(&mut self, widths: &mut Widths) {
        let bits = widths.int.bits();
        let mut word: Option<Operand> = None;
        let mut places = vec![];
        let mut offset = 0;
        for _ in 0..self.entropy.between(2, 4) {
            let at = self.entropy.below(widths.values.len() as u64) as usize;
            let value = widths.values[at].0.clone();
            let width = self.odd_width(bits.min(66)).min(bits - offset);
            if width == 0 {
                break;
            }
            let field = widths.low(value, width);
            let moved = widths.with(Operator::Shl, field, offset.into());
            word = Some(match word {
                Some(word) => {
                    let operator =
                        if self.entropy.chance(2, 3) { Operator::BitOr } else { Operator::Add };
                    widths.binary(operator, word, moved)
                }
                None => moved,
            });
            places.push((offset, width));
            offset += width;
        }
        let Some(word) = word else { return };
        for (offset, width) in places {
            if self.entropy.chance(2, 3) {
                let down = widths.with(Operator::Shr, word.clone(), offset.into());
                let field = widths.low(down, width);
                widths.values.push((field, width));
            }
        }
        widths.values.push((word, bits));
    }

    /// Replaces one bit field of a word.
    fn inserted_field(&mut self, widths: &mut Widths, value: Operand, width: u32) {
        let bits = widths.int.bits();
        let width = width.clamp(1, bits - 1);
        let offset = self.entropy.below(u64::from(bits - width) + 1) as u32;
        let mask = scalar::truncate(u128::MAX, width) << offset;
        let low = widths.low(value, width);
        let moved = widths.with(Operator::Shl, low, offset.into());
        let rest = widths.with(Operator::BitAnd, Operand::local(2), !mask);
        let word = widths.binary(Operator::BitOr, rest, moved);
        widths.values.push((word, bits));
    }

    /// Stores the bytes of a number one by one, and combines them again in the same or reversed order.
    fn by_bytes(&mut self, widths: &mut Widths, value: &Operand, width: u32) {
        let count = u64::from(width.div_ceil(8)).clamp(2, u64::from(widths.int.bits() / 8).min(8));
        let array = self.program.types.intern(Kind::Array(Types::U8, count));
        let bytes = Place::local(widths.builder.local(array));
        for number in 0..count {
            let down = widths.with(Operator::Shr, value.clone(), (8 * number).into());
            let byte = widths.builder.cast(down, widths.of, Types::U8);
            let at = widths.builder.index(number);
            widths.builder.assign(bytes.then(at), Rvalue::Use(byte));
        }
        let swapped = self.entropy.chance(1, 2);
        let mut whole: Option<Operand> = None;
        for number in 0..count {
            let at = widths.builder.index(if swapped { count - 1 - number } else { number });
            let byte = Operand::Copy(bytes.then(at));
            let byte = widths.builder.cast(byte, Types::U8, widths.of);
            let up = widths.with(Operator::Shl, byte, (8 * number).into());
            whole = Some(match whole {
                Some(whole) => widths.binary(Operator::BitOr, whole, up),
                None => up,
            });
        }
        widths.values.extend(whole.map(|whole| (whole, 8 * count as u32)));
    }

    /// The high or low half of a product, or a part in between.
    fn wide_product(&mut self, widths: &mut Widths, value: Operand) {
        let wide = self.int_type(widths.int.signed, Width::W128);
        let left = widths.builder.cast(value, widths.of, wide);
        let right = widths.builder.cast(Operand::local(2), widths.of, wide);
        let product = widths.builder.value(wide, Rvalue::Binary(Operator::Mul, left, right));
        let by = [0, 24, 32, 63, 64, 65, 96];
        let by = self.entropy.pick(&by).copied().unwrap_or(64);
        let by = Operand::constant(Types::U32, by);
        let part = widths.builder.value(wide, Rvalue::Binary(Operator::Shr, product, by));
        let part = widths.builder.cast(part, wide, widths.of);
        let bits = widths.int.bits();
        widths.values.push((part, bits));
    }

    /// A quotient or remainder. The divisor is a constant or a number of 24 bits with the lowest set, so neither zero
    /// nor minus one.
    fn divided(&mut self, widths: &mut Widths, value: Operand) {
        let operator = if self.entropy.chance(1, 2) { Operator::Div } else { Operator::Rem };
        let by = if self.entropy.chance(1, 2) {
            let constants = [3, 7, 10, 255, 1000, (1 << 24) - 1, 1 << 20];
            widths.constant(self.entropy.pick(&constants).copied().unwrap_or(10))
        } else {
            let low = widths.low(Operand::local(2), 24);
            widths.with(Operator::BitOr, low, 1)
        };
        let result = widths.binary(operator, value, by);
        let bits = widths.int.bits();
        widths.values.push((result, bits));
    }

    /// A rotation within an odd width, by a run-time amount.
    fn rotated(&mut self, widths: &mut Widths, value: Operand, width: u32) {
        let width = width.clamp(1, widths.int.bits() - 1);
        let low = widths.low(value, width);
        let most = Operand::constant(Types::U32, width.into());
        let rem = Rvalue::Binary(Operator::Rem, Operand::local(3), most.clone());
        let by = widths.builder.value(Types::U32, rem);
        let rest = Rvalue::Binary(Operator::Sub, most, by.clone());
        let rest = widths.builder.value(Types::U32, rest);
        let up = widths.binary(Operator::Shl, low.clone(), by);
        let down = widths.binary(Operator::Shr, low, rest);
        let both = widths.binary(Operator::BitOr, up, down);
        let rotated = widths.low(both, width);
        widths.values.push((rotated, width));
    }

    /// A byte as `char` and back, or a code point split into UTF-16 surrogates and combined again.
    fn through_char(&mut self, widths: &mut Widths, value: Operand) {
        if self.entropy.chance(1, 2) {
            let byte = widths.builder.cast(value, widths.of, Types::U8);
            let letter = widths.builder.value(Types::CHAR, Rvalue::Cast(byte, Types::CHAR));
            let code = widths.builder.value(widths.of, Rvalue::Cast(letter, widths.of));
            widths.values.push((code, 8));
            return;
        }
        let code = widths.low(value, 20);
        let high = widths.with(Operator::Shr, code.clone(), 10);
        let high = widths.with(Operator::BitOr, high, 0xd800);
        let low = widths.low(code, 10);
        let low = widths.with(Operator::Add, low, 0xdc00);
        let high = widths.with(Operator::Sub, high, 0xd800);
        let high = widths.with(Operator::Shl, high, 10);
        let low = widths.with(Operator::Sub, low, 0xdc00);
        let both = widths.binary(Operator::Add, high, low);
        let code = widths.with(Operator::Add, both, 0x1_0000);
        widths.values.push((code, 21));
    }

    /// A sum and its carry, or a difference and its borrow.
    fn carried(&mut self, widths: &mut Widths, value: Operand) {
        let pair = self.program.types.intern(Kind::Tuple(vec![widths.of, Types::BOOL]));
        let both = vec![value, Operand::local(2)];
        let intrinsics = [Intrinsic::AddOverflow, Intrinsic::SubOverflow];
        let intrinsic = self.entropy.pick(&intrinsics).copied().unwrap_or(Intrinsic::AddOverflow);
        let Some(pair) = widths.builder.intrinsic(intrinsic, both, pair).place().cloned() else {
            return;
        };
        let carry = Operand::Copy(pair.then(Projection::Field(1)));
        let carry = widths.builder.value(widths.of, Rvalue::Cast(carry, widths.of));
        let sum = Operand::Copy(pair.then(Projection::Field(0)));
        let (bits, total) = (widths.int.bits(), widths.binary(Operator::Add, sum, carry));
        widths.values.push((total, bits));
    }

    /// Arithmetic truncated to the width, a comparison, or a shift by a run-time amount.
    fn arithmetic_of_width(&mut self, widths: &mut Widths, value: Operand, width: u32) {
        let at = self.entropy.below(widths.values.len() as u64) as usize;
        let other = widths.values[at].0.clone();
        match self.entropy.below(4) {
            0 => {
                let operators = [Operator::Lt, Operator::Ge, Operator::Eq];
                let operator = self.entropy.pick(&operators).copied().unwrap_or(Operator::Lt);
                let less = Rvalue::Binary(operator, value, other);
                let less = widths.builder.value(Types::BOOL, less);
                let number = widths.builder.value(widths.of, Rvalue::Cast(less, widths.of));
                widths.values.push((number, 1));
            }
            1 => {
                let most = u128::from(widths.int.bits()) - 1;
                let most = Operand::constant(Types::U32, most);
                let by = Rvalue::Binary(Operator::BitAnd, Operand::local(3), most);
                let by = widths.builder.value(Types::U32, by);
                let operator =
                    if self.entropy.chance(1, 2) { Operator::Shl } else { Operator::Shr };
                let shifted = widths.binary(operator, value, by);
                let shifted = widths.low(shifted, width);
                widths.values.push((shifted, width));
            }
            _ => {
                let operator = self.entropy.pick(&ARITHMETIC).copied().unwrap_or(Operator::Add);
                let result = widths.binary(operator, value, other);
                let result = widths.low(result, width);
                widths.values.push((result, width));
            }
        }
    }
}
