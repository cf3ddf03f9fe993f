//! Rvalues, places, statements and debug info.

use super::*;
use crate::program::{Constant, Named, Operator};

#[test]
fn rvalues_are_checked() {
    rejects(&[
        ("assignment type mismatch", |p, _| assign(p, 3, Rvalue::Use(byte(1)))),
        ("constant is not a valid value of its type", |p, _| assign(p, 18, Rvalue::Use(byte(256)))),
        ("constant is not a valid value of its type", |p, _| {
            assign(p, 19, Rvalue::Use(Operand::constant(Types::BOOL, 2)));
        }),
        ("address of a pointer constant is too large", |p, n| {
            assign(p, 10, Rvalue::Use(Operand::constant(n.pointer, 1 << 31)));
        }),
        ("constant is not a valid value of its type", |p, n| {
            assign(p, 13, Rvalue::Use(Operand::constant(n.to_slice, 0)));
        }),
        ("`!` of an unsupported type", |p, _| assign(p, 10, Rvalue::Not(Operand::local(10)))),
        ("`-` of an unsupported type", |p, _| assign(p, 3, Rvalue::Negate(number(1)))),
        ("operands of different types", |p, _| {
            assign(p, 3, Rvalue::Binary(Operator::Add, number(1), byte(1)));
        }),
        ("shift of operands that are not integers", |p, _| {
            assign(p, 3, Rvalue::Binary(Operator::Shl, number(1), Operand::local(19)));
        }),
        ("arithmetic on an unsupported type", |p, _| {
            assign(p, 19, Rvalue::Binary(Operator::Add, Operand::local(19), Operand::local(19)));
        }),
        ("comparison of an unsupported type", |p, _| {
            assign(p, 19, Rvalue::Binary(Operator::Eq, Operand::local(4), Operand::local(4)));
        }),
        ("assignment type mismatch", |p, _| {
            assign(p, 3, Rvalue::Binary(Operator::Eq, number(1), number(1)));
        }),
        ("unsupported checked operator", |p, _| {
            assign(p, 4, Rvalue::Checked(Operator::Div, number(1), number(1)));
        }),
        ("assignment type mismatch", |p, _| {
            assign(p, 3, Rvalue::Checked(Operator::Add, number(1), number(1)));
        }),
        ("cast to the same type", |p, _| assign(p, 3, Rvalue::Cast(number(1), Types::U32))),
        ("invalid cast", |p, _| assign(p, 19, Rvalue::Cast(number(1), Types::BOOL))),
        ("invalid cast", |p, n| assign(p, 10, Rvalue::Cast(number(1), n.pointer))),
        ("invalid cast", |p, n| assign(p, 13, Rvalue::Cast(Operand::local(12), n.to_slice))),
        ("transmute between different sizes", |p, _| {
            assign(p, 3, Rvalue::Transmute(byte(1), Types::U32));
        }),
        ("transmute without a fixed layout", |p, _| {
            assign(p, 2, Rvalue::Transmute(Operand::local(4), Types::U64));
        }),
        ("pointer cast needs thin raw pointers", |p, n| {
            assign(p, 10, Rvalue::PointerCast(Operand::local(13), n.pointer));
        }),
        ("invalid unsizing", |p, n| assign(p, 13, Rvalue::Unsize(Operand::local(10), n.to_slice))),
        ("length needs a raw slice pointer", |p, _| {
            assign(p, 17, Rvalue::Length(Operand::local(12)));
        }),
        ("offset count is neither a `usize` nor an `isize`", |p, _| {
            assign(p, 10, Rvalue::Offset(Operand::local(10), number(1)));
        }),
        ("wrong number of aggregate operands", |p, n| {
            assign(p, 4, Rvalue::Aggregate(n.pair, 0, vec![number(1)]));
        }),
        ("aggregate operand type mismatch", |p, n| {
            assign(p, 8, Rvalue::Aggregate(n.union, 0, vec![byte(1)]));
        }),
        ("unknown variant", |p, n| assign(p, 9, Rvalue::Aggregate(n.choice, 3, vec![]))),
        ("assignment type mismatch", |p, _| assign(p, 5, Rvalue::Repeat(number(1), 3))),
        ("assignment type mismatch", |p, _| assign(p, 10, Rvalue::AddressOf(false, local(3)))),
        ("assignment type mismatch", |p, _| assign(p, 10, Rvalue::Reference(true, local(3)))),
        ("discriminant of a place that is not an enum", |p, _| {
            assign(p, 18, Rvalue::Discriminant(local(3)));
        }),
        ("unknown static", |p, _| assign(p, 10, Rvalue::Static(1))),
        ("unknown function", |p, n| {
            assign(p, 15, Rvalue::Use(Operand::Function(9, n.function)));
        }),
        ("function pointer type mismatch", |p, n| {
            assign(p, 15, Rvalue::Use(Operand::Function(4, n.function)));
        }),
        ("not `Copy`", |p, n| {
            let of = p.types.intern(Kind::Array(n.heap, 2));
            let to = extra(p, of);
            assign(p, to, Rvalue::Repeat(Operand::local(14), 2));
        }),
    ]);
    accepts(&[
        ("bits of a bool", |p, _| {
            let both = Operand::local(19);
            assign(p, 19, Rvalue::Binary(Operator::BitXor, both.clone(), both));
        }),
        ("a char from a byte", |p, _| {
            let to = extra(p, Types::CHAR);
            assign(p, to, Rvalue::Cast(byte(65), Types::CHAR));
        }),
        ("thin from wide", |p, n| assign(p, 10, Rvalue::Cast(Operand::local(13), n.pointer))),
        ("a transmute", |p, _| {
            let to = extra(p, Types::F32);
            assign(p, to, Rvalue::Transmute(number(1), Types::F32));
        }),
        ("pointers compared", |p, _| {
            assign(p, 19, Rvalue::Binary(Operator::Lt, Operand::local(10), Operand::local(10)));
        }),
        ("a union by its second field", |p, n| {
            let bytes = p.types.find(&Kind::Array(Types::U8, 4)).unwrap();
            let from = extra(p, bytes);
            assign(p, 8, Rvalue::Aggregate(n.union, 1, vec![Operand::local(from)]));
        }),
    ]);
}

