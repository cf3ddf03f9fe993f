//! From a broken promise to a finding: confirm, locate, reduce, restate, replay. Each file is one of these
//! steps. All of them observe cases through `examiner.rs`. `complete.rs` runs the steps that complete a
//! confirmed finding, in order.

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
