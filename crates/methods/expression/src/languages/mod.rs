//! The languages, a file or folder each: their syntax, and which kinds of arithmetic there are. A new one is a file here and
//! a line below.

pub mod c;
mod combined;
pub mod func;
pub mod llvm;
pub mod rust;
pub mod solidity;
pub mod tolk;
mod ton;
pub mod vyper;
pub mod wasm;
mod widths;
pub mod yul;
pub mod zig;

use super::Dialect;

/// In the order in which methods are listed.
pub const ALL: &[&Dialect] = &[
    &c::DIALECT,
    &c::BIT_PRECISE,
    &llvm::DIALECT,
    &rust::DIALECT,
    &zig::DIALECT,
    &wasm::DIALECT,
    &tolk::DIALECT,
    &func::DIALECT,
    &solidity::DIALECT,
    &solidity::OLD,
    &yul::DIALECT,
    &vyper::DIALECT,
];

/// The dialect of a language, if there is one.
pub fn of(language: &str) -> Option<&'static Dialect> {
    ALL.iter().copied().find(|dialect| dialect.language == language)
}
