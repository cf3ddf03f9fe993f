//! Keeps what happened: a SQLite database and a folder for each finding, in the output folder. Other
//! processes can read both during a run; only the one that holds the lock writes.
//!
//! `database.rs` opens and migrates, `lock.rs` keeps writers apart, `ledger.rs` knows which tickets are
//! done, `findings.rs` and `folder.rs` keep findings, `report.rs` writes what a tracker is given.

mod database;
mod error;
mod findings;
mod folder;
mod ledger;
mod lock;
mod report;

pub use database::{Store, now};
pub use error::StoreError;
pub use findings::{Brief, Sighted};
pub use folder::write_atomically;
pub use ledger::{LineKey, RunRecord, Sample};
