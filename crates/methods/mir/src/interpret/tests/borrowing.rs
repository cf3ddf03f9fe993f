//! The aliasing model: Tree Borrows, and the stricter rule for foreign reads.

use super::*;

#[test]
fn a_foreign_write_invalidates_references() {
    for mutable in [false, true] {
        let program = |write: bool| {
            move |b: &mut Build| {
                let x = b.with(U32, 1);
                let r = b.borrow(mutable, U32, l(x));
                if write {
                    b.assign(l(x), n(2));
                }
                b.record(d(r));
            }
        };
        undefined(Borrow, program(true));
        outputs(&[1], program(false));
    }
}

#[test]
fn a_shared_reference_must_not_be_written_through() {
    let program = |mutable: bool| {
        move |b: &mut Build| {
            let x = b.with(U32, 1);
            let r = b.borrow(mutable, U32, l(x));
            let p = b.raw(U32, d(r));
            b.assign(d(p), n(2));
            b.record(l(x));
        }
    };
    undefined(Borrow, program(false));
    outputs(&[2], program(true));
}

#[test]
fn a_foreign_read_invalidates_mutable_references() {
    // Whether the reference is written through before the foreign read, and whether it is written or read through
    // after.
    for (written, writes) in [(false, false), (false, true), (true, false), (true, true)] {
        let program = |read: bool| {
            move |b: &mut Build| {
                let x = b.with(U32, 1);
                let r = b.borrow(true, U32, l(x));
                if written {
                    b.assign(d(r), n(2));
                }
                if read {
                    b.record(l(x));
                }
                if writes {
                    b.assign(d(r), n(3));
                }
                b.record(d(r));
            }
        };
        undefined(Borrow, program(true));
        let last = if writes { 3 } else { 1 + u64::from(written) };
        outputs(&[last], program(false));
    }
    // A shared reference stays valid.
    outputs(&[1, 1], |b| {
        let x = b.with(U32, 1);
        let r = b.borrow(false, U32, l(x));
        b.record(l(x));
        b.record(d(r));
    });
}

#[test]
fn a_write_through_the_parent_invalidates_the_child_only() {
    // A write through the child leaves the parent valid.
    let program = |through_parent: bool| {
        move |b: &mut Build| {
            let x = b.with(U32, 1);
            let parent = b.borrow(true, U32, l(x));
            let child = b.borrow(true, U32, d(parent));
            let (first, second) = if through_parent { (parent, child) } else { (child, parent) };
            b.assign(d(first), n(2));
            b.assign(d(second), n(3));
            b.record(l(x));
        }
    };
    undefined(Borrow, program(true));
    outputs(&[3], program(false));
    // References to different fields are independent.
    outputs(&[5, 6], |b| {
        let of = b.tuple(&[U32, U32]);
        let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(1), n(2)]));
        let (r, s) = (b.borrow(true, U32, f(l(x), 0)), b.borrow(true, U32, f(l(x), 1)));
        b.assign(d(r), n(5));
        b.assign(d(s), n(6));
        b.record(d(r));
        b.record(d(s));
    });
}

#[test]
fn raw_pointers_to_a_local_have_the_tag_of_the_local() {
    outputs(&[3], |b| {
        let x = b.with(U32, 1);
        let (p, q) = (b.raw(U32, l(x)), b.raw(U32, l(x)));
        b.assign(d(p), n(2));
        b.assign(l(x), n(4));
        b.assign(d(q), n(3));
        b.record(d(p));
    });
}

#[test]
fn a_retag_derives_a_new_reference() {
    let program = |retag: bool| {
        move |b: &mut Build| {
            let x = b.with(U32, 1);
            let r = b.borrow(true, U32, l(x));
            let of = b.unique(U32);
            let s = b.new_local(of, Rvalue::Use(copy(l(r))));
            if retag {
                b.then(Statement::Retag(l(s)));
            }
            b.assign(d(s), n(2));
            b.assign(d(r), n(3));
            b.assign(d(s), n(4));
            b.record(l(x));
        }
    };
    undefined(Borrow, program(true));
    outputs(&[4], program(false));
}

