//! Traits: their methods are there for every type that has them, and rustc takes what is declared.

use super::super::object::{Implementation, Trait};
use super::super::program::Program;
use super::super::types::{Kind, TypeId, Types};
use super::body::Body;
use super::types::is_slice;
use super::{Check, Flaw, Spot, ensure};

/// Called when the signatures of all functions are known to be sound.
pub(super) fn check(program: &Program) -> Result<(), Flaw> {
    let all = program.traits.iter();
    let each = all.map(|it| one(program, it));
    each.collect::<Check>().map_err(|what| Flaw { what, at: Spot::Program })
}

/// What can be in the signature of a method, or have one: rustc checks lifetimes there, so none may be in it.
fn plain(types: &Types, of: TypeId) -> Check {
    ensure((of.0 as usize) < types.len(), "a type that is not there")?;
    ensure(!is_slice(types, of) && !types.is_constant(of), "a slice by value")?;
    ensure(!types.is_generic(of), "a type parameter where none can be")?;
    ensure(!types.lends(of), "a method with a lifetime")
}

fn one(program: &Program, it: &Trait) -> Check {
    let types = &program.types;
    for method in &it.methods {
        method.parameters.iter().chain([&method.returns]).try_for_each(|of| plain(types, *of))?;
    }
    for (number, implementation) in it.implementations.iter().enumerate() {
        plain(types, implementation.of)?;
        let again = it.implementations[..number].iter().any(|had| had.of == implementation.of);
        ensure(!again, "a trait twice for one type")?;
        methods(program, it, implementation)?;
    }
    Ok(())
}

fn methods(program: &Program, it: &Trait, implementation: &Implementation) -> Check {
    ensure(implementation.functions.len() == it.methods.len(), "the wrong number of methods")?;
    for (method, number) in it.methods.iter().zip(&implementation.functions) {
        let function = program.functions.get(*number).ok_or("a function that is not there")?;
        ensure(function.generics == 0, "a method that is generic")?;
        let parameters = function.parameter_types();
        let receiver = Kind::Reference { mutable: method.mutable, to: implementation.of };
        let good = match parameters.split_first() {
            Some((first, rest)) => {
                *program.types.kind(*first) == receiver && rest == method.parameters
            }
            None => false,
        };
        ensure(good && function.returns() == method.returns, "a method with another signature")?;
    }
    Ok(())
}

impl Body<'_> {
    /// A call through a trait object.
    pub(super) fn dynamic(
        self,
        (of, method): (usize, usize),
        given: &[TypeId],
        wanted: TypeId,
    ) -> Check {
        let it = self.program.method(of, method).ok_or("a method that is not there")?;
        let (first, rest) = given.split_first().ok_or("the wrong number of arguments")?;
        let receiver = match self.types.kind(*first) {
            Kind::Reference { mutable, to } => {
                *mutable == it.mutable && *self.types.kind(*to) == Kind::Object(of)
            }
            _ => false,
        };
        ensure(receiver, "a method of no such trait object")?;
        ensure(rest == it.parameters, "arguments of other types")?;
        ensure(it.returns == wanted, "a call that gives another type")
    }
}
