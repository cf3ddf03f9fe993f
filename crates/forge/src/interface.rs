//! What a program offers to whoever compiles and runs it. A method says it of its programs, a target
//! says which ones it takes; nothing else has to know either.

use std::fmt;

use serde::{Deserialize, Serialize};

#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Interface {
    /// A whole program with an entry point of its own. It gets arguments and standard input, and prints.
    #[default]
    Program,
    /// One function over integers, whose signature is the first line of the source. Many of them can
    /// share a source, which is then called with the arguments of each.
    Function,
    /// A contract with state, which is deployed and gets transactions.
    Contract,
    /// A module of functions that nothing calls: it is compiled, and what came of it is checked.
    Module,
}

impl fmt::Display for Interface {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Program => "program",
            Self::Function => "function",
            Self::Contract => "contract",
            Self::Module => "module",
        })
    }
}