#[test]
fn arguments_are_protected() {
    // fn(&mut u32, *mut u32): the pointer must not access the referent of the protected reference.
    let program = |mutable: bool, same: bool, write: bool| {
        move |b: &mut Build| {
            let (reference, pointer) = (b.of(Kind::Reference { mutable, to: U32 }), b.pointer(U32));
            let function = b.function(UNIT, &[reference, pointer], |b| {
                if mutable {
                    b.assign(d(1), n(5));
                }
                if write {
                    b.assign(d(2), n(6));
                } else {
                    b.record(d(2));
                }
            });
            let (x, y) = (b.with(U32, 1), b.with(U32, 2));
            let p = b.raw(U32, l(if same { x } else { y }));
            let r = b.borrow(mutable, U32, l(x));
            b.call_function(function, vec![copy(l(r)), copy(l(p))], l(0));
            b.record(l(y));
        }
    };
    undefined(Borrow, program(true, true, true));
    undefined(Borrow, program(true, true, false));
    undefined(Borrow, program(false, true, true));
    outputs(&[1, 2], program(false, true, false));
    outputs(&[6], program(true, false, true));
    outputs(&[6], program(false, false, true));
}

#[test]
fn a_protected_mutable_reference_forbids_foreign_reads() {
    let program = |first: bool, write: bool| {
        move |b: &mut Build| {
            let (reference, pointer) = (b.unique(U32), b.pointer(U32));
            let function = b.function(UNIT, &[reference, pointer], |b| {
                if first {
                    b.record(d(2));
                }
                if write {
                    b.assign(d(1), n(5));
                }
            });
            let x = b.with(U32, 1);
            let p = b.raw(U32, l(x));
            let r = b.borrow(true, U32, l(x));
            b.call_function(function, vec![copy(l(r)), copy(l(p))], l(0));
            b.record(l(x));
        }
    };
    for write in [false, true] {
        undefined(Borrow, program(true, write));
        outputs(&[if write { 5 } else { 1 }], program(false, write));
    }
}

#[test]
fn protected_memory_must_not_be_freed() {
    let program = |shared: bool| {
        move |b: &mut Build| {
            let boxed = b.of(Kind::Heap(U32));
            let (reference, pointer) = (b.shared(U32), b.pointer(U32));
            let given = if shared { reference } else { pointer };
            let function = b.function(UNIT, &[given, pointer], |b| {
                let x = b.local(boxed);
                b.call(Callee::BoxFromPointer, vec![copy(l(2))], l(x));
                b.drop_place(l(x));
            });
            let x = b.local(boxed);
            b.call(Callee::NewBox, vec![n(1)], l(x));
            let p = b.local(pointer);
            b.call(Callee::BoxToPointer, vec![take(l(x))], l(p));
            let r = if shared { b.borrow(false, U32, d(p)) } else { p };
            b.call_function(function, vec![copy(l(r)), copy(l(p))], l(0));
        }
    };
    undefined(Borrow, program(true));
    outputs(&[], program(false));
}

#[test]
fn boxes_are_unique() {
    let program = |write: bool| {
        move |b: &mut Build| {
            let boxed = b.of(Kind::Heap(U32));
            let pointer = b.pointer(U32);
            let x = b.local(boxed);
            b.call(Callee::NewBox, vec![n(1)], l(x));
            let p = b.local(pointer);
            b.call(Callee::BoxToPointer, vec![take(l(x))], l(p));
            b.assign(d(p), n(2));
            b.call(Callee::BoxFromPointer, vec![copy(l(p))], l(x));
            if write {
                b.assign(d(p), n(3));
            }
            b.drop_place(l(x));
        }
    };
    undefined(Borrow, program(true));
    outputs(&[], program(false));
    undefined(Dangling, |b| {
        let boxed = b.of(Kind::Heap(U32));
        let pointer = b.pointer(U32);
        let (x, y, p) = (b.local(boxed), b.local(boxed), b.local(pointer));
        b.call(Callee::NewBox, vec![n(1)], l(x));
        b.call(Callee::BoxToPointer, vec![take(l(x))], l(p));
        b.call(Callee::BoxFromPointer, vec![copy(l(p))], l(y));
        b.drop_place(l(y));
        b.record(d(p));
    });
}

