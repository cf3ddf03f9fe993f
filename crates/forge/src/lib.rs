//! The types in which methods and compilers meet, and nothing else.
//!
//! Everything here is a function of its arguments: no files, no processes, no clock, no global
//! randomness. The methods are crates of their own under `crates/methods`; whatever touches the world
//! (compilers, disks, terminals) is in the crates `lab` and `mistrust`.

mod case;
mod entropy;
mod feedback;
mod fingerprint;
mod interface;
mod language;
mod method;
mod model;
mod observation;
mod origin;
mod promise;
mod shape;
mod ticket;

pub use case::{Case, Input, Program};
pub use entropy::Entropy;
pub use feedback::Feedback;
pub use fingerprint::{Fingerprint, FingerprintError};
pub use interface::Interface;
pub use language::Language;
pub use method::{Candidates, Method};
pub use model::{LiveModel, Model};
pub use observation::{Behaviour, Check, Observation, Outcome, Reason, Resource, Stage};
pub use origin::{Derivation, Origin};
pub use promise::Promise;
pub use shape::Shape;
pub use ticket::{Ticket, TicketError};
