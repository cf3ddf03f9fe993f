//! Whether a program is well-formed: all that it names is there, all types fit, and rustc takes it. Who
//! runs or prints a valid program may index without looking. Whether it has a behaviour is another
//! question: the interpreter answers it.

mod body;
mod cleanup;
mod object;
mod rvalue;
#[cfg(test)]
pub(crate) mod sample;
mod terminator;
#[cfg(test)]
mod tests;
mod types;

use std::fmt;

use super::program::{Constant, Program};
use super::types::{Int, Kind, TypeId, Types};
use body::Body;

/// What is wrong with a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) what: &'static str,
    pub(crate) at: Spot,
}

/// Where in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Spot {
    Program,
    Type(usize),
    Static(usize),
    Function(usize),
    /// The terminator of a block: function, block.
    Terminator(usize, usize),
    /// Function, block, statement.
    Statement(usize, usize, usize),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)?;
        match self.at {
            Spot::Program => Ok(()),
            Spot::Type(number) => write!(f, ", in type {number}"),
            Spot::Static(number) => write!(f, ", in static {number}"),
            Spot::Function(function) => write!(f, ", in function {function}"),
            Spot::Terminator(function, block) => {
                write!(f, ", in function {function}, block {block}, at its end")
            }
            Spot::Statement(function, block, statement) => {
                write!(f, ", in function {function}, block {block}, statement {statement}")
            }
        }
    }
}

impl std::error::Error for Flaw {}

/// What a check gives: only the words, who calls it says where.
type Check = Result<(), &'static str>;

fn ensure(holds: bool, what: &'static str) -> Check {
    if holds { Ok(()) } else { Err(what) }
}

/// A `Record` is known by its function and block, 16 bits each.
const MOST: usize = 1 << 16;

pub(crate) fn validate(program: &Program) -> Result<(), Flaw> {
    types::check(program)?;
    for (number, each) in program.statics.iter().enumerate() {
        let flaw = |what| Flaw { what, at: Spot::Static(number) };
        static_value(&program.types, each.of, &each.value).map_err(flaw)?;
    }
    start(program).map_err(|what| Flaw { what, at: Spot::Program })?;
    for (number, function) in program.functions.iter().enumerate() {
        let flaw = |what| Flaw { what, at: Spot::Function(number) };
        body::signature(&program.types, function).map_err(flaw)?;
    }
    types::destructors(program)?;
    object::check(program)?;
    entry(program).map_err(|what| Flaw { what, at: Spot::Function(0) })?;
    for (number, function) in program.functions.iter().enumerate() {
        Body { program, types: &program.types, function }.check(number)?;
    }
    Ok(())
}

fn start(program: &Program) -> Check {
    ensure(!program.functions.is_empty(), "there is no function")?;
    ensure(program.functions.len() < MOST, "too many functions")
}

/// The first function, and what it is called with.
fn entry(program: &Program) -> Check {
    let first = &program.functions[0];
    ensure(first.generics == 0, "the first function is generic")?;
    let wanted = first.parameter_types();
    ensure(wanted.len() == program.arguments.len(), "the wrong number of arguments")?;
    for (argument, of) in program.arguments.iter().zip(wanted) {
        ensure(program.types.is_scalar(*of), "a parameter of the first function is no scalar")?;
        ensure(argument.of == *of, "an argument of the wrong type")?;
        constant(&program.types, argument)?;
    }
    Ok(())
}

fn static_value(types: &Types, of: TypeId, value: &[u128]) -> Check {
    ensure((of.0 as usize) < types.len(), "a type that is not there")?;
    let scalars = Program::scalars(types, of).ok_or("a static of more than scalars")?;
    ensure(scalars.len() == value.len(), "the wrong number of scalars")?;
    let mut each = scalars.iter().zip(value);
    ensure(each.all(|(of, bits)| is_value(types, *of, *bits)), "bits that are no value")
}

fn constant(types: &Types, constant: &Constant) -> Check {
    ensure((constant.of.0 as usize) < types.len(), "a type that is not there")?;
    let unit = constant.of == Types::UNIT && constant.bits == 0;
    ensure(
        unit || is_value(types, constant.of, constant.bits),
        "a constant that is no value of its type",
    )
}

fn fits(int: Int, bits: u128) -> bool {
    int.bits() == 128 || bits >> int.bits() == 0
}

/// Whether some bits are a value of a scalar type.
pub(crate) fn is_value(types: &Types, of: TypeId, bits: u128) -> bool {
    match types.kind(of) {
        Kind::Bool => bits < 2,
        Kind::Char => u32::try_from(bits).ok().and_then(char::from_u32).is_some(),
        Kind::Int(int) => fits(*int, bits),
        Kind::Float(float) => bits >> float.bits() == 0,
        _ => false,
    }
}
