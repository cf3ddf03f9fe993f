//! Accesses to memory: storage markers, bounds, statics, and borrows in loops.

use super::*;

#[test]
fn locals_are_accessible_only_between_storage_markers() {
    let program = |dead: bool| {
        move |b: &mut Build| {
            let x = b.local(U32);
            b.then(Statement::StorageLive(x));
            b.assign(l(x), n(7));
            let p = b.raw(U32, l(x));
            if dead {
                b.then(Statement::StorageDead(x));
                b.then(Statement::StorageDead(x));
            }
            let y = b.local(U32);
            b.assign(l(y), copy(d(p)));
            b.record(l(y));
        }
    };
    undefined(Dangling, program(true));
    outputs(&[7], program(false));
    // A second `StorageLive` makes a new allocation.
    let program = |fresh: bool| {
        move |b: &mut Build| {
            let x = b.local(U32);
            b.then(Statement::StorageLive(x));
            b.assign(l(x), n(7));
            let p = b.raw(U32, l(x));
            b.then(Statement::StorageLive(x));
            if fresh {
                b.set(l(p), Rvalue::AddressOf(true, l(x)));
            }
            b.assign(d(p), n(1));
            b.record(l(x));
        }
    };
    undefined(Dangling, program(false));
    outputs(&[1], program(true));
    // A local is dead before its `StorageLive`.
    undefined(Dangling, |b| {
        let x = b.local(U32);
        b.assign(l(x), n(7));
        b.then(Statement::StorageLive(x));
    });
    undefined(Uninitialised, |b| {
        let x = b.local(U32);
        b.then(Statement::StorageLive(x));
        b.assign(l(x), n(7));
        b.then(Statement::StorageLive(x));
        b.record(l(x));
    });
}

#[test]
fn offsets_must_be_in_bounds() {
    let program = |by: i128| {
        move |b: &mut Build| {
            let of = b.array(U32, 3);
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(1), n(2), n(3)]));
            let i = b.with(USIZE, 1);
            let p = b.raw(U32, at(l(x), i));
            let by = k(Types::ISIZE, by.cast_unsigned() & u128::from(u64::MAX));
            b.set(l(p), Rvalue::Offset(copy(l(p)), by));
            b.record(d(p));
        }
    };
    outputs(&[3], program(1));
    outputs(&[1], program(-1));
    undefined(OutOfBounds, program(2));
    undefined(OutOfBounds, program(-2));
    undefined(OutOfBounds, program(3));
    // If rustc chooses the layout of a struct, the bounds of a pointer to a field are those of the field.
    let program = |repr: Repr| {
        move |b: &mut Build| {
            let of = b.structure(repr, &[U32, U32]);
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(1), n(2)]));
            let p = b.raw(U32, f(l(x), 0));
            b.set(l(p), Rvalue::Offset(copy(l(p)), k(USIZE, 1)));
            b.record(d(p));
        }
    };
    outputs(&[2], program(Repr::C));
    undefined(OutOfBounds, program(Repr::Rust));
}

#[test]
fn array_indices_must_be_in_bounds() {
    let program = |index: u128| {
        move |b: &mut Build| {
            let of = b.array(U32, 3);
            let x = b.new_local(of, Rvalue::Repeat(n(9), 3));
            let i = b.with(USIZE, index);
            b.record(at(l(x), i));
        }
    };
    outputs(&[9], program(2));
    undefined(OutOfBounds, program(3));
}

#[test]
fn slice_indices_must_be_in_bounds() {
    let program = |index: u128| {
        move |b: &mut Build| {
            let array = b.array(U32, 3);
            let slice = b.of(Kind::Slice(U32));
            let x = b.new_local(array, Rvalue::Aggregate(array, 0, vec![n(4), n(5), n(6)]));
            let thin = b.borrow(false, array, l(x));
            let wide = b.shared(slice);
            let s = b.new_local(wide, Rvalue::Unsize(copy(l(thin)), wide));
            let i = b.with(USIZE, index);
            b.record(at(d(s), i));
            let raw = b.of(Kind::Pointer { mutable: false, to: slice });
            let p = b.new_local(raw, Rvalue::AddressOf(false, d(s)));
            let length = b.new_local(USIZE, Rvalue::Length(copy(l(p))));
            b.record(l(length));
        }
    };
    outputs(&[6, 3], program(2));
    undefined(OutOfBounds, program(3));
}

#[test]
fn only_mutable_statics_can_be_written() {
    let program = |mutable: bool| {
        move |b: &mut Build| {
            let of = b.tuple(&[U8, U32]);
            b.program.statics.push(Static { mutable, of, value: vec![1, 2] });
            let kind = if mutable { b.pointer(of) } else { b.shared(of) };
            let p = b.new_local(kind, Rvalue::Static(0));
            let q = b.raw(U32, f(d(p), 1));
            b.record(d(q));
            b.assign(d(q), n(3));
            let p = b.new_local(kind, Rvalue::Static(0));
            b.record(f(d(p), 1));
        }
    };
    outputs(&[2, 3], program(true));
    undefined(Borrow, program(false));
}

#[test]
fn unused_borrows_are_pruned_in_loops() {
    outputs(&[200], |b| {
        let x = b.with(U32, 0);
        let more = b.local(Types::BOOL);
        let of = b.unique(U32);
        let r = b.local(of);
        b.end(Terminator::Goto);
        b.set(l(r), Rvalue::Reference(true, l(x)));
        b.set(d(r), Rvalue::Binary(Operator::Add, copy(d(r)), n(1)));
        b.set(l(more), Rvalue::Binary(Operator::Lt, copy(l(x)), n(200)));
        b.end(|next| Terminator::Switch { on: take(l(more)), arms: vec![(1, 1)], otherwise: next });
        b.record(l(x));
    });
}
