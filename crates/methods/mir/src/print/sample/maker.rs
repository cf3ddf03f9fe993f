//! Builds a function block by block.

use crate::program::{
    Block, Callee, Function, Inlining, Operand, Place, Projection, Rvalue, Statement, Terminator,
    Unwind,
};
use crate::types::TypeId;

/// A function under construction.
pub(in crate::print) struct FunctionMaker {
    pub(super) function: Function,
    statements: Vec<Statement>,
}

pub(in crate::print) fn at(local: usize, projections: &[Projection]) -> Place {
    Place { local, projections: projections.to_vec() }
}

pub(in crate::print) fn copy(local: usize) -> Operand {
    Operand::local(local)
}

pub(in crate::print) fn number(of: TypeId, bits: u128) -> Operand {
    Operand::constant(of, bits)
}

impl FunctionMaker {
    pub(in crate::print) fn new(returns: TypeId, parameters: &[TypeId]) -> Self {
        let locals = std::iter::once(returns).chain(parameters.iter().copied()).collect();
        let function = Function {
            generics: 0,
            constants: vec![],
            inlining: Inlining::Free,
            locals,
            parameters: parameters.len(),
            blocks: vec![],
            debug: vec![],
        };
        Self { function, statements: vec![] }
    }

    pub(in crate::print) fn local(&mut self, of: TypeId) -> usize {
        self.function.locals.push(of);
        self.function.locals.len() - 1
    }

    pub(in crate::print) fn add(&mut self, statement: Statement) {
        self.statements.push(statement);
    }

    pub(in crate::print) fn set(&mut self, place: Place, rvalue: Rvalue) {
        self.add(Statement::Assign(place, rvalue));
    }

    /// A new local with a value.
    pub(in crate::print) fn value(&mut self, of: TypeId, rvalue: Rvalue) -> usize {
        let local = self.local(of);
        self.set(Place::local(local), rvalue);
        local
    }

    pub(in crate::print) fn next(&self) -> usize {
        self.function.blocks.len() + 1
    }

    pub(in crate::print) fn end(&mut self, terminator: Terminator) {
        self.end_as(terminator, false);
    }

    pub(super) fn end_as(&mut self, terminator: Terminator, cleanup: bool) {
        let statements = std::mem::take(&mut self.statements);
        self.function.blocks.push(Block { cleanup, statements, terminator });
    }

    pub(in crate::print) fn record(&mut self, values: &[Place]) {
        let target = self.next();
        self.end(Terminator::Record { values: values.to_vec(), target });
    }

    pub(super) fn call_into(
        &mut self,
        callee: Callee,
        arguments: Vec<Operand>,
        to: Place,
        unwind: Unwind,
    ) {
        let target = self.next();
        self.end(Terminator::Call { callee, arguments, destination: to, target, unwind });
    }

    pub(in crate::print) fn call(
        &mut self,
        callee: Callee,
        arguments: Vec<Operand>,
        of: TypeId,
    ) -> usize {
        let local = self.local(of);
        self.call_into(callee, arguments, Place::local(local), Unwind::Unreachable);
        local
    }

    pub(in crate::print) fn finish(mut self) -> Function {
        self.end(Terminator::Return);
        self.function
    }
}
