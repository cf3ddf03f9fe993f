//! Const parameters, traits and trait objects.

use super::*;
use crate::object::{Implementation, Method, Trait};
use crate::validate::sample::{block, function};

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
