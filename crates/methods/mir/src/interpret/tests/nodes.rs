//! Recursive types: linked lists that are traversed, modified and dropped; cycles; dangling links.

use super::*;

/// `struct S { f0: u32, f1: *mut S }`, and the pointer.
fn chain(b: &mut Build, repr: Repr) -> (TypeId, TypeId) {
    let of = b.program.types.announce();
    let pointer = b.pointer(of);
    let shape = Shape::Struct(vec![U32, pointer]);
    b.program.types.define([(of, Adt { shape, repr, destructor: None })]);
    (of, pointer)
}

/// `enum E { V0, V1(u32, Box<E>) }`, and the box. With `recorded`, its destructor records the discriminant.
fn boxes(b: &mut Build, recorded: bool) -> (TypeId, TypeId) {
    let of = b.program.types.announce();
    let boxed = b.of(Kind::Heap(of));
    let reference = b.unique(of);
    let destructor = recorded.then(|| b.function(UNIT, &[reference], |b| b.record(d(1))));
    let variant = |fields: &[TypeId]| Variant { fields: fields.to_vec(), discriminant: None };
    let shape = Shape::Enum(vec![variant(&[]), variant(&[U32, boxed])]);
    b.program.types.define([(of, Adt { shape, repr: Repr::Rust, destructor })]);
    (of, boxed)
}

/// A list of two nodes, of which the second is the end.
fn boxed_list(b: &mut Build, recorded: bool) -> (Local, TypeId, TypeId) {
    let (of, boxed) = boxes(b, recorded);
    let end = b.new_local(of, Rvalue::Aggregate(of, 0, vec![]));
    let x = b.local(boxed);
    b.call(Callee::NewBox, vec![take(l(end))], l(x));
    let list = b.new_local(of, Rvalue::Aggregate(of, 1, vec![n(5), take(l(x))]));
    (list, of, boxed)
}

#[test]
fn a_linked_list_can_be_traversed_and_modified() {
    let program = |repr: Repr, hops: usize, gone: bool| {
        move |b: &mut Build| {
            let (of, pointer) = chain(b, repr);
            let null = Operand::constant(pointer, 0);
            let last = b.local(of);
            if gone {
                b.then(Statement::StorageLive(last));
            }
            b.set(l(last), Rvalue::Aggregate(of, 0, vec![n(2), null]));
            let p = b.raw(of, l(last));
            let first = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(1), copy(l(p))]));
            let p = b.raw(of, l(first));
            if gone {
                b.then(Statement::StorageDead(last));
            }
            for _ in 0..hops {
                b.assign(l(p), copy(f(d(p), 1)));
            }
            b.assign(f(d(p), 0), n(7));
            b.record(f(l(if gone { first } else { last }), 0));
        }
    };
    for repr in [Repr::Rust, Repr::C, Repr::Packed] {
        outputs(&[7], program(repr, 1, false));
        // The end has a null pointer.
        undefined(Dangling, program(repr, 2, false));
        // A dangling pointer may be copied but not dereferenced.
        outputs(&[7], program(repr, 0, true));
        undefined(Dangling, program(repr, 1, true));
    }
}

#[test]
fn a_node_can_point_to_itself() {
    let program = |around: usize| {
        move |b: &mut Build| {
            let (of, pointer) = chain(b, Repr::Rust);
            let x = b.local(of);
            b.assign(f(l(x), 0), n(1));
            b.set(f(l(x), 1), Rvalue::AddressOf(true, l(x)));
            let p = b.new_local(pointer, Rvalue::Use(copy(f(l(x), 1))));
            for _ in 0..around {
                b.assign(l(p), copy(f(d(p), 1)));
            }
            let same = b.local(Types::BOOL);
            let other = b.raw(of, l(x));
            b.set(l(same), Rvalue::Binary(Operator::Eq, copy(l(p)), copy(l(other))));
            b.record(l(same));
        }
    };
    outputs(&[1], program(0));
    outputs(&[1], program(20));
    // A loop until the null pointer does not terminate.
    undefined(Limit, |b| {
        let (of, pointer) = chain(b, Repr::Rust);
        let x = b.local(of);
        b.set(f(l(x), 1), Rvalue::AddressOf(true, l(x)));
        let p = b.new_local(pointer, Rvalue::Use(copy(f(l(x), 1))));
        let more = b.local(Types::BOOL);
        b.end(Terminator::Goto);
        let null = Operand::constant(pointer, 0);
        b.set(l(more), Rvalue::Binary(Operator::Ne, copy(l(p)), null));
        b.assign(l(p), copy(f(d(p), 1)));
        b.end(|next| Terminator::Switch { on: copy(l(more)), arms: vec![(1, 1)], otherwise: next });
    });
}

