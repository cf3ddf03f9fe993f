use super::super::intrinsic::Intrinsic;
use super::super::object::{Implementation, Method, Trait};
use super::super::program::{
    Callee, Constant, Named, Operand, Operator, Place, Program, Projection, Reason, Rvalue,
    Statement, Terminator, Unwind,
};
use super::super::types::{Adt, Int, Kind, Repr, Shape, TypeId, Types, Variant, Width};
use super::sample::{Names, block, call, function, local, number, sample, set};
use super::{Spot, validate};

#[test]
fn the_sample_is_valid() {
    assert_eq!(validate(&sample().0), Ok(()));
}

/// Makes function 3 of the sample one with a constant parameter, and calls it with one.
fn fixed(program: &mut Program, given: Kind) -> TypeId {
    let constant = program.types.intern(Kind::Constant(1, Types::USIZE));
    let given = program.types.intern(given);
    program.functions[3].generics = 2;
    program.functions[3].constants = vec![Types::USIZE];
    let generic = Callee::Function(3, vec![Types::U32, given]);
    program.functions[0].blocks[4].terminator = call(generic, vec![Operand::local(3)], 3, 5);
    constant
}

/// Assigns something to a new local of function 3.
fn in_generic(program: &mut Program, of: TypeId, value: Rvalue) {
    let body = &mut program.functions[3];
    body.locals.push(of);
    let to = local(body.locals.len() - 1);
    body.blocks[0].statements.insert(0, set(to, value));
}

#[test]
fn constant_parameters() {
    const FIVE: Kind = Kind::Value(Types::USIZE, 5);
    allows(&[
        ("a constant", |p, _| {
            let constant = fixed(p, FIVE);
            in_generic(p, Types::USIZE, Rvalue::Use(Operand::Parameter(constant)));
        }),
        ("an array of that length", |p, n| {
            let constant = fixed(p, FIVE);
            let array = p.types.intern(Kind::ArrayOf(n.parameter, 1));
            in_generic(p, array, Rvalue::RepeatOf(Operand::local(1), constant));
        }),
    ]);
    finds(&[
        ("wrong number of type arguments", |p, _| {
            fixed(p, FIVE);
            let generic = Callee::Function(3, vec![Types::U32]);
            end(p, 4, call(generic, vec![Operand::local(3)], 3, 5));
        }),
        ("a constant of another type", |p, _| {
            fixed(p, Kind::Value(Types::U8, 5));
        }),
        ("no value of its type", |p, _| {
            fixed(p, Kind::Value(Types::U8, 256));
        }),
        ("a constant parameter that is not there", |p, _| {
            let constant = fixed(p, FIVE);
            let to = extra(p, Types::USIZE);
            assign(p, to, Rvalue::Use(Operand::Parameter(constant)));
        }),
        ("a constant parameter that is not there", |p, _| {
            fixed(p, Kind::Constant(1, Types::USIZE));
        }),
        ("a constant as a type", |p, _| {
            let constant = fixed(p, FIVE);
            extra(p, constant);
        }),
        ("a constant as a type", |p, _| {
            let constant = fixed(p, FIVE);
            p.types.intern(Kind::Tuple(vec![constant]));
        }),
        ("a constant parameter of such a type", |p, _| {
            p.types.intern(Kind::Constant(0, Types::F32));
        }),
        ("type parameter that", |p, n| {
            fixed(p, FIVE);
            let array = p.types.intern(Kind::ArrayOf(n.parameter, 0));
            p.functions[3].locals.push(array);
        }),
        ("another type", |p, n| {
            let constant = fixed(p, FIVE);
            let array = p.types.intern(Kind::Array(n.parameter, 5));
            in_generic(p, array, Rvalue::RepeatOf(Operand::local(1), constant));
        }),
        ("arguments of other types", |p, n| {
            fixed(p, FIVE);
            let array = p.types.intern(Kind::ArrayOf(n.parameter, 1));
            p.functions[3].locals[1] = array;
            p.functions[3].blocks[0].statements.clear();
        }),
    ]);
}

