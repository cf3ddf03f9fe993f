//! The functions of the sample that the first one calls.

use super::maker::{FunctionMaker, at, copy, number};
use crate::intrinsic::{Family, Intrinsic};
use crate::program::Projection::{Deref, Field};
use crate::program::{
    Callee, Constant, Function, Named, Operand, Operator, Place, Reason, Rvalue, Terminator, Unwind,
};
use crate::types::{Kind, TypeId, Types};

/// A function that panics, and drops a value while it unwinds.
pub(super) fn panics(owner: TypeId, to_u32: TypeId) -> Function {
    let mut maker = FunctionMaker::new(Types::UNIT, &[to_u32, Types::U32]);
    let parts = vec![Operand::Move(at(1, &[])), copy(2)];
    let owned = maker.value(owner, Rvalue::Aggregate(owner, 0, parts));
    let unit = maker.local(Types::UNIT);
    let arms = vec![(0, 4)];
    maker.end(Terminator::Switch { on: copy(2), arms, otherwise: 1 });
    maker.call_into(Callee::Raise, vec![], Place::local(unit), Unwind::Cleanup(2));
    let drop = Terminator::Drop {
        place: at(owned, &[]),
        target: 3,
        unwind: Unwind::Terminate(Reason::InCleanup),
    };
    maker.end_as(drop, true);
    maker.end_as(Terminator::Resume, true);
    let drop = Terminator::Drop { place: at(owned, &[]), target: 5, unwind: Unwind::Continue };
    maker.end(drop);
    // The call of `Raise` never returns, but its target must not be the cleanup block that follows.
    if let Terminator::Call { target, .. } = &mut maker.function.blocks[1].terminator {
        *target = 6;
    }
    maker.end(Terminator::Return);
    maker.end(Terminator::Unreachable);
    maker.function.debug = vec![
        Named::Place(at(1, &[Deref])),
        Named::Place(at(owned, &[Field(1)])),
        Named::Constant(Constant { of: Types::U8, bits: 7 }),
    ];
    maker.function
}

/// A function that calls all intrinsics.
pub(super) fn all_intrinsics(types: &mut Types) -> Function {
    let mut maker = FunctionMaker::new(Types::UNIT, &[]);
    let overflow = types.intern(Kind::Tuple(vec![Types::U32, Types::BOOL]));
    let mutable = types.intern(Kind::Pointer { mutable: true, to: Types::U32 });
    let constant = types.intern(Kind::Pointer { mutable: false, to: Types::U32 });
    let bytes = types.intern(Kind::Pointer { mutable: false, to: Types::U8 });
    let row = types.intern(Kind::Array(Types::U32, 4));
    let to_row = types.intern(Kind::Pointer { mutable: true, to: row });
    let parts = (0..4).map(|index| number(Types::U32, 0x0102_0304 << index)).collect();
    let row = maker.value(row, Rvalue::Aggregate(row, 0, parts));
    let pointer = maker.value(to_row, Rvalue::AddressOf(true, at(row, &[])));
    let first = maker.value(mutable, Rvalue::PointerCast(copy(pointer), mutable));
    let second = maker.value(mutable, Rvalue::Offset(copy(first), number(Types::USIZE, 2)));
    let read = maker.value(constant, Rvalue::Cast(copy(second), constant));
    let start = maker.value(constant, Rvalue::Cast(copy(first), constant));
    let byte = maker.value(bytes, Rvalue::PointerCast(copy(read), bytes));
    let other = maker.value(bytes, Rvalue::PointerCast(copy(start), bytes));
    for intrinsic in Intrinsic::ALL {
        let word = |bits| number(Types::U32, bits);
        let float = |number: f64| Operand::constant(Types::F64, u128::from(number.to_bits()));
        let count = number(Types::USIZE, 1);
        let (arguments, of) = match intrinsic.family() {
            Family::IntToInt | Family::IntToU32 => (vec![word(0x12_3000)], Types::U32),
            Family::Rotate | Family::Shift => (vec![word(0x8000_0001), word(3)], Types::U32),
            Family::IntInt => (vec![word(12), word(3)], Types::U32),
            Family::Overflow => (vec![word(3), word(4)], overflow),
            Family::Select => (vec![number(Types::BOOL, 1), word(3), word(4)], Types::U32),
            Family::Copy => (vec![copy(start), copy(second), count], Types::UNIT),
            Family::WriteBytes => (vec![copy(second), number(Types::U8, 0x5a), count], Types::UNIT),
            Family::CompareBytes => {
                (vec![copy(byte), copy(other), number(Types::USIZE, 4)], Types::I32)
            }
            Family::Swap => (vec![copy(first), copy(second)], Types::UNIT),
            Family::Load => (vec![copy(read)], Types::U32),
            Family::Store => (vec![copy(second), word(99)], Types::UNIT),
            Family::ArithOffset => (vec![copy(read), number(Types::ISIZE, 1)], constant),
            Family::OffsetFrom => (vec![copy(read), copy(start)], Types::ISIZE),
            Family::Float => (vec![float(6.25)], Types::F64),
            Family::FloatFloat => (vec![float(6.25), float(-1.0)], Types::F64),
            Family::FloatFloatFloat => (vec![float(6.25), float(-1.0), float(1e300)], Types::F64),
            Family::FloatToInt => (vec![float(6.25)], Types::I32),
            Family::Bool => (vec![number(Types::BOOL, 1)], Types::BOOL),
        };
        let result = maker.call(Callee::Intrinsic(intrinsic), arguments, of);
        if types.is_scalar(of) {
            maker.record(&[at(result, &[])]);
        } else if of == overflow {
            maker.record(&[at(result, &[Field(0)]), at(result, &[Field(1)])]);
        }
    }
    maker.finish()
}

