//! Undefined behaviour of intrinsics and loops, each with a similar defined program.

use super::*;

/// The recorded result of an intrinsic on constants.
fn of(which: Intrinsic, of: TypeId, arguments: &[u128], to: TypeId) -> Result<Vec<u64>, Undefined> {
    let arguments = arguments.iter().map(|bits| k(of, *bits)).collect();
    output_of(move |b| {
        let x = b.local(to);
        b.intrinsic(which, arguments, l(x));
        b.record(l(x));
    })
}

#[test]
fn unchecked_arithmetic_must_not_overflow() {
    use Intrinsic::*;
    const MIN: u128 = 0x8000_0000;
    const MINUS: u128 = 0xFFFF_FFFF;
    let i32 = Types::I32;
    for (which, of_type, good, result, wrong) in [
        (UncheckedAdd, i32, [MIN - 2, 1], MIN - 1, [MIN - 1, 1]),
        (UncheckedSub, U32, [1, 1], 0, [1, 2]),
        (UncheckedSub, i32, [MIN + 1, 1], MIN, [MIN, 1]),
        (UncheckedMul, U32, [0xFFFF, 0x1_0001], MINUS, [0x1_0000, 0x1_0000]),
        (UncheckedMul, i32, [MIN >> 1, 1], MIN >> 1, [MIN, MINUS]),
        (UncheckedDiv, U32, [7, 2], 3, [7, 0]),
        (UncheckedDiv, i32, [MIN, 1], MIN, [MIN, MINUS]),
        (UncheckedRem, U32, [7, 2], 1, [7, 0]),
        (UncheckedRem, i32, [MIN, 2], 0, [MIN, MINUS]),
        (ExactDiv, U32, [8, 2], 4, [7, 2]),
        (ExactDiv, i32, [8, 2], 4, [MIN, MINUS]),
        (UncheckedShl, U32, [1, 31], MIN, [1, 32]),
        (UncheckedShr, U32, [MIN, 31], 1, [MIN, 32]),
        (UncheckedShl, i32, [1, 31], MIN, [1, MINUS]),
        (UncheckedShr, i32, [MIN, 31], MINUS, [MIN, MINUS]),
        (DisjointBitOr, U32, [6, 1], 7, [6, 2]),
    ] {
        let signed = |bits: u128| match of_type {
            Types::I32 => i64::from(bits as u32 as i32).cast_unsigned(),
            _ => bits as u64,
        };
        assert_eq!(of(which, of_type, &good, of_type), Ok(vec![signed(result)]), "{which:?}");
        assert_eq!(of(which, of_type, &wrong, of_type), Err(Arithmetic), "{which:?}");
    }
    for which in [LeadingZerosNonzero, TrailingZerosNonzero] {
        assert_eq!(
            of(which, U8, &[0x10], U32),
            Ok(vec![if which == LeadingZerosNonzero { 3 } else { 4 }])
        );
        assert_eq!(of(which, U8, &[0], U32), Err(Arithmetic), "{which:?}");
    }
}

#[test]
fn remainders_must_not_be_by_zero_or_overflow() {
    let program = |left: u128, right: u128| {
        move |b: &mut Build| {
            let of = Types::I32;
            let x = b.new_local(of, Rvalue::Binary(Operator::Rem, k(of, left), k(of, right)));
            b.record(l(x));
        }
    };
    outputs(&[1], program(7, 3));
    undefined(Arithmetic, program(7, 0));
    outputs(&[0], program(0x8000_0001, 0xFFFF_FFFF));
    undefined(Arithmetic, program(0x8000_0000, 0xFFFF_FFFF));
}

#[test]
fn a_loop_whose_exit_is_never_taken_exceeds_the_limit() {
    let program = |last: u128| {
        move |b: &mut Build| {
            let i = b.with(U8, 0);
            b.end(Terminator::Goto);
            b.set(l(i), Rvalue::Binary(Operator::Add, copy(l(i)), k(U8, 2)));
            let arms = vec![(last, 2)];
            b.end(|_| Terminator::Switch { on: copy(l(i)), arms, otherwise: 1 });
            b.record(l(i));
        }
    };
    outputs(&[200], program(200));
    // The counter is always even.
    undefined(Limit, program(201));
}

/// Passes a pointer into an array of four bytes, cast to a pointer to a type, to `then`. The array is live or dead.
fn pointed(
    to: TypeId,
    by: u128,
    live: bool,
    then: impl FnOnce(&mut Build, Local),
) -> Result<Vec<u64>, Undefined> {
    output_of(|b| {
        let row = b.array(U8, 4);
        let x = b.local(row);
        b.then(Statement::StorageLive(x));
        b.set(l(x), Rvalue::Repeat(k(U8, 3), 4));
        let first = b.raw(row, l(x));
        let bytes = b.pointer(U8);
        let byte = b.new_local(bytes, Rvalue::PointerCast(copy(l(first)), bytes));
        let moved = b.new_local(bytes, Rvalue::Offset(copy(l(byte)), k(USIZE, by)));
        let wanted = b.pointer(to);
        let p = b.new_local(wanted, Rvalue::Transmute(copy(l(moved)), wanted));
        if !live {
            b.then(Statement::StorageDead(x));
        }
        then(b, p);
    })
}

