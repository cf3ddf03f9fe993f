use super::super::intrinsic::Intrinsic;
use super::super::object::{Implementation, Method, Trait};
use super::super::program::{
    Callee, Constant, Named, Operand, Operator, Place, Program, Projection, Reason, Rvalue,
    Statement, Terminator, Unwind,
};
use super::super::types::{Adt, Int, Kind, Repr, Shape, TypeId, Types, Variant, Width};
use super::sample::{Names, block, call, function, local, number, sample, set};
use super::{Location, validate};

#[test]
fn the_sample_is_valid() {
    assert_eq!(validate(&sample().0), Ok(()));
}

/// Adds a const parameter to function 3 of the sample, and an argument to the call of it. Returns the parameter.
fn add_const_parameter(program: &mut Program, given: Kind) -> TypeId {
    let constant = program.types.intern(Kind::Constant(1, Types::USIZE));
    let given = program.types.intern(given);
    program.functions[3].generics = 2;
    program.functions[3].constants = vec![Types::USIZE];
    let generic = Callee::Function(3, vec![Types::U32, given]);
    program.functions[0].blocks[4].terminator = call(generic, vec![Operand::local(3)], 3, 5);
    constant
}

/// Assigns an rvalue to a new local of function 3.
fn in_generic(program: &mut Program, of: TypeId, value: Rvalue) {
    let body = &mut program.functions[3];
    body.locals.push(of);
    let to = local(body.locals.len() - 1);
    body.blocks[0].statements.insert(0, set(to, value));
}

#[test]
fn const_parameters_are_checked() {
    const FIVE: Kind = Kind::Value(Types::USIZE, 5);
    accepts(&[
        ("a constant", |p, _| {
            let constant = add_const_parameter(p, FIVE);
            in_generic(p, Types::USIZE, Rvalue::Use(Operand::Parameter(constant)));
        }),
        ("an array of that length", |p, n| {
            let constant = add_const_parameter(p, FIVE);
            let array = p.types.intern(Kind::ArrayOf(n.parameter, 1));
            in_generic(p, array, Rvalue::RepeatOf(Operand::local(1), constant));
        }),
    ]);
    rejects(&[
        ("wrong number of generic arguments", |p, _| {
            add_const_parameter(p, FIVE);
            let generic = Callee::Function(3, vec![Types::U32]);
            end(p, 4, call(generic, vec![Operand::local(3)], 3, 5));
        }),
        ("const argument type mismatch", |p, _| {
            add_const_parameter(p, Kind::Value(Types::U8, 5));
        }),
        ("constant is not a valid value of its type", |p, _| {
            add_const_parameter(p, Kind::Value(Types::U8, 256));
        }),
        ("unknown const parameter", |p, _| {
            let constant = add_const_parameter(p, FIVE);
            let to = extra(p, Types::USIZE);
            assign(p, to, Rvalue::Use(Operand::Parameter(constant)));
        }),
        ("unknown const parameter", |p, _| {
            add_const_parameter(p, Kind::Constant(1, Types::USIZE));
        }),
        ("constant used as a type", |p, _| {
            let constant = add_const_parameter(p, FIVE);
            extra(p, constant);
        }),
        ("constant used as a type", |p, _| {
            let constant = add_const_parameter(p, FIVE);
            p.types.intern(Kind::Tuple(vec![constant]));
        }),
        ("const parameter of an unsupported type", |p, _| {
            p.types.intern(Kind::Constant(0, Types::F32));
        }),
        ("unknown generic parameter", |p, n| {
            add_const_parameter(p, FIVE);
            let array = p.types.intern(Kind::ArrayOf(n.parameter, 0));
            p.functions[3].locals.push(array);
        }),
        ("assignment type mismatch", |p, n| {
            let constant = add_const_parameter(p, FIVE);
            let array = p.types.intern(Kind::Array(n.parameter, 5));
            in_generic(p, array, Rvalue::RepeatOf(Operand::local(1), constant));
        }),
        ("argument type mismatch", |p, n| {
            add_const_parameter(p, FIVE);
            let array = p.types.intern(Kind::ArrayOf(n.parameter, 1));
            p.functions[3].locals[1] = array;
            p.functions[3].blocks[0].statements.clear();
        }),
    ]);
}

