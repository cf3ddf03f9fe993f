//! Stateful Solidity from templates.
//!
//! A template is a set of contracts whose attributes (types, lengths, data locations, visibility, …) are variables of a
//! constraint system. Its solutions are counted and numbered; a ticket is a template and the number of a solution. A
//! reference interpreter knows what each program does on a sequence of transactions.

pub mod abi;
mod generate;
mod identities;
mod inputs;
mod interface;
pub mod interpret;
mod invalid;
mod keccak;
mod layout;
mod method;
pub mod model;
mod print;
mod sealed;
mod shrink;
pub mod template;
mod view;
mod wide;
mod word;

pub use interface::{Callee, Entry};
pub use invalid::Invalid;
pub use layout::Place;
pub use method::Solidity;
pub use print::{print, print_template};
pub use view::View;
