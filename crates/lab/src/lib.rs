//! All side effects of Mistrust: compiles and runs cases, judges the observations, deduplicates and stores
//! the failures. It reports progress as typed events and prints nothing.

pub mod alive2;
pub mod campaign;
pub mod corpus;
pub mod coverage;
pub mod culprit;
pub mod event;
pub mod exec;
pub mod finding;
pub mod folder;
pub mod growth;
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
pub mod vm;