#[test]
fn places_and_statements_are_checked() {
    rejects(&[
        ("unknown local", |p, _| assign(p, 99, Rvalue::Use(number(1)))),
        ("invalid projection", |p, _| {
            insert(p, set(local(4).then(Projection::Field(2)), Rvalue::Use(number(1))));
        }),
        ("invalid projection", |p, _| insert(p, set(Place::deref(3), Rvalue::Use(number(1))))),
        ("invalid projection", |p, _| insert(p, set(Place::deref(14), Rvalue::Use(number(1))))),
        ("dereference is not the first projection", |p, n| {
            let of = p.types.intern(Kind::Tuple(vec![n.pointer]));
            let at = extra(p, of);
            let place = local(at).then(Projection::Field(0)).then(Projection::Deref);
            insert(p, set(place, Rvalue::Use(number(1))));
        }),
        ("index is not a `usize`", |p, _| {
            insert(p, set(local(5).then(Projection::Index(3)), Rvalue::Use(number(1))));
        }),
        ("unsized type by value", |p, _| insert(p, set(Place::deref(13), Rvalue::Use(number(1))))),
        ("storage marker of a parameter", |p, _| insert(p, Statement::StorageLive(0))),
        ("storage marker of a parameter", |p, _| insert(p, Statement::StorageDead(2))),
        ("unknown variant", |p, _| insert(p, Statement::SetDiscriminant(local(9), 3))),
        ("`Assume` of an operand that is not a `bool`", |p, _| {
            insert(p, Statement::Assume(number(1)));
        }),
        ("retag of a place that is not a reference", |p, _| insert(p, Statement::Retag(local(10)))),
    ]);
    accepts(&[
        ("a part of a slice", |p, _| {
            let part = Place::deref(13).then(Projection::Index(17));
            assign(p, 3, Rvalue::Use(Operand::Copy(part)));
        }),
        ("a packed field", |p, _| {
            let part = local(7).then(Projection::Field(1));
            assign(p, 3, Rvalue::Use(Operand::Move(part)));
        }),
    ]);
}

#[test]
fn debug_info_is_checked() {
    fn name(program: &mut Program, named: Named) {
        program.functions[0].debug.push(named);
    }
    let (mut good, _) = sample();
    name(&mut good, Named::Place(local(4).then(Projection::Field(0))));
    name(&mut good, Named::Constant(Constant { of: Types::CHAR, bits: 97 }));
    assert_eq!(validate(&good), Ok(()));
    rejects(&[
        ("unknown local", |p, _| name(p, Named::Place(local(999)))),
        ("invalid projection", |p, _| name(p, Named::Place(local(1).then(Projection::Field(0))))),
        ("debug info for an indexed place", |p, _| {
            name(p, Named::Place(local(1).then(Projection::Index(1))));
        }),
        ("debug info for a unit", |p, _| {
            name(p, Named::Constant(Constant { of: Types::UNIT, bits: 0 }));
        }),
        ("constant is not a valid value of its type", |p, _| {
            name(p, Named::Constant(Constant { of: Types::BOOL, bits: 2 }));
        }),
    ]);
}
