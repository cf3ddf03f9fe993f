//! Calls of generic functions. Each function is called, with at least two different types where possible: rustc does
//! not compile a generic function without callers.

use super::super::program::{Callee, Terminator};
use super::super::types::TypeId;
use super::Generator;
use super::body::Body;

/// The number of instances that each generic function should have.
const WANTED: usize = 2;

/// Attempts to call a generic function with new arguments.
const TRIES: usize = 10;

/// Printed lines of a call, with the statements that build its arguments.
const LINES: i64 = 9;

impl Generator<'_> {
    /// The number of different instances of a generic function that were called.
    fn instances(&self, number: usize) -> usize {
        self.instances.iter().filter(|(function, _)| *function == number).count()
    }

    /// How many instances a function should have: one more if it has const parameters.
    fn wanted_instances(&self, number: usize) -> usize {
        WANTED + usize::from(!self.program.functions[number].constants.is_empty())
    }

    fn generics(&self) -> Vec<usize> {
        let generic = self.callable.iter().filter(|callable| callable.generics > 0);
        generic.map(|callable| callable.number).collect()
    }

    /// Lines to reserve for the instances that are still missing.
    pub(super) fn lines_for_generic_calls(&self) -> i64 {
        let missing =
            |number: usize| self.wanted_instances(number).saturating_sub(self.instances(number));
        self.generics().into_iter().map(missing).sum::<usize>() as i64 * LINES
    }

    /// Calls the generic functions that have too few instances.
    pub(super) fn call_remaining_generics(&mut self, body: &mut Body) {
        for number in self.generics() {
            for attempt in 0..TRIES {
                if self.instances(number) >= self.wanted_instances(number) {
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

    fn call_instance(
        &mut self,
        body: &mut Body,
        number: usize,
        scalars_only: bool,
    ) -> Option<bool> {
        let with = self.type_arguments(number, scalars_only)?;
        self.instantiate(number, &with);
        let function = &self.program.functions[number];
        let signature = function.locals[..=function.parameters].to_vec();
        let types = &mut self.program.types;
        let concrete: Vec<TypeId> =
            signature.into_iter().map(|of| types.instantiate(of, &with)).collect();
        let arguments = self.arguments_for(body, &concrete[1..])?;
        let destination = self.destination(body, concrete[0], &arguments);
        let unwind = self.unwind(body);
        let callee = Callee::Function(number, with.clone());
        let done = self.call(body, callee, arguments, destination, unwind);
        if done && !self.instances.contains(&(number, with.clone())) {
            self.instances.push((number, with));
        }
        Some(done)
    }

    /// Generic arguments for a call, preferably not used before. The types can be restricted to scalars, in case
    /// other types have failed.
    pub(super) fn type_arguments(
        &mut self,
        number: usize,
        scalars_only: bool,
    ) -> Option<Vec<TypeId>> {
        let count = self.program.functions[number].type_parameters();
        let types = &self.program.types;
        let copied: Vec<TypeId> =
            self.palette.all.iter().copied().filter(|of| types.is_copy(*of)).collect();
        let mut with = vec![];
        for _ in 0..3 {
            with = (0..count)
                .map(|_| match self.entropy.below(3) {
                    _ if scalars_only => self.entropy.pick(&self.palette.scalars).copied(),
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

    /// Interns the types that an instance of a generic function and the functions that it calls need.
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
            // A generic function calls only older ones, so the recursion ends.
            self.instantiate(other, &given);
        }
    }
}
