//! From a broken promise to a finding: confirm, sign, compare with what is known, reduce, bisect.
//! Each file is one of these steps; `examiner.rs` is what they all look through. `campaign/` puts them in
//! order.

mod attribution;
pub mod bisect;
pub mod confirm;
pub mod culprit;
pub mod examiner;
pub mod face;
pub mod known;
pub mod reduce;
pub mod replay;
pub mod retell;
pub mod signature;
pub mod versions;
