//! The half of Mistrust that touches the world: it shows cases to compilers, judges what they did with
//! them, and keeps what was found. It says what happens as typed events and prints nothing itself.

pub mod campaign;
pub mod culprit;
pub mod event;
pub mod exec;
pub mod finding;
pub mod folder;
pub mod machine;
pub mod oracle;
pub mod printable;
pub mod rehearsal;
pub mod setting;
pub mod signature;
pub mod stop;
pub mod store;
pub mod target;
pub mod toolchain;
pub mod triage;
pub mod verdict;
pub mod version;