/// A trait for `u32` whose only method is a new function, and a trait object as an argument of block 4 of the sample.
fn with_trait(program: &mut Program) -> TypeId {
    let receiver = Kind::Reference { mutable: false, to: Types::U32 };
    let receiver = program.types.intern(receiver);
    let give = block(vec![set(local(0), Rvalue::Use(number(1)))], Terminator::Return);
    let method = function(vec![Types::U32, receiver], 1, vec![give]);
    program.functions.push(method);
    let functions = vec![program.functions.len() - 1];
    program.traits.push(Trait {
        methods: vec![Method { mutable: false, parameters: vec![], returns: Types::U32 }],
        implementations: vec![Implementation { of: Types::U32, functions }],
    });
    let object = program.types.intern(Kind::Object(0));
    let of = program.types.intern(Kind::Reference { mutable: false, to: object });
    let (thin, wide) = (extra(program, receiver), extra(program, of));
    assign(program, wide, Rvalue::Unsize(Operand::local(thin), of));
    assign(program, thin, Rvalue::Reference(false, local(3)));
    end(program, 4, call(Callee::Method(0, 0), vec![Operand::local(wide)], 3, 5));
    object
}

#[test]
fn trait_objects() {
    allows(&[("a method", |p, _| {
        with_trait(p);
    })]);
    finds(&[
        ("a trait that is not there", |p, _| {
            p.types.intern(Kind::Object(0));
        }),
        ("a method that is not there", |p, _| {
            with_trait(p);
            end(p, 4, call(Callee::Method(0, 1), vec![], 3, 5));
        }),
        ("a method of no such trait object", |p, _| {
            with_trait(p);
            end(p, 4, call(Callee::Method(0, 0), vec![number(1)], 3, 5));
        }),
        ("a call that gives another type", |p, _| {
            with_trait(p);
            p.traits[0].implementations.clear();
            p.traits[0].methods[0].returns = Types::U8;
            p.functions[0].blocks[0].statements.remove(1);
        }),
        ("such an unsizing", |p, _| {
            with_trait(p);
            p.traits[0].implementations.clear();
        }),
        ("a trait twice", |p, _| {
            with_trait(p);
            let again = p.traits[0].implementations[0].clone();
            p.traits[0].implementations.push(again);
        }),
        ("the wrong number of methods", |p, _| {
            with_trait(p);
            p.traits[0].implementations[0].functions.clear();
        }),
        ("a method with another signature", |p, _| {
            with_trait(p);
            p.traits[0].implementations[0].functions = vec![1];
        }),
        ("a method with a lifetime", |p, n| {
            with_trait(p);
            p.traits[0].methods[0].parameters = vec![n.reference];
        }),
        ("a slice by value", |p, _| {
            let object = with_trait(p);
            extra(p, object);
        }),
        ("cast is not there", |p, _| {
            let object = with_trait(p);
            let [one, other] =
                [false, true].map(|mutable| p.types.intern(Kind::Pointer { mutable, to: object }));
            let (from, to) = (extra(p, one), extra(p, other));
            assign(p, to, Rvalue::Cast(Operand::local(from), other));
        }),
    ]);
}

#[test]
fn a_flaw_says_where_it_is() {
    let (mut program, _) = sample();
    program.functions[0].blocks[1].statements[2] = Statement::StorageLive(1);
    let flaw = validate(&program).unwrap_err();
    assert_eq!(flaw.at, Spot::Statement(0, 1, 2));
    assert!(flaw.to_string().ends_with(", in function 0, block 1, statement 2"), "{flaw}");
}

type Break = fn(&mut Program, &Names);

