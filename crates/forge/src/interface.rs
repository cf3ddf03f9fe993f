//! How a program is entered. A method declares the interface of its programs, a target the interfaces
//! that it accepts; this and the language are all that connects them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// How a program is entered.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Interface {
    /// A whole program with `main`, which reads arguments and standard input, and prints.
    #[default]
    Program,
    /// One function over integers, whose signature is the first line of the source. Many functions can
    /// be combined into one source.
    Function,
    /// A contract with state, which is deployed and called by transactions.
    Contract,
    /// A module of functions that are not called: the compiler's output is checked instead.
    Module,
    /// Any text, valid or not, which is compiled and not entered.
    Text,
}

impl fmt::Display for Interface {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Program => "program",
            Self::Function => "function",
            Self::Contract => "contract",
            Self::Module => "module",
            Self::Text => "text",
        })
    }
}
