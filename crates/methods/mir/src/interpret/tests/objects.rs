//! Trait objects.

use super::*;
use crate::object::{Implementation, Method, Trait};

/// Declares a trait with one method, which `u32` and `u8` implement with different results. Returns its trait object.
fn declared(b: &mut Build, mutable: bool) -> TypeId {
    let mut implementations = vec![];
    for (of, bits) in [(U32, 7), (U8, 9)] {
        let receiver = b.of(Kind::Reference { mutable, to: of });
        let function = b.function(U32, &[receiver, U32], |b| {
            b.set(l(0), Rvalue::Binary(Operator::Add, copy(l(2)), n(bits)));
            if mutable {
                b.assign(d(1), k(of, 3));
            }
        });
        implementations.push(Implementation { of, functions: vec![function] });
    }
    let method = Method { mutable, parameters: vec![U32], returns: U32 };
    b.program.traits.push(Trait { methods: vec![method], implementations });
    b.of(Kind::Object(0))
}

/// A new local with a reference to a place, as a trait object.
fn object(b: &mut Build, to: TypeId, of: TypeId, place: Place, mutable: bool) -> Local {
    let thin = b.of(Kind::Reference { mutable, to: of });
    let wide = b.of(Kind::Reference { mutable, to });
    let x = b.new_local(thin, Rvalue::Reference(mutable, place));
    b.new_local(wide, Rvalue::Unsize(copy(l(x)), wide))
}

const METHOD: Callee = Callee::Method(0, 0);

#[test]
fn methods_are_dispatched_on_the_concrete_type() {
    outputs(&[17, 19], |b| {
        let to = declared(b, false);
        let (x, y, z) = (b.with(U32, 1), b.with(U8, 1), b.local(U32));
        for (of, place) in [(U32, l(x)), (U8, l(y))] {
            let it = object(b, to, of, place, false);
            b.call(METHOD, vec![copy(l(it)), n(10)], l(z));
            b.record(l(z));
        }
    });
}

#[test]
fn a_method_writes_through_its_receiver() {
    outputs(&[17, 3], |b| {
        let to = declared(b, true);
        let (x, z) = (b.with(U32, 1), b.local(U32));
        let it = object(b, to, U32, l(x), true);
        b.call(METHOD, vec![Operand::Move(l(it)), n(10)], l(z));
        b.record(l(z));
        b.record(l(x));
    });
    // A foreign write has invalidated the receiver.
    undefined(Borrow, |b| {
        let to = declared(b, true);
        let (x, z) = (b.with(U32, 1), b.local(U32));
        let it = object(b, to, U32, l(x), true);
        b.assign(l(x), n(5));
        b.call(METHOD, vec![Operand::Move(l(it)), n(10)], l(z));
    });
}

#[test]
fn a_moved_receiver_becomes_uninitialised() {
    let program = |moved: bool| {
        move |b: &mut Build| {
            let to = declared(b, false);
            let (x, z) = (b.with(U32, 1), b.local(U32));
            let it = object(b, to, U32, l(x), false);
            let receiver = if moved { Operand::Move(l(it)) } else { copy(l(it)) };
            b.call(METHOD, vec![receiver, n(10)], l(z));
            b.call(METHOD, vec![copy(l(it)), n(10)], l(z));
            b.record(l(z));
        }
    };
    outputs(&[17], program(false));
    undefined(Uninitialised, program(true));
}

#[test]
fn a_dangling_trait_object_cannot_be_called() {
    let program = |dead: bool| {
        move |b: &mut Build| {
            let to = declared(b, false);
            let raw = b.of(Kind::Pointer { mutable: false, to });
            let wide = b.of(Kind::Reference { mutable: false, to });
            let thin = b.of(Kind::Pointer { mutable: false, to: U32 });
            let (x, z) = (b.local(U32), b.local(U32));
            b.then(Statement::StorageLive(x));
            b.assign(l(x), n(1));
            let p = b.new_local(thin, Rvalue::AddressOf(false, l(x)));
            let q = b.new_local(raw, Rvalue::Unsize(copy(l(p)), raw));
            if dead {
                b.then(Statement::StorageDead(x));
            }
            let it = b.new_local(wide, Rvalue::Reference(false, d(q)));
            b.call(METHOD, vec![copy(l(it)), n(1)], l(z));
            b.record(l(z));
        }
    };
    outputs(&[8], program(false));
    undefined(Dangling, program(true));
}

#[test]
fn a_boxed_trait_object_is_dropped_as_its_concrete_type() {
    let program = |twice: bool| {
        move |b: &mut Build| {
            let shape = Shape::Struct(vec![U32]);
            let destructor = Some(b.program.functions.len());
            let of = b.program.types.declare(Adt { shape, repr: Repr::Rust, destructor });
            let receiver = b.of(Kind::Reference { mutable: true, to: of });
            b.function(UNIT, &[receiver], |b| b.record(f(d(1), 0)));
            let implementations = vec![Implementation { of, functions: vec![] }];
            b.program.traits.push(Trait { methods: vec![], implementations });
            let to = b.of(Kind::Object(0));
            let (heap, wide) = (b.of(Kind::Heap(of)), b.of(Kind::Heap(to)));
            let value = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(6)]));
            let x = b.local(heap);
            b.call(Callee::NewBox, vec![Operand::Move(l(value))], l(x));
            let y = b.new_local(wide, Rvalue::Unsize(Operand::Move(l(x)), wide));
            b.drop_place(l(y));
            if twice {
                b.drop_place(l(y));
            }
        }
    };
    outputs(&[6], program(false));
    undefined(Uninitialised, program(true));
}
