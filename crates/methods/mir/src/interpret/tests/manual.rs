//! `ManuallyDrop`: its content is not dropped with it, and can be dropped explicitly.

use super::*;

/// A struct whose destructor records its field, and the `ManuallyDrop` of it.
fn recording_struct(b: &mut Build) -> (TypeId, TypeId) {
    let of = b.program.types.announce();
    let reference = b.unique(of);
    let destructor = Some(b.function(UNIT, &[reference], |b| b.record(f(d(1), 0))));
    let shape = Shape::Struct(vec![U32]);
    b.program.types.define([(of, Adt { shape, repr: Repr::Rust, destructor })]);
    let kept = b.of(Kind::Manual(of));
    (of, kept)
}

/// A local with a `ManuallyDrop`, the type of its content, and its type.
fn kept(b: &mut Build) -> (Local, TypeId, TypeId) {
    let (of, kept) = recording_struct(b);
    let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(6)]));
    let m = b.local(kept);
    b.call(Callee::NewManual, vec![take(l(x))], l(m));
    (m, of, kept)
}

#[test]
fn the_content_is_not_dropped() {
    outputs(&[], |b| {
        let (m, ..) = kept(b);
        b.drop_place(l(m));
    });
    // Nor as a part of a tuple, whose other part is dropped.
    outputs(&[8], |b| {
        let (m, of, kept) = kept(b);
        let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(8)]));
        let pair = b.tuple(&[kept, of]);
        let both = b.new_local(pair, Rvalue::Aggregate(pair, 0, vec![take(l(m)), take(l(x))]));
        b.drop_place(l(both));
    });
}

#[test]
fn the_content_can_be_dropped_explicitly_once() {
    let program = |times: usize, way: usize| {
        move |b: &mut Build| {
            let (m, of, kept) = kept(b);
            let (outer, inner) = (b.pointer(kept), b.pointer(of));
            let p = b.new_local(outer, Rvalue::AddressOf(true, l(m)));
            let cast = match way {
                0 => Rvalue::PointerCast(copy(l(p)), inner),
                1 => Rvalue::Cast(copy(l(p)), inner),
                _ => Rvalue::Transmute(copy(l(p)), inner),
            };
            let q = b.new_local(inner, cast);
            b.assign(f(d(q), 0), n(5));
            for _ in 0..times {
                b.drop_place(d(q));
            }
            b.drop_place(l(m));
        }
    };
    for way in 0..3 {
        outputs(&[], program(0, way));
        outputs(&[5], program(1, way));
        undefined(Uninitialised, program(2, way));
    }
}

#[test]
fn a_dropped_content_cannot_be_taken_out() {
    let program = |gone: bool, called: bool| {
        move |b: &mut Build| {
            let (m, of, _) = kept(b);
            if gone {
                let inner = b.pointer(of);
                let p = b.raw(b.body.locals[m], l(m));
                let q = b.new_local(inner, Rvalue::PointerCast(copy(l(p)), inner));
                b.drop_place(d(q));
            }
            let x = b.local(of);
            if called {
                b.call(Callee::ManualToInner, vec![take(l(m))], l(x));
            } else {
                b.set(l(x), Rvalue::Transmute(take(l(m)), of));
            }
            b.drop_place(l(x));
        }
    };
    for called in [false, true] {
        outputs(&[6], program(false, called));
        undefined(Uninitialised, program(true, called));
    }
}

#[test]
fn a_manually_drop_must_hold_a_valid_value() {
    let program = |bits: u128| {
        move |b: &mut Build| {
            let of = b.of(Kind::Manual(Types::BOOL));
            let byte = b.with(U8, bits);
            let m = b.new_local(of, Rvalue::Transmute(copy(l(byte)), of));
            let is = b.new_local(Types::BOOL, Rvalue::Transmute(copy(l(m)), Types::BOOL));
            b.record(l(is));
        }
    };
    outputs(&[1], program(1));
    undefined(InvalidValue, program(2));
    // A box in it must not dangle.
    let program = |freed: bool| {
        move |b: &mut Build| {
            let boxed = b.of(Kind::Heap(U32));
            let of = b.of(Kind::Manual(boxed));
            let raw = b.pointer(U32);
            let x = b.local(boxed);
            b.call(Callee::NewBox, vec![n(3)], l(x));
            let p = b.new_local(raw, Rvalue::Transmute(copy(l(x)), raw));
            let m = b.new_local(of, Rvalue::Transmute(take(l(x)), of));
            if freed {
                let again = b.local(boxed);
                b.call(Callee::BoxFromPointer, vec![copy(l(p))], l(again));
                b.drop_place(l(again));
            }
            let other = b.new_local(of, Rvalue::Use(take(l(m))));
            b.drop_place(l(other));
            b.record(d(p));
        }
    };
    outputs(&[3], program(false));
    undefined(Dangling, program(true));
}

#[test]
fn pointers_to_the_content_and_to_the_whole_can_be_cast() {
    let program = |other: bool| {
        move |b: &mut Build| {
            let (m, of, kept) = kept(b);
            let to = if other { b.structure(Repr::Rust, &[U32]) } else { of };
            let inner = b.pointer(to);
            let p = b.raw(kept, l(m));
            let q = b.new_local(inner, Rvalue::PointerCast(copy(l(p)), inner));
            b.record(f(d(q), 0));
        }
    };
    outputs(&[6], program(false));
    // The layout of another `repr(Rust)` type is unspecified.
    undefined(Layout, program(true));
}
