//! The prover: decides for all inputs whether a function refines another, with a circuit and CaDiCaL. Loops
//! must have a constant number of repetitions. `encode.rs` turns a function into a circuit, `flow.rs` its
//! blocks, `value.rs` each instruction, `access.rs` and `memory.rs` what it does to memory, `calls.rs` what is not
//! modelled; `question.rs` asks. The meaning of operations is in `crate::semantics`.
//!
//! The source may choose (undef, freeze), and the target must match one of its choices, so that a failure
//! is: there are an input and choices of the target such that *no* choice of the source allows the result.
//! Choices of the source are refined one by one: a candidate failure either survives all of them, or
//! yields the choice that allows it.
//!
//! What is modelled in part puts an answer in *doubt*: nothing is proven if an input leads there. What it refutes
//! is replayed by the interpreter before it counts: unknown functions and memory make it guess.

mod access;
mod bytes;
mod call;
mod calls;
mod compare;
mod constant;
mod encode;
mod escape;
mod float;
mod flow;
mod inputs;
mod memory;
mod order;
mod place;
mod pointer;
mod question;
mod region;
mod solve;
mod symbol;
mod unknown;
mod value;
mod wires;

use std::fmt;
use std::sync::Arc;

use identity::kernel::Wire;

use question::Question;
use wires::{Variable, Wires};

use crate::ir::{Function, Module};

/// A function and the module it belongs to.
#[derive(Clone, Copy, Debug)]
pub struct Side<'a> {
    pub module: &'a Module,
    pub function: &'a Function,
}

/// The limits of a proof attempt.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Of the solver, for each question.
    pub conflicts: u32,
    pub clauses: usize,
    /// Of the circuit: building one takes time, too.
    pub gates: usize,
    /// How many choices of the source are tried.
    pub rounds: u32,
    /// Whether arguments may be undef. LLVM has many known failures for these, and is about to drop undef.
    pub undef_arguments: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { conflicts: 300, clauses: 60_000, gates: 60_000, rounds: 8, undef_arguments: false }
    }
}

/// The result of a proof attempt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// The target refines the source for all inputs.
    Holds,
    /// It does not for this input, as far as the encoding goes.
    Fails(Counterexample),
    /// The solver gave up, or something cannot be encoded.
    Unknown(Arc<str>),
}

/// The lanes of each parameter, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counterexample {
    pub arguments: Vec<Vec<ArgumentLane>>,
    /// Whether nothing was encoded as an unknown function, so that it needs no confirmation.
    pub is_exact: bool,
}

/// One lane of an argument in a counterexample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentLane {
    Poison,
    Undef,
    Bits(u128),
}

/// Why a function has no circuit.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Unencodable(Arc<str>);

type Encoding<T> = Result<T, Unencodable>;

impl Unencodable {
    fn new(why: &str) -> Self {
        Self(why.into())
    }
}

impl fmt::Display for Unencodable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.0)
    }
}

/// Decides whether the target refines the source: first for inputs that may be poison, then for inputs
/// that may be undef as well.
pub fn prove(source: Side<'_>, target: Side<'_>, limits: Limits) -> Proof {
    for undef in [false, true] {
        if undef && !limits.undef_arguments {
            break;
        }
        match Question::new(source, target, undef, limits)
            .and_then(|question| question.answer(limits))
        {
            Ok(Proof::Holds) => {}
            Ok(other) => return other,
            Err(why) => return Proof::Unknown(why.0),
        }
    }
    Proof::Holds
}

fn variable(wires: &mut Wires, width: u32) -> Encoding<(Variable, Vec<Wire>)> {
    wires.variable(width).ok_or_else(|| Unencodable::new("too many variables"))
}
