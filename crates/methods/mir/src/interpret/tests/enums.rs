//! Enums: built as a whole or field by field, read, moved out of, borrowed.

use super::*;

fn option(b: &mut Build) -> TypeId {
    b.choice(Repr::Rust, &[&[], &[U32, U8]])
}

#[test]
fn an_enum_can_be_built_as_a_whole() {
    outputs(&[1, 5, 0], |b| {
        let of = option(b);
        let x = b.new_local(of, Rvalue::Aggregate(of, 1, vec![n(5), k(U8, 6)]));
        let tag = b.new_local(Types::ISIZE, Rvalue::Discriminant(l(x)));
        b.record(l(tag));
        b.record(v(l(x), 1, 0));
        b.set(l(x), Rvalue::Aggregate(of, 0, vec![]));
        b.record(l(x));
    });
    undefined(Layout, |b| {
        let of = option(b);
        let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![]));
        b.record(v(l(x), 1, 0));
    });
}

#[test]
fn an_enum_can_be_built_field_by_field() {
    let program = |fields: usize, finish: bool| {
        move |b: &mut Build| {
            let of = option(b);
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![]));
            for field in 0..fields {
                b.assign(v(l(x), 1, field), [n(5), k(U8, 6)][field].clone());
            }
            if finish {
                b.then(Statement::SetDiscriminant(l(x), 1));
            }
            b.record(l(x));
        }
    };
    outputs(&[1], program(2, true));
    undefined(Uninitialised, program(1, true));
    undefined(Uninitialised, program(0, true));
    undefined(Uninitialised, program(2, false));
    // A variant without fields can always be set.
    outputs(&[0], |b| {
        let of = option(b);
        let x = b.new_local(of, Rvalue::Aggregate(of, 1, vec![n(5), k(U8, 6)]));
        b.then(Statement::SetDiscriminant(l(x), 0));
        b.record(l(x));
    });
    // The fields of the previous variant become uninitialised.
    undefined(Uninitialised, |b| {
        let of = b.choice(Repr::Rust, &[&[U32, U32], &[U32, U32]]);
        let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(1), n(2)]));
        b.assign(v(l(x), 1, 0), n(3));
        b.record(v(l(x), 1, 1));
    });
    // A scalar may be copied from the variant that the write replaces, an aggregate may not.
    outputs(&[7], |b| {
        let of = b.choice(Repr::Rust, &[&[U8, U32], &[U32]]);
        let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![k(U8, 1), n(7)]));
        b.assign(v(l(x), 1, 0), copy(v(l(x), 0, 1)));
        b.then(Statement::SetDiscriminant(l(x), 1));
        b.record(v(l(x), 1, 0));
    });
    undefined(Overlap, |b| {
        let part = b.tuple(&[U32]);
        let of = b.choice(Repr::Rust, &[&[part, part], &[U8, U8, part]]);
        let x = b.new_local(part, Rvalue::Aggregate(part, 0, vec![n(1)]));
        let parts = vec![copy(l(x)), copy(l(x))];
        let y = b.new_local(of, Rvalue::Aggregate(of, 0, parts));
        b.assign(v(l(y), 1, 2), copy(v(l(y), 0, 0)));
    });
}

#[test]
fn a_move_out_of_a_field_makes_the_enum_incomplete() {
    let program = |moved: bool| {
        move |b: &mut Build| {
            let of = option(b);
            let x = b.new_local(of, Rvalue::Aggregate(of, 1, vec![n(5), k(U8, 6)]));
            let y = b.local(U32);
            let part = v(l(x), 1, 0);
            b.assign(l(y), if moved { take(part) } else { copy(part) });
            b.record(l(x));
        }
    };
    outputs(&[1], program(false));
    undefined(Uninitialised, program(true));
}

