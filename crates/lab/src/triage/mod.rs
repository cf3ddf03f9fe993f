//! From a broken promise to a finding: confirm, locate, reduce, restate, replay. Each file is one of these
//! steps; `examiner.rs` is what they all look through. `complete.rs` puts those in order that make a
//! confirmed finding a complete one.

mod attribution;
pub mod bisect;
pub mod complete;
pub mod confirm;
pub mod diagnosis;
pub mod examiner;
pub mod known;
pub mod locate;
pub mod reduce;
pub mod replay;
pub mod restate;
pub mod verifier_alias;
pub mod versions;