/// Each makes one thing wrong with the sample, which is valid without it.
#[track_caller]
fn finds(all: &[(&str, Break)]) {
    for (what, spoil) in all {
        let (mut program, names) = sample();
        spoil(&mut program, &names);
        match validate(&program) {
            Ok(()) => panic!("not found: {what}"),
            Err(flaw) => assert!(flaw.what.contains(what), "{flaw}, instead of: {what}"),
        }
    }
}

/// Each changes the sample without making anything wrong.
#[track_caller]
fn allows(all: &[(&str, Break)]) {
    for (what, modify) in all {
        let (mut program, names) = sample();
        modify(&mut program, &names);
        assert_eq!(validate(&program), Ok(()), "{what}");
    }
}

/// Puts a statement at the start of the first function.
fn say(program: &mut Program, statement: Statement) {
    program.functions[0].blocks[0].statements.insert(0, statement);
}

fn assign(program: &mut Program, to: usize, value: Rvalue) {
    say(program, set(local(to), value));
}

/// A new local of the first function.
fn extra(program: &mut Program, of: TypeId) -> usize {
    program.functions[0].locals.push(of);
    program.functions[0].locals.len() - 1
}

fn end(program: &mut Program, block: usize, terminator: Terminator) {
    program.functions[0].blocks[block].terminator = terminator;
}

fn adt(program: &mut Program, shape: Shape, repr: Repr) -> TypeId {
    program.types.declare(Adt { shape, repr, destructor: None })
}

fn plain(shape: Shape) -> Adt {
    Adt { shape, repr: Repr::Rust, destructor: None }
}

fn variant(discriminant: Option<i128>) -> Variant {
    Variant { fields: vec![], discriminant }
}

fn byte(bits: u128) -> Operand {
    Operand::constant(Types::U8, bits)
}

