//! Components of aggregates: function pointers, boxes, zero-sized types, packed and aligned fields, discriminants.

use super::*;

#[test]
fn a_function_pointer_can_be_called_inside_an_aggregate() {
    let program = |how: usize| {
        move |b: &mut Build| {
            let twice = b.function(U32, &[U32], |b| {
                b.set(l(0), Rvalue::Binary(Operator::Add, copy(l(1)), copy(l(1))));
            });
            let pointer = b.of(Kind::Function { parameters: vec![U32], returns: U32 });
            let result = b.local(U32);
            let value = Operand::Function(twice, pointer);
            let index = b.with(USIZE, if how == 3 { 2 } else { 1 });
            let callee = match how {
                0 => {
                    let of = b.tuple(&[U8, pointer]);
                    let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![k(U8, 0), value]));
                    f(l(x), 1)
                }
                1 => {
                    let of = b.choice(Repr::Rust, &[&[], &[pointer]]);
                    let x = b.new_local(of, Rvalue::Aggregate(of, 1, vec![value]));
                    v(l(x), 1, 0)
                }
                2 | 3 => {
                    let of = b.array(pointer, 2);
                    let x = b.new_local(of, Rvalue::Repeat(value, 2));
                    at(l(x), index)
                }
                4 => {
                    let of = b.choice(Repr::Rust, &[&[], &[pointer]]);
                    let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![]));
                    v(l(x), 1, 0)
                }
                _ => {
                    let of = b.tuple(&[pointer]);
                    f(l(b.local(of)), 0)
                }
            };
            b.call(Callee::Pointer(callee), vec![n(21)], l(result));
            b.record(l(result));
        }
    };
    for how in 0..3 {
        outputs(&[42], program(how));
    }
    undefined(OutOfBounds, program(3));
    undefined(Layout, program(4));
    undefined(Uninitialised, program(5));
}

/// A box in an aggregate: the box is dropped, or the aggregate, or both.
#[test]
fn a_box_in_an_aggregate_must_be_dropped_only_once() {
    let program = |how: usize, part: bool, whole: bool| {
        move |b: &mut Build| {
            let boxed = b.of(Kind::Heap(U32));
            let x = b.local(boxed);
            b.call(Callee::NewBox, vec![n(7)], l(x));
            let index = b.with(USIZE, 0);
            let (of, variant) = match how {
                0 => (b.choice(Repr::Rust, &[&[], &[boxed]]), 1),
                1 => (b.array(boxed, 1), 0),
                2 => (b.tuple(&[boxed]), 0),
                _ => (b.structure(Repr::Rust, &[boxed]), 0),
            };
            let all = b.new_local(of, Rvalue::Aggregate(of, variant, vec![take(l(x))]));
            if part {
                b.drop_place(match how {
                    0 => v(l(all), 1, 0),
                    1 => at(l(all), index),
                    _ => f(l(all), 0),
                });
            }
            if whole {
                b.drop_place(l(all));
            }
            b.record(l(index));
        }
    };
    for how in 0..4 {
        outputs(&[0], program(how, true, false));
        outputs(&[0], program(how, false, true));
        undefined(Uninitialised, program(how, true, true));
    }
    // A variant without the box can be dropped repeatedly.
    outputs(&[0], |b| {
        let boxed = b.of(Kind::Heap(U32));
        let of = b.choice(Repr::Rust, &[&[], &[boxed]]);
        let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![]));
        b.drop_place(l(x));
        b.set(l(x), Rvalue::Aggregate(of, 0, vec![]));
        b.drop_place(l(x));
        b.set(l(x), Rvalue::Aggregate(of, 0, vec![]));
        b.record(l(x));
    });
}

