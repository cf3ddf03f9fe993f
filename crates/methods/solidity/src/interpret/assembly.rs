//! Inline assembly: instructions on words.

use ruint::aliases::U256;

use super::frame::{Frame, Machine, Stop};
use super::planted::Planted;
use super::value::{Object, Value};
use crate::keccak::keccak_word;
use crate::model::{Assembly, Binary, Instruction, Type, Word};
use crate::word;

impl Machine<'_> {
    pub(super) fn assemble(&mut self, frame: &mut Frame, block: &[Assembly]) -> Result<(), Stop> {
        for statement in block {
            self.step()?;
            if let Assembly::Loop { sum, count, leaves_at, breaks, word } = statement {
                for index in 0..*count {
                    let value = self.word(frame, word)?.wrapping_add(U256::from(index));
                    if index == *leaves_at {
                        if *breaks {
                            break;
                        }
                        continue;
                    }
                    let value =
                        if self.has(Planted::RemovedAssignment) { U256::ZERO } else { value };
                    let old = frame.locals.get_mut(usize::from(*sum)).ok_or(Stop::Broken)?;
                    *old = Value::Word(old.word().wrapping_add(value));
                }
                continue;
            }
            let value = self.word(frame, statement.word())?;
            let removed = self.has(Planted::RemovedWrite)
                && matches!(statement, Assembly::Scratch(..) | Assembly::StoreItem(..));
            let value = if removed { U256::ZERO } else { value };
            match statement {
                Assembly::Set(local, _) | Assembly::Scratch(local, _) => {
                    let local = frame.locals.get_mut(usize::from(*local)).ok_or(Stop::Broken)?;
                    *local = Value::Word(value);
                }
                Assembly::Hash(hashes, _) => {
                    for (local, size) in hashes {
                        let cached = self.has(Planted::CachedHash);
                        let size = if cached { hashes[0].1 } else { *size };
                        let bytes = &value.to_be_bytes::<32>()[..usize::from(size.min(32))];
                        let local =
                            frame.locals.get_mut(usize::from(*local)).ok_or(Stop::Broken)?;
                        *local = Value::Word(keccak_word(bytes));
                    }
                }
                Assembly::Loop { .. } => {}
                Assembly::Stop(_) if value.is_zero() => {}
                Assembly::Stop(_) => return Err(Stop::Finish),
                Assembly::Store(state, _) => {
                    let place = self.state_place(*state);
                    self.set_raw(place.slot, value);
                }
                Assembly::StoreItem(local, index, _) => {
                    let Some(Value::Memory(object)) = frame.locals.get(usize::from(*local)) else {
                        return Err(Stop::Broken);
                    };
                    let Some(Object::Items(items)) = self.memory.get_mut(*object) else {
                        return Err(Stop::Broken);
                    };
                    *items.get_mut(usize::from(*index)).ok_or(Stop::Broken)? = Value::Word(value);
                }
            }
        }
        Ok(())
    }

    fn word(&mut self, frame: &Frame, it: &Word) -> Result<U256, Stop> {
        match it {
            Word::Local(id) => {
                let value = frame.locals.get(usize::from(*id)).map(Value::word);
                let value = value.ok_or(Stop::Broken)?;
                let function = &self.view.template.functions[usize::from(frame.function)];
                Ok(match function.locals.get(usize::from(*id)).map(|it| self.view.ty(it.ty)) {
                    Some(Type::Int(bits)) if self.has(Planted::SignedImmutable) => {
                        word::wrap(value, Type::Uint(bits))
                    }
                    _ => value,
                })
            }
            Word::Number(number) => Ok(*number),
            Word::Load(state) => Ok(self.raw(self.state_place(*state).slot)),
            Word::Apply(instruction, parts) => {
                let mut words = vec![];
                for part in parts {
                    words.push(self.word(frame, part)?);
                }
                Ok(apply(*instruction, &words))
            }
        }
    }
}

/// What an instruction gives for words, the first one on top of the stack.
fn apply(instruction: Instruction, words: &[U256]) -> U256 {
    use Instruction as I;
    let at = |index: usize| words.get(index).copied().unwrap_or_default();
    let (a, b, c) = (at(0), at(1), at(2));
    let truth = |holds: bool| U256::from(u8::from(holds));
    let signed = |op| word::binary(op, a, b, Type::Int(256), false).unwrap_or_default();
    let plain = |op| word::binary(op, a, b, Type::Uint(256), false).unwrap_or_default();
    match instruction {
        I::Add => a.wrapping_add(b),
        I::Sub => a.wrapping_sub(b),
        I::Mul => a.wrapping_mul(b),
        // Division by zero gives zero.
        I::Div => plain(Binary::Div),
        I::Sdiv => signed(Binary::Div),
        I::Mod => plain(Binary::Mod),
        I::Smod => signed(Binary::Mod),
        I::And => a & b,
        I::Or => a | b,
        I::Xor => a ^ b,
        I::Not => !a,
        I::Lt => truth(a < b),
        I::Gt => truth(a > b),
        I::Slt => truth(word::signed_less(a, b)),
        I::Sgt => truth(word::signed_less(b, a)),
        I::Eq => truth(a == b),
        I::Iszero => truth(a.is_zero()),
        I::Byte if a < U256::from(32) => {
            U256::from(b.to_be_bytes::<32>()[a.as_limbs()[0] as usize])
        }
        I::Byte => U256::ZERO,
        I::Addmod if c.is_zero() => U256::ZERO,
        I::Addmod => a.add_mod(b, c),
        I::Mulmod if c.is_zero() => U256::ZERO,
        I::Mulmod => a.mul_mod(b, c),
        I::Shl => word::binary(Binary::Shl, b, a, Type::Uint(256), false).unwrap_or_default(),
        I::Shr => word::binary(Binary::Shr, b, a, Type::Uint(256), false).unwrap_or_default(),
        I::Sar => word::binary(Binary::Shr, b, a, Type::Int(256), false).unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_do_what_the_yellow_paper_says() {
        let n = |value: u64| U256::from(value);
        let minus = |value: u64| U256::ZERO.wrapping_sub(n(value));
        assert_eq!(apply(Instruction::Div, &[n(7), n(0)]), n(0));
        assert_eq!(apply(Instruction::Sdiv, &[minus(7), n(2)]), minus(3));
        assert_eq!(apply(Instruction::Smod, &[minus(7), n(2)]), minus(1));
        assert_eq!(apply(Instruction::Sdiv, &[n(1) << 255, minus(1)]), n(1) << 255);
        assert_eq!(apply(Instruction::Byte, &[n(31), n(0x1234)]), n(0x34));
        assert_eq!(apply(Instruction::Byte, &[n(32), n(0x1234)]), n(0));
        assert_eq!(apply(Instruction::Shl, &[n(4), n(1)]), n(16));
        assert_eq!(apply(Instruction::Sar, &[n(1), minus(4)]), minus(2));
        assert_eq!(apply(Instruction::Shr, &[n(256), minus(4)]), n(0));
        assert_eq!(apply(Instruction::Addmod, &[U256::MAX, n(2), n(5)]), n(2));
        assert_eq!(apply(Instruction::Slt, &[minus(1), n(0)]), n(1));
    }
}
