//! The pure half of Mistrust.
//!
//! Everything here is a function of its arguments: no files, no processes, no clock, no global
//! randomness. The same [`Ticket`] gives the same [`Case`], byte for byte, on any machine. Whatever
//! touches the world (compilers, disks, terminals) lives in the `lab` and `mistrust` crates.

mod case;
mod entropy;
mod language;
mod method;
mod observation;
mod promise;
mod ticket;

pub use case::{Case, Input, Program};
pub use entropy::Entropy;
pub use language::Language;
pub use method::{Candidates, Method};
pub use observation::{Behaviour, Observation, Outcome, Resource, Stage};
pub use promise::Promise;
pub use ticket::{Ticket, TicketError};
