//! Checks that a program is well-formed: all indices exist, all types match, and rustc accepts it. Code that runs or
//! prints a valid program may index without checks. Whether its behaviour is defined is left to `interpret/`.

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

/// Why a program is not well-formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Flaw {
    pub(crate) what: &'static str,
    pub(crate) at: Location,
}

/// A location in a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Location {
    Program,
    Type(usize),
    Static(usize),
    Function(usize),
    /// Function, block.
    Terminator(usize, usize),
    /// Function, block, statement.
    Statement(usize, usize, usize),
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)?;
        match self.at {
            Location::Program => Ok(()),
            Location::Type(number) => write!(f, ", in type {number}"),
            Location::Static(number) => write!(f, ", in static {number}"),
            Location::Function(function) => write!(f, ", in function {function}"),
            Location::Terminator(function, block) => {
                write!(f, ", in function {function}, block {block}, terminator")
            }
            Location::Statement(function, block, statement) => {
                write!(f, ", in function {function}, block {block}, statement {statement}")
            }
        }
    }
}

impl std::error::Error for Flaw {}

/// The result of a check, without the location, which the caller adds.
type Check = Result<(), &'static str>;

fn ensure(holds: bool, what: &'static str) -> Check {
    if holds { Ok(()) } else { Err(what) }
}

/// The limit for functions, and for blocks of a function: a `Record` is identified by both, in 16 bits each.
const INDEX_LIMIT: usize = 1 << 16;

pub(crate) fn validate(program: &Program) -> Result<(), Flaw> {
    types::check(program)?;
    for (number, each) in program.statics.iter().enumerate() {
        let flaw = |what| Flaw { what, at: Location::Static(number) };
        static_value(&program.types, each.of, &each.value).map_err(flaw)?;
    }
    function_count(program).map_err(|what| Flaw { what, at: Location::Program })?;
    for (number, function) in program.functions.iter().enumerate() {
        let flaw = |what| Flaw { what, at: Location::Function(number) };
        body::signature(&program.types, function).map_err(flaw)?;
    }
    types::destructors(program)?;
    object::check(program)?;
    entry(program).map_err(|what| Flaw { what, at: Location::Function(0) })?;
    for (number, function) in program.functions.iter().enumerate() {
        Body { program, types: &program.types, function }.check(number)?;
    }
    Ok(())
}

fn function_count(program: &Program) -> Check {
    ensure(!program.functions.is_empty(), "no functions")?;
    ensure(program.functions.len() < INDEX_LIMIT, "too many functions")
}

/// The first function, and its arguments.
fn entry(program: &Program) -> Check {
    let first = &program.functions[0];
    ensure(first.generics == 0, "the first function is generic")?;
    let wanted = first.parameter_types();
    ensure(wanted.len() == program.arguments.len(), "wrong number of arguments")?;
    for (argument, of) in program.arguments.iter().zip(wanted) {
        ensure(program.types.is_scalar(*of), "a parameter of the first function is not a scalar")?;
        ensure(argument.of == *of, "argument of the wrong type")?;
        constant(&program.types, argument)?;
    }
    Ok(())
}

fn static_value(types: &Types, of: TypeId, value: &[u128]) -> Check {
    ensure((of.0 as usize) < types.len(), "unknown type")?;
    let scalars = Program::scalars(types, of).ok_or("static contains more than scalars")?;
    ensure(scalars.len() == value.len(), "wrong number of scalars")?;
    let mut each = scalars.iter().zip(value);
    ensure(each.all(|(of, bits)| is_value(types, *of, *bits)), "bits are not a valid value")
}

fn constant(types: &Types, constant: &Constant) -> Check {
    ensure((constant.of.0 as usize) < types.len(), "unknown type")?;
    let unit = constant.of == Types::UNIT && constant.bits == 0;
    ensure(
        unit || is_value(types, constant.of, constant.bits),
        "constant is not a valid value of its type",
    )
}

fn fits(int: Int, bits: u128) -> bool {
    int.bits() == 128 || bits >> int.bits() == 0
}

/// Whether bits are a valid value of a scalar type.
pub(crate) fn is_value(types: &Types, of: TypeId, bits: u128) -> bool {
    match types.kind(of) {
        Kind::Bool => bits < 2,
        Kind::Char => u32::try_from(bits).ok().and_then(char::from_u32).is_some(),
        Kind::Int(int) => fits(*int, bits),
        Kind::Float(float) => bits >> float.bits() == 0,
        _ => false,
    }
}
