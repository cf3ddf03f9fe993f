//! Types, functions and statics.

use super::*;
use crate::types::{Adt, Int, Repr, Shape, Variant, Width};

fn adt(program: &mut Program, shape: Shape, repr: Repr) -> TypeId {
    program.types.declare(Adt { shape, repr, destructor: None })
}

fn plain(shape: Shape) -> Adt {
    Adt { shape, repr: Repr::Rust, destructor: None }
}

fn variant(discriminant: Option<i128>) -> Variant {
    Variant { fields: vec![], discriminant }
}

#[test]
fn declarations_are_checked() {
    rejects(&[
        ("union is not `repr(C)`", |p, _| {
            adt(p, Shape::Union(vec![Types::U8]), Repr::Rust);
        }),
        ("union field has padding or pointers", |p, n| {
            adt(p, Shape::Union(vec![n.pointer]), Repr::C);
        }),
        ("`repr(transparent)` needs exactly one field", |p, _| {
            adt(p, Shape::Struct(vec![Types::U8; 2]), Repr::Transparent);
        }),
        ("packed struct contains a type with `repr(align)`", |p, _| {
            let aligned = adt(p, Shape::Struct(vec![Types::U8]), Repr::Align(8));
            adt(p, Shape::Struct(vec![aligned]), Repr::Packed);
        }),
        ("invalid alignment", |p, _| {
            adt(p, Shape::Struct(vec![Types::U8]), Repr::Align(3));
        }),
        ("struct with an integer `repr`", |p, _| {
            adt(p, Shape::Struct(vec![Types::U8]), Repr::Int(Int::U8));
        }),
        ("enum without variants", |p, _| {
            adt(p, Shape::Enum(vec![]), Repr::Rust);
        }),
        ("enum with a `repr` for structs", |p, _| {
            adt(p, Shape::Enum(vec![variant(None)]), Repr::Packed);
        }),
        ("invalid packing", |p, _| {
            adt(p, Shape::Struct(vec![Types::U8]), Repr::RustPacked(3));
        }),
        ("packed struct contains a type with `repr(align)`", |p, _| {
            let aligned = adt(p, Shape::Struct(vec![Types::U8]), Repr::RustAlign(4));
            adt(p, Shape::Struct(vec![aligned]), Repr::PackedTo(2));
        }),
        ("invalid alignment", |p, _| {
            adt(p, Shape::Enum(vec![variant(None)]), Repr::RustAlign(3));
        }),
        ("struct with an integer `repr`", |p, _| {
            adt(p, Shape::Struct(vec![Types::U8]), Repr::CInt(Int::U8));
        }),
        ("discriminant out of range", |p, _| {
            let past = 1 << 64;
            adt(p, Shape::Enum(vec![variant(Some(past))]), Repr::CInt(Int::U64));
        }),
        ("enum with a 128-bit `repr`", |p, _| {
            let wide = Int { signed: false, width: Width::W128 };
            adt(p, Shape::Enum(vec![variant(None)]), Repr::Int(wide));
        }),
        ("discriminant out of range", |p, _| {
            adt(p, Shape::Enum(vec![variant(Some(255)), variant(None)]), Repr::Int(Int::U8));
        }),
        ("duplicate discriminant", |p, _| {
            adt(p, Shape::Enum(vec![variant(Some(1)), variant(Some(1))]), Repr::Rust);
        }),
        ("explicit discriminants and fields without an integer `repr`", |p, _| {
            let full = Variant { fields: vec![Types::U8], discriminant: None };
            adt(p, Shape::Enum(vec![full, variant(Some(1))]), Repr::Rust);
        }),
        ("destructor signature mismatch", |p, n| {
            let of = p.types.kind(n.dropped).clone();
            if let Kind::Adt(index) = of {
                p.types.adts[index].destructor = Some(1);
            }
        }),
        ("packed struct with a destructor", |p, n| {
            let of = p.types.kind(n.packed).clone();
            if let Kind::Adt(index) = of {
                p.types.adts[index].destructor = Some(2);
            }
        }),
        ("unsized type by value", |p, _| {
            let slice = p.types.find(&Kind::Slice(Types::U32)).unwrap();
            p.types.intern(Kind::Tuple(vec![slice]));
        }),
        ("type parameter not allowed here", |p, n| {
            let field = n.parameter;
            adt(p, Shape::Struct(vec![field]), Repr::Rust);
        }),
        ("type contains itself", |p, _| {
            let of = p.types.announce();
            p.types.define([(of, plain(Shape::Struct(vec![of])))]);
        }),
        ("type contains itself", |p, _| {
            let of = p.types.announce();
            let kept = p.types.intern(Kind::Manual(of));
            let none = p.types.intern(Kind::Array(kept, 0));
            p.types.define([(of, plain(Shape::Struct(vec![none])))]);
        }),
        ("type contains itself", |p, _| {
            let (one, other) = (p.types.announce(), p.types.announce());
            let each = [(one, other), (other, one)];
            p.types.define(each.map(|(of, it)| (of, plain(Shape::Struct(vec![it])))));
        }),
        ("union field has padding or pointers", |p, n| {
            let kept = p.types.intern(Kind::Manual(n.dropped));
            adt(p, Shape::Union(vec![kept]), Repr::C);
        }),
        ("unsized type by value", |p, _| {
            let slice = p.types.find(&Kind::Slice(Types::U32)).unwrap();
            p.types.intern(Kind::Manual(slice));
        }),
    ]);
    accepts(&[
        ("a type that points to itself", |p, _| {
            let of = p.types.announce();
            let pointer = p.types.intern(Kind::Pointer { mutable: true, to: of });
            let boxed = p.types.intern(Kind::Heap(of));
            let pair = p.types.intern(Kind::Tuple(vec![pointer, boxed]));
            p.types.define([(of, plain(Shape::Struct(vec![Types::U8, pair])))]);
        }),
        ("two types that point to each other", |p, _| {
            let (one, other) = (p.types.announce(), p.types.announce());
            let lent = p.types.intern(Kind::Reference { mutable: false, to: one });
            let pointer = p.types.intern(Kind::Pointer { mutable: true, to: other });
            p.types.define([
                (one, plain(Shape::Struct(vec![pointer]))),
                (other, plain(Shape::Struct(vec![lent]))),
            ]);
        }),
        ("a union with a `ManuallyDrop` field", |p, n| {
            if let Kind::Adt(index) = *p.types.kind(n.dropped) {
                p.types.adts[index].repr = Repr::C;
            }
            let all = p.types.clone();
            p.types.define(all.all().filter_map(|of| Some((of, all.adt(of)?.clone()))));
            let kept = p.types.intern(Kind::Manual(n.dropped));
            adt(p, Shape::Union(vec![kept, Types::U8]), Repr::C);
        }),
    ]);
}

#[test]
fn functions_and_statics_are_checked() {
    rejects(&[
        ("no functions", |p, _| p.functions.clear()),
        ("fewer locals than parameters", |p, _| p.functions[1].parameters = 2),
        ("function without blocks", |p, _| p.functions[1].blocks.clear()),
        ("unknown generic parameter", |p, _| p.functions[3].generics = 0),
        ("unsized type by value", |p, _| {
            let slice = p.types.find(&Kind::Slice(Types::U32)).unwrap();
            extra(p, slice);
        }),
        ("unknown type", |p, _| {
            extra(p, TypeId(999));
        }),
        ("the first function is generic", |p, _| p.functions[0].generics = 1),
        ("wrong number of arguments", |p, _| {
            p.arguments.pop();
        }),
        ("argument of the wrong type", |p, _| p.arguments[0].of = Types::U8),
        ("a parameter of the first function is not a scalar", |p, n| {
            p.functions[0].locals[1] = n.pair;
        }),
        ("bits are not a valid value", |p, _| p.statics[0].value[0] = 1 << 32),
        ("wrong number of scalars", |p, _| p.statics[0].value.push(1)),
        ("static contains more than scalars", |p, n| p.statics[0].of = n.pointer),
    ]);
}
