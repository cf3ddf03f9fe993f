//! Candidates of programs with recursive types and `ManuallyDrop`.

use super::super::super::interpret;
use super::super::super::program::Unwind;
use super::super::super::types::{Adt, TypeId};
use super::*;

/// A program that traverses a list of two nodes, and wraps one in `ManuallyDrop`.
fn linked_list() -> (Program, TypeId) {
    let (mut program, _) = sample();
    let types = &mut program.types;
    let of = types.announce();
    let pointer = types.intern(Kind::Pointer { mutable: true, to: of });
    let shape = Shape::Struct(vec![Types::U32, pointer]);
    types.define([(of, Adt { shape, repr: Repr::Rust, destructor: None })]);
    let wrapped = types.intern(Kind::Manual(of));
    let node =
        |number_of: u128, next: Operand| Rvalue::Aggregate(of, 0, vec![number(number_of), next]);
    let deref = |it: usize, field: usize| Place::deref(it).then(Projection::Field(field));
    let copy = |place: Place| Rvalue::Use(Operand::Copy(place));
    let blocks = vec![
        block(
            vec![
                set(local(3), node(5, Operand::constant(pointer, 0))),
                set(local(5), Rvalue::AddressOf(true, local(3))),
                set(local(4), node(6, Operand::local(5))),
                set(local(5), Rvalue::AddressOf(true, local(4))),
                set(local(5), copy(deref(5, 1))),
                set(local(6), copy(deref(5, 0))),
            ],
            call(Callee::NewManual, vec![Operand::local(4)], 7, 1),
        ),
        block(
            vec![set(local(4), Rvalue::Transmute(Operand::local(7), of))],
            Terminator::Drop { place: local(7), target: 2, unwind: Unwind::Continue },
        ),
        block(vec![], Terminator::Record { values: vec![local(6)], target: 3 }),
        block(vec![], Terminator::Return),
    ];
    let locals = vec![Types::UNIT, Types::U32, Types::U64, of, of, pointer, Types::U32, wrapped];
    program.functions[0] = function(locals, 2, blocks);
    (program, of)
}

#[test]
fn candidates_with_recursive_types_are_valid_and_survive_serialisation() {
    let (program, _) = linked_list();
    assert_eq!(validate(&program), Ok(()));
    let own = weight(&program);
    for candidate in candidates(&program) {
        assert_eq!(validate(&candidate), Ok(()));
        assert!(weight(&candidate) < own);
        let text = serde_json::to_string(&candidate).unwrap();
        assert_eq!(serde_json::from_str::<Program>(&text).unwrap(), candidate);
    }
}

#[test]
fn manually_drop_is_replaced_by_its_content() {
    let (program, of) = linked_list();
    let manual =
        |it: &Program| it.types.all().any(|of| matches!(it.types.kind(of), Kind::Manual(_)));
    let plain = found(&program, |it| {
        !manual(it) && it.functions[0].locals.len() == 8 && it.types.adt(of).is_some()
    });
    let plain = plain.expect("a candidate without ManuallyDrop");
    assert_eq!(plain.functions[0].locals[7], plain.functions[0].locals[4]);
    assert_eq!(
        interpret::run(&plain, 1_000).map(|it| it.hash),
        interpret::run(&program, 1_000).map(|it| it.hash)
    );
}

#[test]
fn an_unused_recursive_link_is_removed() {
    let (program, _) = linked_list();
    let reduced = reduce(program, &|it| {
        let built =
            any_rvalue(it, &|it| matches!(it, Rvalue::Aggregate(_, 0, parts) if !parts.is_empty()));
        interpret::run(it, 1_000).is_ok() && built
    });
    assert!(reduced.types.all().all(|of| {
        !matches!(reduced.types.kind(of), Kind::Pointer { to, .. } if reduced.types.adt(*to).is_some())
    }));
}