#[test]
fn fields_of_variants_can_be_borrowed() {
    let program = |change: bool| {
        move |b: &mut Build| {
            let of = option(b);
            let x = b.new_local(of, Rvalue::Aggregate(of, 1, vec![n(5), k(U8, 6)]));
            let r = b.borrow(true, U32, v(l(x), 1, 0));
            b.assign(d(r), n(9));
            if change {
                b.set(l(x), Rvalue::Aggregate(of, 1, vec![n(1), k(U8, 6)]));
            }
            b.record(d(r));
            b.record(v(l(x), 1, 0));
        }
    };
    outputs(&[9, 9], program(false));
    undefined(Borrow, program(true));
    undefined(Layout, |b| {
        let of = option(b);
        let x = b.new_local(of, Rvalue::Aggregate(of, 1, vec![n(5), k(U8, 6)]));
        b.raw(U32, v(l(x), 1, 0));
    });
}

#[test]
fn variants_of_enums_with_a_fixed_layout_share_their_bytes() {
    // With `repr(u8)` the tag is a byte, and fields of any variant can be read.
    let repr = Repr::Int(Int::U8);
    outputs(&[1, 5], |b| {
        let of = b.choice(repr, &[&[U8], &[U8]]);
        let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![k(U8, 5)]));
        b.then(Statement::SetDiscriminant(l(x), 1));
        b.record(l(x));
        b.record(v(l(x), 1, 0));
        b.raw(U8, v(l(x), 0, 0));
    });
    undefined(InvalidValue, |b| {
        let of = b.choice(repr, &[&[], &[]]);
        let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![]));
        let p = b.raw(of, l(x));
        b.intrinsic(Intrinsic::WriteBytes, vec![copy(l(p)), k(U8, 2), k(USIZE, 1)], l(0));
        b.record(l(x));
    });
    // Unless rustc chooses the layout of a field.
    undefined(Layout, |b| {
        let part = b.tuple(&[U8]);
        let of = b.choice(repr, &[&[part], &[part]]);
        let x = b.new_local(part, Rvalue::Aggregate(part, 0, vec![k(U8, 5)]));
        let y = b.new_local(of, Rvalue::Aggregate(of, 0, vec![copy(l(x))]));
        b.record(f(v(l(y), 1, 0), 0));
    });
}

#[test]
fn discriminants_can_be_negative() {
    outputs(&[3u64.wrapping_neg(), 2u64.wrapping_neg()], |b| {
        let variant = |discriminant| Variant { fields: vec![], discriminant };
        let shape = Shape::Enum(vec![variant(Some(-3)), variant(None)]);
        let repr = Repr::Int(Int { signed: true, width: Width::W16 });
        let of = b.program.types.declare(Adt { shape, repr, destructor: None });
        for variant in 0..2 {
            let x = b.new_local(of, Rvalue::Aggregate(of, variant, vec![]));
            b.record(l(x));
        }
    });
}

#[test]
fn variants_of_repr_c_enums_share_their_bytes() {
    // The fields of all variants begin at one offset, so those of another variant can be read.
    let program = |repr: Repr| {
        move |b: &mut Build| {
            let of = b.choice(repr, &[&[U32], &[U32, U8]]);
            let x = b.new_local(of, Rvalue::Aggregate(of, 0, vec![n(5)]));
            b.record(v(l(x), 1, 0));
            let tag = b.new_local(Types::ISIZE, Rvalue::Discriminant(l(x)));
            b.record(l(tag));
        }
    };
    outputs(&[5, 0], program(Repr::C));
    undefined(Layout, program(Repr::Rust));
    // The tag comes first, and is an `int`.
    let tagged = |tag: u128| {
        move |b: &mut Build| {
            let of = b.choice(Repr::C, &[&[], &[]]);
            let x = b.new_local(of, Rvalue::Transmute(k(Types::I32, tag), of));
            b.record(l(x));
        }
    };
    outputs(&[1], tagged(1));
    undefined(InvalidValue, tagged(2));
}
