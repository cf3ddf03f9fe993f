//! Checks traits: every implementation has all methods with the right signatures, and rustc accepts the declarations.

use super::super::object::{Implementation, Trait};
use super::super::program::Program;
use super::super::types::{Kind, TypeId, Types};
use super::body::Body;
use super::{Check, Flaw, Location, ensure};

/// The signatures of all functions must have been checked before.
pub(super) fn check(program: &Program) -> Result<(), Flaw> {
    let all = program.traits.iter();
    let each = all.map(|it| check_trait(program, it));
    each.collect::<Check>().map_err(|what| Flaw { what, at: Location::Program })
}

/// Checks a type in the signature of a method, or an implementing type. rustc checks lifetimes there, so it must not
/// contain any.
fn without_lifetimes(types: &Types, of: TypeId) -> Check {
    ensure((of.0 as usize) < types.len(), "unknown type")?;
    ensure(!types.is_unsized(of) && !types.is_constant(of), "unsized type by value")?;
    ensure(!types.is_generic(of), "type parameter not allowed here")?;
    ensure(!types.has_lifetime(of), "method signature contains a lifetime")
}

fn check_trait(program: &Program, it: &Trait) -> Check {
    let types = &program.types;
    for method in &it.methods {
        method
            .parameters
            .iter()
            .chain([&method.returns])
            .try_for_each(|of| without_lifetimes(types, *of))?;
    }
    for (number, implementation) in it.implementations.iter().enumerate() {
        without_lifetimes(types, implementation.of)?;
        let mut earlier = it.implementations[..number].iter();
        let duplicate = earlier.any(|other| other.of == implementation.of);
        ensure(!duplicate, "trait implemented twice for one type")?;
        methods(program, it, implementation)?;
    }
    Ok(())
}

fn methods(program: &Program, it: &Trait, implementation: &Implementation) -> Check {
    ensure(implementation.functions.len() == it.methods.len(), "wrong number of methods")?;
    for (method, number) in it.methods.iter().zip(&implementation.functions) {
        let function = program.functions.get(*number).ok_or("unknown function")?;
        ensure(function.generics == 0, "generic method")?;
        let parameters = function.parameter_types();
        let receiver = Kind::Reference { mutable: method.mutable, to: implementation.of };
        let good = match parameters.split_first() {
            Some((first, rest)) => {
                *program.types.kind(*first) == receiver && rest == method.parameters
            }
            None => false,
        };
        ensure(good && function.returns() == method.returns, "method signature mismatch")?;
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
        let it = self.program.method(of, method).ok_or("unknown method")?;
        let (first, rest) = given.split_first().ok_or("wrong number of arguments")?;
        let receiver = match self.types.kind(*first) {
            Kind::Reference { mutable, to } => {
                *mutable == it.mutable && *self.types.kind(*to) == Kind::Object(of)
            }
            _ => false,
        };
        ensure(receiver, "receiver is not a reference to this trait object")?;
        ensure(rest == it.parameters, "argument type mismatch")?;
        ensure(it.returns == wanted, "return type mismatch")
    }
}