#[test]
fn rvalues() {
    finds(&[
        ("another type", |p, _| assign(p, 3, Rvalue::Use(byte(1)))),
        ("a constant that is no", |p, _| assign(p, 18, Rvalue::Use(byte(256)))),
        ("a constant that is no", |p, _| {
            assign(p, 19, Rvalue::Use(Operand::constant(Types::BOOL, 2)));
        }),
        ("too far away", |p, n| {
            assign(p, 10, Rvalue::Use(Operand::constant(n.pointer, 1 << 31)));
        }),
        ("a constant that is no", |p, n| {
            assign(p, 13, Rvalue::Use(Operand::constant(n.to_slice, 0)));
        }),
        ("`!`", |p, _| assign(p, 10, Rvalue::Not(Operand::local(10)))),
        ("`-`", |p, _| assign(p, 3, Rvalue::Negate(number(1)))),
        ("different types", |p, _| assign(p, 3, Rvalue::Binary(Operator::Add, number(1), byte(1)))),
        ("shift", |p, _| {
            assign(p, 3, Rvalue::Binary(Operator::Shl, number(1), Operand::local(19)));
        }),
        ("arithmetic", |p, _| {
            assign(p, 19, Rvalue::Binary(Operator::Add, Operand::local(19), Operand::local(19)));
        }),
        ("comparison", |p, _| {
            assign(p, 19, Rvalue::Binary(Operator::Eq, Operand::local(4), Operand::local(4)));
        }),
        ("another type", |p, _| assign(p, 3, Rvalue::Binary(Operator::Eq, number(1), number(1)))),
        ("checked operator", |p, _| {
            assign(p, 4, Rvalue::Checked(Operator::Div, number(1), number(1)));
        }),
        ("another type", |p, _| assign(p, 3, Rvalue::Checked(Operator::Add, number(1), number(1)))),
        ("cast to the same", |p, _| assign(p, 3, Rvalue::Cast(number(1), Types::U32))),
        ("such a cast", |p, _| assign(p, 19, Rvalue::Cast(number(1), Types::BOOL))),
        ("such a cast", |p, n| assign(p, 10, Rvalue::Cast(number(1), n.pointer))),
        ("such a cast", |p, n| assign(p, 13, Rvalue::Cast(Operand::local(12), n.to_slice))),
        ("between sizes", |p, _| assign(p, 3, Rvalue::Transmute(byte(1), Types::U32))),
        ("fixed layout", |p, _| assign(p, 2, Rvalue::Transmute(Operand::local(4), Types::U64))),
        ("thin raw", |p, n| assign(p, 10, Rvalue::PointerCast(Operand::local(13), n.pointer))),
        ("unsizing", |p, n| assign(p, 13, Rvalue::Unsize(Operand::local(10), n.to_slice))),
        ("length", |p, _| assign(p, 17, Rvalue::Length(Operand::local(12)))),
        ("offset", |p, _| assign(p, 10, Rvalue::Offset(Operand::local(10), number(1)))),
        ("number of parts", |p, n| assign(p, 4, Rvalue::Aggregate(n.pair, 0, vec![number(1)]))),
        ("a part of another", |p, n| assign(p, 8, Rvalue::Aggregate(n.union, 0, vec![byte(1)]))),
        ("a variant that", |p, n| assign(p, 9, Rvalue::Aggregate(n.choice, 3, vec![]))),
        ("another type", |p, _| assign(p, 5, Rvalue::Repeat(number(1), 3))),
        ("another type", |p, _| assign(p, 10, Rvalue::AddressOf(false, local(3)))),
        ("another type", |p, _| assign(p, 10, Rvalue::Reference(true, local(3)))),
        ("discriminant of no", |p, _| assign(p, 18, Rvalue::Discriminant(local(3)))),
        ("a static that", |p, _| assign(p, 10, Rvalue::Static(1))),
        ("a function that", |p, n| {
            assign(p, 15, Rvalue::Use(Operand::Function(9, n.function)));
        }),
        ("a pointer of another", |p, n| {
            assign(p, 15, Rvalue::Use(Operand::Function(4, n.function)));
        }),
        ("not `Copy`", |p, n| {
            let of = p.types.intern(Kind::Array(n.heap, 2));
            let to = extra(p, of);
            assign(p, to, Rvalue::Repeat(Operand::local(14), 2));
        }),
    ]);
    allows(&[
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
        ("another view", |p, n| {
            let bytes = p.types.find(&Kind::Array(Types::U8, 4)).unwrap();
            let from = extra(p, bytes);
            assign(p, 8, Rvalue::Aggregate(n.union, 1, vec![Operand::local(from)]));
        }),
    ]);
}

