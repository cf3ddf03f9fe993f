//! Calls of generic functions. Each is called, with at least two different types where possible: rustc does not compile
//! a generic function without callers.

use super::super::program::{Callee, Terminator};
use super::super::types::TypeId;
use super::Generator;
use super::body::Body;

/// With how many types each generic function should be called.
const WANTED: usize = 2;

/// How often it is tried.
const TRIES: usize = 10;

/// Lines that a call takes, with what it is called with.
const LINES: i64 = 9;

impl Generator<'_> {
    /// How often a generic function was called, each time with other types.
    fn instances(&self, number: usize) -> usize {
        self.instances.iter().filter(|(function, _)| *function == number).count()
    }

    /// Constants differ in more ways than types do.
    fn wanted(&self, number: usize) -> usize {
        WANTED + usize::from(!self.program.functions[number].constants.is_empty())
    }

    fn generics(&self) -> Vec<usize> {
        let generic = self.callable.iter().filter(|callable| callable.generics > 0);
        generic.map(|callable| callable.number).collect()
    }

    /// Lines to leave for calls of generic functions that have to come.
    pub(super) fn owed(&self) -> i64 {
        let missing = |number: usize| self.wanted(number).saturating_sub(self.instances(number));
        self.generics().into_iter().map(missing).sum::<usize>() as i64 * LINES
    }

    /// Calls the generic functions that were not called often enough.
    pub(super) fn call_remaining_generics(&mut self, body: &mut Body) {
        for number in self.generics() {
            for attempt in 0..TRIES {
                if self.instances(number) >= self.wanted(number) {
                    break;
                }
                let snapshot = self.snapshot(body);
                if self.call_instance(body, number, attempt > TRIES / 2) != Some(true) {
                    self.restore(body, snapshot);
                }
            }
        }
    }

    pub(super) fn call_generic(&mut self, body: &mut Body) -> Option<bool> {
        let number = self.entropy.pick(&self.generics()).copied()?;
        self.call_instance(body, number, false)
    }

    fn call_instance(&mut self, body: &mut Body, number: usize, plain: bool) -> Option<bool> {
        let with = self.type_arguments(number, plain)?;
        self.instantiate(number, &with);
        let function = &self.program.functions[number];
        let signature = function.locals[..=function.parameters].to_vec();
        let types = &mut self.program.types;
        let concrete: Vec<TypeId> =
            signature.into_iter().map(|of| types.instantiate(of, &with)).collect();
        let arguments = self.matching(body, &concrete[1..])?;
        let destination = self.destination(body, concrete[0], &arguments);
        let unwind = self.unwind(body);
        let callee = Callee::Function(number, with.clone());
        let done = self.call(body, callee, arguments, destination, unwind);
        if done && !self.instances.contains(&(number, with.clone())) {
            self.instances.push((number, with));
        }
        Some(done)
    }

    /// Types and constants to call a generic function with, rather such as it was not called with yet; of types,
    /// scalars alone, if nothing else will do.
    pub(super) fn type_arguments(&mut self, number: usize, plain: bool) -> Option<Vec<TypeId>> {
        let count = self.program.functions[number].type_parameters();
        let types = &self.program.types;
        let copied: Vec<TypeId> =
            self.palette.all.iter().copied().filter(|of| types.is_copy(*of)).collect();
        let mut with = vec![];
        for _ in 0..3 {
            with = (0..count)
                .map(|_| match self.entropy.below(3) {
                    _ if plain => self.entropy.pick(&self.palette.scalars).copied(),
                    0 => self.entropy.pick(&self.palette.scalars).copied(),
                    _ => self.entropy.pick(&copied).copied(),
                })
                .collect::<Option<Vec<TypeId>>>()?;
            with.extend(self.constants_for(number, None));
            if !self.instances.iter().any(|(other, had)| *other == number && *had == with) {
                break;
            }
        }
        Some(with)
    }

    /// The types that a generic function and those that it calls need are there.
    pub(super) fn instantiate(&mut self, number: usize, with: &[TypeId]) {
        if with.is_empty() {
            return;
        }
        let function = &self.program.functions[number];
        let locals = function.locals.clone();
        let calls: Vec<(usize, Vec<TypeId>)> = (function.blocks.iter())
            .filter_map(|block| match &block.terminator {
                Terminator::Call { callee: Callee::Function(other, given), .. } => {
                    Some((*other, given.clone()))
                }
                _ => None,
            })
            .collect();
        let types = &mut self.program.types;
        for of in locals {
            types.instantiate(of, with);
        }
        for (other, given) in calls {
            let types = &mut self.program.types;
            let given: Vec<TypeId> =
                given.into_iter().map(|of| types.instantiate(of, with)).collect();
            // It was there before the function that calls it, so this comes to an end.
            self.instantiate(other, &given);
        }
    }
}