/// Adds a trait that `u32` implements, and a call of its only method in block 4. Returns the trait object.
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
fn traits_and_trait_objects_are_checked() {
    accepts(&[("a method", |p, _| {
        with_trait(p);
    })]);
    rejects(&[
        ("unknown trait", |p, _| {
            p.types.intern(Kind::Object(0));
        }),
        ("unknown method", |p, _| {
            with_trait(p);
            end(p, 4, call(Callee::Method(0, 1), vec![], 3, 5));
        }),
        ("receiver is not a reference to this trait object", |p, _| {
            with_trait(p);
            end(p, 4, call(Callee::Method(0, 0), vec![number(1)], 3, 5));
        }),
        ("return type mismatch", |p, _| {
            with_trait(p);
            p.traits[0].implementations.clear();
            p.traits[0].methods[0].returns = Types::U8;
            p.functions[0].blocks[0].statements.remove(1);
        }),
        ("invalid unsizing", |p, _| {
            with_trait(p);
            p.traits[0].implementations.clear();
        }),
        ("trait implemented twice for one type", |p, _| {
            with_trait(p);
            let again = p.traits[0].implementations[0].clone();
            p.traits[0].implementations.push(again);
        }),
        ("wrong number of methods", |p, _| {
            with_trait(p);
            p.traits[0].implementations[0].functions.clear();
        }),
        ("method signature mismatch", |p, _| {
            with_trait(p);
            p.traits[0].implementations[0].functions = vec![1];
        }),
        ("method signature contains a lifetime", |p, n| {
            with_trait(p);
            p.traits[0].methods[0].parameters = vec![n.reference];
        }),
        ("unsized type by value", |p, _| {
            let object = with_trait(p);
            extra(p, object);
        }),
        ("invalid cast", |p, _| {
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
    assert_eq!(flaw.at, Location::Statement(0, 1, 2));
    assert!(flaw.to_string().ends_with(", in function 0, block 1, statement 2"), "{flaw}");
}

type Break = fn(&mut Program, &Names);

/// Each change makes the valid sample invalid, with a message.
#[track_caller]
fn rejects(all: &[(&str, Break)]) {
    for (what, spoil) in all {
        let (mut program, names) = sample();
        spoil(&mut program, &names);
        match validate(&program) {
            Ok(()) => panic!("accepted, instead of: {what}"),
            Err(flaw) => assert!(flaw.what.contains(what), "{flaw}, instead of: {what}"),
        }
    }
}

/// Each change leaves the sample valid.
#[track_caller]
fn accepts(all: &[(&str, Break)]) {
    for (what, modify) in all {
        let (mut program, names) = sample();
        modify(&mut program, &names);
        assert_eq!(validate(&program), Ok(()), "{what}");
    }
}

/// Inserts a statement at the start of the first function.
fn insert(program: &mut Program, statement: Statement) {
    program.functions[0].blocks[0].statements.insert(0, statement);
}

fn assign(program: &mut Program, to: usize, value: Rvalue) {
    insert(program, set(local(to), value));
}

/// Adds a local to the first function.
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

fn tail(callee: Callee, arguments: Vec<Operand>) -> Terminator {
    Terminator::TailCall { callee, arguments }
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

#[test]
fn terminators_are_checked() {
    rejects(&[
        ("unknown block", |p, _| end(p, 2, Terminator::Goto(99))),
        ("jump to the first block", |p, _| end(p, 2, Terminator::Goto(0))),
        ("jump into or out of cleanup", |p, _| end(p, 2, Terminator::Goto(14))),
        ("jump into or out of cleanup", |p, _| end(p, 15, Terminator::Goto(3))),
        ("return in a cleanup block", |p, _| end(p, 15, Terminator::Return)),
        ("resume outside of cleanup", |p, _| end(p, 2, Terminator::Resume)),
        ("abort outside of cleanup", |p, _| end(p, 2, Terminator::Terminate(Reason::Abi))),
        ("tail call in a cleanup block", |p, _| {
            end(p, 15, tail(Callee::Function(1, vec![]), vec![]));
        }),
        ("tail call signature mismatch", |p, _| {
            end(p, 2, tail(Callee::Function(1, vec![]), vec![number(1)]));
        }),
        ("tail call of a callee that is not a function", |p, _| {
            end(p, 2, tail(Callee::BlackBox, vec![number(1)]));
        }),
        ("cleanup block may unwind", |p, _| {
            end(p, 14, call(Callee::Raise, vec![], 20, 15));
        }),
        ("abort reason `InCleanup` outside of cleanup", |p, _| {
            let unwind = Unwind::Terminate(Reason::InCleanup);
            end(p, 8, Terminator::Drop { place: local(16), target: 9, unwind });
        }),
        ("unwind target is not a cleanup block", |p, _| {
            let place = local(16);
            end(p, 8, Terminator::Drop { place, target: 9, unwind: Unwind::Cleanup(13) });
        }),
        ("switch on an unsupported type", |p, _| {
            end(
                p,
                1,
                Terminator::Switch { on: Operand::local(10), arms: vec![(0, 2)], otherwise: 3 },
            );
        }),
        ("switch without arms", |p, _| {
            end(p, 1, Terminator::Switch { on: number(1), arms: vec![], otherwise: 3 });
        }),
        ("switch on a bool with more than one arm", |p, _| {
            let on = Operand::constant(Types::BOOL, 1);
            end(p, 1, Terminator::Switch { on, arms: vec![(0, 2), (1, 3)], otherwise: 3 });
        }),
        ("switch arm is not a valid value of the type", |p, _| {
            end(p, 1, Terminator::Switch { on: byte(1), arms: vec![(256, 2)], otherwise: 3 });
        }),
        ("duplicate switch arm", |p, _| {
            end(p, 1, Terminator::Switch { on: byte(1), arms: vec![(1, 2), (1, 3)], otherwise: 3 });
        }),
        ("record of a value that is neither a scalar nor an enum", |p, _| {
            end(p, 12, Terminator::Record { values: vec![local(4)], target: 13 });
        }),
        ("record of too few or too many words", |p, _| {
            end(p, 12, Terminator::Record { values: vec![], target: 13 });
        }),
        ("record of too few or too many words", |p, _| {
            end(p, 12, Terminator::Record { values: vec![local(3); 5], target: 13 });
        }),
        ("the first block is a cleanup block", |p, _| p.functions[0].blocks[0].cleanup = true),
    ]);
    accepts(&[
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
fn calls_are_checked() {
    rejects(&[
        ("unknown function", |p, _| end(p, 2, call(Callee::Function(9, vec![]), vec![], 3, 3))),
        ("wrong number of arguments", |p, _| {
            end(p, 2, call(Callee::Function(1, vec![]), vec![], 3, 3));
        }),
        ("argument type mismatch", |p, _| {
            end(p, 2, call(Callee::Function(1, vec![]), vec![byte(1)], 3, 3));
        }),
        ("return type mismatch", |p, _| {
            end(p, 2, call(Callee::Function(1, vec![]), vec![number(1)], 18, 3));
        }),
        ("wrong number of generic arguments", |p, _| {
            end(p, 2, call(Callee::Function(3, vec![]), vec![number(1)], 3, 3));
        }),
        ("not `Copy`", |p, n| {
            let argument = vec![Operand::Move(local(14))];
            end(p, 2, call(Callee::Function(3, vec![n.heap]), argument, 14, 3));
        }),
        ("argument type mismatch", |p, _| {
            end(p, 2, call(Callee::Function(3, vec![Types::U8]), vec![number(1)], 3, 3));
        }),
        ("callee is not a function pointer", |p, _| {
            end(p, 2, call(Callee::Pointer(local(3)), vec![], 3, 3));
        }),
        ("return type mismatch", |p, _| end(p, 2, call(Callee::Catch(4), vec![], 3, 3))),
        ("invalid arguments for the intrinsic", |p, _| {
            let rotate = Callee::Intrinsic(Intrinsic::RotateLeft);
            end(p, 2, call(rotate, vec![number(1), byte(1)], 3, 3));
        }),
        ("not a box of this type", |p, _| end(p, 2, call(Callee::NewBox, vec![number(1)], 3, 3))),
        ("not a pointer to the content type of the box", |p, _| {
            end(p, 2, call(Callee::BoxToPointer, vec![Operand::local(14)], 12, 3));
        }),
        ("return type mismatch", |p, _| end(p, 2, call(Callee::BlackBox, vec![number(1)], 18, 3))),
        ("return type mismatch", |p, _| end(p, 2, call(Callee::Raise, vec![], 3, 3))),
        ("move of a packed field into a call", |p, _| {
            let part = local(7).then(Projection::Field(1));
            end(p, 2, call(Callee::Function(1, vec![]), vec![Operand::Move(part)], 3, 3));
        }),
        ("call destination in a packed struct", |p, _| {
            let mut terminator = call(Callee::Function(1, vec![]), vec![number(1)], 3, 3);
            if let Terminator::Call { destination, .. } = &mut terminator {
                *destination = local(7).then(Projection::Field(1));
            }
            end(p, 2, terminator);
        }),
    ]);
    accepts(&[
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
fn cleanup_funclets_form_a_tree() {
    /// Makes block 14 branch to two cleanup blocks, and adds unwind edges into blocks 15 and 16.
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
    rejects(&[
        ("cleanup funclet with several successors", |p, _| cleanup(p, 15, 16)),
        ("cleanup funclets form a cycle", |p, _| {
            cleanup(p, 15, 15);
            end(p, 15, Terminator::Goto(16));
            end(p, 16, Terminator::Goto(15));
        }),
    ]);
    accepts(&[
        ("one successor is in the same funclet", |p, _| cleanup(p, 15, 17)),
        ("a cycle within a funclet", |p, _| {
            cleanup(p, 15, 17);
            end(p, 17, Terminator::Goto(14));
        }),
    ]);
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