#[test]
fn equality_of_node_pointers_does_not_need_a_fixed_layout() {
    let program = |repr: Repr, operator: Operator, same: bool, null: bool| {
        move |b: &mut Build| {
            let (of, pointer) = chain(b, repr);
            let (x, y) = (b.local(of), b.local(of));
            let p = b.raw(of, l(x));
            let q = if null { b.with(pointer, 0) } else { b.raw(of, l(if same { x } else { y })) };
            let is = b.local(Types::BOOL);
            b.set(l(is), Rvalue::Binary(operator, copy(l(p)), copy(l(q))));
            b.record(l(is));
        }
    };
    for repr in [Repr::Rust, Repr::C] {
        outputs(&[1], program(repr, Operator::Eq, true, false));
        outputs(&[0], program(repr, Operator::Eq, false, false));
        outputs(&[1], program(repr, Operator::Ne, false, true));
        outputs(&[1], program(repr, Operator::Gt, false, true));
        // The order of two allocations is unspecified.
        undefined(Address, program(repr, Operator::Lt, false, false));
    }
    // Zero-sized values can have equal addresses.
    undefined(Address, |b| {
        let of = b.tuple(&[UNIT, UNIT]);
        let (x, y) = (b.local(of), b.local(of));
        let (p, q) = (b.raw(of, l(x)), b.raw(of, l(y)));
        let is = b.local(Types::BOOL);
        b.set(l(is), Rvalue::Binary(Operator::Eq, copy(l(p)), copy(l(q))));
    });
}

#[test]
fn a_boxed_list_is_dropped_recursively() {
    outputs(&[1, 0], |b| {
        let (list, ..) = boxed_list(b, true);
        b.drop_place(l(list));
    });
    // Then the content of the box is freed.
    let program = |dropped: bool| {
        move |b: &mut Build| {
            let (list, of, _) = boxed_list(b, false);
            let walker = b.pointer(of);
            let p = b.raw(of, l(list));
            let next = Rvalue::Transmute(copy(v(d(p), 1, 1)), walker);
            let q = b.new_local(walker, next);
            if dropped {
                b.drop_place(l(list));
            }
            let tag = b.new_local(Types::ISIZE, Rvalue::Discriminant(d(q)));
            b.record(l(tag));
        }
    };
    outputs(&[0], program(false));
    undefined(Dangling, program(true));
    // It must not be dropped twice.
    undefined(Uninitialised, |b| {
        let (list, ..) = boxed_list(b, false);
        b.drop_place(l(list));
        b.drop_place(l(list));
    });
}

#[test]
fn dropping_a_box_that_owns_itself_does_not_terminate() {
    let program = |own: bool| {
        move |b: &mut Build| {
            let (list, of, boxed) = boxed_list(b, false);
            let other = b.local(boxed);
            b.call(Callee::NewBox, vec![take(l(list))], l(other));
            let raw = b.pointer(of);
            let p = b.new_local(raw, Rvalue::Transmute(copy(l(other)), raw));
            if own {
                b.assign(v(d(p), 1, 1), copy(l(other)));
            }
            b.drop_place(l(other));
        }
    };
    outputs(&[], program(false));
    undefined(Limit, program(true));
}

#[test]
fn a_borrowed_node_must_not_be_written() {
    // `struct S<'a> { f0: u32, f1: E<'a> }`, `enum E<'a> { V0, V1(&'a S<'a>) }`.
    let program = |mutable: bool, written: bool| {
        move |b: &mut Build| {
            let of = b.program.types.announce();
            let reference = b.of(Kind::Reference { mutable, to: of });
            let hook = b.choice(Repr::Rust, &[&[], &[reference]]);
            let shape = Shape::Struct(vec![U32, hook]);
            b.program.types.define([(of, Adt { shape, repr: Repr::Rust, destructor: None })]);
            assert!(b.program.types.has_lifetime(of) && b.program.types.has_lifetime(hook));
            let end = b.new_local(hook, Rvalue::Aggregate(hook, 0, vec![]));
            let last = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(3), take(l(end))]));
            let r = b.borrow(mutable, of, l(last));
            let on = b.new_local(hook, Rvalue::Aggregate(hook, 1, vec![take(l(r))]));
            let first = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(4), take(l(on))]));
            if written {
                b.assign(f(l(last), 0), n(9));
            }
            let p = b.borrow(false, of, l(first));
            let q = b.new_local(reference, Rvalue::Use(copy(v(f(d(p), 1), 1, 0))));
            let seen = b.new_local(U32, Rvalue::Use(copy(f(d(q), 0))));
            b.record(l(seen));
        }
    };
    outputs(&[3], program(false, false));
    undefined(Borrow, program(false, true));
    outputs(&[3], program(true, false));
    undefined(Borrow, program(true, true));
}