#[test]
fn places_and_statements() {
    finds(&[
        ("a local that", |p, _| assign(p, 99, Rvalue::Use(number(1)))),
        ("a part that", |p, _| {
            say(p, set(local(4).then(Projection::Field(2)), Rvalue::Use(number(1))));
        }),
        ("a part that", |p, _| say(p, set(Place::deref(3), Rvalue::Use(number(1))))),
        ("a part that", |p, _| say(p, set(Place::deref(14), Rvalue::Use(number(1))))),
        ("not first", |p, n| {
            let of = p.types.intern(Kind::Tuple(vec![n.pointer]));
            let at = extra(p, of);
            let place = local(at).then(Projection::Field(0)).then(Projection::Deref);
            say(p, set(place, Rvalue::Use(number(1))));
        }),
        ("no `usize`", |p, _| {
            say(p, set(local(5).then(Projection::Index(3)), Rvalue::Use(number(1))));
        }),
        ("slice by value", |p, _| say(p, set(Place::deref(13), Rvalue::Use(number(1))))),
        ("storage", |p, _| say(p, Statement::StorageLive(0))),
        ("storage", |p, _| say(p, Statement::StorageDead(2))),
        ("a variant that", |p, _| say(p, Statement::SetDiscriminant(local(9), 3))),
        ("no `bool`", |p, _| say(p, Statement::Assume(number(1)))),
        ("retag", |p, _| say(p, Statement::Retag(local(10)))),
    ]);
    allows(&[
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

fn tail(callee: Callee, arguments: Vec<Operand>) -> Terminator {
    Terminator::TailCall { callee, arguments }
}

#[test]
fn names_for_debuggers() {
    fn name(program: &mut Program, named: Named) {
        program.functions[0].debug.push(named);
    }
    let (mut good, _) = sample();
    name(&mut good, Named::Place(local(4).then(Projection::Field(0))));
    name(&mut good, Named::Constant(Constant { of: Types::CHAR, bits: 97 }));
    assert_eq!(validate(&good), Ok(()));
    finds(&[
        ("a local that", |p, _| name(p, Named::Place(local(999)))),
        ("a part that", |p, _| name(p, Named::Place(local(1).then(Projection::Field(0))))),
        ("an element", |p, _| name(p, Named::Place(local(1).then(Projection::Index(1))))),
        ("a unit", |p, _| name(p, Named::Constant(Constant { of: Types::UNIT, bits: 0 }))),
        ("no value", |p, _| name(p, Named::Constant(Constant { of: Types::BOOL, bits: 2 }))),
    ]);
}

#[test]
fn terminators() {
    finds(&[
        ("a block that", |p, _| end(p, 2, Terminator::Goto(99))),
        ("first block", |p, _| end(p, 2, Terminator::Goto(0))),
        ("into or out", |p, _| end(p, 2, Terminator::Goto(14))),
        ("into or out", |p, _| end(p, 15, Terminator::Goto(3))),
        ("a return in", |p, _| end(p, 15, Terminator::Return)),
        ("a resume outside", |p, _| end(p, 2, Terminator::Resume)),
        ("an abort outside", |p, _| end(p, 2, Terminator::Terminate(Reason::Abi))),
        ("a tail call in", |p, _| end(p, 15, tail(Callee::Function(1, vec![]), vec![]))),
        ("another signature", |p, _| {
            end(p, 2, tail(Callee::Function(1, vec![]), vec![number(1)]));
        }),
        ("what is no function", |p, _| end(p, 2, tail(Callee::BlackBox, vec![number(1)]))),
        ("cleanup that may unwind", |p, _| {
            end(p, 14, call(Callee::Raise, vec![], 20, 15));
        }),
        ("outside of it", |p, _| {
            let unwind = Unwind::Terminate(Reason::InCleanup);
            end(p, 8, Terminator::Drop { place: local(16), target: 9, unwind });
        }),
        ("not for cleanup", |p, _| {
            let place = local(16);
            end(p, 8, Terminator::Drop { place, target: 9, unwind: Unwind::Cleanup(13) });
        }),
        ("switch on such", |p, _| {
            end(
                p,
                1,
                Terminator::Switch { on: Operand::local(10), arms: vec![(0, 2)], otherwise: 3 },
            );
        }),
        ("without arms", |p, _| {
            end(p, 1, Terminator::Switch { on: number(1), arms: vec![], otherwise: 3 });
        }),
        ("more than one arm", |p, _| {
            let on = Operand::constant(Types::BOOL, 1);
            end(p, 1, Terminator::Switch { on, arms: vec![(0, 2), (1, 3)], otherwise: 3 });
        }),
        ("an arm that", |p, _| {
            end(p, 1, Terminator::Switch { on: byte(1), arms: vec![(256, 2)], otherwise: 3 });
        }),
        ("arm twice", |p, _| {
            end(p, 1, Terminator::Switch { on: byte(1), arms: vec![(1, 2), (1, 3)], otherwise: 3 });
        }),
        ("a record of no", |p, _| {
            end(p, 12, Terminator::Record { values: vec![local(4)], target: 13 });
        }),
        ("nothing or too much", |p, _| {
            end(p, 12, Terminator::Record { values: vec![], target: 13 });
        }),
        ("nothing or too much", |p, _| {
            end(p, 12, Terminator::Record { values: vec![local(3); 5], target: 13 });
        }),
        ("first block is for", |p, _| p.functions[0].blocks[0].cleanup = true),
    ]);
    allows(&[
        ("four words", |p, _| {
            let of = p.types.int(Int { signed: true, width: Width::W128 });
            let wide = extra(p, of);
            let values = vec![local(wide), local(3), local(3)];
            end(p, 12, Terminator::Record { values, target: 13 });
        }),
        ("a call in cleanup", |p, _| {
            let mut terminator = call(Callee::Raise, vec![], 20, 15);
            if let Terminator::Call { unwind, .. } = &mut terminator {
                *unwind = Unwind::Unreachable;
            }
            end(p, 14, terminator);
        }),
    ]);
}

#[test]
fn calls() {
    finds(&[
        ("a function that", |p, _| end(p, 2, call(Callee::Function(9, vec![]), vec![], 3, 3))),
        ("number of arguments", |p, _| end(p, 2, call(Callee::Function(1, vec![]), vec![], 3, 3))),
        ("arguments of other", |p, _| {
            end(p, 2, call(Callee::Function(1, vec![]), vec![byte(1)], 3, 3));
        }),
        ("gives another", |p, _| {
            end(p, 2, call(Callee::Function(1, vec![]), vec![number(1)], 18, 3));
        }),
        ("type arguments", |p, _| {
            end(p, 2, call(Callee::Function(3, vec![]), vec![number(1)], 3, 3));
        }),
        ("not `Copy`", |p, n| {
            let argument = vec![Operand::Move(local(14))];
            end(p, 2, call(Callee::Function(3, vec![n.heap]), argument, 14, 3));
        }),
        ("arguments of other", |p, _| {
            end(p, 2, call(Callee::Function(3, vec![Types::U8]), vec![number(1)], 3, 3));
        }),
        ("no function pointer", |p, _| end(p, 2, call(Callee::Pointer(local(3)), vec![], 3, 3))),
        ("gives another", |p, _| end(p, 2, call(Callee::Catch(4), vec![], 3, 3))),
        ("does not take", |p, _| {
            let rotate = Callee::Intrinsic(Intrinsic::RotateLeft);
            end(p, 2, call(rotate, vec![number(1), byte(1)], 3, 3));
        }),
        ("no box", |p, _| end(p, 2, call(Callee::NewBox, vec![number(1)], 3, 3))),
        ("no pointer to", |p, _| {
            end(p, 2, call(Callee::BoxToPointer, vec![Operand::local(14)], 12, 3));
        }),
        ("gives another", |p, _| end(p, 2, call(Callee::BlackBox, vec![number(1)], 18, 3))),
        ("gives another", |p, _| end(p, 2, call(Callee::Raise, vec![], 3, 3))),
        ("a move of a packed", |p, _| {
            let part = local(7).then(Projection::Field(1));
            end(p, 2, call(Callee::Function(1, vec![]), vec![Operand::Move(part)], 3, 3));
        }),
        ("writes to a packed", |p, _| {
            let mut terminator = call(Callee::Function(1, vec![]), vec![number(1)], 3, 3);
            if let Terminator::Call { destination, .. } = &mut terminator {
                *destination = local(7).then(Projection::Field(1));
            }
            end(p, 2, terminator);
        }),
    ]);
    allows(&[
        ("a copy of a packed field", |p, _| {
            let part = local(7).then(Projection::Field(1));
            end(p, 2, call(Callee::Function(1, vec![]), vec![Operand::Copy(part)], 3, 3));
        }),
        ("a generic call", |p, n| {
            let argument = vec![Operand::Copy(local(4))];
            end(p, 2, call(Callee::Function(3, vec![n.pair]), argument, 4, 3));
        }),
    ]);
}

#[test]
fn cleanup_is_a_tree() {
    /// Two ways into cleanup, which go on to these blocks.
    fn cleanup(program: &mut Program, first: usize, second: usize) {
        let on = Operand::local(19);
        let both = Terminator::Switch { on, arms: vec![(0, first)], otherwise: second };
        end(program, 14, both);
        let blocks = &mut program.functions[0].blocks;
        let last = blocks[15].clone();
        blocks.extend([last.clone(), last]);
        if let Terminator::Drop { unwind, .. } = &mut blocks[8].terminator {
            *unwind = Unwind::Cleanup(15);
        }
        if let Terminator::Call { unwind, .. } = &mut blocks[9].terminator {
            *unwind = Unwind::Cleanup(16);
        }
    }
    finds(&[
        ("more than one", |p, _| cleanup(p, 15, 16)),
        ("in a circle", |p, _| {
            cleanup(p, 15, 15);
            end(p, 15, Terminator::Goto(16));
            end(p, 16, Terminator::Goto(15));
        }),
    ]);
    allows(&[
        ("one of them belongs to it", |p, _| cleanup(p, 15, 17)),
        ("a circle inside", |p, _| {
            cleanup(p, 15, 17);
            end(p, 17, Terminator::Goto(14));
        }),
    ]);
}

#[test]
fn declarations() {
    finds(&[
        ("not `repr(C)`", |p, _| {
            adt(p, Shape::Union(vec![Types::U8]), Repr::Rust);
        }),
        ("not solid", |p, n| {
            adt(p, Shape::Union(vec![n.pointer]), Repr::C);
        }),
        ("not one field", |p, _| {
            adt(p, Shape::Struct(vec![Types::U8; 2]), Repr::Transparent);
        }),
        ("aligned one", |p, _| {
            let aligned = adt(p, Shape::Struct(vec![Types::U8]), Repr::Align(8));
            adt(p, Shape::Struct(vec![aligned]), Repr::Packed);
        }),
        ("alignment", |p, _| {
            adt(p, Shape::Struct(vec![Types::U8]), Repr::Align(3));
        }),
        ("representation of an integer", |p, _| {
            adt(p, Shape::Struct(vec![Types::U8]), Repr::Int(Int::U8));
        }),
        ("without variants", |p, _| {
            adt(p, Shape::Enum(vec![]), Repr::Rust);
        }),
        ("representation of a struct", |p, _| {
            adt(p, Shape::Enum(vec![variant(None)]), Repr::Packed);
        }),
        ("a packing that cannot be", |p, _| {
            adt(p, Shape::Struct(vec![Types::U8]), Repr::RustPacked(3));
        }),
        ("an aligned one in it", |p, _| {
            let aligned = adt(p, Shape::Struct(vec![Types::U8]), Repr::RustAlign(4));
            adt(p, Shape::Struct(vec![aligned]), Repr::PackedTo(2));
        }),
        ("an alignment that cannot be", |p, _| {
            adt(p, Shape::Enum(vec![variant(None)]), Repr::RustAlign(3));
        }),
        ("representation of an integer", |p, _| {
            adt(p, Shape::Struct(vec![Types::U8]), Repr::CInt(Int::U8));
        }),
        ("out of range", |p, _| {
            let past = 1 << 64;
            adt(p, Shape::Enum(vec![variant(Some(past))]), Repr::CInt(Int::U64));
        }),
        ("128", |p, _| {
            let wide = Int { signed: false, width: Width::W128 };
            adt(p, Shape::Enum(vec![variant(None)]), Repr::Int(wide));
        }),
        ("out of range", |p, _| {
            adt(p, Shape::Enum(vec![variant(Some(255)), variant(None)]), Repr::Int(Int::U8));
        }),
        ("discriminant twice", |p, _| {
            adt(p, Shape::Enum(vec![variant(Some(1)), variant(Some(1))]), Repr::Rust);
        }),
        ("explicit", |p, _| {
            let full = Variant { fields: vec![Types::U8], discriminant: None };
            adt(p, Shape::Enum(vec![full, variant(Some(1))]), Repr::Rust);
        }),
        ("destructor", |p, n| {
            let of = p.types.kind(n.dropped).clone();
            if let Kind::Adt(index) = of {
                p.types.adts[index].destructor = Some(1);
            }
        }),
        ("packed struct with a", |p, n| {
            let of = p.types.kind(n.packed).clone();
            if let Kind::Adt(index) = of {
                p.types.adts[index].destructor = Some(2);
            }
        }),
        ("slice by value", |p, _| {
            let slice = p.types.find(&Kind::Slice(Types::U32)).unwrap();
            p.types.intern(Kind::Tuple(vec![slice]));
        }),
        ("type parameter where", |p, n| {
            let field = n.parameter;
            adt(p, Shape::Struct(vec![field]), Repr::Rust);
        }),
        ("contains itself", |p, _| {
            let of = p.types.announce();
            p.types.define([(of, plain(Shape::Struct(vec![of])))]);
        }),
        ("contains itself", |p, _| {
            let of = p.types.announce();
            let kept = p.types.intern(Kind::Manual(of));
            let none = p.types.intern(Kind::Array(kept, 0));
            p.types.define([(of, plain(Shape::Struct(vec![none])))]);
        }),
        ("contains itself", |p, _| {
            let (one, other) = (p.types.announce(), p.types.announce());
            let each = [(one, other), (other, one)];
            p.types.define(each.map(|(of, it)| (of, plain(Shape::Struct(vec![it])))));
        }),
        ("not solid", |p, n| {
            let kept = p.types.intern(Kind::Manual(n.dropped));
            adt(p, Shape::Union(vec![kept]), Repr::C);
        }),
        ("slice by value", |p, _| {
            let slice = p.types.find(&Kind::Slice(Types::U32)).unwrap();
            p.types.intern(Kind::Manual(slice));
        }),
    ]);
    allows(&[
        ("what points to itself", |p, _| {
            let of = p.types.announce();
            let pointer = p.types.intern(Kind::Pointer { mutable: true, to: of });
            let boxed = p.types.intern(Kind::Heap(of));
            let pair = p.types.intern(Kind::Tuple(vec![pointer, boxed]));
            p.types.define([(of, plain(Shape::Struct(vec![Types::U8, pair])))]);
        }),
        ("what points to another that points back", |p, _| {
            let (one, other) = (p.types.announce(), p.types.announce());
            let lent = p.types.intern(Kind::Reference { mutable: false, to: one });
            let pointer = p.types.intern(Kind::Pointer { mutable: true, to: other });
            p.types.define([
                (one, plain(Shape::Struct(vec![pointer]))),
                (other, plain(Shape::Struct(vec![lent]))),
            ]);
        }),
        ("a union of what is not dropped", |p, n| {
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
fn functions_and_statics() {
    finds(&[
        ("no function", |p, _| p.functions.clear()),
        ("fewer locals", |p, _| p.functions[1].parameters = 2),
        ("without blocks", |p, _| p.functions[1].blocks.clear()),
        ("type parameter that", |p, _| p.functions[3].generics = 0),
        ("slice by value", |p, _| {
            let slice = p.types.find(&Kind::Slice(Types::U32)).unwrap();
            extra(p, slice);
        }),
        ("a type that", |p, _| {
            extra(p, TypeId(999));
        }),
        ("generic", |p, _| p.functions[0].generics = 1),
        ("number of arguments", |p, _| {
            p.arguments.pop();
        }),
        ("argument of the wrong", |p, _| p.arguments[0].of = Types::U8),
        ("no scalar", |p, n| p.functions[0].locals[1] = n.pair),
        ("no value", |p, _| p.statics[0].value[0] = 1 << 32),
        ("number of scalars", |p, _| p.statics[0].value.push(1)),
        ("more than scalars", |p, n| p.statics[0].of = n.pointer),
    ]);
}
