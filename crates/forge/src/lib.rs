//! The types that methods and targets share, and nothing else.
//!
//! Everything here is pure: no files, no processes, no clock, no global randomness. Each method is a
//! crate under `crates/methods`; all side effects (compilers, disks, terminals) are in the crates `lab`
//! and `mistrust`.

mod case;
mod entropy;
mod feedback;
mod fingerprint;
mod interface;
mod language;
mod lineage;
mod method;
mod model;
mod observation;
mod origin;
mod promise;
mod raw;
mod shape;
mod ticket;

pub use case::{Case, Input, Program};
pub use entropy::Entropy;
pub use feedback::Feedback;
pub use fingerprint::{Fingerprint, FingerprintError};
pub use interface::Interface;
pub use language::Language;
pub use lineage::Lineage;
pub use method::{Candidates, Method};
pub use model::{LiveModel, Model};
pub use observation::{
    Behaviour, Check, Excess, Observation, Optimised, Outcome, Reason, Resource, Stage,
};
pub use origin::{Derivation, Origin};
pub use promise::Promise;
pub use raw::{bytes_of, raw, source_of};
pub use shape::Shape;
pub use ticket::{Ticket, TicketError};