#[test]
fn intrinsics_that_read_and_write_check_bounds_liveness_and_validity() {
    for which in [Intrinsic::ReadViaCopy, Intrinsic::VolatileLoad] {
        let read = |to: TypeId, by: u128, live: bool| {
            pointed(to, by, live, |b, p| {
                let of = b.of(Kind::Pointer { mutable: false, to });
                let p = b.new_local(of, Rvalue::Cast(copy(l(p)), of));
                let y = b.local(to);
                b.intrinsic(which, vec![copy(l(p))], l(y));
                b.record(l(y));
            })
        };
        assert_eq!(read(U8, 3, true), Ok(vec![3]));
        assert_eq!(read(U8, 4, true), Err(OutOfBounds));
        assert_eq!(read(U8, 0, false), Err(Dangling));
        assert_eq!(read(Types::BOOL, 0, true), Err(InvalidValue));
    }
    let write = |by: u128, live: bool| {
        pointed(U8, by, live, |b, p| {
            let unit = b.local(UNIT);
            b.intrinsic(Intrinsic::VolatileStore, vec![copy(l(p)), k(U8, 9)], l(unit));
            b.record(d(p));
        })
    };
    assert_eq!(write(3, true), Ok(vec![9]));
    assert_eq!(write(4, true), Err(OutOfBounds));
    assert_eq!(write(0, false), Err(Dangling));
}

#[test]
fn intrinsics_that_read_check_alignment() {
    for which in [Intrinsic::ReadViaCopy, Intrinsic::VolatileLoad] {
        let program = |by: u128| {
            move |b: &mut Build| {
                let row = b.array(U32, 2);
                let x = b.new_local(row, Rvalue::Repeat(n(0x0101_0101), 2));
                let first = b.raw(row, l(x));
                let bytes = b.pointer(U8);
                let byte = b.new_local(bytes, Rvalue::PointerCast(copy(l(first)), bytes));
                let moved = b.new_local(bytes, Rvalue::Offset(copy(l(byte)), k(USIZE, by)));
                let of = b.of(Kind::Pointer { mutable: false, to: U32 });
                let p = b.new_local(of, Rvalue::PointerCast(copy(l(moved)), of));
                let y = b.local(U32);
                b.intrinsic(which, vec![copy(l(p))], l(y));
                b.record(l(y));
            }
        };
        outputs(&[0x0101_0101], program(4));
        undefined(Misaligned, program(2));
    }
}

#[test]
fn arith_offset_may_leave_the_bounds() {
    // The pointer may be out of bounds, but must not be dereferenced there.
    let program = |by: i128, back: bool| {
        move |b: &mut Build| {
            let row = b.array(U8, 4);
            let x = b.new_local(row, Rvalue::Repeat(k(U8, 3), 4));
            let first = b.raw(row, l(x));
            let bytes = b.of(Kind::Pointer { mutable: false, to: U8 });
            let p = b.new_local(bytes, Rvalue::PointerCast(copy(l(first)), bytes));
            let q = b.local(bytes);
            let count = |by: i128| k(Types::ISIZE, u128::from((by as i64).cast_unsigned()));
            b.intrinsic(Intrinsic::ArithOffset, vec![copy(l(p)), count(by)], l(q));
            if back {
                b.intrinsic(Intrinsic::ArithOffset, vec![copy(l(q)), count(-by)], l(q));
            }
            b.record(d(q));
        }
    };
    outputs(&[3], program(3, false));
    undefined(OutOfBounds, program(4, false));
    outputs(&[3], program(4, true));
}

#[test]
fn box_from_raw_needs_a_whole_heap_allocation() {
    let program = |heap: bool, inner: bool| {
        move |b: &mut Build| {
            let pair = b.array(U32, 2);
            let own = b.of(Kind::Heap(pair));
            let x = b.new_local(pair, Rvalue::Repeat(n(5), 2));
            let boxed = b.local(own);
            let pointer = b.pointer(pair);
            let p = b.local(pointer);
            if heap {
                b.call(Callee::NewBox, vec![copy(l(x))], l(boxed));
                b.call(Callee::BoxToPointer, vec![take(l(boxed))], l(p));
            } else {
                b.set(l(p), Rvalue::AddressOf(true, l(x)));
            }
            if inner {
                let one = b.pointer(U32);
                let single = b.of(Kind::Heap(U32));
                let q = b.new_local(one, Rvalue::PointerCast(copy(l(p)), one));
                let y = b.local(single);
                b.call(Callee::BoxFromPointer, vec![copy(l(q))], l(y));
                b.drop_place(l(y));
            } else {
                let y = b.local(own);
                b.call(Callee::BoxFromPointer, vec![copy(l(p))], l(y));
                b.drop_place(l(y));
            }
        }
    };
    outputs(&[], program(true, false));
    undefined(Dangling, program(false, false));
    // Memory must be freed with the size with which it was allocated.
    undefined(Dangling, program(true, true));
}
