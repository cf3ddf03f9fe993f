//! Bytes of memory: alignment, layouts, padding and overlaps.

use super::*;

#[test]
fn packed_fields_must_not_be_borrowed() {
    let program = |repr: Repr, raw: bool| {
        move |b: &mut Build| {
            let of = b.structure(repr, &[U8, U32]);
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![k(U8, 1), n(2)]));
            b.assign(f(l(x), 1), n(3));
            b.record(f(l(x), 1));
            if raw {
                b.raw(U32, f(l(x), 1));
            } else {
                b.borrow(false, U32, f(l(x), 1));
            }
        }
    };
    undefined(Misaligned, program(Repr::Packed, false));
    outputs(&[3], program(Repr::Packed, true));
    outputs(&[3], program(Repr::C, false));
    outputs(&[3], program(Repr::Rust, false));
}

#[test]
fn cast_pointers_must_be_aligned() {
    let program = |align: u64, repr_index: u128| {
        move |b: &mut Build| {
            let bytes = b.array(U8, 8);
            let of = b.structure(Repr::Align(align), &[bytes]);
            let x = b.local(of);
            b.set(f(l(x), 0), Rvalue::Repeat(k(U8, 1), 8));
            let i = b.with(USIZE, repr_index);
            let p = b.raw(U8, at(f(l(x), 0), i));
            let to = b.pointer(U32);
            let q = b.new_local(to, Rvalue::PointerCast(copy(l(p)), to));
            b.record(d(q));
        }
    };
    outputs(&[0x0101_0101], program(4, 4));
    undefined(Misaligned, program(2, 4));
    undefined(Misaligned, program(4, 2));
    undefined(OutOfBounds, program(8, 5));
}

#[test]
fn bytes_can_be_accessed_only_if_the_layout_is_fixed() {
    let program = |repr: Repr| {
        move |b: &mut Build| {
            let of = b.structure(repr, &[U8, U8]);
            let bytes = b.array(U8, 2);
            let parts = vec![k(U8, 1), k(U8, 2)];
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, parts));
            let y = b.new_local(bytes, Rvalue::Transmute(copy(l(x)), bytes));
            let i = b.with(USIZE, 1);
            b.record(at(l(y), i));
            let p = b.raw(of, l(x));
            let to = b.pointer(U8);
            let q = b.new_local(to, Rvalue::Cast(copy(l(p)), to));
            b.record(d(q));
        }
    };
    outputs(&[2, 1], program(Repr::C));
    undefined(Layout, program(Repr::Rust));
    undefined(Layout, |b| {
        let of = b.tuple(&[U8, U8]);
        let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![k(U8, 1), k(U8, 2)]));
        let p = b.raw(of, l(x));
        let to = b.pointer(U8);
        b.new_local(to, Rvalue::Cast(copy(l(p)), to));
    });
}

#[test]
fn typed_copies_leave_padding_uninitialised() {
    // A copy of bytes keeps the padding, a typed copy does not.
    let program = |whole: bool| {
        move |b: &mut Build| {
            let of = b.structure(Repr::C, &[U8, U32]);
            let (x, y) = (b.local(of), b.local(of));
            let p = b.raw(of, l(x));
            b.intrinsic(Intrinsic::WriteBytes, vec![copy(l(p)), k(U8, 3), k(USIZE, 1)], l(0));
            let q = b.raw(of, l(y));
            if whole {
                b.assign(l(y), copy(l(x)));
            } else {
                let constant = b.of(Kind::Pointer { mutable: false, to: of });
                let p = b.new_local(constant, Rvalue::Cast(copy(l(p)), constant));
                let arguments = vec![copy(l(p)), copy(l(q)), k(USIZE, 1)];
                b.intrinsic(Intrinsic::CopyNonoverlapping, arguments, l(0));
            }
            let bytes = b.pointer(U8);
            let r = b.new_local(bytes, Rvalue::Cast(copy(l(q)), bytes));
            b.set(l(r), Rvalue::Offset(copy(l(r)), k(USIZE, 1)));
            b.record(d(r));
        }
    };
    undefined(Uninitialised, program(true));
    outputs(&[3], program(false));
    undefined(Uninitialised, |b| {
        let of = b.structure(Repr::C, &[U8, U32]);
        let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![k(U8, 1), n(2)]));
        b.new_local(Types::U64, Rvalue::Transmute(copy(l(x)), Types::U64));
    });
}

