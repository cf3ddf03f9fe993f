//! Checks that a function of an optimised module refines the function of the same name before: the prover
//! decides for all inputs where it can, the interpreter on some inputs where it cannot. What the prover
//! refutes counts only if the interpreter sees it fail, too.

use std::sync::Arc;

use crate::ir::Module;
use crate::prove::{Limits, Proof, Side, prove};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Checked {
    /// The function is the same as before.
    Unchanged,
    /// For all inputs.
    Proven,
    /// On so many inputs on which the source is defined.
    Tested { inputs: usize },
    /// The input, what the source allows, and what the target does.
    Fails(String),
    Unknown(Arc<str>),
}

/// Checks one function.
pub fn check(source: &Module, target: &Module, name: &str) -> Checked {
    let (Some(before), Some(after)) = (source.function(name), target.function(name)) else {
        return Checked::Unknown("the function is gone".into());
    };
    if before.body == after.body && before.header == after.header {
        return Checked::Unchanged;
    }
    let types = |header: &crate::ir::Header| {
        let parameters: Vec<_> = header.parameters.iter().map(|it| it.ty.clone()).collect();
        (parameters, header.returns.clone(), header.variadic)
    };
    if types(&before.header) != types(&after.header) {
        return Checked::Unknown("the signature changed".into());
    }
    let source = Side { module: source, function: before };
    let target = Side { module: target, function: after };
    match prove(source, target, Limits::default()) {
        Proof::Holds => Checked::Proven,
        Proof::Fails(counterexample) => Checked::Fails(format!("{counterexample:?}")),
        Proof::Unknown(why) => Checked::Unknown(why),
    }
}