#[test]
fn returned_references_must_not_dangle() {
    let program = |local: bool| {
        move |b: &mut Build| {
            let reference = b.shared(U32);
            let function = b.function(reference, &[reference], |b| {
                if local {
                    let x = b.with(U32, 3);
                    b.set(l(0), Rvalue::Reference(false, l(x)));
                } else {
                    b.assign(l(0), copy(l(1)));
                }
            });
            let x = b.with(U32, 1);
            let r = b.borrow(false, U32, l(x));
            let s = b.local(reference);
            b.call_function(function, vec![copy(l(r))], l(s));
            b.record(d(s));
        }
    };
    undefined(Dangling, program(true));
    outputs(&[1], program(false));
}

/// An aggregate that contains a reference: its type, variant, and operands before the reference.
fn wrapped(b: &mut Build, reference: TypeId, how: usize) -> (TypeId, usize, Vec<Operand>) {
    let inner = b.tuple(&[U8, reference]);
    match how {
        0 => (inner, 0, vec![k(U8, 1)]),
        1 => (b.structure(Repr::C, &[U8, reference]), 0, vec![k(U8, 1)]),
        2 => (b.choice(Repr::Rust, &[&[U32], &[U8, reference]]), 1, vec![k(U8, 1)]),
        _ => (b.array(reference, 1), 0, vec![]),
    }
}

fn unwrapped(b: &mut Build, from: Local, reference: TypeId, how: usize) -> Local {
    let place = match how {
        0 | 1 => f(l(from), 1),
        2 => v(l(from), 1, 1),
        _ => {
            let zero = b.with(USIZE, 0);
            at(l(from), zero)
        }
    };
    b.new_local(reference, Rvalue::Use(take(place)))
}

#[test]
fn references_in_arguments_are_protected() {
    for how in 0..4 {
        let program = |same: bool| {
            move |b: &mut Build| {
                let (reference, pointer) = (b.unique(U32), b.pointer(U32));
                let (of, variant, mut parts) = wrapped(b, reference, how);
                let function = b.function(UNIT, &[of, pointer], |b| {
                    let r = unwrapped(b, 1, reference, how);
                    b.assign(d(r), n(5));
                    b.record(d(2));
                });
                let (x, y) = (b.with(U32, 1), b.with(U32, 2));
                let p = b.raw(U32, l(if same { x } else { y }));
                let r = b.borrow(true, U32, l(x));
                parts.push(take(l(r)));
                let whole = b.new_local(of, Rvalue::Aggregate(of, variant, parts));
                b.call_function(function, vec![take(l(whole)), copy(l(p))], l(0));
            }
        };
        undefined(Borrow, program(true));
        outputs(&[2], program(false));
    }
}

#[test]
fn references_in_return_values_are_retagged() {
    for how in 0..4 {
        // A write through the parent invalidates the returned reference.
        let program = |write: bool| {
            move |b: &mut Build| {
                let reference = b.unique(U32);
                let (of, variant, mut parts) = wrapped(b, reference, how);
                let function = b.function(of, &[reference], |b| {
                    parts.push(copy(l(1)));
                    b.set(l(0), Rvalue::Aggregate(of, variant, parts));
                });
                let x = b.with(U32, 1);
                let r = b.borrow(true, U32, l(x));
                let whole = b.local(of);
                b.call_function(function, vec![copy(l(r))], l(whole));
                let s = unwrapped(b, whole, reference, how);
                if write {
                    b.assign(d(r), n(3));
                }
                b.assign(d(s), n(4));
                b.record(l(x));
            }
        };
        undefined(Borrow, program(true));
        outputs(&[4], program(false));
        // It must not dangle.
        undefined(Dangling, |b| {
            let reference = b.unique(U32);
            let (of, variant, mut parts) = wrapped(b, reference, how);
            let function = b.function(of, &[], |b| {
                let x = b.with(U32, 3);
                let r = b.borrow(true, U32, l(x));
                parts.push(take(l(r)));
                b.set(l(0), Rvalue::Aggregate(of, variant, parts));
            });
            let whole = b.local(of);
            b.call_function(function, vec![], l(whole));
        });
    }
}
