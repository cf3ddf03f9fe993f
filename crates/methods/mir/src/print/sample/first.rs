//! The first function of the sample. It uses almost every construct, and calls the other functions.

use super::maker::{FunctionMaker, at, copy, number};
use crate::program::Projection::{Deref, Field, Index, Variant};
use crate::program::{Callee, Function, Operand, Operator, Rvalue, Statement, Terminator, Unwind};
use crate::types::{Adt, Kind, Repr, Shape, TypeId, Types, Variant as Case};

pub(super) struct Shapes {
    pub(super) pair: TypeId,
    pub(super) one: TypeId,
    pub(super) plain: TypeId,
    pub(super) union: TypeId,
    pub(super) variants: TypeId,
    pub(super) coded: TypeId,
    pub(super) long: TypeId,
    pub(super) packed: TypeId,
    pub(super) aligned: TypeId,
    pub(super) clear: TypeId,
    pub(super) empty: TypeId,
}

#[expect(clippy::too_many_arguments, reason = "types that the whole program shares")]
pub(super) fn main_function(
    types: &mut Types,
    shapes: &Shapes,
    function: TypeId,
    nested: TypeId,
    heap: TypeId,
    i128: TypeId,
    u128: TypeId,
    i16: TypeId,
    only_plain: bool,
) -> Function {
    let parameters =
        [Types::U32, i16, Types::F32, Types::F64, Types::CHAR, Types::BOOL, i128, u128, Types::F64];
    let mut maker = FunctionMaker::new(Types::BOOL, &parameters);
    maker.set(at(0, &[]), Rvalue::Use(number(Types::BOOL, 0)));
    let mut pointer_to = |mutable, to| types.intern(Kind::Pointer { mutable, to });
    let pair_pointer = pointer_to(true, shapes.pair);
    let pair_constant = pointer_to(false, shapes.pair);
    let slice = types.intern(Kind::Slice(Types::U8));
    let bytes = types.intern(Kind::Array(Types::U8, 4));
    let wide = types.intern(Kind::Pointer { mutable: false, to: slice });
    let wide_mut = types.intern(Kind::Pointer { mutable: true, to: slice });
    let wide_ref = types.intern(Kind::Reference { mutable: false, to: slice });
    let to_bytes = types.intern(Kind::Pointer { mutable: true, to: bytes });
    let ref_bytes = types.intern(Kind::Reference { mutable: false, to: bytes });
    let to_u32 = types.intern(Kind::Reference { mutable: true, to: Types::U32 });
    let ref_u32 = types.intern(Kind::Reference { mutable: false, to: Types::U32 });
    let raw_u64 = types.intern(Kind::Pointer { mutable: true, to: Types::U64 });
    let raw_bool = types.intern(Kind::Pointer { mutable: true, to: Types::BOOL });
    let ref_plain = types.intern(Kind::Reference { mutable: false, to: shapes.plain });
    let ref_f32 = types.intern(Kind::Reference { mutable: false, to: Types::F32 });
    let checked = types.intern(Kind::Tuple(vec![Types::U32, Types::BOOL]));
    let array = types.intern(Kind::Array(shapes.pair, 3));
    let unit_pair = types.intern(Kind::Tuple(vec![Types::U8, Types::UNIT]));

    // The parameters, and all casts.
    maker.record(&[at(1, &[]), at(2, &[]), at(3, &[]), at(4, &[])]);
    maker.record(&[at(5, &[]), at(6, &[]), at(7, &[])]);
    maker.record(&[at(8, &[]), at(9, &[])]);
    for (from, to) in [
        (1, i16),
        (2, Types::U64),
        (2, u128),
        (3, Types::F64),
        (3, Types::U8),
        (4, Types::F32),
        (9, i128),
        (5, Types::U8),
        (6, Types::I32),
        (1, Types::F64),
    ] {
        let cast = maker.value(to, Rvalue::Cast(copy(from), to));
        maker.record(&[at(cast, &[])]);
    }
    let byte = maker.value(Types::U8, Rvalue::Use(number(Types::U8, 0x41)));
    let letter = maker.value(Types::CHAR, Rvalue::Cast(copy(byte), Types::CHAR));
    let sent = maker.value(Types::CHAR, Rvalue::Use(number(Types::CHAR, 0x27)));
    let bits = maker.value(Types::U32, Rvalue::Transmute(copy(3), Types::U32));
    maker.record(&[at(letter, &[]), at(sent, &[]), at(bits, &[])]);
    // All operators.
    for operator in [
        Operator::Add,
        Operator::Sub,
        Operator::Mul,
        Operator::Div,
        Operator::Rem,
        Operator::BitAnd,
        Operator::BitOr,
        Operator::BitXor,
        Operator::Shl,
        Operator::Shr,
        Operator::Eq,
        Operator::Ne,
        Operator::Lt,
        Operator::Le,
        Operator::Gt,
        Operator::Ge,
    ] {
        let of = if operator.compares() { Types::BOOL } else { i16 };
        let minus = number(i16, 0xffff);
        let result = maker.value(of, Rvalue::Binary(operator, copy(2), minus));
        maker.record(&[at(result, &[])]);
    }
    let negated = maker.value(i16, Rvalue::Negate(number(i16, 0xfffb)));
    let inverted = maker.value(i16, Rvalue::Not(number(i16, 0xfffb)));
    let not = maker.value(Types::BOOL, Rvalue::Not(copy(6)));
    let float = maker.value(Types::F64, Rvalue::Negate(copy(4)));
    maker.record(&[at(negated, &[]), at(inverted, &[]), at(not, &[]), at(float, &[])]);
    for operator in [Operator::Add, Operator::Sub, Operator::Mul] {
        let result = maker
            .value(checked, Rvalue::Checked(operator, copy(1), number(Types::U32, 0x9000_0000)));
        maker.record(&[at(result, &[Field(0)]), at(result, &[Field(1)])]);
    }
    for bits in [f64::MAX, 5e-324, f64::NEG_INFINITY, 0.1] {
        let bits = u128::from(bits.to_bits());
        let float = maker.value(Types::F64, Rvalue::Use(number(Types::F64, bits)));
        maker.record(&[at(float, &[])]);
    }
    for bits in [f32::MAX, f32::MIN_POSITIVE, 0.1, -0.0, f32::INFINITY] {
        let bits = u128::from(bits.to_bits());
        let float = maker.value(Types::F32, Rvalue::Use(number(Types::F32, bits)));
        maker.record(&[at(float, &[])]);
    }
    let nan = maker.value(Types::F32, Rvalue::Use(number(Types::F32, 0x7fc0_0000)));
    let is = Rvalue::Binary(Operator::Ne, copy(nan), copy(nan));
    let is_nan = maker.value(Types::BOOL, is);
    let least = maker.value(i128, Rvalue::Use(number(i128, 1 << 127)));
    let most = maker.value(u128, Rvalue::Use(number(u128, u128::MAX)));
    maker.record(&[at(is_nan, &[]), at(least, &[])]);
    maker.record(&[at(most, &[])]);

    // Aggregates, and places inside them.
    let two = vec![copy(byte), copy(2)];
    let pair = maker.value(shapes.pair, Rvalue::Aggregate(shapes.pair, 0, two));
    let one = maker.value(shapes.one, Rvalue::Aggregate(shapes.one, 0, vec![copy(byte)]));
    let unit = maker.value(Types::UNIT, Rvalue::Use(number(Types::UNIT, 0)));
    let two = vec![copy(byte), number(Types::UNIT, 0)];
    maker.value(unit_pair, Rvalue::Aggregate(unit_pair, 0, two));
    maker.value(Types::UNIT, Rvalue::Aggregate(Types::UNIT, 0, vec![]));
    let pairs = maker.value(array, Rvalue::Repeat(copy(pair), 3));
    let moved = maker.value(shapes.pair, Rvalue::Use(copy(pair)));
    let three = vec![copy(pair), Operand::Move(at(moved, &[])), copy(pair)];
    let listed = maker.value(array, Rvalue::Aggregate(array, 0, three));
    let index = maker.value(Types::USIZE, Rvalue::Use(number(Types::USIZE, 2)));
    maker.set(at(pairs, &[Index(index), Field(1)]), Rvalue::Use(number(i16, 77)));
    maker.record(&[at(pairs, &[Index(index), Field(1)]), at(listed, &[Index(index), Field(0)])]);
    let fields = vec![Operand::Copy(at(one, &[Field(0)])), copy(pairs)];
    let plain = maker.value(shapes.plain, Rvalue::Aggregate(shapes.plain, 0, fields));
    maker.record(&[at(plain, &[Field(1), Index(index), Field(1)]), at(plain, &[Field(0)])]);
    let union = maker.value(shapes.union, Rvalue::Aggregate(shapes.union, 0, vec![copy(1)]));
    let four = maker.value(bytes, Rvalue::Repeat(number(Types::U8, 9), 4));
    let other = maker.value(shapes.union, Rvalue::Aggregate(shapes.union, 1, vec![copy(four)]));
    maker.set(at(union, &[Field(1), Index(index)]), Rvalue::Use(number(Types::U8, 1)));
    maker.record(&[at(union, &[Field(0)]), at(other, &[Field(1), Index(index)])]);
    let none = maker.value(shapes.variants, Rvalue::Aggregate(shapes.variants, 0, vec![]));
    let fields = vec![copy(pairs), copy(1)];
    let some = maker.value(shapes.variants, Rvalue::Aggregate(shapes.variants, 1, fields));
    maker.record(&[at(none, &[]), at(some, &[]), at(some, &[Variant(1, 1)])]);
    if !only_plain {
        let two = vec![copy(byte), copy(some)];
        let nested = maker.value(nested, Rvalue::Aggregate(nested, 0, two));
        let deep = [Field(1), Variant(1, 0), Index(index), Field(1)];
        maker.set(at(nested, &deep), Rvalue::Use(number(i16, 31)));
        let raw = types.intern(Kind::Pointer { mutable: true, to: i16 });
        let raw = maker.value(raw, Rvalue::AddressOf(true, at(nested, &deep)));
        let more = Rvalue::Binary(Operator::Mul, Operand::Copy(at(raw, &[Deref])), number(i16, 3));
        maker.set(at(raw, &[Deref]), more);
        maker.record(&[at(nested, &deep), at(raw, &[Deref])]);
        let inner = at(nested, &[Field(1), Variant(1, 1)]);
        let reference = maker.value(to_u32, Rvalue::Reference(true, inner.clone()));
        maker.add(Statement::Retag(at(reference, &[])));
        maker.set(at(reference, &[Deref]), Rvalue::Use(number(Types::U32, 17)));
        let read = maker.value(ref_u32, Rvalue::Reference(false, inner.clone()));
        maker.record(&[at(read, &[Deref]), inner.clone()]);
        maker.call_into(
            Callee::Function(1, vec![]),
            vec![copy(1)],
            inner.clone(),
            Unwind::Continue,
        );
        maker.record(std::slice::from_ref(&inner));
    }
    // Discriminants.
    let coded = maker.value(shapes.coded, Rvalue::Aggregate(shapes.coded, 1, vec![copy(byte)]));
    let read = maker.value(i16, Rvalue::Discriminant(at(coded, &[])));
    if !only_plain {
        maker.add(Statement::SetDiscriminant(at(coded, &[]), 2));
    }
    maker.record(&[at(coded, &[]), at(read, &[])]);
    if !only_plain {
        maker.add(Statement::SetDiscriminant(at(coded, &[]), 0));
    }
    let long = maker.value(shapes.long, Rvalue::Aggregate(shapes.long, 1, vec![]));
    maker.add(Statement::SetDiscriminant(at(long, &[]), 0));
    let read = maker.value(Types::U8, Rvalue::Discriminant(at(some, &[])));
    maker.record(&[at(coded, &[]), at(long, &[]), at(read, &[])]);
    // The other ADTs, and pointers.
    let fields = vec![copy(byte), number(Types::U64, u128::from(u64::MAX))];
    let packed = maker.value(shapes.packed, Rvalue::Aggregate(shapes.packed, 0, fields));
    let aligned =
        maker.value(shapes.aligned, Rvalue::Aggregate(shapes.aligned, 0, vec![copy(byte)]));
    let field = vec![number(Types::U64, 1 << 40)];
    let clear = maker.value(shapes.clear, Rvalue::Aggregate(shapes.clear, 0, field));
    maker.value(shapes.empty, Rvalue::Aggregate(shapes.empty, 0, vec![]));
    maker.record(&[at(packed, &[Field(1)]), at(aligned, &[Field(0)]), at(clear, &[Field(0)])]);
    let pointer = maker.value(pair_pointer, Rvalue::AddressOf(true, at(pairs, &[Index(index)])));
    let back = maker.value(
        pair_pointer,
        Rvalue::Offset(copy(pointer), number(Types::ISIZE, u128::from(u64::MAX))),
    );
    let shared = maker.value(pair_constant, Rvalue::Cast(copy(back), pair_constant));
    let found = maker.value(pair_constant, Rvalue::AddressOf(false, at(pointer, &[Deref])));
    maker.record(&[at(shared, &[Deref, Field(1)]), at(found, &[Deref, Field(1)])]);
    let raw = maker.value(to_bytes, Rvalue::AddressOf(true, at(four, &[])));
    let long_pointer = maker.value(wide_mut, Rvalue::Unsize(copy(raw), wide_mut));
    let length = maker.value(Types::USIZE, Rvalue::Length(copy(long_pointer)));
    let reference = maker.value(ref_bytes, Rvalue::Reference(false, at(four, &[])));
    let long_reference = maker.value(wide_ref, Rvalue::Unsize(copy(reference), wide_ref));
    let raw_slice = maker.value(wide, Rvalue::AddressOf(false, at(long_reference, &[Deref])));
    let again = maker.value(Types::USIZE, Rvalue::Length(copy(raw_slice)));
    maker.record(&[
        at(length, &[]),
        at(again, &[]),
        at(long_pointer, &[Deref, Index(index)]),
        at(long_reference, &[Deref, Index(index)]),
    ]);
    let address = maker.value(Types::USIZE, Rvalue::Cast(copy(raw), Types::USIZE));
    let returned = maker.value(to_bytes, Rvalue::Cast(copy(address), to_bytes));
    maker.record(&[at(returned, &[Deref, Index(index)])]);
    // Statics.
    let first = maker.value(raw_u64, Rvalue::Static(0));
    let more =
        Rvalue::Binary(Operator::Add, Operand::Copy(at(first, &[Deref])), number(Types::U64, 1));
    maker.set(at(first, &[Deref]), more);
    let second = maker.value(ref_plain, Rvalue::Static(1));
    let third = maker.value(ref_f32, Rvalue::Static(2));
    maker.record(&[
        at(first, &[Deref]),
        at(second, &[Deref, Field(1), Index(index), Field(1)]),
        at(third, &[Deref]),
    ]);
    // Storage, assumptions.
    let stored = maker.local(Types::U32);
    maker.add(Statement::StorageLive(stored));
    maker.set(at(stored, &[]), Rvalue::Use(copy(1)));
    maker.record(&[at(stored, &[])]);
    maker.add(Statement::StorageDead(stored));
    maker.add(Statement::Assume(copy(6)));
    // Switches.
    for (on, arms) in [
        (copy(1), vec![(7, 1), (41, 0)]),
        (Operand::Move(at(2, &[])), vec![(5, 1), (0xfffe, 0)]),
        (copy(5), vec![(0x41, 1), (0x1f600, 0)]),
        (copy(6), vec![(0, 1)]),
        (copy(7), vec![(u128::MAX - 6, 0), (1, 1)]),
        (Operand::Copy(at(second, &[Deref, Field(0)])), vec![(9, 1)]),
    ] {
        let next = maker.next();
        let arms = arms.into_iter().map(|(bits, which)| (bits, next + which)).collect();
        maker.end(Terminator::Switch { on, arms, otherwise: next });
        maker.end(Terminator::Goto(next + 2));
        maker.end(Terminator::Unreachable);
    }
    // Calls of all kinds.
    let pointer = maker.value(function, Rvalue::Use(Operand::Function(1, function)));
    let called = maker.call(Callee::Pointer(at(pointer, &[])), vec![copy(1)], Types::U32);
    if !only_plain {
        let tail = maker.call(Callee::Function(6, vec![]), vec![copy(1)], Types::U32);
        let with = vec![Types::U32, Types::BOOL];
        let two = vec![copy(1), copy(6)];
        let generic = maker.call(Callee::Function(3, with), two, checked);
        let hidden = maker.call(Callee::BlackBox, vec![copy(generic)], checked);
        maker.record(&[at(called, &[]), at(tail, &[]), at(hidden, &[Field(0)])]);
        let left = maker.value(ref_u32, Rvalue::Reference(false, at(called, &[])));
        let right = maker.value(ref_u32, Rvalue::Reference(false, at(tail, &[])));
        let three = vec![copy(left), copy(right), copy(6)];
        let chosen = maker.call(Callee::Function(4, vec![]), three, ref_u32);
        maker.record(&[at(chosen, &[Deref])]);
        // An enum with a reference and a function pointer that returns a reference.
        let parameters = vec![ref_u32, ref_u32, Types::BOOL];
        let choice = types.intern(Kind::Function { parameters, returns: ref_u32 });
        let cases = vec![
            Case { fields: vec![], discriminant: None },
            Case { fields: vec![ref_u32, choice], discriminant: None },
        ];
        let shape = Shape::Enum(cases);
        let lender = types.declare(Adt { shape, repr: Repr::Rust, destructor: None });
        let two = vec![copy(left), Operand::Function(4, choice)];
        let lender = maker.value(lender, Rvalue::Aggregate(lender, 1, two));
        let lent = maker.value(ref_u32, Rvalue::Use(Operand::Copy(at(lender, &[Variant(1, 0)]))));
        let three = vec![copy(right), Operand::Move(at(lent, &[])), number(Types::BOOL, 0)];
        let through = Callee::Pointer(at(lender, &[Variant(1, 1)]));
        let chosen = maker.call(through, three, ref_u32);
        maker.record(&[at(chosen, &[Deref]), at(lender, &[])]);
        for amount in [0, 5] {
            let reference = maker.value(to_u32, Rvalue::Reference(true, at(called, &[])));
            let two = vec![copy(reference), number(Types::U32, amount)];
            let panicked = maker.call(Callee::Catch(5), two, Types::BOOL);
            maker.record(&[at(panicked, &[]), at(called, &[])]);
        }
        let boxed = maker.call(Callee::NewBox, vec![copy(pair)], heap);
        let raw =
            maker.call(Callee::BoxToPointer, vec![Operand::Move(at(boxed, &[]))], pair_pointer);
        maker.record(&[at(raw, &[Deref, Field(1)])]);
        let boxed = maker.call(Callee::BoxFromPointer, vec![copy(raw)], heap);
        let target = maker.next();
        maker.end(Terminator::Drop { place: at(boxed, &[]), target, unwind: Unwind::Unreachable });
    } else {
        maker.record(&[at(called, &[])]);
    }
    let raw = maker.value(raw_bool, Rvalue::AddressOf(true, at(0, &[])));
    maker.set(at(raw, &[Deref]), Rvalue::Use(number(Types::BOOL, 1)));
    let intrinsics = if only_plain { 2 } else { 7 };
    maker.call_into(Callee::Function(intrinsics, vec![]), vec![], at(unit, &[]), Unwind::Continue);
    if only_plain {
        for number in 0..6 {
            let arguments = vec![super::number(Types::U32, number)];
            let result = maker.call(Callee::Function(3, vec![]), arguments, Types::U32);
            maker.record(&[at(result, &[])]);
        }
    }
    maker.record(&[at(0, &[])]);
    maker.finish()
}