#[test]
fn zero_sized_values_can_be_used_everywhere() {
    outputs(&[3, 1], |b| {
        let nothing = b.structure(Repr::Rust, &[]);
        let none = b.array(Types::U64, 0);
        let x = b.new_local(nothing, Rvalue::Aggregate(nothing, 0, vec![]));
        let y = b.new_local(none, Rvalue::Aggregate(none, 0, vec![]));
        let of = b.tuple(&[nothing, UNIT, U8, none]);
        let parts = vec![take(l(x)), k(UNIT, 0), k(U8, 3), copy(l(y))];
        let all = b.new_local(of, Rvalue::Aggregate(of, 0, parts));
        let function = b.function(none, &[nothing, none], |b| b.assign(l(0), copy(l(2))));
        let arguments = vec![copy(f(l(all), 0)), copy(f(l(all), 3))];
        b.call_function(function, arguments, f(l(all), 3));
        b.record(f(l(all), 2));
        let choice = b.choice(Repr::Rust, &[&[], &[nothing, none]]);
        let parts = vec![copy(f(l(all), 0)), copy(f(l(all), 3))];
        let z = b.new_local(choice, Rvalue::Aggregate(choice, 1, parts));
        b.record(l(z));
    });
    // An empty array has no first element.
    undefined(OutOfBounds, |b| {
        let none = b.array(U8, 0);
        let x = b.new_local(none, Rvalue::Aggregate(none, 0, vec![]));
        let index = b.with(USIZE, 0);
        b.record(at(l(x), index));
    });
    // Whether two of them have the same address is unspecified.
    undefined(Address, |b| {
        let none = b.array(U8, 0);
        let x = b.new_local(none, Rvalue::Aggregate(none, 0, vec![]));
        let y = b.new_local(none, Rvalue::Aggregate(none, 0, vec![]));
        let (p, q) = (b.raw(none, l(x)), b.raw(none, l(y)));
        let same = Rvalue::Binary(Operator::Eq, copy(l(p)), copy(l(q)));
        b.new_local(Types::BOOL, same);
    });
}

#[test]
fn packing_limits_the_alignment_of_fields() {
    let borrowed = |repr: Repr, field: TypeId| {
        move |b: &mut Build| {
            let of = b.structure(repr, &[U8, field]);
            let x = b.local(of);
            b.assign(f(l(x), 1), k(field, 5));
            let r = b.borrow(false, field, f(l(x), 1));
            b.record(d(r));
        }
    };
    let short = Types::new().int(Int { signed: false, width: Width::W16 });
    for repr in [Repr::PackedTo(2), Repr::RustPacked(2)] {
        undefined(Misaligned, borrowed(repr, U32));
        outputs(&[5], borrowed(repr, short));
    }
    undefined(Misaligned, borrowed(Repr::RustPacked(1), short));
    for repr in [Repr::PackedTo(4), Repr::RustPacked(4), Repr::RustAlign(16), Repr::Align(2)] {
        outputs(&[5], borrowed(repr, U32));
    }
    // rustc chooses the layout of a struct with `repr(packed)` or `repr(align)` but without `repr(C)`.
    let as_bytes = |repr: Repr| {
        move |b: &mut Build| {
            let of = b.structure(repr, &[U32, U32]);
            let bytes = b.array(U8, 8);
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(1), n(2)]));
            let index = b.with(USIZE, 0);
            let y = b.new_local(bytes, Rvalue::Transmute(copy(l(x)), bytes));
            b.record(at(l(y), index));
        }
    };
    outputs(&[1], as_bytes(Repr::PackedTo(2)));
    undefined(Layout, as_bytes(Repr::RustPacked(2)));
    undefined(Layout, as_bytes(Repr::RustAlign(4)));
}

#[test]
fn discriminants_can_be_the_extremes_of_their_type() {
    let program = |repr: Repr, numbers: [i128; 3], which: usize| {
        move |b: &mut Build| {
            let variant = |number: &i128| Variant { fields: vec![], discriminant: Some(*number) };
            let shape = Shape::Enum(numbers.iter().map(variant).collect());
            let of = b.program.types.declare(Adt { shape, repr, destructor: None });
            let x = b.new_local(of, Rvalue::Aggregate(of, which, vec![]));
            b.record(l(x));
            let tag = b.program.types.discriminant_type(of);
            let y = b.new_local(tag, Rvalue::Discriminant(l(x)));
            b.record(l(y));
        }
    };
    let wide = [i128::from(u64::MAX), 0, 1 << 63];
    for (which, number) in wide.into_iter().enumerate() {
        outputs(&[number as u64; 2], program(Repr::Int(Int::U64), wide, which));
        outputs(&[number as u64; 2], program(Repr::CInt(Int::U64), wide, which));
    }
    let signed = [i128::from(i64::MAX), i128::from(i64::MIN), -1];
    for (which, number) in signed.into_iter().enumerate() {
        outputs(&[number as u64; 2], program(Repr::Rust, signed, which));
        outputs(&[number as u64; 2], program(Repr::RustAlign(16), signed, which));
    }
}