/// Branches that join, and loops with several exits.
pub(super) fn branches() -> Function {
    let mut maker = FunctionMaker::new(Types::U32, &[Types::U32]);
    let word = |bits| number(Types::U32, bits);
    let steps = maker.local(Types::U32);
    let inner = maker.local(Types::U32);
    let flag = |maker: &mut FunctionMaker, rvalue| copy(maker.value(Types::BOOL, rvalue));
    let plus = |local, bits| Rvalue::Binary(Operator::Add, copy(local), word(bits));
    let test = |operator, local, bits| Rvalue::Binary(operator, copy(local), word(bits));
    // 0: branches to 1, 2 or 3, which join in 5, partly through 4.
    maker.set(at(0, &[]), Rvalue::Use(word(0)));
    maker.end(Terminator::Switch { on: copy(1), arms: vec![(0, 1), (1, 2)], otherwise: 3 });
    maker.set(at(0, &[]), plus(0, 1));
    maker.end(Terminator::Goto(4));
    maker.set(at(0, &[]), plus(0, 2));
    maker.end(Terminator::Goto(5));
    maker.set(at(0, &[]), plus(0, 3));
    maker.end(Terminator::Goto(4));
    maker.set(at(0, &[]), plus(0, 10));
    maker.end(Terminator::Goto(5));
    // 5: the preheader; 6: the loop header; 7: the loop body; 8: an inner loop; 9 and 10: exits.
    maker.set(at(steps, &[]), Rvalue::Use(copy(1)));
    maker.end(Terminator::Goto(6));
    let on = flag(&mut maker, test(Operator::Lt, steps, 4));
    maker.end(Terminator::Switch { on, arms: vec![(0, 11)], otherwise: 7 });
    maker.set(at(steps, &[]), plus(steps, 1));
    maker.set(at(inner, &[]), Rvalue::Use(word(0)));
    maker.end(Terminator::Goto(8));
    maker.set(at(inner, &[]), plus(inner, 1));
    maker.set(at(0, &[]), Rvalue::Binary(Operator::Mul, copy(0), word(3)));
    let on = flag(&mut maker, test(Operator::Eq, inner, 2));
    maker.end(Terminator::Switch { on, arms: vec![(1, 9)], otherwise: 10 });
    let on = flag(&mut maker, test(Operator::Gt, 0, 5000));
    maker.end(Terminator::Switch { on, arms: vec![(1, 12)], otherwise: 6 });
    let on = flag(&mut maker, test(Operator::Gt, 0, 900));
    maker.end(Terminator::Switch { on, arms: vec![(1, 6)], otherwise: 8 });
    maker.set(at(0, &[]), plus(0, 100));
    maker.end(Terminator::Goto(13));
    maker.set(at(0, &[]), plus(0, 1000));
    maker.end(Terminator::Goto(13));
    maker.finish()
}
