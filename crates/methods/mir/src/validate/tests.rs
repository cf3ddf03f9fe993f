//! Each flaw is rejected with its message, and each similar valid program accepted. All programs are made by changing
//! the sample. The tests are grouped by what they change, in `tests/`.

mod declarations;
mod generics;
mod statements;
mod terminators;

use super::sample::{Names, call, local, number, sample, set};
use super::{Location, validate};
use crate::program::{Callee, Operand, Place, Program, Projection, Rvalue, Statement, Terminator};
use crate::types::{Kind, TypeId, Types};

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

fn byte(bits: u128) -> Operand {
    Operand::constant(Types::U8, bits)
}

#[test]
fn the_sample_is_valid() {
    assert_eq!(validate(&sample().0), Ok(()));
}

#[test]
fn a_flaw_says_where_it_is() {
    let (mut program, _) = sample();
    program.functions[0].blocks[1].statements[2] = Statement::StorageLive(1);
    let flaw = validate(&program).unwrap_err();
    assert_eq!(flaw.at, Location::Statement(0, 1, 2));
    assert!(flaw.to_string().ends_with(", in function 0, block 1, statement 2"), "{flaw}");
}
