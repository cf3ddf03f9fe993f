//! The interpreter, driven statement by statement as the generator does.

use super::*;

/// An interpreter, and a frame with some locals.
fn start(types: &Types, locals: &[TypeId]) -> (Interpreter, Frame) {
    let (mut interpreter, mut frame) = (Interpreter::new(1000), Frame::default());
    for of in locals {
        interpreter.add_local(types, &mut frame, *of, true);
    }
    (interpreter, frame)
}

fn set(place: Place, operand: Operand) -> Statement {
    Statement::Assign(place, Rvalue::Use(operand))
}

#[test]
fn queries_see_values_and_change_nothing() {
    let mut types = Types::new();
    let array = types.intern(Kind::Array(U32, 3));
    let pointer = types.intern(Kind::Pointer { mutable: true, to: U32 });
    let locals = [UNIT, array, USIZE, pointer, Types::F32];
    let scope = Scope { types: &types, locals: &locals };
    let (mut interpreter, mut frame) = start(&types, &locals);
    let mut step = |interpreter: &mut Interpreter, statement: Statement| {
        interpreter.statement(scope, &mut frame, &statement).unwrap();
        frame.clone()
    };
    let frame = step(&mut interpreter, set(l(2), k(USIZE, 1)));
    assert_eq!(interpreter.look(scope, &frame, &l(1)), None);
    assert!(interpreter.writable(scope, &frame, &at(l(1), 2)));
    step(&mut interpreter, Statement::Assign(l(1), Rvalue::Repeat(n(4), 3)));
    step(&mut interpreter, Statement::Assign(l(3), Rvalue::AddressOf(true, at(l(1), 2))));
    let frame = step(&mut interpreter, set(l(4), k(Types::F32, 0x7fc0_0000)));
    assert_eq!(interpreter.look(scope, &frame, &l(1)), Some(Seen::Whole));
    assert_eq!(interpreter.look(scope, &frame, &d(3)), Some(Seen::Bits(4)));
    assert_eq!(interpreter.look(scope, &frame, &l(3)), Some(Seen::Pointer));
    assert_eq!(interpreter.look(scope, &frame, &l(4)), Some(Seen::Nan));
    assert_eq!(interpreter.room(scope, &frame, &l(3)), Some((1, 2)));
    let before = (interpreter.fuel, interpreter.hash);
    interpreter.look(scope, &frame, &d(3));
    assert_eq!(before, (interpreter.fuel, interpreter.hash));
}

#[test]
fn a_call_can_be_driven_statement_by_statement() {
    let types = Types::new();
    let locals = [UNIT, U32, U32];
    let scope = Scope { types: &types, locals: &locals };
    let (mut interpreter, mut frame) = start(&types, &locals);
    interpreter.statement(scope, &mut frame, &set(l(1), n(5))).unwrap();
    let signature = [U32, U32];
    let mut callee =
        interpreter.begin_call(scope, &mut frame, &signature, &[take(l(1))], &l(2)).unwrap();
    let mut inside = signature.to_vec();
    interpreter.add_local(&types, &mut callee, U32, false);
    inside.push(U32);
    let inner = Scope { types: &types, locals: &inside };
    assert_eq!(interpreter.look(inner, &callee, &l(1)), Some(Seen::Bits(5)));
    assert!(!interpreter.writable(inner, &callee, &l(2)));
    interpreter.statement(inner, &mut callee, &Statement::StorageLive(2)).unwrap();
    interpreter.statement(inner, &mut callee, &set(l(0), copy(l(1)))).unwrap();
    let (mut other, abandoned) = (interpreter.clone(), callee.clone());
    interpreter.end_call(scope, &mut frame, callee, &l(2)).unwrap();
    assert_eq!(interpreter.look(scope, &frame, &l(2)), Some(Seen::Bits(5)));
    assert_eq!(interpreter.look(scope, &frame, &l(1)), None);
    other.abandon_call(abandoned);
    assert_eq!(other.look(scope, &frame, &l(2)), None);
    assert!(other.writable(scope, &frame, &l(1)));
}

#[test]
fn an_undefined_statement_changes_nothing() {
    let mut types = Types::new();
    let pair = types.intern(Kind::Tuple(vec![U32, U32]));
    let locals = [UNIT, pair, U32];
    let scope = Scope { types: &types, locals: &locals };
    let (mut interpreter, mut frame) = start(&types, &locals);
    let make = |parts: Vec<Operand>| Statement::Assign(l(1), Rvalue::Aggregate(pair, 0, parts));
    interpreter.statement(scope, &mut frame, &make(vec![n(1), n(2)])).unwrap();
    let failed = interpreter.statement(scope, &mut frame, &make(vec![n(3), copy(l(2))]));
    assert_eq!(failed, Err(Uninitialised));
    assert_eq!(interpreter.look(scope, &frame, &f(l(1), 0)), Some(Seen::Bits(1)));
}

#[test]
fn panics_reach_the_cleanup_block() {
    let program = Build::new().program;
    let locals = [UNIT, UNIT];
    let scope = Scope { types: &program.types, locals: &locals };
    let (mut interpreter, mut frame) = start(&program.types, &locals);
    let at = At { function: 0, block: 0 };
    let raise = |unwind: Unwind| Terminator::Call {
        callee: Callee::Raise,
        arguments: vec![],
        destination: l(1),
        target: 1,
        unwind,
    };
    let mut other = interpreter.clone();
    let next = interpreter.terminator(&program, at, scope, &mut frame, &raise(Unwind::Cleanup(3)));
    assert_eq!(next, Ok(3));
    assert!(interpreter.unwinding);
    let next = other.terminator(&program, at, scope, &mut frame, &raise(Unwind::Continue));
    assert_eq!(next, Err(Panic));
}
