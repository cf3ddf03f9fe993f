//! Pointer arithmetic out of bounds, which `arith_offset` allows and `Offset` does not.

use super::*;

/// A pointer to the second element of an array of four, and its type.
fn second(b: &mut Build) -> (Local, TypeId) {
    let of = b.array(U32, 4);
    let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(1), n(2), n(3), n(4)]));
    let i = b.with(USIZE, 1);
    let constant = b.of(Kind::Pointer { mutable: false, to: U32 });
    let p = b.new_local(constant, Rvalue::AddressOf(false, at(l(x), i)));
    (p, constant)
}

fn by(count: i64) -> Operand {
    k(Types::ISIZE, u128::from(count.cast_unsigned()))
}

fn go(b: &mut Build, p: Local, count: i64) {
    b.intrinsic(Intrinsic::ArithOffset, vec![copy(l(p)), by(count)], l(p));
}

#[test]
fn a_pointer_may_leave_an_array_and_come_back() {
    for (out, back, element) in
        [(3, -3, 2), (-2, 2, 2), (-9000, 9001, 3), (1 << 20, -(1 << 20) - 1, 1)]
    {
        outputs(&[element], |b| {
            let (p, _) = second(b);
            go(b, p, out);
            go(b, p, back);
            b.record(d(p));
        });
    }
}

#[test]
fn a_pointer_out_of_bounds_must_not_be_used() {
    for out in [4, -2, -1000, 1000] {
        undefined(OutOfBounds, |b| {
            let (p, _) = second(b);
            go(b, p, out);
            b.record(d(p));
        });
        undefined(OutOfBounds, |b| {
            let (p, _) = second(b);
            go(b, p, out);
            b.borrow(false, U32, d(p));
        });
        undefined(OutOfBounds, |b| {
            let (p, _) = second(b);
            go(b, p, out);
            let x = b.local(U32);
            b.intrinsic(Intrinsic::ReadViaCopy, vec![copy(l(p))], l(x));
        });
        // `Offset` needs a pointer in bounds, even if the result is in bounds again.
        undefined(OutOfBounds, |b| {
            let (p, of) = second(b);
            go(b, p, out);
            b.new_local(of, Rvalue::Offset(copy(l(p)), by(-out)));
        });
    }
    // One past the end is in bounds for `Offset`.
    outputs(&[4], |b| {
        let (p, of) = second(b);
        go(b, p, 3);
        let q = b.new_local(of, Rvalue::Offset(copy(l(p)), by(-1)));
        b.record(d(q));
    });
}

#[test]
fn the_address_of_a_pointer_out_of_bounds_is_unspecified() {
    undefined(Address, |b| {
        let (p, of) = second(b);
        let q = b.new_local(of, Rvalue::Use(copy(l(p))));
        go(b, q, 8);
        let less = b.local(Types::BOOL);
        b.set(l(less), Rvalue::Binary(Operator::Lt, copy(l(p)), copy(l(q))));
    });
    undefined(Address, |b| {
        let (p, of) = second(b);
        go(b, p, -8);
        let null = b.with(of, 0);
        let same = b.local(Types::BOOL);
        b.set(l(same), Rvalue::Binary(Operator::Eq, copy(l(p)), copy(l(null))));
    });
    undefined(Address, |b| {
        let (p, _) = second(b);
        go(b, p, 8);
        let number = b.local(USIZE);
        b.set(l(number), Rvalue::Cast(copy(l(p)), USIZE));
    });
    undefined(OutOfBounds, |b| {
        let (p, of) = second(b);
        let q = b.new_local(of, Rvalue::Use(copy(l(p))));
        go(b, q, 8);
        let far = b.local(Types::ISIZE);
        b.intrinsic(Intrinsic::OffsetFrom, vec![copy(l(q)), copy(l(p))], l(far));
    });
    undefined(OutOfBounds, |b| {
        let (p, of) = second(b);
        let q = b.new_local(of, Rvalue::Use(copy(l(p))));
        go(b, q, -2);
        let x = b.with(U32, 7);
        let r = b.raw(U32, l(x));
        b.intrinsic(Intrinsic::CopyNonoverlapping, vec![copy(l(q)), copy(l(r)), k(USIZE, 1)], l(0));
    });
}

#[test]
fn arith_offset_of_a_pointer_without_provenance_is_integer_arithmetic() {
    outputs(&[24], |b| {
        let constant = b.of(Kind::Pointer { mutable: false, to: U32 });
        let p = b.with(constant, 16);
        go(b, p, 2);
        let number = b.new_local(USIZE, Rvalue::Cast(copy(l(p)), USIZE));
        b.record(l(number));
    });
    undefined(Address, |b| {
        let constant = b.of(Kind::Pointer { mutable: false, to: U32 });
        let p = b.with(constant, 16);
        go(b, p, -5);
    });
    // The size of a type whose layout rustc chooses is unspecified.
    undefined(Layout, |b| {
        let of = b.structure(Repr::Rust, &[U32, U32]);
        let constant = b.of(Kind::Pointer { mutable: false, to: of });
        let p = b.with(constant, 16);
        go(b, p, 1);
    });
}
