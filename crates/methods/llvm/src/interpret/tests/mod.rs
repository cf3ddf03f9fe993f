//! Runs of small functions: every kind of undefined behaviour and poison with a neighbour that is fine.

mod calls;
mod floats;
mod memory;
mod nondeterminism;
mod poison;
mod undefined;
mod vectors;

use super::{
    Byte, Choices, Input, InputBlock, Interpreter, Lane, Limits, Outcome, Pointer, Program, Value,
};
use crate::ir::Module;

pub(super) const P: Lane = Lane::Poison;
pub(super) const U: Lane = Lane::Undef;

pub(super) fn n(bits: u128) -> Lane {
    Lane::Bits(bits)
}

pub(super) fn block(index: u32, offset: u64) -> Lane {
    Lane::Pointer(Pointer { block: index, address: offset })
}

pub(super) const NULL: Lane = Lane::Pointer(Pointer::NULL);

/// The input that gives the arguments, with blocks of 16 bytes: 0, 1, 2, …
pub(super) fn input(arguments: &[Lane], blocks: usize) -> Input {
    let bytes: Vec<Byte> = (0..16).map(Byte::Bits).collect();
    Input {
        arguments: arguments.iter().cloned().map(Value::Lane).collect(),
        blocks: vec![InputBlock { bytes: bytes.into(), align: 16 }; blocks],
        answers: 1,
    }
}

pub(super) fn program(text: &str) -> Program {
    let module = Module::parse(text).unwrap();
    Program::new(&module, &module.functions[0])
}

/// Runs the first function once.
pub(super) fn run(text: &str, arguments: &[Lane]) -> Outcome {
    run_on(text, &input(arguments, 2))
}

pub(super) fn run_on(text: &str, input: &Input) -> Outcome {
    Interpreter::run(&program(text), input, &mut Choices::all(), Limits::default()).outcome
}

/// What the first function returns.
pub(super) fn returned(text: &str, arguments: &[Lane]) -> Value {
    match run(text, arguments) {
        Outcome::Returned { value: Some(value), .. } => value,
        other => panic!("{other:?}"),
    }
}

pub(super) fn lane(text: &str, arguments: &[Lane]) -> Lane {
    match returned(text, arguments) {
        Value::Lane(lane) => lane,
        Value::Many(_) => panic!("a vector"),
    }
}

/// Everything that the first function may return, sorted as text.
pub(super) fn all_returned(text: &str, arguments: &[Lane]) -> Vec<String> {
    let program = program(text);
    let input = input(arguments, 2);
    let mut choices = Choices::all();
    let mut seen = vec![];
    loop {
        let run = Interpreter::run(&program, &input, &mut choices, Limits::default());
        let text = match run.outcome {
            Outcome::Returned { value: Some(Value::Lane(lane)), .. } => match lane {
                Lane::Bits(bits) => bits.to_string(),
                other => format!("{other:?}").to_lowercase(),
            },
            Outcome::Undefined(_) => "undefined".into(),
            other => format!("{other:?}"),
        };
        if !seen.contains(&text) {
            seen.push(text);
        }
        if !choices.advance() {
            break;
        }
    }
    seen.sort();
    seen
}

pub(super) fn is_undefined(text: &str, arguments: &[Lane]) -> bool {
    match run(text, arguments) {
        Outcome::Undefined(_) => true,
        Outcome::Returned { .. } => false,
        other => panic!("{other:?}"),
    }
}
