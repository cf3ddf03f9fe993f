//! Tail calls: of a function with the same signature, through a pointer, or of an instance of a generic function.

use super::super::interpret::Scope;
use super::super::program::{Callee, Operand, Place, Rvalue, Terminator};
use super::super::types::{Kind, TypeId, Types};
use super::Generator;
use super::body::Body;
use super::call::CALL_FUEL;
use super::places::Purpose;

/// How many of the latest functions are candidates for a tail call.
const NEAREST: usize = 40;

impl Generator<'_> {
    /// Ends a function in a tail call of another with the same signature.
    pub(super) fn end_in_tail_call(&mut self, body: &mut Body) -> bool {
        if body.number == 0 {
            return false;
        }
        let signature = body.signature().to_vec();
        let fitting: Vec<(usize, Vec<TypeId>)> = (self.callable.iter().rev().take(NEAREST))
            .filter(|callable| !callable.panics && callable.steps <= CALL_FUEL)
            .filter_map(|callable| {
                let function = &self.program.functions[callable.number];
                let pattern = &function.locals[..=function.parameters];
                let with =
                    generic_arguments(&self.program.types, callable.generics, pattern, &signature)?;
                self.accepts_constants(callable.number, &with).then_some((callable.number, with))
            })
            .collect();
        let Some((function, with)) = self.entropy.pick(&fitting).cloned() else { return false };
        let snapshot = self.snapshot(body);
        let done = self.try_tail_call(body, (function, with), &signature);
        if done.is_none() {
            self.restore(body, snapshot);
        }
        done.is_some()
    }

    fn try_tail_call(
        &mut self,
        body: &mut Body,
        (function, with): (usize, Vec<TypeId>),
        signature: &[TypeId],
    ) -> Option<()> {
        let arguments: Vec<Operand> = self.arguments_for(body, &signature[1..])?;
        // All types of the instance must be interned before it runs.
        self.instantiate(function, &with);
        let plain = with.is_empty();
        let pointed = plain && self.swarm.function_pointers && self.entropy.chance(1, 2);
        let callee = if pointed {
            Callee::Pointer(self.function_pointer_to(body, function, signature)?)
        } else {
            Callee::Function(function, with)
        };
        let fuel = self.interpreter.fuel;
        self.interpreter.fuel = fuel.min(CALL_FUEL);
        let scope = Scope { types: &self.program.types, locals: &body.locals };
        let last = (&callee, arguments.as_slice());
        let done = self.interpreter.finish_in(&self.program, scope, &mut body.frame, last);
        self.interpreter.fuel =
            fuel.saturating_sub(CALL_FUEL.saturating_sub(self.interpreter.fuel));
        done.ok()?;
        body.close(Terminator::TailCall { callee, arguments });
        Some(())
    }

    /// A place with a function pointer of a signature: an existing one, or a new one to the given function.
    fn function_pointer_to(
        &mut self,
        body: &mut Body,
        function: usize,
        signature: &[TypeId],
    ) -> Option<Place> {
        let kind = Kind::Function { parameters: signature[1..].to_vec(), returns: signature[0] };
        let of = self.program.types.intern(kind);
        if let Some(place) = self.pick(body, of, Purpose::Read)
            && self.entropy.chance(1, 2)
        {
            return Some(place);
        }
        let place = Place::local(self.new_local(body, of));
        let rvalue = Rvalue::Use(Operand::Function(function, of));
        self.assign(body, place.clone(), rvalue).then_some(place)
    }
}

/// The generic arguments for which a generic signature equals another one.
fn generic_arguments(
    types: &Types,
    generics: usize,
    pattern: &[TypeId],
    signature: &[TypeId],
) -> Option<Vec<TypeId>> {
    if pattern.len() != signature.len() {
        return None;
    }
    let mut with = vec![None; generics];
    let mut all = pattern.iter().zip(signature);
    let fits = all.all(|(pattern, of)| matches(types, *pattern, *of, &mut with));
    let with: Vec<TypeId> = with.into_iter().collect::<Option<_>>()?;
    (fits && with.iter().all(|of| types.is_copy(*of))).then_some(with)
}

/// Whether a type matches a generic type, given the arguments found so far, to which it adds.
fn matches(types: &Types, pattern: TypeId, of: TypeId, with: &mut [Option<TypeId>]) -> bool {
    match (types.kind(pattern), types.kind(of)) {
        (Kind::Parameter(index), _) => match with.get_mut(*index) {
            Some(known) => *known.get_or_insert(of) == of,
            None => false,
        },
        (Kind::Tuple(patterns), Kind::Tuple(parts)) if patterns.len() == parts.len() => {
            let mut all = patterns.iter().zip(parts);
            all.all(|(pattern, part)| matches(types, *pattern, *part, with))
        }
        (Kind::Array(pattern, length), Kind::Array(part, other)) if length == other => {
            matches(types, *pattern, *part, with)
        }
        (Kind::ArrayOf(pattern, index), Kind::Array(part, length)) => {
            let length = types.find(&Kind::Value(Types::USIZE, *length));
            let known = match (with.get_mut(*index), length) {
                (Some(known), Some(length)) => *known.get_or_insert(length) == length,
                _ => false,
            };
            known && matches(types, *pattern, *part, with)
        }
        (Kind::Pointer { mutable, to: pattern }, Kind::Pointer { mutable: other, to: part })
        | (
            Kind::Reference { mutable, to: pattern },
            Kind::Reference { mutable: other, to: part },
        ) if mutable == other => matches(types, *pattern, *part, with),
        _ => pattern == of,
    }
}