#[test]
fn sources_and_destinations_must_not_overlap() {
    let program = |same: bool| {
        move |b: &mut Build| {
            let of = b.tuple(&[U32, U32]);
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(1), n(2)]));
            let y = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(3), n(4)]));
            let from = if same { x } else { y };
            let parts = vec![copy(f(l(from), 1)), copy(f(l(from), 0))];
            b.set(l(x), Rvalue::Aggregate(of, 0, parts));
            b.record(f(l(x), 0));
        }
    };
    undefined(Overlap, program(true));
    outputs(&[4], program(false));
    // A copy to itself.
    undefined(Overlap, |b| {
        let of = b.tuple(&[U32]);
        let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(1)]));
        b.assign(l(x), copy(l(x)));
    });
    // Copies of scalars must not overlap either. Operands of operators may.
    undefined(Overlap, |b| {
        let x = b.with(U32, 5);
        b.assign(l(x), copy(l(x)));
    });
    outputs(&[6], |b| {
        let x = b.with(U32, 5);
        b.set(l(x), Rvalue::Binary(Operator::Add, copy(l(x)), n(1)));
        b.record(l(x));
    });
    let ways: [fn(Operand) -> Rvalue; 3] = [
        Rvalue::Use,
        |from| Rvalue::Cast(from, Types::U32),
        |from| Rvalue::Transmute(from, Types::U32),
    ];
    for (way, from) in ways.into_iter().zip([Types::U32, Types::I32, Types::I32]) {
        let program = |same: bool| {
            move |b: &mut Build| {
                let (x, y) = (b.with(from, 5), b.with(Types::U32, 6));
                let other = if same { x } else { y };
                let p = b.raw(if same { from } else { Types::U32 }, l(other));
                let to = b.pointer(Types::U32);
                let p = b.new_local(to, Rvalue::PointerCast(copy(l(p)), to));
                b.set(d(p), way(copy(l(x))));
                b.record(d(p));
            }
        };
        undefined(Overlap, program(true));
        outputs(&[5], program(false));
    }
    // Through pointers, too.
    let program = |which: Intrinsic| {
        move |b: &mut Build| {
            let of = b.array(U8, 4);
            let parts = (1..=4).map(|byte| k(U8, byte)).collect();
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, parts));
            let (i, j) = (b.with(USIZE, 0), b.with(USIZE, 1));
            let constant = b.of(Kind::Pointer { mutable: false, to: U8 });
            let p = b.new_local(constant, Rvalue::AddressOf(false, at(l(x), i)));
            let q = b.raw(U8, at(l(x), j));
            b.intrinsic(which, vec![copy(l(p)), copy(l(q)), k(USIZE, 3)], l(0));
            let i = b.with(USIZE, 3);
            b.record(at(l(x), i));
        }
    };
    undefined(Overlap, program(Intrinsic::CopyNonoverlapping));
    outputs(&[3], program(Intrinsic::CopyOverlapping));
}

#[test]
fn swaps_must_not_overlap_and_compared_bytes_must_be_initialised() {
    outputs(&[2, 1], |b| {
        let (x, y) = (b.with(U32, 1), b.with(U32, 2));
        let (p, q) = (b.raw(U32, l(x)), b.raw(U32, l(y)));
        b.intrinsic(Intrinsic::TypedSwap, vec![copy(l(p)), copy(l(q))], l(0));
        b.record(l(x));
        b.record(l(y));
    });
    undefined(Overlap, |b| {
        let x = b.with(U32, 1);
        let p = b.raw(U32, l(x));
        b.intrinsic(Intrinsic::TypedSwap, vec![copy(l(p)), copy(l(p))], l(0));
    });
    let program = |set: bool| {
        move |b: &mut Build| {
            let of = b.array(U8, 2);
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![k(U8, 1), k(U8, 200)]));
            let y = b.local(of);
            let (i, j) = (b.with(USIZE, 0), b.with(USIZE, 1));
            b.assign(at(l(y), i), k(U8, 1));
            if set {
                b.assign(at(l(y), j), k(U8, 3));
            }
            let constant = b.of(Kind::Pointer { mutable: false, to: U8 });
            let p = b.new_local(constant, Rvalue::AddressOf(false, at(l(x), i)));
            let q = b.new_local(constant, Rvalue::AddressOf(false, at(l(y), i)));
            let sign = b.local(Types::I32);
            b.intrinsic(
                Intrinsic::CompareBytes,
                vec![copy(l(q)), copy(l(p)), k(USIZE, 2)],
                l(sign),
            );
            b.record(l(sign));
        }
    };
    outputs(&[u64::MAX], program(true));
    undefined(Uninitialised, program(false));
}
